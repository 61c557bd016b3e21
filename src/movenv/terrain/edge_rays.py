"""Rays against the outlines of polygons."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from shapely import Polygon

from movenv.terrain.cell_walk import entry, leap, open_squares
from movenv.terrain.edge_grid import I4, column_of, edge_grid, polygon_edges
from movenv.terrain.outlines import merged
from movenv.terrain.walls import nearest_on
from movenv.world.columns import F8, U1
from movenv.world.kernel import inline, kernel

TOUCH = 1e-9
"""A ray that comes as near to an edge meets it, m: so none slips through between two edges."""
MARGIN = 1e-6
"""An edge is in every cell that it comes as near to, m; above TOUCH, with rounding."""
CELLS_PER_EDGE = 8
SMALLEST_CELL, WIDEST = 0.05, 1000
"""Of the grid of edges: its least cell, m, and how many cells it has along its longer side."""


class Outlines(NamedTuple):
    """Edges of polygons that do not overlap, in the cells of a grid, as rays meet them."""

    first: I4
    """The edges of cell c = row·columns + column are `edges[first[c]:first[c + 1]]`."""
    edges: F8
    """(n, 4): ax, ay, bx, by; once for each cell that an edge touches."""
    squares: U1
    """Of cells without edges, as of `open_squares`."""
    within: U1
    """(rows, columns): 1 where a cell without edges is inside a polygon."""
    west: float
    south: float
    cell: float


def outlines_of(grounds: Sequence[Polygon]) -> Outlines:
    """Where polygons overlap, only what is the outline of all of them together counts."""
    edges = np.empty((0, 4))
    if grounds:
        edges = polygon_edges(merged(np.array(grounds, object)))[0]
    grid = edge_grid(edges, _cell(edges), margin=MARGIN)
    first, items = _touched(grid, MARGIN)
    blocked = (np.diff(first) > 0).astype(np.uint8).reshape(grid.rows, grid.columns)
    within: U1 = np.zeros_like(blocked)
    edges = np.ascontiguousarray(edges[items])
    _fill_within(first, edges, within, grid.west, grid.south, grid.cell)
    squares = open_squares(blocked)
    return Outlines(first, edges, squares, within, grid.west, grid.south, grid.cell)


def _cell(edges: F8) -> float:
    """How wide cells should be so that few edges are in each."""
    if not len(edges):
        return 1.0
    wide, high = np.ptp(edges[:, ::2]), np.ptp(edges[:, 1::2])
    cell = math.sqrt(wide * high / (CELLS_PER_EDGE * len(edges)))
    return float(max(cell, wide / WIDEST, high / WIDEST, SMALLEST_CELL))


@kernel
def _touched(grid, margin):  # type: ignore[no-untyped-def]
    """`first` and `items` of a grid again, without the cells that only an edge's bounding box
    touches."""
    first, items = np.zeros_like(grid.first), np.empty_like(grid.items)
    count = 0
    for c in range(grid.rows * grid.columns):
        x = grid.west + (c % grid.columns + 0.5) * grid.cell
        y = grid.south + (c // grid.columns + 0.5) * grid.cell
        for at in range(grid.first[c], grid.first[c + 1]):
            e = grid.items[at]
            ex, ey = grid.bx[e] - grid.ax[e], grid.by[e] - grid.ay[e]
            aside = abs(ex * (y - grid.ay[e]) - ey * (x - grid.ax[e]))
            if aside <= 0.5 * grid.cell * (abs(ex) + abs(ey)) + margin * math.hypot(ex, ey):
                items[count] = e
                count += 1
        first[c + 1] = count
    return first, items[:count].copy()


@kernel
def _fill_within(first, edges, within, west, south, cell):  # type: ignore[no-untyped-def]
    rows, columns = within.shape
    for j in range(rows):
        for i in range(columns):
            if first[j * columns + i] == first[j * columns + i + 1]:
                x, y = west + (i + 0.5) * cell, south + (j + 0.5) * cell
                within[j, i] = _odd(first, edges, within, west, cell, i - 1, j, x, y)


@inline
def _odd(first, edges, within, west, cell, i, j, x, y):  # type: ignore[no-untyped-def]
    """Whether a place in row j is inside: edges to its west, odd or even, from column i on as far
    as to a cell that has none."""
    columns = within.shape[1]
    odd = False
    while i >= 0:
        c = j * columns + i
        if first[c] == first[c + 1]:
            return odd != (within[j, i] == 1)
        for e in range(first[c], first[c + 1]):
            ax, ay, bx, by = edges[e, 0], edges[e, 1], edges[e, 2], edges[e, 3]
            if (ay > y) == (by > y):
                continue
            cut = ax + (bx - ax) * (y - ay) / (by - ay)
            cut = min(max(cut, min(ax, bx)), max(ax, bx))
            if cut < x and column_of(cut, west, cell, columns) == i:
                odd = not odd
        i -= 1
    return odd


@inline
def _edge_met(ax, ay, bx, by, cos, sin):  # type: ignore[no-untyped-def]
    """How far along a ray from the origin an edge is met; inf where it is not.

    From how far both ends are aside of the ray and along it: what comes out lies between the ends
    however small the angle between the two is.
    """
    aside_a, aside_b = ay * cos - ax * sin, by * cos - bx * sin
    if min(aside_a, aside_b) > TOUCH or max(aside_a, aside_b) < -TOUCH:
        return math.inf
    along_a, along_b = ax * cos + ay * sin, bx * cos + by * sin
    met = along_a + (along_b - along_a) * (aside_a / (aside_a - aside_b))
    a_touches, b_touches = abs(aside_a) <= TOUCH, abs(aside_b) <= TOUCH
    if a_touches and b_touches:
        met = min(along_a, along_b)
    elif a_touches:
        met = along_a
    elif b_touches:
        met = along_b
    if met >= 0.0:
        return met
    nearest_x, nearest_y = nearest_on(ax, ay, bx, by, 0.0, 0.0)
    return 0.0 if math.hypot(nearest_x, nearest_y) <= TOUCH else math.inf


@inline
def edge_met(first, edges, squares, within, west, south, cell, x, y, cos, sin, most):  # type: ignore[no-untyped-def]
    """How far a ray goes until it meets an outline; inf beyond `most`, 0 from inside.

    It takes the parts of `Outlines`, for taking them out of it counts references each time.
    """
    rows, columns = np.int32(within.shape[0]), np.int32(within.shape[1])
    per = 1.0 / cell
    u, v, du, dv, per_u, per_v, quadrant, far, i, j, end = entry(
        (x - west) * per, (y - south) * per, cos, sin, columns, rows, most * per
    )
    if far == 0.0 and end > 0.0:
        column, row = column_of(x, west, cell, columns), column_of(y, south, cell, rows)
        if _odd(first, edges, within, west, cell, column, row, x, y):
            return 0.0
    best = math.inf
    while far < end:
        size = np.int32(squares[quadrant, j, i])
        if size == 0:
            column = columns - 1 - i if quadrant & 1 else i
            row = rows - 1 - j if quadrant & 2 else j
            c = row * columns + column
            for e in range(first[c], first[c + 1]):
                ax, ay, bx, by = edges[e, 0], edges[e, 1], edges[e, 2], edges[e, 3]
                best = min(best, _edge_met(ax - x, ay - y, bx - x, by - y, cos, sin))
            size = np.int32(1)
        i, j, far = leap(i, j, size, u, v, du, dv, per_u, per_v)
        if best <= far * cell:
            break
    return best if best <= most else math.inf
