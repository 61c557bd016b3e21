"""Opening a recording by what a user calls it: a file, or a run in a database."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

from movenv.recording.mongo.url import is_database, parse
from movenv.recording.reader import Recording


@contextmanager
def open_recording(
    reference: str, progress: Callable[[float], None] = lambda share: None
) -> Iterator[Recording]:
    """A file, or mongodb://HOST/DB?run=ID; without a run the latest. Raises RecordingError."""
    with recording_file(reference, progress) as path, Recording(path) as recording:
        yield recording


@contextmanager
def recording_file(
    reference: str, progress: Callable[[float], None] = lambda share: None
) -> Iterator[Path]:
    """A file to read the recording from; one fetched from a database is removed at the end."""
    if not is_database(reference):
        yield Path(reference)
        return
    address = parse(reference)
    from movenv.recording.mongo.database import open_database
    from movenv.recording.mongo.fetch import fetch, find_run

    with tempfile.TemporaryDirectory(prefix="movenv-fetched-") as folder:
        with open_database(address) as database:
            run = find_run(database)
            path = Path(folder) / f"{quote(run['_id'], safe='')}.mcap"
            fetch(database, run, path, progress)
        yield path


def beside(reference: str, recording: Recording, suffix: str) -> Path:
    """Where something made from a recording goes: beside its file; of a database, here."""
    name = recording.path.name if is_database(reference) else reference
    return Path(name).with_suffix(suffix)


def shown(reference: str, recording: Recording | None = None) -> str:
    """What to call a recording when speaking of it: no password is told."""
    if not is_database(reference):
        return reference
    address = parse(reference)
    return address.with_run(unquote(recording.path.stem)).told if recording else address.told
