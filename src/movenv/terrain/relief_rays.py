"""Rays against the surface of the ground: how far it is to where a ray goes into it.

A ray leaps over every block of cells whose highest corner lies below it, the larger the block the
better; in a single cell, where the surface is bilinear, the meeting is the root of a quadratic.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from movenv.terrain.features import Terrain
from movenv.terrain.heights import heights_of
from movenv.terrain.relief import Relief
from movenv.terrain.relief_raster import with_hills_drawn
from movenv.world.columns import F4
from movenv.world.kernel import inline, kernel

FIRST_LEVEL = 3
"""Blocks that a ray begins with: small ones, since most rays begin close to the ground."""


class Ground(NamedTuple):
    """A surface as rays meet it. Beyond the map its edges go on level, in cells without end."""

    west: float
    south: float
    cell: float
    heights: F4
    """(rows, columns), as of `Relief`; hills are drawn into it."""
    peaks: F4
    """How high the highest corner of each block is, of all levels after each other: of cells, of
    2 x 2 of them, 4 x 4, ... up to a single block. Cell (j, i) lies south-west of corner (j, i)."""
    starts: NDArray[np.int64]
    """Where each level begins in `peaks`."""
    widths: NDArray[np.int64]
    """How many blocks a row of each level has."""


def ground_of(terrain: Terrain) -> Ground:
    """The ground of a terrain; kept with it for all who need the same."""
    if Ground not in terrain.drawn:
        terrain.drawn[Ground] = ground(heights_of(terrain).relief)
    found: Ground = terrain.drawn[Ground]
    return found


def is_plain(ground: Ground) -> bool:
    """Whether it is level everywhere, for want of a map and hills."""
    return ground.heights.size == 1


def ground(relief: Relief) -> Ground:
    """Raises ValueError for a map that has heights which are not finite."""
    relief = with_hills_drawn(relief)
    heights = np.ascontiguousarray(relief.heights, np.float32)
    if not np.isfinite(heights).all():
        raise ValueError("a map of heights has places without a height")
    level = _highest_of_four(np.pad(heights, 1, "edge"))
    levels = [level]
    while level.size > 1:
        rows, columns = level.shape
        even = np.pad(level, ((0, rows % 2), (0, columns % 2)), "edge")
        level = even.reshape(-(-rows // 2), 2, -(-columns // 2), 2).max(axis=(1, 3))
        levels.append(level)
    starts = np.cumsum([0, *(level.size for level in levels[:-1])])
    widths = np.array([level.shape[1] for level in levels])
    peaks = np.concatenate([level.ravel() for level in levels])
    return Ground(relief.west, relief.south, relief.cell, heights, peaks, starts, widths)


def _highest_of_four(corners: F4) -> F4:
    across = np.maximum(corners[:, :-1], corners[:, 1:])
    highest: F4 = np.maximum(across[:-1], across[1:])
    return highest


@inline
def _in_cell(heights, i, j, u, v, z, du, dv, dz):  # type: ignore[no-untyped-def]
    """How far a ray that is at (u, v), in cells, and z goes on until it meets the surface of cell
    (j, i); inf where it does not."""
    rows, columns = heights.shape
    west, east = max(i - 1, 0), min(i, columns - 1)
    south, north = max(j - 1, 0), min(j, rows - 1)
    sw, se = np.float64(heights[south, west]), np.float64(heights[south, east])
    nw, ne = np.float64(heights[north, west]), np.float64(heights[north, east])
    s, t = u - (i - 1), v - (j - 1)
    by_s, by_t, twist = se - sw, nw - sw, (ne - nw) - (se - sw)
    above = z - (sw + by_s * s + by_t * t + twist * s * t)
    if above <= 0.0:
        return 0.0
    rising = dz - by_s * du - by_t * dv - twist * (s * dv + t * du)
    bend = -twist * du * dv
    inner = rising * rising - 4.0 * bend * above
    if inner < 0.0:
        return math.inf
    if rising < 0.0:
        return above / (0.5 * (math.sqrt(inner) - rising))
    return -0.5 * (rising + math.sqrt(inner)) / bend if bend < 0.0 else math.inf


@inline
def ground_met(ground, x, y, z, dx, dy, dz, most):  # type: ignore[no-untyped-def]
    """How far a ray goes in a direction of length 1 until it meets the ground; inf beyond `most`.

    0 from on or below it; nan where place or direction is nan or infinite. Where `most` is nan or
    below 0 nothing is met.
    """
    if not math.isfinite(x + y + z + dx + dy + dz):
        return math.nan
    if not most >= 0.0:
        return math.inf
    heights, peaks, starts, widths = ground.heights, ground.peaks, ground.starts, ground.widths
    rows, columns = heights.shape
    u, v = (x - ground.west) / ground.cell, (y - ground.south) / ground.cell
    du, dv = dx / ground.cell, dy / ground.cell
    i = np.int64(min(max(math.floor(u) + 1.0, 0.0), np.float64(columns)))
    j = np.int64(min(max(math.floor(v) + 1.0, 0.0), np.float64(rows)))
    if _in_cell(heights, i, j, u, v, z, du, dv, dz) == 0.0:
        return 0.0
    top = len(starts) - 1
    level, far = min(FIRST_LEVEL, top), 0.0
    while far <= most:
        first_i, first_j = (i >> level) << level, (j >> level) << level
        next_i, next_j = first_i + (1 << level), first_j + (1 << level)
        by_u, by_v = math.inf, math.inf
        if du > 0.0 and next_i <= columns:
            by_u = (next_i - 1 - u) / du
        elif du < 0.0 and first_i > 0:
            by_u = (first_i - 1 - u) / du
        if dv > 0.0 and next_j <= rows:
            by_v = (next_j - 1 - v) / dv
        elif dv < 0.0 and first_j > 0:
            by_v = (first_j - 1 - v) / dv
        out = max(min(by_u, by_v), far)
        lowest = z + (far if dz >= 0.0 else min(out, most)) * dz
        peak = peaks[starts[level] + (j >> level) * widths[level] + (i >> level)]
        if lowest <= peak:
            if level > 0:
                level -= 1
                continue
            on = _in_cell(heights, i, j, u + far * du, v + far * dv, z + far * dz, du, dv, dz)
            if far + on <= out:
                return far + on if far + on <= most else math.inf
        if out == math.inf:
            break
        if by_u <= by_v:
            i = next_i if du > 0.0 else first_i - 1
            across = np.int64(min(max(math.floor(v + out * dv) + 1.0, 0.0), np.float64(rows)))
            across = min(max(across, first_j), next_j - 1)
            j = max(j, across) if dv > 0.0 else min(j, across)
        else:
            j = next_j if dv > 0.0 else first_j - 1
            across = np.int64(min(max(math.floor(u + out * du) + 1.0, 0.0), np.float64(columns)))
            across = min(max(across, first_i), next_i - 1)
            i = max(i, across) if du > 0.0 else min(i, across)
        far = out
        level = min(level + 1, top)
    return math.inf


@kernel
def meet_ground(ground, seen, rays, far, met):  # type: ignore[no-untyped-def]
    """Shorten rays to where they meet the ground, in place, and note in `met` that it is `seen`.

    `far` is how far each ray goes, `rays` (n, 6) their places and directions. A ray that is nan
    becomes nan.
    """
    for k in range(len(far)):
        on = ground_met(
            ground, rays[k, 0], rays[k, 1], rays[k, 2], rays[k, 3], rays[k, 4], rays[k, 5], far[k]
        )
        if not on >= far[k]:
            far[k] = on
            met[k] = seen
