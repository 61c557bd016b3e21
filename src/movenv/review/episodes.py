"""Notices as episodes: since when and until when a pair was within range, and how near."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from movenv.world.columns import F8, U1, Mask
from movenv.world.messages import Encounters

U8 = NDArray[np.uint64]


class Episode(NamedTuple):
    """A pair within notice range."""

    vid: int
    other: int
    since: float
    until: float
    """When they were last within range."""
    level: int
    """The innermost they came to."""
    distance: float
    """The least of those stated."""


@dataclass
class Episodes:
    """Takes in the pairs of each tick, in order; a pair that is not among them has parted."""

    done: list[Episode] = field(default_factory=list)
    _pair: U8 = field(default_factory=lambda: np.empty(0, np.uint64))
    _since: F8 = field(default_factory=lambda: np.empty(0))
    _until: F8 = field(default_factory=lambda: np.empty(0))
    _level: U1 = field(default_factory=lambda: np.empty(0, np.uint8))
    _distance: F8 = field(default_factory=lambda: np.empty(0))

    def tick(self, t: float, pairs: Encounters | None) -> None:
        if pairs is None or not len(pairs):
            if len(self._pair):
                self.close()
            return
        key = (pairs.vid.astype(np.uint64) << np.uint64(32)) | pairs.other
        order = np.argsort(key, kind="stable")
        key, level = key[order], pairs.level[order]
        distance = pairs.distance[order].astype(np.float64)
        since = np.full(len(key), t)
        if len(self._pair):
            at = np.minimum(np.searchsorted(self._pair, key), len(self._pair) - 1)
            on = self._pair[at] == key
            gone = np.ones(len(self._pair), np.bool_)
            gone[at[on]] = False
            self._end(gone)
            since[on] = self._since[at[on]]
            level[on] = np.maximum(level[on], self._level[at[on]])
            distance[on] = np.minimum(distance[on], self._distance[at[on]])
        self._pair, self._since, self._level, self._distance = key, since, level, distance
        self._until = np.full(len(key), t)

    def close(self) -> None:
        """All that are within range have parted, or nothing more is told."""
        self._end(np.ones(len(self._pair), np.bool_))
        self._pair = np.empty(0, np.uint64)

    def _end(self, gone: Mask) -> None:
        if not gone.any():
            return
        vid, other = self._pair[gone] >> np.uint64(32), self._pair[gone] & np.uint64(0xFFFF_FFFF)
        columns: list[NDArray[Any]] = [vid, other, self._since[gone], self._until[gone]]
        columns += [self._level[gone], self._distance[gone]]
        self.done += map(Episode, *(column.tolist() for column in columns))
