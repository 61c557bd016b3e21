"""For tests of scenarios and behaviors: drive, then ask what happened."""

from pathlib import Path

import numpy as np

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.world.columns import F8
from movenv.world.core import Update


class Drive:
    """A finished run, held in memory: columns are (ticks, vehicles)."""

    def __init__(self, seen: list[Update], names: list[str], behaviors: list[str]) -> None:
        self.names = names
        self._seen = seen
        self._behavior_names = ["", *behaviors]
        self.t = np.array([update.snapshot.t for update in seen])

    def column(self, name: str, vehicle: str) -> F8:
        """One value a tick: x, y, z, yaw, speed, heading_deg, ..."""
        row = self.names.index(vehicle)
        return np.array([getattr(update.snapshot.vehicles, name)[row] for update in self._seen])

    def place(self, vehicle: str) -> F8:
        """x, y, z at each tick, (ticks, 3)."""
        return np.column_stack([self.column(axis, vehicle) for axis in "xyz"])

    def behaviors(self, vehicle: str) -> list[str]:
        """Who held the wheel at each tick; empty where nobody did."""
        return [self._behavior_names[int(number)] for number in self.column("behavior", vehicle)]

    def closest(self, vehicle: str, other: str) -> float:
        """The smallest distance of two vehicles at any tick, m."""
        gaps = self.place(vehicle) - self.place(other)
        return float(np.linalg.norm(gaps, axis=1).min())


def drive(scenario: Path | str, *assignments: str) -> Drive:
    """Run a scenario to its end, with `--set` assignments."""
    run = build(load(str(scenario), list(assignments)))
    return Drive(list(updates(run)), run.roster.names, run.roster.behaviors)
