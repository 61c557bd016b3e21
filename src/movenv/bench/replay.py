"""Replay: how soon a long recording is there, and how soon any moment of it."""

import tempfile
import time
from pathlib import Path

import numpy as np

from movenv.bench.live import p99
from movenv.bench.measure import Row
from movenv.bench.recorded import MadeUp, record_made_up
from movenv.recording.reader import Recording
from movenv.web.replay.feed import ReplayFeed
from movenv.web.replay.source import ReplaySource

SCRUBS = 300


def replay_rows(quick: bool) -> list[Row]:
    vehicles, seconds = (100, 60) if quick else (1_000, 3_600)
    said = f"a recording of {seconds / 60:g} minutes, {vehicles:,} vehicles"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.mcap"
        record_made_up(path, MadeUp(vehicles, seed=1), 0, seconds * 10)
        began = time.perf_counter()
        feed = ReplayFeed(path)
        source = feed.open()
        first = source.moment()
        opened = time.perf_counter() - began
        assert first is not None
        scrubs = _scrubs(source, seconds)
        feed.close()
        began = time.perf_counter()
        with Recording(path) as recording:
            read = sum(1 for _ in recording.snapshots())
        whole = (time.perf_counter() - began) / max(1, read) * seconds * 10
    return [
        Row(f"{said}: opened, first moment there", opened, "s", 3.0, "lower",
            "reading all of it", whole),
        Row(f"{said}: scrubbed to, p99 of {SCRUBS}", scrubs, "s", 0.05, "lower",
            "reading up to the middle", whole / 2),
    ]  # fmt: skip


def _scrubs(source: ReplaySource, seconds: float) -> float:
    """How long the slow ones of many scrubs to anywhere take, s; others index meanwhile."""
    taken = []
    for t in np.random.default_rng(1).uniform(0, seconds, SCRUBS):
        began = time.perf_counter()
        source.control({"t": float(t)})
        source.moment()
        taken.append(time.perf_counter() - began)
    return p99(taken)
