"""Real vehicles in a live run, on a simulated network: from a fix to everyone, and back."""

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest

from movenv.gateways.fix import Fix
from movenv.gateways.inlet import Arrival
from movenv.gateways.view import OwnView
from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.views import Views
from movenv.runtime.live.wire import GatewayNews, Refusal
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.messages import Health, Heard, Notices
from movenv.world.run_state import RunState

from .links import Clock
from .simulated import GatewaySide, Simulation

MEDIC, WALKER = 1, 2
OWN = OwnView(0, 0, 0, 29.19, -81.05, 0, 0, "heard", 3, 0, 0, 0, 1)
SCENARIO = """
name: field
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 60}
areas: {field: {square: 300}}
vehicles:
  - name: medic
    vid: 1
    kind: pedestrian
    characteristic_length: 2.0
    live: {type: datagram, stale_after: 2}
  - name: walker
    vid: 2
    kind: pedestrian
    live: {type: datagram, stale_after: 2}
  - name: cart
    vid: 10
    kind: ground
    model: {length: 1.5, speed: 3}
    start: {at: [-45, 0], heading_deg: 90}
    behaviors: {wander: {}, avoid: {priority: 10}}
"""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    path = tmp_path / "field.yaml"
    path.write_text(SCENARIO)
    return Stage(load(str(path)))


