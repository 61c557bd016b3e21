"""Whatever is wrong with a recording: always findings, and words that say so."""

from pathlib import Path

import numpy as np
import pytest

from movenv.recording.layouts import RunStateRecord
from movenv.recording.reader import Recording
from movenv.review.findings import Findings
from movenv.review.study import findings_of
from movenv.review.tracks import BLOCK
from movenv.world.messages import Health

from .made import STARTED, Tick, record, roster, wandering

PLACES = wandering(3, 400, 7)


def ticks(first: int = 0, last: int = 100, **given: object) -> list[Tick]:
    return [Tick(k, PLACES[k], **given) for k in range(first, last)]  # type: ignore[arg-type]


def reviewed(path: Path) -> Findings:
    shares: list[float] = []
    with Recording(path) as recording:
        found = findings_of(recording, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    return found


def test_an_empty_recording(tmp_path: Path) -> None:
    found = reviewed(record(tmp_path / "a.mcap", roster(3), [], end=False))
    assert found.run.honesty == [
        "no place of any vehicle was recorded",
        "the recording ends before the run did",
    ]
    assert (found.run.ticks, len(found.pairs), found.series) == (0, 0, [])
    assert np.isnan([found.run.t_first, found.run.t_last, *found.vehicles.top_speed]).all()
    assert found.vehicles.gaps == [[], [], []]
    assert [len(track.t) for track in found.tracks] == [0, 0, 0]


def test_a_single_tick(tmp_path: Path) -> None:
    found = reviewed(record(tmp_path / "a.mcap", roster(3), ticks(0, 1)))
    assert len(found.pairs) == 3
    assert found.pairs.both_known_s.tolist() == [0.0] * 3
    assert np.isfinite(found.pairs.closest).all()


def test_one_vehicle_has_no_pairs(tmp_path: Path) -> None:
    alone = [Tick(k, PLACES[k, :, :1]) for k in range(100)]
    found = reviewed(record(tmp_path / "a.mcap", roster(1), alone))
    assert (len(found.pairs), found.every_pair_drawn) == (0, True)
    assert found.vehicles.known_s[0] == pytest.approx(9.9)
    assert found.run.honesty == []


def test_a_truncated_file(tmp_path: Path) -> None:
    path = record(tmp_path / "a.mcap", roster(3), ticks(0, 400))
    whole = reviewed(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])
    found = reviewed(path)
    assert "the file was not closed: the run or the disk ended early" in found.run.honesty
    assert any("the recording ends before the run did" in words for words in found.run.honesty)
    assert found.run.ticks < whole.run.ticks
    assert whole.run.honesty == []


def test_damaged_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("movenv.recording.writer.CHUNK_SIZE", 2000)
    path = record(tmp_path / "a.mcap", roster(3), ticks(0, 200))
    with Recording(path) as recording:
        middle = recording.parts[0].chunks[len(recording.parts[0].chunks) // 2]
    data = bytearray(path.read_bytes())
    data[middle.offset + middle.length // 2] ^= 0xFF
    path.write_bytes(data)
    found = reviewed(path)
    assert "1 unreadable chunk was left out" in found.run.honesty
    assert 150 < found.run.ticks < 200


def test_a_pause_is_no_time(tmp_path: Path) -> None:
    first = ticks(0, 50)
    for k, tick in enumerate(first):
        tick.utc = STARTED + 0.1 * k
    first[49].more.append(RunStateRecord(4.9, "PAUSE", STARTED + 4.9))
    again = [Tick(49, PLACES[60], utc=STARTED + 5 + k) for k in range(30)]
    later = ticks(50, 100)
    for k, tick in enumerate(later):
        tick.utc = STARTED + 40.0 + 0.1 * k
    found = reviewed(record(tmp_path / "a.mcap", roster(3), [*first, *again, *later]))
    assert found.run.honesty == []
    assert found.run.live
    assert found.vehicles.known_s.tolist() == pytest.approx([9.9] * 3)


@pytest.mark.parametrize("jump", [-60.0, 3600.0])
def test_a_wall_clock_that_jumps_is_told(tmp_path: Path, jump: float) -> None:
    made = ticks(0, 100)
    for k, tick in enumerate(made):
        tick.utc = STARTED + 0.1 * k + (jump if k >= 30 else 0.0)
    found = reviewed(record(tmp_path / "a.mcap", roster(3), made))
    assert found.run.honesty == [f"the wall clock jumped by {jump:+.1f} s at t = 2.9 s"]


def test_a_run_at_another_pace_has_no_jumps(tmp_path: Path) -> None:
    made = ticks(0, 100)
    for k, tick in enumerate(made):
        tick.utc = STARTED + 0.7 * k
    assert reviewed(record(tmp_path / "a.mcap", roster(3), made)).run.honesty == []


def test_parts_that_go_back_a_little_count_once(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    record(path, roster(3), ticks(0, 60), run_id="r", end=False)
    other = [Tick(k, PLACES[k] + 1000.0) for k in range(50, 60)]
    record(path, roster(3), [*other, *ticks(60, 100)], run_id="r")
    found = reviewed(path)
    alone = reviewed(record(tmp_path / "b.mcap", roster(3), ticks(0, 100)))
    np.testing.assert_array_equal(found.pairs.closest, alone.pairs.closest)
    assert found.run.honesty == ["it was continued in 2 parts, read as one"]


def test_time_that_does_not_go_on_is_left_out(tmp_path: Path) -> None:
    made = ticks(0, 100)
    made[40].t = 1.0
    found = reviewed(record(tmp_path / "a.mcap", roster(3), made))
    assert "1 snapshots whose time does not go on were left out" in found.run.honesty
    assert found.run.ticks == 99


def test_why_somebody_was_not_known(tmp_path: Path) -> None:
    made = ticks(0, 100)
    for tick in made[:20]:
        tick.health[0] = Health.UNHEARD
    for tick in made[40:60]:
        tick.health[1] = Health.LOST
    for tick in made[55:]:
        tick.age[0] = 5.0
    for tick in made:
        tick.health[2] = Health.UNHEARD
    del made[70:90]
    found = reviewed(record(tmp_path / "a.mcap", roster(3, real=1), made))
    gaps = [[(round(a, 6), round(b, 6), why) for a, b, why in g] for g in found.vehicles.gaps]
    assert gaps[0] == [
        (0.0, 2.0, "not heard yet"),
        (5.4, 6.9, "no fresh fix"),
        (6.9, 9.0, "nothing recorded"),
        (9.0, 9.9, "no fresh fix"),
    ]
    assert gaps[1] == [(3.9, 6.0, "host lost"), (6.9, 9.0, "nothing recorded")]
    assert "never known: v2" in found.run.honesty
    assert "nothing recorded from t = 6.9 to 9.0 s" in found.run.honesty
    assert found.vehicles.known_s.tolist() == pytest.approx([3.4, 5.7, 0.0])
    assert np.isnan(found.tracks[2].x).all()
    line = found.tracks[1]
    between = (line.t > 3.95) & (line.t < 5.95)
    assert np.isnan(line.x[between]).all()
    assert np.isnan(line.x[(line.t > 6.9) & (line.t < 9.0)]).any()


def test_one_vehicle_keeps_its_speeds_however_long_the_recording_is(tmp_path: Path) -> None:
    place = np.zeros((3, 1))
    ticks = [Tick(k, place, speed=9.0 if k == 7 else 1.0) for k in range(2 * BLOCK + 5)]
    found = reviewed(record(tmp_path / "a.mcap", roster(1), ticks))
    assert found.vehicles.top_speed.tolist() == [9.0]
