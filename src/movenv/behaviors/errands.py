"""Which goal each vehicle is on its way to, and what the way there costs from everywhere."""

from dataclasses import dataclass

import numpy as np

from movenv.behaviors.costmap import Costmap
from movenv.behaviors.unmapped import Unmapped
from movenv.world.columns import F4, F8, U1, Mask, Rows

BETWEEN = 0.5
"""The least time between two plans of a vehicle that sees new things, s."""


@dataclass(frozen=True)
class Errand:
    """Places (n, 2) to go to one after the other, so many times over (inf: for ever)."""

    goals: F8
    laps: float

    @property
    def legs(self) -> float:
        return len(self.goals) * self.laps

    def goal(self, leg: int) -> F8:
        place: F8 = self.goals[leg % len(self.goals)]
        return place


class Errands:
    """The goals of vehicles, one row a vehicle; plans are made when a goal or the ground changes.

    Vehicles that go to the same place and know of nothing that is not on the map share a plan.
    """

    def __init__(self, costmap: Costmap, errands: list[Errand], clearance: F8) -> None:
        """`clearance` is from each one's middle line, m. Raises ValueError with words."""
        self._costmap, self._errands, self._clearance = costmap, errands, clearance
        count = len(errands)
        for row, errand in enumerate(errands):
            for x, y in errand.goals.tolist():
                room = float(costmap.room[costmap.cell(x, y)])
                if room < clearance[row]:
                    said = f"goal ({x:g}, {y:g}) is {room:.2g} m from a wall of the map"
                    raise ValueError(f"{said}; {clearance[row]:.2g} m are needed")
        self.legs = np.array([errand.legs for errand in errands], float)
        self.leg = np.zeros(count)
        self.tables: F4 = np.full((count, 2, *costmap.room.shape), np.inf, np.float32)
        """The costs of the ways to the next goal and to the one after it."""
        self.goal: F8 = np.zeros((count, 2))
        self.onward: F8 = np.zeros(count)
        """The cost from the next goal to the one after it; nan where it is the last."""
        self._planned: F8 = np.full(count, -np.inf)
        self._plans: dict[tuple[float, float, float], F4] = {}

    @property
    def over(self) -> Mask:
        """Who has come to its last goal."""
        return self.leg >= self.legs

    @property
    def last(self) -> Mask:
        """Whose next goal is the last one."""
        return self.leg >= self.legs - 1

    def begin(self, row: int, t: float, seen: Unmapped) -> None:
        """Start with the first goal."""
        self.leg[row] = 0.0
        self.plan(row, t, seen)

    def arrive(self, row: int, t: float, seen: Unmapped) -> None:
        """On to the next goal."""
        self.leg[row] += 1.0
        if self.leg[row] < self.legs[row]:
            self.plan(row, t, seen)

    def due(self, t: float, seen: Unmapped) -> Rows:
        """Who has seen something new since it planned, and planned long enough ago."""
        return np.flatnonzero(seen.changed & ~self.over & (t - self._planned >= BETWEEN))

    def plan(self, row: int, t: float, seen: Unmapped) -> None:
        """Find the ways to the next goal and on, past all that stands as far as it is known."""
        errand, leg = self._errands[row], int(self.leg[row])
        blocked = seen.blocked(row, t)
        nothing = not blocked.any()
        self.goal[row] = errand.goal(leg)
        self.tables[row, 0] = self._way(row, errand.goal(leg), None if nothing else blocked)
        self.onward[row] = np.nan
        if leg + 1 < errand.legs:
            self.tables[row, 1] = self._way(row, errand.goal(leg + 1), None if nothing else blocked)
            onward = float(self.tables[row, 1][self._costmap.cell(*self.goal[row])])
            self.onward[row] = onward if np.isfinite(onward) else np.nan
        seen.changed[row] = False
        self._planned[row] = t

    def _way(self, row: int, goal: F8, blocked: U1 | None) -> F4:
        key = (float(goal[0]), float(goal[1]), float(self._clearance[row]))
        if blocked is not None:
            return self._costmap.way_to(*key, blocked)
        if key not in self._plans:
            self._plans[key] = self._costmap.way_to(*key)
        return self._plans[key]
