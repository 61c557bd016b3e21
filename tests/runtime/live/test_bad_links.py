"""A run over links that are slow, uneven and lossy."""

from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.live.clock import FEWER
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.messages import Health
from movenv.world.run_state import RunState

from .links import Clock, Way
from .simulated import Simulation
from .test_same_as_fast import CHATTER, TALK

SECOND = 1_000_000_000
MS = 1_000_000
BAD = Way(200 * MS, 100 * MS, 0.3)


def one_bad_link(*changes: str, way: Way = BAD) -> Simulation:
    """h1 and h3 are well connected, h2 is not."""
    net = Simulation("three-uavs", *changes)
    for i, link in enumerate((None, way, None)):
        net.host(f"h{i + 1}", Clock(i * 7200 * SECOND), link, share=(i + 1, 3))
    return net.run(3)


def heard_at(net: Simulation, name: str, state: RunState) -> int:
    return next(at for at, report in net.hosts[name].sent if report.state == state)


def test_commands_arrive_and_the_run_goes_on() -> None:
    net = one_bad_link()
    delays = []
    for state in (RunState.SET, RunState.GO, RunState.PAUSE, RunState.STOP):
        said = net.now
        net.command(state).run(5)
        delays.append((heard_at(net, "h2", state) - said) / SECOND)
        assert heard_at(net, "h1", state) - said < 0.02 * SECOND
    # One way takes 0.1 to 0.3 s; a lost beacon is followed by another a tick later.
    assert max(delays) < 0.3 + 5 * 0.1
    assert net.live.timing.missed == 0


def test_the_reported_loss_is_the_true_loss() -> None:
    net = one_bad_link("time.duration=200").start().run(60)
    up = net.hosts["h2"].up
    hosts = {entry["host"]: entry for entry in net.live.status(net.core.now)["hosts"]}
    assert hosts["h2"]["loss"] == pytest.approx(up.lost / up.sent, abs=0.03)
    in_flight = 6
    assert 0 <= up.lost - hosts["h2"]["missing"] <= in_flight
    assert hosts["h1"]["loss"] == hosts["h3"]["loss"] == 0


def test_ages_are_true_and_nobody_is_lost() -> None:
    net = one_bad_link().start().run(30)
    sent = [report.tick for _, report in net.hosts["h2"].sent]
    assert np.diff(sorted(set(sent))).max() <= FEWER  # it tells of every tick, or nearly
    ages = np.array([update.snapshot.vehicles.age for update in net.kept[30:]])
    np.testing.assert_array_equal(ages[:, [0, 2]], 0)
    assert 0.15 < ages[:, 1].mean() < 0.6
    # Each age is a whole number of ticks: that of a report that was sent.
    np.testing.assert_allclose(ages[:, 1] * 10, np.round(ages[:, 1] * 10), atol=1e-4)
    assert [event.text for event in net.events if event.kind == "lost"] == []
    assert net.kept[-1].snapshot.vehicles.health.tolist() == [Health.HEARD] * 3


def test_a_bad_link_does_not_touch_the_others_time() -> None:
    """The well connected live every tick when it is due, and report it with fresh awareness."""
    net = one_bad_link().start().run(20)
    schedule = net.live.beacon.schedule
    for name in ("h1", "h3"):
        for at, report in net.hosts[name].sent:
            if report.state == RunState.GO and report.tick > 1:  # the first is lived early
                assert 0 <= at - net.core.clock.when(schedule.due(report.tick)) <= 2000
        assert net.hosts[name].sent[-1][1].late == 0
        assert net.hosts[name].sent[-1][1].lag <= 2000
    assert net.live.status(net.core.now)["core"]["worst_lag"] <= 0.05


def test_where_nobody_meets_a_bad_link_changes_nothing_for_the_others(tmp_path: Path) -> None:
    """Vehicles far from those on the bad link move as if all links were good."""
    far = tmp_path / "far.yaml"
    places = "[[0, 0, 50], [3000, 0, 50], [50, 0, 50]]"
    far.write_text(
        "name: far\norigin: {lat: 29.0, lon: -81.0}\ntime: {duration: 20}\nvehicles:\n"
        "  - {name: uav, count: 3, kind: aerial/fixedwing, start: {points: " + places + "},\n"
        "     behaviors: {wander: {}, periodic_turn: {}, avoid: {priority: 9}}}\n"
    )
    runs = []
    for way in (Way(), BAD):
        net = Simulation(Stage(load(str(far), [])))
        for i, link in enumerate((None, way, None)):
            net.host(f"h{i + 1}", Clock(i), link, share=(i + 1, 3))
        net.run(3).start().run(15)
        runs.append(net)
    for good, bad in zip(runs[0].kept, runs[1].kept, strict=False):
        for name in ("x", "y", "z", "yaw"):
            one, other = getattr(good.snapshot.vehicles, name), getattr(bad.snapshot.vehicles, name)
            np.testing.assert_array_equal(one[[0, 2]], other[[0, 2]])


