"""Following a recording while it is written: what has come since, chunk by chunk, part by part."""

import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from mcap.opcode import Opcode

from movenv.recording.container import (
    MAGIC,
    MAX_CHUNK,
    RECORD_HEAD,
    ChunkDamaged,
    chunk_data,
    message_at,
    message_places,
)
from movenv.recording.layouts import JSON_TOPICS, LAYOUTS, RunRecord
from movenv.recording.parts import belongs, later_parts, part_path

SECOND_NS = 1e9


@dataclass(frozen=True)
class Place:
    """How far somebody has read: behind a chunk of a part."""

    part: int = 1
    offset: int = len(MAGIC)
    chunk: int = 0
    """Where the chunk before it begins; 0 for none."""
    crc: int = 0
    """Of that chunk, to know the file by."""
    topics: dict[str, str] = field(default_factory=dict)
    """Those named so far, by channel: each is named once a part."""


@dataclass(frozen=True)
class Message:
    """One message as it stands in the file."""

    topic: str
    stamp: float
    """Its time in the file, s since 1970."""
    stamp_ns: int
    data: bytes


@dataclass(frozen=True)
class Followed:
    """A chunk that was read."""

    place: Place
    messages: list[Message]
    damaged: bool = False


class Follower:
    """Reads a recording and its parts on from a place. Use as a context manager."""

    def __init__(self, first: Path, run: RunRecord, place: Place) -> None:
        self._first = first
        self._run = run
        self.place = place
        self.closed: dict[int, bool] = {}
        """Of each part that was read to its end, whether it has one."""
        self._file: IO[bytes] | None = None
        self._topics: dict[int, str] = {}

    def __enter__(self) -> "Follower":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def ended(self) -> bool:
        """Whether the part that is read now was closed, and all of it was read."""
        return self.closed.get(self.place.part, False)

    @property
    def goes_on(self) -> bool:
        """Whether a further part has begun after the one that is read now."""
        return self._following() is not None

    def next(self) -> Followed | None:
        """The next chunk that is whole; None while there is none."""
        while True:
            following = self._following()
            found = self._next_here()  # all of it is there when a further part is
            if found is not None or following is None:
                return found
            self.closed.setdefault(self.place.part, False)
            self._close()
            self.place = Place(following)

    def _following(self) -> int | None:
        """The part that goes on after this one, if it has begun."""
        for number, path in later_parts(self._first).items():
            if number > self.place.part and belongs(path, self._run):
                return number
        return None

    def _next_here(self) -> Followed | None:
        if self._file is None and not self._open():
            return None
        assert self._file is not None
        while not self.ended:
            self._file.seek(self.place.offset)
            head = self._file.read(RECORD_HEAD.size)
            if len(head) < RECORD_HEAD.size:
                return None
            opcode, length = RECORD_HEAD.unpack(head)
            if opcode == Opcode.DATA_END:
                self.closed[self.place.part] = True
                return None
            if opcode != Opcode.CHUNK:
                if not self._whole(length):
                    return None
                self._go_on(length)
                continue
            body = self._file.read(length)
            if len(body) < length:
                return None
            self.place = replace(self.place, chunk=self.place.offset, crc=zlib.crc32(body))
            self._go_on(length)
            return self._understood(head + body)
        return None

    def _whole(self, length: int) -> bool:
        assert self._file is not None
        return self.place.offset + RECORD_HEAD.size + length <= self._file.seek(0, 2)

    def _go_on(self, length: int) -> None:
        self.place = replace(self.place, offset=self.place.offset + RECORD_HEAD.size + length)

    def _open(self) -> bool:
        """Open the part we are at. Raises AnotherFile when what we read is not there."""
        try:
            self._file = part_path(self._first, self.place.part).open("rb")
        except FileNotFoundError:
            return False
        self._topics = {int(number): topic for number, topic in self.place.topics.items()}
        if self.place.chunk:
            self._file.seek(self.place.chunk)
            head = self._file.read(RECORD_HEAD.size)
            length = RECORD_HEAD.unpack(head)[1] if len(head) == RECORD_HEAD.size else 0
            if length > MAX_CHUNK or zlib.crc32(self._file.read(length)) != self.place.crc:
                raise AnotherFile
        return True

    def _understood(self, raw: bytes) -> Followed:
        try:
            data = chunk_data(raw)
        except ChunkDamaged:
            return Followed(self.place, [], damaged=True)
        found = [
            Message(self._topics[channel], stamp / SECOND_NS, stamp, message_at(data, offset))
            for channel, stamp, offset in message_places(data, self._topics)
            if channel in self._topics
        ]
        known = [message for message in found if message.topic in LAYOUTS | JSON_TOPICS]
        self.place = replace(self.place, topics={str(n): t for n, t in self._topics.items()})
        return Followed(self.place, known)


class AnotherFile(Exception):
    """What stands at a place is not what was read there."""
