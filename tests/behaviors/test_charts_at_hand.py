"""What is drawn of the ground is drawn before time counts, once for all who need the same."""

from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.live.warm_up import warm_up
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.terrain import guide as guides
from movenv.terrain import roads
from movenv.world.orders import Order

TEXT = """
name: charted
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 60}
terrain:
  features:
    - {kind: building, at: [50, 0], rectangle: [10, 20], height: 30}
    - {kind: road, name: street, line: [[0, 50], [300, 50]], width: 8}
vehicles:
  - name: car
    count: 3
    unit: a
    kind: ground
    start: {grid: {spacing: 20}}
    behaviors: {obey: {}, move_to: {to: [100, 0]}}
  - name: drone
    count: 2
    unit: b
    kind: aerial/rotorcraft
    start: {line: {from: [0, 100], to: [0, 130]}, z: 10}
    behaviors: {obey: {}}
"""


def test_no_tick_draws_a_chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "charted.yaml"
    path.write_text(TEXT)
    stage = Stage(load(str(path)))
    host, core = stage.host("h", np.arange(5)), stage.core()

    def late(*_: object) -> None:
        raise AssertionError("drawn in a tick")

    monkeypatch.setattr(guides, "draw", late)
    monkeypatch.setattr(roads.RoadNetwork, "__init__", late)
    core.take(host.set())
    told = core.tick(0, 0.0)
    goal = np.array([[120.0, 0.0, np.nan]])
    cars, drones = stage.roster.vids[:3], stage.roster.vids[3:]
    orders = (
        Order(1, "go", cars, goal, roads="prefer", formation="wedge", leader=int(cars[0])),
        Order(2, "go", drones, goal, formation="wedge", leader=int(drones[0])),
    )
    for tick in range(1, 5):
        given = orders if tick == 2 else ()
        core.take(host.tick(tick, told.snapshot.vehicles, told.notices, orders=given))
        told = core.tick(tick, stage.time.t(tick))
    assert {told.snapshot.vehicles.behavior[row] for row in range(5)} == {2}


def test_a_host_takes_the_charts_that_the_warm_up_drew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "charted.yaml"
    path.write_text(TEXT)
    stage = Stage(load(str(path)))
    warm_up(stage)
    # For cars, for drones, the roads, the soils and the heights.
    assert len(stage.terrain.drawn) == 5
    monkeypatch.setattr(guides, "draw", None)
    stage.host("h", np.arange(5))
