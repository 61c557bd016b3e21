"""Any moment of a recording is what reading it from the beginning tells of that moment."""

import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.opcode import Opcode

from movenv.bench.recorded import PERIOD, MadeUp, record_made_up
from movenv.recording.container import walk
from movenv.recording.file import RecordingFile
from movenv.recording.layouts import (
    HEALTH,
    NOTICES,
    RECEPTIONS,
    SNAPSHOT_LAYOUT,
    SNAPSHOTS,
    SUMMARY,
)
from movenv.recording.parts import open_next_part
from movenv.recording.reader import Recording
from movenv.recording.seek import Found, Seeker
from movenv.scenario.build import Run
from movenv.world.columns import Table
from movenv.world.core import Update
from movenv.world.messages import Encounters

from .continued import cut_off, write

MADE_UP = MadeUp(20)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("movenv.recording.writer.CHUNK_SIZE", 6000)


def equal(one: Table, other: Table) -> bool:
    return all(
        np.array_equal(column, getattr(other, name), equal_nan=True)
        for name, column in one.columns()
    )


def sequential(path: Path) -> list[Found]:
    """Everything, read from the beginning; but for the last tick of a part that was cut off, if
    nobody was near in it, for that may have been cut off as well."""
    everything: list[Found] = []
    with Recording(path) as recording:
        for part in recording.parts:
            near = {numbers["tick"]: table for numbers, table in part.tables(NOTICES)}
            ticks = [(s, numbers) for s, numbers in part.snapshots()]
            if part.damage.truncated and ticks and ticks[-1][0].tick not in near:
                del ticks[-1]
            for snapshot, numbers in ticks:
                if not everything or snapshot.tick > everything[-1].snapshot.tick:
                    beside = near.get(snapshot.tick, Encounters.empty())
                    everything.append(Found(snapshot, numbers, beside))
    return everything


def check_same(found: Found | None, expected: Found) -> None:
    assert found is not None
    assert found.snapshot.tick == expected.snapshot.tick
    assert found.numbers == pytest.approx(expected.numbers, rel=0, abs=0, nan_ok=True)
    assert equal(found.snapshot.vehicles, expected.snapshot.vehicles)
    assert equal(found.encounters, expected.encounters)


def check_all(path: Path) -> int:
    """Every tick, forwards, backwards and between; returns how many there are."""
    expected = sequential(path)
    with Recording(path) as recording:
        seeker = Seeker(recording)
        for one in [*reversed(expected), *expected]:
            check_same(seeker.at(one.snapshot.t), one)
        for one, following in pairwise(expected):
            middle = (one.snapshot.t + following.snapshot.t) / 2
            check_same(seeker.at(middle), one)
            assert seeker.step(one.snapshot.t, 1) == pytest.approx(following.snapshot.t)
            assert seeker.step(following.snapshot.t, -1) == pytest.approx(one.snapshot.t)
        assert seeker.times.tolist() == pytest.approx([one.snapshot.t for one in expected])
    return len(expected)


def test_a_whole_recording(tmp_path: Path) -> None:
    file = record_made_up(tmp_path / "x.mcap", MADE_UP, 0, 400)
    assert check_all(file) == 401
    with Recording(file) as recording:
        assert sum(len(f.encounters) > 0 for f in sequential(file)) > 20
        assert Seeker(recording).chunks > 50


def test_a_fast_run(recorded: Path) -> None:
    assert check_all(recorded) == 301


def test_parts_that_overlap_and_leave_gaps(tmp_path: Path, run: Run, ticks: list[Update]) -> None:
    file = tmp_path / "x.mcap"
    write(file, run, ticks[:200], closed=False)
    write(file, run, ticks[150:300])
    write(file, run, [*ticks[290:350], *ticks[380:]])
    assert check_all(file) == len(ticks) - 30


