"""The frame of an MCAP file: records one after the other, each with its length.

It is read here instead of with mcap's own reader, because that one gives up on a file without an
end, and takes a short read for a record.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, ChunkIndex, McapRecord
from mcap.writer import MCAP0_MAGIC

MAGIC: bytes = MCAP0_MAGIC

RECORD_HEAD = struct.Struct("<BQ")
"""Opcode and length of the body."""
MESSAGE_HEAD = struct.Struct("<HIQQ")
"""Channel, sequence, log time, publish time."""
INDEX_HEAD = struct.Struct("<HI")
"""Of the index of one channel's messages: channel, length of what follows."""
FOOTER_SIZE = RECORD_HEAD.size + 20 + len(MAGIC)
MAX_CHUNK = 2**30
ZSTD_NAMED = b"\x04\x00\x00\x00zstd"
"""How a chunk names its compression, this far behind its beginning:"""
ZSTD_NAMED_AT = RECORD_HEAD.size + 28
WINDOW = 1024 * 1024
"""How much is read at once on the way back from the end, bytes."""

Record = tuple[int, memoryview]
"""Opcode and body."""


class ChunkDamaged(ValueError):
    """A chunk that is not what was written."""


@dataclass(frozen=True)
class RecordPlace:
    """A whole record in a file."""

    opcode: int
    offset: int
    end: int

    @property
    def body(self) -> int:
        return self.offset + RECORD_HEAD.size


def walk(file: IO[bytes]) -> Iterator[RecordPlace]:
    """Every record that is whole, from the beginning; stops at the first that is not."""
    size = file.seek(0, 2)
    at = len(MAGIC)
    while at + RECORD_HEAD.size <= size:
        file.seek(at)
        opcode, length = RECORD_HEAD.unpack(file.read(RECORD_HEAD.size))
        end = at + RECORD_HEAD.size + length
        if end > size:
            return
        yield RecordPlace(opcode, at, end)
        at = end


def summary_start(file: IO[bytes], size: int) -> tuple[int, bytes] | None:
    """Where the records end and the index begins, and the footer; None without a sound footer."""
    if size < FOOTER_SIZE + len(MAGIC):
        return None
    file.seek(size - FOOTER_SIZE)
    footer = file.read(FOOTER_SIZE)
    if footer[-len(MAGIC) :] != MAGIC or footer[0] != Opcode.FOOTER:
        return None
    start = int.from_bytes(footer[RECORD_HEAD.size : RECORD_HEAD.size + 8], "little")
    return (start, footer) if len(MAGIC) <= start <= size - FOOTER_SIZE else None


def chunks_from_end(file: IO[bytes], furthest: int) -> Iterator[list[Record]]:
    """The records of each sound chunk, the last chunk first, within `furthest` bytes of the end.

    A file that was cut off has no index, and walking it would take longer the longer the run was.
    """
    size = file.seek(0, 2)
    footer = summary_start(file, size)
    end = footer[0] if footer else size
    last = max(end - furthest, 0)
    while end > last:
        start = max(end - WINDOW, last)
        file.seek(start)
        window = file.read(end - start + len(ZSTD_NAMED) - 1)
        at = window.rfind(ZSTD_NAMED)
        while at >= 0:
            chunk = _chunk_at(file, start + at - ZSTD_NAMED_AT, size)
            if chunk is not None:
                yield chunk
            at = window.rfind(ZSTD_NAMED, 0, at + len(ZSTD_NAMED) - 1)
        end = start


def _chunk_at(file: IO[bytes], offset: int, size: int) -> list[Record] | None:
    """The chunk that seems to begin here; None when it only seemed so, or is damaged."""
    if offset < len(MAGIC):
        return None
    file.seek(offset)
    head = file.read(RECORD_HEAD.size)
    opcode, length = RECORD_HEAD.unpack(head)
    if opcode != Opcode.CHUNK or offset + len(head) + length > size:
        return None
    try:
        return open_chunk(head + file.read(length))
    except ChunkDamaged:
        return None


def open_chunk(raw: bytes) -> list[Record]:
    """The records in a chunk, given as it stands in the file. Raises ChunkDamaged."""
    return list(records(chunk_data(raw)))


