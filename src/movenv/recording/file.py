"""Reading one file of a recording, also one cut off or damaged: every whole chunk counts."""

import struct
import threading
import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import msgspec
from mcap.opcode import Opcode
from mcap.records import Channel, ChunkIndex

from movenv.recording.cdr import DecodeError
from movenv.recording.container import (
    FOOTER_SIZE,
    MAGIC,
    RECORD_HEAD,
    Record,
    RecordPlace,
    chunk_data,
    messages,
    parse,
    records,
    summary_start,
    walk,
)
from movenv.recording.layouts import (
    JSON_TOPICS,
    LAYOUTS,
    RUN,
    SNAPSHOTS,
    RunRecord,
)
from movenv.recording.opening import decode_run
from movenv.recording.writer import RecordingRefused
from movenv.world.messages import Health, Roster, Snapshot, VehicleStates
from movenv.world.run_state import RunState


@dataclass(frozen=True)
class ChunkPlace:
    """Where a chunk lies, with the index of its messages right behind it."""

    offset: int
    length: int
    channels: frozenset[int] | None
    """Those it holds; None where that is not known."""
    index_length: int


def _left_out(count: int, what: str) -> str:
    several = "s were" if count != 1 else " was"
    return f"{count} unreadable {what}{several} left out"


@dataclass
class Damage:
    """What could not be read."""

    truncated: bool = False
    """The file has no proper end: the run or the disk ended before it was closed."""
    chunks: int = 0
    """Chunks that are not what was written."""
    messages: int = 0
    """Messages in whole chunks that cannot be understood."""

    @property
    def words(self) -> list[str]:
        """For people."""
        lines = []
        if self.truncated:
            lines.append("the file was not closed: the run or the disk ended early")
        if self.chunks:
            lines.append(_left_out(self.chunks, "chunk"))
        if self.messages:
            lines.append(_left_out(self.messages, "message"))
        return lines

    def __bool__(self) -> bool:
        return self.truncated or bool(self.chunks) or bool(self.messages)


@dataclass
class _Contents:
    chunks: list[ChunkPlace] = field(default_factory=list)
    topics: dict[int, str] = field(default_factory=dict)


