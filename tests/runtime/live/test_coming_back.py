"""Processes that die and come back: a host, the Core, or both."""

import numpy as np
import pytest

from movenv.runtime.live.clock import FEWER
from movenv.runtime.live.wire import MOTIONS, unpack
from movenv.world.messages import Health, Motions
from movenv.world.run_state import RunState

from .links import Clock
from .simulated import Simulation

SECOND = 1_000_000_000
MS = 1_000_000
HOUR = 3600 * SECOND


def running(*changes: str, hosts: int = 3) -> Simulation:
    return Simulation("three-uavs", *changes).shares(hosts).start().run(3.03)


def last_motions(net: Simulation, name: str) -> Motions:
    return unpack(MOTIONS, net.hosts[name].sent[-1][1].motions)


def texts(net: Simulation, kind: str) -> list[str]:
    return [f"{event.who}: {event.text}" for event in net.events if event.kind == kind]


# --- a host


@pytest.mark.parametrize("delay", [0, 40 * MS])
def test_a_killed_host_goes_on_from_its_last_report_at_the_right_tick(delay: int) -> None:
    net = running()
    for way in (net.hosts["h2"].up, net.hosts["h2"].down):
        way.delay = delay
    net.run(1)
    net.kill("h2")
    net.run(2)
    last = last_motions(net, "h2")
    assert net.kept[-1].snapshot.vehicles.health.tolist() == [1, Health.LOST, 1]
    back = net.host("h2", Clock(77 * HOUR), share=(2, 3))
    back.up.delay, back.down.delay = delay, delay
    net.run(2)
    assert texts(net, "host")[-1] == "h2: came back with 1 vehicle"
    _, first = back.sent[0]
    for name, column in list(last.columns())[2:]:  # nobody is at the wheel yet
        np.testing.assert_array_equal(column, getattr(unpack(MOTIONS, first.motions), name), name)
    assert first.tick == pytest.approx(net.live.tick - 20, abs=2)
    at, late = back.sent[-1]
    anchor = net.live.beacon.schedule
    lived = net.core.clock.when(anchor.due(late.tick))
    assert abs(at - lived) <= max(late.uncertainty, 1000)
    assert net.kept[-1].snapshot.vehicles.health.tolist() == [1, 1, 1]
    assert net.kept[-1].snapshot.vehicles.age.max() <= (0.11 if delay else 0)


@pytest.mark.parametrize("up", [0, 5, 60])
@pytest.mark.parametrize("down", [0, 5, 60])
def test_who_joins_in_go_knows_the_clock_as_well_as_it_says(up: int, down: int) -> None:
    net = running()
    net.kill("h2")
    net.run(0.5)
    back = net.host("h2", Clock(5 * HOUR), share=(2, 3))
    back.up.delay, back.down.delay = up * MS, down * MS
    back.down.last = back.up.last = 0
    net.run(1)
    truth = net.core.clock.ahead - back.clock.ahead
    for _, report in back.sent[5:]:
        assert abs(report.offset - truth) <= report.uncertainty
        assert report.uncertainty <= (up + down) * MS // 2 + MS


def test_a_host_with_a_living_name_is_refused() -> None:
    net = running()
    ours = net.hosts["h2"]
    net.host("h2", share=(2, 3))
    net.run(1)
    assert "is here already" in net.hosts["h2"].refusal.why
    net.hosts["h2"] = ours
    assert net.live.seats.refused == {}


def test_a_living_hosts_vehicles_are_not_given_away_but_a_lost_ones_are() -> None:
    net = running()
    thief = net.host("thief", include=["uav-2"])
    net.run(0.5)
    assert thief.refusal.why == "'uav-2' belongs to the host 'h2'"
    net.kill("h2")
    net.run(0.5)
    last = last_motions(net, "h2")
    heir = net.host("heir", Clock(9 * HOUR), include=["uav-2"])
    net.run(1)
    assert heir.live.vids == [2]
    first = unpack(MOTIONS, heir.sent[0][1].motions)
    np.testing.assert_array_equal(first.x, last.x)
    assert net.kept[-1].snapshot.vehicles.health.tolist() == [1, 1, 1]
    assert net.live.seats.silent == []
    late = net.host("h2", share=(2, 3))
    net.run(0.5)
    assert late.refusal.why == "'uav-2' belongs to the host 'heir'"


