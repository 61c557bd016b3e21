"""Lines of sight over the ground: whether it rises above the straight line between two places."""

import math

import numpy as np

from movenv.terrain.relief import Relief, surface
from movenv.world.columns import F8, Mask
from movenv.world.kernel import inline, kernel

GRAZE = 1e-3
"""A line that the ground rises above by no more than this is open, m: who lies on it sees."""
PARTS = 32
"""Across the radius of the smallest hill a line is looked at in so many parts."""


def sees(
    relief: Relief, x: F8, y: F8, z: F8, to_x: F8, to_y: F8, to_z: F8, top: float = math.inf
) -> Mask:
    """Whether each place sees the other of its pair; not where a number is missing.

    `top` is the highest that the ground is anywhere, if that is known: it saves time.
    """
    found: Mask = np.empty(len(x), np.bool_)
    here, there = np.array([x, y, z], float), np.array([to_x, to_y, to_z], float)
    part = float(relief.hills[:, 3].min()) / PARTS if len(relief.hills) else math.inf
    _look(relief, here, there - here, top, part, found)
    return found


@kernel
def _look(relief, here, way, top, part, found):  # type: ignore[no-untyped-def]
    for k in range(len(found)):
        line = (here[0, k], here[1, k], here[2, k], way[0, k], way[1, k], way[2, k])
        begin, end = _below(line[2], line[5], top)
        found[k] = math.isfinite(sum(line)) and (
            begin >= end or _is_open(relief, line, begin, end, part)
        )


@inline
def _below(z, rise, top):  # type: ignore[no-untyped-def]
    """From which share of a line to which it may be below the highest ground."""
    begin, end = 0.0, 1.0
    if z > top:
        begin = 1.0 if z + rise >= top else (top - z) / rise
    elif z + rise > top:
        end = (top - z) / rise
    return begin, end


@inline
def _is_open(relief, line, begin, end, part):  # type: ignore[no-untyped-def]
    """Go along a line from one edge of a cell to the next: in between the ground is a parabola."""
    x, y, _z, dx, dy, _dz = line
    rows, columns = relief.heights.shape
    column, step_column = _first_edge((x + begin * dx - relief.west) / relief.cell, dx, columns)
    row, step_row = _first_edge((y + begin * dy - relief.south) / relief.cell, dy, rows)
    pieces_a_line = math.hypot(dx, dy) / part
    at = begin
    while at < end:
        to_column, to_row = math.inf, math.inf
        if dx != 0.0 and 0 <= column < columns:
            to_column = (relief.west + column * relief.cell - x) / dx
        if dy != 0.0 and 0 <= row < rows:
            to_row = (relief.south + row * relief.cell - y) / dy
        there = min(to_column, to_row, end)
        if there > at:
            pieces = math.ceil((there - at) * pieces_a_line) if pieces_a_line > 0.0 else 1
            pieces = max(pieces, 1)
            for k in range(pieces):
                low, high = k / pieces, (k + 1) / pieces
                if _rises(relief, line, at + low * (there - at), at + high * (there - at)):
                    return False
            at = there
        if to_column <= there:
            column += step_column
        if to_row <= there:
            row += step_row
    return True


@inline
def _first_edge(u, du, count):  # type: ignore[no-untyped-def]
    """The first of the lines 0 to count - 1 that is met from u on, and the step to the next."""
    if du > 0.0:
        return int(min(max(math.ceil(u), 0.0), count)), 1
    return int(max(min(math.floor(u), count - 1.0), -1.0)), -1


@inline
def _rises(relief, line, begin, end):  # type: ignore[no-untyped-def]
    """Whether the ground rises above a piece of a line, if it is a parabola there."""
    first = _above(relief, line, begin)
    middle = _above(relief, line, 0.5 * (begin + end))
    last = _above(relief, line, end)
    highest = max(first, middle, last)
    bend = 2.0 * (first + last - 2.0 * middle)
    slope = 4.0 * middle - 3.0 * first - last
    if bend < 0.0 and 0.0 < slope < -2.0 * bend:
        highest = max(highest, first - slope * slope / (4.0 * bend))
    return highest > GRAZE


@inline
def _above(relief, line, share):  # type: ignore[no-untyped-def]
    """How high the ground is above a place of a line."""
    x, y, z, dx, dy, dz = line
    ground, _, _ = surface(relief, x + share * dx, y + share * dy)
    return ground - (z + share * dz)
