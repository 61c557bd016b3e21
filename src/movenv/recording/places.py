"""Where every message of a recording lies, told by the indexes behind its chunks.

Nothing is decompressed for that, but for a chunk whose index is lost or broken.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from movenv.recording.container import indexed_places, message_places
from movenv.recording.file import ChunkPlace, RecordingFile
from movenv.recording.layouts import JSON_TOPICS, LATEST_START, LAYOUTS

TOPICS = (*LAYOUTS, *JSON_TOPICS)
"""A number in a `topic` column is a place in these."""
UNKNOWN = len(TOPICS)
LATEST = LATEST_START * 1_000_000_000

I8 = NDArray[np.int64]
U8 = NDArray[np.uint64]


def nanoseconds(t: float) -> int:
    """As times are written in a file: the same `t` gives the same number."""
    return round(t * 1e9)


@dataclass(frozen=True)
class Places:
    """One row a message, in the order of writing."""

    at: I8
    """When, ns since the run began."""
    topic: I8
    chunk: I8
    offset: I8
    """In what the chunk holds."""

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        return cls(
            *(
                np.concatenate([np.empty(0, np.int64), *(getattr(p, name) for p in parts)])
                for name in ("at", "topic", "chunk", "offset")
            )
        )

    def __len__(self) -> int:
        return len(self.at)

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_] | slice) -> "Places":
        return Places(self.at[rows], self.topic[rows], self.chunk[rows], self.offset[rows])

    def of_chunk(self, chunk: int) -> slice:
        """The rows of a chunk."""
        first, last = np.searchsorted(self.chunk, [chunk, chunk + 1])
        return slice(int(first), int(last))

    def same(self, other: "Places") -> bool:
        """Whether these are the same messages at the same places."""
        return (
            np.array_equal(self.at, other.at)
            and np.array_equal(self.topic, other.topic)
            and np.array_equal(self.offset, other.offset)
        )


def places_of(file: RecordingFile, first_chunk: int) -> Places:
    """All messages of a file whose chunks are numbered from `first_chunk` on."""
    channels: list[int] = []
    chunks: list[int] = []
    entries: list[bytes | memoryview] = []
    opened: list[Places] = []
    for number, place in enumerate(file.chunks, start=first_chunk):
        index = indexed_places(file.index_data(place))
        if index is None:
            opened.append(places_in(file, file.chunk_data(place), number))
            continue
        for channel, listed in index:
            if channel not in file.topics:
                _learn_channels(file, place, channel)
            channels.append(channel)
            chunks.append(number)
            entries.append(listed)
    counts = [len(listed) // 16 for listed in entries]
    pairs = np.frombuffer(b"".join(entries), "<u8").reshape(-1, 2)
    found = _places(
        file,
        np.repeat(np.array(channels, np.int64), counts),
        pairs[:, 0],
        np.repeat(np.array(chunks, np.int64), counts),
        pairs[:, 1],
    )
    return _in_order(Places.joined([found, *opened]) if opened else found)


def places_in(file: RecordingFile, data: bytes, chunk: int) -> Places:
    """The messages in what a chunk holds."""
    listed = np.array(list(message_places(data, file.topics)), np.uint64).reshape(-1, 3)
    return _places(
        file,
        listed[:, 0].astype(np.int64),
        listed[:, 1],
        np.full(len(listed), chunk, np.int64),
        listed[:, 2],
    )


def _learn_channels(file: RecordingFile, place: ChunkPlace, channel: int) -> None:
    """A file without an end names its channels in the chunks where they first occur."""
    for _ in message_places(file.chunk_data(place), file.topics):
        pass
    file.topics.setdefault(channel, "")  # the chunk that named it is lost


def _places(file: RecordingFile, channel: I8, stamp: U8, chunk: I8, offset: U8) -> Places:
    numbers = {topic: number for number, topic in enumerate(TOPICS)}
    known, which = np.unique(channel, return_inverse=True)
    named = [numbers.get(file.topics.get(int(number), ""), UNKNOWN) for number in known]
    topic = np.array(named, np.int64)[which] if len(known) else np.empty(0, np.int64)
    start = nanoseconds(file.run.started_utc) % 2**64
    at = (stamp - np.array([start], np.uint64)).view(np.int64)  # nonsense may wrap around
    sound = (topic != UNKNOWN) & (at >= 0) & (at <= LATEST) & (offset < 2**31)
    return Places(at, topic, chunk, offset.astype(np.int64)).take(sound)


def _in_order(places: Places) -> Places:
    return places.take(np.argsort(places.chunk << 31 | places.offset, kind="stable"))