class RecordingFile:
    """One open file, as it was written: a tick may stand in it twice. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = Damage()
        self._bad_chunks: set[int] = set()
        self._reading = threading.Lock()
        try:
            self._file: IO[bytes] = open(path, "rb")  # noqa: SIM115
            self.size = self._file.seek(0, 2)
        except OSError as error:
            raise RecordingRefused(f"cannot read {path}: {error.strerror}") from None
        try:
            self._contents = self._open()
            self.run = self._run_record()
            self.roster: Roster = self.run.roster.roster()
        except RecordingRefused:
            self._file.close()
            raise
        except (ValueError, msgspec.MsgspecError) as error:
            self._file.close()
            raise RecordingRefused(f"{path} is not a recording of movenv: {error}") from None

    def __enter__(self) -> "RecordingFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def snapshots(self) -> Iterator[tuple[Snapshot, dict[str, Any]]]:
        """Every snapshot in order, with the numbers that stand before its columns."""
        for _, data in self.messages({SNAPSHOTS}):
            if decoded := self.snapshot(data):
                yield decoded

    def snapshot(self, data: bytes) -> tuple[Snapshot, dict[str, Any]] | None:
        """One snapshot; None, and a mark of damage, when it cannot be understood."""
        decoded = self.decode(SNAPSHOTS, data)
        if decoded is None:
            return None
        numbers, table = decoded
        try:
            state = RunState(numbers["state"])
        except ValueError:
            self.damage.messages += 1
            return None
        if len(table) and not self._known(table):
            self.damage.messages += 1
            return None
        return Snapshot(numbers["tick"], numbers["t"], state, table), numbers

    def _known(self, vehicles: VehicleStates) -> bool:
        """Whether every row is of the roster; snapshots hold the whole roster in order."""
        return (
            len(vehicles) == len(self.roster)
            and bool((vehicles.vid == self.roster.vids).all())
            and int(vehicles.behavior.max()) <= len(self.roster.behaviors)
            and int(vehicles.health.max()) <= max(Health)
            and int(vehicles.run_state.min()) >= RunState.READY
            and int(vehicles.run_state.max()) <= RunState.STOP
        )

    def tables(self, topic: str) -> Iterator[tuple[dict[str, Any], Any]]:
        """Every message of a topic with a layout."""
        for _, data in self.messages({topic}):
            if decoded := self.decode(topic, data):
                yield decoded

    def decode(self, topic: str, data: bytes) -> tuple[dict[str, Any], Any] | None:
        """A message of this file; None, and a mark of damage, when it cannot be understood."""
        try:
            return LAYOUTS[topic].decode(data)
        except DecodeError:
            self.damage.messages += 1
            return None

    def verify(self) -> None:
        """Read every chunk, so that `damage` tells of all that is wrong."""
        self.damage.messages = 0
        for place in self._contents.chunks:
            self._chunk(place)
        deque(self.snapshots(), maxlen=0)
        for topic in LAYOUTS.keys() - {SNAPSHOTS}:
            deque(self.tables(topic), maxlen=0)
        for topic in JSON_TOPICS:
            deque(self.plain(topic), maxlen=0)

    def plain(self, topic: str) -> Iterator[Any]:
        """Every message of a topic in JSON."""
        for _, data in self.messages({topic}):
            try:
                yield msgspec.json.decode(data, type=JSON_TOPICS[topic])
            except msgspec.MsgspecError:
                self.damage.messages += 1

    def _run_record(self) -> RunRecord:
        for _, data in self.messages({RUN}):
            return decode_run(data, self.path)
        raise RecordingRefused(
            f"{self.path} is not a recording of movenv, or its beginning is lost"
        )

    def _open(self) -> _Contents:
        self._file.seek(0)
        if self._file.read(len(MAGIC)) != MAGIC:
            raise RecordingRefused(f"{self.path} is not an MCAP file")
        contents = self._from_summary()
        if contents is None:
            self.damage.truncated = True
            contents = self._from_scan()
        return contents

    def _from_summary(self) -> _Contents | None:
        """The contents as the end of the file tells them; None when it has no sound end."""
        found = summary_start(self._file, self.size)
        if found is None:
            return None
        start, footer = found
        self._file.seek(start)
        summary = self._file.read(self.size - FOOTER_SIZE - start)
        (crc,) = struct.unpack_from("<I", footer, RECORD_HEAD.size + 16)
        if crc != zlib.crc32(footer[: RECORD_HEAD.size + 16], zlib.crc32(summary)):
            return None
        contents = _Contents()
        for opcode, body in records(summary):
            record = parse(opcode, body)
            if isinstance(record, Channel):
                contents.topics[record.id] = record.topic
            elif isinstance(record, ChunkIndex):
                contents.chunks.append(
                    ChunkPlace(
                        record.chunk_start_offset,
                        record.chunk_length,
                        frozenset(record.message_index_offsets),
                        record.message_index_length,
                    )
                )
        return contents

    def _from_scan(self) -> _Contents:
        """The contents found by walking from record to record."""
        contents = _Contents()
        chunk: RecordPlace | None = None
        end = 0
        for record in walk(self._file):
            if record.opcode != Opcode.MESSAGE_INDEX:
                if chunk is not None:
                    contents.chunks.append(_scanned(chunk, end))
                chunk = record if record.opcode == Opcode.CHUNK else None
            if record.opcode == Opcode.DATA_END:
                break
            end = record.end
        if chunk is not None:
            contents.chunks.append(_scanned(chunk, end))
        return contents

    def messages(self, topics: set[str]) -> Iterator[tuple[str, bytes]]:
        """Topic and data of every message of these topics, in the order of writing."""
        names = self._contents.topics
        for place in self._contents.chunks:
            wanted = {number for number, topic in names.items() if topic in topics}
            if place.channels is None or place.channels & wanted:
                yield from messages(self._chunk(place), names, topics)

    @property
    def chunks(self) -> list[ChunkPlace]:
        return self._contents.chunks

    @property
    def topics(self) -> dict[int, str]:
        """By channel; where the file has no end, those that were met so far."""
        return self._contents.topics

    def _chunk(self, place: ChunkPlace) -> list[Record]:
        """The records in a chunk; none, and a mark of damage, when it is not sound."""
        return list(records(self.chunk_data(place)))

    def chunk_data(self, place: ChunkPlace) -> bytes:
        """A chunk's records as bytes; none, and a mark of damage, when it is not sound.

        May be called from several threads.
        """
        try:
            return chunk_data(self._read(place.offset, place.length))
        except (ValueError, OSError, ArithmeticError, MemoryError):
            if place.offset not in self._bad_chunks:
                self._bad_chunks.add(place.offset)
                self.damage.chunks += 1
            return b""

    def index_data(self, place: ChunkPlace) -> bytes:
        """What stands behind a chunk of where its messages are; nothing where it cannot be read."""
        try:
            return self._read(place.offset + place.length, min(place.index_length, self.size))
        except (ValueError, OSError):
            return b""

    def _read(self, offset: int, length: int) -> bytes:
        with self._reading:
            self._file.seek(offset)
            return self._file.read(length)


def _scanned(chunk: RecordPlace, end: int) -> ChunkPlace:
    """A chunk found by walking; its index reaches to `end`."""
    return ChunkPlace(chunk.offset, chunk.end - chunk.offset, None, end - chunk.end)
