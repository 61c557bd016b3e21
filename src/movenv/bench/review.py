"""The review: how long an hour of a thousand vehicles takes to understand, and what memory."""

import csv
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import numpy as np

from movenv.bench.measure import Row, best_time
from movenv.bench.process import MOVENV, PEAK
from movenv.bench.recorded import LEVELS, PERIOD, MadeUp, record_made_up
from movenv.recording.export import export
from movenv.recording.reader import Recording
from movenv.review.separation import separations, surveyed
from movenv.review.tracks import TrackBuilder, Tracks
from movenv.world.messages import VehicleStates

MIB = 1024 * 1024


def measure(quick: bool) -> list[Row]:
    vehicles, fewer, seconds = (100, 50, 60) if quick else (1_000, 300, 3_600)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hour.mcap"
        record_made_up(path, MadeUp(vehicles, seed=1), 0, seconds * 10)
        rows = [*_reviewed(path, vehicles, seconds), _exported(path, vehicles, seconds)]
    return [*rows, _all_pairs(fewer, seconds)]


def _said(vehicles: int, seconds: int) -> str:
    return f"{seconds / 60:g} minutes of {vehicles:,} vehicles"


def _reviewed(path: Path, vehicles: int, seconds: int) -> list[Row]:
    """Time and peak memory of the command, as a process of its own."""
    said = _said(vehicles, seconds)
    review = [*MOVENV, "review", str(path), "--force", "-o", str(path.parent / "report")]
    tiny = record_made_up(path.parent / "tiny.mcap", MadeUp(5, seed=1), 0, 100)
    subprocess.run(  # compiles the kernels, which is done once for all reviews to come
        [*MOVENV, "review", str(tiny), "-o", str(path.parent / "tiny")],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    words = [sys.executable, "-c", PEAK, *review] if find_spec("resource") else review
    began = time.perf_counter()
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    taken = time.perf_counter() - began
    rows = [
        Row(f"review of {said}: numbers, figures and pages", taken, "s", 60.0, "lower",
            "the distances of all pairs in NumPy, tick by tick; from a share of the ticks",
            _plain_distances(_tracks(vehicles, 3), seconds)),
    ]  # fmt: skip
    if find_spec("resource"):
        peak = int(done.stdout) / (MIB if sys.platform == "darwin" else 1024)
        width = sum(dtype.itemsize for dtype in VehicleStates.dtypes.values())
        rows.append(
            Row(f"review of {said}: peak memory", peak, "MiB", 2000.0, "lower",
                "all recorded columns held at once, computed",
                width * vehicles * seconds / PERIOD / MIB)
        )  # fmt: skip
    return rows


def _exported(path: Path, vehicles: int, seconds: int) -> Row:
    target = path.with_suffix(".parquet")
    began = time.perf_counter()
    with Recording(path) as recording:
        rows = export(recording, target, "parquet")
    taken = time.perf_counter() - began
    with Recording(path) as recording:
        baseline = _plain_export(recording, path.with_suffix(".csv"))
    return Row(
        f"export of {_said(vehicles, seconds)} to Parquet", taken, "s", 30.0, "lower",
        "row by row with Python's csv; from a share of the rows", baseline * rows,
    )  # fmt: skip


def _plain_export(recording: Recording, target: Path) -> float:
    """Seconds a row."""
    rows = 0
    began = time.perf_counter()
    with target.open("w", newline="") as file:
        writer = csv.writer(file)
        for snapshot, _ in islice(recording.snapshots(), 20):
            columns = [column.tolist() for _, column in snapshot.vehicles.columns()]
            for row in zip(*columns, strict=True):
                writer.writerow((snapshot.t, *row))
                rows += 1
    return (time.perf_counter() - began) / rows


def _tracks(vehicles: int, seconds: int) -> Tracks:
    made_up = MadeUp(vehicles, seed=1)
    builder = TrackBuilder(made_up.roster, 1.0)
    for tick in range(seconds * 10 + 1):
        builder.add(made_up.update(tick).snapshot, {"utc": 0.0})
    return builder.tracks()


def _all_pairs(vehicles: int, seconds: int) -> Row:
    """Every distance of every pair, and the exact closest approaches between them."""
    multiples = np.array(list(LEVELS.values()))
    few = _tracks(5, 2)
    separations(few, surveyed(few), multiples)  # compiled
    tracks = _tracks(vehicles, seconds)
    taken = best_time(lambda: separations(tracks, surveyed(tracks), multiples), 2)
    return Row(f"exact separations of all pairs, {_said(vehicles, seconds)}", taken, "s", 5.0,
               "lower", "distances at the ticks only, in NumPy; from a share of the ticks",
               _plain_distances(tracks, seconds))  # fmt: skip


def _plain_distances(tracks: Tracks, seconds: int) -> float:
    """Mean, deviation, least and largest of all pairs as one would write them first; s in all."""
    place = tracks.places[0]
    one, other = np.triu_indices(len(tracks.roster), 1)
    least, most = np.full(len(one), np.inf), np.zeros(len(one))
    total, squares = np.zeros(len(one)), np.zeros(len(one))
    ticks = min(int(place.shape[2]), 20)
    began = time.perf_counter()
    for k in range(ticks):
        now = place[:, :, k]
        distance = np.sqrt(((now[one] - now[other]) ** 2).sum(axis=1))
        np.minimum(least, distance, out=least)
        np.maximum(most, distance, out=most)
        total += distance
        squares += distance * distance
    taken = time.perf_counter() - began
    return taken / ticks * seconds / PERIOD
