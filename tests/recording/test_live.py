"""What only a live run writes: pauses, events, the wall clock, a summary every second."""

from pathlib import Path

import msgspec
import pytest

from movenv.cli.info import describe
from movenv.recording.layouts import EventRecord, RunStateRecord
from movenv.recording.reader import Recording
from movenv.scenario.build import Run
from movenv.world.core import Update
from movenv.world.run_state import RunState

from .continued import STARTED, cut_off, info, live, new_summary, next_part, write


def test_a_paused_run_repeats_its_tick(tmp_path: Path, run: Run, ticks: list[Update]) -> None:
    file = tmp_path / "x.mcap"
    write(file, run, [*ticks[:50], *[ticks[49]] * 30, *ticks[50:60]])
    with Recording(file) as recording:
        assert [s.tick for s, _ in recording.snapshots()] == list(range(60))
        assert recording.gaps() == []


def test_events_run_states_and_ready_made_messages(
    tmp_path: Path, run: Run, ticks: list[Update]
) -> None:
    file = tmp_path / "x.mcap"
    events = [
        EventRecord(0.0, STARTED, "joined", "host a joined", "a", [1, 2]),
        EventRecord(1.0, STARTED + 1, "lost", "host a was lost", "a", [1, 2]),
        EventRecord(1.0, STARTED + 3, "lost", "host b was lost", "b"),
    ]
    writer = next_part(file, run, "r")
    writer.run_state(0.0, RunState.READY, STARTED)
    writer.run_state(0.0, RunState.GO, STARTED + 0.5)
    for event in events[:2]:
        writer.event(event)
    writer.abandon()
    writer = next_part(file, run, "r")
    writer.run_state(1.0, RunState.GO, STARTED + 2)
    writer.put("/events", 1.0, msgspec.json.encode(events[2]))
    writer.update(ticks[0])
    for topic, t in (("/weather", 0.0), ("/events", -1.0), ("/events", float("nan"))):
        with pytest.raises(ValueError, match=topic):
            writer.put(topic, t, b"{}")
    writer.abandon()
    with Recording(file) as recording:
        assert recording.events() == events
        assert recording.run_states() == [
            RunStateRecord(0.0, "READY", STARTED),
            RunStateRecord(0.0, "GO", STARTED + 0.5),
        ]
    assert "events        lost 2, joined 1" in info(file)


def test_an_unclosed_recording_is_summed_up_to_its_last_tick(
    tmp_path: Path, run: Run, ticks: list[Update]
) -> None:
    """The latest summary is of a tick before the last; what came since is added."""
    file = tmp_path / "x.mcap"
    writer = next_part(file, run, "r")
    summary = new_summary(run)
    live(writer, ticks[:457], summary)
    writer.abandon()
    with Recording(file) as recording:
        latest = recording.latest_summary()
        assert latest is not None
        assert latest.ticks == 450
        cut_off(file)
    with Recording(file) as recording:
        assert describe(recording).items() >= summary.as_dict().items()
