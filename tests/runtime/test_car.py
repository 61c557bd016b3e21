"""A car in a process of its own: it sends what a real one sends, and drives by what it reads."""

import math
import threading
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from movenv.gateways.datagram.codec import decode_packet
from movenv.gateways.scans.codec import decode_datagram, encode_datagram, read_pose
from movenv.runtime.car import Car, Links
from movenv.runtime.errors import WrongInput
from movenv.runtime.injection.endpoints import ScanSink, ScanSource
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.sensors.injection import inject
from movenv.world.run_state import RunState
from movenv.world.scan import Pose

pytestmark = pytest.mark.xdist_group("live")  # it lives by the clock


class Kept(ScanSink):
    """Keeps what is sent, and passes it on."""

    def __init__(self, on: Callable[[bytes], None] = lambda data: None) -> None:
        self.sent: list[bytes] = []
        self._on = on

    def write(self, data: bytes) -> None:
        self.sent.append(data)
        self._on(data)

    def close(self) -> None:
        pass


class Given(ScanSource):
    """Hands over what a test gives it."""

    def __init__(self) -> None:
        self._take: Callable[[bytes], None] = lambda data: None
        self._closed = threading.Event()

    def give(self, data: bytes) -> None:
        self._take(data)

    def run(self, take: Callable[[bytes], None]) -> None:
        self._take = take
        self._closed.wait()

    def close(self) -> None:
        self._closed.set()


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage(load("hybrid-f110"), real=False)


def driven(stage: Stage, alter: Callable[[bytes, Kept], bytes | None]) -> tuple[Car, Kept, Kept]:
    given, poses, fixes = Given(), Kept(), Kept()

    def on_scan(data: bytes) -> None:
        altered = alter(data, poses)
        if altered is not None:
            given.give(altered)

    scans = Kept(on_scan)
    car = Car(stage, "car1", Links(scans, given, poses, fixes))
    car.run(4.5)
    assert len(scans.sent) == car.sent == 180
    return car, poses, fixes


def test_with_scans_as_they_are_it_drives_through_where_nobody_is(stage: Stage) -> None:
    car, poses, fixes = driven(stage, lambda data, poses: data)
    assert (car.altered, car.missing) == (0, 0)
    way = np.array([read_pose(data)[0][:2] for data in poses.sent])
    assert way[-1, 0] > -1.5
    assert np.abs(way[:, 1] + 5.5).max() < 0.2  # straight, over the place of car2
    fix = decode_packet(fixes.sent[-1]).fix
    x, y, _ = stage.frame.to_local(fix.lat, fix.lon, 0.0)
    assert np.hypot(x - way[-1, 0], y - way[-1, 1]) < 0.01
    assert fix.device == "car1"


def test_what_it_tells_of_its_motion_leads_to_where_it_says_next(stage: Stage) -> None:
    """So that scans between two poses are seen from where they were taken."""
    poses = Kept()
    car = Car(stage, "car1", Links(pose_to=poses))
    car.run(12.0)
    told = [read_pose(data) for data in poses.sent][5:]
    turned, missed = [], []
    for (before, at), (after, then) in pairwise(told):
        reached = before.carried(then - at)
        turned.append(math.remainder(before.yaw - after.yaw, math.tau))
        missed.append(math.remainder(reached.yaw - after.yaw, math.tau))
        assert math.hypot(reached.x - after.x, reached.y - after.y) < 0.06
    assert np.max(np.abs(turned)) > 0.05  # through the first bends
    assert np.std(missed) < 0.5 * np.std(turned)


def test_in_pause_it_stands_and_at_stop_it_ends(stage: Stage) -> None:
    poses = Kept()
    states = iter([RunState.GO] * 40 + [RunState.PAUSE] * 6 + [RunState.GO] * 40)
    car = Car(stage, "car1", Links(pose_to=poses))
    car.run(60.0, lambda: next(states, RunState.STOP))  # asked twice for each tick
    times = [read_pose(data)[1] for data in poses.sent]
    assert [before for before, after in pairwise(times) if after == before] == [1.0] * 3
    assert car.lived == pytest.approx(2.0)


def test_it_goes_around_what_is_only_in_its_scans(stage: Stage) -> None:
    standing = np.array([[-3.0, -5.5, 0.0, 0.55, 0.3]])

    def alter(data: bytes, poses: Kept) -> bytes:
        scan = decode_datagram(data)
        pose = read_pose(poses.sent[-1])[0] if poses.sent else Pose(-9.0, -5.5, 0.0)
        return encode_datagram(inject(scan, pose.mounted(scan.layout.mount), standing))

    car, poses, _ = driven(stage, alter)
    assert car.altered > 50
    way = np.array([read_pose(data)[0][:2] for data in poses.sent])
    near = np.abs(way[:, 0] + 3.0) < 0.3
    assert near.any()
    assert np.abs(way[near, 1] + 5.5).min() > 0.3  # sides of half a width each, and some room


def test_scans_that_do_not_come_back_leave_it_standing(stage: Stage) -> None:
    car, poses, _ = driven(stage, lambda data, poses: None)
    assert car.missing >= 170
    assert read_pose(poses.sent[-1])[0].x < -8.0


def test_who_is_not_there_is_told(stage: Stage) -> None:
    with pytest.raises(WrongInput, match="no vehicle 'car3'"):
        Car(stage, "car3", Links())
    with pytest.raises(WrongInput, match="'car2' has no lidar"):
        Car(stage, "car2", Links(scans_to=Kept()))
