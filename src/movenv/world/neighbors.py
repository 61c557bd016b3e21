"""Which points lie within a radius of which others: for searchers that look around.

SciPy loads a part of itself when it is first named, which takes a third of a second: whoever
counts time asks once before.
"""

import numpy as np
import scipy

from movenv.world.columns import F8, Rows


def within(points: F8, radius: F8, others: F8) -> tuple[Rows, Rows]:
    """Index pairs (point, other) no farther apart than that point's radius.

    `points` and `others` are (n, 3). Pairs come sorted by point, then by other.
    """
    tree = scipy.spatial.cKDTree
    if not len(points) or not len(others):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    near = tree(points).sparse_distance_matrix(
        tree(others), float(radius.max()), output_type="ndarray"
    )
    near = near[near["v"] <= radius[near["i"]]]
    order = np.lexsort((near["j"], near["i"]))
    return near["i"][order].astype(np.intp), near["j"][order].astype(np.intp)
