"""Where vehicles begin."""

import math
from collections.abc import Callable

import numpy as np

from movenv.parts.config import GeoPoint
from movenv.parts.config import Point as PointSpec
from movenv.scenario.schema import Start, Vehicles
from movenv.terrain.area import Area
from movenv.terrain.heights import Heights
from movenv.world.columns import F8, U4, Mask, Rows
from movenv.world.frames import Frame, yaw_of_heading
from movenv.world.random_streams import uniform

DEFAULT_Z = {"aerial": 50.0, "underwater": -10.0}
"""Height of a start that does not say, by kind, m; else 0."""
MAX_ROUNDS = 2000
MAX_CROWDED = 500
"""After so many draws there is no room, where places are to be free too."""

Take = Callable[[F8, Rows], Mask]
"""Takes those of the places (x, y, z) of some vehicles of a group that are free; says which."""


def local(frame: Frame, point: PointSpec) -> tuple[float, float, float | None]:
    """A point of the file in local metres; z is None where the file does not say."""
    if isinstance(point, GeoPoint):
        x, y, z = frame.to_local(point.lat, point.lon, point.alt or 0.0)
        return float(x), float(y), None if point.alt is None else float(z)
    return point[0], point[1], point[2] if len(point) == 3 else None


def place(
    frame: Frame,
    areas: dict[str, Area],
    spec: Vehicles,
    vids: U4,
    seed: int,
    take: Take | None = None,
    heights: Heights | None = None,
) -> F8:
    """x, y, z and yaw of a group's vehicles, (4, count). Raises ValueError with words.

    Random places are drawn again until `take` takes them. With `heights`, who does not say its
    own stands on the ground.
    """
    start = spec.start
    if start.z is not None:
        z: F8 | float = start.z
    else:
        z = _default_z(areas.get(start.within or ""), spec.parsed_kind.name, vids, seed)
    if start.within is not None:
        xyz = _random(areas[start.within], np.full(len(vids), z), vids, seed, take)
    else:
        xyz = _places(frame, start, len(vids))
    unsaid = np.isnan(xyz[2]) | (start.within is not None)
    xyz[2] = np.where(np.isnan(xyz[2]), z, xyz[2])
    if heights is not None and start.z is None:
        xyz[2] = np.where(unsaid, heights.at(xyz[0], xyz[1]), xyz[2])
    if start.heading_deg is not None:
        _, _, convergence = frame.columns_to_geodetic(xyz[0], xyz[1])
        yaw = yaw_of_heading(start.heading_deg, convergence)
    elif start.within is not None:
        yaw = math.tau * uniform(seed, vids, "start.yaw", 0) - math.pi
    else:
        yaw = np.zeros(len(vids))
    return np.vstack([xyz, yaw])


def _default_z(area: Area | None, kind: str, vids: U4, seed: int) -> F8 | float:
    """The kind's usual height; in an area with heights, somewhere between them."""
    usual = DEFAULT_Z.get(kind, 0.0)
    if area is None or kind not in DEFAULT_Z:
        return usual
    if math.isfinite(area.floor) and math.isfinite(area.ceiling):
        return area.floor + uniform(seed, vids, "start.z", 0) * (area.ceiling - area.floor)
    return min(max(usual, area.floor), area.ceiling)


def _places(frame: Frame, start: Start, count: int) -> F8:
    if start.line is not None:
        ends = [_row(frame, start.line.from_), _row(frame, start.line.to)]
        share = np.linspace(0.0, 1.0, count) if count > 1 else np.zeros(1)
        return ends[0][:, None] + (ends[1] - ends[0])[:, None] * share
    if start.grid is not None:
        columns = min(start.grid.columns or math.ceil(math.sqrt(count)), count)
        rows = math.ceil(count / columns)
        row, column = np.divmod(np.arange(count), columns)
        center = _row(frame, start.grid.center)[:, None]
        offset = np.array([column - (columns - 1) / 2, row - (rows - 1) / 2, np.zeros(count)])
        return center + start.grid.spacing * offset
    points = start.points if start.points is not None else [start.at]
    if len(points) != count:
        raise ValueError(f"{count} vehicles but {len(points)} place{'s' * (len(points) != 1)}")
    return np.array([_row(frame, point) for point in points]).T


def _row(frame: Frame, point: PointSpec | None) -> F8:
    assert point is not None
    x, y, z = local(frame, point)
    return np.array([x, y, np.nan if z is None else z])


def _random(area: Area, z: F8, vids: U4, seed: int, take: Take | None) -> F8:
    """Random places in an area: draw in its box, draw again whoever fell outside it."""
    low, high = area.bounds
    xyz = np.vstack([np.zeros((2, len(vids))), z])
    pending = np.arange(len(vids))
    for turn in range(MAX_CROWDED if take else MAX_ROUNDS):
        chosen = vids[pending]
        x = low[0] + uniform(seed, chosen, "start.x", turn) * (high[0] - low[0])
        y = low[1] + uniform(seed, chosen, "start.y", turn) * (high[1] - low[1])
        good = area.contains(x, y)
        if take:
            inside = np.flatnonzero(good)
            good[inside] = take(np.array([x, y, z[pending]])[:, inside], pending[inside])
        xyz[0, pending[good]], xyz[1, pending[good]] = x[good], y[good]
        pending = pending[~good]
        if not len(pending):
            return xyz
    if take:
        raise ValueError(
            f"no room in area '{area.name}' for {len(pending):,} of {len(vids):,} vehicles "
            "between obstacles and others"
        )
    raise ValueError(f"area '{area.name}' fills too little of its own box to draw places in it")