class Walk:
    """A phone whose carrier walks straight on, sending a perfect fix every 0.2 s."""

    def __init__(
        self, net: Simulation, gateway: GatewaySide, vid: int, x: float, y: float, vy: float
    ) -> None:
        self.net, self.gateway, self.vid = net, gateway, vid
        self.x, self.y, self.vy = x, y, vy
        self.silent = False
        self.count = 0
        self._step()

    def at(self, utc: float) -> tuple[float, float]:
        return self.x, self.y + self.vy * (utc - GatewaySide.EPOCH)

    def _step(self) -> None:
        if not self.silent and self.gateway.alive:
            self.count += 1
            lat, lon, _ = self.net.stage.frame.to_geodetic(*self.at(self.gateway.utc))
            fix = Fix(
                float(lat), float(lon), self.gateway.utc, speed=abs(self.vy), accuracy=2.0,
                course=0.0 if self.vy >= 0 else 180.0, battery=0.5, sequence=self.count,
            )  # fmt: skip
            self.gateway.hear(self.vid, fix)
        self.net.at(self.net.now + SECOND // 5, self._step)


def everyone(stage: Stage, auto: bool = False) -> tuple[Simulation, GatewaySide]:
    net = Simulation(stage, auto=auto)
    net.host("h1", Clock(3600 * SECOND))
    gateway = net.gateway()
    net.run(0.01)
    return net, gateway


def walking(stage: Stage) -> tuple[Simulation, GatewaySide, Walk, Walk]:
    """In GO, with both phones heard: the medic far away, the walker further."""
    net, gateway = everyone(stage)
    medic = Walk(net, gateway, MEDIC, 0.0, -100.0, 1.4)
    walker = Walk(net, gateway, WALKER, 120.0, 0.0, -1.0)
    return net.start(), gateway, medic, walker


def row(net: Simulation, vid: int) -> int:
    return net.stage.roster.vids.tolist().index(vid)


def test_ready_tells_which_phones_are_heard_and_how_well(stage: Stage) -> None:
    net, gateway = everyone(stage)
    net.run(2)
    status = net.live.status(net.core.now)
    assert status["waiting_for"] == ["medic", "walker"]
    assert net.live.vehicle_status(net.core.now)[0]["heard"] == "never"
    Walk(net, gateway, MEDIC, 0.0, 0.0, 0.0)
    net.run(3)
    assert net.live.status(net.core.now)["waiting_for"] == ["walker"]
    medic = net.live.vehicle_status(net.core.now)[0]
    assert (medic["heard"], medic["accuracy"], medic["battery"]) == ("heard", 2.0, 0.5)
    assert medic["age"] < 1.3  # told once a second
    assert medic["loss"] == pytest.approx(0.0, abs=0.01)
    assert any(e.kind == "heard" and e.who == "medic" for e in net.events)


def test_a_run_that_starts_by_itself_waits_for_the_phones(stage: Stage) -> None:
    net, gateway = everyone(stage, auto=True)
    Walk(net, gateway, MEDIC, 0.0, 0.0, 0.0)
    assert net.run(20).live.state == RunState.READY
    Walk(net, gateway, WALKER, 0.0, 50.0, 0.0)
    assert net.run(5).live.state == RunState.GO


def test_set_shows_places_at_rest(stage: Stage) -> None:
    net, gateway = everyone(stage)
    medic = Walk(net, gateway, MEDIC, 5.0, -40.0, 1.4)
    net.run(1).command(RunState.SET).run(2)
    vehicles = net.stated[-1][1].snapshot.vehicles
    x, y = medic.at(gateway.utc)
    assert math.hypot(vehicles.x[0] - x, vehicles.y[0] - y) < 1.0
    assert vehicles.speed[0] == 0
    assert vehicles.health.tolist() == [Health.HEARD, Health.UNHEARD, Health.HEARD]
    assert not net.kept


def test_go_takes_their_motion_at_the_common_instant(stage: Stage) -> None:
    net, gateway, medic, walker = walking(stage)
    begin = gateway.utc
    net.run(20)
    late = [u.snapshot for u in net.kept if u.snapshot.t > 10]
    assert len(late) > 90
    for snapshot in late:
        for walk, i in ((medic, 0), (walker, 1)):
            x, y = walk.at(begin + snapshot.t)
            error = math.hypot(snapshot.vehicles.x[i] - x, snapshot.vehicles.y[i] - y)
            assert error < 0.15  # they walk straight on: the filter has settled
            assert snapshot.vehicles.speed[i] == pytest.approx(abs(walk.vy), abs=0.1)
        assert 0 <= snapshot.vehicles.age[0] < 0.25
    heading = late[-1].vehicles.heading_deg
    assert min(heading[0], 360 - heading[0]) < 3
    assert heading[1] == pytest.approx(180, abs=3)


def test_a_fix_is_in_the_next_snapshot(stage: Stage) -> None:
    """Even one that comes when the tick is just due."""
    net, gateway, medic, _ = walking(stage)
    net.run(5.05)
    medic.silent = True
    schedule = net.live.beacon.schedule
    assert schedule is not None
    tick = net.live.tick + 3
    due = schedule.due(tick) - (net.core.now - net.now)
    heard: list[tuple[int, float]] = []

    def come() -> None:
        lat, lon, _ = net.stage.frame.to_geodetic(*medic.at(gateway.utc))
        gateway.hear(MEDIC, Fix(float(lat), float(lon), gateway.utc, accuracy=2.0))
        heard.append((tick, gateway.utc))

    net.at(due + 5_000_000, come)
    net.run(2)
    update = next(u for u in net.kept if u.snapshot.tick == tick)
    assert heard
    assert update.snapshot.vehicles.age[0] < 0.02
    before = next(u for u in net.kept if u.snapshot.tick == tick - 1)
    assert before.snapshot.vehicles.age[0] > 0.1


def test_virtual_vehicles_get_out_of_the_way_a_tick_later(stage: Stage) -> None:
    """The cart drives east along y = 0 at 3 m/s; the medic stands in its way."""
    net, gateway = everyone(stage)
    Walk(net, gateway, WALKER, 0.0, 140.0, 0.0)
    Walk(net, gateway, MEDIC, 0.0, 0.5, 0.0)
    net.start().run(20)
    cart = row(net, 10)
    avoid = net.stage.roster.behaviors.index("avoid") + 1
    caution = 2
    told = next(u.snapshot.tick for u in net.kept if (u.encounters.level >= caution).any())
    acted = next(u.snapshot.tick for u in net.kept if u.snapshot.vehicles.behavior[cart] == avoid)
    assert told > 20
    assert acted == told + 1
    closest = min(
        math.hypot(u.snapshot.vehicles.x[cart], u.snapshot.vehicles.y[cart] - 0.5) for u in net.kept
    )
    assert closest > 5


def test_virtual_vehicles_search_for_real_ones_like_for_any_other(tmp_path: Path) -> None:
    searcher = """
  - name: searcher
    vid: 20
    kind: aerial/rotorcraft
    start: {at: [0, -60, 20], speed: 0}
    behaviors: {search_and_report: {targets: [medic], radius: 80}}
"""
    path = tmp_path / "search.yaml"
    path.write_text(SCENARIO + searcher.lstrip("\n"))
    net, gateway = everyone(Stage(load(str(path))))
    medic = Walk(net, gateway, MEDIC, 0.0, -30.0, 0.0)
    Walk(net, gateway, WALKER, 120.0, 140.0, 0.0)
    net.start().run(5)
    finds = [u.detections for u in net.kept if len(u.detections)]
    assert finds
    assert finds[0].vid.tolist() == [20]
    assert finds[0].target.tolist() == [MEDIC]
    assert finds[0].y[0] == pytest.approx(medic.y, abs=1.0)


def test_who_is_not_heard_is_stale_and_gets_well(stage: Stage) -> None:
    net, _, medic, _ = walking(stage)
    net.run(5)
    medic.silent = True
    net.run(4)
    vehicles = net.kept[-1].snapshot.vehicles
    assert vehicles.health[0] == Health.STALE
    assert vehicles.speed[0] == 0
    assert vehicles.age[0] > 2
    assert net.kept[-1].receptions.heard.tolist() == [Heard.STALE, Heard.HEARD]
    medic.silent = False
    net.run(3)
    vehicles = net.kept[-1].snapshot.vehicles
    assert vehicles.health[0] == Health.HEARD
    told = [(e.kind, e.text) for e in net.events if e.who == "medic"]
    assert [kind for kind, _ in told] == ["heard", "stale", "heard"]
    assert told[-1][1].startswith("is heard again")


def test_in_pause_people_walk_on_and_time_stands_still(stage: Stage) -> None:
    net, gateway, medic, _ = walking(stage)
    net.run(5).command(RunState.PAUSE).run(1)
    t = net.live.t
    kept = len(net.kept)
    net.run(5)
    assert net.live.t == t
    assert len(net.kept) == kept
    vehicles = net.stated[-1][1].snapshot.vehicles
    assert vehicles.y[0] == pytest.approx(medic.at(gateway.utc)[1], abs=0.5)
    assert vehicles.speed[0] == 0
    net.command(RunState.GO).run(3)
    last = net.kept[-1].snapshot.vehicles
    assert last.y[0] == pytest.approx(medic.at(gateway.utc)[1], abs=0.5)
    assert last.speed[0] == pytest.approx(1.4, abs=0.1)


def test_a_gateway_that_is_killed_and_comes_back_hears_again(stage: Stage) -> None:
    net, *_ = walking(stage)
    net.run(3)
    net.kill("gateway")
    net.run(3)
    assert net.kept[-1].snapshot.vehicles.health[0] == Health.LOST
    assert len(net.kept[-1].receptions) == 0  # nobody says any more how they are heard
    again = net.gateway(clock=Clock(11 * 3600 * SECOND))
    net.run(0.1)
    medic = Walk(net, again, MEDIC, 0.0, -100.0, 1.4)
    net.run(3)
    vehicles = net.kept[-1].snapshot.vehicles
    assert vehicles.health.tolist() == [Health.HEARD, Health.LOST, Health.HEARD]
    assert vehicles.y[0] == pytest.approx(medic.at(again.utc)[1], abs=1.0)


def test_a_core_that_is_restarted_hears_the_gateway_again(stage: Stage) -> None:
    net, gateway, medic, _ = walking(stage)
    net.run(5)
    resumed = net.kill_core()
    net.run(2)
    net.restart_core(resumed)
    net.run(4)
    vehicles = net.kept[-1].snapshot.vehicles
    assert vehicles.health.tolist() == [Health.HEARD] * 3
    assert vehicles.y[0] == pytest.approx(medic.at(gateway.utc)[1], abs=0.5)


def test_hosts_bring_virtual_vehicles_and_gateways_real_ones(stage: Stage) -> None:
    net = Simulation(stage)
    host = net.host("h1", include=["medic"])
    gateway = net.gateway(include=["cart"])
    everything = net.host("h2")
    net.run(0.1)
    assert isinstance(host.refusal, Refusal)
    assert isinstance(gateway.refusal, Refusal)
    assert everything.live is not None
    assert everything.live.vids == [10]


def test_what_was_dropped_is_counted_and_shown(stage: Stage) -> None:
    net, gateway, *_ = walking(stage)
    for _ in range(3):
        gateway.inlet.take(
            Arrival(gateway.utc, "datagram", "10.9.9.9:1", b"x", refused="other address")
        )
    gateway.hear(MEDIC, Fix(0.5, 0.5, gateway.utc, accuracy=2.0))
    net.run(1)
    (shown,) = (h for h in net.live.status(net.core.now)["hosts"] if h["host"] == "gateway")
    assert shown["refused"]["other address"] == 3
    assert sum(shown["refused"].values()) == 4
    packets, happenings = gateway.vehicles.news()
    outcomes = [o for p in packets for o in msgspec.json.decode(p)["outcome"]]
    assert outcomes.count("other address") == 3
    assert len([h for h in happenings if "other address" in h[1]]) == 1


def test_a_gateways_news_become_events_and_only_a_gateways(stage: Stage) -> None:
    net, gateway, *_ = walking(stage)
    news = GatewayNews(gateway.gateway.ticket, 1, [b"{}"], [("ack", "seen\x1b[2J", MEDIC)])
    assert net.live.news("gateway", news) == [b"{}"]
    net.run(0.2)
    (event,) = (e for e in net.events if e.kind == "ack")
    assert (event.who, event.vids) == ("medic", [MEDIC])
    assert "\x1b" not in event.text
    forged = GatewayNews(12345, 2, [b"{}"], [])
    assert net.live.news("gateway", forged) == []
    host = net.hosts["h1"].live
    assert host is not None
    assert net.live.news("h1", GatewayNews(host.ticket, 1, [b"{}"], [])) == []
    assert net.live.seats.refused["stranger"] == 2


def test_a_carrier_is_told_who_is_near_and_where_to_look(stage: Stage) -> None:
    net, gateway = everyone(stage)
    Walk(net, gateway, MEDIC, 0.0, 0.0, 0.0)
    Walk(net, gateway, WALKER, 30.0, 30.0, 0.0)
    net.start().run(12)  # the cart comes from the west
    view = gateway.gateway.views({MEDIC}, gateway.now)[MEDIC]
    assert view.run_state == "GO"
    assert view.own is not None
    assert view.own.health == "heard"
    assert {near.name: near.origin for near in view.near} == {"walker": "real", "cart": "virtual"}
    walker = next(near for near in view.near if near.name == "walker")
    assert walker.distance == pytest.approx(math.hypot(30, 30), abs=0.5)
    assert walker.bearing_deg == pytest.approx(45, abs=1)
    cart = next(near for near in view.near if near.name == "cart")
    truth = net.kept[-1].snapshot.vehicles
    x, y = float(truth.x[row(net, 10)]), float(truth.y[row(net, 10)])
    assert cart.distance == pytest.approx(math.hypot(x, y), abs=0.5)
    expected = math.degrees(math.atan2(x, y)) % 360
    assert abs((cart.bearing_deg - expected + 180) % 360 - 180) < 2
    assert view.near == sorted(view.near, key=lambda near: near.distance)


def test_in_ready_a_carrier_sees_itself(stage: Stage) -> None:
    net, gateway = everyone(stage)
    Walk(net, gateway, MEDIC, 3.0, 4.0, 0.0)
    net.run(2)
    view = gateway.gateway.views({MEDIC, WALKER}, gateway.now)
    assert view[WALKER].own is None
    own = view[MEDIC].own
    assert own is not None
    assert (own.x, own.y) == (pytest.approx(3.0, abs=1), pytest.approx(4.0, abs=1))
    assert view[MEDIC].run_state == "READY"


def notices(level: int) -> Notices:
    table = Notices.empty(1)
    table.vid[:], table.other[:], table.level[:] = MEDIC, 10, level
    return table


def test_a_fix_that_wanders_over_the_edge_does_not_ring_again(stage: Stage) -> None:
    views = Views(stage)
    told: list[tuple[int, str]] = []
    levels = [1, 2, 1, 2, 3, 2, 0, 3, 1]
    for second, level in enumerate(levels):
        heard = notices(level) if level else Notices.empty()
        views.hear(heard, 1000.0 + second)
        told += [(n.level, n.id) for n in views._too_near(MEDIC, OWN, heard)]
    assert [level for level, _ in told] == [level for level in levels if level]
    assert len(dict.fromkeys(name for _, name in told)) == 3  # at 1, at 2 and at 3
    views.hear(Notices.empty(), 1020.0)
    views.hear(notices(1), 1021.0)
    (again,) = views._too_near(MEDIC, OWN, notices(1))
    assert again.id not in {name for _, name in told}


def test_a_notice_has_a_name_that_changes_when_it_gets_worse(stage: Stage) -> None:
    net, gateway = everyone(stage)
    Walk(net, gateway, MEDIC, 0.0, 0.0, 0.0)
    Walk(net, gateway, WALKER, 0.0, 140.0, 0.0)
    net.start()
    ids: dict[str, int] = {}
    for _ in range(150):
        net.run(0.1)
        view = gateway.gateway.views({MEDIC}, gateway.now)[MEDIC]
        for notice in view.notices:
            assert ids.setdefault(notice.id, notice.level) >= notice.level
            assert notice.name == "cart"
            assert 0 <= gateway.utc - notice.sent < 20
    assert len(ids) >= 2
    assert np.unique(list(ids.values())).size >= 2
