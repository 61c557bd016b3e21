"""Notices as episodes: since when and until when a pair was within a level, and how near."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from movenv.world.columns import F8, Mask
from movenv.world.messages import Encounters

U8 = NDArray[np.uint64]


class Episode(NamedTuple):
    """A pair within a notice level."""

    vid: int
    other: int
    since: float
    until: float
    """When they were last within it."""
    level: int
    distance: float
    """The least of those stated."""


@dataclass
class Episodes:
    """Takes in the pairs of each tick, in order; one that is not within the level has parted."""

    level: int
    done: list[Episode] = field(default_factory=list)
    _pair: U8 = field(default_factory=lambda: np.empty(0, np.uint64))
    _since: F8 = field(default_factory=lambda: np.empty(0))
    _until: F8 = field(default_factory=lambda: np.empty(0))
    _distance: F8 = field(default_factory=lambda: np.empty(0))

    def tick(self, t: float, pairs: Encounters | None) -> None:
        if pairs is None or not (pairs.level >= self.level).any():
            if len(self._pair):
                self.close()
            return
        pairs = pairs.take(np.flatnonzero(pairs.level >= self.level))
        key = (pairs.vid.astype(np.uint64) << np.uint64(32)) | pairs.other
        order = np.argsort(key, kind="stable")
        key = key[order]
        distance = pairs.distance[order].astype(np.float64)
        since = np.full(len(key), t)
        if len(self._pair):
            at = np.minimum(np.searchsorted(self._pair, key), len(self._pair) - 1)
            on = self._pair[at] == key
            gone = np.ones(len(self._pair), np.bool_)
            gone[at[on]] = False
            self._end(gone)
            since[on] = self._since[at[on]]
            distance[on] = np.minimum(distance[on], self._distance[at[on]])
        self._pair, self._since, self._distance = key, since, distance
        self._until = np.full(len(key), t)

    def close(self) -> None:
        """All that are within it have parted, or nothing more is told."""
        self._end(np.ones(len(self._pair), np.bool_))
        self._pair = np.empty(0, np.uint64)

    def _end(self, gone: Mask) -> None:
        if not gone.any():
            return
        vid, other = self._pair[gone] >> np.uint64(32), self._pair[gone] & np.uint64(0xFFFF_FFFF)
        columns: list[NDArray[Any]] = [vid, other, self._since[gone], self._until[gone]]
        columns += [np.full(len(vid), self.level), self._distance[gone]]
        self.done += map(Episode, *(column.tolist() for column in columns))
