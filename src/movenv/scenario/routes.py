"""Routes of a scenario in local metres."""

import numpy as np

from movenv.scenario.document import Document
from movenv.scenario.placement import local
from movenv.scenario.route_files import RouteFileError, Waypoint, read_route, read_text
from movenv.scenario.route_schema import Route as RouteSpec
from movenv.terrain.route import Route, SlowStretch, StopPlace
from movenv.world.columns import F8
from movenv.world.frames import Frame

SAME_PLACE = 0.01
"""Points of a file nearer than this to the one before are left out, m: receivers stand still."""
FARTHEST = 200_000.0
"""Beyond this from the origin no route leads, m."""


def route_of(name: str, spec: RouteSpec, frame: Frame, document: Document) -> Route:
    """A route of a scenario. Raises ValueError with words for the user."""
    if spec.file is not None:
        return _from_file(name, spec, frame, document)
    points = np.array(
        [
            [x, y, np.nan if z is None else z]
            for x, y, z in (local(frame, point) for point in spec.points or [])
        ]
    )
    return _made(name, spec, points, np.full(len(points), np.nan), np.zeros(len(points)))


def _from_file(name: str, spec: RouteSpec, frame: Frame, document: Document) -> Route:
    file = spec.file or ""
    if file not in document.files:
        document.files[file] = read_text(document.folder, file)
    found = read_route(file, document.files[file])
    points = _local(found, frame)
    if not (np.hypot(points[:, 0], points[:, 1]) <= FARTHEST).all():
        raise RouteFileError(f"{file} leads more than {FARTHEST / 1000:g} km from the origin")
    kept = _apart(points, spec.closed)
    if len(kept) < 2:
        raise RouteFileError(f"{file} has only one place; a route needs two")
    speed, hold = (np.array([getattr(point, key) for point in found]) for key in ("speed", "hold"))
    return _made(name, spec, points[kept], speed[kept], hold[kept])


def _local(found: list[Waypoint], frame: Frame) -> F8:
    keys = ("lat", "lon", "alt", "height")
    lat, lon, alt, height = (np.array([getattr(p, key) for p in found]) for key in keys)
    x, y, z = frame.to_local(lat, lon, alt)
    return np.column_stack([x, y, np.where(np.isnan(height), z, height)])


def _apart(points: F8, closed: bool) -> list[int]:
    """Which points to keep, so that none is where the one before is."""
    kept: list[int] = []
    last = (np.inf, np.inf)
    for i, (x, y) in enumerate(points[:, :2].tolist()):
        if abs(x - last[0]) + abs(y - last[1]) > SAME_PLACE:
            kept.append(i)
            last = (x, y)
    if closed and len(kept) > 1 and np.abs(points[kept[-1]] - points[0])[:2].sum() <= SAME_PLACE:
        kept.pop()
    return kept


def _made(name: str, spec: RouteSpec, points: F8, speed_to: F8, hold: F8) -> Route:
    """`speed_to` is that on the way to each point, `hold` how long to wait there."""
    legs = len(points) if spec.closed else len(points) - 1
    if spec.speeds is not None and len(spec.speeds) != legs:
        raise ValueError(f"{len(spec.speeds)} speeds for {legs} ways between points")
    speed = np.append(speed_to[1:], speed_to[-1])[:legs]
    if spec.speeds is not None:
        speed = np.array(spec.speeds)
    elif spec.speed is not None:
        speed = np.full(legs, spec.speed)
    route = Route(
        name=name,
        points=points,
        speed=speed,
        closed=spec.closed,
        slow=tuple(SlowStretch(s.at, s.over, s.speed) for s in spec.slow),
        stops=tuple(StopPlace(s.at, s.wait) for s in spec.stops),
    )
    for what, at in [("slow stretch", s.at) for s in spec.slow] + [
        ("stop", s.at) for s in spec.stops
    ]:
        if at > route.length:
            raise ValueError(f"a {what} at {at:g} m, but the route is {route.length:,.0f} m long")
    held = tuple(StopPlace(float(route.along[i]), float(hold[i])) for i in np.flatnonzero(hold > 0))
    return route if not held else _with_stops(route, held)


def _with_stops(route: Route, stops: tuple[StopPlace, ...]) -> Route:
    return Route(
        route.name, route.points, route.speed, route.closed, route.slow, route.stops + stops
    )
