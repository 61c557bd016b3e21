"""Formations on lines, circles and bends: everyone comes to its station and stays there."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import fsolve

from movenv.behaviors.muster import Formation as Form
from movenv.behaviors.muster import Muster, direction
from movenv.behaviors.shapes import SHAPES, stations_of
from movenv.bench.bend import ride
from movenv.runtime.fast import updates
from movenv.scenario.build import Stage, build
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load

HEAD = "name: test\norigin: {lat: 29.193111, lon: -81.046171}\n"
LENGTH = {"ground": 2.7, "pedestrian": 0.5, "aerial/rotorcraft": 1.0, "aerial/fixedwing": 2.0}


def unit(
    kind: str, leads: str, form: str, followers: int = 6, z: float = 0, leader: str = ""
) -> str:
    return f"""
time: {{duration: 120}}
vehicles:
  - {{name: lead, unit: alpha, kind: {kind}, {leader}
      start: {{at: [0, 0], z: {z}}}, behaviors: {leads}}}
  - {{name: f, count: {followers}, unit: alpha, kind: {kind},
      start: {{grid: {{center: [-40, 10], spacing: 6}}, z: {z}}}, behaviors: {{formation: {form}}}}}
"""


def errors(seen, followers: int, shape: str, spacing: float, since: float) -> np.ndarray:
    """How far each is from a station of the shape that nobody else is nearer to, (ticks, n)."""
    names = [f"f-{i + 1}" for i in range(followers)]
    late = seen.t >= since
    places = np.array([seen.place(name)[late, :2] for name in names])
    lead = seen.place("lead")[late, :2]
    vx, vy = seen.column("vx", "lead")[late], seen.column("vy", "lead")[late]
    yaw = np.where(np.hypot(vx, vy) > 0.3, np.arctan2(vy, vx), seen.column("yaw", "lead")[late])
    ahead, left = stations_of(shape, followers, spacing)
    x = lead[:, :1] + np.cos(yaw)[:, None] * ahead - np.sin(yaw)[:, None] * left
    y = lead[:, 1:] + np.sin(yaw)[:, None] * ahead + np.cos(yaw)[:, None] * left
    gaps = np.hypot(
        places[:, :, 0].T[:, :, None] - x[:, None], places[:, :, 1].T[:, :, None] - y[:, None]
    )
    taken = gaps[-1].argmin(axis=1)
    assert sorted(taken) == list(range(followers))
    return gaps[:, np.arange(followers), taken]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("kind", "z"), [("ground", 0), ("aerial/fixedwing", 40)])
def test_on_a_line_everyone_comes_to_its_station(driven, shape, kind, z) -> None:
    seen = driven(unit(kind, "{wander: {}}", f"{{shape: {shape}}}", z=z))
    assert errors(seen, 6, shape, 4 * LENGTH[kind], 90).max() < 1e-3


@pytest.mark.parametrize(("kind", "z"), [("pedestrian", 0), ("aerial/rotorcraft", 20)])
def test_so_do_people_and_rotorcraft(driven, kind, z) -> None:
    seen = driven(unit(kind, "{wander: {}}", "{shape: vee}", z=z))
    assert errors(seen, 6, "vee", 4 * LENGTH[kind], 100).max() < 1e-2


def test_stations_of_ones_own_are_kept(driven) -> None:
    wanted = [[12, 7], [-15, 3], [-8, -20]]
    seen = driven(unit("ground", "{wander: {}}", f"{{stations: {wanted}}}", 3))
    lead = seen.place("lead")[-1]
    yaw = seen.column("yaw", "lead")[-1]
    c, s = np.cos(yaw), np.sin(yaw)
    gaps = np.array([seen.place(f"f-{i + 1}")[-1] - lead for i in range(3)])
    found = np.column_stack([c * gaps[:, 0] + s * gaps[:, 1], c * gaps[:, 1] - s * gaps[:, 0]])
    assert np.array(sorted(found.tolist())) == pytest.approx(np.array(sorted(wanted)), abs=1e-3)


@pytest.mark.parametrize("shape", SHAPES)
def test_on_a_circle_errors_are_bounded_and_steady(driven, shape) -> None:
    leads = "{circle: {center: [0, 80], radius: 80}}"
    seen = driven(unit("ground", leads, f"{{shape: {shape}, spacing: 8}}"))
    late = errors(seen, 6, shape, 8, 60)
    assert late.max() < 12.0
    assert np.ptp(late, axis=0).max() < 0.1


def in_a_turn(v: float, radius: float, station: np.ndarray, length: float, p_s: float) -> float:
    """The error at which the rule is in balance on a circle, by its equations alone, m.

    A car that turns at a rate ω points half a second of it beside where it heads for, and slips by
    half its steering angle.
    """
    rate, p_mag = v / radius, p_s * v + 2 * length

    def unbalance(place: np.ndarray) -> list[float]:
        along = rate * (radius - place[1]), rate * place[0]  # of the place, by the leader's course
        goes = float(np.hypot(*along))
        slip = np.arcsin(rate * length / 2 / goes)
        yaw = np.arctan2(along[1], along[0]) - slip
        e = station - place + np.array([p_mag, 0.0])
        return [
            np.sin(np.arctan2(e[1], e[0]) - yaw - 0.5 * rate),
            goes * np.cos(slip) - v * np.hypot(*e) / p_mag,
        ]

    found, _, good, _ = fsolve(unbalance, station, full_output=True)
    assert good == 1
    return float(np.hypot(*(found - station)))


def test_on_a_circle_the_error_is_that_of_the_rule_in_balance(driven) -> None:
    leads = "{circle: {center: [0, 80], radius: 80}}"
    seen = driven(unit("ground", leads, "{shape: wedge, spacing: 8}"))
    v = float(np.hypot(seen.column("vx", "lead")[-1], seen.column("vy", "lead")[-1]))
    stations = stations_of("wedge", 6, 8).T
    wanted = sorted(in_a_turn(v, 80.0, station, 2.7, 1.5) for station in stations)
    assert sorted(errors(seen, 6, "wedge", 8, 110)[-1]) == pytest.approx(wanted, rel=0.03)


def test_where_the_leader_stops_the_formation_closes_up(driven) -> None:
    seen = driven(unit("ground", "{go_to_point: {at: [100, 0]}}", "{shape: wedge}"))
    assert errors(seen, 6, "wedge", 4 * 2.7, 100).max() < 1.4
    for i in range(6):
        assert seen.column("speed", f"f-{i + 1}")[-1] == pytest.approx(0, abs=1e-3)


def test_behind_a_leader_that_never_moves_they_form_up(driven) -> None:
    seen = driven(unit("ground", "{hover: {}}", "{shape: line, spacing: 12}"))
    assert errors(seen, 6, "line", 12, 110).max() < 1.4


def test_nobody_drives_backwards(driven) -> None:
    text = unit("ground", "{wander: {}}", "{shape: column}").replace("[-40, 10]", "[60, 0]")
    seen = driven(text)
    for i in range(6):
        assert seen.column("speed", f"f-{i + 1}").min() >= 0
    assert errors(seen, 6, "column", 4 * 2.7, 90).max() < 1e-3


def test_aircraft_circle_near_a_leader_that_is_too_slow_for_them(driven) -> None:
    text = unit("aerial/fixedwing", "{hover: {}}", "{shape: line, spacing: 60}", 2, z=40)
    text = text.replace("kind: aerial/fixedwing, \n", "kind: aerial/rotorcraft,\n")
    seen = driven(text)
    assert seen.column("speed", "lead")[-1] == pytest.approx(0, abs=0.01)
    lead = seen.place("lead")
    for i in range(2):
        gap = (seen.place(f"f-{i + 1}") - lead)[seen.t > 60]
        assert np.hypot(gap[:, 0], gap[:, 1]).max() < 60 + 25
        assert seen.column("speed", f"f-{i + 1}").min() >= 9 - 1e-6


def test_aircraft_ahead_of_their_stations_weave_back_to_them(driven) -> None:
    text = unit("aerial/fixedwing", "{wander: {}}", "{shape: wedge}", 4, z=40)
    slower = ["vehicles.0.model.speed=10", "vehicles.0.model.min_speed=5"]
    seen = driven(text.replace("[-40, 10]", "[80, 10]"), *slower)
    assert errors(seen, 4, "wedge", 8, 100).max() < 0.1


@pytest.mark.parametrize("leads", ["{hover: {}}", "{wander: {}}"])
def test_followers_take_their_leaders_height_where_it_flies_as_they_do(driven, leads) -> None:
    text = unit("aerial/rotorcraft", leads, "{shape: line}", 2, z=40)
    seen = driven(text.replace("spacing: 6}, z: 40", "spacing: 6}, z: 20"))
    assert seen.place("f-1")[0, 2] == 20
    assert seen.place("f-1")[-1, 2] == pytest.approx(40, abs=0.5)
    assert errors(seen, 2, "line", 4, 115).max() < 0.6


def test_over_a_leader_on_the_ground_they_keep_their_own_height(driven) -> None:
    text = unit("aerial/rotorcraft", "{wander: {}}", "{shape: line}", 2, z=40)
    text = text.replace(
        "lead, unit: alpha, kind: aerial/rotorcraft", "lead, unit: alpha, kind: ground"
    )
    seen = driven(text.replace("at: [0, 0], z: 40", "at: [0, 0]"), "vehicles.0.model.speed=5")
    assert seen.place("lead")[-1, 2] == 0
    assert seen.place("f-1")[-1, 2] == pytest.approx(40, abs=0.5)


def test_through_the_bend_the_formation_does_better_than_naive_followers() -> None:
    kept, naive = ride(naive=False), ride(naive=True)
    rms = [float(np.sqrt((passage.in_bend**2).mean())) for passage in (kept, naive)]
    assert rms[0] < 0.7 * rms[1]
    assert kept.in_bend.max() < 0.85 * naive.in_bend.max()
    assert kept.settled < 0.75 * naive.settled
    assert kept.error[-1].max() < 0.05
    places = np.array([kept.x, kept.y])
    gaps = np.hypot(*(places[:, :, :, None] - places[:, :, None]))
    assert (gaps + 1e3 * np.eye(15)).min() > 2.7  # nobody touches


def test_stations_change_hands_a_few_times_in_the_bend_and_never_elsewhere() -> None:
    run = build(load("bend-80"))
    muster = Muster([Form(1, tuple(range(2, 16)), "wedge", 14.14)])
    held, changed = None, []
    for update in updates(run):
        muster.look(update.snapshot.vehicles)
        if held is not None and not np.array_equal(held, muster.stations):
            changed.append(update.snapshot.t)
        held = muster.stations
    assert 1 <= len(changed) <= 6
    assert min(changed) > 41
    assert max(changed) < 60


def test_a_leader_that_winds_does_not_make_stations_flap(tmp_path: Path) -> None:
    path = tmp_path / "winding.yaml"
    leads = "{wander: {}, periodic_turn: {priority: 2, steer: [-0.5, 0.5]}}"
    path.write_text(HEAD + unit("ground", leads, "{shape: wedge}"))
    muster = Muster([Form(1, tuple(range(2, 8)), "wedge", 10.8)])
    held, changes, turned, course = None, 0, 0.0, None
    for update in updates(build(load(str(path), ["time.duration=150"]))):
        vehicles = update.snapshot.vehicles
        muster.look(vehicles)
        now = float(np.arctan2(*reversed(direction(vehicles, np.zeros(1, np.intp))))[0])
        turned += 0 if course is None else abs((now - course + np.pi) % (2 * np.pi) - np.pi)
        course = now
        changes += held is not None and not np.array_equal(held, muster.stations)
        held = muster.stations
    assert turned > 10  # it does turn
    assert changes <= turned / (np.pi / 4)


def with_orphans(hosts: int, tmp_path: Path, *changes: str) -> list[bytes]:
    path = tmp_path / "unit.yaml"
    path.write_text(HEAD + unit("ground", "{wander: {}, periodic_turn: {priority: 2}}", "{}", 9))
    last = list(updates(build(load(str(path), list(changes)), hosts)))[-1]
    return [column.tobytes() for _, column in last.snapshot.vehicles.columns()]


def test_hosts_make_no_difference(tmp_path: Path) -> None:
    short = "time.duration=40"
    assert with_orphans(1, tmp_path, short) == with_orphans(3, tmp_path, short)


@pytest.mark.parametrize("minutes", [20, pytest.param(60, marks=pytest.mark.soak)])
def test_long_on_a_circle_without_drift(driven, minutes: int) -> None:
    leads = "{circle: {center: [0, 80], radius: 80}}"
    seen = driven(
        unit("ground", leads, "{shape: diamond, spacing: 8}"),
        f"time.duration={60 * minutes}", "time.tick=0.5",
    )  # fmt: skip
    late = errors(seen, 6, "diamond", 8, 600)
    assert late.max() < 8
    assert np.ptp(late, axis=0).max() < 0.2


def test_the_leader_may_be_of_another_group_and_real_ones_rehearse(driven) -> None:
    seen = driven(
        """
