"""A recording moment by moment, with the wall clock, and thinned where that is wanted."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from movenv.recording.reader import Recording
from movenv.world.messages import Snapshot

ROUNDING = 1e-6
"""Of a slot: times are multiples of a tick, and not exactly so."""


class Moment(NamedTuple):
    """A snapshot and the wall clock, seconds since 1970."""

    snapshot: Snapshot
    utc: float


def moments(recording: Recording) -> Iterator[Moment]:
    """Every tick. A fast run has no wall clock: its own time from its start on stands for it."""
    for snapshot, numbers in recording.snapshots():
        if len(snapshot.vehicles):
            yield Moment(snapshot, numbers["utc"] or recording.run.started_utc + snapshot.t)


class Thinning:
    """Says which moments to keep: the first in every slot of so many seconds, or all for 0."""

    def __init__(self, every: float) -> None:
        self._every = every
        self._slot: int | None = None

    def due(self, t: float) -> bool:
        if self._every <= 0:
            return True
        slot = math.floor(t / self._every + ROUNDING)
        due = slot != self._slot
        self._slot = slot
        return due
