"""Orders in a live run: carried out once, kept through restarts, the same as in a fast run."""

from pathlib import Path

import pytest

from movenv.runtime.live.wire import OrderMessage
from movenv.scenario.build import Stage
from movenv.scenario.load import load

from .simulated import Simulation
from .test_same_as_fast import assert_same, fast, to_the_end

HEAD = """
name: ordered
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 60}
awareness: {range: 60}
vehicles:
  - name: tank
    count: 6
    unit: alpha
    kind: ground
    model: {speed: 6}
    start: {line: {from: [0, 0], to: [0, 100]}, heading_deg: 90}
    behaviors: {obey: {}, wander: {}}
  - {name: man, kind: pedestrian, start: {at: [0, -50]}, behaviors: {wander: {}}}
"""
SCRIPT = """
orders:
  - {at: 0, what: go, vehicles: [tank-1], to: [[40, 0], [40, 40]]}
  - {at: 2.5, what: go, vehicles: ["tank-[23]"], to: [[60, 20, 0]], speed: 3}
  - {at: 3, what: form, unit: alpha, formation: wedge, leader: tank-1}
  - {at: 6, what: hold, vehicles: [tank-4, tank-5]}
  - {at: 9, what: resume, vehicles: [tank-5]}
"""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return made(tmp_path, HEAD)


def made(folder: Path, text: str) -> Stage:
    path = folder / "ordered.yaml"
    path.write_text(text)
    return Stage(load(str(path)))


def going(stage: Stage, hosts: int = 2, **options: object) -> Simulation:
    return Simulation(stage, **options).shares(hosts).start()  # type: ignore[arg-type]


def order(net: Simulation, what: str, *vehicles: str, **rest: object) -> int:
    message = OrderMessage(what, "ann", list(vehicles), **rest)  # type: ignore[arg-type]
    return net.live.order(message, "ann", net.core.now).number


def behavior(net: Simulation, name: str) -> str:
    """Who held the wheel at the latest tick."""
    stage = net.stage
    number = int(net.kept[-1].snapshot.vehicles.behavior[stage.roster.names.index(name)])
    return ["", *stage.roster.behaviors][number]


def place(net: Simulation, name: str) -> tuple[float, float]:
    vehicles, at = net.kept[-1].snapshot.vehicles, net.stage.roster.names.index(name)
    return float(vehicles.x[at]), float(vehicles.y[at])


def texts(net: Simulation, kind: str) -> list[str]:
    return [event.text for event in net.events if event.kind == kind]


@pytest.mark.parametrize("hosts", [1, 2, 4])
def test_a_live_run_with_scripted_orders_is_the_fast_run(tmp_path: Path, hosts: int) -> None:
    stage = made(tmp_path, HEAD.replace("duration: 60", "duration: 15") + SCRIPT)
    net = going(stage, hosts)
    assert_same(to_the_end(net), fast(stage))
    assert [(e.t, e.who) for e in net.events if e.kind == "order"] == [
        (t, "script") for t in (0.0, 2.5, 3.0, 6.0, 9.0)
    ]


def test_who_is_ordered_obeys_from_the_next_tick_on_and_resumes(stage: Stage) -> None:
    net = going(stage).run(1.03)
    assert behavior(net, "tank-1") == "wander"
    order(net, "hold", "tank-1")
    tick = net.live.tick
    net.run(1)
    obeyed = [u for u in net.kept if u.snapshot.vehicles.behavior[0] == 1]
    assert net.stage.roster.behaviors[0] == "obey"
    assert obeyed[0].snapshot.tick == tick + 2  # told with the next tick, done in the one after
    assert behavior(net, "tank-2") == "wander"
    order(net, "resume", "tank-1")
    net.run(0.5)
    assert behavior(net, "tank-1") == "wander"
    assert texts(net, "order") == ["tank-1: hold", "tank-1: resume"]
    assert net.live.orders.listed() == []
