"""Every number of a review, against plain loops over the CSV export."""

from pathlib import Path

import numpy as np
import pytest

from movenv.recording.reader import Recording
from movenv.review.findings import Findings
from movenv.review.study import findings_of
from movenv.runtime.fast import FastRun
from movenv.runtime.recorded import open_recording
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.world.kinds import Origin
from movenv.world.messages import Health
from movenv.world.run_state import RunState

from .brute import all_pairs
from .made import STARTED, Tick, record, roster, wandering


def reviewed(path: Path, limit: float = 1.0) -> Findings:
    with Recording(path) as recording:
        return findings_of(recording, limit)


def assert_as_by_plain_loops(path: Path, limit: float = 1.0) -> Findings:
    found = reviewed(path, limit)
    names, pairs = found.roster.names, found.pairs
    multiples = list(found.run.levels.values())
    expected, vehicles = all_pairs(path, limit, found.roster.length.tolist(), multiples)
    told = {
        frozenset((names[row], names[other])): i
        for i, (row, other) in enumerate(zip(pairs.row, pairs.other, strict=True))
    }
    assert told.keys() == expected.keys()
    assert list(pairs.closest) == sorted(pairs.closest)
    for who, i in told.items():
        want = expected[who]
        assert pairs.closest[i] == pytest.approx(want.closest, abs=1e-9)
        assert pairs.closest_t[i] == pytest.approx(want.closest_t, abs=1e-6)
        assert pairs.both_known_s[i] == pytest.approx(want.both_known_s, abs=1e-9)
        assert pairs.below_s[:, i] == pytest.approx(want.below_s, abs=1e-7)
        assert pairs.mean[i] == pytest.approx(want.mean, abs=1e-9, nan_ok=True)
        assert pairs.deviation[i] == pytest.approx(want.deviation, abs=1e-7, nan_ok=True)
        assert pairs.farthest[i] == pytest.approx(want.farthest, abs=1e-9)
    for row, name in enumerate(names):
        facts, want_of = found.vehicles, vehicles[name]
        assert facts.known_s[row] == pytest.approx(want_of.known_s, abs=1e-9)
        assert facts.distance[row] == pytest.approx(want_of.distance, abs=1e-9)
        assert facts.top_speed[row] == pytest.approx(want_of.top_speed, rel=1e-6, nan_ok=True)
        if want_of.known_s:
            mean = want_of.distance / want_of.known_s
            if found.roster.origin[row] == Origin.REAL:
                mean = want_of.stated_speed
            assert facts.mean_speed[row] == pytest.approx(mean, rel=1e-5)
    return found


@pytest.mark.parametrize(
    "scenario", ["three-uavs", pytest.param("one-of-everything", marks=pytest.mark.long)]
)
def test_a_fast_run(tmp_path: Path, scenario: str) -> None:
    run = build(load(scenario, ["time.duration=5"]))
    writer = open_recording(tmp_path / "a.mcap", run, STARTED, [])
    summary = FastRun(run, [writer]).run()
    writer.close(summary.simulated, summary.as_dict())
    found = assert_as_by_plain_loops(tmp_path / "a.mcap")
    assert found.run.honesty == []
    assert not found.run.live
    assert found.run.description
    assert (found.run.t_first, found.run.t_last) == (0.0, 5.0)
    assert all(sum(shares.values()) == pytest.approx(1.0) for shares in found.vehicles.behaviors)
    told = summary.as_dict()["closest"]
    if run.every_pair:
        assert found.pairs.closest[0] == pytest.approx(told["distance"], abs=1e-9)
        assert found.pairs.closest_t[0] == pytest.approx(told["t"], abs=1e-6)


def troubled(count: int, ticks: int, seed: int, real: int) -> list[Tick]:
    """Missing ticks, dropouts short and long, hosts lost and found, fixes too old."""
    rng = np.random.default_rng(seed)
    places = wandering(count, ticks, seed)
    made = [Tick(k, places[k], speed=float(rng.uniform(0, 9))) for k in range(ticks)]
    for row in range(count):
        for start in rng.integers(0, ticks, 3):
            for tick in made[start : start + int(rng.integers(1, 25))]:
                tick.health[row] = Health(rng.choice([Health.UNHEARD, Health.LOST, Health.STALE]))
    for row in range(real):
        for tick in made:
            tick.age[row] = float(rng.choice([0.2, 0.9, 2.5, 2.8], p=[0.4, 0.3, 0.2, 0.1]))
    gone = {*rng.integers(1, ticks, 12).tolist(), *range(50, 53), *range(80, 97)}
    return [tick for tick in made if tick.tick not in gone]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limit", [0.25, 1.0])
def test_dropouts_lost_hosts_old_fixes_and_missing_ticks(
    tmp_path: Path, seed: int, limit: float
) -> None:
    path = record(tmp_path / "a.mcap", roster(5, real=2), troubled(5, 150, seed, real=2))
    found = assert_as_by_plain_loops(path, limit)
    words = " / ".join(found.run.honesty)
    assert "nothing recorded from t = 7.9 to 9." in words
    assert "interpolated" in words


def test_unequal_rates(tmp_path: Path) -> None:
    places = wandering(3, 60, 4)
    t = np.cumsum(np.random.default_rng(1).uniform(0.01, 0.7, 60))
    ticks = [Tick(k, places[k], t=float(t[k])) for k in range(60)]
    assert_as_by_plain_loops(record(tmp_path / "a.mcap", roster(3), ticks), limit=0.5)


def test_nobody_moves(tmp_path: Path) -> None:
    place = np.array([[0.0, 3.0, 40.0], [0.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    found = assert_as_by_plain_loops(
        record(tmp_path / "a.mcap", roster(3), [Tick(k, place) for k in range(200)])
    )
    assert found.pairs.closest.tolist() == [5.0, pytest.approx(np.hypot(37, 4)), 40.0]
    assert found.pairs.closest_t.tolist() == [0.0, 0.0, 0.0]
    assert found.pairs.deviation.tolist() == [0.0, 0.0, 0.0]
    assert found.vehicles.distance.tolist() == [0.0, 0.0, 0.0]


def test_a_crossing_between_two_ticks_is_found(tmp_path: Path) -> None:
    """Head on at 20 m a tick: at the ticks they are never nearer than 10 m, but they meet."""
    ticks = []
    for k in range(6):
        x = -50.0 + 20.0 * k
        ticks.append(Tick(k, np.array([[x, 0.0], [0.0, 0.0], [0.0, 0.5]])))
    found = assert_as_by_plain_loops(record(tmp_path / "a.mcap", roster(2), ticks))
    assert found.pairs.closest[0] == pytest.approx(0.5)
    assert found.pairs.closest_t[0] == pytest.approx(0.25)
    reach = (8.0 * 1.5) ** 2
    assert found.pairs.below_s[0, 0] == pytest.approx(2 * np.sqrt(reach - 0.25) / 200)


def test_what_was_before_go_counts_only_as_the_place_of_the_start(tmp_path: Path) -> None:
    far, near = np.array([[0.0, 100.0], [0, 0], [0, 0]]), np.array([[0.0, 1.0], [0, 0], [0, 0]])
    ticks = [
        Tick(0, far, state=RunState.SET),
        Tick(1, near, state=RunState.SET),
        *(Tick(k, far) for k in range(2, 10)),
    ]
    found = reviewed(record(tmp_path / "a.mcap", roster(2), ticks))
    assert found.pairs.closest[0] == 100.0
    assert found.run.t_first == 0.0
    assert found.pairs.both_known_s[0] == pytest.approx(0.9)
