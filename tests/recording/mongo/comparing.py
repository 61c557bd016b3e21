"""A recording in a database beside the file it came from."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pymongo import MongoClient

from movenv.recording.layouts import JSON_TOPICS, LAYOUTS, SNAPSHOTS
from movenv.recording.mongo.database import Database, open_database
from movenv.recording.mongo.feeder import Feeder
from movenv.recording.mongo.upload import Uploaded, upload
from movenv.recording.mongo.url import parse
from movenv.recording.reader import Recording
from movenv.recording.reference import open_recording

TOPICS = set(LAYOUTS) | set(JSON_TOPICS)


def contents(recording: Recording) -> list[list[tuple[str, bytes]]]:
    """Topic and bytes of every message of every part."""
    return [list(part.messages(TOPICS)) for part in recording.parts]


def brought(file: Path, url: str) -> Uploaded:
    done = upload(file, parse(url), patience=0.0)
    assert done is not None
    return done


def assert_same(file: Path, reference: str) -> None:
    """What the database gives back is what the file holds, and each thing is there once."""
    with Recording(file) as written, open_recording(reference) as fetched:
        assert contents(fetched) == contents(written)
        assert fetched.run == written.run
        assert fetched.damage.truncated == written.damage.truncated
        rows = sum(len(table) for part in written.parts for _, table in part.tables(SNAPSHOTS))
        messages = sum(map(len, contents(written)))
        run = fetched.path.stem
    address = parse(reference)
    with MongoClient(address.uri) as client:
        base: Any = client[address.database]
        assert base.snapshots.count_documents({"meta.run": run}) == rows
        assert base.events.count_documents({"meta.run": run, "piece": {"$in": [None, 0]}}) == (
            messages
        )


@contextmanager
def feeding(url: str, file: Path) -> Iterator[tuple[Database, Feeder]]:
    with open_database(parse(url)) as database:
        yield database, Feeder(database, file)
