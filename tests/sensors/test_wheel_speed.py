"""Wheels against closed forms, and against what the vehicle that carries them did."""

import numpy as np
import pytest
from tests.sensors.rigs import Rig, motion, roster_of

from movenv.sensors.wheel_speed import WheelSpeed

EXACT = {"scale_error": 0.0, "steer_error": 0.0, "steer_noise": 0.0, "ticks_per_metre": None}


def test_a_steady_start_is_measured_sample_by_sample() -> None:
    rig = Rig(WheelSpeed, EXACT)
    readings = rig.sense([motion()], [motion(speed=1.0)])
    assert readings is not None
    assert readings.fields == ("speed", "steer", "yaw_rate", "distance")
    t = readings.stamps
    np.testing.assert_allclose(readings.values[0, :, 3], 5 * t**2)
    np.testing.assert_allclose(readings.values[0, :, 0], 10 * (t - 0.01))  # mean since the last one


@pytest.mark.parametrize("speed", [4.0, -4.0])
def test_steering_is_what_turns_a_vehicle_so(speed: float) -> None:
    rig = Rig(WheelSpeed, EXACT, roster=roster_of([1], (2.5, 1.0)))
    readings = rig.sense(
        [motion(yaw=3.1, speed=speed)], [motion(yaw=3.18 - 2 * np.pi, speed=speed)]
    )
    assert readings is not None
    speeds, steer, rate, _ = readings.values[0, -1]
    assert (speeds, steer, rate) == pytest.approx((speed, 0.8 * 2.5 / speed, 0.8))


def test_who_stands_steers_straight_as_far_as_wheels_tell() -> None:
    readings = Rig(WheelSpeed, EXACT).sense([motion()], [motion(yaw=0.1)])
    assert readings is not None
    assert not readings.values.any()


def test_ticks_are_counted_and_none_is_forgotten() -> None:
    rig = Rig(WheelSpeed, {**EXACT, "ticks_per_metre": 7.0})
    speeds, last = [], 0.0
    for k in range(40):
        readings = rig.sense(
            [motion(speed=1.3)], start=round(k * 0.1, 9), end=round(k * 0.1 + 0.1, 9)
        )
        assert readings is not None
        speeds += readings.values[0, :, 0].tolist()
        last = readings.values[0, -1, 3]
    steps = np.array(speeds) * 7 / 50
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert set(np.round(steps)) == {0.0, 1.0}
    assert last == np.floor(1.3 * 4 * 7 + 1e-6) / 7
    assert np.sum(speeds) / 50 == pytest.approx(last)


def test_each_vehicle_has_a_scale_of_its_own_for_good() -> None:
    rig = Rig(WheelSpeed, {**EXACT, "scale_error": 0.05}, range(1, 401), range(1, 401))
    first, later = (rig.sense([motion(speed=10.0)] * 400, start=t, end=t + 0.1) for t in (0.0, 0.1))
    assert first is not None
    assert later is not None
    speeds = first.values[:, :, 0]
    assert (np.ptp(speeds, axis=1) < 1e-6).all()
    np.testing.assert_allclose(later.values[:, :, 0], speeds)
    assert speeds[:, 0].std() == pytest.approx(0.5, rel=0.1)


def test_a_vehicle_without_length_cannot_be_steered() -> None:
    with pytest.raises(ValueError, match="length is known"):
        Rig(WheelSpeed, EXACT, roster=roster_of([1], (0.0, 0.0)))
