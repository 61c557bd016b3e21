"""How well real vehicles were heard, and how the processes of a live run kept time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import zstandard

from movenv.recording.layouts import HealthRecord
from movenv.review.findings import FixFacts, LinkSeries, ProcessSeries
from movenv.review.ways import buckets, extremes
from movenv.world.columns import F8, U4, VidIndex
from movenv.world.kinds import Origin
from movenv.world.messages import Heard, Receptions, Roster

COLUMNS = ("accuracy", "age", "delay", "loss", "rate")
COUNTERS = ("accepted", "rejected")
SUMS = 9
"""Numbers that sum up one vehicle."""
POINTS_A_LINK = 2_000
TICKS_A_BLOCK = 500
VEHICLES_A_GROUP = 25
"""Receptions come tick by tick and are summed up vehicle by vehicle. Most of what they say stays
the same from fix to fix, so packed in such cells it takes little memory."""


@dataclass
class Links:
    """Takes in receptions tick by tick; one column a real vehicle."""

    roster: Roster
    _t: list[float] = field(default_factory=list)
    _waiting: list[U4] = field(default_factory=list)
    """Of ticks that are not packed yet: (columns and counters, real vehicles), as bits."""
    _blocks: list[list[bytes]] = field(default_factory=list)
    """Of each block of ticks its groups of vehicles: (columns and counters, vehicles, ticks)."""

    def __post_init__(self) -> None:
        self._index = VidIndex(self.roster.vids)
        self.rows = np.flatnonzero(self.roster.origin != Origin.VIRTUAL)
        self._slot = np.full(len(self.roster) + 1, -1)
        self._slot[self.rows] = np.arange(len(self.rows))

    def add(self, t: float, receptions: Receptions) -> None:
        slot = self._slot[self._index.rows(receptions.vid)]  # -1 has a slot of its own: none
        told = (slot >= 0) & (receptions.heard != Heard.NEVER)
        row = np.full((len(COLUMNS), len(self.rows)), np.nan, np.float32)
        counts = np.zeros((len(COUNTERS), len(self.rows)), np.uint32)
        for i, name in enumerate(COLUMNS):
            row[i, slot[told]] = getattr(receptions, name)[told]
        for i, name in enumerate(COUNTERS):
            counts[i, slot[slot >= 0]] = getattr(receptions, name)[slot >= 0]
        self._t.append(t)
        self._waiting.append(np.concatenate([row.view(np.uint32), counts]))
        if len(self._waiting) == TICKS_A_BLOCK:
            self._pack()

    def _pack(self) -> None:
        if not self._waiting:
            return
        block = np.stack(self._waiting, axis=-1)
        packer = zstandard.ZstdCompressor(level=1)
        packed = (packer.compress(block[:, group].tobytes()) for group in self._groups())
        # The packer's bytes keep room for what did not shrink; a copy does not.
        self._blocks.append([bytes(memoryview(cell)) for cell in packed])
        self._waiting = []

    def _groups(self) -> list[slice]:
        firsts = range(0, len(self.rows), VEHICLES_A_GROUP)
        return [slice(first, first + VEHICLES_A_GROUP) for first in firsts]

    def _each(self) -> Iterator["_Link"]:
        """All ticks of one real vehicle after the other."""
        self._pack()
        unpacker = zstandard.ZstdDecompressor()
        for number, group in enumerate(self._groups()):
            shape = (len(COLUMNS) + len(COUNTERS), len(self.rows[group]), -1)
            cells = [
                np.frombuffer(unpacker.decompress(block[number]), np.uint32).reshape(shape)
                for block in self._blocks
            ]
            empty = np.empty((*shape[:2], 0), np.uint32)
            table = np.concatenate([empty, *cells], axis=-1)
            for i in range(shape[1]):
                yield _Link(table[:, i])

    def facts(self) -> FixFacts:
        found = np.array([_summed(link) for link in self._each()], np.float64)
        sums = found.reshape(len(self.rows), SUMS).T.copy()
        return FixFacts(
            rows=self.rows,
            accuracy_median=sums[0],
            accuracy_p95=sums[1],
            delay_median=sums[2],
            delay_p95=sums[3],
            age_p95=sums[4],
            loss=sums[5],
            rate=sums[6],
            accepted=sums[7].astype(np.uint32),
            rejected=sums[8].astype(np.uint32),
        )

    def series(self) -> list[LinkSeries]:
        t = np.array(self._t)
        found = []
        for row, link in zip(self.rows.tolist(), self._each(), strict=True):
            kept = np.arange(len(t))
            if len(t) > POINTS_A_LINK:
                evenly = buckets(len(t), POINTS_A_LINK // 2)
                worst = extremes(link.column("age"), POINTS_A_LINK // 2, low=False)
                kept = np.unique(np.concatenate([evenly, worst]))
            columns = [link.column(name)[kept] for name in ("age", "delay", "loss", "rate")]
            found.append(LinkSeries(row, t[kept], *columns))
        return found


@dataclass(frozen=True)
class _Link:
    """How one vehicle was heard."""

    bits: U4
    """(columns and counters, ticks)"""

    def column(self, name: str) -> F8:
        values: F8 = self.bits[COLUMNS.index(name)].view(np.float32).astype(np.float64)
        return values

    def growth(self, name: str) -> U4:
        return _growth(self.bits[len(COLUMNS) + COUNTERS.index(name)])


def _summed(link: _Link) -> list[float]:
    """What FixFacts has of each vehicle, in that order."""
    accepted, rejected = link.growth("accepted"), link.growth("rejected")
    accuracy, delay = (link.column(name)[accepted > 0] for name in ("accuracy", "delay"))
    return [
        _percentile(accuracy, 50),
        _percentile(accuracy, 95),
        _percentile(delay, 50),
        _percentile(delay, 95),
        _percentile(link.column("age"), 95),
        _of_known(link.column("loss"), np.mean),
        _of_known(link.column("rate"), np.mean),
        accepted.sum(dtype=np.uint32),
        rejected.sum(dtype=np.uint32),
    ]


def _of_known(column: F8, summed: Callable[[F8], Any]) -> float:
    known = column[np.isfinite(column)]
    return float(summed(known)) if len(known) else float("nan")


def _percentile(column: F8, share: float) -> float:
    return _of_known(column, lambda known: np.percentile(known, share))


def _growth(totals: U4) -> U4:
    """How much a counter grew at each tick; it begins again when a gateway does.

    Zero is what stands where nothing was told, so it is no new beginning.
    """
    ticks = np.arange(len(totals))
    totals = totals[np.maximum.accumulate(np.where(totals > 0, ticks, 0))]
    before = np.concatenate([np.zeros(1, np.uint32), totals])[:-1]
    return np.where(totals >= before, totals - before, totals)


@dataclass
class Processes:
    """Takes in what the processes of a live run said of themselves."""

    _told: dict[str, list[tuple[float, float, float]]] = field(default_factory=dict)

    def add(self, record: HealthRecord) -> None:
        self._put("core", record.t, record.core)
        for host in record.hosts:
            self._put(str(host.get("host", "")), record.t, host)

    def _put(self, name: str, t: float, told: dict[str, Any]) -> None:
        margin = _number(told.get("margin_p5", told.get("margin")))
        self._told.setdefault(name, []).append((t, margin, _number(told.get("lag"))))

    def series(self) -> list[ProcessSeries]:
        return [
            ProcessSeries(name, *np.array(told, np.float64).T.copy())
            for name, told in self._told.items()
        ]


def _number(value: Any) -> float:
    """nan for what is not told."""
    return float(value) if isinstance(value, int | float) else float("nan")
