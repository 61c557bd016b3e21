"""Parquet: for pandas, Polars, DuckDB and R."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pa_parquet

from movenv.recording.formats.table import SCHEMA, TEXT, batches, write_batches
from movenv.recording.reader import Recording

REPEATED = [f.name for f in SCHEMA if f.type == TEXT or f.name in ("t", "utc", "vid")]
"""Columns of few different values. To look for repetition in the others takes longer than all the
rest of the writing, and finds none."""


def write(
    recording: Recording, target: Path, every: float, progress: Callable[[float], None]
) -> int:
    """Returns the number of rows."""
    with pa_parquet.ParquetWriter(
        target, SCHEMA, compression="zstd", use_dictionary=REPEATED
    ) as file:
        return write_batches(file.write_batch, batches(recording, every), progress)
