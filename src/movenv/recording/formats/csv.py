"""CSV: for spreadsheets, and anything else."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from movenv.recording.formats.table import SCHEMA, TEXT, batches, write_batches
from movenv.recording.reader import Recording

PLAIN = pa.schema([(f.name, pa.string() if f.type == TEXT else f.type) for f in SCHEMA])
"""The schema without dictionaries, which CSV does not know."""


def write(
    recording: Recording, target: Path, every: float, progress: Callable[[float], None]
) -> int:
    """Returns the number of rows."""
    with pa_csv.CSVWriter(target, PLAIN) as file:

        def put(batch: Any) -> None:
            file.write_batch(batch.cast(PLAIN))

        return write_batches(put, batches(recording, every), progress)
