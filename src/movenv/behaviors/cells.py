"""Points sorted into square cells, for kernels that look for whoever is near.

The cells of one row of the grid adjoin in the sorted order, so that a kernel finds everyone near a
place with two searches a row, however far away a lonely point lies.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from movenv.world.columns import F8, Rows
from movenv.world.kernel import inline, kernel

HALF = 1 << 31
"""Added to a column's number, so that it is not negative."""
COLUMN = (1 << 32) - 1
"""The bits of a key that tell the column."""
FINE, COARSE = 4.0, 32.0
"""Who sees least looks over so many cells to each side, and who sees farthest over no more."""


class Cells(NamedTuple):
    """Points in the order of their cells."""

    key: NDArray[np.int64]
    """Of each point's cell, ascending."""
    row: Rows
    """Which point it is."""
    width: float
    """Of a cell, m."""

    @property
    def by_key(self) -> tuple[NDArray[np.int64], Rows, float]:
        """As kernels take it, with one over the width."""
        return self.key, self.row, 1.0 / self.width


def cell_width(sight: F8) -> float:
    """A good width of cells for vehicles that look so far, m."""
    if not len(sight):
        return 1.0
    return max(float(sight.min()) / FINE, float(sight.max()) / COARSE)


def in_cells(x: F8, y: F8, width: float) -> Cells:
    """Sort points into cells; those without a place are left out."""
    placed = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    column = np.floor(x[placed] / width).astype(np.int64)
    line = np.floor(y[placed] / width).astype(np.int64)
    key = (line << 32) + column + HALF
    order = np.argsort(key, kind="stable")
    return Cells(key[order], placed[order], width)


@inline
def before(key, wanted):  # type: ignore[no-untyped-def]
    """How many keys are below the wanted one."""
    low, high = 0, len(key)
    while low < high:
        middle = (low + high) >> 1
        if key[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@inline
def span(key, line, first, last):  # type: ignore[no-untyped-def]
    """The points in the cells `first` to `last` of a row of the grid: from, and up to before."""
    base = (np.int64(line) << 32) + HALF
    low = before(key, base + first)
    high = low
    # Mostly there are few: walking on is shorter than a second search.
    while high < len(key) and key[high] <= base + last:
        high += 1
    return low, high


@kernel
def disc(key, middle, sight, per_metre, spans):  # type: ignore[no-untyped-def]
    """The points within sight of anywhere in the cell of key `middle`, and some more.

    Into `spans`, from and up to before; returns how many, and -1 if there is no room for them.
    """
    line, column = middle >> 32, (middle & COLUMN) - HALF
    reach = np.int64(math.ceil(sight * per_metre))
    if 2 * reach + 1 > len(spans):
        return -1
    count = 0
    for up in range(-reach, reach + 1):
        between = max(abs(up) - 1, 0) / per_metre
        chord = math.sqrt(max(sight * sight - between * between, 0.0))
        wide = np.int64(math.ceil(chord * per_metre))
        low, high = span(key, line + up, column - wide, column + wide)
        if high > low:
            spans[count, 0], spans[count, 1] = low, high
            count += 1
    return count


@inline
def like(key, begin):  # type: ignore[no-untyped-def]
    """Up to before which one the keys are the same as the one where to begin."""
    end = begin + 1
    while end < len(key) and key[end] == key[begin]:
        end += 1
    return end


@inline
def _sorted_by(number, size, order):  # type: ignore[no-untyped-def]
    """The order by number, which is below `size`; among equals as they were."""
    first = np.zeros(size + 1, np.int64)
    for k in range(len(order)):
        first[np.int64(number[order[k]]) + 1] += 1
    for k in range(size):
        first[k + 1] += first[k]
    sorted_ = np.empty(len(order), np.int64)
    for k in range(len(order)):
        which = np.int64(number[order[k]])
        sorted_[first[which]] = order[k]
        first[which] += 1
    return sorted_


@kernel
def by_pair(found, rows, others):  # type: ignore[no-untyped-def]
    """What was found (pairs, columns) as columns, by row and then by other: the first two columns.

    There are so many rows and others.
    """
    count, width = found.shape
    order = _sorted_by(found[:, 1], others, np.arange(count))
    order = _sorted_by(found[:, 0], rows, order)
    columns = np.empty((width, count))
    for k in range(count):
        for column in range(width):
            columns[column, k] = found[order[k], column]
    return columns


@inline
def with_room(found, count, more):  # type: ignore[no-untyped-def]
    """The same table with room for so many more."""
    if count + more <= len(found):
        return found
    larger = np.empty((2 * (count + more), found.shape[1]))
    for i in range(count):  # one by one: Numba takes seconds to compile a slice taking a slice
        for j in range(found.shape[1]):
            larger[i, j] = found[i, j]
    return larger
