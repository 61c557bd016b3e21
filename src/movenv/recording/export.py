"""Recordings as tables for analysis: CSV and Parquet, one row a vehicle and tick."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet

from movenv.recording.layouts import RECEPTIONS
from movenv.recording.reader import Recording
from movenv.recording.replay import ByTick
from movenv.recording.writer import RecordingError
from movenv.world.columns import VidIndex
from movenv.world.kinds import Origin
from movenv.world.messages import Health, Receptions, Snapshot
from movenv.world.run_state import RunState

ROWS_A_BATCH = 200_000
OF_RECEPTION = ("accuracy", "delay", "loss", "battery")
"""Of real vehicles only; empty where not known."""
TEXT = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    [
        ("t", pa.float64()),
        ("utc", pa.timestamp("us", "UTC")),
        ("vid", pa.uint32()),
        ("name", TEXT),
        ("kind", TEXT),
        ("origin", TEXT),
        ("run_state", TEXT),
        ("behavior", TEXT),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("z", pa.float64()),
        ("lat", pa.float64()),
        ("lon", pa.float64()),
        ("alt", pa.float64()),
        ("yaw", pa.float32()),
        ("pitch", pa.float32()),
        ("roll", pa.float32()),
        ("heading_deg", pa.float32()),
        ("speed", pa.float32()),
        ("vx", pa.float32()),
        ("vy", pa.float32()),
        ("vz", pa.float32()),
        ("subkind", TEXT),
        ("age", pa.float32()),
        ("health", TEXT),
        *((name, pa.float32()) for name in OF_RECEPTION),
    ]
)
"""Column names and types of every export."""

PLAIN = pa.schema([(f.name, pa.string() if f.type == TEXT else f.type) for f in SCHEMA])
"""The same for CSV, which knows no dictionaries."""

Format = Literal["csv", "parquet"]


def export(
    recording: Recording,
    target: Path,
    form: Format,
    progress: Callable[[float], None] = lambda t: None,
) -> int:
    """Write all snapshots to a file; returns the number of rows.

    The target appears when it is complete, or not at all.
    """
    rows = 0
    unfinished: Path | None = None
    try:
        unfinished = _new_file_beside(target)
        with _writer(unfinished, form) as writer:
            for batch, t in batches(recording):
                writer.write_batch(batch if form == "parquet" else batch.cast(PLAIN))
                rows += batch.num_rows
                progress(t)
        unfinished.replace(target)
    except OSError as error:
        raise RecordingError(f"cannot write {target}: {error.strerror or error}") from None
    finally:
        if unfinished:
            unfinished.unlink(missing_ok=True)
    return rows


def _new_file_beside(target: Path) -> Path:
    """An empty file of a name nobody has, with the rights any new file gets."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".movenv-")
    os.close(handle)
    umask = os.umask(0)
    os.umask(umask)
    os.chmod(name, 0o666 & ~umask)
    return Path(name)


def _writer(target: Path, form: Format) -> Any:
    if form == "parquet":
        return pa_parquet.ParquetWriter(target, SCHEMA, compression="zstd")
    return pa_csv.CSVWriter(target, PLAIN)


def batches(recording: Recording) -> Iterator[tuple[Any, float]]:
    """Record batches of some 200,000 rows, with the time they reach."""
    fixed = _Fixed(recording)
    heard = ByTick(recording.tables(RECEPTIONS), Receptions.empty())
    waiting: list[Moment] = []
    size = 0
    for snapshot, numbers in recording.snapshots():
        utc = numbers["utc"] or recording.run.started_utc + snapshot.t
        waiting.append(Moment(snapshot, utc, heard.at(snapshot.tick)))
        size += len(snapshot.vehicles)
        if size >= ROWS_A_BATCH:
            yield fixed.batch(waiting), snapshot.t
            waiting, size = [], 0
    if waiting:
        yield fixed.batch(waiting), waiting[-1].snapshot.t


class Moment(NamedTuple):
    """A snapshot, the wall clock, and how well real vehicles were heard."""

    snapshot: Snapshot
    utc: float
    receptions: Receptions


class _Fixed:
    """What is the same in every row of a vehicle."""

    def __init__(self, recording: Recording) -> None:
        roster = recording.roster
        self._alt = recording.run.origin[2]
        kinds = [kind.name for kind in roster.kinds]
        subkinds = [kind.subkind for kind in roster.kinds]
        self._texts: dict[str, tuple[Any, list[str]]] = {
            "name": (np.arange(len(roster)), roster.names),
            "kind": (roster.kind, kinds),
            "subkind": (roster.kind, subkinds),
            "origin": (roster.origin - 1, [origin.name.lower() for origin in Origin]),
        }
        self._states = [state.name for state in RunState]
        self._behaviors = ["", *roster.behaviors]
        self._index = VidIndex(roster.vids)

    def _quality(self, moments: list[Moment]) -> dict[str, Any]:
        """How well everyone was heard; nan for virtual vehicles."""
        columns = {}
        for name in OF_RECEPTION:
            table = np.full((len(moments), len(moments[0].snapshot.vehicles)), np.nan, np.float32)
            for row, moment in zip(table, moments, strict=True):
                row[self._index.rows(moment.receptions.vid)] = getattr(moment.receptions, name)
            columns[name] = table.ravel()
        return columns

    def batch(self, moments: list[Moment]) -> Any:
        vehicles = [moment.snapshot.vehicles for moment in moments]
        counts = [len(v) for v in vehicles]
        t = np.repeat([moment.snapshot.t for moment in moments], counts)
        utc = np.repeat([round(moment.utc * 1e6) for moment in moments], counts)
        columns = {
            name: np.concatenate([getattr(v, name) for v in vehicles])
            for name in type(vehicles[0]).dtypes
        }
        columns |= {"t": t, "utc": utc, "alt": columns["z"] + self._alt}
        columns |= self._quality(moments)
        texts = {
            name: (np.tile(i, len(vehicles)), words) for name, (i, words) in self._texts.items()
        }
        texts["health"] = (columns["health"], [health.name.lower() for health in Health])
        texts["run_state"] = (columns["run_state"].astype(np.int32) - 1, self._states)
        texts["behavior"] = (columns["behavior"], self._behaviors)
        arrays = [
            _text(*texts[f.name])
            if f.name in texts
            else pa.array(columns[f.name], from_pandas=f.name in OF_RECEPTION).cast(f.type)
            for f in SCHEMA
        ]
        return pa.record_batch(arrays, schema=SCHEMA)


def _text(index: Any, words: list[str]) -> Any:
    return pa.DictionaryArray.from_arrays(
        pa.array(index.astype(np.int32)), pa.array(words, pa.string())
    )
