"""What no car can be is refused in words, and whatever is done to one that can, it stays finite."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.vehicles.cars import FREE, G, cars, whole_of

from movenv.terrain.features import Hill, Terrain
from movenv.terrain.height_map import HeightMap
from movenv.vehicles.car import Car
from movenv.vehicles.car_builds import CAR_BUILDS
from movenv.vehicles.car_columns import BUILD, STATE
from movenv.vehicles.car_config import CarConfig
from movenv.world.kinds import Kind
from movenv.world.model import MOTION

ROUGH = Terrain(
    hills=tuple(
        Hill(4.0 * (k % 7) - 12, 4.0 * (k // 7) - 12, 0.1 * (k % 5), 2.5) for k in range(49)
    )
)

WALL = Terrain(
    relief=HeightMap(
        -59.875, -59.875, 0.25, np.repeat([[0.0] * 240 + [12.0] * 240], 480, axis=0).astype("f4")
    )
)
"""A house of 12 m, whose wall is the y axis."""


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"mass": 100.0}, "nothing is left for the body"),
        ({"cg_height": 0.1}, "centre of gravity is below the floor"),
        ({"cg_height": 2.0}, "centre of gravity is above the roof"),
        ({"clearance": 0.5, "cg_height": 0.6, "body_height": 0.45}, "is above the roof"),
        ({"radius": 0.8}, "wheels are higher than the body"),
        ({"length": 0.6, "body_length": 4.0}, "front and rear wheels overlap"),
        ({"body_length": 2.0}, "shorter than the wheelbase"),
        ({"bump": 0.4}, "travel is more than its radius"),
        ({"speed": 60.0}, "above max_speed"),
        ({"relaxation": 0.01}, "too short"),
        ({"wheel_mass": 0.5}, "too light"),
        ({"asymptote_slip": 0.05}, "asymptote"),
        ({"drive_torque": 10.0}, "cannot set off"),
        ({"inertia_x": 0.001}, "inertia_x of 0.001 kg m² is too little"),
        ({"inertia_z": 10.0}, "inertia_z of 10 kg m² is too little"),
        ({"track_rear": 9.0}, "wheels far beside a body"),
        ({"mass": 137.0}, "body of 1 kg, .* is too light for its springs and dampers"),
        ({"inertia_x": 90.0, "damper_front": 5e4, "damper_rear": 5e4}, "inertia_x 90 .* too light"),
        ({"tyre_spring": 5000.0}, "tyres do not bear the car: .* give at least"),
        ({"wheel_inertia": 1e-7}, "wheel_inertia of 1e-07 kg m² is too little"),
    ],
)
def test_what_cannot_be_is_refused_with_words(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        whole_of(build="compact", **wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"mass": 0.0},
        {"spring_front": -1.0},
        {"brake_torque": 0.0},
        {"power": 0.0},
        {"max_steer": math.pi / 2},
        {"front_share": 1.0},
        {"build": "boat"},
        {"camber_stiffness": 4.0},
    ],
)
def test_numbers_out_of_bounds_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        CarConfig(**wrong)


def test_it_is_for_the_ground() -> None:
    with pytest.raises(ValueError, match="found pedestrian"):
        Car.complete(CarConfig(), Kind("pedestrian"))


@pytest.mark.parametrize("build", CAR_BUILDS)
def test_others_are_told_what_it_can_do(build: str) -> None:
    whole = whole_of(build=build)
    for name in ("max_acceleration", "max_braking", "max_lateral", "max_steer", "max_steer_rate"):
        assert 0.0 < whole[name] < 20.0
    assert whole["length"] == CAR_BUILDS[build]["length"]


told = st.tuples(
    st.floats(-1.0, 1.0),
    st.floats(-60.0, 60.0),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from((-1.0, 0.0, 1.0, math.nan)),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(told, min_size=3, max_size=12), st.floats(0.0, 25.0), st.floats(-math.pi, math.pi))
def test_on_rough_ground_it_stays_finite_and_above(
    orders: list[tuple[float, ...]], speed: float, yaw: float
) -> None:
    model = cars(
        [{"build": name} for name in CAR_BUILDS], ROUGH, {"speed": speed, "yaw": yaw, "x": -10.0}
    )
    for steer, to, throttle, brake, gear in orders:
        model.pedals[:] = [[throttle], [brake], [gear]]
        model.advance(np.repeat([[steer], [to], [0.0]], 4, axis=1), 0.01, 40)
        assert np.isfinite(model.state).all()
        assert np.isfinite(model.motion).all()
    assert (model.state[2] > -0.2).all()
    assert np.abs(model.motion[6:]).max() < 120.0


@pytest.mark.parametrize("degrees", [0, 10, 30, 60])
@pytest.mark.parametrize("speed", [5.0, 15.0, 25.0, 50.0])
def test_a_wall_stops_it_and_gives_it_nothing(speed: float, degrees: float) -> None:
    yaw = math.radians(degrees)
    start = {"x": -6.0, "y": -6.0 * math.tan(yaw), "yaw": yaw, "speed": speed}
    model = cars([{"build": name, **FREE} for name in CAR_BUILDS], WALL, start)
    model.pedals[:] = 0.0
    fastest = speed * (1.0 + 1e-3)
    for _ in range(200):
        model.advance(np.zeros((3, 4)), 0.01, 1)
        moved = dict(zip(MOTION, model.motion, strict=True))
        velocity = np.array([moved[name] for name in ("vx", "vy", "vz")])
        assert (np.linalg.norm(velocity, axis=0) < fastest).all()
        assert (moved["x"] < 0.0).all()
        assert (moved["z"] < 1.2).all()


def steep(cell: float, rise: float) -> Terrain:
    """Ground that rises within a cell, at x = 10."""
    west_to_east = np.where(-40.0 + cell * np.arange(round(80.0 / cell)) > 10.0, rise, 0.0)
    heights = np.repeat(west_to_east[None], len(west_to_east), axis=0)
    return Terrain(relief=HeightMap(-40.0, -40.0, cell, heights.astype("f4")))


def energy(model: Car) -> np.ndarray:
    """Of the body over its mass, without what springs hold."""
    named = dict(zip(STATE, model.state, strict=True))
    car = dict(zip(BUILD, model.parameters, strict=False))
    fast = sum(named[axis] ** 2 for axis in "uvw")
    turning = sum(car[f"inertia_{axis}"] * named[rate] ** 2 for axis, rate in ("xp", "yq", "zr"))
    return 0.5 * fast + 0.5 * turning / car["mass"] + G * (named["z"] - car["cg_height"])


def in_springs(car: dict[str, np.ndarray]) -> np.ndarray:
    """What springs and tyres of a car at rest hold over its mass, all of it to be had."""
    held = np.zeros_like(car["mass"])
    for axle in ("front", "rear"):
        load, spring, down = car[f"load_{axle}"], car[f"spring_{axle}"], car["rebound"]
        down = np.minimum(down, load / spring)
        pressed = load + car[f"wheel_{axle}"] * G
        held += 2.0 * (load * down - 0.5 * spring * down**2 + 0.5 * pressed**2 / car["tyre_spring"])
    return held / car["mass"]


@pytest.mark.parametrize("cell", [0.05, 0.1, 0.15, 0.2, 0.25])
@pytest.mark.parametrize("speed", [1.0, 3.0, 6.0, 10.0, 20.0])
@pytest.mark.parametrize("upward", [True, False])
def test_a_kerb_gives_nobody_energy(cell: float, speed: float, upward: bool) -> None:
    start = {"x": 4.0 if upward else 18.0, "yaw": 0.0 if upward else math.pi, "speed": speed}
    model = cars([{"build": name, **FREE} for name in CAR_BUILDS], steep(cell, 0.2), start)
    model.pedals[:] = 0.0
    car = dict(zip(BUILD, model.parameters, strict=False))
    spinning = 2.0 * car["wheel_inertia"] * (speed / car["radius"]) ** 2 / car["mass"]
    # And 2 cm of height: a wheel does not see the kerb before it stands on it.
    most = energy(model) + spinning + in_springs(car) + 0.2
    for _ in range(1200):
        model.advance(np.zeros((3, 4)), 1e-3, 5)
        assert (energy(model) < most).all()


@pytest.mark.parametrize("cell", [0.05, 0.1, 0.5])
@pytest.mark.parametrize("speed", [2.0, 8.0, 15.0, 30.0])
def test_a_wall_throws_nobody_back_however_fine_the_map(cell: float, speed: float) -> None:
    model = cars(
        [{"build": name, **FREE} for name in CAR_BUILDS], steep(cell, 5.0), {"speed": speed}
    )
    model.pedals[:] = 0.0
    for _ in range(round((15.0 / speed + 2.0) / 0.01)):
        model.advance(np.zeros((3, 4)), 0.01, 1)
        moved = dict(zip(MOTION, model.motion, strict=True))
        assert (moved["vx"] > -0.05 * speed - 0.2).all()  # who climbed a little rolls back
        assert (moved["z"] < 0.5).all()
        assert (moved["x"] < 10.0).all()


POST = np.zeros((241, 241), "f4")
POST[120, 120] = 4.0


@pytest.mark.parametrize("aside", [0.0, 0.2, 0.45])
@pytest.mark.parametrize("speed", [-4.0, 3.0, 8.0, 15.0])
def test_a_lamp_post_stops_whatever_bumper_comes_upon_it(speed: float, aside: float) -> None:
    terrain = Terrain(relief=HeightMap(-30.0, -30.0, 0.25, POST))
    start = {"x": -math.copysign(8.0, speed), "y": aside, "speed": speed}
    model = cars(
        [{"build": name, **FREE} for name in ("navigator", "compact", "truck")], terrain, start
    )
    model.pedals[:] = 0.0
    model.advance(np.zeros((3, 3)), 0.01, 300)
    assert (model.motion[0] * math.copysign(1.0, speed) < -1.5).all()
    assert (np.abs(model.motion[6]) < 0.3 * abs(speed)).all()
