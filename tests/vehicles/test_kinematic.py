"""The kinematic model: drive, then compare with the closed form."""

import math

import numpy as np
import pytest

from movenv.vehicles.kinematic import DEFAULTS, PARAMETERS, STATE, Kinematic, KinematicConfig
from movenv.world.kinds import Kind
from movenv.world.model import MOTION

ROTORCRAFT = Kind("aerial", "rotorcraft")
FIXEDWING = Kind("aerial", "fixedwing")


def fleet(
    kind: Kind, count: int = 1, start: dict[str, float] | None = None, **settings: float
) -> Kinematic:
    complete = Kinematic.complete(KinematicConfig(**settings), kind)
    parameters = np.array([np.full(count, complete[name]) for name in PARAMETERS])
    motion = np.zeros((len(MOTION), count))
    motion[MOTION.index("speed")] = complete["speed"]
    for name, value in (start or {}).items():
        motion[MOTION.index(name)] = value
    return Kinematic(parameters, motion)


def command(steer: float, speed: float, pitch: float = 0.0, count: int = 1) -> np.ndarray:
    return np.array([np.full(count, value) for value in (steer, speed, pitch)])


def seen(model: Kinematic, name: str, row: int = 0) -> float:
    return float(model.motion[MOTION.index(name), row])


def steady(model: Kinematic, **state: float) -> None:
    """Begin with the wheel already turned, so that a closed form exists from the first step."""
    for name, value in state.items():
        model.state[STATE.index(name)] = value


@pytest.mark.parametrize("steer", [-0.4, 0.05, 0.3, 1.0])
def test_a_constant_steer_drives_the_closed_form_circle(steer: float) -> None:
    length, v, h, steps = 2.5, 8.0, 0.01, 1500
    model = fleet(FIXEDWING, length=length, speed=v, start={"x": 3.0, "y": -2.0, "yaw": 0.7})
    steady(model, steer=steer)
    model.advance(command(steer, v), h, steps)
    r, b, yaw0 = v / length * steer, length / 2, 0.7
    yaw = yaw0 + r * h * steps
    x = 3.0 + v / r * (math.sin(yaw) - math.sin(yaw0)) + b * (math.cos(yaw) - math.cos(yaw0))
    y = -2.0 - v / r * (math.cos(yaw) - math.cos(yaw0)) + b * (math.sin(yaw) - math.sin(yaw0))
    # Fourth order: the error of a circle grows as (r h)^4.
    tolerance = max(1e-9, 2 * v / abs(r) * (r * h) ** 4 * abs(r) * h * steps)
    assert (seen(model, "x"), seen(model, "y")) == pytest.approx((x, y), abs=tolerance)
    assert math.sin(seen(model, "yaw") - yaw) == pytest.approx(0, abs=1e-9)
    assert math.hypot(seen(model, "vx"), seen(model, "vy")) == pytest.approx(math.hypot(v, b * r))


def test_a_pitched_circle_is_a_helix() -> None:
    length, v, steer, pitch, time = 2.0, 10.0, 0.4, 0.3, 20.0
    model = fleet(FIXEDWING, length=length, speed=v, start={"z": 100.0})
    steady(model, steer=steer, pitch=pitch)
    radius = math.hypot(v, length / 2 * v / length * steer) / (v / length * steer)
    center = (-length / 2, length / steer)
    for _ in range(200):
        model.advance(command(steer, v, pitch), 0.01, 10)
        assert math.dist((seen(model, "x"), seen(model, "y")), center) == pytest.approx(
            radius, rel=1e-8
        )
    assert seen(model, "z") == pytest.approx(100 + v * math.sin(pitch) * time, rel=1e-9)
    assert seen(model, "vz") == pytest.approx(v * math.sin(pitch))


def test_halving_the_step_divides_the_error_by_sixteen() -> None:
    def error(steps: int) -> float:
        model = fleet(FIXEDWING, length=2.0, speed=10.0)
        steady(model, steer=1.0)
        model.advance(command(1.0, 10.0), 1.0 / steps, steps)
        yaw = 5.0
        exact = (2 * math.sin(yaw) + math.cos(yaw) - 1, -2 * (math.cos(yaw) - 1) + math.sin(yaw))
        return math.dist((seen(model, "x"), seen(model, "y")), exact)

    assert error(20) / error(40) == pytest.approx(16, rel=0.1)


