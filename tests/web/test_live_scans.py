"""Scans of a live run on the console: only those wished for, each where it was measured."""

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from tests.web.synthetic import FRAME, ORIGIN, roster

from movenv.runtime.live.bus import Bus, sensor_key
from movenv.runtime.live.sensor_feed import JPEG, SensorMessage
from movenv.web.feed import Moment
from movenv.web.live import scans as live_scans
from movenv.web.live.scans import MOST, ScanWatch
from movenv.web.placed_scan import PlacedScan
from movenv.world.columns import F4
from movenv.world.messages import Encounters, VehicleStates
from movenv.world.run_state import RunState
from movenv.world.scan import Pose
from movenv.world.sensor import ImageLayout, ScanLayout

MOUNT = (0.5, 0.1, 0.3)
LAYOUT = ScanLayout(4, -0.2, 0.25, 0.01, 0.1, 0.1, 30.0, MOUNT)
RANGES = np.array([5.0, np.inf, 12.5, 30.0], np.float32)
VEHICLES = 40


class SensorBus:
    """Those who are heard, by the key."""

    def __init__(self) -> None:
        self.handlers: dict[str, Callable[[str, bytes], None]] = {}

    def hear(self, key: str, handler: Callable[[str, bytes], None]) -> Callable[[], None]:
        assert key not in self.handlers
        self.handlers[key] = handler
        return lambda: self.handlers.pop(key) and None

    def say(self, message: SensorMessage) -> None:
        handler = self.handlers.get(sensor_key(message.vid, "*"))
        if handler:
            handler(message.sensor, message.encoded())


class Clock:
    now = 100.0


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> type[Clock]:
    """It stands unless a test moves it."""
    monkeypatch.setattr(Clock, "now", 100.0)
    monkeypatch.setattr(live_scans.time, "monotonic", lambda: Clock.now)
    return Clock


@pytest.fixture
def bus() -> SensorBus:
    return SensorBus()


@pytest.fixture
def watch(bus: SensorBus) -> ScanWatch:
    return ScanWatch(cast(Bus, bus), "run", roster(VEHICLES), ORIGIN)


def message(vid: int = 1, t: float = 1.05, **changes: Any) -> SensorMessage:
    fields: dict[str, Any] = {
        "run": "run", "vid": vid, "sensor": "scanner", "numbers": [7], "stamps": [t], "fields": [],
        "scan": LAYOUT, "width": 4, "precision": 4, "values": RANGES.tobytes(),
    }  # fmt: skip
    return SensorMessage(**(fields | changes))


