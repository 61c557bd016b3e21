"""Reciprocal avoidance: its geometry against brute force, its crowds against a referee."""

import math
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from shapely import box

from movenv.behaviors.braking import LANE, TIMES, braking_places, keeps_lanes, lane
from movenv.behaviors.half_planes import nearest_in_all, nearest_velocity
from movenv.behaviors.reserves import BODY, SHAPE, WHOLE, foresee, reserve, separation
from movenv.behaviors.velocity_obstacles import disc_half_plane
from movenv.bench.crossing_runs import Crowd, draw, stage
from movenv.bench.crowds import judged
from movenv.runtime.fast import updates
from movenv.terrain.features import Obstacle
from movenv.testing import Drive
from movenv.vehicles.kinematic import PARAMETERS, Kinematic
from movenv.world.model import MOTION

FASTEST = 5.0
PERIOD = 0.1

angles = st.floats(0.0, 2 * math.pi)
planes_of = st.lists(st.tuples(angles, st.floats(-4.0, 4.0)), min_size=1, max_size=14)


def rows(drawn: list[tuple[float, float]]) -> np.ndarray:
    return np.array([[math.cos(angle), math.sin(angle), c] for angle, c in drawn])


@settings(max_examples=150, deadline=None)
@given(planes_of, st.floats(-6, 6), st.floats(-6, 6))
def test_the_nearest_velocity_is_the_one_scipy_finds(drawn, x: float, y: float) -> None:
    planes = rows(drawn)
    found, vx, vy = nearest_in_all(planes, len(planes), x, y, FASTEST)
    worst = _least_violation(planes)
    if worst > 1e-4:
        assert not found
    if worst > -1e-4:
        return  # as good as empty: rounding decides
    assert found
    assert (planes[:, :2] @ [vx, vy] >= planes[:, 2] - 1e-6).all()
    assert math.hypot(vx, vy) <= FASTEST + 1e-6
    limits = [{"type": "ineq", "fun": lambda v, p=p: p[:2] @ v - p[2]} for p in planes]
    limits.append({"type": "ineq", "fun": lambda v: FASTEST**2 - v @ v})
    theirs = minimize(
        lambda v: (v[0] - x) ** 2 + (v[1] - y) ** 2, [vx * 0.9, vy * 0.9], constraints=limits
    )
    if theirs.success and (planes[:, :2] @ theirs.x >= planes[:, 2] - 1e-6).all():
        assert math.hypot(vx - x, vy - y) <= math.hypot(*(theirs.x - [x, y])) + 1e-4


@settings(max_examples=150, deadline=None)
@given(planes_of, st.floats(-6, 6), st.floats(-6, 6))
def test_where_all_cannot_be_met_the_worst_is_violated_least(drawn, x: float, y: float) -> None:
    planes = rows(drawn)
    worst = _least_violation(planes)
    if worst < 1e-3:
        return
    vx, vy = nearest_velocity(planes, 0, len(planes), x, y, FASTEST, planes.copy())
    assert math.hypot(vx, vy) <= FASTEST + 1e-6
    violated = (planes[:, 2] - planes[:, :2] @ [vx, vy]).max()
    assert violated == pytest.approx(worst, abs=2e-3)


def _least_violation(planes: np.ndarray) -> float:
    """By linear programming, the round limit of speed cut into 720 sides."""
    around = 2 * np.pi * np.arange(720) / 720
    sides = np.column_stack([np.cos(around), np.sin(around), np.zeros(720)])
    above = np.column_stack([-planes[:, :2], -np.ones(len(planes))])
    solved = linprog(
        [0, 0, 1],
        A_ub=np.vstack([above, sides]),
        b_ub=np.concatenate([-planes[:, 2], np.full(720, FASTEST)]),
        bounds=[(None, None)] * 3,
    )
    return float(solved.x[2])


def test_walls_are_never_violated_for_the_sake_of_others() -> None:
    planes = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 2.0], [0.0, 1.0, 1.0]])
    vx, vy = nearest_velocity(planes, 1, 3, 0.0, 0.0, FASTEST, planes.copy())
    assert vx >= -1e-9
    assert vy == pytest.approx(-1.0, abs=0.01) or vy >= -1.0 - 1e-6