def test_speed_steer_and_pitch_follow_within_their_rates_and_limits() -> None:
    model = fleet(
        ROTORCRAFT,
        speed=5.0,
        max_speed=9.0,
        max_acceleration=2.0,
        max_steer=0.5,
        max_steer_rate=1.0,
        max_pitch=0.3,
        max_pitch_rate=0.2,
        start={"z": 500.0},
    )
    model.advance(command(9.0, 99.0, 9.0), 0.01, 20)
    state = dict(zip(STATE, model.state[:, 0], strict=True))
    assert state["steer"] == pytest.approx(0.2)
    assert state["speed"] == pytest.approx(5.4)
    assert state["pitch"] == pytest.approx(0.04)
    model.advance(command(9.0, 99.0, 9.0), 0.01, 1000)
    state = dict(zip(STATE, model.state[:, 0], strict=True))
    assert (state["steer"], state["speed"], state["pitch"]) == pytest.approx((0.5, 9.0, 0.3))


def test_a_rotorcraft_can_hover_and_a_fixed_wing_cannot() -> None:
    rotor, wing = fleet(ROTORCRAFT, start={"z": 50.0}), fleet(FIXEDWING, start={"z": 50.0})
    for model in (rotor, wing):
        model.advance(command(0.0, 0.0), 0.01, 2000)
    assert seen(rotor, "speed") == 0.0
    before = seen(rotor, "x")
    rotor.advance(command(1.0, 0.0), 0.01, 1000)
    assert seen(rotor, "x") == before
    assert seen(wing, "speed") == pytest.approx(0.6 * 15.0)


@pytest.mark.parametrize("kind", ["pedestrian", "ground", "surface"])
def test_what_moves_on_a_surface_stays_on_it(kind: str) -> None:
    model = fleet(Kind(kind))
    model.advance(command(0.1, 5.0, 0.5), 0.01, 1000)
    assert seen(model, "z") == 0.0
    assert seen(model, "x") != 0.0


@pytest.mark.parametrize(
    ("kind", "start", "pitch", "limit"),
    [(FIXEDWING, 30.0, -1.0, 0.0), (Kind("underwater"), -8.0, 1.0, 0.0)],
)
def test_nobody_flies_into_the_ground_or_dives_out_of_the_water(
    kind: Kind, start: float, pitch: float, limit: float
) -> None:
    model = fleet(kind, start={"z": start})
    for _ in range(600):
        model.advance(command(0.0, 15.0, pitch), 0.01, 10)
        assert (seen(model, "z") - limit) * np.sign(start) > -0.01
    assert seen(model, "z") == pytest.approx(limit, abs=0.5)


def test_a_vehicle_moves_the_same_in_any_company() -> None:
    rng = np.random.default_rng(4)
    many = fleet(ROTORCRAFT, 300, start={"z": 40.0})
    steer = rng.uniform(-1, 1, 300)
    orders = np.array([steer, rng.uniform(0, 9, 300), rng.uniform(-0.3, 0.3, 300)])
    many.advance(orders, 0.01, 57)
    for row in (0, 63, 64, 127, 128, 299):
        alone = fleet(ROTORCRAFT, start={"z": 40.0})
        alone.advance(np.ascontiguousarray(orders[:, row : row + 1]), 0.01, 57)
        assert np.array_equal(alone.motion[:, 0], many.motion[:, row])


def test_every_kind_has_sound_defaults() -> None:
    for kind in DEFAULTS:
        complete = Kinematic.complete(KinematicConfig(), Kind.parse(kind))
        assert set(PARAMETERS) <= set(complete)
        assert complete["min_speed"] <= complete["speed"] <= complete["max_speed"]


@pytest.mark.parametrize(
    "settings",
    [{"speed": 5, "min_speed": 6}, {"speed": 5, "max_speed": 4}, {"floor": 10, "ceiling": 5}],
)
def test_limits_that_exclude_each_other_are_refused(settings: dict[str, float]) -> None:
    numbers = {name: float(value) for name, value in settings.items()}
    with pytest.raises(ValueError, match=r"outside|not below"):
        Kinematic.complete(KinematicConfig(**numbers), ROTORCRAFT)


def test_a_slow_pitch_rate_is_allowed_for_near_the_floor() -> None:
    model = fleet(FIXEDWING, speed=30.0, max_pitch=0.8, max_pitch_rate=0.1, start={"z": 300.0})
    lowest = np.inf
    for _ in range(1200):
        model.advance(command(0.0, 30.0, -1.0), 0.01, 10)
        lowest = min(lowest, seen(model, "z"))
    assert lowest > -0.1
    assert seen(model, "z") < 5.0


def test_speeding_up_in_a_dive_does_not_break_the_floor() -> None:
    model = fleet(
        ROTORCRAFT, speed=40.0, min_speed=0.0, max_speed=200.0, max_acceleration=500.0,
        max_pitch=1.5, max_pitch_rate=0.05, floor=0.0, ceiling=100.0, start={"z": 90.0},
    )  # fmt: skip
    for k in range(1500):
        model.advance(command(0.0, 100.0 if k // 3 % 2 else 0.0, -9.0), 0.01, 10)
        assert seen(model, "z") > -0.05
    assert seen(model, "z") < 20.0
