"""Points sorted into square cells, for kernels that look for whoever is near.

The cells of one row of the grid adjoin in the sorted order, so that a kernel finds everyone near a
place with two searches a row, however far away a lonely point lies.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from movenv.world.columns import F8, Rows
from movenv.world.kernel import inline

HALF = 1 << 31
"""Added to a column's number, so that it is not negative."""


class Cells(NamedTuple):
    """Points in the order of their cells."""

    key: NDArray[np.int64]
    """Of each point's cell, ascending."""
    row: Rows
    """Which point it is."""
    per_metre: float
    """One over the width of a cell."""


def in_cells(x: F8, y: F8, width: float) -> Cells:
    """Sort points into cells; those without a place are left out."""
    placed = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    column = np.floor(x[placed] / width).astype(np.int64)
    line = np.floor(y[placed] / width).astype(np.int64)
    key = (line << 32) + column + HALF
    order = np.argsort(key, kind="stable")
    return Cells(key[order], placed[order], 1.0 / width)


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
