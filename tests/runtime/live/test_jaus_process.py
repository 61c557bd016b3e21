"""A JAUS controller drives a car of a live run, is lost, is outranked, and talks nonsense."""

import math
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.gateways.jaus.controller import Controller

from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.scaled import Dialect
from movenv.recording.reader import Recording
from movenv.world.frames import Frame

from .processes import MOVENV, LiveRun, free_port, live_run, movenv, wait_until

pytestmark = pytest.mark.xdist_group("live")  # one real-time run at a time

CAR, TAXI = Address(126, 1, 10), Address(127, 1, 10)
SCENARIO = """
name: driven
origin: {lat: 29.19, lon: -81.05, alt: 12}
time: {duration: 600, tick: 0.05}
vehicles:
  - {name: car, kind: ground, model: {type: ground, build: car}, start: {at: [0, 0], speed: 0,
     heading_deg: 90}, behaviors: {driven: {}}}
  - {name: taxi, kind: ground, model: {type: ground, build: car}, start: {at: [0, 50], speed: 0},
     behaviors: {hover: {}}}
"""


class Gateway:
    def __init__(self, run: LiveRun, folder: Path) -> None:
        self.port = free_port()
        command = [*MOVENV, "jaus", "car=126.1.10", "taxi=127.1.10", "--port", str(self.port),
                   "--timeout", "5", "--core", run.address]  # fmt: skip
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.told = [self.process.stdout.readline() for _ in range(2)]
        self._controllers: list[Controller] = []

    def controller(self, to: Address = CAR, **given: Any) -> Controller:
        self._controllers.append(Controller(self.port, to, **given))
        return self._controllers[-1]

    def close(self) -> None:
        for controller in self._controllers:
            controller.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def end(self) -> str:
        self.process.terminate()
        _, said = self.process.communicate(timeout=20)
        assert self.process.returncode == 0, said
        return said


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveRun]:
    """One for all tests here, which the last of them ends."""
    folder = tmp_path_factory.mktemp("driven")
    (folder / "driven.yaml").write_text(SCENARIO)
    with live_run(folder, "driven.yaml") as live:
        live.wait_for("GO", 0.1)
        yield live


@pytest.fixture
def gateway(run: LiveRun, tmp_path: Path) -> Iterator[Gateway]:
    gateway = Gateway(run, tmp_path)
    yield gateway
    gateway.close()


def taken(gateway: Gateway, **given: Any) -> Controller:
    controller = gateway.controller(**given)
    controller.say(m.RequestControl(200))
    assert controller.wait(m.ConfirmControl).response == m.Confirmed.ACCEPTED
    controller.say(m.Resume())
    return controller


def speed(run: LiveRun) -> float:
    return next(v["speed"] for v in run.status()["each"] if v["name"] == "car")


def told(run: LiveRun, kind: str, since: float) -> list[str]:
    """What the recording, which is still being written, tells of that kind after some time."""
    with Recording(run.recording) as seen:
        return [event.text for event in seen.events() if event.kind == kind and event.t >= since]


@pytest.mark.parametrize("dialect", list(Dialect))
def test_a_controller_drives_and_sees_where_it_is(
    run: LiveRun, gateway: Gateway, dialect: Dialect
) -> None:
    assert "car is JAUS 126.1.10 at UDP port" in gateway.told[0]
    controller = taken(gateway, dialect=dialect)
    controller.subscribe(m.QueryGlobalPose(), 20)
    first = controller.wait(m.ReportGlobalPose)
    each = next(v for v in run.status()["each"] if v["name"] == "car")
    turned = math.remainder(first.yaw - math.radians(each["heading_deg"]), math.tau)
    assert turned == pytest.approx(0, abs=0.01)
    assert first.altitude == pytest.approx(12, abs=0.01)
    controller.wait(
        m.ReportGlobalPose,
        lambda: (controller.drive(throttle=1), time.sleep(0.05)),
    )
    frame = Frame(29.19, -81.05, 12)

    def place(pose: m.ReportGlobalPose) -> tuple[float, float]:
        east, north, _ = frame.to_local(pose.latitude, pose.longitude)
        return float(east), float(north)

    def latest() -> m.ReportGlobalPose:
        return [h for h in controller.heard if isinstance(h, m.ReportGlobalPose)][-1]

    def on() -> bool:
        controller.drive(throttle=1)
        controller.listen()
        return math.dist(place(latest()), place(first)) > 5

    wait_until(on)
    (x, y), (x0, y0) = place(latest()), place(first)
    bearing = math.atan2(x - x0, y - y0)
    assert math.remainder(bearing - first.yaw, math.tau) == pytest.approx(0, abs=0.05)

    def right() -> bool:
        controller.drive(throttle=0.3, yaw=1)
        controller.listen()
        return math.remainder(latest().yaw - first.yaw, math.tau) > 0.4  # clockwise

    wait_until(right)
    controller.say(m.QueryVelocityState())
    assert controller.wait(m.ReportVelocityState, controller.drive).x > 1
    controller.say(m.QueryWrenchEffort())
    effort = controller.wait(m.ReportWrenchEffort)
    assert (effort.propulsive_x, effort.resistive_x) == (pytest.approx(0, abs=0.01), 0)
    controller.say(m.ReleaseControl())
    controller.wait(m.RejectControl)
    wait_until(lambda: run.status(False)["wheels"] == [])
    assert gateway.end() == ""


