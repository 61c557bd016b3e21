"""Somebody outside drives a vehicle of a live run, and leaves it in every way there is."""

import math
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from movenv.recording.reader import Recording
from movenv.runtime.driving import Wheel, WheelRefused
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus
from movenv.runtime.live.wheel_wire import (
    WHEEL,
    Dashboard,
    Turn,
    WheelGiven,
    WheelRequest,
    turns_key,
)
from movenv.world.model import MOTION

from .processes import LiveRun, live_run, wait_until

pytestmark = pytest.mark.xdist_group("live")  # one real-time run at a time

SCENARIO = """
name: driven
origin: {lat: 29.19, lon: -81.05}
time: {duration: 600, tick: 0.05}
vehicles:
  - {name: car, kind: ground, model: {type: ground, build: car}, start: {at: [0, 0], speed: 0},
     behaviors: {driven: {}}}
  - {name: taxi, kind: ground, model: {type: ground, build: car}, start: {at: [0, 50], speed: 0},
     behaviors: {hover: {}}}
"""


class Screen:
    """What a driver sees."""

    def __init__(self) -> None:
        self.latest: Dashboard | None = None
        self.came = threading.Event()

    def show(self, dashboard: Dashboard) -> None:
        self.latest = dashboard
        self.came.set()

    def __getattr__(self, name: str) -> float:
        return self.latest.motion[MOTION.index(name)] if self.latest else math.nan


def drive(wheel: Wheel, until, steer: float = 0.0, throttle: float = 0.0, brake: float = 0.0):
    """Hold the wheel like this until something is so."""

    def held() -> bool:
        wheel.turn(steer, throttle, brake)
        return until()

    wait_until(held, timeout=30, every=0.02)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveRun]:
    """One for all tests here: each leaves the wheel free, and the last one ends it."""
    folder = tmp_path_factory.mktemp("driven")
    (folder / "driven.yaml").write_text(SCENARIO)
    with live_run(folder, "driven.yaml") as live:
        live.wait_for("GO", 0.1)
        yield live


def taken(bus: Bus, who: str = "Ann", authority: int = 100) -> tuple[Wheel, Screen]:
    screen = Screen()
    return Wheel(bus, "car", who, True, authority, screen.show), screen


def test_who_falls_silent_is_braked_and_after_a_while_gone(run: LiveRun) -> None:
    with Bus.connect(run.address) as bus:
        wheel, screen = taken(bus)
        drive(wheel, lambda: screen.speed > 8, throttle=1)
        wait_until(lambda: screen.speed == 0, timeout=30)  # nobody turns any more
        drive(wheel, lambda: screen.speed > 2, throttle=1)  # the same driver is back
        wheel.release(braked=True)
        assert run.status(False)["wheels"][0]["abandoned"]
        wait_until(lambda: {v["name"]: v for v in run.status()["each"]}["car"]["speed"] == 0)
        # It stays braked until somebody takes it, whoever that is; one who then never speaks again
        # does not keep it for ever.
        asked = WheelRequest("car", "Eve", False, 0)
        assert wire.as_answer(WheelGiven, bus.ask(WHEEL, asked.encoded())).vid == 1
        assert not run.status(False)["wheels"][0]["abandoned"]
        wait_until(lambda: run.status(False)["wheels"][0]["abandoned"], timeout=30)
        second, screen = taken(bus, "Bob", authority=0)
        drive(second, lambda: screen.speed > 2, throttle=1)
        second.release()


def test_more_authority_takes_the_wheel_and_no_less(run: LiveRun) -> None:
    with Bus.connect(run.address) as bus:
        ann, screen = taken(bus, "Ann", 100)
        for authority in (0, 100):
            with pytest.raises(WheelRefused, match="'car' is driven by Ann, authority 100"):
                taken(bus, "Bob", authority)
        drive(ann, lambda: screen.speed > 1, throttle=1)
        bob, screen_of_bob = taken(bus, "Bob", 101)
        drive(bob, lambda: screen_of_bob.latest is not None, brake=1)
        ann.turn(0, 1, 0)  # goes nowhere
        wait_until(lambda: ann.lost == "'car' is driven by Bob, authority 101", timeout=30)
        drive(bob, lambda: screen_of_bob.speed == 0, brake=1)
        bob.release()
        with pytest.raises(WheelRefused, match="nobody drives 'car'"):
            ann.release()
        with pytest.raises(WheelRefused, match="does not carry the behavior driven; car can"):
            Wheel(bus, "taxi", "Ann", True, 100, screen.show)
        with pytest.raises(WheelRefused, match="nobody is called 'bus'"):
            Wheel(bus, "bus", "Ann", True, 100, screen.show)