def test_the_clock_is_known_as_well_as_is_said_on_any_link() -> None:
    rng = np.random.default_rng(5)
    for _ in range(6):
        net = Simulation("three-uavs")
        host = net.host("h", Clock(int(rng.integers(0, 10**14))))
        for way in (host.up, host.down):
            way.delay = int(rng.integers(20, 300)) * MS
            way.jitter = int(rng.integers(0, 20)) * MS
            way.loss = 0.2
        net.run(2).start().run(10)
        truth = net.core.clock.ahead - host.clock.ahead
        for _, report in host.sent[1:]:
            assert abs(report.offset - truth) <= report.uncertainty
        assert report.uncertainty <= (host.up.delay + host.down.delay) / 2 + MS


@pytest.mark.parametrize("ppm", [-100, 50])
def test_a_clock_that_runs_fast_or_slow_is_followed(ppm: int) -> None:
    net = Simulation("three-uavs", "time.duration=400")
    host = net.host("h", Clock(10**13, ppm * 1e-6), Way(MS // 5, MS // 10))
    net.run(2).start().run(200)
    for at, report in host.sent[5:]:
        truth = net.core.clock.read(at) - host.clock.read(at)
        assert abs(report.offset - truth) <= report.uncertainty
    assert report.uncertainty < MS


@pytest.mark.long
def test_no_drift_after_an_hour() -> None:
    net = Simulation("three-uavs", "time.duration=4000", "time.step=0.1", "time.tick=1")
    host = net.host("h", Clock(10**13), Way(15 * MS, 10 * MS, 0.05))
    net.run(3).start()
    schedule = net.live.beacon.schedule
    net.run(3600)
    assert net.live.beacon.schedule == schedule
    lived = [(r.tick, at) for at, r in host.sent if r.state == RunState.GO and r.tick > 1]
    assert lived[-1][0] >= 3599
    errors = [at - net.core.clock.when(schedule.due(tick)) for tick, at in lived]
    assert max(np.abs(errors)) < 0.35 * SECOND  # the wait for a word that was lost
    assert np.median(np.abs(errors)) < 20 * MS
    assert abs(np.mean(errors[:500]) - np.mean(errors[-500:])) < 20 * MS
    stated = [(u.snapshot.tick, at) for at, u in net.stated if u.snapshot.run_state == RunState.GO]
    assert max(at - net.core.clock.when(schedule.due(tick)) for tick, at in stated) < 0.6 * SECOND


def test_while_it_holds_a_host_does_not_repeat_itself(tmp_path: Path) -> None:
    (tmp_path / "talk.py").write_text(CHATTER)
    (tmp_path / "talk.yaml").write_text(TALK + "link_loss: {then: hold}\n")
    stage = Stage(load(str(tmp_path / "talk.yaml"), ["time.duration=60"]))
    net = Simulation(stage).shares(2).start().run(2)
    for host in net.hosts.values():
        host.down.loss = 1.0
    net.run(5)
    for host in net.hosts.values():
        held = [report for _, report in host.sent if report.held]
        assert held[-1].held > 30
        assert all(not report.speakers and not report.detections for report in held)


def test_datagrams_that_overtake_each_other_turn_nothing_back() -> None:
    way = Way(200 * MS, 150 * MS, 0.1, ordered=False)
    net = one_bad_link("time.duration=100", way=way).start().run(60)
    reported = [update.snapshot.t - update.snapshot.vehicles.age[1] for update in net.kept[5:]]
    assert np.diff(reported).min() > -1e-4  # an older report does not replace a newer one
    up, old = net.hosts["h2"].up, net.live.seats.refused["old"]
    assert old > 20
    assert net.live.seats.refused == {"old": old}
    missing = {e["host"]: e for e in net.live.status(net.core.now)["hosts"]}["h2"]["missing"]
    assert 0 <= up.lost + old - missing <= 5
    assert [event.text for event in net.events if event.kind == "lost"] == []
    truth = net.core.clock.ahead - net.hosts["h2"].clock.ahead
    for _, report in net.hosts["h2"].sent[1:]:
        assert abs(report.offset - truth) <= report.uncertainty