def moment(t: float, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> Moment:
    """The first vehicle is there."""
    states = VehicleStates.empty(VEHICLES)
    states.x[0], states.y[0], states.yaw[0] = x, y, yaw
    return Moment(round(t * 10), t, 0.0, RunState.GO, states, Encounters.empty())


def local(points: F4) -> np.ndarray:
    """Back from Web Mercator to local metres, by its inverse in closed form and PROJ."""
    east, south = points.astype(np.float64).T
    northing = math.atanh(math.sin(math.radians(ORIGIN[0]))) - south * math.tau
    lat = np.degrees(np.arcsin(np.tanh(northing)))
    x, y, _ = FRAME.to_local(lat, ORIGIN[1] + east * 360.0)
    return np.column_stack([x, y])


def end_of_beam(k: int, pose: Pose) -> complex:
    """By complex numbers: the vehicle goes on until the beam is measured."""
    after = k * LAYOUT.time_increment
    middle = complex(pose.x, pose.y) + complex(pose.vx, pose.vy) * after
    ahead, left, turned = MOUNT
    facing = np.exp(1j * (pose.yaw + pose.yaw_rate * after))
    beam = turned + LAYOUT.angle_min + k * LAYOUT.angle_increment
    return complex(middle + facing * (complex(ahead, left) + RANGES[k] * np.exp(1j * beam)))


def assert_at(points: F4, expected: list[complex], within: float = 1e-3) -> None:
    wanted = np.array([[place.real, place.imag] for place in expected])
    np.testing.assert_allclose(local(points), wanted, atol=within)


def only(watch: ScanWatch, viewer: str = "ann") -> PlacedScan:
    (scan,) = watch.shown(viewer)
    return scan


def test_nobody_is_listened_to_but_those_whom_somebody_looks_at(
    watch: ScanWatch, bus: SensorBus
) -> None:
    assert bus.handlers == {}
    watch.wish("ann", [0, 3, 3])
    watch.wish("bob", [3])
    assert set(bus.handlers) == {sensor_key(1, "*"), sensor_key(4, "*")}
    watch.wish("ann", [])
    assert set(bus.handlers) == {sensor_key(4, "*")}
    watch.wish("bob", [])
    assert bus.handlers == {}


def test_wishes_are_bounded_and_those_for_nobody_are_nothing(
    watch: ScanWatch, bus: SensorBus
) -> None:
    watch.wish("ann", [-1, VEHICLES, 10**9])
    assert bus.handlers == {}
    watch.wish("ann", list(range(VEHICLES)))
    assert len(bus.handlers) == MOST


def test_a_scan_stands_where_its_vehicle_was_between_two_ticks(
    watch: ScanWatch, bus: SensorBus
) -> None:
    """With its mount, and with the way and the turn that it made during the sweep."""
    watch.wish("ann", [0])
    watch.see(moment(1.0, 20.0, -30.0, 3.1))
    watch.see(moment(1.1, 20.4, -29.8, 3.3 - math.tau))
    bus.say(message(t=1.05))
    pose = Pose(20.2, -29.9, 3.2, 4.0, 2.0, 2.0)
    # The lever of the mount goes on straight while the vehicle turns: 30 ms of its bend.
    scan = only(watch)
    assert_at(scan.own, [end_of_beam(k, pose) for k in (0, 2, 3)], 2e-3)
    assert scan.altered.shape == (0, 2)
    assert_at(scan.sensor[None], [complex(20.2, -29.9) + np.exp(3.2j) * complex(0.5, 0.1)])


def test_a_scan_waits_for_the_tick_in_which_it_was_measured(
    watch: ScanWatch, bus: SensorBus, clock: type[Clock]
) -> None:
    watch.wish("ann", [0])
    watch.see(moment(1.0))
    bus.say(message(t=1.05))
    assert watch.shown("ann") == []
    clock.now += 1.0
    bus.say(message(t=1.08))  # the first is not pushed aside, or none might ever be shown
    watch.see(moment(1.1, 1.0))
    assert only(watch).t == 1.05
    assert_at(only(watch).own[:1], [end_of_beam(0, Pose(0.5, 0.0, 0.0, 10.0))])


def test_a_vehicle_that_says_where_it_was_is_believed(watch: ScanWatch, bus: SensorBus) -> None:
    pose = Pose(-7.0, 8.0, 1.0)
    marks = np.packbits([1, 0, 0, 1]).tobytes()
    watch.wish("ann", [0])
    watch.see(moment(1.0))
    bus.say(message(t=1.05, pose=pose, altered=marks))
    assert_at(only(watch).altered, [end_of_beam(k, pose) for k in (0, 3)])
    assert_at(only(watch).own, [end_of_beam(2, pose)])


def test_each_viewer_sees_whom_it_looks_at(watch: ScanWatch, bus: SensorBus) -> None:
    watch.wish("ann", [0, 1])
    watch.wish("bob", [1])
    watch.see(moment(1.0))
    for vid in (1, 2, 3):
        bus.say(message(vid, 1.0))
    assert [scan.row for scan in watch.shown("ann")] == [0, 1]
    assert [scan.row for scan in watch.shown("bob")] == [1]
    assert watch.shown("eve") == []


def test_ten_a_second_are_looked_at(watch: ScanWatch, bus: SensorBus, clock: type[Clock]) -> None:
    watch.wish("ann", [0])
    watch.see(moment(1.0))
    seen = set()
    for step in range(100):
        clock.now = 200.0 + step / 40
        bus.say(message(t=1.0, numbers=[step], pose=Pose(float(step), 0.0, 0.0)))
        seen.add(float(only(watch).sensor[0]))
    assert 24 <= len(seen) <= 26


def test_an_old_scan_is_not_shown_for_ever(watch: ScanWatch, bus: SensorBus) -> None:
    watch.wish("ann", [0])
    watch.see(moment(1.0))
    bus.say(message(t=1.0))
    watch.see(moment(1.9))
    assert only(watch).t == 1.0
    watch.see(moment(2.1))
    assert watch.shown("ann") == []


def test_of_a_time_before_it_was_looked_nothing_is_made_up(
    watch: ScanWatch, bus: SensorBus
) -> None:
    watch.wish("ann", [0])
    watch.see(moment(5.0))
    bus.say(message(t=4.95))
    assert watch.shown("ann") == []


@pytest.mark.parametrize(
    "changes",
    [
        {"width": 5},
        {"scan": ScanLayout(5, 0.0, 0.1, 0.0, 0.1, 0.1, 9.0)},
        {"scan": ScanLayout(4, math.nan, 0.1, 0.0, 0.1, 0.1, 9.0)},
        {"scan": ScanLayout(4, 0.0, 0.1, 0.0, 0.1, 9.0, 0.1)},
        {"altered": b"\xff\xff"},
        {"image": ImageLayout(4, 3, 2.0), "values": JPEG},
        {"pose": Pose(math.nan, 0.0, 0.0)},
        {"stamps": [math.inf]},
        {"precision": 8, "values": np.zeros(4).tobytes()},
    ],
)
def test_what_makes_no_sense_is_counted_and_not_shown(
    watch: ScanWatch, bus: SensorBus, changes: dict[str, Any]
) -> None:
    watch.wish("ann", [0])
    watch.see(moment(1.0))
    bus.say(message(t=1.0, **changes))
    assert watch.shown("ann") == []
    assert watch.garbled == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"run": "another"},
        {"scan": None, "fields": list("abcd")},
        {"numbers": [], "stamps": [], "values": b""},
        {"stamps": [1e9]},
        {"scan": None, "image": ImageLayout(4, 3, 2.0), "values": JPEG},
    ],
)
def test_what_is_not_of_this_map_is_left_alone(
    watch: ScanWatch, bus: SensorBus, changes: dict[str, Any]
) -> None:
    watch.wish("ann", [0])
    watch.see(moment(1.0))
    bus.say(message(t=1.0, **changes))
    watch.see(moment(1.1))
    assert watch.shown("ann") == []
    assert watch.garbled == 0


def test_bytes_that_are_no_message_are_counted(watch: ScanWatch, bus: SensorBus) -> None:
    watch.wish("ann", [0])
    for data in (b"", b"nonsense", message().encoded()[:-3]):
        bus.handlers[sensor_key(1, "*")]("scanner", data)
    assert watch.garbled == 3
