"""What a recording last saw of its run, for a Core that is started again in the midst of it.

Only the first chunk and the last few are read, so that it takes no longer after an hour than after
a minute; and the file may be still written, or have been cut off anywhere.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from movenv.recording.cdr import DecodeError
from movenv.recording.container import chunks_from_end, messages
from movenv.recording.layouts import (
    RUN_STATE,
    SNAPSHOT_LAYOUT,
    SNAPSHOTS,
    SUMMARY,
    RunStateRecord,
    SummaryRecord,
)
from movenv.recording.opening import Opening, read_opening
from movenv.recording.order_record import OrderRecord
from movenv.recording.parts import later_parts
from movenv.recording.writer import RecordingRefused
from movenv.world.messages import VehicleStates
from movenv.world.run_state import RunState

FURTHEST = 128 * 1024 * 1024
"""How far to look back from the end of a part, bytes."""
CHUNKS = 100
"""How far to look for a summary once a snapshot is found; a live run writes one every second, and
every ten seconds one with the orders that hold."""


@dataclass(frozen=True)
class LastSeen:
    """Where a run stood when it was last recorded."""

    run_id: str
    run_state: RunState
    tick: int
    t: float
    vehicles: VehicleStates | None = field(compare=False)
    """Where everyone was; None where no snapshot has been recorded."""
    summary: dict[str, Any] | None
    """The latest summary, for `Summary.resume`. It may be of a tick a little earlier."""
    orders: list[OrderRecord] = field(default_factory=list)
    """Those that held then."""


def last_seen(path: Path) -> LastSeen | None:
    """What the newest part of a recording last saw; None where nothing has been recorded yet.

    Raises RecordingRefused for a file that is no recording or cannot be read.
    """
    if not path.exists():
        return None
    parts = _parts_of_one_run(path)
    if not parts:
        return None
    search = _Search()
    for part, opening in reversed(parts):
        search.look_through(part, opening.topics)
        if search.done:
            break
    return search.result(parts[0][1].run.run_id)


def _parts_of_one_run(path: Path) -> list[tuple[Path, Opening]]:
    """The parts that can be opened, in order; a later one that cannot is left out."""
    opened: list[tuple[Path, Opening]] = []
    refused: RecordingRefused | None = None
    for part in [path, *later_parts(path).values()]:
        try:
            opening = read_opening(part)
        except RecordingRefused as error:
            refused = refused or error
            continue
        if opening is None:
            continue
        if not opened or opening.run.run_id == opened[0][1].run.run_id != "":
            opened.append((part, opening))
    if refused and not opened:
        raise refused
    return opened


class _Search:
    """Goes through messages from the latest backwards until all is found."""

    def __init__(self) -> None:
        self._state: RunState | None = None
        self._at: tuple[int, float] | None = None
        self._vehicles: VehicleStates | None = None
        self._summary: SummaryRecord | None = None
        self._orders: list[OrderRecord] | None = None

    @property
    def done(self) -> bool:
        return self._at is not None and self._summary is not None and self._orders is not None

    def look_through(self, part: Path, topics: dict[int, str]) -> None:
        wanted = {SNAPSHOTS, RUN_STATE, SUMMARY}
        try:
            with open(part, "rb") as file:
                for count, chunk in enumerate(chunks_from_end(file, FURTHEST), start=1):
                    for topic, data in reversed(list(messages(chunk, topics, wanted))):
                        self._take(topic, data)
                    if self.done or (self._at is not None and count >= CHUNKS):
                        return
        except OSError as error:
            raise RecordingRefused(f"cannot read {part}: {error.strerror}") from None

    def _take(self, topic: str, data: bytes) -> None:
        try:
            if topic == SUMMARY and self._orders is None:
                found = msgspec.json.decode(data, type=SummaryRecord)
                self._summary, self._orders = self._summary or found, found.orders
            elif topic == RUN_STATE and self._state is None:
                self._state = RunState[msgspec.json.decode(data, type=RunStateRecord).state]
            elif topic == SNAPSHOTS and self._at is None:
                numbers, vehicles = SNAPSHOT_LAYOUT.decode(data)
                self._state = self._state or RunState(numbers["state"])
                self._at, self._vehicles = (numbers["tick"], numbers["t"]), vehicles
        except (DecodeError, msgspec.MsgspecError, KeyError, ValueError):
            return  # this message says nothing; an earlier one will

    def result(self, run_id: str) -> LastSeen:
        """What was found; a run of which nothing is told has not left READY."""
        tick, t = self._at or (0, 0.0)
        summary = None if self._summary is None else msgspec.to_builtins(self._summary)
        state = self._state or RunState.READY
        return LastSeen(run_id, state, tick, t, self._vehicles, summary, self._orders or [])
