"""Hills drawn into a map of heights, for those who know maps alone.

Rays and cameras then meet one kind of surface, at one speed, whatever hills there are. Between the
crossings of the grid a hill is straight where it should be round: that is at most `height` / 3,000
off on a plain, and on a map as much as its cells are wide for the hill.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from movenv.terrain.features import Hill
from movenv.terrain.height_map import HeightMap
from movenv.terrain.relief import Relief
from movenv.world.columns import F4, F8

PER_RADIUS = 64
"""On a plain so many cells reach from a hill's top to its foot."""
MOST_CROSSINGS = 16_000_000


def with_hills_drawn(relief: Relief) -> Relief:
    """The same ground without hills on top. Raises ValueError where hills lie too far apart."""
    hills = relief.hills[(relief.hills[:, 2] != 0.0) & (relief.hills[:, 3] > 0.0)]
    if not len(hills):
        return relief._replace(hills=hills)
    widened = _around(relief, hills) if relief.heights.size > 1 else _plain_around(hills)
    heights = widened.heights.astype(np.float64)
    for hill in hills:
        _draw(widened, heights, hill)
    return widened._replace(heights=heights.astype(np.float32), hills=hills[:0])


def with_hills(relief: HeightMap, hills: Sequence[Hill]) -> HeightMap:
    """A height map with hills on it, as far as it reaches."""
    if not hills:
        return relief
    heights = relief.heights.astype(np.float64)
    for hill in hills:
        _draw(relief, heights, np.array([hill.x, hill.y, hill.height, hill.radius]))
    return replace(relief, heights=heights.astype(np.float32))


def _bounds(hills: F8) -> tuple[float, float, float, float]:
    """West, south, east, north of all of them."""
    x, y, radius = hills[:, 0], hills[:, 1], hills[:, 3]
    low, high = (x - radius).min(), (x + radius).max()
    return float(low), float((y - radius).min()), float(high), float((y + radius).max())


def _plain_around(hills: F8) -> Relief:
    """A level map with room for them; coarser than they deserve where they lie far apart."""
    west, south, east, north = _bounds(hills)
    finest = math.sqrt((east - west) * (north - south) / (MOST_CROSSINGS / 2))
    cell = max(float(hills[:, 3].min()) / PER_RADIUS, finest)
    shape = math.ceil((north - south) / cell) + 1, math.ceil((east - west) / cell) + 1
    return Relief(west, south, cell, np.zeros(shape, np.float32), hills)


def _around(relief: Relief, hills: F8) -> Relief:
    """The map, larger by as much as hills reach out of it."""
    rows, columns = relief.heights.shape
    west, south, east, north = _bounds(hills)
    cell = relief.cell
    left = max(math.ceil((relief.west - west) / cell), 0)
    right = max(math.ceil((east - relief.west) / cell) - (columns - 1), 0)
    below = max(math.ceil((relief.south - south) / cell), 0)
    above = max(math.ceil((north - relief.south) / cell) - (rows - 1), 0)
    count = (rows + below + above) * (columns + left + right)
    if left + right + below + above and count > MOST_CROSSINGS:
        raise ValueError(
            f"hills lie so far from the map of heights that {count:,} cells would be between; "
            f"at most {MOST_CROSSINGS:,} can be"
        )
    heights: F4 = np.pad(relief.heights, ((below, above), (left, right)), "edge")
    return Relief(relief.west - left * cell, relief.south - below * cell, cell, heights, hills)


def _draw(relief: Relief | HeightMap, heights: F8, hill: F8) -> None:
    """Add a hill to the heights of a map, in place."""
    x, y, height, radius = hill.tolist()
    rows, columns = heights.shape
    first_i = max(math.floor((x - radius - relief.west) / relief.cell), 0)
    last_i = min(math.ceil((x + radius - relief.west) / relief.cell), columns - 1)
    first_j = max(math.floor((y - radius - relief.south) / relief.cell), 0)
    last_j = min(math.ceil((y + radius - relief.south) / relief.cell), rows - 1)
    if last_i < first_i or last_j < first_j:
        return
    east = relief.west + relief.cell * np.arange(first_i, last_i + 1) - x
    north = relief.south + relief.cell * np.arange(first_j, last_j + 1) - y
    away = np.minimum(np.hypot(east[None, :], north[:, None]), radius)
    raised = height * (1.0 + np.cos(np.pi * away / radius)) / 2.0
    heights[first_j : last_j + 1, first_i : last_i + 1] += raised
