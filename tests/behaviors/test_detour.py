"""Formations among obstacles: followers go round them, squeeze through, and open out again."""

from pathlib import Path

import numpy as np
import pytest
import shapely
from test_formation import HEAD, errors

from movenv.behaviors.stations import Stations
from movenv.runtime.fast import updates
from movenv.scenario.build import Stage, build
from movenv.scenario.load import load

pytestmark = pytest.mark.long

RIVER = """
terrain:
  features:
    - {kind: river, name: brook, width: 30, line: [[0, -600], [10, 0], [0, 600]]}
    - {kind: bridge, name: plank, width: 12, line: [[-20, 0], [40, 0]]}
"""
HOUSES = """
terrain:
  features:
    - {kind: building, name: left, at: [0, 40], rectangle: [40, 60]}
    - {kind: building, name: right, at: [0, -40], rectangle: [40, 60]}
"""
LAKE = """
terrain:
  features:
    - {kind: lake, name: pond, polygon: [[-60, -90], [60, -90], [60, -12], [-60, -12]]}
"""
FOLLOWERS = 6


def company(
    ground: str, to: str, seconds: float, kind: str = "ground", z: float = 0, avoid: str = ""
) -> str:
    """A leader and six behind it in a wedge, from the west."""
    return f"""{ground}
time: {{duration: {seconds}}}
vehicles:
  - {{name: lead, unit: alpha, kind: {kind}, start: {{at: [-150, 0], heading_deg: 90, z: {z}}},
      behaviors: {{move_to: {{to: {to}}}}}}}
  - {{name: f, count: {FOLLOWERS}, unit: alpha, kind: {kind},
      start: {{grid: {{center: [-180, 0], spacing: 10, columns: 2}}, heading_deg: 90, z: {z}}},
      behaviors: {{formation: {{shape: wedge, spacing: 12}}{avoid}}}}}
"""


def tracks(seen) -> np.ndarray:
    """Places of the followers, (ticks, followers, 2)."""
    return np.stack([seen.place(f"f-{i + 1}")[:, :2] for i in range(FOLLOWERS)], axis=1)


def ground_of(tmp_path: Path) -> shapely.Geometry:
    """All that stands in the way of ground vehicles in the scenario that was driven."""
    stage = Stage(load(str(tmp_path / "test.yaml")), real=False)
    kind = stage.roster.kinds[0]
    return shapely.union_all([part for _, part in stage.terrain.barriers(kind)])


def inside(seen, tmp_path: Path) -> int:
    """How often a follower was on what it must not be on."""
    places = tracks(seen)
    return int(shapely.contains_xy(ground_of(tmp_path), places[..., 0], places[..., 1]).sum())


def test_a_wedge_becomes_a_column_over_a_bridge_and_opens_out_again(driven, tmp_path) -> None:
    seen = driven(company(RIVER, "[700, 0]", 120))
    assert inside(seen, tmp_path) == 0
    assert (tracks(seen)[-1, :, 0] > 40).all()
    before = seen.t[np.argmax(seen.place("lead")[:, 0] > -20)]
    across = seen.t[np.argmax((tracks(seen)[..., 0] > 40).all(axis=1))]
    assert across - before < 25
    there = (seen.t > across + 20) & (seen.place("lead")[:, 0] < 600)
    assert there.sum() > 20
    late = errors(seen, FOLLOWERS, "wedge", 12, float(seen.t[there][0]))
    assert late[: there.sum()].max() < 2.0


