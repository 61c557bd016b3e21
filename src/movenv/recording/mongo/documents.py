"""Messages of a recording as documents, and back without a difference.

A document is only used where the same bytes can be made from it again; any other message, one
that is damaged say, is kept as bytes.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import bson
import msgspec
import numpy as np
from bson.errors import InvalidBSON, InvalidDocument, InvalidStringData

from movenv.recording.cdr import DecodeError
from movenv.recording.layouts import LATEST_START, LAYOUTS, SNAPSHOTS
from movenv.recording.mongo.rows import widened
from movenv.world.columns import Table

PIECE = 1024 * 1024
"""A larger message is cut: a time series takes at most 4 MiB a document."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Body = dict[str, Any]


def split(topic: str, data: bytes) -> tuple[Body | None, Table | None]:
    """A message as a readable body and, of a snapshot, the rows that are documents of their own.

    No body where the message could not be made from it again.
    """
    if topic in LAYOUTS:
        return _split_table(topic, data)
    try:
        body = msgspec.json.decode(data)
    except msgspec.MsgspecError:
        return None, None
    known = isinstance(body, dict) and msgspec.json.encode(body) == data
    return (body if known else None), None


def _split_table(topic: str, data: bytes) -> tuple[Body | None, Table | None]:
    try:
        numbers, table = LAYOUTS[topic].decode(data)
    except DecodeError:
        return None, None
    again = widened(table)
    if LAYOUTS[topic].encode(numbers, again) != data:
        return None, None
    if topic == SNAPSHOTS:
        ordered = len(table) > 0 and bool((np.diff(table.vid.astype(np.int64)) > 0).all())
        return (numbers, table) if ordered else (None, None)
    return numbers | {name: column.tolist() for name, column in again.columns()}, None


def joined(topic: str, body: Body, rows: Table | None) -> bytes:
    """The message that was split. Raises KeyError when something is missing."""
    if topic not in LAYOUTS:
        return msgspec.json.encode(body, enc_hook=int)  # large integers are BSON's own kind of int
    layout = LAYOUTS[topic]
    if rows is None:
        dtypes = layout.table.dtypes
        rows = layout.table({name: np.array(body[name], dtype) for name, dtype in dtypes.items()})
    return layout.encode({name: body[name] for name in layout.numbers}, rows)


def event_documents(shared: Body, body: Body | None, data: bytes) -> Iterator[bytes]:
    """What stands in `events` of a message: one document, or its bytes in pieces."""
    if body is not None and (document := _encoded(shared | {"body": body})) is not None:
        yield document
        return
    pieces = max(1, -(-len(data) // PIECE))
    for piece in range(pieces):
        raw = data[piece * PIECE : (piece + 1) * PIECE]
        yield bson.encode(shared | {"piece": piece, "pieces": pieces, "raw": raw})


def _encoded(document: Body) -> bytes | None:
    """None for what BSON cannot hold, and for what a time series cannot."""
    if not _plain_names(document["body"]):
        return None
    try:
        data = bson.encode(document)
    except (OverflowError, InvalidBSON, InvalidDocument, InvalidStringData):
        return None
    return data if len(data) <= PIECE else None


def _plain_names(value: Any) -> bool:
    """Whether no name in it means something else to a database."""
    if isinstance(value, dict):
        names = all(n and not n.startswith("$") and "." not in n and "\0" not in n for n in value)
        return names and all(_plain_names(item) for item in value.values())
    return not isinstance(value, list) or all(
        _plain_names(item) for item in value if isinstance(item, (dict, list))
    )


def moment(body: Body | None, stamp: float) -> datetime:
    """When a message was: by the wall clock where it tells, else by the clock of the run."""
    utc = (body or {}).get("utc")
    clock = utc if isinstance(utc, float) and 0 < utc <= LATEST_START else stamp
    return EPOCH + timedelta(milliseconds=round(clock * 1000))


def milliseconds(when: datetime) -> int:
    """Since 1970."""
    return (when - EPOCH) // timedelta(milliseconds=1)