def meets(p: np.ndarray, v: np.ndarray, apart: float, tau: float) -> bool:
    """Whether discs come together within tau seconds, by looking often."""
    t = np.linspace(0.0, tau, 4001)
    return bool((np.hypot(p[0] - v[0] * t, p[1] - v[1] * t) < apart).any())


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6))
def test_the_half_plane_of_a_pair_is_the_least_change_that_parts_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.uniform(-20, 20, 2)
    v, other = rng.uniform(-6, 6, 2), rng.uniform(-6, 6, 2)
    apart, tau = 2.0, 4.0
    if np.hypot(*p) < apart + 0.1 or not meets(p, v - other, apart, tau):
        return
    a, b, c = disc_half_plane(*p, *v, *(v - other), apart, tau, 1.0)
    change = c - (a * v[0] + b * v[1])
    assert change > 0
    n = np.array([a, b])
    assert not meets(p, v - other + n * (change + 0.02), apart, tau)
    # No smaller change in any direction does, but for the preference to pass on the right.
    least = change - 0.1 * np.hypot(*(v - other)) - 0.05
    around = np.linspace(0, 2 * np.pi, 90)
    for angle in around if least > 0 else []:
        step = least * np.array([math.cos(angle), math.sin(angle)])
        assert meets(p, v - other + step, apart + 0.02, tau)


def test_two_halves_part_two() -> None:
    p, v, w = np.array([20.0, 0.3]), np.array([4.0, 0.0]), np.array([-4.0, 0.0])
    mine = disc_half_plane(*p, *v, *(v - w), 2.0, 4.0, 0.5)
    theirs = disc_half_plane(*-p, *w, *(w - v), 2.0, 4.0, 0.5)
    ours = v + np.array(mine[:2]) * (mine[2] - np.dot(mine[:2], v) + 1e-3)
    others = w + np.array(theirs[:2]) * (theirs[2] - np.dot(theirs[:2], w) + 1e-3)
    assert meets(p, v - w, 2.0, 4.0)
    assert not meets(p, ours - others, 2.0, 4.0)


def body(rng: np.random.Generator, x: float, y: float) -> np.ndarray:
    """A ground vehicle somewhere about (x, y), with any wheel and speed."""
    yaw, speed, steer = rng.uniform(-3, 3), rng.uniform(0, 10), rng.uniform(-0.6, 0.6)
    return np.array([x, y, yaw, speed, steer, 2.7, 3.0, 0.6, 1.0, 0.0, np.inf, 1.0, 3.0, 1.0])


def hull(one: np.ndarray) -> shapely.Geometry:
    """The reserve by driving: brake in tiny steps, then a circle to the right."""
    x, y, yaw, speed, steer, length = one[:6]
    places, dt = [(x, y)], 0.002
    while speed > 0:
        slow = max(speed - 3.0 * dt, 0.0)
        middle = (speed + slow) / 2
        yaw += middle * steer / length * dt
        x += middle * dt * (math.cos(yaw) - 0.5 * steer * math.sin(yaw))
        y += middle * dt * (math.sin(yaw) + 0.5 * steer * math.cos(yaw))
        speed = slow
        places.append((x, y))
    for _ in range(6000):  # rather more than once round
        yaw -= 0.6 * 0.005 / length
        x += 0.005 * (math.cos(yaw) + 0.3 * math.sin(yaw))
        y += 0.005 * (math.sin(yaw) - 0.3 * math.cos(yaw))
        places.append((x, y))
    return shapely.MultiPoint(places).convex_hull