time: {duration: 100}
vehicles:
  - {name: lead, vid: 50, kind: ground, live: {type: phone_udp}, start: {at: [0, 0]},
     behaviors: {wander: {}}}
  - {name: f, vid: 1, count: 4, unit: alpha, kind: ground,
     start: {line: {from: [-20, 0], to: [-60, 0]}},
     behaviors: {formation: {leader: lead, shape: echelon, spacing: 9}}}
"""
    )
    assert errors(seen, 4, "echelon", 9, 80).max() < 1e-3


def test_when_the_leader_is_lost_the_next_leads_until_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "unit.yaml"
    path.write_text(
        HEAD
        + """
time: {duration: 120}
vehicles:
  - {name: v, count: 5, unit: alpha, kind: ground, start: {line: {from: [0, 0], to: [-60, 0]}},
     behaviors: {wander: {}, formation: {priority: 2, shape: column, spacing: 15}}}
"""
    )
    stage = Stage(load(str(path)), real=False)
    host, core = stage.host("rest", np.arange(1, 5)), stage.core()
    first = stage.host("first", np.array([0]))
    core.take(host.set())
    core.take(first.set())
    names = ["", *stage.roster.behaviors]
    driving: dict[float, list[str]] = {}
    for tick in range(1, 400):
        known = core.tick(tick - 1, (tick - 1) / 10)
        if tick == 100:
            core.lose(np.array([1], np.uint32), 10.0)
        others = known.snapshot.vehicles
        report = host.tick(tick, others, known.notices)
        core.take(report)
        if tick < 100 or tick >= 250:
            core.take(first.tick(tick, others, known.notices))
        driving[tick / 10] = [names[b] for b in report.motions.behavior]
    assert driving[9] == ["formation"] * 4
    assert driving[15] == ["wander"] + ["formation"] * 3
    assert driving[39] == ["formation"] * 4


def test_who_is_in_a_unit_is_told_of_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "unit.yaml"
    text = unit("ground", "{wander: {}}", "{}", 3)
    path.write_text(HEAD + text + "  - {name: x, kind: ground, start: {at: [9, 9]}}\n")
    stage = Stage(load(str(path)))
    assert stage.watched(np.array([2])).tolist() == [0, 1, 2, 3]
    assert stage.watched(np.array([4])).tolist() == []


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("{shape: star}", "shape"),
        ("{shape: line, stations: [[1, 2]]}", "not both"),
        ("{stations: [[-5, 0]]}", "6 followers but 1 stations"),
        ("{stations: [[-5, 0], [-5, 0]]}", "two stations are at one place"),
        ("{stations: [[0, 0]]}", "where the leader is"),
        ("{leader: nobody}", "nobody"),
    ],
)
def test_what_cannot_be_formed_is_refused(driven, form, words) -> None:
    with pytest.raises(ScenarioError, match=words):
        driven(unit("ground", "{wander: {}}", form))


def test_a_formation_needs_more_than_one(driven) -> None:
    text = """
vehicles:
  - {name: f, unit: alpha, kind: ground, start: {at: [0, 0]}, behaviors: {formation: {}}}
"""
    with pytest.raises(ScenarioError, match=r"test\.yaml:6:.*'f' is alone in its unit"):
        driven(text)


def test_a_formation_needs_a_unit(driven) -> None:
    text = unit("ground", "{wander: {}}", "{}").replace("count: 6, unit: alpha", "count: 6")
    with pytest.raises(ScenarioError, match="'f-1' belongs to no unit"):
        driven(text)


def test_a_unit_of_more_than_two_hundred_keeps_no_formation(driven) -> None:
    text = unit("ground", "{wander: {}}", "{}", followers=200).replace("[-40, 10]", "[-400, 10]")
    with pytest.raises(ScenarioError, match="a formation of 201 vehicles: 200 is the most"):
        driven(text)