def test_a_controller_that_is_gone_leaves_a_car_that_stands(run: LiveRun, gateway: Gateway) -> None:
    began = run.status(False)["t"]
    controller = taken(gateway)
    wait_until(lambda: controller.drive(throttle=1) or speed(run) > 4, every=0.05)
    # Not a word for five seconds: control is gone, and the car brakes.
    controller.wait(m.RejectControl)
    wait_until(lambda: speed(run) == 0)
    assert run.status(False)["wheels"][0]["abandoned"]
    controller.drive(throttle=1)
    # It takes it again, and then the gateway is killed: the host itself brakes.
    controller.say(m.RequestControl(200))
    controller.wait(m.ConfirmControl)
    controller.say(m.Resume())
    wait_until(lambda: controller.drive(throttle=1) or speed(run) > 4, every=0.05)
    gateway.process.kill()
    wait_until(lambda: speed(run) == 0)
    wait_until(lambda: run.status(False)["wheels"][0]["abandoned"])
    gone = "car: JAUS 126.1.20 is gone from the wheel, it brakes"
    wait_until(lambda: gone in told(run, "wheel", began))
    assert told(run, "wheel", began)[0] == "car: JAUS 126.1.20, a program, is at the wheel"


def test_who_is_not_there_and_a_port_in_use_are_told(run: LiveRun, gateway: Gateway) -> None:
    for words, wanted in [
        (["cra=126.1.10", "--port", "0"], "nobody is called 'cra' in this run. Did you mean 'car'"),
        (["car=126.1.10", "--port", str(gateway.port)], "is in use"),
    ]:
        done = movenv("jaus", *words, "--core", run.address, cwd=run.folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert wanted in " ".join(done.stderr.split())


def test_authority_emergency_and_nonsense(run: LiveRun, gateway: Gateway) -> None:
    began = run.status(False)["t"]
    first = taken(gateway)
    second = gateway.controller(own=Address(126, 1, 21))
    second.say(m.RequestControl(199))
    refused = second.wait(m.ConfirmControl)
    assert refused.response == m.Confirmed.INSUFFICIENT_AUTHORITY
    wait_until(lambda: first.drive(throttle=0.5) or speed(run) > 2, every=0.05)
    second.drive(throttle=1)
    for raw in (b"", b"\x02", b"garbage" * 9, bytes.fromhex("02001100190a017e0014017e000d00c801")):
        second.send_raw(raw)
    gateway.controller(own=first.own, host="127.0.0.2").say(m.Shutdown())  # not from there
    second.say(m.QueryControl())
    found = second.wait(m.ReportControl, lambda: first.drive(throttle=0.2))
    assert (found.controller[:3], found.authority) == (first.own[:3], 200)
    second.say(m.SetEmergency())  # anybody may stop it
    wait_until(lambda: first.drive(throttle=1) or speed(run) == 0, every=0.05)
    second.say(m.QueryStatus())
    assert second.wait(m.ReportStatus).status == m.Status.EMERGENCY
    second.say(m.RequestControl(201))
    assert second.wait(m.ConfirmControl).response == m.Confirmed.ACCEPTED
    first.wait(m.RejectControl)
    second.say(m.ClearEmergency())
    second.say(m.Resume())
    wait_until(lambda: second.drive(throttle=0.5) or speed(run) > 2, every=0.05)
    taxi = gateway.controller(TAXI)
    taxi.say(m.QueryIdentification())
    assert taxi.wait(m.ReportIdentification).name == "taxi"
    taxi.say(m.RequestControl(255))
    assert taxi.wait(m.ConfirmControl).response == m.Confirmed.NOT_AVAILABLE
    said = gateway.end()
    assert "1 refused: insufficient authority" in said
    assert "1 refused: other address" in said
    assert "refused: not in control" in said
    assert "refused: effort in emergency" in said
    noted = [
        "car: JAUS 126.1.21 stops it: emergency",
        "car: JAUS 126.1.21 clears the emergency",
    ]
    wait_until(lambda: told(run, "mark", began) == noted)


def test_with_the_run_the_gateway_ends_too(run: LiveRun, gateway: Gateway) -> None:
    run.state("stop")
    _, said = gateway.process.communicate(timeout=30)
    assert (gateway.process.returncode, said) == (0, "")
    assert run.ended()[0] == 0
