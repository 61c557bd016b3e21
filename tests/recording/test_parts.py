"""Recordings in several parts, read as one."""

import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from movenv.cli.info import describe
from movenv.recording.export import export
from movenv.recording.layouts import (
    DETECTIONS,
    EVENTS,
    NOTICE_LAYOUT,
    NOTICES,
    SNAPSHOTS,
    EventRecord,
)
from movenv.recording.parts import first_name, later_parts, open_next_part, part_path
from movenv.recording.reader import Recording
from movenv.recording.replay import updates as replayed
from movenv.recording.writer import RecordingRefused
from movenv.review.reading import everything
from movenv.runtime.recorded import run_record
from movenv.scenario.build import Run
from movenv.web.replay.feed import ReplayFeed
from movenv.world.core import Update

from .continued import STARTED, info, new_summary, next_part, write

RECORDER = Path(__file__).with_name("continued.py")


def read_ticks(file: Path) -> list[int]:
    with Recording(file) as recording:
        return [snapshot.tick for snapshot, _ in recording.snapshots()]


def test_names_of_parts(tmp_path: Path) -> None:
    first = tmp_path / "a.b.mcap"
    assert part_path(first, 1) == first
    assert part_path(first, 12).name == "a.b.part12.mcap"
    assert first_name(part_path(first, 12), 12) == "a.b.mcap"
    assert first_name(tmp_path / "renamed.mcap", 2) == "renamed.mcap"
    for name in ("a.b", "a.b.part10", "a.b.part2", "a.b.part1", "a.b.part02", "axb.part3"):
        (tmp_path / f"{name}.mcap").touch()
    (tmp_path / "a.b.part4.mcap.bak").touch()
    assert [path.name for path in later_parts(first).values()] == [
        "a.b.part2.mcap",
        "a.b.part10.mcap",
    ]


