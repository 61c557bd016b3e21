"""Circles and balls that keep apart, added one by one."""

import math

from movenv.world.columns import F8, Rows


class Circles:
    """Places taken so far. A grid as wide as the widest pair finds who is near."""

    def __init__(self, reach: float) -> None:
        """`reach` is the farthest apart that two middles are and still too near, m."""
        self._cell = max(reach, 1e-3)
        self._cells: dict[tuple[int, int], list[tuple[float, float, float, float, int]]] = {}

    def near(self, x: float, y: float, radius: float, z: float = 0.0) -> int | None:
        """Who overlaps a circle, or a ball at a height: the number under which it was added."""
        column, row = math.floor(x / self._cell), math.floor(y / self._cell)
        for i in (column - 1, column, column + 1):
            for j in (row - 1, row, row + 1):
                for other_x, other_y, other_z, other_radius, number in self._cells.get((i, j), ()):
                    gap = math.hypot(x - other_x, y - other_y, z - other_z)
                    if gap < radius + other_radius:
                        return number
        return None

    def add(self, x: float, y: float, radius: float, number: int = 0, z: float = 0.0) -> None:
        cell = (math.floor(x / self._cell), math.floor(y / self._cell))
        self._cells.setdefault(cell, []).append((x, y, z, radius, number))

    def take(self, x: F8, y: F8, radius: F8, numbers: Rows) -> list[bool]:
        """Add each circle that overlaps none before it; returns which ones were."""
        taken: list[bool] = []
        columns = (x.tolist(), y.tolist(), radius.tolist(), numbers.tolist())
        for circle in zip(*columns, strict=True):
            free = self.near(*circle[:3]) is None
            if free:
                self.add(*circle)
            taken.append(free)
        return taken
