"""Reading a recording as one, in however many parts it was written.

A tick can stand there more than once: a paused run repeats its snapshot, and a Core that was
started again may go back a little. The first version counts, with what was said beside it.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from movenv.recording.cdr import DecodeError
from movenv.recording.file import Damage, RecordingFile
from movenv.recording.layouts import (
    BROADCASTS,
    EVENTS,
    HEALTH,
    ORDERS,
    PACKETS,
    RUN_STATE,
    SNAPSHOT_LAYOUT,
    SNAPSHOTS,
    SUMMARY,
    WHEELS,
    BroadcastsRecord,
    EventRecord,
    HealthRecord,
    PacketsRecord,
    RunStateRecord,
    SummaryRecord,
)
from movenv.recording.order_record import OrderRecord
from movenv.recording.parts import later_parts
from movenv.recording.wheel_record import WheelRecord
from movenv.recording.writer import RecordingRefused
from movenv.world.messages import Roster, Snapshot

TOLD_AGAIN, PACKETS_AGAIN = 200, 2000
"""Among how many records of a topic one that is told again is looked for."""


@dataclass(frozen=True)
class Gap:
    """Ticks that nothing tells of, between two that are there."""

    after_t: float
    before_t: float
    ticks: int
    between_parts: bool


class Recording:
    """An open recording: the file of this name and the parts that continue it.

    Given the name of a later part, it is that part alone. Use as a context manager.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.left_out: list[str] = []
        """Parts that bear the right name and do not belong or cannot be read, and why."""
        self.parts: list[RecordingFile] = self._open(path)
        self.run = self.parts[0].run
        self.roster: Roster = self.parts[0].roster

    def _open(self, path: Path) -> list[RecordingFile]:
        refused: RecordingRefused | None = None
        files: list[RecordingFile] = []
        for candidate in [path, *later_parts(path).values()]:
            try:
                file = RecordingFile(candidate)
            except RecordingRefused as error:
                if not path.exists():
                    raise
                refused = refused or error
                self.left_out.append(str(error))
                continue
            if not files or _continues(files[0], file):
                files.append(file)
            else:
                file.close()
                self.left_out.append(f"{candidate} is of another run")
        if refused and not files:
            raise refused
        return files

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_: object) -> None:
        for part in self.parts:
            part.close()

    @property
    def damage(self) -> Damage:
        """What could not be read, in all parts.

        That a part before the last has no end is no damage: so it is with a continued recording.
        """
        return Damage(
            truncated=self.parts[-1].damage.truncated,
            chunks=sum(part.damage.chunks for part in self.parts),
            messages=sum(part.damage.messages for part in self.parts),
        )

    def snapshots(self) -> Iterator[tuple[Snapshot, dict[str, Any]]]:
        """Every tick's snapshot in order, with the numbers that stand before its columns."""
        versions = Versions()
        for part in self.parts:
            for snapshot, numbers in part.snapshots():
                if versions.is_first(snapshot.tick):
                    yield snapshot, numbers

    def tables(self, topic: str) -> Iterator[tuple[dict[str, Any], Any]]:
        """Every message of a topic with a layout, of the version of a tick that counts."""
        versions = Versions()
        for part in self.parts:
            for name, data in part.messages({SNAPSHOTS, topic}):
                if name == SNAPSHOTS and (numbers := _numbers(data)):
                    versions.is_first(numbers["tick"])
                decoded = part.decode(topic, data) if name == topic else None
                if decoded and versions.are_with(decoded[0]["tick"]):
                    yield decoded

    def gaps(self) -> list[Gap]:
        """Where ticks are missing: the run stalled, or nobody recorded."""
        found: list[Gap] = []
        latest: dict[str, Any] | None = None
        for part in self.parts:
            begins = latest is not None
            for numbers in (_numbers(data) for _, data in part.messages({SNAPSHOTS})):
                if numbers is None:
                    continue
                before = latest["tick"] if latest else -1 if self.run.part == 1 else numbers["tick"]
                missing = numbers["tick"] - before - 1
                if missing > 0:
                    found.append(Gap(latest["t"] if latest else 0.0, numbers["t"], missing, begins))
                if missing >= 0:
                    latest = numbers
                begins = False
        return found

    def verify(self) -> None:
        """Read every chunk, so that `damage` tells of all that is wrong."""
        for part in self.parts:
            part.verify()

    def run_states(self) -> list[RunStateRecord]:
        """The changes of the run state; a part may begin with the one that held already."""
        states: list[RunStateRecord] = []
        for record in self._each_once(RUN_STATE):
            if not states or record.state != states[-1].state:
                states.append(record)
        return states

    def _each_once(self, topic: str, window: int = TOLD_AGAIN) -> Iterator[Any]:
        """What a new recorder was told again of the last seconds comes once."""
        repeats = Repeats(window)
        for part in self.parts:
            for record in part.plain(topic):
                if not repeats.has(record, part):
                    yield record

    def events(self) -> list[EventRecord]:
        return list(self._each_once(EVENTS))

    def orders(self) -> list[OrderRecord]:
        """What vehicles were told to do, in the order of telling."""
        return list(self._each_once(ORDERS))

    def wheels(self) -> Iterator[WheelRecord]:
        """How the wheels stood of those who were driven from outside, one record a tick each."""
        newest: dict[int, int] = {}
        for part in self.parts:
            for record in part.plain(WHEELS):
                if record.tick > newest.get(record.vid, -1):
                    newest[record.vid] = record.tick
                    yield record

    def broadcasts(self) -> Iterator[BroadcastsRecord]:
        """What vehicles said, one record a tick on which somebody did."""
        newest = -1
        for part in self.parts:
            for record in part.plain(BROADCASTS):
                if record.tick > newest:
                    newest = record.tick
                    yield record

    def packets(self) -> Iterator[PacketsRecord]:
        """Raw packets of real vehicles, in order of arrival."""
        return self._each_once(PACKETS, PACKETS_AGAIN)

    def health(self) -> Iterator[HealthRecord]:
        """How Core and hosts of a live run were doing, second by second."""
        return self._each_once(HEALTH)

    def latest_summary(self) -> SummaryRecord | None:
        """The latest summary as it was written; None where there is none."""
        all_of_them = chain.from_iterable(part.plain(SUMMARY) for part in self.parts)
        return next(iter(deque(all_of_them, maxlen=1)), None)

    def summary(self) -> dict[str, Any] | None:
        """The latest summary in what it tells; None for a fast run that was not closed."""
        latest = self.latest_summary()
        if latest is None:
            return None
        told: dict[str, Any] = msgspec.to_builtins(latest)
        del told["within"], told["orders"]
        return told


