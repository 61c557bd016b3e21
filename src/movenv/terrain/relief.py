"""The surface of the ground: a height map with hills on it; for kernels."""

import math
from typing import NamedTuple

import numpy as np

from movenv.world.columns import F4, F8
from movenv.world.kernel import inline


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
    rows, columns = relief.heights.shape
    per_cell = 1.0 / relief.cell
    u, v = (x - relief.west) * per_cell, (y - relief.south) * per_cell
    z, toward_x, toward_y = 0.0, 0.0, 0.0
    if rows > 1 and columns > 1 and math.isfinite(u + v):
        # Held to the map before they become whole numbers, which have no room for all.
        near_u, near_v = min(max(u, 0.0), columns - 1.0), min(max(v, 0.0), rows - 1.0)
        i, j = min(int(near_u), columns - 2), min(int(near_v), rows - 2)
        s, t = near_u - i, near_v - j
        sw, se = np.float64(relief.heights[j, i]), np.float64(relief.heights[j, i + 1])
        nw, ne = np.float64(relief.heights[j + 1, i]), np.float64(relief.heights[j + 1, i + 1])
        south, north = sw + s * (se - sw), nw + s * (ne - nw)
        z = south + t * (north - south)
        if near_u == u:
            toward_x = ((1.0 - t) * (se - sw) + t * (ne - nw)) * per_cell
        if near_v == v:
            toward_y = (north - south) * per_cell
    for k in range(len(relief.hills)):
        dx, dy = x - relief.hills[k, 0], y - relief.hills[k, 1]
        height, radius = relief.hills[k, 2], relief.hills[k, 3]
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
