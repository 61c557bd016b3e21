"""Which points lie within a radius of which others: for searchers that look around."""

import numpy as np
from scipy.spatial import cKDTree

from movenv.world.columns import F8, Rows


def within(points: F8, radius: F8, others: F8) -> tuple[Rows, Rows]:
    """Index pairs (point, other) no farther apart than that point's radius.

    `points` and `others` are (n, 3). Pairs come sorted by point, then by other.
    """
    if not len(points) or not len(others):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    near = cKDTree(points).sparse_distance_matrix(
        cKDTree(others), float(radius.max()), output_type="ndarray"
    )
    near = near[near["v"] <= radius[near["i"]]]
    order = np.lexsort((near["j"], near["i"]))
    return near["i"][order].astype(np.intp), near["j"][order].astype(np.intp)
