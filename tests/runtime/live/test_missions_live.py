"""Missions in a live run: as in a fast one, through restarts, and with real vehicles in them."""

from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.messages import MISSION_OVER
from movenv.world.run_state import RunState

from .links import Clock
from .simulated import Simulation
from .test_gateway import Walk, row
from .test_same_as_fast import assert_same

RESCUE = """
name: rescue
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 25}
awareness: {range: 50}
vehicles:
  - name: drone
    vid: 20
    kind: aerial/rotorcraft
    start: {at: [0, 0, 10]}
    behaviors: {wander: {}, search_and_report: {radius: 30, targets: [man]}}
    mission:
      - {step: look, until: {detected: man}}
      - {step: call, say: found, until: {time: 2}}
  - {name: man, vid: 21, kind: pedestrian, start: {at: [60, 0]}}
  - name: base
    vid: 22
    kind: ground
    start: {at: [-700, 0], speed: 0}
    mission:
      - {step: wait, until: {vehicle: drone, step: call}}
      - {step: drive, do: {wander: {}}, until: {vehicle: drone, detected: man}}
      - {step: stand, until: {vehicle: drone, within: 650}}
"""


@pytest.fixture
def rescue(tmp_path: Path) -> Path:
    path = tmp_path / "rescue.yaml"
    path.write_text(RESCUE)
    return path


def entered(net: Simulation, vid: int) -> list[int]:
    steps = [update.snapshot.vehicles.step[row(net, vid)] for update in net.kept]
    return [int(b) for a, b in zip([0, *steps], steps, strict=False) if a != b]


def test_a_live_run_with_missions_is_the_fast_run(rescue: Path) -> None:
    """Also those who are waited for beyond awareness range are known."""
    net = Simulation(Stage(load(str(rescue)))).shares(3, [Clock(5), Clock(10**12), Clock(0)])
    net.start().run(26)
    fast = list(updates(Stage(load(str(rescue))).run(1)))
    assert_same(net.kept, fast)
    assert fast[-1].snapshot.vehicles.step.tolist() == [MISSION_OVER, 0, 3]


def test_a_host_that_comes_back_takes_its_mission_up(rescue: Path) -> None:
    net = Simulation(Stage(load(str(rescue)))).shares(3).start().run(7.5)
    assert entered(net, 20) == [1, 2]
    net.kill("h1")
    net.run(1)
    net.host("h1", share=(1, 3))
    net.run(6)
    assert entered(net, 20) == [1, 2, MISSION_OVER]


def test_a_core_that_comes_back_does_not_unmake_a_find(rescue: Path) -> None:
    net = Simulation(Stage(load(str(rescue)))).shares(3).start().run(6.9)
    resumed = net.kill_core()
    net.run(1)
    net.restart_core(resumed)
    net.run(8)
    assert entered(net, 22)[:3] == [1, 2, 3]


REAL = """
name: real-drone
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 60}
vehicles:
  - name: drone
    vid: 1
    kind: aerial/rotorcraft
    live: {type: datagram, stale_after: 2}
    behaviors: {wander: {}, search_and_report: {radius: 20, targets: [man]}}
    mission:
      - {step: look, until: {detected: man}}
      - {step: go-on, say: found, until: {at: [0, 60], within: 10}}
  - {name: man, vid: 2, kind: pedestrian, start: {at: [0, 0]}}
  - name: car
    vid: 3
    kind: ground
    start: {at: [10, 0], speed: 0}
    mission: [{until: {heard: found}}, {until: {vehicle: drone, step: go-on}}]
"""


def test_what_a_real_vehicle_carries_finds_and_speaks_but_does_not_drive(tmp_path: Path) -> None:
    path = tmp_path / "real.yaml"
    path.write_text(REAL)
    net = Simulation(Stage(load(str(path))))
    net.host("h1")
    gateway = net.gateway()
    net.run(0.01)
    drone = Walk(net, gateway, 1, 0.0, -60.0, 5.0)
    net.start().run(24)
    assert entered(net, 1) == [1, 2, MISSION_OVER]
    assert entered(net, 3) == [1, 2, MISSION_OVER]
    found = next(u for u in net.kept if len(u.detections))
    seen = found.snapshot.vehicles
    assert seen.y[row(net, 1)] == pytest.approx(-20, abs=1.5)  # where its eyes reach the man
    assert (np.array([u.snapshot.vehicles.behavior[row(net, 1)] for u in net.kept]) == 0).all()
    t = net.kept[-1].snapshot.t
    first = net.kept[0].snapshot.vehicles
    assert net.kept[-1].snapshot.vehicles.y[row(net, 1)] == pytest.approx(
        first.y[row(net, 1)] + drone.vy * t, abs=1.5
    )
    assert len(net.events) < 50


