"""Who is near whom, in a hashed grid: for kernels that look around each vehicle."""

import numpy as np

from movenv.world.kernel import kernel
from movenv.world.proximity import bucket, cell_of


@kernel
def sorted_into_cells(place, side):  # type: ignore[no-untyped-def]
    """Members by bucket of a hashed grid: those of b are member[first[b]:first[b + 1]]."""
    count = place.shape[1]
    buckets = 64
    while buckets < 2 * count:
        buckets *= 2
    width = place[0].max() - place[0].min() if count else 0.0
    stride = 2 * np.int64(width / side / 2.0) + 3
    first = np.zeros(buckets + 1, np.int64)
    member = np.empty(count, np.int64)
    for i in range(count):
        x, y = cell_of(place, i, 1.0 / side)
        first[bucket(x, y, stride, buckets - 1)] += 1
    for b in range(1, buckets + 1):
        first[b] += first[b - 1]
    for i in range(count - 1, -1, -1):
        x, y = cell_of(place, i, 1.0 / side)
        b = bucket(x, y, stride, buckets - 1)
        first[b] -= 1
        member[first[b]] = i
    return first, member, stride


@kernel
def around(i, place, side, first, member, stride, limit, found):  # type: ignore[no-untyped-def]
    """Fill in who is within `limit` of i; returns how many."""
    count = 0
    mask = len(first) - 2
    cell_x, cell_y = cell_of(place, i, 1.0 / side)
    for y in range(cell_y - 1, cell_y + 2):
        for x in range(cell_x - 1, cell_x + 2):
            b = bucket(x, y, stride, mask)
            for at in range(first[b], first[b + 1]):
                j = member[at]
                if j == i:
                    continue
                east, north = place[0, j] - place[0, i], place[1, j] - place[1, i]
                if east * east + north * north > limit * limit:
                    continue
                to_x, to_y = cell_of(place, j, 1.0 / side)
                if to_x == x and to_y == y:  # else a far cell in the same bucket
                    found[count] = j
                    count += 1
    return count