def test_what_the_second_version_of_a_tick_says_is_not_told(tmp_path: Path) -> None:
    file = tmp_path / "x.mcap"
    record_made_up(file, MADE_UP, 0, 190, "r", whole=False)
    record_made_up(file, MadeUp(20, seed=2), 180, 260, "r")
    assert check_all(file) == 261
    with Recording(file) as recording:
        found = Seeker(recording).at(18.5)
    assert found is not None
    assert equal(found.snapshot.vehicles, MADE_UP.update(185).snapshot.vehicles)
    assert equal(found.encounters, MADE_UP.update(185).encounters)


def test_a_paused_run_repeats_its_snapshot(tmp_path: Path) -> None:
    file = tmp_path / "x.mcap"
    writer = open_next_part(file, MADE_UP.record())
    for tick in [*range(10), *([9] * 40), *range(10, 20)]:
        writer.update(MADE_UP.update(tick))
    writer.abandon()
    assert check_all(file) == 20


@pytest.mark.parametrize("cut", ["behind a chunk", "in a chunk", "in an index"])
def test_a_recording_without_an_end(tmp_path: Path, cut: str) -> None:
    file = record_made_up(tmp_path / "x.mcap", MADE_UP, 0, 300)
    if cut == "in a chunk":
        cut_off(file)
    with file.open("rb") as opened:
        places = list(walk(opened))
    index = [place for place in places if place.opcode == Opcode.MESSAGE_INDEX]
    chunks = [place for place in places if place.opcode == Opcode.CHUNK]
    end = {
        "behind a chunk": chunks[-5].end,
        "in a chunk": chunks[-1].end - 3,
        "in an index": index[-7].end - 3,
    }[cut]
    file.write_bytes(file.read_bytes()[:end])
    assert 200 < check_all(file) <= 301


def test_a_recording_is_not_decompressed_to_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = record_made_up(tmp_path / "x.mcap", MADE_UP, 0, 300)
    cut_off(file)
    opened = []
    read = RecordingFile.chunk_data
    monkeypatch.setattr(
        RecordingFile, "chunk_data", lambda self, place: opened.append(1) or read(self, place)
    )
    with Recording(file) as recording:
        seeker = Seeker(recording)
        assert seeker.chunks > 50
        assert len(opened) < 10  # those that name a channel
        seeker.at(17.3)
        assert len(opened) < 13


def flip(file: Path, offset: int) -> None:
    data = bytearray(file.read_bytes())
    data[offset] ^= 0x55
    file.write_bytes(bytes(data))


@pytest.mark.parametrize("ended", [True, False])
def test_damaged_chunks_are_passed_over(tmp_path: Path, ended: bool) -> None:
    file = record_made_up(tmp_path / "x.mcap", MADE_UP, 0, 300)
    with RecordingFile(file) as opened:
        places = opened.chunks
    for place in [*places[30:33], places[-6]]:  # with ticks before and behind
        flip(file, place.offset + place.length - 20)
    if not ended:
        cut_off(file)
    whole = check_all(file)
    assert 280 < whole < 301


def test_an_index_that_lies_is_put_right(tmp_path: Path) -> None:
    """A bit of a time behind a chunk is wrong: the chunk itself says what it holds."""
    file = record_made_up(tmp_path / "x.mcap", MADE_UP, 0, 100)
    expected = sequential(file)
    with RecordingFile(file) as opened:
        place = opened.chunks[20]
    flip(file, place.offset + place.length + 9 + 6 + 2)
    with Recording(file) as recording:
        seeker = Seeker(recording)
        for chunk in range(seeker.chunks):
            seeker.read_chunk(chunk)
        for one in expected:
            check_same(seeker.at(one.snapshot.t), one)


def test_a_snapshot_that_says_nothing_counts_for_nothing(tmp_path: Path) -> None:
    """Its chunk is sound, but of vehicles that nobody knows; the second version counts then."""
    file = tmp_path / "x.mcap"
    stranger = MadeUp(21)
    writer = open_next_part(file, MADE_UP.record("r"))
    for tick in range(60):
        writer.update((stranger if tick in (7, 8, 59) else MADE_UP).update(tick))
        writer.put(SNAPSHOTS, tick * PERIOD, b"nonsense")
    writer.abandon()
    record_made_up(file, MADE_UP, 28, 80, "r")
    assert check_all(file) == 79
    with Recording(file) as recording:
        seeker = Seeker(recording, kept_bytes=1)
        found = [seeker.at(tick * PERIOD) for tick in (9, 8, 7, 6, 59, 80)]
    assert [one.snapshot.tick for one in found if one] == [9, 6, 6, 6, 59, 80]


