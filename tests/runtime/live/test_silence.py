"""Who counts as lost, and who was only not listened to: stalled hosts, a stalled Core."""

import numpy as np
import pytest

from movenv.runtime.live.wire import MOTIONS, ReportMessage, unpack
from movenv.world.messages import Health
from movenv.world.run_state import RunState

from .simulated import HostSide, Simulation

SECOND = 1_000_000_000


def health(net: Simulation) -> list[Health]:
    return [Health(value) for value in net.stated[-1][1].snapshot.vehicles.health]


def places(net: Simulation, since: int = 0) -> np.ndarray:
    """(ticks, vehicles, 3) of what was kept."""
    kept = [update.snapshot.vehicles for update in net.kept[since:]]
    return np.array([np.column_stack([v.x, v.y, v.z]) for v in kept])


def lost_events(net: Simulation) -> list[str]:
    return [event.who for event in net.events if event.kind == "lost"]


def motions(report: ReportMessage) -> np.ndarray:
    table = unpack(MOTIONS, report.motions)
    return np.column_stack([table.x, table.y, table.z])


def moved_in(host: HostSide, after: int, until: int) -> float:
    """How far the host says its first vehicle went between two true times, m."""
    seen = [motions(report)[0] for at, report in host.sent if after <= at <= until]
    return float(np.abs(np.diff(seen, axis=0)).sum())


def test_nobody_is_lost_for_having_spoken_a_second_ago_in_ready() -> None:
    net = Simulation("three-uavs", "time.duration=5").shares(2)
    for host in net.hosts.values():
        host.up.delay = host.down.delay = 300_000_000
    net.run(5).command(RunState.SET).run(3).command(RunState.GO).run(3)
    assert lost_events(net) == []


@pytest.mark.parametrize("state", [RunState.READY, RunState.SET, RunState.GO, RunState.PAUSE])
def test_a_host_that_falls_silent_is_lost_in_any_state(state: RunState) -> None:
    net = Simulation("three-uavs").shares(3).run(1)
    for wanted in (RunState.SET, RunState.GO, RunState.PAUSE)[: state - 1]:
        net.command(wanted).run(1)
    net.hosts["h2"].up.loss = 1.0
    net.run(4.5 if state == RunState.READY else 1.2)
    assert lost_events(net) == ["h2"]
    assert "silent for" in next(event.text for event in net.events if event.kind == "lost")
    net.hosts["h2"].up.loss = 0.0
    net.run(1.5)
    assert not any(seat["lost"] for seat in net.live.status(net.core.now)["hosts"])


def test_a_stalled_host_is_marked_within_a_second_and_disturbs_nobody() -> None:
    net = Simulation("three-uavs").shares(3).start().run(2)
    net.hosts["h2"].stall(5)
    before = len(net.kept)
    net.run(1.1)
    assert health(net) == [Health.HEARD, Health.LOST, Health.HEARD]
    assert lost_events(net) == ["h2"]
    net.run(3.8)
    others = places(net, before)[:, [0, 2]]
    assert np.linalg.norm(np.diff(others, axis=0), axis=2).max() < 5 * 0.1 * 1.5  # no jump
    lost = places(net, before + 12)[:, 1]
    np.testing.assert_array_equal(lost, lost[:1].repeat(len(lost), axis=0))  # it is not guessed on
    ages = [u.snapshot.vehicles.age[1] for u in net.kept[before:]]
    np.testing.assert_allclose(np.diff(ages), 0.1, atol=1e-5)


def test_a_stalled_host_catches_up_tick_by_tick_and_says_so() -> None:
    net = Simulation("three-uavs").shares(3).start().run(2)
    host = net.hosts["h2"]
    host.cost = 20_000_000
    host.stall(5)
    resumed = net.now + 5 * SECOND
    net.run(10)
    after = [(at, report) for at, report in host.sent if at >= resumed]
    ticks = [report.tick for _, report in after]
    assert ticks == list(range(ticks[0], ticks[0] + len(ticks)))
    assert after[0][1].health.startswith("overloaded: 4.9")
    lags = [report.lag for _, report in after]
    assert lags[0] > 4.8 * SECOND
    assert lags[:60] == sorted(lags[:60], reverse=True)
    assert lags[-1] < 0.02 * SECOND
    assert after[-1][1].health == ""
    assert health(net) == [Health.HEARD] * 3
    assert net.stated[-1][1].snapshot.vehicles.age.max() == 0
    assert all(report.held == 0 for _, report in after)


