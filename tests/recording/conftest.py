"""Recordings to read, and to damage."""

from pathlib import Path

import pytest

from movenv.runtime.fast import FastRun, updates
from movenv.runtime.recorded import open_recording
from movenv.scenario.build import Run, build
from movenv.scenario.load import load
from movenv.world.core import Update

from .continued import STARTED, three_uavs


def record(file: Path, scenario: str, *changes: str) -> Path:
    run = build(load(scenario, list(changes)))
    writer = open_recording(file, run, STARTED, list(changes))
    summary = FastRun(run, [writer]).run()
    writer.close(summary.simulated, summary.as_dict())
    return file


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All kinds of messages, in several chunks."""
    return record(
        tmp_path_factory.mktemp("recorded") / "one.mcap", "one-of-everything", "time.duration=30"
    )


@pytest.fixture
def chunky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Many small chunks, to cut into."""
    monkeypatch.setattr("movenv.recording.writer.CHUNK_SIZE", 4000)
    return record(tmp_path / "chunky.mcap", "three-uavs", "time.duration=20")


@pytest.fixture(scope="session")
def run() -> Run:
    return three_uavs()


@pytest.fixture(scope="session")
def ticks(run: Run) -> list[Update]:
    """The whole run, to be recorded in parts."""
    return list(updates(run))
