"""What stands where the map has nothing: cells that scans show to be blocked, and later free."""

import math

import numpy as np

from movenv.behaviors.costmap import Costmap
from movenv.behaviors.likelihood import Field
from movenv.world.columns import F4, F8, U1, Mask, Rows
from movenv.world.kernel import kernel
from movenv.world.trig import sincos

APART = 0.25
"""A point so far from everything on the map is of something else, m."""
SIGHT = 6.0
"""Points farther off are too coarse, m."""
FORGOTTEN = 60.0
"""What was not seen again for so long is forgotten, s."""
NEVER = -1e9


@kernel
def _look(seen, rows, pose, points, count, eye, field, west, south, resolution, t, changed):  # type: ignore[no-untyped-def]
    for k in range(len(rows)):
        cells = seen[rows[k]]
        sin, cos = sincos(pose[2, k])
        ex = pose[0, k] + cos * eye[0] - sin * eye[1]
        ey = pose[1, k] + sin * eye[0] + cos * eye[1]
        for marking in (False, True):
            for j in range(count[k]):
                x = pose[0, k] + cos * points[k, j, 0] - sin * points[k, j, 1]
                y = pose[1, k] + sin * points[k, j, 0] + cos * points[k, j, 1]
                far = math.sqrt((x - ex) ** 2 + (y - ey) ** 2)
                if marking:
                    if far <= SIGHT and _is_apart(x, y, field):
                        changed[rows[k]] |= _mark(cells, x, y, west, south, resolution, t)
                else:
                    share = max(min(far, SIGHT) - 1.5 * resolution, 0.0) / max(far, 1e-9)
                    x, y = ex + share * (x - ex), ey + share * (y - ey)
                    changed[rows[k]] |= _clear(cells, ex, ey, x, y, west, south, resolution)


@kernel
def _is_apart(x, y, field):  # type: ignore[no-untyped-def]
    """Whether a place is free by the map, and far from its edges."""
    rows, columns = field.far.shape
    row = math.floor((y - field.south) / field.resolution)
    column = math.floor((x - field.west) / field.resolution)
    if not (0 <= row < rows and 0 <= column < columns):
        return False
    return field.far[int(row), int(column)] > APART


@kernel
def _mark(cells, x, y, west, south, resolution, t):  # type: ignore[no-untyped-def]
    """Note that a cell is blocked; whether that is new."""
    row, column = math.floor((y - south) / resolution), math.floor((x - west) / resolution)
    if not (0 <= row < cells.shape[0] and 0 <= column < cells.shape[1]):
        return False
    new = t - cells[int(row), int(column)] > FORGOTTEN
    cells[int(row), int(column)] = t
    return new


@kernel
def _clear(cells, x, y, to_x, to_y, west, south, resolution):  # type: ignore[no-untyped-def]
    """Note that all is free along a line; whether that is new."""
    far = math.sqrt((to_x - x) ** 2 + (to_y - y) ** 2)
    steps = int(2.0 * far / resolution)
    new = False
    for k in range(steps + 1):
        share = k / max(steps, 1)
        row = math.floor((y + share * (to_y - y) - south) / resolution)
        column = math.floor((x + share * (to_x - x) - west) / resolution)
        if 0 <= row < cells.shape[0] and 0 <= column < cells.shape[1]:
            new |= cells[int(row), int(column)] > NEVER
            cells[int(row), int(column)] = NEVER
    return new


class Unmapped:
    """Which cells of the costmap each vehicle has seen to be blocked, one table a vehicle."""

    def __init__(self, count: int, costmap: Costmap, field: Field) -> None:
        self._costmap, self._field = costmap, field
        self._seen: F4 = np.full((count, *costmap.room.shape), NEVER, np.float32)
        self.changed: Mask = np.zeros(count, np.bool_)
        """Who has seen something new since it was reset."""

    def look(
        self, rows: Rows, pose: F8, points: F8, count: Rows, eye: tuple[float, float], t: float
    ) -> None:
        """Take in scans seen from poses (3, rows), with the scanner at `eye` on the vehicle."""
        _look(
            self._seen, rows, pose, points, count, eye, self._field, self._costmap.west,
            self._costmap.south, self._costmap.resolution, t, self.changed,
        )  # fmt: skip

    def blocked(self, row: int, t: float) -> U1:
        """1 in the cells that are blocked as far as a vehicle knows."""
        cells: U1 = (t - self._seen[row] <= FORGOTTEN).astype(np.uint8)
        return cells
