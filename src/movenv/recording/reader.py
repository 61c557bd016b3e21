"""Reading a recording, also one that was cut off or damaged: every whole chunk counts.

The container is read record by record here instead of with mcap's own reader, because that one
gives up on a file without an end, and takes a short read for a record.
"""

import struct
import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import msgspec
import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, ChunkIndex, McapRecord

from movenv.recording.cdr import DecodeError
from movenv.recording.container import MAGIC, RECORD_HEAD, walk
from movenv.recording.layouts import (
    BROADCASTS,
    FORMAT_VERSION,
    LAYOUTS,
    RUN,
    RUN_STATE,
    SNAPSHOTS,
    SUMMARY,
    BroadcastsRecord,
    RunRecord,
    RunStateRecord,
    SummaryRecord,
)
from movenv.recording.writer import RecordingRefused
from movenv.world.messages import Roster, Snapshot, VehicleStates
from movenv.world.run_state import RunState

FOOTER_SIZE = RECORD_HEAD.size + 20 + len(MAGIC)
MAX_CHUNK = 2**30
MESSAGE_HEAD = struct.Struct("<HIQQ")


@dataclass(frozen=True)
class _ChunkPlace:
    """Where a chunk lies and which channels it holds; None where that is not known."""

    offset: int
    length: int
    channels: frozenset[int] | None


@dataclass
class Damage:
    """What could not be read."""

    truncated: bool = False
    """The file has no proper end: the run or the disk ended before it was closed."""
    chunks: int = 0
    """Chunks that are not what was written."""
    messages: int = 0
    """Messages in whole chunks that cannot be understood."""

    def __bool__(self) -> bool:
        return self.truncated or bool(self.chunks) or bool(self.messages)


@dataclass
class _Contents:
    chunks: list[_ChunkPlace] = field(default_factory=list)
    topics: dict[int, str] = field(default_factory=dict)