def _numbers(snapshot: bytes) -> dict[str, Any] | None:
    """The numbers of a snapshot; None for nonsense, which is counted where it is read in full."""
    try:
        return SNAPSHOT_LAYOUT.decode_numbers(snapshot)
    except DecodeError:
        return None


def _continues(first: RecordingFile, later: RecordingFile) -> bool:
    return (
        first.run.run_id != ""
        and later.run.run_id == first.run.run_id
        and later.run.roster == first.run.roster
    )


class Repeats:
    """Tells what a new recorder was told again from what has happened twice.

    Only what stands in an earlier part was told again: at one moment somebody may take the wheel,
    let go and take it once more.
    """

    def __init__(self, window: int = TOLD_AGAIN) -> None:
        self._before: deque[Any] = deque(maxlen=window)
        self._here: deque[Any] = deque(maxlen=window)
        self._part: RecordingFile | None = None

    def has(self, record: Any, part: RecordingFile) -> bool:
        """Whether this record, read from this part, is a repetition."""
        if part is not self._part:
            self._before += self._here
            self._here.clear()
            self._part = part
        repeated = record in self._before
        if repeated:
            self._before.remove(record)
        self._here.append(record)
        return repeated


class Versions:
    """Tells the first version of a tick from later ones, message by message."""

    def __init__(self) -> None:
        self._newest = -1
        self._at_first = False
        """Whether the latest snapshot was the first of its tick."""

    def is_first(self, tick: int) -> bool:
        """Take in a snapshot."""
        self._at_first = tick > self._newest
        self._newest = max(tick, self._newest)
        return self._at_first

    def are_with(self, tick: int) -> bool:
        """Whether a message of this tick, met now, goes with the first version of it."""
        return tick > self._newest or (tick == self._newest and self._at_first)
