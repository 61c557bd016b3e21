"""What stands and lies on the ground as GeoJSON, for the map: few features, however many trees."""

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from movenv.terrain.features import CROSSINGS, Obstacle, Terrain
from movenv.world.columns import F8
from movenv.world.frames import Frame

Feature = dict[str, Any]

POINTS = ("tree", "tower")
"""Kinds that are drawn as discs, where they are round."""
ROUNDNESS = 0.9
"""4π · area / perimeter², from which on something is round; a square has 0.79, a hexagon 0.91."""
DIGITS = 7
"""Of degrees: a centimetre."""
RADIUS_STEP = 0.1
"""Trees of nearly the same radius, m, become one feature."""


def ground_features(terrain: Terrain, frame: Frame) -> list[Feature]:
    """Soils and obstacles first, then crossings and roads, each with `kind` and a name.

    Trees, of which there may be very many, are points without names, one feature for each radius.
    """
    points = [one for one in terrain.obstacles if one.kind in POINTS]
    whole = round_ones([one.ground for one in points]).tolist()
    points = [one for one, is_round in zip(points, whole, strict=True) if is_round]
    discs = {id(one) for one in points}
    return [
        *(
            _covering(soil.ground, frame, kind="soil", name=soil.name, mobility=soil.mobility)
            for soil in terrain.soils
        ),
        *(
            _covering(one.ground, frame, kind=one.kind, name=one.name)
            for one in terrain.obstacles
            if id(one) not in discs
        ),
        *_trees([one for one in points if one.kind == "tree"], frame),
        *(_tower(one, frame) for one in points if one.kind != "tree"),
        *(
            _covering(one.ground, frame, kind=one.kind, name=one.name, over=list(one.over))
            for one in terrain.crossings
            if one.kind in CROSSINGS  # roads through woods are told as roads
        ),
        *(
            _feature(
                "LineString",
                _lonlat(road.line[:, :2], frame),
                kind="road",
                name=road.name,
                width=road.width,
            )
            for road in terrain.roads
        ),
    ]


def round_ones(grounds: list[Polygon]) -> NDArray[np.bool_]:
    """Which of some polygons are as good as discs."""
    around = shapely.length(grounds)
    found: NDArray[np.bool_] = 4 * np.pi * shapely.area(grounds) >= ROUNDNESS * around**2
    return found


def _tower(one: Obstacle, frame: Frame) -> Feature:
    middle, radius = as_discs([one.ground])
    place = _lonlat(middle, frame)[0]
    size = round(float(radius[0]), 2)
    return _feature("Point", place, kind=one.kind, name=one.name, radius=size)


def _trees(trees: list[Obstacle], frame: Frame) -> list[Feature]:
    if not trees:
        return []
    middles, radii = as_discs([tree.ground for tree in trees])
    places = _lonlat(middles, frame)
    steps = np.maximum(np.rint(radii / RADIUS_STEP), 1).astype(int)
    found = []
    for step in np.unique(steps).tolist():
        chosen = [places[i] for i in np.flatnonzero(steps == step)]
        radius = round(step * RADIUS_STEP, 2)
        found.append(_feature("MultiPoint", chosen, kind="tree", radius=radius))
    return found


def as_discs(grounds: list[Polygon]) -> tuple[F8, F8]:
    """The middles (n, 2) and radii of discs as large as some polygons."""
    middles = shapely.get_coordinates(shapely.centroid(grounds))
    return middles, np.sqrt(shapely.area(grounds) / np.pi)


def _covering(ground: Polygon, frame: Frame, **properties: Any) -> Feature:
    rings = [ground.exterior, *ground.interiors]
    places = [_lonlat(shapely.get_coordinates(ring), frame) for ring in rings]
    return _feature("Polygon", places, **properties)


def _lonlat(points: F8, frame: Frame) -> list[list[float]]:
    lat, lon, _ = frame.to_geodetic(points[:, 0], points[:, 1])
    lonlat: list[list[float]] = np.round(np.column_stack([lon, lat]), DIGITS).tolist()
    return lonlat


def _feature(geometry: str, coordinates: Any, **properties: Any) -> Feature:
    return {
        "type": "Feature",
        "geometry": {"type": geometry, "coordinates": coordinates},
        "properties": {"role": "terrain", **properties},
    }
