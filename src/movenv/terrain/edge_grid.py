"""Edges of polygons, sorted into the cells of a grid: for kernels that look around a place."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from movenv.world.columns import F8
from movenv.world.kernel import inline, kernel

I4 = NDArray[np.int32]


class EdgeGrid(NamedTuple):
    """Edges and the cells that each one's bounding box touches, as kernels take them.

    Cell (i, j) covers x from west + i·cell and y from south + j·cell; its edges are
    `items[first[c]:first[c + 1]]` with c = j·columns + i. What lies outside is clamped.
    """

    ax: F8
    ay: F8
    bx: F8
    by: F8
    west: float
    south: float
    cell: float
    columns: int
    rows: int
    first: I4
    items: I4


def polygon_edges(grounds: Sequence[Polygon] | NDArray[np.object_]) -> tuple[F8, I4]:
    """Every edge of every ring, (n, 4), and the number of the polygon that it belongs to."""
    rings, of = shapely.get_rings(np.array(grounds, object), return_index=True)
    points, ring = shapely.get_coordinates(rings, return_index=True)
    follows = np.flatnonzero(ring[1:] == ring[:-1])
    edges: F8 = np.hstack([points[follows], points[follows + 1]])
    return edges, of[ring[follows]].astype(np.int32)


@inline
def column_of(x, west, cell, columns):  # type: ignore[no-untyped-def]
    """The column of an x, or the row of a y, clamped to the grid."""
    return min(max(math.floor((x - west) / cell), 0), columns - 1)


@kernel
def _count_and_fill(ax, ay, bx, by, west, south, cell, columns, rows, margin):  # type: ignore[no-untyped-def]
    first = np.zeros(columns * rows + 1, np.int32)
    items = np.empty(0, np.int32)
    for fill in (False, True):
        if fill:
            for c in range(columns * rows):
                first[c + 1] += first[c]
            items = np.empty(first[-1], np.int32)
            at = first[:-1].copy()
        for e in range(len(ax)):
            i0 = column_of(min(ax[e], bx[e]) - margin, west, cell, columns)
            i1 = column_of(max(ax[e], bx[e]) + margin, west, cell, columns)
            j0 = column_of(min(ay[e], by[e]) - margin, south, cell, rows)
            j1 = column_of(max(ay[e], by[e]) + margin, south, cell, rows)
            for j in range(j0, j1 + 1):
                for i in range(i0, i1 + 1):
                    c = j * columns + i
                    if fill:
                        items[at[c]] = e
                        at[c] += 1
                    else:
                        first[c + 1] += 1
    return first, items


def edge_grid(edges: F8, cell: float, most_cells: int = 1_000_000, margin: float = 0.0) -> EdgeGrid:
    """A grid over edges (n, 4): ax, ay, bx, by. Cells are as wide as asked, or wider if many.

    Edges are also in cells that they come as near to as a margin, m.
    """
    columns = np.ascontiguousarray(edges.reshape(-1, 4).T, float)
    ax, ay, bx, by = columns
    if not len(ax):
        first = np.zeros(2, np.int32)
        return EdgeGrid(ax, ay, bx, by, 0.0, 0.0, 1.0, 1, 1, first, np.empty(0, np.int32))
    west, east = min(ax.min(), bx.min()) - margin, max(ax.max(), bx.max()) + margin
    south, north = min(ay.min(), by.min()) - margin, max(ay.max(), by.max()) + margin
    while ((east - west) / cell + 1) * ((north - south) / cell + 1) > most_cells:
        cell *= 2
    wide, high = int((east - west) / cell) + 1, int((north - south) / cell) + 1
    first, items = _count_and_fill(ax, ay, bx, by, west, south, cell, wide, high, margin)
    return EdgeGrid(ax, ay, bx, by, float(west), float(south), cell, wide, high, first, items)
