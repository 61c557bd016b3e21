"""Where vehicles may stand: not in what stops them, and not in each other."""

from functools import cache

import numpy as np
import shapely
from shapely import STRtree

from movenv.scenario.spacing import Circles
from movenv.terrain.features import Obstacle, Terrain
from movenv.world.columns import F8, Mask, Rows
from movenv.world.kinds import Kind

TOGETHER = ("ground", "pedestrian", "surface")
"""Kinds that share one level: two of them cannot be in one place. Each other kind has its own
room, and in it heights."""
OCCUPIED_CELL = "an occupied cell of the map"


class StandingRoom:
    """The room that a terrain and those who have been placed leave."""

    def __init__(self, terrain: Terrain, longest: float) -> None:
        """`longest` is the length of the longest vehicle, m."""
        self._terrain = terrain
        self._level = Circles(longest)
        self._rooms = cache(lambda kind: Circles(longest))
        self._barriers = cache(self._barriers_of)

    def _barriers_of(self, kind: str) -> tuple[list[Obstacle], STRtree]:
        # Below everything, so that obstacles of every height are there.
        found = self._terrain.barriers(Kind(kind), -np.inf)
        return [obstacle for obstacle, _ in found], STRtree([ground for _, ground in found])

    def stopped_by(self, kind: Kind, places: F8, gap: F8 | float = 0.0) -> list[str]:
        """What each place (x, y, z; columns are places) lies in, or nearer to than a gap, in
        words; '' where it is free."""
        obstacles, tree = self._barriers(kind.name)
        points = shapely.points(places[0], places[1])
        rows, of = tree.query(points, predicate="dwithin", distance=gap)
        found = self._occupied(kind, places, gap)
        for row, k in zip(rows.tolist(), of.tolist(), strict=True):
            if kind.name != "aerial" or places[2, row] < obstacles[k].height:
                what = obstacles[k].kind.replace("_", " ")
                found[row] = found[row] or f"{what} '{obstacles[k].name}'"
        return found

    def _occupied(self, kind: Kind, places: F8, gap: F8 | float) -> list[str]:
        """The same for the cells of the map. Nobody knows how high they are: what flies is free."""
        grid, count = self._terrain.grid, places.shape[1]
        if grid is None or kind.name == "aerial":
            return [""] * count
        columns = (*places[:2].tolist(), np.broadcast_to(gap, count).tolist())
        taken = (grid.is_occupied(x, y, near) for x, y, near in zip(*columns, strict=True))
        return [OCCUPIED_CELL if is_taken else "" for is_taken in taken]

    def take(self, kind: Kind, places: F8, length: F8, rows: Rows) -> Mask:
        """Take the places that are free, in turn; returns which ones were.

        Free is what is a length away from what stops them, and half the lengths of both from
        others.
        """
        free = np.array([not by for by in self.stopped_by(kind, places, length)], np.bool_)
        if kind.name in TOGETHER:
            mine = np.flatnonzero(free)
            x, y = places[:2, mine]
            free[mine] = self._level.take(x, y, length[mine] / 2, rows[mine])
        return free

    def claim(self, kind: Kind, places: F8, length: F8, rows: Rows) -> list[tuple[int, int]]:
        """Take places whether free or not; returns the pairs of rows that overlap."""
        overlaps: list[tuple[int, int]] = []
        level = kind.name in TOGETHER
        taken = self._level if level else self._rooms(kind.name)
        z = np.zeros(len(rows)) if level else places[2]
        columns = (*places[:2].tolist(), z.tolist(), (length / 2).tolist(), rows.tolist())
        for x, y, up, half, row in zip(*columns, strict=True):
            other = taken.near(x, y, half, up)
            if other is not None:
                overlaps.append((other, row))
            taken.add(x, y, half, row, up)
        return overlaps
