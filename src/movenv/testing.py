"""For tests of scenarios and behaviors: drive, then ask what happened."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.world.columns import F8
from movenv.world.core import Update
from movenv.world.messages import Roster
from movenv.world.sensor import Readings


class Drive:
    """A finished run, held in memory: columns are (ticks, vehicles)."""

    def __init__(self, seen: list[Update], readings: list[Readings], roster: Roster) -> None:
        self.names = roster.names
        self._seen, self._readings, self._roster = seen, readings, roster
        self._behavior_names = ["", *roster.behaviors]
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

    def measured(self, sensor: str, vehicle: str) -> tuple[F8, NDArray[Any]]:
        """When a sensor of a vehicle took samples, s, and their values, (samples, fields)."""
        vid = self._roster.vids[self.names.index(vehicle)]
        mine = [r for r in self._readings if r.sensor == sensor and vid in r.vids]
        stamps = np.concatenate([readings.stamps for readings in mine])
        return stamps, np.concatenate([r.values[r.vids == vid][0] for r in mine])

    def closest(self, vehicle: str, other: str) -> float:
        """The smallest distance of two vehicles at any tick, m."""
        gaps = self.place(vehicle) - self.place(other)
        return float(np.linalg.norm(gaps, axis=1).min())


def drive(scenario: Path | str, *assignments: str) -> Drive:
    """Run a scenario to its end, with `--set` assignments."""
    run = build(load(str(scenario), list(assignments)))
    seen: list[Update] = []
    readings: list[Readings] = []
    for update in updates(run):
        seen.append(update)
        readings += [measured for host in run.hosts for measured in host.readings]
    return Drive(seen, readings, run.roster)
