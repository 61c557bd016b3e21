"""Any moment of a recording without reading what comes before it.

The parts are read as one, and a tick that stands there twice counts once, as in `reader`. What is
damaged is found when it is looked at; from then on it is as if it had not been written.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np

from movenv.recording.cdr import DecodeError
from movenv.recording.container import message_at
from movenv.recording.file import RecordingFile
from movenv.recording.layouts import NOTICE_LAYOUT, NOTICES, SNAPSHOTS
from movenv.recording.places import I8, TOPICS, Places, nanoseconds, places_in, places_of
from movenv.recording.reader import Recording
from movenv.world.columns import F8
from movenv.world.messages import Encounters, Snapshot

KEPT_BYTES = 64 * 1024 * 1024
"""Of decompressed chunks."""
NUMBER = {topic: number for number, topic in enumerate(TOPICS)}


@dataclass(frozen=True)
class Found:
    """What a recording tells of one tick."""

    snapshot: Snapshot
    numbers: dict[str, Any]
    """Those that stand before the snapshot's columns."""
    encounters: Encounters


@dataclass(frozen=True)
class _Timeline:
    """The ticks that count, in order."""

    at: I8
    row: I8
    """Of the snapshot, in the places."""
    notice: I8
    """Row of the encounters; -1 where there are none."""