@pytest.mark.parametrize("seed", range(25))
def test_the_gap_of_two_reserves_is_that_of_driven_ways(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = body(rng, 0, 0), body(rng, *rng.uniform(-60, 60, 2))
    shapes = np.empty((2, SHAPE))
    reserve(one, shapes[0])
    reserve(other, shapes[1])
    _, _, gap = separation(shapes[0], shapes[1], WHOLE, np.inf)
    truth = hull(one).distance(hull(other))
    if truth > 0:
        assert gap == pytest.approx(truth, abs=0.05)
    else:
        assert gap < 0.05


@pytest.mark.parametrize("seed", range(25))
def test_a_tick_is_foreseen_as_the_model_drives_it_and_braking_stays_in_reserve(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = body(rng, 0, 0)
    truth = _kinematic(one)
    steer, speed = rng.uniform(-0.6, 0.6), rng.uniform(0, 12)
    then = np.empty(BODY)
    foresee(one, steer, speed, 3.0, 1.0, 3.0, PERIOD, then)
    truth.advance(np.array([[steer], [speed], [0.0]]), 0.01, 10)
    assert np.allclose(then[:4], truth.state[[0, 1, 3, 5], 0], atol=2e-3)
    assert then[4] == pytest.approx(truth.state[4, 0], abs=1e-6)
    ground = hull(one).buffer(0.02)
    truth = _kinematic(one)
    for _ in range(60):
        truth.advance(np.array([[one[4]], [0.0], [0.0]]), 0.01, 10)
        assert ground.contains(shapely.Point(*truth.state[:2, 0]))
    assert truth.state[5, 0] == 0.0


@pytest.mark.parametrize("seed", range(10))
def test_a_braking_vehicle_is_where_the_model_drives_it_at_each_time(seed: int) -> None:
    one = body(np.random.default_rng(seed), 3.0, -2.0)
    places = np.empty((TIMES, 2))
    braking_places(one, 3.0, 0.4, 0.0, TIMES - 1, places)
    truth = _kinematic(one)
    for place in places:
        assert np.allclose(place, truth.state[:2, 0], atol=5e-3)
        truth.advance(np.array([[one[4]], [0.0], [0.0]]), 0.01, 40)


@pytest.mark.parametrize("seed", range(40))
def test_two_that_keep_their_lanes_never_meet_whatever_they_do(seed: int) -> None:
    """Two that go the same way do at random what is allowed, else brake; nobody else decides."""
    rng = np.random.default_rng(seed)
    pair = [body(rng, 0.0, 0.0), body(rng, *rng.uniform(-14, 14, 2))]
    for one in pair:
        one[2], one[3], one[4] = rng.uniform(-0.2, 0.2), rng.uniform(6, 10), 0.0
    needed, places = 2.9, np.empty((2, 2, TIMES, 2))
    lanes, tried, ways = np.empty((4, LANE)), np.empty((TIMES, 2)), np.ones(2, np.int64)
    for tick in range(60):
        for k in range(2):
            braking_places(pair[k], 3.0, 0.4, 0.0, TIMES - 1, places[k, 0])
        if tick == 0 and np.hypot(*(places[1, 0] - places[0, 0]).T).min() < needed:
            return
        after = []
        for k in range(2):
            assert lane(k, 1 - k, places, ways, TIMES - 1, needed, 0.5, lanes, 0) == 1
            then = np.empty(BODY)
            steer, speed = rng.uniform(-0.3, 0.3), rng.uniform(0, 14)
            foresee(pair[k], steer, speed, 3.0, 1.0, 3.0, PERIOD, then)
            if not keeps_lanes(then, PERIOD, 0.4, lanes, 1, tried):
                foresee(pair[k], pair[k][4], 0.0, 3.0, 1.0, 3.0, PERIOD, then)
            after.append(then)
        pair = after
        assert math.hypot(*(pair[0][:2] - pair[1][:2])) > needed - 0.2


def _kinematic(one: np.ndarray) -> Kinematic:
    limits = {"length": 2.7, "max_speed": 20, "max_acceleration": 3, "max_steer": 0.6}
    limits |= {"max_steer_rate": 1, "max_pitch_rate": 1, "floor": -np.inf, "ceiling": np.inf}
    start = np.zeros((len(MOTION), 1))
    model = Kinematic(np.array([[limits.get(name, 0.0)] for name in PARAMETERS]), start)
    model.state[[0, 1, 3, 4, 5], 0] = one[[0, 1, 2, 4, 3]]
    return model


def crowd(start: list, goal_through: tuple[float, float], obstacles: list[Obstacle]) -> Crowd:
    return Crowd("ground", 2.7, goal_through, np.array(start, float), obstacles, 10.0)


SCENES = {
    "head-on": crowd([(-60, 0), (60, 0)], (0, 0), []),
    "crossing": crowd([(-60, 0), (0, -60)], (0, 0), []),
    "four ways": crowd([(-60, 0), (0, -60), (60, 0), (0, 60)], (0, 0), []),
    "a pillar in the way": crowd(
        [(-60, 0)], (0, 0), [Obstacle("pillar", "tower", shapely.Point(0, 0).buffer(3))]
    ),
    "along a corridor": crowd(
        [(-70, 0), (-95, 0)],
        (0, 0),
        [
            Obstacle("north", "building", box(-40, 4, 40, 6)),
            Obstacle("south", "building", box(-40, -6, 40, -4)),
        ],
    ),
    "two in a wide corridor": crowd(
        [(-80, 0), (80, 0)],
        (0, 0),
        [
            Obstacle("north", "building", box(-40, 16, 40, 18)),
            Obstacle("south", "building", box(-40, -18, 40, -16)),
        ],
    ),
}


@pytest.mark.parametrize("name", SCENES)
def test_nobody_touches_anything_and_all_arrive(name: str) -> None:
    outcome = judged([SCENES[name]], "reciprocal")
    assert not outcome.hit.any()
    assert outcome.arrived == 100.0


def test_without_it_they_do_touch() -> None:
    for name in ("head-on", "four ways", "a pillar in the way"):
        assert judged([SCENES[name]], "none").hit.all(), name


@pytest.mark.parametrize(("size", "runs"), [(8, 14), pytest.param(32, 6, marks=pytest.mark.long)])
def test_crossing_crowds_get_through_without_touching(size: int, runs: int) -> None:
    outcome = judged([draw(size, number, number, seed=7) for number in range(runs)], "reciprocal")
    assert not outcome.hit.any()
    assert outcome.arrived > 85


def company(name: str, x: float, heading: int, goal: float) -> str:
    """A wedge of 14 tanks 20 m apart, with its point at x."""
    back = -1 if heading == 90 else 1
    arms = [[x + back * 14.14 * r, side * 14.14 * r] for r in range(1, 8) for side in (1, -1)]
    head = f"unit: {name}\n    kind: ground\n    model: {{type: ground, build: tank}}"
    return f"""
  - name: {name}-lead
    {head}
    start: {{at: [{x}, 0], heading_deg: {heading}}}
    behaviors: {{move_to: {{to: [{goal}, 0]}}, avoid: {{method: reciprocal}}}}
  - name: {name}
    count: 13
    {head}
    start: {{points: {arms[:13]}, heading_deg: {heading}}}
    behaviors: {{formation: {{shape: wedge, spacing: 20}}, avoid: {{method: reciprocal}}}}
"""


def test_it_leaves_a_formation_in_peace(driven) -> None:
    seen: Drive = driven("time: {duration: 60}\nvehicles:" + company("tank", 0, 90, 1000))
    driving = [who == "avoid" for name in seen.names for who in seen.behaviors(name)]
    assert np.mean(driving) < 0.05


def test_two_companies_that_meet_pass_through_each_other(driven) -> None:
    """Each keeps its formation of 14 tanks; the two come to where the other was."""
    vehicles = company("red", -200, 90, 300) + company("blue", 200, 270, -300)
    seen: Drive = driven("time: {duration: 90}\nvehicles:" + vehicles)
    tank = 4.6  # its length, and twice the radius of its disc
    for number, one in enumerate(seen.names):
        assert all(seen.closest(one, other) > tank for other in seen.names[number + 1 :])
    east = {name: seen.column("x", name)[-1] for name in seen.names}
    assert all(x > 100 if name.startswith("red") else x < -100 for name, x in east.items())


BRIDGE = """
time: {{duration: 90}}
terrain:
  features:
    - {{kind: river, name: r, width: 30, line: [[100, -400], [100, 400]]}}
    - {{kind: bridge, width: {width}, line: [[80, 100], [120, 100]]}}
vehicles:
  - name: lone
    kind: ground
    model: {model}
    start: {{at: [0, 0], heading_deg: 90}}
    behaviors: {{move_to: {{to: [250, 0]}}, avoid: {{method: reciprocal}}}}
"""


@pytest.mark.parametrize("model", ["{speed: 8}", "{type: ground, build: tank}"])
@pytest.mark.parametrize("width", [6, 10, 20])
def test_it_lets_a_vehicle_over_a_bridge(driven, width: int, model: str) -> None:
    seen: Drive = driven(BRIDGE.format(width=width, model=model))
    place = seen.place("lone")
    assert math.hypot(*(place[-1, :2] - [250, 0])) < 5
    wet = (abs(place[:, 0] - 100) < 15) & (abs(place[:, 1] - 100) > width / 2)
    assert not wet.any()


OVERTAKING = """
time: {duration: 60}
vehicles:
  - name: slow
    kind: ground
    model: {speed: 3}
    start: {at: [0, 0]}
    behaviors: {go_to_point: {at: [400, 0]}, avoid: {method: reciprocal}}
  - name: fast
    kind: ground
    start: {at: [-40, 0]}
    behaviors: {go_to_point: {at: [400, 0]}, avoid: {method: reciprocal}}
"""


def test_a_fast_one_overtakes_a_slow_one(driven) -> None:
    seen: Drive = driven(OVERTAKING)
    assert seen.closest("slow", "fast") > 2.7
    assert seen.column("x", "fast")[-1] > seen.column("x", "slow")[-1] + 20


def test_it_leaves_the_wheel_alone_where_nothing_is_in_the_way(driven) -> None:
    seen: Drive = driven(OVERTAKING, "vehicles.fast.start.at=[-40, 500]", "time.duration=5")
    assert set(seen.behaviors("slow")[1:]) == {"go_to_point"}


def test_three_hosts_drive_as_one(tmp_path: Path) -> None:
    crowds = [draw(8, number, number, seed=3) for number in range(3)]
    for seen in zip(
        *(
            updates(stage(crowds, "reciprocal", 20.0, _folder(tmp_path, hosts)).run(hosts))
            for hosts in (1, 3)
        ),
        strict=True,
    ):
        one, three = (update.snapshot.vehicles for update in seen)
        assert np.array_equal(one.x, three.x)
        assert np.array_equal(one.behavior, three.behavior)


def _folder(tmp_path: Path, hosts: int) -> Path:
    folder = tmp_path / str(hosts)
    folder.mkdir()
    return folder