@pytest.mark.long
def test_a_killed_recorder_goes_on_beside_what_it_left(tmp_path: Path, ticks: list[Update]) -> None:
    """kill -9, twice; everything written a second before is there, and told as one."""
    file = tmp_path / "live.mcap"
    kept = []
    for first, settled, name in (
        (0, 60, "live.mcap"),
        (70, 130, "live.part2.mcap"),
        (100, 180, "live.part3.mcap"),
    ):
        before = {path: path.read_bytes() for path in tmp_path.iterdir()}
        recorder = subprocess.Popen(
            [sys.executable, str(RECORDER), str(file), "one", str(first), str(settled)],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert recorder.stdout is not None
            assert recorder.stdout.readline() == f"{name}\n"
            assert recorder.stdout.readline() == "settled\n"
        finally:
            recorder.kill()
            recorder.communicate()
        assert all(path.read_bytes() == data for path, data in before.items())
        kept.append(range(first, settled + 1))
    with Recording(file) as recording:
        read = [snapshot for snapshot, _ in recording.snapshots()]
        assert recording.damage.truncated
        assert [part.run.part for part in recording.parts] == [1, 2, 3]
    numbers = [snapshot.tick for snapshot in read]
    assert set(numbers) >= {tick for part in kept for tick in part}
    assert numbers == sorted(set(numbers))
    for snapshot in read:
        written = ticks[snapshot.tick].snapshot
        assert snapshot.t == written.t
        for name, column in written.vehicles.columns():
            assert np.array_equal(getattr(snapshot.vehicles, name), column)
    told = info(file)
    assert "parts         3, read as one" in told
    assert "live.mcap was cut off and continued in live.part2.mcap" in told


def test_overlaps_come_once_and_the_whole_is_the_run(
    tmp_path: Path, run: Run, ticks: list[Update]
) -> None:
    file = tmp_path / "x.mcap"
    write(file, run, ticks[:200], closed=False)
    write(file, run, ticks[150:400])
    write(file, run, ticks[390:])
    assert read_ticks(file) == list(range(len(ticks)))
    summary = new_summary(run)
    live_notices = [u.snapshot.tick for u in ticks if len(u.encounters)]
    for update in ticks[1:]:
        summary.add(update)
    again = new_summary(run)
    with Recording(file) as recording:
        assert not recording.damage
        assert not recording.gaps()
        assert [numbers["tick"] for numbers, _ in recording.tables(NOTICES)] == live_notices
        assert [n["tick"] for n, _ in recording.tables(SNAPSHOTS)] == list(range(len(ticks)))
        assert list(recording.tables(DETECTIONS)) == []
        for update in replayed(recording):
            again.add(update)
        assert export(recording, tmp_path / "x.csv", "csv") == len(ticks) * len(run.roster)
    assert live_notices
    assert again.as_dict() == summary.as_dict()


def test_what_happened_twice_at_one_moment_comes_twice_and_what_was_told_again_once(
    tmp_path: Path, run: Run, ticks: list[Update]
) -> None:
    """A Core that was busy may tell at one moment that somebody took the wheel, let go, took it."""
    taken, free = (EventRecord(0.5, STARTED, "wheel", text) for text in ("taken", "free"))
    later = EventRecord(1.5, STARTED + 1, "wheel", "free")
    file = tmp_path / "x.mcap"
    for told in ([taken, free, taken], [free, taken, later], [taken, later, later]):
        writer = next_part(file, run, "r")
        writer.update(ticks[5])
        for event in told:
            writer.put(EVENTS, event.t, msgspec.json.encode(event))
        writer.abandon()
    once = [taken, free, taken, later, later]
    with Recording(file) as recording:
        assert recording.events() == once
        assert [told.record for told in everything(recording) if told.topic == EVENTS] == once
    feed = ReplayFeed(file)
    assert feed.index.wait(30)
    assert feed.index.find("event", 0.0, +1) == 0.5
    source = feed.open()
    source.control({"t": 2.0})
    assert [event for event in source.news().events if event.kind == "wheel"] == once
    feed.close()


def test_a_second_version_of_a_tick_brings_nothing_along(
    tmp_path: Path, run: Run, ticks: list[Update]
) -> None:
    """A Core that goes back may notice a pair where the first version of the tick had none."""
    quiet = [u for u in ticks[1:] if not len(u.encounters)][:20]
    loud = next(u for u in ticks if len(u.encounters)).encounters
    file = tmp_path / "x.mcap"
    write(file, run, quiet)
    writer = next_part(file, run, "r")
    for update in quiet[10:]:
        at = {"t": update.snapshot.t, "tick": update.snapshot.tick}
        writer.update(update)
        writer.put(NOTICES, update.snapshot.t, NOTICE_LAYOUT.encode(at, loud))
    writer.abandon()
    with Recording(file) as recording:
        assert list(recording.tables(NOTICES)) == []
        assert sum(1 for _ in recording.parts[1].tables(NOTICES)) == 10


def test_what_is_missing_is_told(tmp_path: Path, run: Run, ticks: list[Update]) -> None:
    file = tmp_path / "x.mcap"
    write(file, run, ticks[:124], closed=False)
    write(file, run, [*ticks[140:200], *ticks[205:]])
    told = info(file)
    assert "nothing recorded from t = 12.3 to 14.0 s (16 ticks, between parts)" in told
    assert "nothing recorded from t = 19.9 to 20.5 s (5 ticks)" in told
    assert "damage" not in told
    assert "x.mcap was cut off and continued in x.part2.mcap" in told
    with Recording(file) as recording:
        facts = describe(recording)
    assert [gap["between_parts"] for gap in facts["gaps"]] == [True, False]
    assert len(facts["parts"]) == 2
    assert facts["bytes"] == sum(path.stat().st_size for path in tmp_path.iterdir())


def test_a_later_part_can_be_read_alone(tmp_path: Path, run: Run, ticks: list[Update]) -> None:
    file = tmp_path / "x.mcap"
    write(file, run, ticks[:100])
    write(file, run, ticks[100:150])
    write(file, run, ticks[150:])
    assert read_ticks(tmp_path / "x.part2.mcap") == list(range(100, 150))
    assert "part 2 of x.mcap" in info(tmp_path / "x.part2.mcap")


def test_parts_of_other_runs_are_neither_joined_nor_touched(
    tmp_path: Path, run: Run, ticks: list[Update]
) -> None:
    file = tmp_path / "x.mcap"
    write(file, run, ticks[:50])
    stranger = write(tmp_path / "y.mcap", run, ticks[:10], "another")
    stranger.rename(tmp_path / "x.part2.mcap")
    (tmp_path / "x.part3.mcap").write_bytes(b"")
    (tmp_path / "x.part4.mcap").write_bytes(b"no recording")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert write(file, run, ticks[50:60]).name == "x.part5.mcap"
    with pytest.raises(RecordingRefused, match="not of this run"):
        write(file, run, ticks[:10], "another")
    with pytest.raises(RecordingRefused, match="not of this run"):
        write(file, run, ticks[:10], "")
    assert all(path.read_bytes() == data for path, data in before.items())
    assert read_ticks(file) == list(range(60))
    with Recording(file) as recording:
        assert [part.path.name for part in recording.parts] == ["x.mcap", "x.part5.mcap"]
        assert len(recording.left_out) == 3
    assert "x.part2.mcap is of another run" in info(file)


def test_runs_without_a_name_are_never_joined(
    tmp_path: Path, run: Run, ticks: list[Update]
) -> None:
    write(tmp_path / "x.mcap", run, ticks[:20], "")
    write(tmp_path / "y.mcap", run, ticks[20:40], "").rename(tmp_path / "x.part2.mcap")
    assert read_ticks(tmp_path / "x.mcap") == list(range(20))


@pytest.mark.parametrize("left", [0, 5, 8, 30])
def test_a_first_part_killed_at_birth_does_not_stop_the_run(
    tmp_path: Path, run: Run, ticks: list[Update], left: int
) -> None:
    file = tmp_path / "x.mcap"
    write(file, run, ticks[:10])
    file.write_bytes(file.read_bytes()[:left])
    assert write(file, run, ticks[:30]).name == "x.part2.mcap"
    assert read_ticks(file) == list(range(30))


def test_a_missing_first_part_is_refused(tmp_path: Path, run: Run, ticks: list[Update]) -> None:
    file = tmp_path / "x.mcap"
    write(file, run, ticks[:10])
    write(file, run, ticks[10:20])
    file.unlink()
    with pytest.raises(RecordingRefused, match="cannot read"):
        Recording(file)


def test_an_export_never_replaces_a_part(tmp_path: Path, run: Run, ticks: list[Update]) -> None:
    file = tmp_path / "x.mcap"
    write(file, run, ticks[:10])
    second = write(file, run, ticks[10:20])
    before = second.read_bytes()
    command = [sys.executable, "-m", "movenv", "export", str(file), "--to", "csv", "--force"]
    done = subprocess.run([*command, "-o", str(second)], capture_output=True, text=True)
    assert (done.returncode, second.read_bytes()) == (2, before)


def test_the_record_of_a_run_can_be_had_without_opening(tmp_path: Path, run: Run) -> None:
    record = run_record(run, STARTED, ["seed=7"], "r")
    assert (record.run_id, record.part) == ("r", 1)
    open_next_part(tmp_path / "x.mcap", record).abandon()
    open_next_part(tmp_path / "x.mcap", record).abandon()
    with Recording(tmp_path / "x.mcap") as recording:
        assert recording.run == record
        assert [part.run.part for part in recording.parts] == [1, 2]