def test_one_that_was_only_asleep_does_not_move_what_was_given_away() -> None:
    net = running()
    net.hosts["h2"].stall(5)
    net.run(2)
    net.host("heir", include=["uav-2"])
    net.run(6)
    assert net.live.seats.refused["not its vehicle"] > 10
    x = [update.snapshot.vehicles.x[1] for update in net.kept[-30:]]
    assert np.abs(np.diff(x)).max() < 1  # nobody pulls at it


@pytest.mark.parametrize(
    ("claim", "vids"),
    [
        ({"include": ["uav-*"]}, [1, 2, 3]),
        ({"include": ["uav-1", "uav-3"]}, [1, 3]),
        ({"include": ["*"], "exclude": ["*-2"]}, [1, 3]),
        ({"share": (1, 2)}, [1, 2]),
        ({"share": (2, 2)}, [3]),
        ({"include": ["*"], "exclude": ["uav-1"], "share": (2, 2)}, [3]),
    ],
)
def test_claims(claim: dict[str, object], vids: list[int]) -> None:
    net = Simulation("three-uavs")
    host = net.host("a", **claim)
    net.run(0.1)
    assert host.live.vids == vids


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ({"include": ["boat-*"]}, "no vehicle is left for it: it asks for boat-*"),
        ({"share": (4, 4)}, "no vehicle is left for it: it asks for *"),
        ({"share": (0, 2)}, "there is no share 0 of 2"),
        ({"share": (3, 2)}, "there is no share 3 of 2"),
    ],
)
def test_claims_that_are_refused(claim: dict[str, object], why: str) -> None:
    net = Simulation("three-uavs")
    host = net.host("a", **claim)
    net.run(0.1)
    assert host.refusal.why == why


def test_names_are_of_plain_letters() -> None:
    net = Simulation("three-uavs")
    host = net.host("a/../b")
    net.run(0.1)
    assert "cannot be a host's name" in host.refusal.why


# --- the Core


def lived(net: Simulation, since: int) -> list[tuple[str, int, int]]:
    """(host, tick, how much later than the first schedule says, ns)."""
    return [
        (host.name, report.tick, at)
        for host in net.hosts.values()
        for at, report in host.sent
        if at >= since
    ]


def test_only_the_first_tick_is_lived_before_it_is_due() -> None:
    net = running()
    schedule, clock = net.live.beacon.schedule, net.core.clock
    net.run(1)
    early = {tick: clock.when(schedule.due(tick)) - at for _, tick, at in lived(net, 0) if tick}
    assert early[1] >= 0.75 * schedule.pace  # then everybody makes plans
    assert max(ahead for tick, ahead in early.items() if tick > 1) <= 0


def test_a_core_killed_in_go_comes_back_into_the_same_run() -> None:
    net = running()
    schedule = net.live.beacon.schedule
    net.run(1)
    killed = net.now
    resumed = net.kill_core()
    net.run(2)
    net.restart_core(resumed)
    net.run(3)
    assert net.live.state == RunState.GO
    clock = net.core.clock
    for name, tick, at in lived(net, killed):
        assert abs(at - clock.when(schedule.due(tick))) < 0.04 * SECOND, (name, tick)
    for host in net.hosts.values():
        ticks = [report.tick for _, report in host.sent if report.state == RunState.GO]
        assert np.diff(ticks).min() >= 0
        assert np.diff(ticks).max() <= FEWER  # nobody answered for a while
    assert net.live.tick == schedule.latest(net.core.now)
    assert abs(net.live.beacon.schedule.due(net.live.tick) - schedule.due(net.live.tick)) <= 1000
    latest = net.kept[-1].snapshot.vehicles
    assert latest.health.tolist() == [1, 1, 1]
    assert latest.age.max() == 0
    assert net.live.summary.ticks == pytest.approx(net.live.tick - 20, abs=6)
    assert net.live.seats.refused["stranger"] <= 3