class Recording:
    """An open recording. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = Damage()
        self._bad_chunks: set[int] = set()
        try:
            self._file: IO[bytes] = open(path, "rb")  # noqa: SIM115
            self._size = self._file.seek(0, 2)
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

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def snapshots(self) -> Iterator[tuple[Snapshot, dict[str, Any]]]:
        """Every snapshot in order, with the numbers that stand before its columns."""
        for numbers, table in self.tables(SNAPSHOTS):
            try:
                state = RunState(numbers["state"])
            except ValueError:
                self.damage.messages += 1
                continue
            if len(table) and not self._known(table):
                self.damage.messages += 1
                continue
            yield Snapshot(numbers["tick"], numbers["t"], state, table), numbers

    def _known(self, vehicles: VehicleStates) -> bool:
        """Whether every row is of the roster; snapshots hold the whole roster in order."""
        return (
            len(vehicles) == len(self.roster)
            and bool((vehicles.vid == self.roster.vids).all())
            and int(vehicles.behavior.max()) <= len(self.roster.behaviors)
            and int(vehicles.run_state.min()) >= RunState.READY
            and int(vehicles.run_state.max()) <= RunState.STOP
        )

    def tables(self, topic: str) -> Iterator[tuple[dict[str, Any], Any]]:
        """Every message of a topic with a layout."""
        for data in self._messages({topic}):
            try:
                yield LAYOUTS[topic].decode(data)
            except DecodeError:
                self.damage.messages += 1

    def verify(self) -> None:
        """Read every chunk, so that `damage` tells of all that is wrong."""
        self.damage.messages = 0
        for place in self._contents.chunks:
            self._chunk(place)
        deque(self.snapshots(), maxlen=0)
        for topic in LAYOUTS.keys() - {SNAPSHOTS}:
            deque(self.tables(topic), maxlen=0)
        deque(self.broadcasts(), maxlen=0)

    def broadcasts(self) -> Iterator[BroadcastsRecord]:
        """What vehicles said, one record a tick on which somebody did."""
        for data in self._messages({BROADCASTS}):
            try:
                yield msgspec.json.decode(data, type=BroadcastsRecord)
            except msgspec.MsgspecError:
                self.damage.messages += 1

    def run_states(self) -> list[RunStateRecord]:
        states = []
        for data in self._messages({RUN_STATE}):
            try:
                states.append(msgspec.json.decode(data, type=RunStateRecord))
            except msgspec.MsgspecError:
                self.damage.messages += 1
        return states

    def summary(self) -> dict[str, Any] | None:
        """The closing summary; None for a recording that was not closed."""
        latest = None
        for data in self._messages({SUMMARY}):
            try:
                latest = msgspec.json.decode(data, type=SummaryRecord)
            except msgspec.MsgspecError:
                self.damage.messages += 1
        return None if latest is None else msgspec.to_builtins(latest)

    def _run_record(self) -> RunRecord:
        for data in self._messages({RUN}):
            run = msgspec.json.decode(data, type=RunRecord)
            if run.format != FORMAT_VERSION:
                raise RecordingRefused(
                    f"{self.path} has format {run.format}, this movenv reads {FORMAT_VERSION}"
                )
            return run
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
        if self._size < FOOTER_SIZE + len(MAGIC):
            return None
        self._file.seek(self._size - FOOTER_SIZE)
        end = self._file.read(FOOTER_SIZE)
        if end[-len(MAGIC) :] != MAGIC or end[0] != Opcode.FOOTER:
            return None
        start, _, crc = struct.unpack_from("<QQI", end, RECORD_HEAD.size)
        if not len(MAGIC) <= start <= self._size - FOOTER_SIZE:
            return None
        self._file.seek(start)
        summary = self._file.read(self._size - FOOTER_SIZE - start)
        if crc != zlib.crc32(end[: RECORD_HEAD.size + 16], zlib.crc32(summary)):
            return None
        contents = _Contents()
        for opcode, body in _records(summary):
            record = _parse(opcode, body)
            if isinstance(record, Channel):
                contents.topics[record.id] = record.topic
            elif isinstance(record, ChunkIndex):
                contents.chunks.append(
                    _ChunkPlace(
                        record.chunk_start_offset,
                        record.chunk_length,
                        frozenset(record.message_index_offsets),
                    )
                )
        return contents

    def _from_scan(self) -> _Contents:
        """The contents found by walking from record to record."""
        contents = _Contents()
        for record in walk(self._file):
            if record.opcode == Opcode.DATA_END:
                break
            if record.opcode == Opcode.CHUNK:
                length = record.end - record.offset
                contents.chunks.append(_ChunkPlace(record.offset, length, None))
        return contents

    def _messages(self, topics: set[str]) -> Iterator[bytes]:
        """The data of every message of these topics, in the order of writing."""
        names = self._contents.topics
        for place in self._contents.chunks:
            wanted = {number for number, topic in names.items() if topic in topics}
            if place.channels is not None and not (place.channels & wanted):
                continue
            for opcode, body in self._chunk(place):
                if opcode == Opcode.CHANNEL:
                    channel = _parse(opcode, body)
                    if isinstance(channel, Channel):
                        names[channel.id] = channel.topic
                elif opcode == Opcode.MESSAGE and len(body) >= MESSAGE_HEAD.size:
                    number = MESSAGE_HEAD.unpack_from(body)[0]
                    if names.get(number) in topics:
                        yield bytes(body[MESSAGE_HEAD.size :])

    def _chunk(self, place: _ChunkPlace) -> list[tuple[int, memoryview]]:
        """The records in a chunk; none, and a mark of damage, when it is not sound."""
        try:
            self._file.seek(place.offset)
            raw = self._file.read(place.length)
            head, length = RECORD_HEAD.unpack_from(raw)
            chunk = _parse(head, memoryview(raw)[RECORD_HEAD.size :])
            if not isinstance(chunk, Chunk) or len(raw) != RECORD_HEAD.size + length:
                raise ValueError("not a chunk")
            if chunk.compression != "zstd" or chunk.uncompressed_size > MAX_CHUNK:
                raise ValueError("not compressed by movenv")
            if zstandard.frame_content_size(chunk.data) != chunk.uncompressed_size:
                raise ValueError("not of the size it was")
            data = zstandard.ZstdDecompressor().decompress(
                chunk.data, max_output_size=chunk.uncompressed_size
            )
            if zlib.crc32(data) != chunk.uncompressed_crc:
                raise ValueError("checksum")
            return list(_records(data))
        except (
            ValueError,
            struct.error,
            zstandard.ZstdError,
            OSError,
            ArithmeticError,
            MemoryError,
        ):
            if place.offset not in self._bad_chunks:
                self._bad_chunks.add(place.offset)
                self.damage.chunks += 1
            return []


def _records(data: bytes) -> Iterator[tuple[int, memoryview]]:
    """Opcode and body of each whole record."""
    view = memoryview(data)
    at = 0
    while at + RECORD_HEAD.size <= len(view):
        opcode, length = RECORD_HEAD.unpack_from(view, at)
        at += RECORD_HEAD.size
        if at + length > len(view):
            return
        yield opcode, view[at : at + length]
        at += length


_READERS: dict[int, Any] = {
    Opcode.CHANNEL: Channel,
    Opcode.CHUNK: Chunk,
    Opcode.CHUNK_INDEX: ChunkIndex,
}


def _parse(opcode: int, body: memoryview) -> McapRecord | None:
    reader = _READERS.get(opcode)
    if reader is None:
        return None
    try:
        record: McapRecord = reader.read(ReadDataStream(BytesIO(body)))
    except (McapError, struct.error, UnicodeDecodeError, OverflowError, MemoryError):
        return None
    return record
