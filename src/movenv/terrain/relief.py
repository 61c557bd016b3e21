"""The surface of the ground: a height map with hills on it; for kernels."""

import math
from typing import NamedTuple

import numpy as np

from movenv.world.columns import F4, F8
from movenv.world.kernel import inline, kernel

BLOCK = 256
"""Places that are looked up together."""


class Relief(NamedTuple):
    """Heights at the crossings of a square grid, straight in between, level beyond its edges."""

    west: float
    """x of the first column, m."""
    south: float
    """y of the first row."""
    cell: float
    """From one column or row to the next, m."""
    heights: F4
    """(rows, columns), m; row 0 is the southernmost."""
    hills: F8
    """(hills, 4): x, y, height and radius of round hills on top of the map."""


def plain(hills: F8) -> Relief:
    """A plain at z 0 with hills on it."""
    return Relief(0.0, 0.0, 1.0, np.zeros((1, 1), np.float32), hills)


@inline
def surface(relief, x, y):  # type: ignore[no-untyped-def]
    """z of the ground at a place, and how fast it rises toward x and toward y."""
    z, toward_x, toward_y = 0.0, 0.0, 0.0
    rows, columns = relief.heights.shape
    per_cell = 1.0 / relief.cell
    u, v = (x - relief.west) * per_cell, (y - relief.south) * per_cell
    if rows > 1 and columns > 1 and math.isfinite(u + v):
        i, s = cell_of(u, columns)
        j, t = cell_of(v, rows)
        sw, se = relief.heights[j, i], relief.heights[j, i + 1]
        nw, ne = relief.heights[j + 1, i], relief.heights[j + 1, i + 1]
        z, toward_x, toward_y = between(sw, se, nw, ne, s, t, per_cell)
        toward_x = toward_x if 0.0 <= u <= columns - 1.0 else 0.0
        toward_y = toward_y if 0.0 <= v <= rows - 1.0 else 0.0
    if len(relief.hills):
        more, more_x, more_y = _hills_at(relief.hills, x, y)
        z, toward_x, toward_y = z + more, toward_x + more_x, toward_y + more_y
    return z, toward_x, toward_y


@inline
def cell_of(u, count):  # type: ignore[no-untyped-def]
    """The first of the two lines that u lies between, of so many, and how far it is from there.

    Beyond the outermost it lies on them.
    """
    # Held to the map before it becomes a whole number, which has no room for all.
    near = min(max(u, 0.0), count - 1.0)
    i = min(int(near), count - 2)
    return i, near - i


@inline
def between(sw, se, nw, ne, s, t, per_cell):  # type: ignore[no-untyped-def]
    """z between four heights, and its slopes."""
    south_rise, north_rise = np.float64(se) - sw, np.float64(ne) - nw
    south, north = sw + s * south_rise, nw + s * north_rise
    toward_x = (south_rise + t * (north_rise - south_rise)) * per_cell
    return south + t * (north - south), toward_x, (north - south) * per_cell


@inline
def _hills_at(hills, x, y):  # type: ignore[no-untyped-def]
    """How high hills are at a place, and their slopes."""
    z, toward_x, toward_y = 0.0, 0.0, 0.0
    for k in range(len(hills)):
        dx, dy = x - hills[k, 0], y - hills[k, 1]
        height, radius = hills[k, 2], hills[k, 3]
        square = dx * dx + dy * dy
        if square < radius * radius:
            away = math.sqrt(square)
            turn = math.pi * away / radius
            z += height * (1.0 + math.cos(turn)) / 2.0
            if away > 0.0:
                slope = -height * math.pi / (2.0 * radius) * math.sin(turn) / away
                toward_x += slope * dx
                toward_y += slope * dy
    return z, toward_x, toward_y


@kernel
def surfaces(relief, x, y, found):  # type: ignore[no-untyped-def]
    """The same for many places, into the first three rows of `found`.

    In blocks, first where to look, then what is there: so that the memory of a large map is asked
    for many heights at a time, instead of one after the other.
    """
    rows, columns = relief.heights.shape
    if rows < 2 or columns < 2 or len(relief.hills):
        for k in range(len(x)):
            found[0, k], found[1, k], found[2, k] = surface(relief, x[k], y[k])
        return
    per_cell = 1.0 / relief.cell
    column, row = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    share, corners = np.empty((2, BLOCK)), np.empty((4, BLOCK), np.float32)
    on_map = np.empty((2, BLOCK))
    for low in range(0, len(x), BLOCK):
        count = min(BLOCK, len(x) - low)
        for k in range(count):
            u, v = (x[low + k] - relief.west) * per_cell, (y[low + k] - relief.south) * per_cell
            known = math.isfinite(u + v)
            column[k], share[0, k] = cell_of(u if known else 0.0, columns)
            row[k], share[1, k] = cell_of(v if known else 0.0, rows)
            on_map[0, k] = per_cell if known and 0.0 <= u <= columns - 1.0 else 0.0
            on_map[1, k] = per_cell if known and 0.0 <= v <= rows - 1.0 else 0.0
            found[0, low + k] = known
        for k in range(count):
            i, j = column[k], row[k]
            corners[0, k], corners[1, k] = relief.heights[j, i], relief.heights[j, i + 1]
            corners[2, k], corners[3, k] = relief.heights[j + 1, i], relief.heights[j + 1, i + 1]
        for k in range(count):
            z, toward_x, toward_y = between(
                corners[0, k], corners[1, k], corners[2, k], corners[3, k],
                share[0, k], share[1, k], 1.0,
            )  # fmt: skip
            found[0, low + k] *= z
            found[1, low + k], found[2, low + k] = toward_x * on_map[0, k], toward_y * on_map[1, k]
