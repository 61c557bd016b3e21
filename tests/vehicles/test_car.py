"""The car stands, pulls, brakes and turns as the arithmetic of forces says."""

import math

import numpy as np
import pytest
from shapely import box
from tests.vehicles.cars import (
    FREE,
    NO_PEDALS,
    G,
    car,
    cars,
    column,
    drive,
    loads,
    part,
    sprung_loads,
    state,
    whole_of,
)

from movenv.terrain.features import Hill, SoilPatch, Terrain
from movenv.terrain.height_map import HeightMap
from movenv.vehicles.car_builds import CAR_BUILDS
from movenv.vehicles.car_columns import STATE, WHEELS
from movenv.world.stride import Stride

EVERYWHERE = box(-1e5, -1e5, 1e5, 1e5)
ICE = Terrain(soils=(SoilPatch("ice", EVERYWHERE, mobility=1.0, grip=0.12),))
SLOPE = Terrain(hills=(Hill(0.0, 0.0, 800.0, 8000.0),))
"""Half way up it is as good as a plane."""
STEEPNESS = 800.0 * math.pi / (2 * 8000.0)
BUILDS = [{"build": name} for name in CAR_BUILDS]


def leverage(whole: dict[str, float]) -> float:
    """Moment about the contacts for each m/s² along the ground, kg m."""
    wheels = whole["mass"] - whole["sprung"]
    return whole["sprung"] * whole["cg_height"] + wheels * whole["radius"]


def test_at_rest_each_wheel_carries_its_share() -> None:
    model = cars(BUILDS)
    before = model.state.copy()
    drive(model, 5.0)
    assert np.abs(model.state - before).max() < 1e-9
    weight = part(model, "mass") * G
    assert loads(model).sum(axis=0) == pytest.approx(weight, rel=1e-12)


def test_dropped_it_comes_to_rest_as_it_stood() -> None:
    model = cars(BUILDS, start={"z": 0.05})
    drive(model, 10.0)
    for wheel in WHEELS:
        assert state(model, f"travel_{wheel}") == pytest.approx(np.zeros(4), abs=1e-6)
    assert model.motion[2] == pytest.approx(np.zeros(4), abs=1e-6)


@pytest.mark.parametrize("heading", [0.0, math.pi / 2, math.pi, 0.7])
def test_parked_on_a_slope_it_leans_on_its_lower_springs(heading: float) -> None:
    """Moments about the contacts give the loads, and those the springs' travel."""
    hard = {"spring_front": 4e5, "spring_rear": 4e5, "tyre_spring": 1e6, "build": "navigator"}
    model = car(SLOPE, {"x": -4000.0, "yaw": heading}, **hard)
    drive(model, 8.0)
    whole, angle = whole_of(**hard), math.atan(STEEPNESS)
    uphill, leftward = math.sin(angle) * math.cos(heading), -math.sin(angle) * math.sin(heading)
    fl, fr, rl, rr = sprung_loads(model)[:, 0]
    carried = whole["sprung"] * G * math.cos(angle)
    assert fl + fr + rl + rr == pytest.approx(carried, rel=1e-3)
    # Its weight along the slope acts at the height of the sprung mass, and of the hubs.
    moment = leverage(whole) * G
    backward = moment * uphill / whole["length"]
    assert fl + fr == pytest.approx(carried * whole["rear"] / whole["length"] - backward, rel=0.01)
    track = whole["half_front"] + whole["half_rear"]
    aside = moment * leftward / track
    assert 0.5 * (fr + rr - fl - rl) == pytest.approx(aside, rel=0.02, abs=20.0)
    found = state(model, "travel_fl")[0] + state(model, "travel_fr")[0]
    compressed = (fl + fr - 2 * whole["load_front"]) / whole["spring_front"]
    assert found == pytest.approx(compressed, abs=1e-9)


@pytest.mark.parametrize("minutes", [10, pytest.param(60, marks=pytest.mark.soak)])
def test_parked_on_a_slope_it_stays_to_the_micrometre(minutes: int) -> None:
    headings = [0.0, math.pi / 2, math.pi, 2.0]
    model = cars(BUILDS, SLOPE, {"x": -4000.0, "yaw": headings})
    command = np.zeros((3, 4))
    model.advance(command, 1e-3, 60_000)
    before, height = model.motion.copy(), state(model, "z").copy()
    model.advance(command, 1e-3, (minutes - 1) * 60_000)
    assert np.hypot(*(model.motion - before)[:2]).max() < 1e-6
    assert (state(model, "z") - height).max() < 1e-9
    assert np.abs(model.motion[6:]).max() < 1e-9


