"""What is thinned out for drawing keeps gaps and extremes; links and processes."""

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from movenv.bench.recorded import MadeUp, record_made_up
from movenv.recording.layouts import HealthRecord
from movenv.recording.reader import Recording
from movenv.review.findings import Findings
from movenv.review.study import findings_of
from movenv.world.messages import Health, Heard, Receptions

from .made import STARTED, Tick, record, roster, wandering


def reviewed(path: Path) -> Findings:
    with Recording(path) as recording:
        return findings_of(recording)


@pytest.fixture
def long(tmp_path: Path) -> Path:
    places = wandering(4, 9000, 3, step=0.3)
    ticks = [Tick(k, places[k], speed=5.0 + np.sin(k / 50)) for k in range(9000)]
    ticks[4321].speed = 99.0
    for k in range(3000, 3400):
        ticks[k].health[1] = Health.LOST
    return record(tmp_path / "a.mcap", roster(4), ticks)


def test_thinned_tracks_keep_gaps_and_extremes(long: Path) -> None:
    found = reviewed(long)
    places = wandering(4, 9000, 3, step=0.3)
    for track in found.tracks:
        assert 1000 < len(track.t) <= 2100
        assert (np.diff(track.t) > 0).all()
        assert np.nanmax(track.speed) == 99.0
        known = np.ones(9000, bool)
        known[3000:3400] = track.row != 1
        for axis, line in enumerate((track.x, track.y, track.z)):
            assert np.nanmax(line) == places[known, axis, track.row].max()
            assert np.nanmin(line) == places[known, axis, track.row].min()
        assert np.nanmax(track.path) == pytest.approx(found.vehicles.distance[track.row])
        assert track.t[np.isfinite(track.lat)] == pytest.approx(track.t[np.isfinite(track.x)])
    gap = found.tracks[1]
    inside = (gap.t > 299.95) & (gap.t < 339.95)
    assert inside.any()
    assert np.isnan(gap.x[inside]).all()
    assert np.isfinite(gap.x[~inside]).all()
    assert {round(float(t), 3) for t in gap.t} >= {299.9, 340.0}


def test_thinned_distances_keep_the_minimum_of_every_stretch(long: Path) -> None:
    found = reviewed(long)
    places = wandering(4, 9000, 3, step=0.3)
    assert (len(found.series), found.every_pair_drawn) == (6, True)
    for i, series in enumerate(found.series):
        assert len(series.t) <= 3000
        assert np.nanmin(series.distance) == pytest.approx(found.pairs.closest[i], abs=1e-12)
        apart = np.linalg.norm(places[:, :, series.other] - places[:, :, series.row], axis=1)
        if 1 in (series.row, series.other):
            apart[3000:3400] = np.nan
        for first in range(0, 9000, 50):
            # what is kept of the extremes may lie a bucket beside
            stretch = (series.t > first * 0.1 - 1.31) & (series.t < first * 0.1 + 6.31)
            values = apart[first : first + 50]
            if np.isfinite(values).all():
                assert np.nanmin(series.distance[stretch]) <= values.min() + 1e-9
                assert np.nanmax(series.distance[stretch]) >= values.max() - 1e-9


def test_of_many_vehicles_the_closest_pairs_are_drawn(tmp_path: Path) -> None:
    path = record_made_up(tmp_path / "a.mcap", MadeUp(40), 0, 300)
    with patch("movenv.review.ways.POINTS_OF_ALL_TRACKS", 4000):
        found = reviewed(path)
    assert (len(found.series), found.every_pair_drawn) == (30, False)
    assert [(s.row, s.other) for s in found.series] == list(
        zip(found.pairs.row[:30].tolist(), found.pairs.other[:30].tolist(), strict=True)
    )
    assert sum(len(track.t) for track in found.tracks) < 5000
    assert [series.name for series in found.processes] == ["core", "local-1"]
    assert len(found.links) == 3
    assert found.run.live


def heard(**columns: float) -> Receptions:
    table = Receptions.empty(1)
    table.vid[0], table.heard[0] = 10, Heard.HEARD
    for name, value in columns.items():
        getattr(table, name)[0] = value
    return table


def test_fixes_are_counted_over_a_gateway_that_began_again(tmp_path: Path) -> None:
    places = wandering(2, 100, 1)
    ticks = [Tick(k, places[k]) for k in range(100)]
    accuracies = []
    for k, tick in enumerate(ticks):
        count = (k if k < 60 else k - 60) // 5 + 1
        accuracy = 2.0 + count % 7
        if k not in range(20, 25):  # nothing is told of it
            tick.heard = heard(
                accuracy=accuracy, age=k % 5 * 0.1, delay=0.25, loss=0.5, rate=2.0, accepted=count,
                rejected=2,
            )  # fmt: skip
            if k % 5 == 0:
                accuracies.append(accuracy)
    found = reviewed(record(tmp_path / "a.mcap", roster(2, real=1), ticks))
    fixes = found.fixes
    assert fixes.rows.tolist() == [0]
    assert fixes.accepted[0] == 12 + 8
    assert fixes.rejected[0] == 2
    assert fixes.delay_median[0] == 0.25
    assert (fixes.loss[0], fixes.rate[0]) == (0.5, 2.0)
    assert fixes.accuracy_median[0] == np.median(accuracies)
    assert fixes.age_p95[0] == pytest.approx(0.4)
    assert len(found.links[0].t) == 95


def test_processes_as_they_said_it(tmp_path: Path) -> None:
    ticks = [Tick(k, np.zeros((3, 1))) for k in range(3)]
    core = {"margin_p5": None, "lag": 0.001}
    host = {"host": "a", "margin": 0.9, "margin_p5": 0.7, "lag": 0.02}
    ticks[0].more.append(HealthRecord(0.0, STARTED, core, []))
    ticks[1].more.append(HealthRecord(0.1, STARTED, core | {"margin_p5": 0.8}, [host]))
    one, two = reviewed(record(tmp_path / "a.mcap", roster(1), ticks)).processes
    assert (one.name, two.name) == ("core", "a")
    np.testing.assert_array_equal(one.margin, [np.nan, 0.8])
    assert (two.t.tolist(), two.margin.tolist(), two.lag.tolist()) == ([0.1], [0.7], [0.02])