class Seeker:
    """Random access to an open recording, from any thread."""

    def __init__(self, recording: Recording, kept_bytes: int = KEPT_BYTES) -> None:
        self._lock = threading.RLock()
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        self._kept_bytes, self._most_bytes = 0, kept_bytes
        self._files: list[tuple[RecordingFile, int]] = []
        """Of each chunk: the file and the number within it."""
        self._closed = False
        self._bad: set[tuple[int, int]] = set()
        """Snapshots that say nothing: chunk and offset."""
        places = []
        for part in recording.parts:
            found = places_of(part, len(self._files))
            self._files += [(part, i) for i in range(len(part.chunks))]
            if part.damage.truncated and part.chunks:
                found = self._without_torn_tick(_last_chunk_read(part, found, len(self._files) - 1))
            places.append(found)
        self._arrange(Places.joined(places))

    def _without_torn_tick(self, places: Places) -> Places:
        """Without the last snapshot of a part that was cut off, if nobody is near in it.

        Who was near whom may have been cut off: better a tick less than a false all-clear.
        """
        rows = np.flatnonzero(places.topic == NUMBER[SNAPSHOTS])
        near = places.topic == NUMBER[NOTICES]
        if not len(rows) or (near & (places.at == places.at[rows[-1]]))[rows[-1] :].any():
            return places
        self._bad.add((int(places.chunk[rows[-1]]), int(places.offset[rows[-1]])))
        return places.take(np.arange(len(places)) != rows[-1])

    def close(self) -> None:
        """Before the recording is closed: whoever still asks finds nothing."""
        with self._lock:
            self._closed = True
            self._kept.clear()
            self._arrange(Places.joined([]))

    @property
    def chunks(self) -> int:
        return len(self._files)

    @property
    def times(self) -> F8:
        """When the ticks are that count, s."""
        return self._timeline.at / 1e9

    def gaps(self, period: float) -> list[tuple[float, float]]:
        """Between which times ticks are missing; a tick is due every `period`."""
        times = self.times
        wide = np.flatnonzero(np.diff(times) > 1.5 * period)
        return [(float(times[i]), float(times[i + 1])) for i in wide]

    def _arrange(self, places: Places) -> None:
        """Take these as all messages there are."""
        self._places = places
        rows = np.flatnonzero(places.topic == NUMBER[SNAPSHOTS])
        at = places.at[rows]
        before = np.maximum.accumulate(np.concatenate([[-1], at[:-1]]))[: len(at)]
        first = at > before
        self._timeline = _Timeline(at[first], rows[first], self._notices(rows)[first])
        self._by_time: dict[str, I8] = {}

    def _notices(self, snapshots: I8) -> I8:
        """Of each snapshot, the encounters that were written with it."""
        places = self._places
        found = np.full(len(snapshots), -1, np.int64)
        rows = np.flatnonzero(places.topic == NUMBER[NOTICES])
        if len(rows) and len(snapshots):
            beside = np.searchsorted(snapshots, rows) - 1
            fits = (beside >= 0) & (places.at[snapshots[beside]] == places.at[rows])
            found[beside[fits]] = rows[fits]
        return found

    # --- what is asked for

    def at(self, t: float) -> Found | None:
        """The latest tick at `t` or before, or the first of all; None where there is none."""
        while True:
            with self._lock:
                timeline, places = self._timeline, self._places
            if not len(timeline.at):
                return None
            which = max(int(np.searchsorted(timeline.at, nanoseconds(t), "right")) - 1, 0)
            row, notice = int(timeline.row[which]), int(timeline.notice[which])
            data = self.message(places, row)
            near = self.message(places, notice) if notice >= 0 else b""
            if self._places is not places:
                continue  # something was not as the index has it
            decoded = self._file(int(places.chunk[row])).snapshot(data or b"")
            if decoded is None:
                self._forget_bad_snapshots(int(places.chunk[row]))
                continue
            return Found(*decoded, _encounters(near))

    def step(self, t: float, ticks: int) -> float:
        """When the tick is that lies this many after (before) the one at `t`, as far as it goes."""
        while True:
            at = self._timeline.at
            if not len(at):
                return t
            present = max(int(np.searchsorted(at, nanoseconds(t), "right")) - 1, 0)
            there = float(at[min(max(present + ticks, 0), len(at) - 1)]) / 1e9
            self.at(there)
            if self._timeline.at is at:  # what stands there can be read
                return there

    def latest(self, topic: str, t: float, within: float = np.inf) -> bytes | None:
        """The latest message of a topic at `t` or before, if not older than `within` s."""
        while True:
            with self._lock:
                places, rows = self._places, self._rows_by_time(topic)
            at = nanoseconds(t)
            which = int(np.searchsorted(places.at[rows], at, "right")) - 1
            if which < 0 or at - int(places.at[rows[which]]) > within * 1e9:
                return None
            data = self.message(places, int(rows[which]))
            if self._places is places:
                return data

    def _rows_by_time(self, topic: str) -> I8:
        if topic not in self._by_time:
            rows = np.flatnonzero(self._places.topic == NUMBER[topic])
            self._by_time[topic] = rows[np.argsort(self._places.at[rows], kind="stable")]
        return self._by_time[topic]

    # --- chunks

    def _file(self, chunk: int) -> RecordingFile:
        return self._files[chunk][0]

    def message(self, places: Places, row: int) -> bytes | None:
        """The message in a row of places that still hold; None where they turn out not to."""
        data = self._chunk(int(places.chunk[row]))
        return message_at(data, int(places.offset[row])) if self._places is places else None

    def _chunk(self, number: int) -> bytes:
        """What a chunk holds, kept for a while."""
        with self._lock:
            if number in self._kept:
                self._kept.move_to_end(number)
                return self._kept[number]
        data, _ = self.read_chunk(number)
        with self._lock:
            if number not in self._kept:
                self._kept[number] = data
                self._kept_bytes += len(data)
            while self._kept_bytes > self._most_bytes and len(self._kept) > 1:
                self._kept_bytes -= len(self._kept.popitem(last=False)[1])
        return data

    def read_chunk(self, number: int) -> tuple[bytes, Places]:
        """What a chunk holds and where its messages lie in it, past what is kept."""
        file, within = self._files[number]
        data = file.chunk_data(file.chunks[within])
        truth = self._without_bad(places_in(file, data, number), number)
        self._compare(number, truth)
        return data, truth

    def _without_bad(self, places: Places, number: int) -> Places:
        with self._lock:
            bad = [offset for chunk, offset in self._bad if chunk == number]
        return places.take(~np.isin(places.offset, bad)) if bad else places

    def file_of(self, number: int) -> RecordingFile:
        """The file that holds a chunk."""
        return self._file(number)

    def _compare(self, number: int, truth: Places) -> None:
        """Where the index of a chunk does not tell the truth, the chunk does."""
        with self._lock:
            if self._closed:
                return
            rows = self._places.of_chunk(number)
            if not self._places.take(rows).same(truth):
                self._replace(rows, truth)

    def _replace(self, rows: slice, by: Places) -> None:
        before, behind = slice(0, rows.start), slice(rows.stop, None)
        self._arrange(Places.joined([self._places.take(before), by, self._places.take(behind)]))

    def _forget_bad_snapshots(self, number: int) -> None:
        file, data = self._file(number), self._chunk(number)
        with self._lock:
            rows = self._places.of_chunk(number)
            here = self._places.take(rows)
            snapshots = here.offset[here.topic == NUMBER[SNAPSHOTS]].tolist()
            bad = [o for o in snapshots if file.snapshot(message_at(data, o)) is None]
            self._bad.update((number, offset) for offset in bad)
            self._replace(rows, here.take(~np.isin(here.offset, bad)))


def _last_chunk_read(part: RecordingFile, places: Places, number: int) -> Places:
    """With the part's last chunk as it is: its index may have been cut off."""
    truth = places_in(part, part.chunk_data(part.chunks[-1]), number)
    return Places.joined([places.take(places.chunk < number), truth])


def _encounters(data: bytes | None) -> Encounters:
    """Those of a message; none where there is no message or it says nothing."""
    try:
        return NOTICE_LAYOUT.decode(data)[1] if data else Encounters.empty()
    except DecodeError:
        return Encounters.empty()
