"""Bringing a whole recording into a database."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from movenv.recording.mongo.database import Database, in_words, open_database
from movenv.recording.mongo.feeder import Feeder
from movenv.recording.mongo.url import Address
from movenv.recording.writer import RecordingRefused

PATIENCE = 10.0
"""How long a database may be away before one stops waiting for it, s."""


@dataclass(frozen=True)
class Uploaded:
    """What became of it."""

    run: Address
    """Where the run is to be found."""
    documents: int
    """That were not there before."""


def check_database(address: Address) -> None:
    """Whether recordings can be fed into it. Raises RecordingRefused."""
    with open_database(address) as database, in_words(address, RecordingRefused):
        database.prepare()


def upload(
    path: Path,
    address: Address,
    say: Callable[[str], None] = lambda line: None,
    patience: float = PATIENCE,
) -> Uploaded | None:
    """All that is in a file and its parts and not in the database yet.

    None when the database stayed away. Raises RecordingError.
    """
    database = Database(address)
    try:
        feeder = Feeder(database, path, say)
        all_there = feeder.feed(live=False, patience=patience)
    finally:
        database.close()
    return Uploaded(address.with_run(feeder.run), feeder.documents) if all_there else None
