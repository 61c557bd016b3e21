"""What a run came to, gathered tick by tick: the closing lines of a run and of `movenv info`."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from movenv.world.columns import U4
from movenv.world.core import Update
from movenv.world.messages import Roster, Sighting
from movenv.world.proximity import ClosestPair


@dataclass
class Summary:
    """Counts and extremes of a run so far."""

    roster: Roster
    level_names: list[str]
    """Notice levels, outermost first."""
    every_pair: bool
    """Whether the closest approach is of all pairs, or only of those within notice range."""
    ticks: int = 0
    simulated: float = 0.0
    found: int = 0
    closest: ClosestPair | None = None
    _level_entries: list[int] = field(default_factory=list)
    _held: Any = None
    _before: tuple[Any, Any] | None = None

    def __post_init__(self) -> None:
        self._level_entries = [0] * len(self.level_names)
        self._held = np.zeros(len(self.roster.behaviors) + 1, np.int64)

    def add(self, update: Update) -> None:
        """Take in one tick of GO."""
        self.ticks += 1
        self.simulated = update.snapshot.t
        self.found += int(np.count_nonzero(update.detections.sighting == Sighting.FOUND))
        behavior = update.snapshot.vehicles.behavior
        self._held += np.bincount(behavior, minlength=len(self._held))
        closest = update.closest
        if closest and (self.closest is None or closest.distance < self.closest.distance):
            self.closest = closest
        pairs = update.encounters
        self._count_entries(pairs.vid, pairs.other, pairs.level)

    def _count_entries(self, vid: U4, other: U4, level: Any) -> None:
        """Count pairs that have come into a level, not the ticks they stayed in it."""
        pair = (vid.astype(np.uint64) << np.uint64(32)) | other
        before = np.zeros(len(pair), np.uint8)
        if self._before is not None and len(self._before[0]) and len(pair):
            known, levels = self._before
            at = np.minimum(np.searchsorted(known, pair), len(known) - 1)
            before = np.where(known[at] == pair, levels[at], 0)
        for i in range(len(self.level_names)):
            self._level_entries[i] += int(np.count_nonzero((level > i) & (before <= i)))
        self._before = (pair, level)

    @property
    def notices(self) -> dict[str, int]:
        """How many times a pair came into each level."""
        return dict(zip(self.level_names, self._level_entries, strict=True))

    @property
    def shares(self) -> dict[str, float]:
        """The share of vehicle time each behavior held the wheel."""
        total = max(int(self._held.sum()), 1)
        names = ["(none)", *self.roster.behaviors]
        return {
            name: int(held) / total
            for name, held in zip(names, self._held, strict=True)
            if held or name != "(none)"
        }

    def as_dict(self) -> dict[str, Any]:
        return {
            "vehicles": len(self.roster),
            "ticks": self.ticks,
            "simulated_s": self.simulated,
            "notices": self.notices,
            "closest": self._closest(),
            "closest_of": "all pairs" if self.every_pair else "pairs within notice range",
            "detections": self.found,
            "behavior_shares": self.shares,
        }

    def _closest(self) -> dict[str, Any] | None:
        if self.closest is None:
            return None
        rows = np.searchsorted(self.roster.vids, [self.closest.vid, self.closest.other])
        return asdict(self.closest) | {"names": [self.roster.names[row] for row in rows]}
