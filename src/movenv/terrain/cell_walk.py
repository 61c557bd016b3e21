"""Walking a ray through the cells of a grid, over empty ground in large steps; for kernels.

Everything is in cells here, and mirrored so that each ray goes up and to the right: with `quadrant`
1 for a ray to the left, 2 for one downwards, 3 for both. A place on the line between two cells
belongs to the one that the ray goes on into.
"""

import math

import numpy as np

from movenv.world.columns import U1
from movenv.world.kernel import inline, kernel
from movenv.world.trig import sincos

LONGEST = 255
"""The longest step, in cells."""
STEEPEST = 1e6
"""Angles beyond this say nothing any more, rad."""
NEVER = 1e300
"""How many cells along a ray it is to a line that it runs beside."""


def open_squares(blocked: U1) -> U1:
    """How large a square of cells that are not blocked begins at each cell: (4, rows, columns).

    One table for each quadrant, mirrored like the rays that go there, so that a square's first cell
    is the one where a ray comes in. 0 where a cell is blocked.
    """
    squares: U1 = np.empty((4, *blocked.shape), np.uint8)
    _measure(np.ascontiguousarray(blocked, np.uint8), squares)
    return squares


@kernel
def _measure(blocked, squares):  # type: ignore[no-untyped-def]
    rows, columns = blocked.shape
    for quadrant in range(4):
        for j in range(rows - 1, -1, -1):
            for i in range(columns - 1, -1, -1):
                row = rows - 1 - j if quadrant & 2 else j
                column = columns - 1 - i if quadrant & 1 else i
                size = 0
                if blocked[row, column] == 0:
                    size = 1
                    if i + 1 < columns and j + 1 < rows:
                        right, above = squares[quadrant, j, i + 1], squares[quadrant, j + 1, i]
                        size = min(right, above, squares[quadrant, j + 1, i + 1]) + 1
                squares[quadrant, j, i] = min(size, LONGEST)


@inline
def direction(angle):  # type: ignore[no-untyped-def]
    """(sin, cos) of an angle that is known, else of 0."""
    return sincos(angle if abs(angle) <= STEEPEST else 0.0)


@inline
def is_known(x, y, angle):  # type: ignore[no-untyped-def]
    """Whether a ray has a place and a direction."""
    return math.isfinite(x + y) and abs(angle) <= STEEPEST


@inline
def entry(u, v, cos, sin, columns, rows, most):  # type: ignore[no-untyped-def]
    """Where a ray from (u, v) comes into a grid.

    Returns the mirrored place and direction, how far it is along the ray from one column, and from
    one row, to the next, the quadrant, how far the ray comes in, the first cell, and where the ray
    ends: at the far side of the grid, or just beyond `most`. It ends before it comes in if it does
    not meet the grid at all, or if anything is nan.
    """
    left, down = cos < 0.0, sin < 0.0
    u, v = columns - u if left else u, rows - v if down else v
    du, dv = abs(cos), abs(sin)
    per_u = 1.0 / max(du, 1.0 / NEVER)
    per_v = 1.0 / max(dv, 1.0 / NEVER)
    begin = max(max(-u * per_u, -v * per_v), 0.0)
    end = min(min((columns - u) * per_u, (rows - v) * per_v), most * (1.0 + 1e-15) + 1e-300)
    meets = (begin < end) & (abs(u) + abs(v) <= NEVER) & (most >= 0.0)
    begin, end = begin if meets else 0.0, end if meets else -math.inf
    i = min(max(np.int32(u + begin * du), 0), columns - 1) if meets else 0
    j = min(max(np.int32(v + begin * dv), 0), rows - 1) if meets else 0
    quadrant = np.int32(left) + np.int32(2) * np.int32(down)
    return u, v, du, dv, per_u, per_v, quadrant, begin, np.int32(i), np.int32(j), end


@inline
def leap(i, j, size, u, v, du, dv, per_u, per_v):  # type: ignore[no-untyped-def]
    """Out of the square of some size that begins at a cell: the next cell, and how far it is.

    Cells only ever count up, whatever is rounded, so that a walk comes to its end.
    """
    by_u, by_v = (i + size - u) * per_u, (j + size - v) * per_v
    sideways = by_u <= by_v
    far = min(by_u, by_v)
    last = size - np.int32(1)
    next_i = max(min(np.int32(u + far * du), i + last), i)
    next_j = max(min(np.int32(v + far * dv), j + last), j)
    next_i = i + size if sideways else next_i
    next_j = next_j if sideways else j + size
    return next_i, next_j, far