def test_without_it_they_would_drive_into_the_river(driven, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("movenv.behaviors.formation.detour", lambda *_: None)
    seen = driven(company(RIVER, "[700, 0]", 60))
    assert inside(seen, tmp_path) > 0


def test_a_leader_who_turns_behind_the_bridge_is_followed(driven, tmp_path) -> None:
    seen = driven(company(RIVER, "[60, 300]", 120))
    assert inside(seen, tmp_path) == 0
    assert (tracks(seen)[-1, :, 0] > 20).all()
    lead = seen.place("lead")[-1, :2]
    assert np.hypot(*(tracks(seen)[-1] - lead).T).max() < 80


def test_along_a_bank_nobody_crosses_to_keep_a_station_in_or_beyond_the_river(
    driven, tmp_path
) -> None:
    text = company(RIVER, "[-25, 400]", 120)
    seen = driven(text)
    assert inside(seen, tmp_path) == 0
    assert tracks(seen)[..., 0].max() < -10
    assert np.hypot(*(tracks(seen)[-1] - [-25, 400]).T).max() < 80


def test_a_wedge_goes_through_between_two_houses(driven, tmp_path) -> None:
    seen = driven(company(HOUSES, "[500, 0]", 100))
    assert inside(seen, tmp_path) == 0
    assert (tracks(seen)[-1, :, 0] > 300).all()
    assert errors(seen, FOLLOWERS, "wedge", 12, 75).max() < 12


@pytest.mark.parametrize("shape", ["vee", "line", "wedge"])
@pytest.mark.parametrize(("spacing", "gap"), [(8, 20), (12, 12), (12, 20)])
def test_nobody_is_led_into_a_house_beside_a_gap(driven, tmp_path, shape, spacing, gap) -> None:
    off = gap / 2 + 30
    houses = HOUSES.replace(" 40]", f" {off}]").replace("-40]", f"-{off}]")
    text = company(houses.replace("[40, 60]", "[30, 60]"), "[500, 0]", 80)
    form = f"shape: {shape}, spacing: {spacing}"
    seen = driven(text.replace("shape: wedge, spacing: 12", form))
    solid = ground_of(tmp_path)
    assert solid.bounds == (-15, -gap / 2 - 60, 15, gap / 2 + 60)
    ways = [shapely.LineString(way) for way in tracks(seen).transpose(1, 0, 2)]
    assert not shapely.intersects(solid, ways).any()
    assert (tracks(seen)[-1, :, 0] > 300).all()


def test_whose_station_is_in_a_lake_stays_ashore_near_the_leader(driven, tmp_path) -> None:
    seen = driven(company(LAKE, "[0, 0]", 90))
    assert inside(seen, tmp_path) == 0
    places = tracks(seen)
    assert np.hypot(*places[-1].T).max() < 70
    assert np.abs(places[-1] - places[-50]).max() < 1.0  # at rest


@pytest.mark.parametrize(("z", "straight"), [(30, True), (10, False)])
def test_aircraft_go_round_what_is_higher_than_they_fly(driven, z, straight) -> None:
    ground = HOUSES.replace("60]}", "60], height: 20}")
    kind = "aerial/rotorcraft"
    seen = driven(company(ground, "[500, 0]", 100, kind=kind, z=z))
    houses = shapely.box(-20, 10, 20, 70), shapely.box(-20, -70, 20, -10)
    places = tracks(seen)
    over = shapely.contains_xy(shapely.union_all(houses), places[..., 0], places[..., 1])
    assert over.any() == straight
    assert (places[-1, :, 0] > 300).all()


def columns(tmp_path: Path, text: str, hosts: int) -> list[bytes]:
    path = tmp_path / "test.yaml"
    path.write_text(HEAD + text)
    last = list(updates(build(load(str(path)), hosts)))[-1]
    return [column.tobytes() for _, column in last.snapshot.vehicles.columns()]


@pytest.mark.parametrize("ground", [RIVER, HOUSES, LAKE])
def test_hosts_make_no_difference(tmp_path: Path, ground: str) -> None:
    avoid = ", avoid: {method: constant_velocity}"
    text = company(ground, "[300, 40]", 30, avoid=avoid)
    assert columns(tmp_path, text, 1) == columns(tmp_path, text, 3)


def test_where_the_line_is_open_nothing_changes_by_a_bit(driven) -> None:
    """A river far away: there are obstacles to mind, but none is ever in the way."""
    away = RIVER.replace("[0, -600], [10, 0], [0, 600]", "[0, 900], [600, 900]")
    away = away.replace("[-20, 0], [40, 0]", "[300, 880], [300, 920]")
    bare, minding = (driven(company(ground, "[300, 0]", 40)) for ground in ("", away))
    for name in ("x", "y", "yaw", "speed"):
        for i in range(FOLLOWERS):
            assert (bare.column(name, f"f-{i + 1}") == minding.column(name, f"f-{i + 1}")).all()


def test_without_obstacles_there_is_nothing_to_ask(tmp_path: Path, monkeypatch) -> None:
    made = []
    real = Stations.__init__
    monkeypatch.setattr(
        Stations, "__init__", lambda self, setup, round_: made.append(round_) or real(self, setup)
    )
    columns(tmp_path, company("", "[300, 0]", 1), 1)
    assert made == [None]
