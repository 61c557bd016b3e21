"""Fetching a run from a database into files, the same messages in the same order."""

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import cast

import msgspec
import numpy as np
from mcap.opcode import Opcode

from movenv.recording.container import walk
from movenv.recording.file import RecordingFile
from movenv.recording.layouts import SNAPSHOT_LAYOUT, SNAPSHOTS, RunRecord
from movenv.recording.mongo.database import Database, Document, in_words
from movenv.recording.mongo.documents import joined
from movenv.recording.mongo.rows import Rows
from movenv.recording.parts import part_path
from movenv.recording.writer import RecordingError, RecordingRefused, RecordingWriter
from movenv.world.columns import Table

LISTED = 20
NEWEST_FIRST = [("started", -1), ("_id", 1)]


def runs(database: Database) -> list[Document]:
    """What is known of each run, the newest first. Raises RecordingError."""
    with in_words(database.address):
        return list(database.runs.find({}, {"roster": 0, "scenario": 0}).sort(NEWEST_FIRST))


def find_run(database: Database) -> Document:
    """The run that is asked for, or the latest. Raises RecordingError, and lists what there is."""
    wanted, address = database.address.run, database.address
    with in_words(address):
        found = (
            database.runs.find_one({"_id": wanted})
            if wanted
            else database.runs.find_one({}, sort=NEWEST_FIRST)
        )
    if found is not None:
        return found
    names = [str(run["_id"]) for run in runs(database)]
    if not names:
        raise RecordingRefused(f"{address.shown} holds no run")
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    raise RecordingRefused(
        f"{address.shown} holds no run '{wanted}'; there are {', '.join(names[:LISTED])}{more}"
    )


def fetch(
    database: Database,
    run: Document,
    path: Path,
    progress: Callable[[float], None] = lambda share: None,
) -> None:
    """Write a run's messages to `path`, and its further parts beside it. Raises RecordingError."""
    with in_words(database.address):
        writer: RecordingWriter | None = None
        part = 0
        try:
            for document, data in _messages(database, run, progress):
                if document["part"] != part:
                    _end(writer, run, part)
                    part = document["part"]
                    record = msgspec.json.decode(data, type=RunRecord)
                    writer = RecordingWriter(part_path(path, part), record)
                elif writer is not None:
                    writer.put(document["meta"]["topic"], document["t"], data)
        finally:
            _end(writer, run, part)
    if writer is None:
        raise RecordingRefused(f"{database.address.with_run(run['_id']).told} has no messages yet")


def _end(writer: RecordingWriter | None, run: Document, part: int) -> None:
    """Close a part; one that was never closed is left without an end, as it was."""
    if writer is None:
        return
    writer.abandon()
    with RecordingFile(writer.path) as written:
        if written.damage.truncated:
            raise RecordingError(f"cannot write {writer.path}: the disk may be full")
    if not run["feeding"].get("closed", {}).get(str(part), False):
        with writer.path.open("r+b") as file:
            end = next(place.offset for place in walk(file) if place.opcode == Opcode.DATA_END)
            file.truncate(end)


def _messages(
    database: Database, run: Document, progress: Callable[[float], None]
) -> Iterator[tuple[Document, bytes]]:
    """The document and the data of every message that counts, in the order of the file."""
    spans: list[list[int]] = run["feeding"].get("batches", [])
    total, done = sum(last - first + 1 for first, last in spans), 0
    for first, last in spans:
        for batch in range(first, last + 1):
            yield from _batch(database, run["_id"], batch)
            done += 1
            progress(done / total)


def _batch(database: Database, run: str, batch: int) -> Iterator[tuple[Document, bytes]]:
    wanted = {"meta.run": run, "meta.batch": batch}
    events = sorted(
        database.events.find(wanted), key=lambda event: (event["seq"], event.get("piece", 0))
    )
    tables = _tables(database, wanted)
    for seq, documents in groupby(events, key=lambda event: event["seq"]):
        first, *others = documents
        if "raw" in first:
            yield first, b"".join(document["raw"] for document in (first, *others))
            continue
        topic = first["meta"]["topic"]
        try:
            rows = tables[seq] if topic == SNAPSHOTS else None
            yield first, joined(topic, first["body"], rows)
        except KeyError as error:
            raise RecordingError(
                f"{database.address.with_run(run).told}: a message of {topic} has no {error}; "
                f"it was changed, or written by another version of movenv"
            ) from None


def _tables(database: Database, wanted: Document) -> dict[int, Table]:
    """The vehicles of each snapshot of a batch, by the number of the message."""
    rows = Rows()
    for documents in database.snapshots.find_raw_batches(wanted, {"_id": 0, "place": 0}):
        rows.add(cast(bytes, documents))  # whatever the driver declares
    if not rows:
        return {}
    seq, vid = rows.column("seq", "<i8"), rows.column("meta.vid", "<u4")
    order = np.lexsort((vid, seq))
    kind = SNAPSHOT_LAYOUT.table
    names = {name: "meta.vid" if name == "vid" else name for name in kind.dtypes}
    whole = kind({name: rows.column(names[name], d.str)[order] for name, d in kind.dtypes.items()})
    found, begins = np.unique(seq[order], return_index=True)
    ends = [*begins[1:].tolist(), len(seq)]
    return {
        number: whole.take(np.arange(begin, end))
        for number, begin, end in zip(found.tolist(), begins.tolist(), ends, strict=True)
    }
