"""Steps of missions in replays: of fast runs, which have no events, and of live ones, which do."""

from math import inf
from pathlib import Path

import msgspec
import numpy as np
import pytest

from movenv.bench.recorded import LEVELS, PERIOD, MadeUp
from movenv.recording.layouts import EventRecord, encoded
from movenv.recording.writer import RecordingWriter
from movenv.web.replay.feed import ReplayFeed
from movenv.world.messages import MISSION_OVER, VehicleStates
from movenv.world.summary import Summary

TICKS = 300
NAMES = ["approach", "load", "drive", "return"]


def steps_at(tick: int) -> list[int]:
    """The first has no mission; the second goes on every 2 s, the third once."""
    return [0, min(1 + tick // 20, 4), MISSION_OVER if tick >= 120 else 1]


EXPECTED = [
    (0.0, "uav-2: approach"),
    (0.0, "uav-3: search"),
    (2.0, "uav-2: load"),
    (4.0, "uav-2: drive"),
    (6.0, "uav-2: return"),
    (12.0, "uav-3: mission over"),
]


def recorded(path: Path, live: bool, told: list[EventRecord]) -> Path:
    """A run of three; a live one has a wall clock."""
    made_up = MadeUp(3)
    record = made_up.record()
    record.roster = msgspec.structs.replace(
        record.roster, missions=[NAMES, ["search"]], mission=[-1, 0, 1]
    )
    writer = RecordingWriter(path, record)
    for tick in range(TICKS + 1):
        update = made_up.update(tick)
        columns = dict(update.snapshot.vehicles.columns())
        columns["step"] = np.array(steps_at(tick), np.uint8)
        object.__setattr__(update.snapshot, "vehicles", VehicleStates(columns))
        for topic, data in encoded(update, 1.7e9 + tick * PERIOD if live else 0.0):
            writer.put(topic, update.snapshot.t, data)
        for event in told:
            if event.t == tick * PERIOD:
                writer.event(event)
    writer.close(TICKS * PERIOD, Summary(made_up.roster, list(LEVELS), False).as_dict())
    return path


def missions_of(path: Path) -> tuple[list[tuple[float, str]], list[float], list[float]]:
    """Events of missions, when the overview shows some, and where jumping goes."""
    feed = ReplayFeed(path)
    try:
        assert feed.index.wait(30)
        events = feed.index.events.between(0, feed.index.events.count(inf))
        found, t = [], -1.0
        while (following := feed.index.find("event", t, 1)) is not None:
            found.append(t := following)
        told = [(event.t, event.text) for event in events if event.kind == "mission"]
        return told, feed.happenings().steps, found
    finally:
        feed.close()


def rounded(told: list[tuple[float, str]]) -> list[tuple[float, str]]:
    return [(round(t, 6), text) for t, text in told]


def test_a_fast_run_is_read_for_the_steps_that_its_snapshots_show(tmp_path: Path) -> None:
    told, overview, jumps = missions_of(recorded(tmp_path / "fast.mcap", False, []))
    assert rounded(told) == EXPECTED
    times = sorted({t for t, _ in EXPECTED})
    assert overview == pytest.approx(times)
    assert jumps == pytest.approx(times)


def test_a_live_run_has_told_itself_and_is_not_told_twice(tmp_path: Path) -> None:
    events = [EventRecord(t, 1.7e9 + t, "mission", text) for t, text in EXPECTED[2:4]]
    told, overview, _ = missions_of(recorded(tmp_path / "live.mcap", True, events))
    assert rounded(told) == EXPECTED[2:4]
    assert overview == pytest.approx([2.0, 4.0])


def test_an_overview_is_no_longer_than_a_line_can_show(tmp_path: Path) -> None:
    crowd = [EventRecord(7 * PERIOD, 1.7e9, "mission", f"uav-2: {i}") for i in range(3000)]
    told, overview, _ = missions_of(recorded(tmp_path / "many.mcap", True, crowd))
    assert len(told) == 3000
    assert overview == pytest.approx([7 * PERIOD])
