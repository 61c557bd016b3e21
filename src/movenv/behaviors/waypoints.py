"""Following lines from point to point."""

import numpy as np

from movenv.behaviors.guidance import line_steer
from movenv.parts import Own
from movenv.world.columns import F8, Mask, Rows


class Waypoints:
    """Some paths, and how far along theirs vehicles are.

    Each vehicle first goes straight from where it begins to its path's first point.
    """

    def __init__(self, paths: list[F8], count: int) -> None:
        """`paths` are (points, 2) in local metres."""
        lengths = [len(path) for path in paths]
        self._points: F8 = np.concatenate(paths).T
        self._first = np.cumsum([0, *lengths])[:-1]
        self._length = np.array(lengths)
        self._path = np.zeros(count, np.intp)
        self._begun = np.zeros((2, count))
        self._leg = np.zeros(count, np.intp)
        """The point each is on its way to; the path's length for one that has passed them all."""

    def begin(self, own: Own, begins: Mask, path: Rows) -> None:
        self._path = np.where(begins, path, self._path)
        self._begun = np.where(begins, [own.x, own.y], self._begun)
        self._leg = np.where(begins, 0, self._leg)

    @property
    def over(self) -> Mask:
        """Who has passed the last point."""
        passed: Mask = self._leg >= self._length[self._path]
        return passed

    def look(self, own: Own) -> None:
        """Take note of whoever has passed the point they were on their way to."""
        start, end = self._lines()
        way = end - start
        gone = (own.x - start[0]) * way[0] + (own.y - start[1]) * way[1]
        passed = gone >= way[0] ** 2 + way[1] ** 2
        self._leg = self._leg + (passed & ~self.over)

    def steer(self, own: Own) -> F8:
        return line_steer(own, *self._lines())

    def _lines(self) -> tuple[F8, F8]:
        """The line each is on: (2, vehicles) from and to."""
        last = self._first[self._path] + self._length[self._path] - 1
        to = np.minimum(self._first[self._path] + self._leg, last)
        start = np.where(self._leg == 0, self._begun, self._points[:, np.maximum(to - 1, 0)])
        return start, self._points[:, to]