def test_an_empty_recording_has_no_moment(tmp_path: Path) -> None:
    file = tmp_path / "x.mcap"
    open_next_part(file, MADE_UP.record()).abandon()
    with Recording(file) as recording:
        seeker = Seeker(recording)
        assert seeker.at(0.0) is None
        assert seeker.step(3.0, 5) == 3.0
        assert seeker.latest(SUMMARY, 10.0) is None
        assert len(seeker.times) == 0


def test_the_latest_of_a_topic(tmp_path: Path) -> None:
    file = record_made_up(tmp_path / "x.mcap", MADE_UP, 20, 200)
    with Recording(file) as recording:
        seeker = Seeker(recording)
        health = list(recording.health())
        for t in (2.0, 5.55, 20.0, 99.0):
            expected = [record for record in health if record.t <= t][-1]
            assert f'"t":{expected.t}'.encode() in (seeker.latest(HEALTH, t) or b"")
        assert seeker.latest(HEALTH, 1.9) is None
        assert seeker.latest(RECEPTIONS, 22.0, within=2.1) is not None
        assert seeker.latest(RECEPTIONS, 22.0, within=1.9) is None


def test_many_threads_see_the_same(tmp_path: Path) -> None:
    file = record_made_up(tmp_path / "x.mcap", MADE_UP, 0, 300)
    with RecordingFile(file) as opened:
        place = opened.chunks[40]
    flip(file, place.offset + place.length - 20)
    expected = sequential(file)
    wrong: list[object] = []

    def look(seed: int) -> None:
        for which in np.random.default_rng(seed).integers(len(expected), size=300):
            one = expected[which]
            try:
                check_same(seeker.at(one.snapshot.t), one)
            except Exception as error:
                wrong.append(error)

    with Recording(file) as recording:
        seeker = Seeker(recording, kept_bytes=100_000)
        threads = [threading.Thread(target=look, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damage_crashes_it(tmp_path: Path, data: st.DataObject) -> None:
    file = tmp_path / "x.mcap"
    file.unlink(missing_ok=True)
    record_made_up(file, MadeUp(3), 0, 120)
    raw = bytearray(file.read_bytes())
    with RecordingFile(file) as opened:
        behind = opened.chunks[0].offset + opened.chunks[0].length
    for at in data.draw(st.lists(st.integers(behind, len(raw) - 1), max_size=8)):
        raw[at] = data.draw(st.integers(0, 255))
    file.write_bytes(bytes(raw[: data.draw(st.integers(behind, len(raw)))]))
    with Recording(file) as recording:
        seeker = Seeker(recording)
        for t in np.linspace(-1.0, 13.0, 40):
            seeker.at(float(t))
            seeker.latest(SUMMARY, float(t))
            seeker.step(float(t), 1)
        for chunk in range(seeker.chunks):
            seeker.read_chunk(chunk)
    expected = sequential(file)
    with Recording(file) as recording:
        seeker = Seeker(recording)
        for chunk in range(seeker.chunks):
            seeker.read_chunk(chunk)
        for one in expected:
            check_same(seeker.at(one.snapshot.t), one)


def test_the_made_up_recording_is_as_a_reader_expects_it(tmp_path: Path) -> None:
    file = record_made_up(tmp_path / "x.mcap", MADE_UP, 0, 250)
    with Recording(file) as recording:
        recording.verify()
        assert not recording.damage
        assert not recording.gaps()
        summary = recording.summary()
    assert summary is not None
    assert summary["notices"]["information"] > 0
    assert SNAPSHOT_LAYOUT.table is type(MADE_UP.update(3).snapshot.vehicles)