def test_while_a_host_catches_up_its_ages_are_true() -> None:
    net = Simulation("three-uavs").shares(3).start().run(2)
    host = net.hosts["h2"]
    host.cost = 20_000_000
    host.stall(5)
    net.run(6)
    core_tick, age = net.live.tick, float(net.kept[-1].snapshot.vehicles.age[1])
    reported = max(report.tick for _, report in host.sent)
    assert age > 0.5
    assert age == pytest.approx((core_tick - reported) * 0.1, abs=0.11)


@pytest.mark.parametrize("turn_first", [True, False])
def test_a_stalled_core_counts_what_it_missed_and_blames_nobody(turn_first: bool) -> None:
    net = Simulation("three-uavs").shares(3).start().run(2.02)
    before = net.live.tick
    net.core.stall(5, turn_first)
    net.run(8)
    assert net.live.timing.missed == pytest.approx(50, abs=1)
    missed = [event for event in net.events if event.kind == "missed"]
    assert len(missed) == 1
    assert f"missed {net.live.timing.missed} ticks" in missed[0].text
    ticks = [update.snapshot.tick for update in net.kept]
    assert ticks == [*range(before + 1), *range(before + 1 + net.live.timing.missed, ticks[-1] + 1)]
    assert lost_events(net) == []
    assert set(net.live.seats.refused) <= {"old"}  # what answers came before
    assert net.live.tick == pytest.approx(before + 80, abs=1)


@pytest.mark.parametrize("turn_first", [True, False])
def test_after_a_long_stall_the_core_hears_everyone_at_once(turn_first: bool) -> None:
    net = Simulation("three-uavs").shares(3).start().run(2.02)
    net.core.stall(30, turn_first)
    net.run(30.3)
    assert set(net.live.seats.refused) <= {"old"}  # what answers came before
    assert net.kept[-1].snapshot.vehicles.age.max() == 0


@pytest.mark.parametrize("then", ["go_on", "hold"])
def test_without_the_core_hosts_go_on_or_hold(then: str) -> None:
    net = Simulation("three-uavs", f"link_loss.then={then}").shares(3).start().run(3)
    net.core.stall(5)
    began = net.now
    net.run(4.9)
    for host in net.hosts.values():
        assert moved_in(host, began, began + SECOND) > 3
        later = moved_in(host, began + round(1.2 * SECOND), net.now)
        assert later == 0 if then == "hold" else later > 10
        assert (host.sent[-1][1].held > 20) == (then == "hold")
        ticks = [report.tick for at, report in host.sent if at > began]
        assert np.diff(ticks).min() > 0
        assert ticks[-1] - ticks[0] >= 39  # time goes on either way, though nobody answers
    net.run(2)
    for host in net.hosts.values():
        assert moved_in(host, net.now - SECOND, net.now) > 3
        assert np.diff([report.held for _, report in host.sent[-5:]]).tolist() == [0] * 4


def test_a_host_that_slept_does_not_hold_for_what_it_slept_through() -> None:
    net = Simulation("three-uavs", "link_loss.then=hold").shares(3).start().run(2)
    net.hosts["h2"].stall(5)
    net.run(8)
    assert net.hosts["h2"].sent[-1][1].held == 0


@pytest.mark.parametrize("stall", [1.7, 2.3, 3.1, 5.0])
def test_after_its_own_stall_the_core_does_not_take_old_news_for_new(stall: float) -> None:
    net = Simulation("three-uavs", "time.duration=60").shares(3).run(1)
    for host in net.hosts.values():
        host.up.delay = 60_000_000  # slower than the Core listens before it goes on
    net.command(RunState.SET).run(2).command(RunState.GO).run(5)
    net.core.stall(stall)
    net.run(stall + 5)
    gap = int(np.argmax(np.diff([update.snapshot.tick for update in net.kept]))) + 1
    assert net.kept[gap].snapshot.vehicles.age.max() == 0
