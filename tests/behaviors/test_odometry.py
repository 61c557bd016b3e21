"""Dead reckoning and the points of scans, against closed forms."""

import numpy as np
import pytest

from movenv.behaviors.odometry import Odometry
from movenv.behaviors.scan_points import scan_points, sweep_time
from movenv.world.sensor import Readings, ScanLayout

ONE = np.zeros(1, np.intp)
VIDS = np.array([1], np.uint32)


def told(stamps: np.ndarray, fields: tuple[str, ...], *columns: np.ndarray | float) -> Readings:
    values = np.column_stack([np.broadcast_to(c, stamps.shape) for c in columns])[None]
    return Readings("s", VIDS, np.arange(len(stamps)), stamps, values, fields)


@pytest.mark.parametrize("gyroscope", [False, True])
def test_a_car_in_a_bend_is_reckoned_round_its_circle(gyroscope: bool) -> None:
    odometry = Odometry(np.array([0.33]))
    speed, steer = 2.0, 0.2
    turn = speed * steer / 0.33
    for tick in range(10):
        stamps = 0.1 * tick + np.arange(1, 6) / 50
        lies = 0.0 if gyroscope else steer
        if gyroscope:
            rates = told(0.1 * tick + np.arange(1, 11) / 100, ("wx", "wz"), 0.0, turn)
            odometry.gyroscopes(rates, ONE, ONE)
        odometry.wheels(told(stamps, ("speed", "steer"), speed, lies), ONE, ONE)
        odometry.reckon()
    first, last = (odometry.at(ONE, np.array([t]))[:, 0] for t in (0.1, 0.9135))
    angle = turn * (0.9135 - 0.1)
    # The middle goes round the same point as the rear axle, half of the length farther out.
    radius = np.hypot(0.33 / steer, 0.33 / 2)
    assert last[5] - first[5] == pytest.approx(angle, abs=1e-9)
    chord = np.hypot(*(last[3:5] - first[3:5]))
    assert chord == pytest.approx(2 * radius * abs(np.sin(angle / 2)), rel=2e-3)


def test_lost_samples_are_bridged_and_old_ones_ignored() -> None:
    odometry = Odometry(np.array([0.33]))
    stamps = np.arange(1, 11) / 10
    speed = np.where(np.arange(10) % 3 == 1, np.nan, 2.0)
    odometry.wheels(told(stamps, ("speed",), speed), ONE, ONE)
    odometry.reckon()
    odometry.wheels(told(stamps[:5], ("speed",), 100.0), ONE, ONE)
    odometry.reckon()
    first, last = (odometry.at(ONE, np.array([t]))[3, 0] for t in (0.1, 1.0))
    assert last - first == pytest.approx(1.8)
    assert odometry.latest() == pytest.approx([1.0])


def test_points_of_a_moving_scanner_lie_where_things_stand() -> None:
    layout = ScanLayout(541, np.radians(-135), np.radians(0.5), 3e-5, 0.025, 0.1, 30.0,
                        (0.2, 0.05, 0.3))  # fmt: skip
    speed, sideways, turn = 3.0, 0.2, 1.5
    end = sweep_time(layout)
    ranges, wanted = [], []
    for k in range(layout.beams):
        # The vehicle's middle and yaw at the instant of this beam, 0 at the end of the sweep.
        ago = k * layout.time_increment - end
        x, y, yaw = speed * ago, sideways * ago, turn * ago
        sx, sy = (
            x + 0.2 * np.cos(yaw) - 0.05 * np.sin(yaw),
            y + 0.2 * np.sin(yaw) + 0.05 * np.cos(yaw),
        )
        angle = yaw + 0.3 + layout.angle_min + k * layout.angle_increment
        far = (4.0 - sx) / np.cos(angle)  # a wall at x = 4
        ranges.append(far if 0 < far < 30 else np.inf)
        if 0 < far < 30:
            wanted.append((4.0, sy + far * np.sin(angle)))
    points, count = scan_points(
        np.array([ranges]), layout, 1, np.array([[speed], [sideways], [turn]])
    )
    assert count[0] == len(wanted)
    assert points[0, : count[0]] == pytest.approx(np.array(wanted), abs=2e-3)


def test_void_beams_have_no_points() -> None:
    layout = ScanLayout(6, 0.0, 0.1, 0.0, 0.1, 0.5, 10.0)
    ranges = np.array([[np.nan, np.inf, 0.0, 0.4, -1.0, 10.5]])
    _, count = scan_points(ranges, layout, 1, np.zeros((3, 1)))
    assert count[0] == 0
