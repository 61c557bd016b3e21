"""A recording as the ways of its vehicles, one after the other, broken where one was not known.

A recording lies tick by tick and a way is of one vehicle, so the points are laid aside in a file
and read back vehicle by vehicle: memory does not grow with the length of the run.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from movenv.recording.formats.moments import Moment, Thinning, moments
from movenv.recording.reader import Recording
from movenv.world.columns import F8, Mask
from movenv.world.kinds import Kind, Origin
from movenv.world.messages import Health
from movenv.world.run_state import RunState

LONGEST_GAP = 1.0
"""Ticks missing for longer than this break a way, s; so does the pause of a live run."""
POINTS_A_BLOCK = 500_000
POINT = np.dtype(
    [
        ("row", "<u4"),
        ("piece", "<u4"),
        ("moment", "<u4"),
        ("lat", "<f8"),
        ("lon", "<f8"),
        ("alt", "<f8"),
    ]
)


class Piece(NamedTuple):
    """Where a vehicle was without a break. Altitudes are above mean sea level, m; `utc` is in
    seconds since 1970 and grows from point to point and from piece to piece."""

    t: F8
    utc: F8
    lat: F8
    lon: F8
    alt: F8


@dataclass(frozen=True)
class Track:
    """The way of one vehicle; no pieces where it was never known."""

    vid: int
    name: str
    kind: Kind
    origin: Origin
    pieces: list[Piece]


@contextmanager
def tracks(
    recording: Recording, folder: Path, every: float, progress: Callable[[float], None]
) -> Iterator["Tracks"]:
    """The ways of all vehicles, laid aside in `folder` meanwhile.

    Of a piece one point is kept every so many seconds (0: all), and always its two ends.
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        gathered = Tracks(recording, every, file)
        for moment in moments(recording):
            gathered.add(moment)
            progress(moment.snapshot.t)
        gathered.finish()
        yield gathered


class Tracks:
    """Goes over tracks in the order of the roster, as often as wanted."""

    def __init__(self, recording: Recording, every: float, file: IO[bytes]) -> None:
        self._roster = recording.roster
        self._store = _Store(file, len(recording.roster))
        self._sea_level = recording.run.origin[2]
        self._breaks = _Breaks(recording)
        self._clock = _Clock()
        self._thinning = Thinning(every)
        self._before: Moment | None = None
        self._piece = np.zeros(len(recording.roster), np.uint32)
        self._known: Mask = np.zeros(len(recording.roster), np.bool_)
        self._kept: Mask = np.zeros(len(recording.roster), np.bool_)
        """Whose place of the moment before was kept."""
        self._t: list[float] = []
        self._utc: list[float] = []
        self.count = 0
        """Points of all tracks."""

    @property
    def span(self) -> tuple[float, float] | None:
        """First and last time of any point, UTC; None without one."""
        return (min(self._utc), max(self._utc)) if self._utc else None

    def add(self, moment: Moment) -> None:
        vehicles = moment.snapshot.vehicles
        known = vehicles.health == Health.HEARD
        for column in (vehicles.lat, vehicles.lon, vehicles.z):
            known &= np.isfinite(column)
        moment, set_back = self._clock.read(moment)
        broken = self._before is not None and (
            set_back or self._breaks.between(self._before, moment)
        )
        begun = known & (broken | ~self._known)
        self._keep_ends(self._known & (broken | ~known))
        self._piece[begun] += 1
        kept = known if self._thinning.due(moment.snapshot.t) else begun
        self._keep(kept, moment)
        self._before, self._known, self._kept = moment, known, kept

    def finish(self) -> None:
        """All moments were added."""
        self._keep_ends(self._known)
        self._store.flush()

    def _keep_ends(self, ended: Mask) -> None:
        if self._before is not None:
            self._keep(ended & ~self._kept, self._before)

    def _keep(self, mask: Mask, moment: Moment) -> None:
        rows = np.flatnonzero(mask)
        if not len(rows):
            return
        vehicles = moment.snapshot.vehicles
        points = np.empty(len(rows), POINT)
        points["row"], points["piece"], points["moment"] = rows, self._piece[rows], len(self._t)
        points["lat"], points["lon"] = vehicles.lat[rows], vehicles.lon[rows]
        points["alt"] = vehicles.z[rows] + self._sea_level
        self._t.append(moment.snapshot.t)
        self._utc.append(moment.utc)
        self._store.put(points)
        self.count += len(points)

    def __iter__(self) -> Iterator[Track]:
        roster = self._roster
        t, utc = np.array(self._t), np.array(self._utc)
        for row in range(len(roster)):
            points = self._store.of(row)
            at = points["moment"]
            turns = np.flatnonzero(np.diff(points["piece"])) + 1
            ends = [0, *turns.tolist(), len(points)] if len(points) else []
            columns = (t[at], utc[at], points["lat"], points["lon"], points["alt"])
            yield Track(
                vid=int(roster.vids[row]),
                name=roster.names[row],
                kind=roster.kinds[roster.kind[row]],
                origin=Origin(int(roster.origin[row])),
                pieces=[Piece(*(column[a:b] for column in columns)) for a, b in pairwise(ends)],
            )