def test_turns_without_a_wheel_and_nonsense_move_nothing(run: LiveRun) -> None:
    with Bus.connect(run.address) as bus:
        send = bus.sender(turns_key(1), urgent=True)
        for number in range(50):
            send(Turn(ticket=number, sequence=number + 1, steer=0, throttle=1, brake=0).encoded())
        wheel, screen = taken(bus)
        drive(wheel, lambda: screen.latest is not None and screen.speed == 0, brake=1)
        ticket, yaw = screen.latest.ticket, screen.yaw
        garbled = run.host("host-1")["garbled"]
        for steer in (math.nan, math.inf):
            send(Turn(ticket, 10_000, steer, 1, 0).encoded())
        send(b"nonsense")
        wait_until(lambda: run.host("host-1")["garbled"] >= garbled + 3)
        assert screen.speed == 0
        send(Turn(ticket, 10_001, 7.0, 0.0, 9.0).encoded())  # beyond its limits: clipped
        wait_until(lambda: screen.latest.sequence == 10_001)
        assert abs(screen.yaw - yaw) < 1e-6
        wheel.release()


def test_a_host_started_again_brakes_until_its_driver_was_off_the_throttle(run: LiveRun) -> None:
    with Bus.connect(run.address) as bus:
        wheel, screen = taken(bus)
        drive(wheel, lambda: screen.speed > 3, throttle=1)
        run.kill(" host-1 ")
        drive(wheel, lambda: screen.speed == 0, throttle=1)
        wheel.turn(0, 0, 0)
        drive(wheel, lambda: screen.speed > 2, throttle=1)
        wheel.release()


def test_a_core_started_again_leaves_the_driver_at_the_wheel(run: LiveRun) -> None:
    """All turns pass through the Core: while it is away the car brakes, then it is driven on."""
    with Bus.connect(run.address) as bus:
        wheel, screen = taken(bus)
        drive(wheel, lambda: screen.speed > 3, throttle=1)
        ticket = screen.latest.ticket
        run.kill(" core ")
        wait_until(lambda: run.status(False).get("wheels") == [] or screen.speed == 0)
        drive(wheel, lambda: screen.speed > 4, throttle=1)
        assert screen.latest.ticket == ticket
        wait_until(lambda: [w["who"] for w in run.status(False)["wheels"]] == ["Ann"])
        wheel.release()


def test_a_car_is_driven_let_go_and_told_of(run: LiveRun) -> None:
    with Bus.connect(run.address) as bus:
        began = run.status(False)["t"]
        wheel, screen = taken(bus)
        drive(wheel, lambda: screen.speed > 5, throttle=1)
        before = screen.yaw
        turned = lambda: math.remainder(screen.yaw - before, math.tau) > 0.3  # noqa: E731
        drive(wheel, turned, steer=0.5, throttle=0.2)
        drive(wheel, lambda: screen.speed == 0, brake=1)
        each = {v["name"]: v for v in run.status()["each"]}
        assert each["car"]["behavior"] == "driven"
        assert run.status(False)["wheels"] == [
            {"vehicle": "car", "vid": 1, "who": "Ann", "person": True, "authority": 100,
             "abandoned": False}
        ]  # fmt: skip
        wheel.release()
        wait_until(lambda: run.status(False)["wheels"] == [])
        wait_until(lambda: {v["name"]: v for v in run.status()["each"]}["car"]["behavior"] == "")
    run.state("stop")
    assert run.ended()[0] == 0
    with Recording(run.recording) as seen:
        told = [event.text for event in seen.events() if event.kind == "wheel"]
        wheels = [record for record in seen.wheels() if record.t > began]
    assert told[-2:] == [
        "car: Ann, a person, is at the wheel",
        "car: Ann lets go of the wheel, it does as before",
    ], told
    stood = [(w.steer, w.throttle, w.brake, w.gear) for w in wheels if w.sequence]
    assert list(dict.fromkeys(stood)) == [(0, 1, 0, 1), (0.5, 0.2, 0, 1), (0, 0, 1, 1)]
    assert {w.vid for w in wheels} == {1}
    ticks = [w.tick for w in wheels]
    assert ticks == sorted(set(ticks))
    assert len(ticks) > 20


def test_a_run_may_let_anybody_be_driven(tmp_path: Path) -> None:
    (tmp_path / "driven.yaml").write_text(SCENARIO)
    with live_run(tmp_path, "driven.yaml", "--drivable") as run:
        run.wait_for("GO", 0.1)
        with Bus.connect(run.address) as bus:
            screen = Screen()
            wheel = Wheel(bus, "taxi", "Ann", True, 100, screen.show)
            drive(wheel, lambda: screen.speed > 2, throttle=1)
            wheel.release()
