"""How far the vehicles of a run are with their missions."""

from typing import Any

import numpy as np

from movenv.world.columns import F8, U1, Rows
from movenv.world.messages import MISSION_OVER, NO_MISSION, Roster

NAMED = 20
"""With more missions than this only how many are on each step is told, not who."""


class Progress:
    """Everyone's latest step, and since when."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._with: Rows = np.flatnonzero(np.array(roster.mission, np.intp) >= 0)
        missions = [len(roster.missions[roster.mission[row]]) for row in self._with.tolist()]
        self._lengths: Rows = np.array(missions, np.intp)
        """The number of each one's last step."""
        self._step: U1 = np.full(len(roster), NO_MISSION, np.uint8)
        self._since: F8 = np.full(len(roster), np.nan)

    def take(self, t: float, step: U1) -> Rows:
        """Enter a `step` column; returns the rows that are on another step than before.

        Of a vehicle that says nothing of its mission, what was known stays.
        """
        if not len(self._with):
            return self._with
        changed = np.flatnonzero((step != self._step) & (step != NO_MISSION))
        self._step[changed] = step[changed]
        self._since[changed] = t
        return changed

    def as_dict(self) -> dict[str, Any] | None:
        """How far they are, in a size that does not grow with their number; None for none."""
        if not len(self._with):
            return None
        named = [self._of(row) for row in self._with.tolist()] if self._names_all else []
        return {
            "vehicles": len(self._with),
            "over": int(np.count_nonzero(self._step[self._with] == MISSION_OVER)),
            "last": int(np.count_nonzero(self._step[self._with] == self._lengths)),
            "at": self._counts(),
            "each": named,
        }

    def resume(self, record: dict[str, Any] | None) -> None:
        """Go on from what `as_dict` gave; who is not named there is known from the next tick on."""
        for entry in record["each"] if record else []:
            row = int(np.searchsorted(self._roster.vids, entry["vid"]))
            if row < len(self._roster) and self._roster.vids[row] == entry["vid"]:
                self._step[row] = entry["number"]
                self._since[row] = np.nan if entry["since"] is None else entry["since"]

    @property
    def _names_all(self) -> bool:
        return len(self._with) <= NAMED

    def _of(self, row: int) -> dict[str, Any]:
        number, since = int(self._step[row]), float(self._since[row])
        return {
            "vid": int(self._roster.vids[row]),
            "name": self._roster.names[row],
            "number": number,
            "step": self._roster.step_name(row, number),
            "since": None if np.isnan(since) else since,
        }

    def _counts(self) -> dict[str, int]:
        """How many are on each step, by its name; missions may share names."""
        step = self._step[self._with]
        under_way = (step != MISSION_OVER) & (step != NO_MISSION)
        rows = self._with[under_way]
        keys = np.array(self._roster.mission, np.intp)[rows] * 256 + self._step[rows]
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        found: dict[str, int] = {}
        for row, count in zip(rows[first].tolist(), counts.tolist(), strict=True):
            name = self._roster.step_name(row, int(self._step[row]))
            found[name] = found.get(name, 0) + count
        return found
