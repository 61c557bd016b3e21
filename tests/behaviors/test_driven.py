"""Whoever takes the wheel drives, and a driver who falls silent has let go."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import Run, build
from movenv.scenario.load import load
from movenv.world.host import Host
from movenv.world.messages import Notices, Remark, Report
from movenv.world.wheel import Wheels

SCENARIO = """
name: test
origin: {lat: 29.19, lon: -81.05}
vehicles:
  - {name: car, kind: ground, model: {type: ground, build: car}, start: {at: [0, 0], speed: 0},
     behaviors: {wander: {}, driven: {dead_man: 0.5}}}
  - {name: plane, kind: aerial/fixedwing, start: {at: [0, 500, 100]},
     behaviors: {wander: {}, driven: {}}}
"""
CAR, PLANE = 1, 2


class Cockpit:
    """A host whose vehicles are driven by the test."""

    def __init__(self, run: Run) -> None:
        self.host: Host = run.hosts[0]
        self._behaviors = ["", *run.roster.behaviors]
        first = next(iter(updates(run)))
        self._others = first.snapshot.vehicles
        self.tick = 1
        self.remarks: list[Remark] = []

    def live(self, ticks: int, *wheels: dict[str, float]) -> Report:
        """Some ticks with these at the wheel."""
        for _ in range(ticks):
            self.tick += 1
            report = self.host.tick(self.tick, self._others, Notices.empty(), wheels=table(*wheels))
            self.remarks += report.remarks
        return report

    def drives(self, report: Report, vid: int) -> str:
        return self._behaviors[int(report.motions.behavior[report.motions.vid == vid][0])]


def table(*wheels: dict[str, float]) -> Wheels:
    usual = {"steer": 0, "throttle": 0, "brake": 0, "gear": 1, "pitch": 0, "silence": 0}
    rows = [usual | wheel for wheel in wheels]
    return Wheels({name: np.array([row[name] for row in rows]) for name in ("vid", *usual)})


def motion(report: Report, vid: int, name: str) -> float:
    return float(getattr(report.motions, name)[report.motions.vid == vid][0])


@pytest.fixture
def cockpit(tmp_path: Path) -> Cockpit:
    (tmp_path / "test.yaml").write_text(SCENARIO)
    return Cockpit(build(load(str(tmp_path / "test.yaml"))))


def test_nobody_at_the_wheel_leaves_the_others_to_drive(cockpit: Cockpit) -> None:
    report = cockpit.live(3)
    assert cockpit.drives(report, CAR) == cockpit.drives(report, PLANE) == "wander"


def test_throttle_steer_and_brake_move_a_vehicle_without_pedals(cockpit: Cockpit) -> None:
    report = cockpit.live(1, {"vid": CAR, "brake": 1})
    assert cockpit.drives(report, CAR) == "driven"
    assert cockpit.drives(report, PLANE) == "wander"
    start = motion(report, CAR, "yaw")
    report = cockpit.live(20, {"vid": CAR, "throttle": 0.5})
    # Half of 3.5 m/s² less what rolling takes.
    assert motion(report, CAR, "speed") == pytest.approx(2.0 * 0.5 * 3.5, rel=0.1)
    report = cockpit.live(20, {"vid": CAR, "steer": 0.5, "throttle": 0.1})
    turned = motion(report, CAR, "yaw") - start
    assert turned > 0.3
    report = cockpit.live(20, {"vid": CAR, "brake": 1})
    assert motion(report, CAR, "speed") == 0.0


def test_who_is_silent_has_let_go_and_brakes(cockpit: Cockpit) -> None:
    cockpit.live(30, {"vid": CAR, "throttle": 1})
    report = cockpit.live(1, {"vid": CAR, "throttle": 1, "steer": 1, "silence": 0.5})
    fast = motion(report, CAR, "speed")
    assert cockpit.remarks == []
    report = cockpit.live(1, {"vid": CAR, "throttle": 1, "steer": 1, "silence": 0.51})
    assert motion(report, CAR, "speed") < fast - 0.5
    assert cockpit.remarks == [Remark(CAR, "its driver is silent: it brakes")]
    report = cockpit.live(30, {"vid": CAR, "throttle": 1, "silence": np.inf})
    assert motion(report, CAR, "speed") == 0.0
    assert len(cockpit.remarks) == 1
    report = cockpit.live(10, {"vid": CAR, "throttle": 1})
    assert motion(report, CAR, "speed") > 1.0
    assert cockpit.remarks[1:] == [Remark(CAR, "its driver is back")]


def test_one_that_cannot_stop_flies_as_slowly_as_it_can(cockpit: Cockpit) -> None:
    report = cockpit.live(100, {"vid": PLANE, "brake": 1, "silence": np.inf})
    least = float(cockpit.host._abilities["min_speed"][1])
    assert motion(report, PLANE, "speed") == pytest.approx(least, rel=0.05)


def test_a_driver_pulls_up(cockpit: Cockpit) -> None:
    report = cockpit.live(60, {"vid": PLANE, "pitch": 1, "throttle": 1})
    assert motion(report, PLANE, "z") > 105


def test_a_wheel_of_another_host_moves_nobody_here(cockpit: Cockpit) -> None:
    report = cockpit.live(5, {"vid": 99, "throttle": 1})
    assert cockpit.drives(report, CAR) == "wander"


def test_once_let_go_one_does_as_before(cockpit: Cockpit) -> None:
    cockpit.live(5, {"vid": CAR, "throttle": 1})
    assert cockpit.drives(cockpit.live(1), CAR) == "wander"


def test_pedals_reach_a_model_that_has_them(cockpit: Cockpit, monkeypatch) -> None:
    model = cockpit.host._models[0]
    monkeypatch.setattr(type(model), "takes_pedals", True)
    given: list[np.ndarray] = []
    advance: Callable[..., None] = model.advance
    monkeypatch.setattr(
        model, "advance", lambda *said: (given.append(model.pedals.copy()), advance(*said))
    )
    cockpit.live(1, {"vid": CAR, "throttle": 0.3, "brake": 0.1, "gear": -1})
    cockpit.live(1)
    assert given[0][:, 0] == pytest.approx([0.3, 0.1, -1.0])
    assert np.isnan(given[1]).all()
