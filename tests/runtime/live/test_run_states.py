"""READY, SET, GO, PAUSE, STOP on several hosts: what each does, and what cannot be."""

import numpy as np
import pytest

from movenv.runtime.live.wire import MOTIONS, unpack
from movenv.world.messages import Health
from movenv.world.run_state import IllegalMove, RunState

from .links import Clock, Way
from .simulated import Simulation

MS = 1_000_000


def ready(hosts: int = 3) -> Simulation:
    return Simulation("three-uavs").shares(hosts).run(2)


def place(net: Simulation) -> np.ndarray:
    vehicles = net.stated[-1][1].snapshot.vehicles
    return np.column_stack([vehicles.x, vehicles.y, vehicles.z, vehicles.yaw])


def host_ticks(net: Simulation) -> set[int]:
    return {host.sent[-1][1].tick for host in net.hosts.values()}


def host_states(net: Simulation) -> set[int]:
    return {host.sent[-1][1].state for host in net.hosts.values()}


def test_in_ready_everyone_is_there_and_nobody_has_a_place() -> None:
    net = ready()
    assert net.live.state == RunState.READY
    assert net.stated == []
    assert host_states(net) == {RunState.READY}
    assert all(len(host.sent) <= 4 for host in net.hosts.values())  # a low rate
    assert net.live.seats.silent == []
    assert net.live.everyone_is_here


def test_set_assigns_and_reports_the_initial_conditions() -> None:
    net = ready().command(RunState.SET).run(2)
    np.testing.assert_array_equal(place(net)[:, :3].T, net.stage.start[:3])
    assert net.kept == []
    assert host_states(net) == {RunState.SET}
    assert host_ticks(net) == {0}
    assert net.stated[-1][1].snapshot.vehicles.health.tolist() == [Health.HEARD] * 3
    assert len(net.stated) == pytest.approx(20, abs=2)


def test_go_runs_at_the_pace_of_the_clock() -> None:
    net = ready().command(RunState.SET).run(1).command(RunState.GO).run(4.05)
    assert net.live.tick == 40
    assert host_ticks(net) == {40}
    assert (place(net)[:, :2] != net.stage.start[:2].T).all()


def test_a_pause_is_not_simulated_time_and_all_hold_at_one_tick() -> None:
    net = ready().start().run(3.03).command(RunState.PAUSE).run(0.3)
    tick, held, kept = net.live.tick, place(net), len(net.kept)
    assert host_ticks(net) == {tick}
    for _ in range(5):
        net.run(20)
        np.testing.assert_array_equal(place(net), held)
        assert net.live.tick == tick
        assert host_ticks(net) == {tick}
    assert len(net.kept) == kept
    assert host_states(net) == {RunState.PAUSE}
    net.command(RunState.GO).run(1.05)
    assert net.live.tick == tick + 10
    assert [u.snapshot.tick for u in net.kept] == list(range(tick + 11))
    assert np.abs(np.diff([u.snapshot.vehicles.x for u in net.kept], axis=0)).max() < 1


def test_a_pause_that_comes_late_is_overshot_and_made_up_for() -> None:
    """On a slow link a host holds where the word reached it; in GO it waits for the others."""
    net = Simulation("three-uavs")
    for i, delay in enumerate((0, 0, 250 * MS)):
        net.host(f"h{i}", Clock(i * 10**13), Way(delay), share=(i + 1, 3))
    net.run(1).start().run(3).command(RunState.PAUSE).run(2)
    ticks = [host.sent[-1][1].tick - net.live.tick for host in net.hosts.values()]
    assert ticks[:2] == [0, 0]
    assert 1 <= ticks[2] <= 3
    assert len(net.live.seats.get("h2").waiting) <= 3
    net.command(RunState.GO).run(2)
    ticks = [host.sent[-1][1].tick - net.live.tick for host in net.hosts.values()]
    assert max(np.abs(ticks)) <= 1
    assert net.live.timing.missed == 0


def test_stop_reaches_everyone_and_is_the_end() -> None:
    net = ready().start().run(2).command(RunState.STOP).run(1)
    assert all(host.live.stopped for host in net.hosts.values())
    assert host_states(net) == {RunState.STOP}
    assert net.live.ended_at is not None
    ended = len(net.kept)
    assert len(net.run(5).kept) == ended


def test_the_scenarios_end_is_a_stop() -> None:
    net = Simulation("three-uavs", "time.duration=2").shares(2).start().run(5)
    assert net.live.state == RunState.STOP
    assert net.kept[-1].snapshot.tick == 20
    assert all(host.live.stopped for host in net.hosts.values())
    assert [e.who for e in net.events if e.kind == "state"][-1] == "the scenario's duration"


def test_set_ready_set_begins_anew() -> None:
    net = ready().command(RunState.SET).run(1)
    first = place(net)
    net.command(RunState.READY).run(2)
    assert host_states(net) == {RunState.READY}
    assert all(host.sent[-1][1].motions == b"" for host in net.hosts.values())
    net.command(RunState.SET).run(1)
    np.testing.assert_array_equal(place(net), first)
    net.command(RunState.GO).run(1.05)
    assert host_ticks(net) == {10}


@pytest.mark.parametrize(
    ("way", "wanted"),
    [
        ([], RunState.GO),
        ([], RunState.PAUSE),
        ([], RunState.READY),
        ([RunState.SET], RunState.PAUSE),
        ([RunState.SET, RunState.GO], RunState.SET),
        ([RunState.SET, RunState.GO], RunState.READY),
        ([RunState.SET, RunState.GO, RunState.PAUSE], RunState.SET),
        ([RunState.STOP], RunState.READY),
        ([RunState.STOP], RunState.GO),
    ],
)
def test_moves_that_cannot_be_change_nothing(way: list[RunState], wanted: RunState) -> None:
    net = ready().command(*way)
    before = net.live.beacon
    with pytest.raises(IllegalMove, match="cannot go from"):
        net.core.command(wanted)
    assert net.live.beacon == before


def test_an_old_beacon_does_not_undo_a_newer_one() -> None:
    net = ready().start().run(1)
    go = net.live.beacon.encoded()
    net.command(RunState.PAUSE).run(1)
    host = net.hosts["h1"]
    host.on_beacon(go)
    net.run(1)
    assert host.live.state == RunState.PAUSE
    assert host_ticks(net) == {net.live.tick}


def test_a_host_that_joins_a_pause_holds_where_its_vehicles_were() -> None:
    net = ready().start().run(2).command(RunState.PAUSE).run(1)
    held, tick = place(net), net.live.tick
    net.kill("h2")
    net.run(1)
    back = net.host("h2", Clock(5 * 10**13), share=(2, 3))
    net.run(1)
    assert back.sent[-1][1].tick == tick
    np.testing.assert_allclose(place(net), held, rtol=1e-7)
    motions = unpack(MOTIONS, back.sent[-1][1].motions)
    assert motions.vid.tolist() == [2]


def test_a_pause_just_before_the_end_is_no_missed_tick() -> None:
    net = Simulation("three-uavs", "time.duration=2").shares(2).start().run(1.5)
    net.command(RunState.PAUSE)
    net.core.stall(3)
    net.run(5)
    assert net.live.timing.missed == 0
    assert net.live.state == RunState.PAUSE
