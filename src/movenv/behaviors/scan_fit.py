"""How well the points of a scan fit the map from a pose: kernels over a `Field`."""

import math

from movenv.world.kernel import inline
from movenv.world.trig import sincos

STRANGER = 0.3
"""What a beam counts that ends in free space."""


@inline
def score(x, y, yaw, points, count, field):  # type: ignore[no-untyped-def]
    """How likely the points of a scan are from a pose: the sum of their logarithms."""
    sin, cos = sincos(yaw)
    per_cell = 1.0 / field.resolution
    cos, sin = cos * per_cell, sin * per_cell
    east, north = (x - field.west) * per_cell, (y - field.south) * per_cell
    rows, columns = field.fit.shape
    total = 0.0
    for j in range(count):
        column = math.floor(east + cos * points[j, 0] - sin * points[j, 1])
        row = math.floor(north + sin * points[j, 0] + cos * points[j, 1])
        if 0.0 <= column < columns and 0.0 <= row < rows:
            total += field.fit[int(row), int(column)]
        else:
            total += field.worst
    return total


@inline
def explained(x, y, yaw, points, count, field):  # type: ignore[no-untyped-def]
    """How well the map explains the points: two shares of them that lie close to an edge of it.

    For the first a point in free space counts little, for it may be of somebody who is on no map;
    one behind a wall is never seen from a pose that is right. For the second all count alike.
    """
    sin, cos = sincos(yaw)
    rows, columns = field.fit.shape
    close = others = 0
    for j in range(count):
        east = x + cos * points[j, 0] - sin * points[j, 1] - field.west
        north = y + sin * points[j, 0] + cos * points[j, 1] - field.south
        column, row = math.floor(east / field.resolution), math.floor(north / field.resolution)
        if 0.0 <= column < columns and 0.0 <= row < rows:
            far = field.far[int(row), int(column)]
            close += abs(far) <= field.close
            others += far > field.close
    if close == 0:
        return 0.0, 0.0
    return close / (count - (1.0 - STRANGER) * others), close / count