class _Breaks:
    """Where everybody's way is broken: ticks are missing, or the run paused and the world did
    not."""

    def __init__(self, recording: Recording) -> None:
        states = [state for state in recording.run_states() if state.utc]
        self._half_tick = recording.run.tick / 2
        self._pauses = np.array(
            [
                now.t
                for now, then in pairwise(states)
                if now.state == RunState.PAUSE.name and then.utc - now.utc > LONGEST_GAP
            ]
        )

    def between(self, before: Moment, after: Moment) -> bool:
        first, last = before.snapshot, after.snapshot
        if last.tick - first.tick > 1 and last.t - first.t > LONGEST_GAP:
            return True
        around = np.array([first.t, last.t]) - self._half_tick
        passed = np.searchsorted(self._pauses, around)
        return bool(passed[0] != passed[1])


class _Clock:
    """Times that grow, from a wall clock that may be set back.

    From there on the run's own time is counted on, until the wall clock is later than that.
    """

    def __init__(self) -> None:
        self._before: Moment | None = None
        self._told = 0.0

    def read(self, moment: Moment) -> tuple[Moment, bool]:
        """The moment with its time to the millisecond, and whether the clock was set back."""
        before, self._before = self._before, moment
        told = round(moment.utc, 3)
        passed = moment.utc - before.utc if before else 0.0
        if before and told <= self._told:
            own = moment.snapshot.t - before.snapshot.t
            told = round(self._told + max(own if passed < 0 else min(own, passed), 1e-3), 3)
        self._told = told
        return moment._replace(utc=told), passed < 0


class _Store:
    """Points in a file, in blocks that are each sorted by vehicle."""

    def __init__(self, file: IO[bytes], vehicles: int) -> None:
        self._file = file
        self._vehicles = vehicles
        self._waiting: list[NDArray[Any]] = []
        self._count = 0
        self._blocks: list[tuple[int, NDArray[np.intp]]] = []
        """Where each begins, and where in it each vehicle does, in points."""

    def put(self, points: NDArray[Any]) -> None:
        self._waiting.append(points)
        self._count += len(points)
        if self._count >= POINTS_A_BLOCK:
            self.flush()

    def flush(self) -> None:
        if not self._waiting:
            return
        points = np.concatenate(self._waiting)
        points = points[np.argsort(points["row"], kind="stable")]
        firsts = np.searchsorted(points["row"], np.arange(self._vehicles + 1))
        self._blocks.append((self._file.seek(0, 2), firsts))
        self._file.write(points.tobytes())
        self._waiting, self._count = [], 0

    def of(self, row: int) -> NDArray[Any]:
        """The points of one vehicle in their order."""
        found = [np.empty(0, POINT)]
        for begins, firsts in self._blocks:
            first, end = int(firsts[row]), int(firsts[row + 1])
            self._file.seek(begins + first * POINT.itemsize)
            found.append(np.frombuffer(self._file.read((end - first) * POINT.itemsize), POINT))
        return np.concatenate(found)
