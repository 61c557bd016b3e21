"""Yesterday's packets through today's tracker."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from movenv.gateways.fix import Fix, Unreadable
from movenv.gateways.part import Reader
from movenv.gateways.tracker import Outcome, Trackers
from movenv.recording.reader import Recording
from movenv.scenario.build import Stage
from movenv.world.messages import Motions, Snapshot


@dataclass
class Comparison:
    """What became of a vehicle's fixes then and now, and how far the tracks are apart."""

    name: str
    fixes: int = 0
    accepted_then: int = 0
    accepted_now: int = 0
    apart: list[float] = field(default_factory=list)
    """At each tick that both tell of, m."""


@dataclass(frozen=True)
class Moment:
    """A tick as it was recorded, and where the tracker of today has the real vehicles."""

    snapshot: Snapshot
    utc: float
    now: Motions


class Retrack:
    """Runs the tracker over a recording. `stage` is that of its scenario, changed or not."""

    def __init__(self, recording: Recording, stage: Stage) -> None:
        self.comparisons = {r.entry.vid: Comparison(r.entry.name) for r in stage.real}
        self._recording = recording
        self._trackers = Trackers(stage.frame, [real.entry for real in stage.real])
        self._parts = {real.gateway.name: real.gateway for real in stage.real}
        self._readers: dict[tuple[str, tuple[str, int]], Reader] = {}
        self._row = {vid: i for i, vid in enumerate(recording.roster.vids.tolist())}

    def moments(self) -> Iterator[Moment]:
        """Every tick of the recording. The instant is when the Core stated it."""
        packets = self._packets()
        waiting = next(packets, None)
        for snapshot, numbers in self._recording.snapshots():
            utc = numbers["utc"]
            while waiting is not None and waiting[0] <= utc:
                self._take(*waiting)
                waiting = next(packets, None)
            motions, _ = self._trackers.state(utc)
            if snapshot.tick > 0:  # in SET everybody was at rest
                self._compare(snapshot, motions)
            yield Moment(snapshot, utc, motions)

    def _packets(self) -> Iterator[tuple[float, str, str, int, str, bytes]]:
        for record in self._recording.packets():
            columns = record.arrived, record.via, record.sender, record.vid, record.outcome
            yield from zip(*columns, record.data, strict=True)

    def _take(self, at: float, via: str, sender: str, vid: int, then: str, data: bytes) -> None:
        comparison = self.comparisons.get(vid)
        if comparison is None or via not in self._parts:
            return
        fixes = self._read(via, (sender.rpartition(":")[0], vid), data, at)
        if not fixes:
            return
        outcomes = self._trackers.take([vid] * len(fixes), fixes, [at] * len(fixes))
        comparison.fixes += len(fixes)
        comparison.accepted_then += then.split(",").count(Outcome.ACCEPTED.words)
        comparison.accepted_now += int(np.count_nonzero(outcomes == Outcome.ACCEPTED))

    def _read(self, via: str, whose: tuple[str, int], data: bytes, at: float) -> list[Fix]:
        """What one sender said; some formats need what it said before."""
        if (via, whose) not in self._readers:
            self._readers[via, whose] = self._parts[via].reader()
        try:
            return list(self._readers[via, whose](data, at))
        except Unreadable:
            return []

    def _compare(self, snapshot: Snapshot, now: Motions) -> None:
        then: Mapping[str, np.ndarray] = dict(snapshot.vehicles.columns())
        for i, vid in enumerate(now.vid.tolist()):
            row = self._row[vid]
            east, north = then["x"][row] - now.x[i], then["y"][row] - now.y[i]
            if np.isfinite(east):
                self.comparisons[vid].apart.append(float(np.hypot(east, north)))
