"""The areas, routes and ground of a scenario as GeoJSON, for the map."""

import math
from typing import Any

import numpy as np

from movenv.scenario.recorded import Ground
from movenv.terrain.area import Area
from movenv.terrain.relief_raster import with_hills
from movenv.terrain.route import Route
from movenv.web.ground_features import ground_features
from movenv.web.hillshade import hillshade_feature
from movenv.web.occupancy import occupancy_feature
from movenv.world.columns import F8
from movenv.world.frames import Frame

Feature = dict[str, Any]


def world_of(ground: Ground, frame: Frame) -> list[Feature]:
    """The ground first, then areas, then routes."""
    grid, relief = ground.terrain.grid, ground.terrain.relief
    hillshade = []
    if relief is not None:
        hillshade.append(hillshade_feature(with_hills(relief, ground.terrain.hills), frame))
    occupancy = [occupancy_feature(grid, frame)] if grid is not None else []
    areas = [_area(area, frame) for area in ground.areas]
    routes = [feature for route in ground.routes for feature in _route(route, frame)]
    return [*hillshade, *occupancy, *ground_features(ground.terrain, frame), *areas, *routes]


def _area(area: Area, frame: Frame) -> Feature:
    ring = np.vstack([area.vertices, area.vertices[:1]])
    heights = {"floor": area.floor, "ceiling": area.ceiling}
    known = {name: height for name, height in heights.items() if math.isfinite(height)}
    return _feature("Polygon", [_lonlat(ring, frame)], role="area", name=area.name, **known)


def _route(route: Route, frame: Frame) -> list[Feature]:
    """The way itself, its slow stretches, and where to stop."""
    corners = _lonlat(route.corners, frame)
    whole = _feature("LineString", corners, role="route", name=route.name, closed=route.closed)
    slow = [
        _feature(
            "LineString",
            _lonlat(stretch_of(route, part.at, part.at + part.over), frame),
            role="slow",
            route=route.name,
            speed=part.speed,
        )
        for part in route.slow
    ]
    stops = [
        _feature(
            "Point",
            _lonlat(stretch_of(route, stop.at, stop.at)[:1], frame)[0],
            role="stop",
            route=route.name,
            wait=stop.wait,
        )
        for stop in route.stops
    ]
    return [*slow, whole, *stops]  # the first lie beneath


def stretch_of(route: Route, begin: float, end: float) -> F8:
    """The points (n, 2) of a part of a route, from and to so many m along it.

    Beyond the end a closed route begins anew; any other ends.
    """
    along, corners = route.along, route.corners[:, :2]
    if route.closed and end > route.length:
        rest = stretch_of(route, 0.0, min(end - route.length, route.length))
        return np.vstack([stretch_of(route, begin, route.length), rest])
    ends = np.clip([begin, end], 0.0, route.length)
    between = along[(along > ends[0]) & (along < ends[1])]
    at = np.concatenate([ends[:1], between, ends[1:]])
    return np.column_stack([np.interp(at, along, corners[:, axis]) for axis in (0, 1)])


def _lonlat(points: F8, frame: Frame) -> list[list[float]]:
    lat, lon, _ = frame.to_geodetic(points[:, 0], points[:, 1])
    lonlat: list[list[float]] = np.column_stack([lon, lat]).tolist()
    return lonlat


def _feature(geometry: str, coordinates: Any, **properties: Any) -> Feature:
    return {
        "type": "Feature",
        "geometry": {"type": geometry, "coordinates": coordinates},
        "properties": properties,
    }