WALKED = """
name: walked
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 120}
routes: {street: {points: [[0, 0], [0, 50]]}}
vehicles:
  - name: walker
    vid: 1
    kind: pedestrian
    live: {type: datagram, stale_after: 2}
    mission:
      - {step: first, say: here, until: {at: [0, 0], beyond: 20}}
      - {step: street, do: {follow_path: {route: street}}}
      - {step: end}
  - name: car
    vid: 2
    kind: ground
    start: {at: [10, 0], speed: 0}
    mission: [{until: {heard: here}}]
"""


@pytest.fixture
def walked(tmp_path: Path) -> Path:
    path = tmp_path / "walked.yaml"
    path.write_text(WALKED)
    return path


def when(net: Simulation, vid: int, step: int) -> float:
    found = (u.snapshot for u in net.kept if u.snapshot.vehicles.step[row(net, vid)] == step)
    return next(found).t


def test_a_real_vehicle_begins_its_mission_when_it_is_first_heard(walked: Path) -> None:
    net = Simulation(Stage(load(str(walked))))
    net.host("h1")
    gateway = net.gateway()
    net.run(0.01)
    net.start().run(5)
    assert entered(net, 2) == [1]
    # Its clock began with the network's: it stands at y = 0 when the time is 15 s.
    Walk(net, gateway, 1, 0.0, -15.0, 1.0)
    began = net.kept[-1].snapshot.t
    net.run(62)
    assert entered(net, 2) == [1, MISSION_OVER]  # what it said on its first step was heard
    y = {u.snapshot.t: u.snapshot.vehicles.y[row(net, 1)] for u in net.kept}
    assert when(net, 1, 2) > began
    assert y[when(net, 1, 2)] == pytest.approx(20, abs=1)
    assert y[when(net, 1, 3)] == pytest.approx(50, abs=2.5)


def test_a_pause_does_not_unmake_a_real_vehicles_step(walked: Path) -> None:
    net = Simulation(Stage(load(str(walked))))
    net.host("h1")
    gateway = net.gateway()
    net.run(0.01)
    Walk(net, gateway, 1, 0.0, -5.0, 1.0)
    net.start().run(30)
    assert entered(net, 1) == [1, 2]
    net.command(RunState.PAUSE).run(3)
    assert net.stated[-1][1].snapshot.vehicles.step[row(net, 1)] == 2
    net.kill("gateway")
    net.run(0.5)
    gateway = net.gateway()
    net.run(0.01)
    Walk(net, gateway, 1, 0.0, -5.0, 1.0)
    net.run(1).command(RunState.GO).run(5)
    assert net.kept[-1].snapshot.vehicles.step[row(net, 1)] >= 2


BROKEN = """
from movenv.parts import Behavior, BehaviorConfig

class Broken(Behavior):
    Config = BehaviorConfig
    def __init__(self, setup):
        self.asked = 0
    def detect(self, own, others, moment):
        self.asked += 1
        if self.asked > 20:
            raise RuntimeError("out of order")
"""


def test_what_a_real_vehicle_carries_may_fail_without_the_gateway(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    path = tmp_path / "walked.yaml"
    carries = "stale_after: 2}\n    behaviors: {./broken.py:Broken: {}}"
    path.write_text(WALKED.replace("stale_after: 2}", carries))
    net = Simulation(Stage(load(str(path))))
    net.host("h1")
    gateway = net.gateway()
    net.run(0.01)
    Walk(net, gateway, 1, 0.0, -5.0, 1.0)
    net.start().run(10)
    assert net.kept[-1].snapshot.t > 9
    assert net.kept[-1].snapshot.vehicles.step[row(net, 1)] == 1
    _, happenings = gateway.gateway._vehicles.news()
    told = [text for kind, text, _ in happenings if kind == "behavior"]
    assert len(told) <= 1
    assert gateway.gateway._shadow is not None
    assert "out of order" in gateway.gateway._shadow.failed
