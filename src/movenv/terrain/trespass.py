"""Vehicles inside what should stop them: a run in which that happens must not look clean."""

import numpy as np
import shapely

from movenv.terrain.charts import grid_of
from movenv.terrain.edge_grid import EdgeGrid
from movenv.terrain.features import Obstacle, Terrain
from movenv.terrain.heights import heights_of
from movenv.terrain.walls import meets_any
from movenv.world.columns import F8, Mask, Rows
from movenv.world.kernel import kernel
from movenv.world.kinds import Origin
from movenv.world.messages import Health, Remark, Roster, VehicleStates

GRAZED = 0.05
"""Who is no deeper in the ground than this stands on it, m."""


@kernel
def _cross(grid, before, now, found):  # type: ignore[no-untyped-def]
    """Who has come over an edge, on the way (2, vehicles) from one place to another."""
    for i in range(len(found)):
        px, py, qx, qy = before[0, i], before[1, i], now[0, i], now[1, i]
        found[i] = meets_any(grid, px, py, qx, qy)


class Trespass:
    """Notices virtual vehicles that come into obstacles of a run, and aircraft into its ground."""

    def __init__(self, terrain: Terrain, roster: Roster) -> None:
        self._roster = roster
        self._kinds = [_Barriers(terrain, roster, k) for k in range(len(roster.kinds))]
        self._ground = _Ground(terrain, roster)
        self._before: F8 = np.full((2, len(roster)), np.nan)
        self._inside: dict[int, str] = {}
        """By row, what those are inside of who have been told of."""

    def look(self, vehicles: VehicleStates) -> list[Remark]:
        """What those are inside of who have come into something since the last look."""
        here = vehicles.health == Health.HEARD
        now: F8 = np.where(here, [vehicles.x, vehicles.y], np.nan)
        found: list[Remark] = []
        for barriers in self._kinds:
            for row in barriers.candidates(self._before, now, self._inside):
                x, y, z = (float(column[row]) for column in (*now, vehicles.z))
                into = barriers.around(x, y, z)
                if into and self._inside.get(row) != into:
                    found.append(Remark(int(self._roster.vids[row]), f"is inside {into}"))
                self._inside.pop(row, None)
                if into:
                    self._inside[row] = into
        entered = self._roster.vids[self._ground.entered(now, vehicles.z)]
        found += [Remark(vid, "is inside the ground") for vid in entered.tolist()]
        self._before = now
        return found


class _Ground:
    """The ground, for what flies over a map of its heights."""

    def __init__(self, terrain: Terrain, roster: Roster) -> None:
        flies = np.array([kind.name == "aerial" for kind in roster.kinds], np.bool_)
        mine = flies[roster.kind] & (roster.origin == Origin.VIRTUAL)
        self._rows: Rows = np.flatnonzero(mine & (terrain.relief is not None))
        self._heights = heights_of(terrain)
        self._below: Mask = np.zeros(len(self._rows), np.bool_)
        self._heights.at(np.zeros(0), np.zeros(0))  # compiled now, as below

    def entered(self, now: F8, z: F8) -> Rows:
        """The rows that have come into it since the last look."""
        if not len(self._rows):
            return self._rows
        x, y = now[:, self._rows]
        below: Mask = np.isfinite(x) & (z[self._rows] < self._heights.at(x, y) - GRAZED)
        found: Rows = self._rows[below & ~self._below]
        self._below = below
        return found


class _Barriers:
    """What stops the vehicles of one kind."""

    def __init__(self, terrain: Terrain, roster: Roster, kind: int) -> None:
        mine = (roster.kind == kind) & (roster.origin == Origin.VIRTUAL)
        self._rows: Rows = np.flatnonzero(mine)
        # What flies meets the lowest part of each; how high it flies is looked at when it does.
        found = terrain.barriers(roster.kinds[kind], -np.inf) if len(self._rows) else []
        self._flies = roster.kinds[kind].name == "aerial"
        self._obstacles: list[Obstacle] = [obstacle for obstacle, _ in found]
        grounds = np.array([ground for _, ground in found], object)
        self._tree = shapely.STRtree(grounds)
        self._grid: EdgeGrid | None = grid_of(grounds) if found else None
        if self._grid is not None:  # compiled now: nobody may wait for it later
            _cross(self._grid, np.empty((2, 0)), np.empty((2, 0)), np.empty(0, np.bool_))

    def candidates(self, before: F8, now: F8, inside: dict[int, str]) -> Rows:
        """The rows that may have come into something, or are known to be in it."""
        if self._grid is None:
            return np.empty(0, np.intp)
        known = np.isin(self._rows, list(inside))
        crossed: Mask = np.zeros(len(self._rows), np.bool_)
        there, here = before[:, self._rows], np.isfinite(now[0, self._rows])
        first = here & ~np.isfinite(there[0])
        both = np.where(here & ~first, [there, now[:, self._rows]], 0.0)
        _cross(self._grid, both[0], both[1], crossed)
        rows: Rows = self._rows[here & (known | crossed | first)]
        return rows

    def around(self, x: float, y: float, z: float) -> str:
        """What a place is inside of, '' for nothing."""
        for k in sorted(self._tree.query(shapely.Point(x, y), predicate="within").tolist()):
            obstacle = self._obstacles[k]
            if not self._flies or z < obstacle.height:
                return f"{obstacle.kind.replace('_', ' ')} '{obstacle.name}'"
        return ""