def chunk_data(raw: bytes) -> bytes:
    """What was compressed into a chunk, given as it stands in the file. Raises ChunkDamaged."""
    try:
        opcode, length = RECORD_HEAD.unpack_from(raw)
        chunk = parse(opcode, memoryview(raw)[RECORD_HEAD.size :])
        if not isinstance(chunk, Chunk) or len(raw) != RECORD_HEAD.size + length:
            raise ChunkDamaged("not a chunk")
        if chunk.compression != "zstd" or chunk.uncompressed_size > MAX_CHUNK:
            raise ChunkDamaged("not compressed by movenv")
        if zstandard.frame_content_size(chunk.data) != chunk.uncompressed_size:
            raise ChunkDamaged("not of the size it was")
        data = zstandard.ZstdDecompressor().decompress(
            chunk.data, max_output_size=chunk.uncompressed_size
        )
    except (ValueError, struct.error, zstandard.ZstdError, ArithmeticError, MemoryError) as error:
        raise ChunkDamaged(str(error)) from None
    if zlib.crc32(data) != chunk.uncompressed_crc:
        raise ChunkDamaged("checksum")
    return data


def records(data: bytes) -> Iterator[Record]:
    """Each whole record."""
    view = memoryview(data)
    at = 0
    while at + RECORD_HEAD.size <= len(view):
        opcode, length = RECORD_HEAD.unpack_from(view, at)
        at += RECORD_HEAD.size
        if at + length > len(view):
            return
        yield opcode, view[at : at + length]
        at += length


def messages(
    chunk: list[Record], topics: dict[int, str], wanted: set[str]
) -> Iterator[tuple[str, bytes]]:
    """Topic and data of the wanted messages of a chunk; adds the channels it names to `topics`."""
    for opcode, body in chunk:
        if opcode == Opcode.CHANNEL:
            channel = parse(opcode, body)
            if isinstance(channel, Channel):
                topics[channel.id] = channel.topic
        elif opcode == Opcode.MESSAGE and len(body) >= MESSAGE_HEAD.size:
            topic = topics.get(MESSAGE_HEAD.unpack_from(body)[0])
            if topic in wanted:
                yield topic, bytes(body[MESSAGE_HEAD.size :])


def message_places(data: bytes, topics: dict[int, str]) -> Iterator[tuple[int, int, int]]:
    """Channel, log time and offset of each message in what `chunk_data` gave.

    Adds the channels that are named there to `topics`.
    """
    at = 0
    for opcode, body in records(data):
        if opcode == Opcode.CHANNEL:
            channel = parse(opcode, body)
            if isinstance(channel, Channel):
                topics[channel.id] = channel.topic
        elif opcode == Opcode.MESSAGE and len(body) >= MESSAGE_HEAD.size:
            number, _, stamp, _ = MESSAGE_HEAD.unpack_from(body)
            yield number, stamp, at
        at += RECORD_HEAD.size + len(body)


def message_at(data: bytes, offset: int) -> bytes:
    """The message that begins at an offset that `message_places` gave."""
    _, length = RECORD_HEAD.unpack_from(data, offset)
    start = offset + RECORD_HEAD.size
    return data[start + MESSAGE_HEAD.size : start + length]


def indexed_places(index: bytes) -> list[tuple[int, memoryview]] | None:
    """Of each channel, the log times and offsets that stand behind a chunk, eight bytes a number.

    None for anything that is no such index.
    """
    found = []
    covered = 0
    for opcode, body in records(index):
        covered += RECORD_HEAD.size + len(body)
        if opcode != Opcode.MESSAGE_INDEX or len(body) < INDEX_HEAD.size:
            return None
        channel, length = INDEX_HEAD.unpack_from(body)
        if length % 16 or length != len(body) - INDEX_HEAD.size:
            return None
        found.append((channel, body[INDEX_HEAD.size :]))
    return found if found and covered == len(index) else None


_READERS: dict[int, Any] = {
    Opcode.CHANNEL: Channel,
    Opcode.CHUNK: Chunk,
    Opcode.CHUNK_INDEX: ChunkIndex,
}


def parse(opcode: int, body: memoryview) -> McapRecord | None:
    """A channel, chunk or chunk index; None for anything else, and for nonsense."""
    reader = _READERS.get(opcode)
    if reader is None:
        return None
    try:
        record: McapRecord = reader.read(ReadDataStream(BytesIO(body)))
    except (McapError, struct.error, UnicodeDecodeError, OverflowError, MemoryError):
        return None
    return record
