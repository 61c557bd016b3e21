"""Rays in three dimensions against what stands: outlines that reach up to a height.

What stands is cut level at every height at which something ends. Between two cuts it has one
outline; a ray crosses it as in the plane, from where it comes in between both to where it leaves.
Who comes down into the outline from above meets the roof.
"""

import math
from typing import NamedTuple

import numpy as np

from movenv.terrain.features import Obstacle, Terrain
from movenv.terrain.rays import Scenery, cast_toward, scenery_on
from movenv.terrain.seen import OF_OBSTACLE, Seen
from movenv.world.kernel import kernel

MOST_STOREYS = 16
"""Of each class. Where things end at more heights, they reach up to the next of so many."""


class Storey(NamedTuple):
    """What stands between two heights, all of one class."""

    scenery: Scenery
    low: float
    high: float
    seen: Seen


def storeys_of(terrain: Terrain) -> list[Storey]:
    """All that stands, but no water; the occupied cells of a map reach up and down for ever."""
    if Storey not in terrain.drawn:
        found = [storey for seen in Seen for storey in _of_class(terrain, seen)]
        if terrain.grid is not None:
            scenery = scenery_on([], terrain)
            found.append(Storey(scenery, -math.inf, math.inf, Seen.BUILDING))
        terrain.drawn[Storey] = found
    kept: list[Storey] = terrain.drawn[Storey]
    return kept


def _of_class(terrain: Terrain, seen: Seen) -> list[Storey]:
    standing = [o for o in terrain.obstacles if OF_OBSTACLE.get(o.kind) == seen]
    ends, low, found = _ends(standing), -math.inf, []
    for high in ends:
        grounds = [o.ground for o in standing if o.height > low]
        found.append(Storey(scenery_on(grounds), low, high, seen))
        low = high
    return found


def _ends(standing: list[Obstacle]) -> list[float]:
    """The heights at which they end, ascending; of many, some."""
    ends = np.unique([o.height for o in standing])
    if len(ends) > MOST_STOREYS:
        ends = ends[np.linspace(0, len(ends) - 1, MOST_STOREYS).round().astype(int)]
    kept: list[float] = ends.tolist()
    return kept


@kernel
def meet_storey(scenery, low, high, seen, rays, far, met):  # type: ignore[no-untyped-def]
    """Shorten rays to what stands between two heights, in place, and note in `met` what it is.

    `far` is how far each ray goes, `rays` (n, 6) their places and directions of length 1. A ray
    that is nan stays as it is.
    """
    for k in range(len(far)):
        x, y, z = rays[k, 0], rays[k, 1], rays[k, 2]
        dx, dy, dz = rays[k, 3], rays[k, 4], rays[k, 5]
        if not math.isfinite(x + y + z + dx + dy + dz):
            continue
        begin, end = 0.0, far[k]
        if dz == 0.0:
            end = end if low <= z <= high else -1.0
        else:
            by_low, by_high = (low - z) / dz, (high - z) / dz
            begin, end = max(begin, min(by_low, by_high)), min(end, max(by_low, by_high))
        if not begin <= end:
            continue
        flat = math.hypot(dx, dy)
        cos, sin = (dx / flat, dy / flat) if flat > 0.0 else (1.0, 0.0)
        on = cast_toward(scenery, x + begin * dx, y + begin * dy, cos, sin, (end - begin) * flat)
        on = on / flat if on > 0.0 else on
        if begin + on < far[k]:
            far[k] = begin + on
            met[k] = seen
