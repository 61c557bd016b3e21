"""On a perfect network a live run is the fast run, however far apart the clocks are."""

from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.columns import Table
from movenv.world.core import Update
from movenv.world.run_state import RunState

from .links import Clock
from .simulated import Simulation

HOUR = 3600 * 1_000_000_000
CHATTER = '''
from movenv.parts import Behavior, BehaviorConfig, Broadcasts

class Chatter(Behavior):
    """Says every third tick how much it has heard so far."""
    Config = BehaviorConfig
    def __init__(self, setup):
        self.heard = dict.fromkeys(setup.vids.tolist(), 0)
    def hear(self, own, inbox, moment):
        for i in range(len(inbox)):
            self.heard[int(inbox.vid[i])] += 1 + len(inbox.payload(i))
    def speak(self, own, others, moment):
        if moment.tick % 3:
            return None
        return Broadcasts(own.vid, [b"%d" % self.heard[int(vid)] for vid in own.vid])
'''
TALK = """
name: talk
origin: {lat: 29.0, lon: -81.0}
seed: 3
time: {duration: 3}
areas: {field: {square: 400}}
radio: {range: 200, delay: 0.13, jitter: 0.4, loss: 0.2}
vehicles:
  - name: drone
    vid: 20
    count: 10
    kind: aerial/rotorcraft
    start: {within: field}
    behaviors: {wander: {}, ./talk.py:Chatter: {}}
  - name: car
    count: 5
    kind: ground
    start: {within: field}
    behaviors: {./talk.py:Chatter: {}, wander: {}}
"""


def same(one: Table, other: Table, but: str = "") -> None:
    for name, column in one.columns():
        if name == but:
            continue
        np.testing.assert_array_equal(column, getattr(other, name), err_msg=name)


def assert_same(live: list[Update], fast: list[Update], but: str = "") -> None:
    """Bit for bit: the states of everyone, notices, finds, and what was said and heard."""
    assert [u.snapshot.tick for u in live] == [u.snapshot.tick for u in fast]
    for a, b in zip(live, fast, strict=True):
        assert a.snapshot.t == b.snapshot.t
        assert a.snapshot.run_state == b.snapshot.run_state
        same(a.snapshot.vehicles, b.snapshot.vehicles, but)
        same(a.notices, b.notices)
        same(a.detections, b.detections)
        assert a.closest == b.closest
        same(a.inbox, b.inbox)
        assert a.broadcasts.vid.tolist() == b.broadcasts.vid.tolist()
        assert a.broadcasts.payloads == b.broadcasts.payloads
        assert a.heard.tolist() == b.heard.tolist()


def fast(stage: Stage) -> list[Update]:
    return list(updates(stage.run(1)))


def to_the_end(net: Simulation) -> list[Update]:
    net.run_until(lambda: net.live.state == RunState.STOP)
    assert not net.live.seats.refused
    assert net.live.timing.missed == 0
    return net.kept


@pytest.mark.parametrize("hosts", [1, 2, 3])
@pytest.mark.parametrize("scenario", ["three-uavs", "one-of-everything"])
def test_a_live_run_on_a_perfect_network_is_the_fast_run(scenario: str, hosts: int) -> None:
    stage = Stage(load(scenario, ["time.duration=10"]))
    assert_same(to_the_end(Simulation(stage).shares(hosts).start()), fast(stage))


@pytest.mark.parametrize("speed", [0.02, 0.3, 7.0, 50.0])
def test_speed_changes_when_and_not_what(speed: float) -> None:
    stage = Stage(load("three-uavs", ["time.duration=5"]))
    net = Simulation(stage, speed=speed).shares(2).start()
    began = net.now
    assert_same(to_the_end(net), fast(stage))
    assert (net.now - began) / 1e9 == pytest.approx(5 / speed, rel=0.01, abs=0.02)


def test_a_run_that_starts_by_itself_is_the_fast_run() -> None:
    stage = Stage(load("three-uavs", ["time.duration=5"]))
    assert_same(to_the_end(Simulation(stage, auto=True).shares(3)), fast(stage))


@pytest.mark.parametrize("hosts", [1, 2, 3])
def test_what_vehicles_say_is_heard_as_in_a_fast_run(tmp_path: Path, hosts: int) -> None:
    (tmp_path / "talk.py").write_text(CHATTER)
    (tmp_path / "talk.yaml").write_text(TALK)
    stage = Stage(load(str(tmp_path / "talk.yaml"), []))
    live = to_the_end(Simulation(stage).shares(hosts).start())
    assert sum(len(update.inbox) for update in live) > 100
    assert_same(live, fast(stage))


def test_a_delay_below_a_third_of_a_tick_changes_nothing() -> None:
    stage = Stage(load("three-uavs", ["time.duration=5"]))
    net = Simulation(stage)
    for i in range(3):
        host = net.host(f"h{i}", Clock(i * HOUR), share=(i + 1, 3))
        host.up.delay, host.down.delay = 10_000_000, 15_000_000
    assert_same(to_the_end(net.run(0.1).start()), fast(stage))


def test_a_pause_leaves_no_trace() -> None:
    stage = Stage(load("three-uavs", ["time.duration=5"]))
    net = Simulation(stage).shares(2).start().run(2)
    net.command(RunState.PAUSE).run(60).command(RunState.GO)
    # In the last tick before it holds, a host is in PAUSE already.
    assert_same(to_the_end(net), fast(stage), but="run_state")
