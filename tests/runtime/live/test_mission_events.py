"""Steps of missions in a live run: told as events, also by a Core that was started again."""

from pathlib import Path

import pytest

from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.run_state import RunState

from .simulated import Simulation

SCENARIO = """
name: rounds
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 60}
areas:
  campus: {square: 400}
vehicles:
  - name: ambulance
    kind: ground
    start: {at: [0, 0]}
    mission:
      - {step: approach, do: {wander: }, until: {time: 2}}
      - {step: return, do: {wander: }}
  - name: drone
    count: 2
    kind: aerial/rotorcraft
    start: {within: campus, z: 30}
    mission:
      - {step: search, do: {wander: }, until: {time: 1}}
      - {step: rest, until: {time: 1}, repeat: {from: search, times: 2}}
  - name: walker
    kind: pedestrian
    start: {at: [50, 50]}
    behaviors: {wander: }
"""


@pytest.fixture
def net(tmp_path: Path) -> Simulation:
    path = tmp_path / "rounds.yaml"
    path.write_text(SCENARIO)
    return Simulation(Stage(load(str(path), []))).shares(2)


def told(net: Simulation) -> list[tuple[float, str]]:
    return [(event.t, event.text) for event in net.events if event.kind == "mission"]


def seen(net: Simulation) -> list[tuple[float, str]]:
    """When snapshots show somebody on another step, read one by one."""
    roster, found = net.stage.roster, []
    before = [""] * len(roster)
    for update in net.kept:
        for row, step in enumerate(update.snapshot.vehicles.step.tolist()):
            name = roster.step_name(row, step)
            if name and name != before[row]:
                words = "mission over" if name == "over" else name
                found.append((update.snapshot.t, f"{roster.names[row]}: {words}"))
            before[row] = name or before[row]
    return found


def test_every_step_that_the_recording_shows_is_told_at_its_tick(net: Simulation) -> None:
    net.start().run(12)
    assert told(net) == seen(net)
    assert told(net)[:3] == [(0.0, "ambulance: approach")] + [
        (0.0, f"drone-{i}: search") for i in (1, 2)
    ]
    texts = [text for _, text in told(net)]
    assert texts.count("drone-1: search") == texts.count("drone-1: rest") == 3
    assert texts[-1] == "drone-2: mission over"
    assert [e.vids for e in net.events if e.text == "ambulance: return"] == [[1]]


def test_nothing_is_told_before_go(net: Simulation) -> None:
    net.run(1).command(RunState.SET).run(2)
    assert any(update.snapshot.vehicles.step.any() for _, update in net.stated)
    assert told(net) == []


def test_a_core_that_was_started_again_tells_no_step_twice(net: Simulation) -> None:
    net.start().run(2.6)
    before = told(net)
    resumed = net.kill_core()
    net.run(0.3)
    net.restart_core(resumed)
    net.run(10)
    assert told(net)[: len(before)] == before
    texts = [text for _, text in told(net)]
    assert texts.count("ambulance: approach") == texts.count("ambulance: return") == 1
    assert texts.count("drone-1: search") == texts.count("drone-1: rest") == 3


def test_the_status_says_how_far_everyone_is(net: Simulation) -> None:
    net.start().run(12)
    missions = net.live.status(net.core.now)["summary"]["missions"]
    assert (missions["vehicles"], missions["over"], missions["at"]) == (3, 2, {"return": 1})
    since = {one["name"]: (one["step"], one["since"]) for one in missions["each"]}
    assert since["ambulance"] == ("return", {e: t for t, e in seen(net)}["ambulance: return"])
    each = net.live.vehicle_status(net.core.now)
    assert [one.get("step") for one in each] == ["return", "over", "over", None]
