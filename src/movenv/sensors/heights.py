"""What stands at which height: rays of those who are as high meet the same."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from movenv.terrain.features import Terrain
from movenv.terrain.rays import scenery_of
from movenv.world.columns import F8, Rows


class Levels:
    """Between two heights at which obstacles end, everyone has the same scenery."""

    def __init__(self, terrain: Terrain, usual: float) -> None:
        """`usual` is a height for which the scenery is made at once: that takes time."""
        self._terrain = terrain
        ends = {o.height for o in terrain.obstacles if np.isfinite(o.height)}
        self._ends = np.array(sorted(ends))
        self._sceneries: dict[int, Any] = {}
        self._usual = self._scenery(self._level(usual))

    def of(self, z: F8) -> Iterator[tuple[Any, Rows]]:
        """Each scenery that rays at some heights meet, and the places of those heights."""
        level = np.searchsorted(self._ends, z, side="right")
        for number in np.unique(level).tolist():
            yield self._scenery(number), np.flatnonzero(level == number)
        if not len(z):
            yield self._usual, np.empty(0, np.intp)

    def _level(self, z: float) -> int:
        return int(np.searchsorted(self._ends, z, side="right"))

    def _scenery(self, level: int) -> Any:
        if level not in self._sceneries:
            plain = self._level(0.0) == level  # the height that most others ask for
            z = 0.0 if plain else self._ends[level - 1] if level else -np.inf
            self._sceneries[level] = scenery_of(self._terrain, float(z))
        return self._sceneries[level]