def test_a_core_killed_in_go_keeps_time_on_slow_links() -> None:
    net = Simulation("three-uavs")
    for i in range(3):
        host = net.host(f"h{i}", Clock(i * HOUR), share=(i + 1, 3))
        host.up.delay, host.down.delay = (10 + i) * MS, (25 - i) * MS
    net.run(0.2).start().run(3.03)
    schedule = net.live.beacon.schedule
    resumed = net.kill_core()
    net.run(20)
    net.restart_core(resumed)
    net.run(10)
    drift = net.live.beacon.schedule.due(1000) - schedule.due(1000)
    uncertainty = max(host.sent[-1][1].uncertainty for host in net.hosts.values())
    assert abs(drift) <= 2 * uncertainty
    assert net.kept[-1].snapshot.vehicles.health.tolist() == [1, 1, 1]


def test_a_core_killed_in_pause_comes_back_in_pause() -> None:
    net = running().command(RunState.PAUSE).run(1)
    tick = net.live.tick
    before = net.stated[-1][1].snapshot.vehicles
    resumed = net.kill_core()
    assert resumed.state == RunState.PAUSE
    net.run(2)
    net.restart_core(resumed)
    net.run(3)
    after = net.stated[-1][1].snapshot
    assert (after.tick, after.run_state) == (tick, RunState.PAUSE)
    for name in ("x", "y", "z", "yaw"):
        np.testing.assert_array_equal(getattr(after.vehicles, name), getattr(before, name))
    assert after.vehicles.health.tolist() == [1, 1, 1]
    net.command(RunState.GO).run(2.05)
    assert net.live.tick == tick + 20
    assert net.kept[-1].snapshot.vehicles.age.max() == 0


def test_a_recording_that_ends_early_does_not_turn_a_pause_back() -> None:
    """The last moments before a kill may not have reached the disk."""
    net = running().command(RunState.PAUSE).run(1)
    tick = net.live.tick
    resumed = net.kill_core()
    object.__setattr__(resumed, "tick", tick - 7)
    net.restart_core(resumed)
    net.run(3)
    assert net.live.tick == tick
    assert net.stated[-1][1].snapshot.vehicles.health.tolist() == [1, 1, 1]
    assert net.stated[-1][1].snapshot.vehicles.age.max() == 0


@pytest.mark.parametrize("survivors", [1, 0])
def test_the_core_and_a_host_killed_together(survivors: int) -> None:
    net = running(hosts=2)
    tick = net.live.tick
    resumed = net.kill_core()
    for name in ("h1", "h2")[survivors:]:
        net.hosts[name].alive = False
    net.run(1)
    net.restart_core(resumed)
    for i in range(survivors, 2):
        net.host(f"h{i + 1}", Clock(50 * HOUR), share=(i + 1, 2))
    net.run(12)
    assert net.live.state == RunState.GO
    expected = tick + 130 if survivors else tick + 75
    assert net.live.tick == pytest.approx(expected, abs=10)
    latest = net.kept[-1].snapshot.vehicles
    assert latest.health.tolist() == [1, 1, 1]
    assert latest.age.max() == 0
    assert all(abs(net.hosts[h].sent[-1][1].tick - net.live.tick) <= 1 for h in ("h1", "h2"))


@pytest.mark.parametrize("wanted", [RunState.PAUSE, RunState.STOP])
def test_a_core_that_came_back_alone_can_be_commanded(wanted: RunState) -> None:
    net = running()
    resumed = net.kill_core()
    for host in net.hosts.values():
        host.alive = False
    net.restart_core(resumed)
    net.run(0.5).command(wanted).run(1)
    assert net.live.state == wanted
