"""What a run came to, gathered tick by tick: the closing lines of a run and of `movenv info`."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from movenv.world.columns import U4
from movenv.world.core import Update
from movenv.world.kinds import Origin
from movenv.world.messages import Roster, Sighting
from movenv.world.progress import Progress
from movenv.world.proximity import ClosestPair

NAMED = 3
"""So many of those who came into something are told by name."""


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
    trespasses: int = 0
    """How many times somebody came into something that should stop it."""
    trespassers: list[str] = field(default_factory=list)
    """The first of them, in words."""
    _level_entries: list[int] = field(default_factory=list)
    _held: Any = None
    _before: tuple[Any, Any] | None = None

    def __post_init__(self) -> None:
        self._level_entries = [0] * len(self.level_names)
        self._held = np.zeros(len(self.roster.behaviors) + 1, np.int64)
        self._missions = Progress(self.roster)

    def add(self, update: Update) -> None:
        """Take in one tick of GO."""
        self.ticks += 1
        self.simulated = update.snapshot.t
        self.found += int(np.count_nonzero(update.detections.sighting == Sighting.FOUND))
        behavior = update.snapshot.vehicles.behavior[self.roster.origin != Origin.REAL]
        self._held += np.bincount(behavior, minlength=len(self._held))
        since = update.snapshot.t if self.ticks > 1 else 0.0  # then everyone had begun already
        self._missions.take(since, update.snapshot.vehicles.step)
        self._count_trespasses(update)
        closest = update.closest
        if closest and (self.closest is None or closest.distance < self.closest.distance):
            self.closest = closest
        pairs = update.encounters
        self._count_entries(pairs.vid, pairs.other, pairs.level)

    def _count_trespasses(self, update: Update) -> None:
        self.trespasses += len(update.trespasses)
        for vid, text in update.trespasses[: NAMED - len(self.trespassers)]:
            name = self.roster.names[int(np.searchsorted(self.roster.vids, vid))]
            self.trespassers.append(f"{name} {text} at t = {update.snapshot.t:.1f} s")

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
    def behavior_ticks(self) -> dict[str, int]:
        """How many ticks each behavior held the wheel, over all vehicles."""
        return dict(zip(self._behavior_names, self._held.tolist(), strict=True))

    @property
    def _behavior_names(self) -> list[str]:
        return ["(none)", *self.roster.behaviors]

    @property
    def shares(self) -> dict[str, float]:
        """The share of virtual vehicles' time that each behavior held the wheel."""
        total = max(int(self._held.sum()), 1)
        return {
            name: held / total
            for name, held in self.behavior_ticks.items()
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
            "trespasses": self.trespasses,
            "trespassers": self.trespassers,
            "detections": self.found,
            "missions": self._missions.as_dict(),
            "behavior_shares": self.shares,
            "behavior_ticks": self.behavior_ticks,
        }

    def as_record(self) -> dict[str, Any]:
        """The same with what `resume` needs to go on exactly."""
        within: list[tuple[int, int, int]] = []
        if self._before is not None:
            pair, level = self._before
            vid, other = pair >> np.uint64(32), pair & np.uint64(0xFFFF_FFFF)
            within = list(zip(vid.tolist(), other.tolist(), level.tolist(), strict=True))
        return self.as_dict() | {"within": within}

    def resume(self, record: dict[str, Any]) -> None:
        """Go on from what `as_record` gave. Raises ValueError for a record of other vehicles."""
        if (
            record["vehicles"] != len(self.roster)
            or list(record["notices"]) != self.level_names
            or list(record["behavior_ticks"]) != self._behavior_names
        ):
            raise ValueError("the summary to go on from is of another run")
        self.ticks = record["ticks"]
        self.simulated = record["simulated_s"]
        self.found = record["detections"]
        self.trespasses = record.get("trespasses", 0)
        self.trespassers = record.get("trespassers", [])
        self._missions.resume(record.get("missions"))
        self._level_entries = list(record["notices"].values())
        self._held = np.array(list(record["behavior_ticks"].values()), np.int64)
        closest = record["closest"]
        fields = ("distance", "vid", "other", "t")
        self.closest = closest and ClosestPair(*(closest[name] for name in fields))
        vid, other, level = np.array(record["within"], np.uint64).reshape(-1, 3).T
        self._before = ((vid << np.uint64(32)) | other, level.astype(np.uint8))

    def _closest(self) -> dict[str, Any] | None:
        if self.closest is None:
            return None
        rows = np.searchsorted(self.roster.vids, [self.closest.vid, self.closest.other])
        return asdict(self.closest) | {"names": [self.roster.names[row] for row in rows]}
