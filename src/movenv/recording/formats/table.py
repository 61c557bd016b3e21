"""A recording as a table, one row a vehicle and tick, in batches."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from movenv.recording.formats.moments import Thinning, moments
from movenv.recording.layouts import RECEPTIONS
from movenv.recording.reader import Recording
from movenv.recording.replay import ByTick
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


def write_batches(
    put: Callable[[Any], None],
    parts: Iterator[tuple[Any, float]],
    progress: Callable[[float], None],
) -> int:
    """Hand batches to `put` in a thread of its own, while the next is made; returns the rows."""
    rows = 0
    with ThreadPoolExecutor(1, "export") as writer:
        writing: Future[None] | None = None
        for batch, t in parts:
            if writing:
                writing.result()
            writing = writer.submit(put, batch)
            rows += batch.num_rows
            progress(t)
        if writing:
            writing.result()
    return rows


class Row(NamedTuple):
    """A snapshot, the wall clock, and how well real vehicles were heard."""

    snapshot: Snapshot
    utc: float
    receptions: Receptions


def batches(recording: Recording, every: float = 0.0) -> Iterator[tuple[Any, float]]:
    """Record batches of some 200,000 rows, with the time they reach.

    `every` so many seconds one tick is in them, 0 for all.
    """
    fixed = _Fixed(recording)
    heard = ByTick(recording.tables(RECEPTIONS), Receptions.empty())
    thinning = Thinning(every)
    waiting: list[Row] = []
    size = 0
    for snapshot, utc in moments(recording):
        if not thinning.due(snapshot.t):
            continue
        waiting.append(Row(snapshot, utc, heard.at(snapshot.tick)))
        size += len(snapshot.vehicles)
        if size >= ROWS_A_BATCH:
            yield fixed.batch(waiting), snapshot.t
            waiting, size = [], 0
    if waiting:
        yield fixed.batch(waiting), waiting[-1].snapshot.t


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

    def _quality(self, moments: list[Row]) -> dict[str, Any]:
        """How well everyone was heard; nan for virtual vehicles."""
        columns = {}
        for name in OF_RECEPTION:
            table = np.full((len(moments), len(moments[0].snapshot.vehicles)), np.nan, np.float32)
            for row, moment in zip(table, moments, strict=True):
                row[self._index.rows(moment.receptions.vid)] = getattr(moment.receptions, name)
            columns[name] = table.ravel()
        return columns

    def batch(self, moments: list[Row]) -> Any:
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