def test_without_brakes_it_rolls_down_and_gains_no_more_than_it_fell() -> None:
    model = car(SLOPE, {"x": -4000.0}, build="compact", rolling=0.0, drag_area=0.0)
    model.pedals[:] = np.array([NO_PEDALS]).T
    seen = drive(model, 10.0)
    angle = math.atan(STEEPNESS)
    inertia = 4 * whole_of()["wheel_inertia"] / whole_of()["radius"] ** 2
    pull = -G * math.sin(angle) / (1.0 + inertia / whole_of()["mass"])
    assert column(seen, "speed")[-1] == pytest.approx(10.0 * pull, rel=0.01)
    fallen = whole_of()["mass"] * G * (column(seen, "z")[300] - column(seen, "z")[-1])
    square = column(seen, "speed")[[300, -1]] ** 2
    gained = 0.5 * (whole_of()["mass"] + inertia) * (square[1] - square[0])
    assert 0.995 * fallen < gained < 1.0005 * fallen


def test_free_rolling_loses_energy_and_never_gains() -> None:
    model = car(start={"speed": 15.0}, build="compact", **FREE)
    model.pedals[:] = np.array([NO_PEDALS]).T
    seen = drive(model, 20.0, steer=0.03)
    square = column(seen, "vx") ** 2 + column(seen, "vy") ** 2
    assert np.diff(square[::50]).max() < 1e-3
    straight = car(start={"speed": 15.0}, build="compact", **FREE)
    straight.pedals[:] = np.array([NO_PEDALS]).T
    assert column(drive(straight, 20.0), "speed")[-1] == pytest.approx(15.0, abs=1e-6)


@pytest.mark.parametrize("build", CAR_BUILDS)
def test_under_power_it_accelerates_as_force_over_mass(build: str) -> None:
    whole = whole_of(build=build, **FREE)
    model = car(build=build, start={"speed": 3.0}, **FREE)
    model.pedals[:] = [[0.3], [0.0], [1.0]]
    seen = drive(model, 1.5)
    force = 0.3 * whole["drive_torque"] / whole["radius"]
    inertia = whole["mass"] + 4 * whole["wheel_inertia"] / whole["radius"] ** 2
    gained = column(seen, "speed")[-1] - column(seen, "speed")[49]
    assert gained == pytest.approx(force / inertia, rel=0.02)
    assert column(seen, "pitch")[-1] > 1e-4  # it squats


def test_power_limits_the_pull() -> None:
    model = car(start={"speed": 30.0}, build="compact", **FREE)
    whole = whole_of(build="compact", **FREE)
    model.pedals[:] = [[1.0], [0.0], [1.0]]
    seen = drive(model, 5.0)
    inertia = whole["mass"] + 4 * whole["wheel_inertia"] / whole["radius"] ** 2
    fast = math.sqrt(30.0**2 + 2 * whole["power"] * 5.0 / inertia)
    assert column(seen, "speed")[-1] == pytest.approx(fast, rel=0.005)


@pytest.mark.parametrize(("terrain", "grip"), [(Terrain(), 1.0), (ICE, 0.12)])
def test_with_locked_wheels_it_slides_as_far_as_friction_lets_it(
    terrain: Terrain, grip: float
) -> None:
    model = car(
        terrain, {"speed": 20.0}, build="compact", brake_torque=20_000.0, drag_area=0.0,
        asymptote_value=1.0, load_sensitivity=0.0,
    )  # fmt: skip
    model.pedals[:] = [[0.0], [1.0], [0.0]]
    seen = drive(model, 25.0 if grip < 1 else 5.0)
    assert column(seen, "x")[-1] == pytest.approx(20.0**2 / (2 * grip * G), rel=0.02)
    assert abs(column(seen, "speed")[-1]) < 1e-3
    assert column(seen, "pitch").min() < -1e-3  # it dips


def test_the_driver_keeps_to_the_speed_uphill_and_in_reverse() -> None:
    model = car(SLOPE, {"x": -4000.0}, build="navigator")
    assert column(drive(model, 25.0, speed=8.0), "speed")[-1] == pytest.approx(8.0, abs=0.05)
    back = drive(model, 25.0, speed=-3.0)
    assert column(back, "speed")[-1] == pytest.approx(-3.0, abs=0.05)
    stop = drive(model, 10.0, speed=0.0)
    assert column(stop, "speed")[-1] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("build", CAR_BUILDS)
