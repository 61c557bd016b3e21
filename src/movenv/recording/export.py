"""Recordings for other programs: `export` writes a file that is complete or is not there."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from movenv.recording.formats import csv, czml, geojson, gpx, kml, parquet
from movenv.recording.reader import Recording
from movenv.recording.writer import RecordingError

Format = Literal["csv", "parquet", "geojson", "gpx", "kml", "czml"]
WRITERS: dict[Format, Callable[[Recording, Path, float, Callable[[float], None]], int]] = {
    "csv": csv.write,
    "parquet": parquet.write,
    "geojson": geojson.write,
    "gpx": gpx.write,
    "kml": kml.write,
    "czml": czml.write,
}
TABLES = ("csv", "parquet")
TRACKS_EVERY = 1.0
"""How far apart the points of a track are where nothing else is wanted, s."""


def export(
    recording: Recording,
    target: Path,
    form: Format,
    progress: Callable[[float], None] = lambda t: None,
    every: float | None = None,
) -> int:
    """Write a recording to a file; returns the number of rows, or of points of tracks.

    `every` so many seconds one moment is written, 0 for all; by default all in a table and one a
    second in tracks. The target appears when it is complete, or not at all.
    """
    if every is None:
        every = 0.0 if form in TABLES else TRACKS_EVERY
    unfinished: Path | None = None
    try:
        unfinished = _new_file_beside(target)
        count = WRITERS[form](recording, unfinished, every, progress)
        unfinished.replace(target)
    except OSError as error:
        raise RecordingError(f"cannot write {target}: {error.strerror or error}") from None
    finally:
        if unfinished:
            unfinished.unlink(missing_ok=True)
    return count


def _new_file_beside(target: Path) -> Path:
    """An empty file of a name nobody has, with the rights any new file gets."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".movenv-")
    os.close(handle)
    umask = os.umask(0)
    os.umask(umask)
    os.chmod(name, 0o666 & ~umask)
    return Path(name)
