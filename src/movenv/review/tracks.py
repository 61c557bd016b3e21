"""Everyone's way through a run, in columns cut into blocks of time.

A block holds the places of all vehicles at some ticks in a row, each vehicle's ticks side by side,
and the first tick of the block that follows: so every step lies within one block.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from movenv.review.known import SLACK, Judge, Why, short_stretches
from movenv.world.columns import F4, F8, U1, Mask
from movenv.world.messages import Roster, Snapshot
from movenv.world.run_state import RunState

BLOCK = 64
"""Steps in a block."""
STUDIED = (RunState.GO, RunState.PAUSE, RunState.STOP)


@dataclass(frozen=True)
class Block:
    """Some ticks in a row."""

    first: int
    """Of all ticks."""
    t: F8
    place: F8
    """(vehicles, 3, ticks), nan where a vehicle was not known."""


@dataclass
class Tracks:
    """All of a run. Where nothing was recorded for too long, a tick stands that knows nobody."""

    roster: Roster
    t: F8
    tick: F8
    """nan for a tick that stands for a gap."""
    utc: F8
    places: list[F8]
    speed: list[F4]
    """(vehicles, ticks), without the tick of the next block."""
    why: U1
    """(ticks, vehicles), values of `Why`."""
    behavior: U1
    """(ticks, vehicles)."""
    going: Mask
    """Whether the run was in GO."""
    dropped: int = 0
    """Snapshots whose time does not go on."""
    filled: int = 0
    """Stretches that were short enough to be interpolated."""

    def __len__(self) -> int:
        return len(self.t)

    @property
    def recorded(self) -> int:
        """Ticks that the recording has."""
        return int(np.count_nonzero(np.isfinite(self.tick)))

    def blocks(self) -> Iterator[Block]:
        for number, place in enumerate(self.places):
            first = number * BLOCK
            yield Block(first, self.t[first : first + place.shape[2]], place)

    def way(self, row: int) -> F8:
        """(3, ticks): where one vehicle was."""
        pieces = [place[row, :, :BLOCK] for place in self.places]
        return np.concatenate([np.empty((3, 0)), *pieces], axis=1)

    def speed_of(self, row: int) -> F4:
        pieces = [speed[row] for speed in self.speed]
        return np.concatenate([np.empty(0, np.float32), *pieces])

    def fill_short_gaps(self, limit: float) -> None:
        """Put vehicles on the straight line where they were not known for a moment only."""
        for row in np.flatnonzero((self.why != Why.KNOWN).any(axis=0)).tolist():
            for start, end in short_stretches(self.t, self.why[:, row], limit):
                self._fill(row, start, end)

    def _fill(self, row: int, start: int, end: int) -> None:
        (before, speed), (after, speed_after) = self._at(row, start - 1), self._at(row, end)
        share = (self.t[start:end] - self.t[start - 1]) / (self.t[end] - self.t[start - 1])
        for i, s in zip(range(start, end), share.tolist(), strict=True):
            self._put(row, i, before + s * (after - before), speed + s * (speed_after - speed))
        self.why[start:end, row] = Why.KNOWN
        self.filled += 1

    def _at(self, row: int, i: int) -> tuple[F8, float]:
        block, column = divmod(i, BLOCK)
        return self.places[block][row, :, column].copy(), float(self.speed[block][row, column])

    def _put(self, row: int, i: int, place: F8, speed: float) -> None:
        block, column = divmod(i, BLOCK)
        self.speed[block][row, column] = speed
        self.places[block][row, :, column] = place
        if column == 0 and block:
            self.places[block - 1][row, :, BLOCK] = place


@dataclass
class TrackBuilder:
    """Takes in snapshots in order."""

    roster: Roster
    limit: float
    oldest: F8 | None = None
    """Up to which age the fix of each real vehicle counts, s; default: the limit."""
    dropped: int = 0
    _t: list[float] = field(default_factory=list)
    _tick: list[float] = field(default_factory=list)
    _going: list[bool] = field(default_factory=list)
    _utc: list[float] = field(default_factory=list)
    _places: list[F8] = field(default_factory=list)
    _speeds: list[F4] = field(default_factory=list)
    _why: list[U1] = field(default_factory=list)
    _behavior: list[U1] = field(default_factory=list)

    def __post_init__(self) -> None:
        count = len(self.roster)
        oldest = np.full(count, self.limit) if self.oldest is None else self.oldest
        self._judge = Judge(self.roster, oldest)
        self._place = np.full((3, BLOCK + 1, count), np.nan)
        self._speed = np.zeros((BLOCK, count), np.float32)
        self._filled = 0

    def add(self, snapshot: Snapshot, numbers: dict[str, Any]) -> bool:
        """Whether it belongs to what is studied."""
        if snapshot.run_state not in STUDIED and snapshot.tick > 0:
            return False
        t = snapshot.t
        if not np.isfinite(t) or (self._t and t <= self._t[-1]):
            self.dropped += 1
            return False
        vehicles = snapshot.vehicles
        if len(vehicles) != len(self.roster):  # an empty one is legal, and tells nothing
            return False
        if self._t and t - self._t[-1] > self.limit + SLACK:
            self._append((self._t[-1] + t) / 2, np.nan, np.nan, False)
            _keep(self._why, np.full(len(self.roster), Why.NOTHING, np.uint8))
            _keep(self._behavior, np.zeros(len(self.roster), np.uint8))
        why = self._judge.why(vehicles)
        going = snapshot.run_state == RunState.GO
        i = self._append(t, float(snapshot.tick), numbers["utc"], going)
        for axis, column in enumerate((vehicles.x, vehicles.y, vehicles.z)):
            self._place[axis, i] = column
        self._speed[i] = vehicles.speed
        if why.any():
            self._place[:, i, why != Why.KNOWN] = np.nan
            self._speed[i, why != Why.KNOWN] = np.nan
        _keep(self._why, why)
        _keep(self._behavior, vehicles.behavior)
        return True

    def _append(self, t: float, tick: float, utc: float, going: bool) -> int:
        """Make room for a tick that knows nobody; returns its column in the block."""
        if self._filled == BLOCK:
            self._close_block(more=True)
        i = self._filled
        self._t.append(t)
        self._tick.append(tick)
        self._utc.append(utc)
        self._going.append(going)
        self._place[:, i] = np.nan
        self._speed[i] = np.nan
        self._filled += 1
        return i

    def _close_block(self, more: bool) -> None:
        """The last tick of a block is the first of the next, so it is put in when that is there."""
        count = self._filled
        place = np.full((len(self.roster), 3, count + more), np.nan)
        place[:, :, :count] = self._place[:, :count].transpose(2, 0, 1)
        self._places.append(place)
        self._speeds.append(self._speed[:count].T.copy())
        self._filled = 0

    def tracks(self) -> Tracks:
        """What has come together."""
        if self._filled:
            self._close_block(more=False)
        for before, after in zip(self._places[:-1], self._places[1:], strict=True):
            before[:, :, BLOCK] = after[:, :, 0]
        shape = (0, len(self.roster))
        return Tracks(
            self.roster,
            np.array(self._t),
            np.array(self._tick),
            np.array(self._utc),
            self._places,
            self._speeds,
            np.stack(self._why) if self._why else np.empty(shape, np.uint8),
            np.stack(self._behavior) if self._behavior else np.empty(shape, np.uint8),
            np.array(self._going, np.bool_),
            self.dropped,
        )


def _keep(rows: list[U1], row: U1) -> None:
    """Append a copy; most are as the one before, and then the same is kept."""
    same = bool(rows) and np.array_equal(rows[-1], row)
    rows.append(rows[-1] if same else row.copy())