@pytest.mark.parametrize(("first", "rate"), [(1.0, 1.5), (9.0, -2.0)])
def test_it_gains_and_loses_speed_as_behaviors_ask_tick_by_tick(
    build: str, first: float, rate: float
) -> None:
    model, tick = car(build=build, start={"speed": first}), 0.05
    for _ in range(50):
        now = column(model.motion.T, "speed")[0]
        model.advance(np.array([[0.0], [now + rate * tick], [0.0]]), 1e-3, 50)
    reached = (column(model.motion.T, "speed")[0] - first) / (50 * tick)
    assert reached / rate == pytest.approx(1.0, abs=0.1)
    drive(model, 3.0, speed=5.0)
    assert np.ptp(column(drive(model, 1.0, speed=5.0), "speed")) < 0.05  # and does not hunt


def test_at_walking_pace_its_wheels_circle_one_middle() -> None:
    model = car(start={"speed": 1.0}, build="navigator")
    seen = drive(model, 30.0, speed=1.0, steer=0.4)
    turned = (np.unwrap(column(seen, "yaw"))[-1] - np.unwrap(column(seen, "yaw"))[-501]) / 5.0
    rear_speed = column(seen, "speed")[-1]
    assert turned == pytest.approx(rear_speed * math.tan(0.4) / 2.715, rel=0.005)


def test_a_steady_circle_follows_the_understeer_gradient() -> None:
    """steer = L / R + K a, K from the weight and the cornering stiffness of each axle."""
    settings = {"build": "compact", "load_sensitivity": 0.3, "drag_area": 0.0}
    model = car(start={"speed": 20.0}, **settings)
    steer = 0.012
    seen = drive(model, 15.0, speed=20.0, steer=steer)
    whole = whole_of(**settings)
    slope = {}
    for axle, other in (("front", "rear"), ("rear", "front")):
        load = whole[f"load_{axle}"] + whole[f"wheel_{axle}"] * G
        softened = 1.0 - 0.3 * (load / whole["usual_load"] - 1.0)
        stiffness = 2.0 * load * softened * 2.0 * whole["friction_y"] * whole["stiff_y"]
        slope[axle] = whole["mass"] * whole[other] / whole["length"] / stiffness
    speed = column(seen, "speed")[-1]
    gradient = slope["front"] - slope["rear"]
    assert gradient > 1e-4
    expected = speed * steer / (whole["length"] + gradient * speed**2)
    turned = state(model, "r")[0]
    assert turned == pytest.approx(expected, rel=0.02)
    assert turned < 0.97 * speed * steer / whole["length"]


def test_load_moves_to_the_outer_wheels() -> None:
    model = car(start={"speed": 15.0}, build="navigator", drag_area=0.0)
    seen = drive(model, 12.0, speed=15.0, steer=0.035)
    whole = whole_of(build="navigator")
    sideways = state(model, "r")[0] * column(seen, "speed")[-1]
    pressed = loads(model)[:, 0]
    moved = 0.5 * (pressed[1] + pressed[3] - pressed[0] - pressed[2])
    # The sprung mass leans out as well.
    roll = column(seen, "roll")[-1]
    moment = leverage(whole) * sideways + whole["sprung"] * G * whole["cg_height"] * roll
    assert moved == pytest.approx(moment / (whole["half_front"] + whole["half_rear"]), rel=0.03)
    assert roll > 0.01


def test_turned_too_hard_it_skids() -> None:
    model = car(start={"speed": 25.0}, build="compact")
    seen = drive(model, 3.0, speed=25.0, steer=0.5)
    turned = np.abs(np.gradient(np.unwrap(column(seen, "yaw")), 0.01))
    lateral = (turned * column(seen, "speed"))[100:].max()
    assert lateral < 1.1 * G
    kinematic = 25.0**2 * math.tan(0.5) / 2.6
    assert lateral < 0.1 * kinematic


def test_it_rises_and_falls_with_the_ground_on_four_wheels() -> None:
    """Over a bump that is wider than the car, slowly: every wheel keeps its load."""
    bump = Terrain(hills=(Hill(15.0, 0.8, 0.3, 6.0),))
    model = car(bump, {"speed": 2.0}, build="navigator")
    least, highest = math.inf, 0.0
    for _ in range(120):
        seen = drive(model, 0.1, speed=2.0)
        least = min(least, loads(model).min())
        highest = max(highest, column(seen, "z").max())
    assert least > 500.0
    assert 0.2 < highest < 0.31
    assert column(seen, "z")[-1] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("build", ["navigator", "f110"])
