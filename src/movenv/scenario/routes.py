"""Routes of a scenario in local metres."""

import numpy as np

from movenv.scenario.document import Document
from movenv.scenario.placement import local
from movenv.scenario.route_schema import Route as RouteSpec
from movenv.terrain.route import Route, SlowStretch, StopPlace
from movenv.world.frames import Frame


def route_of(name: str, spec: RouteSpec, frame: Frame, document: Document) -> Route:
    """A route of a scenario. Raises ValueError with words for the user."""
    if spec.points is None:
        raise ValueError(f"{document.folder / (spec.file or '')} cannot be read yet")
    points = np.array(
        [[x, y, np.nan if z is None else z] for x, y, z in (local(frame, p) for p in spec.points)]
    )
    legs = len(points) if spec.closed else len(points) - 1
    if spec.speeds is not None and len(spec.speeds) != legs:
        raise ValueError(f"{len(spec.speeds)} speeds for {legs} ways between points")
    route = Route(
        name=name,
        points=points,
        speed=np.full(legs, np.nan if spec.speed is None else spec.speed)
        if spec.speeds is None
        else np.array(spec.speeds),
        closed=spec.closed,
        slow=tuple(SlowStretch(s.at, s.over, s.speed) for s in spec.slow),
        stops=tuple(StopPlace(s.at, s.wait) for s in spec.stops),
    )
    for what, at in [("slow stretch", s.at) for s in spec.slow] + [
        ("stop", s.at) for s in spec.stops
    ]:
        if at > route.length:
            raise ValueError(f"a {what} at {at:g} m, but the route is {route.length:,.0f} m long")
    return route
