"""How well real vehicles were heard, and how the processes of a live run kept time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from movenv.recording.layouts import HealthRecord
from movenv.review.findings import FixFacts, LinkSeries, ProcessSeries
from movenv.review.ways import buckets, extremes
from movenv.world.columns import F4, F8, U4, VidIndex
from movenv.world.kinds import Origin
from movenv.world.messages import Heard, Receptions, Roster

COLUMNS = ("accuracy", "age", "delay", "loss", "rate")
POINTS_A_LINK = 2_000


@dataclass
class Links:
    """Takes in receptions tick by tick; one column a real vehicle."""

    roster: Roster
    _t: list[float] = field(default_factory=list)
    _rows: list[F4] = field(default_factory=list)
    _counts: list[U4] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._index = VidIndex(self.roster.vids)
        self.rows = np.flatnonzero(self.roster.origin != Origin.VIRTUAL)
        self._slot = np.full(len(self.roster) + 1, -1)
        self._slot[self.rows] = np.arange(len(self.rows))

    def add(self, t: float, receptions: Receptions) -> None:
        slot = self._slot[self._index.rows(receptions.vid)]  # -1 has a slot of its own: none
        told = (slot >= 0) & (receptions.heard != Heard.NEVER)
        row = np.full((len(COLUMNS), len(self.rows)), np.nan, np.float32)
        counts = np.zeros((2, len(self.rows)), np.uint32)
        for i, name in enumerate(COLUMNS):
            row[i, slot[told]] = getattr(receptions, name)[told]
        for i, name in enumerate(("accepted", "rejected")):
            counts[i, slot[slot >= 0]] = getattr(receptions, name)[slot >= 0]
        self._t.append(t)
        self._rows.append(row)
        self._counts.append(counts)

    def _table(self) -> dict[str, F8]:
        """(ticks, real vehicles) of each column."""
        shape = (len(COLUMNS), len(self.rows))
        table = np.array(self._rows, np.float32).reshape(len(self._t), *shape)
        return {name: table[:, i].astype(np.float64) for i, name in enumerate(COLUMNS)}

    def _totals(self) -> U4:
        """(ticks, 2, real vehicles): accepted and rejected so far."""
        return np.array(self._counts, np.uint32).reshape(len(self._t), 2, len(self.rows))

    def facts(self) -> FixFacts:
        table, totals = self._table(), self._totals()
        accepted, rejected = _growth(totals[:, 0]), _growth(totals[:, 1])
        new = accepted > 0
        accuracy = np.where(new, table["accuracy"], np.nan)
        delay = np.where(new, table["delay"], np.nan)
        return FixFacts(
            rows=self.rows,
            accuracy_median=_percentile(accuracy, 50),
            accuracy_p95=_percentile(accuracy, 95),
            delay_median=_percentile(delay, 50),
            delay_p95=_percentile(delay, 95),
            age_p95=_percentile(table["age"], 95),
            loss=_mean(table["loss"]),
            rate=_mean(table["rate"]),
            accepted=accepted.sum(axis=0, dtype=np.uint32),
            rejected=rejected.sum(axis=0, dtype=np.uint32),
        )

    def series(self) -> list[LinkSeries]:
        t, table = np.array(self._t), self._table()
        found = []
        for i, row in enumerate(self.rows.tolist()):
            age = table["age"][:, i]
            kept = np.arange(len(t))
            if len(t) > POINTS_A_LINK:
                evenly = buckets(len(t), POINTS_A_LINK // 2)
                worst = extremes(age, POINTS_A_LINK // 2, low=False)
                kept = np.unique(np.concatenate([evenly, worst]))
            columns = [table[name][kept, i] for name in ("age", "delay", "loss", "rate")]
            found.append(LinkSeries(row, t[kept], *columns))
        return found


def _each(table: F8, summed: Callable[[F8], float]) -> F8:
    """One number a column, of what is known in it."""
    known = [column[np.isfinite(column)] for column in table.T]
    return np.array([summed(column) if len(column) else np.nan for column in known])


def _percentile(table: F8, share: float) -> F8:
    return _each(table, lambda column: float(np.percentile(column, share)))


def _mean(table: F8) -> F8:
    return _each(table, lambda column: float(column.mean()))


def _growth(totals: U4) -> U4:
    """How much counters grew at each tick; they begin again when a gateway does.

    Zero is what stands where nothing was told, so it is no new beginning.
    """
    ticks = np.arange(len(totals))[:, None]
    told = np.maximum.accumulate(np.where(totals > 0, ticks, 0), axis=0)
    totals = np.take_along_axis(totals, told, axis=0)
    before = np.concatenate([np.zeros((1, totals.shape[1]), np.uint32), totals])[:-1]
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
