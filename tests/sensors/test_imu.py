"""Inertial units against closed forms."""

import math

import numpy as np
import pytest
from tests.sensors.rigs import Rig, motion

from movenv.sensors.imu import GRAVITY, Imu, turning
from movenv.world.columns import F8
from movenv.world.frames import rotation

EXACT = {
    name: 0.0
    for what in ("acceleration", "rate")
    for name in (f"{what}_noise", f"{what}_bias", f"{what}_walk")
}


def measured(before: list[float], after: list[float] | None = None, **settings: object) -> F8:
    """(samples, fields) of one vehicle without errors."""
    readings = Rig(Imu, {**EXACT, **settings}).sense([before], None if after is None else [after])
    assert readings is not None
    assert readings.fields == ("ax", "ay", "az", "wx", "wy", "wz")
    return readings.values[0]


def test_standing_it_feels_its_weight_alone() -> None:
    found = measured(motion(5, 6, 0.7))
    assert found.shape == (10, 6)
    np.testing.assert_allclose(found, [[0, 0, GRAVITY, 0, 0, 0]] * 10, atol=1e-12)


@pytest.mark.parametrize("tilt", [-0.3, 0.3])
def test_standing_on_a_slope_it_is_held_up_along_its_axes(tilt: float) -> None:
    nose_up = measured(motion(pitch=tilt))[0]
    np.testing.assert_allclose(
        nose_up[:3], [GRAVITY * math.sin(tilt), 0, GRAVITY * math.cos(tilt)], atol=1e-12
    )
    right_down = measured(motion(roll=tilt))[0]
    np.testing.assert_allclose(
        right_down[:3], [0, GRAVITY * math.sin(tilt), GRAVITY * math.cos(tilt)], atol=1e-12
    )


@pytest.mark.parametrize("rate", [-0.8, 0.8])
def test_in_a_steady_turn_it_is_pulled_inward_by_v_times_w(rate: float) -> None:
    v, yaw = 12.0, 2.9

    def at(t: float) -> list[float]:
        heading = yaw + rate * t
        heading = (heading + math.pi) % (2 * math.pi) - math.pi
        return motion(v / rate * math.sin(yaw + rate * t), -v / rate * math.cos(yaw + rate * t),
                      heading, speed=v, vx=v * math.cos(heading),
                      vy=v * math.sin(heading))  # fmt: skip

    found = measured(at(0.0), at(0.1))
    np.testing.assert_allclose(found, [[0, v * rate, GRAVITY, 0, 0, rate]] * 10, atol=1e-9)


def test_a_steady_start_is_felt_forward() -> None:
    found = measured(motion(vx=0.0), motion(0.01, vx=0.2))
    np.testing.assert_allclose(found, [[2.0, 0, GRAVITY, 0, 0, 0]] * 10, atol=1e-12)


def test_in_free_fall_it_feels_nothing() -> None:
    found = measured(motion(vz=0.0), motion(z=-0.05, vz=-0.1 * GRAVITY))
    np.testing.assert_allclose(found, np.zeros((10, 6)), atol=1e-12)


def test_off_the_middle_a_turn_pulls_too() -> None:
    found = measured(motion(), motion(yaw=0.2), mount={"x": 0.5})
    np.testing.assert_allclose(found[:, 0], -0.5 * 2.0**2, atol=1e-12)


def test_axes_are_those_of_the_mount() -> None:
    found = measured(motion(vx=0.0), motion(0.01, vx=0.2), mount={"yaw_deg": 90.0})
    np.testing.assert_allclose(found[0], [0, -2.0, GRAVITY, 0, 0, 0], atol=1e-12)
    upside_down = measured(motion(), motion(yaw=0.05), mount={"roll_deg": 180.0})
    np.testing.assert_allclose(upside_down[0, [2, 5]], [-GRAVITY, -0.5], atol=1e-9)


@pytest.mark.parametrize(("axis", "angle"), [(0, "roll"), (1, "pitch"), (2, "yaw")])
def test_each_turn_is_around_its_axis(axis: int, angle: str) -> None:
    sign = -1.0 if angle == "pitch" else 1.0  # nose up turns from z to x the other way round
    found = measured(motion(), motion(**{angle: 0.04}))[0, 3:]
    expected = np.zeros(3)
    expected[axis] = sign * 0.4
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_turn_takes_one_attitude_to_the_other() -> None:
    chance = np.random.default_rng(5)
    first, last = (
        rotation(*chance.uniform(-1, 1, (3, 50))),
        rotation(*chance.uniform(-1, 1, (3, 50))),
    )
    for a, b, turn in zip(first, last, turning(first, last), strict=True):
        angle = np.linalg.norm(turn)
        k = (
            np.array([[0, -turn[2], turn[1]], [turn[2], 0, -turn[0]], [-turn[1], turn[0], 0]])
            / angle
        )
        rodrigues = np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k
        np.testing.assert_allclose(a @ rodrigues, b, atol=1e-9)


def test_noise_has_its_density_at_any_rate() -> None:
    vids = range(1, 201)
    for rate in (50.0, 200.0):
        settings = {**EXACT, "acceleration_noise": 0.01, "rate_noise": 0.002, "rate": rate}
        readings = Rig(Imu, settings, vids).sense([motion()] * 200)
        assert readings is not None
        spread = readings.values.std(axis=(0, 1))
        np.testing.assert_allclose(spread[:3], 0.01 * math.sqrt(rate), rtol=0.1)
        np.testing.assert_allclose(spread[3:], 0.002 * math.sqrt(rate), rtol=0.1)


def test_a_vehicle_keeps_its_bias() -> None:
    rig = Rig(Imu, {**EXACT, "acceleration_bias": 0.1, "rate_bias": 0.01}, range(1, 501))
    first, later = (rig.sense([motion()] * 500, start=t, end=t + 0.1) for t in (0.0, 7.0))
    assert first is not None
    assert later is not None
    off = first.values - [0, 0, GRAVITY, 0, 0, 0]
    np.testing.assert_array_equal(first.values, later.values)
    assert (np.ptp(off, axis=1) < 1e-12).all()
    np.testing.assert_allclose(off[:, 0].std(axis=0), [0.1] * 3 + [0.01] * 3, rtol=0.12)
    assert abs(np.corrcoef(off[:, 0].T)[np.triu_indices(6, 1)]).max() < 0.2


def test_a_bias_wanders_as_the_root_of_time() -> None:
    rig = Rig(Imu, {**EXACT, "acceleration_walk": 0.01, "rate": 1.0}, range(1, 501))
    spread = []
    for t in (0.0, 24.0, 99.0):
        readings = rig.sense([motion()] * 500, start=t, end=t + 1.0)
        assert readings is not None
        spread.append(readings.values[:, 0, 0].std())
    np.testing.assert_allclose(spread, [0.01, 0.05, 0.1], rtol=0.1)