def test_narrow_and_grippy_it_rolls_over_and_comes_to_rest(build: str) -> None:
    whole = whole_of(build=build)
    narrow = 0.9 * whole["cg_height"]
    model = car(
        start={"speed": 12.0 if build == "navigator" else 5.0}, build=build,
        track_front=narrow, track_rear=narrow, body_width=narrow,
        extremum_value=1.5, asymptote_value=1.4,
    )  # fmt: skip
    assert model.befallen() == []
    drive(model, 2.0, speed=12.0, steer=0.35)
    model.pedals[:] = [[0.0], [1.0], [0.0]]
    seen = drive(model, 12.0)
    assert abs(column(seen, "roll")[-1]) > 1.0
    assert model.befallen() == [(0, "has rolled over")]
    assert model.befallen() == []
    assert np.abs(seen[-1, 6:]).max() < 0.02
    assert state(model, "z")[0] > 0.4 * narrow


def test_who_lies_on_its_uphill_side_has_rolled_over_and_who_stands_there_has_not() -> None:
    """On a slope of 30° it leans by 60° from the vertical, on its side as flat as on a plain."""
    rise = math.tan(math.radians(30.0)) * np.arange(-50.0, 51.0)
    slope = HeightMap(-50.0, -50.0, 1.0, np.repeat(rise[None], 101, axis=0).astype("f4"))
    model = cars([{"build": "truck"}] * 2, Terrain(relief=slope), {"yaw": 0.5 * math.pi})
    assert model.befallen() == []
    north = math.sqrt(0.5)
    for row, lean in enumerate((60.0, -30.0)):  # its left side is the lower one
        half = math.radians(0.5 * lean)
        model.state[3:7, row] = north * np.array(
            [math.cos(half), math.sin(half), math.sin(half), math.cos(half)]
        )
    assert model.befallen() == [(0, "has rolled over")]


def test_a_car_moves_the_same_alone_and_in_company() -> None:
    rng = np.random.default_rng(5)
    each = [{"build": name} for name in rng.choice(list(CAR_BUILDS), 21)]
    places = {"x": rng.uniform(-300, 300, 21), "y": rng.uniform(-300, 300, 21), "speed": 5.0}
    mud = SoilPatch("mud", box(0, 0, 500, 500), mobility=0.5, grip=0.4)
    terrain = Terrain(hills=(Hill(0.0, 0.0, 30.0, 300.0),), soils=(mud,))
    together = cars(each, terrain, places)
    command = np.array([rng.uniform(-0.3, 0.3, 21), rng.uniform(-5, 15, 21), np.zeros(21)])
    for _ in range(5):
        together.advance(command, 0.01, 10)
    for k in (0, 9, 20):
        alone = car(
            terrain, {name: np.broadcast_to(v, 21)[k] for name, v in places.items()}, **each[k]
        )
        for _ in range(5):
            alone.advance(np.ascontiguousarray(command[:, k : k + 1]), 0.01, 10)
        assert np.array_equal(alone.state[:, 0], together.state[:, k])


def test_a_coarse_step_is_cut_into_steps_of_a_millisecond() -> None:
    coarse, fine = car(build="f110"), car(build="f110")
    command = np.array([[0.2], [3.0], [0.0]])
    coarse.advance(command, 0.02, 5)
    fine.advance(command, 0.001, 100)
    assert np.array_equal(coarse.state, fine.state)


def test_steps_of_several_lengths_go_where_one_does() -> None:
    whole, parts = cars(BUILDS), cars(BUILDS)
    command = np.repeat([[0.2], [3.0], [0.0]], 4, axis=1)
    whole.advance(command, 0.001, 100)
    rows = np.array([0, 2]), np.array([1, 3])
    parts.advance_by(command, [Stride(rows[0], 0.01, 10), Stride(rows[1], 0.005, 20)])
    assert np.array_equal(whole.state, parts.state)
    assert np.array_equal(whole.motion, parts.motion)


def test_half_the_step_leaves_a_sixteenth_of_the_error() -> None:
    found = []
    for h in (1e-3, 5e-4, 2.5e-4, 6.25e-5):
        model = car(start={"speed": 15.0}, build="compact", **FREE)
        model.pedals[:] = [[0.2], [0.0], [1.0]]
        # A steady rate of steer, so that what is held in a step changes nothing.
        model.advance(np.array([[1.0], [0.0], [0.0]]), h, round(0.05 / h))
        found.append(model.state[:7, 0].copy())
    errors = [np.abs(one - found[-1]).max() for one in found[:-1]]
    assert errors[0] / errors[1] > 10.0
    assert errors[1] / errors[2] > 10.0


def test_state_has_the_columns_it_names() -> None:
    assert car().state.shape == (len(STATE), 1)
