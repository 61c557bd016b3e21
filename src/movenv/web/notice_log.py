"""Notices as events for the log: a pair is told of as it comes nearer, not while it stays near."""

import numpy as np
from numpy.typing import NDArray

from movenv.recording.layouts import EventRecord
from movenv.world.columns import U1, Rows, VidIndex
from movenv.world.messages import Encounters, Roster

NOTICE = "notice"
MOST_AT_ONCE = 20
"""Pairs told of by name at one instant; of further ones only how many there are."""

Pairs = NDArray[np.uint64]


class NoticeLog:
    """Turns the encounters of one instant after another into events.

    A pair makes an event when it comes into notice range, and another at each higher level. What
    was told is forgotten when the pair leaves notice range.
    """

    def __init__(self, roster: Roster, levels: list[str]) -> None:
        """`levels` are the names, outermost first."""
        self._names = roster.names
        self._index = VidIndex(roster.vids)
        self._levels = levels
        self._pairs: Pairs = np.empty(0, np.uint64)
        """Those within range at the latest instant, sorted; and the highest level told of each:"""
        self._told: U1 = np.empty(0, np.uint8)

    def events(self, moment_t: float, utc: float, encounters: Encounters) -> list[EventRecord]:
        """What is new at this instant, the worst first."""
        keys = (encounters.vid.astype(np.uint64) << np.uint64(32)) | encounters.other
        pairs, rows = np.unique(keys, return_index=True)
        level = encounters.level[rows]
        told = self._told_of(pairs)
        self._pairs, self._told = pairs, np.maximum(told, level)
        news = rows[level > told]
        if not len(news):
            return []
        worst_first = np.lexsort((encounters.distance[news], -encounters.level[news].astype(int)))
        news = news[worst_first]
        texts = self._texts(encounters, news[:MOST_AT_ONCE])
        found = [EventRecord(moment_t, utc, NOTICE, text, "", vids) for text, vids in texts]
        more = len(news) - len(found)
        if more:
            text = "1 more pair" if more == 1 else f"{more} more pairs"
            found.append(EventRecord(moment_t, utc, NOTICE, f"{text} came nearer"))
        return found

    def _told_of(self, pairs: Pairs) -> U1:
        """The highest level told of each pair; 0 where nothing was."""
        if not len(self._pairs):
            return np.zeros(len(pairs), np.uint8)
        at = np.minimum(np.searchsorted(self._pairs, pairs), len(self._pairs) - 1)
        return np.where(self._pairs[at] == pairs, self._told[at], 0).astype(np.uint8)

    def _texts(self, encounters: Encounters, rows: Rows) -> list[tuple[str, list[int]]]:
        """In words, and of whom."""
        told = encounters.take(rows)
        vids = np.stack((told.vid, told.other), axis=1)
        return [
            (
                f"{self._name(pair[0])} and {self._name(pair[1])}: "
                f"{self._level(level)}, {distance:.1f} m",
                pair,
            )
            for pair, level, distance in zip(
                vids.tolist(), told.level.tolist(), told.distance.tolist(), strict=True
            )
        ]

    def _name(self, vid: int) -> str:
        row = int(self._index.rows(np.array([vid], np.uint32))[0])
        return self._names[row] if row >= 0 else f"vid {vid}"

    def _level(self, level: int) -> str:
        return self._levels[level - 1] if level <= len(self._levels) else f"level {level}"
