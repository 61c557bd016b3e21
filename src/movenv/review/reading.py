"""A recording in one pass: every message that counts, decoded, in the order of writing."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from movenv.recording.container import messages, records
from movenv.recording.file import RecordingFile
from movenv.recording.layouts import (
    BROADCASTS,
    DETECTIONS,
    EVENTS,
    HEALTH,
    JSON_TOPICS,
    NOTICES,
    RECEPTIONS,
    RUN_STATE,
    SNAPSHOTS,
)
from movenv.recording.reader import Recording, Repeats, Versions

TABLES = (NOTICES, DETECTIONS, RECEPTIONS)
PLAIN = (RUN_STATE, EVENTS, HEALTH, BROADCASTS)
LAST_CHUNKS = 8
TOPICS = {SNAPSHOTS, *TABLES, *PLAIN}


class Told(NamedTuple):
    """One message."""

    topic: str
    numbers: dict[str, Any]
    """Those that stand before a table's columns; none of a message in JSON."""
    record: Any
    """A Snapshot, a table or a record, as the topic has it."""


def everything(recording: Recording) -> Iterator[Told]:
    """All messages a review looks at, of the version of a tick that counts.

    The same as `Recording.snapshots`, `tables`, `events` and the like give one after the other,
    which would unpack the file once for each.
    """
    versions = Versions()
    repeats = {topic: Repeats() for topic in PLAIN}
    for part in recording.parts:
        for topic, data in part.messages(TOPICS):
            if topic == SNAPSHOTS:
                if (decoded := part.snapshot(data)) and versions.is_first(decoded[0].tick):
                    yield Told(topic, decoded[1], decoded[0])
            elif topic in TABLES:
                table = part.decode(topic, data)
                if table and versions.are_with(table[0]["tick"]):
                    yield Told(topic, *table)
            elif (record := _plain(part, topic, data)) and not repeats[topic].has(record, part):
                yield Told(topic, {}, record)


def reaches(recording: Recording) -> float:
    """About when a recording ends, s, from its last chunks; 0 where they do not tell."""
    for part in reversed(recording.parts):
        for place in part.chunks[: -LAST_CHUNKS - 1 : -1]:
            chunk = list(records(part.chunk_data(place)))
            for _, data in messages(chunk, part.topics, {SNAPSHOTS}):
                if decoded := part.snapshot(data):
                    return decoded[0].t
    return 0.0


def _plain(part: RecordingFile, topic: str, data: bytes) -> Any:
    try:
        return msgspec.json.decode(data, type=JSON_TOPICS[topic])
    except msgspec.MsgspecError:
        part.damage.messages += 1
        return None
