"""Orders in a live run: carried out once, kept through restarts, the same as in a fast run."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.core_process import CoreProcess
from movenv.runtime.live.wire import Ordered, OrderMessage
from movenv.runtime.recorded import run_record
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.scenario.orders import OrderRefused
from movenv.world.orders import Order
from movenv.world.run_state import RunState

from .links import Way
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


def held(net: Simulation) -> list[dict[str, object]]:
    return [entry | {"arrived": None} for entry in net.live.orders.listed()]


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


def test_an_order_is_recorded_with_its_places_and_listed_while_it_holds(stage: Stage) -> None:
    net = going(stage).run(1.03)
    lat, lon, _ = stage.frame.to_geodetic(50.0, 10.0)
    to = [[30.0, 0.0], {"lat": float(lat), "lon": float(lon)}]
    number = order(net, "go", unit="alpha", to=to, formation="wedge", speed=4.0)
    (given,) = net.live.orders.given
    assert (given.number, given.what, given.who, given.unit) == (number, "go", "ann", "alpha")
    np.testing.assert_allclose(np.array(given.points, float)[:, :2], [[30, 0], [50, 10]], atol=0.01)
    x, y, _ = stage.frame.to_local(*given.places[0])
    assert (float(x), float(y)) == pytest.approx((30, 0), abs=0.001)
    order(net, "hold", "tank-2", "tank-6")
    first, second = net.live.orders.listed()
    assert (first["vids"], second["vids"]) == ([1, 3, 4, 5], [2, 6])
    assert first["places"][1] == pytest.approx([float(lon), float(lat)])
    assert (first["formation"], first["speed"], first["leader"]) == ("wedge", 4.0, 1)
    net.run(0.3)
    assert texts(net, "order") == [
        "unit alpha (6 vehicles): go to 2 places in wedge behind tank-1 at 4 m/s",
        "tank-2, tank-6: hold",
    ]
    assert [e.vids for e in net.events if e.kind == "order"] == [[1, 2, 3, 4, 5, 6], [2, 6]]


REFUSED: list[tuple[dict[str, object], str]] = [
    ({"vehicles": ["tnk-1"]}, "no vehicle is called 'tnk-1'.*tank-1"),
    ({"vehicles": ["tank-1", "man"]}, "'man' takes no orders: it carries no behavior obey"),
    ({"vehicles": ["m*"]}, "nobody who takes orders matches 'm\\*'"),
    ({"vehicles": []}, "needs somebody"),
    ({"unit": "alpah"}, "no unit is called 'alpah'.*alpha"),
    ({"what": "fly"}, "'fly' is no order"),
    ({"to": []}, "go where"),
    ({"to": [[1.0]]}, "place 1 has 1 numbers"),
    ({"to": [[1.0, 2.0], [2e5, 0.0]]}, "place 2: a place 200,000 m from the origin, outside"),
    ({"to": [[float("nan"), 0.0]]}, "place 1: its coordinates are no numbers"),
    ({"to": [[1.0, 2.0, float("inf")]]}, "height is no number"),
    ({"to": [[1.0, 2.0, 30.0]]}, "place 1 is at 30 m, and 'tank-1' cannot climb"),
    ({"to": [{"lat": 99.0, "lon": 0.0}]}, "place 1: lat"),
    ({"to": [{"lat": 9.0}]}, "place 1: lon"),
    ({"speed": 0.0}, "speed 0 is not above 0"),
    ({"speed": -3.0}, "speed -3 is not above 0"),
    ({"spacing": float("nan")}, "spacing nan is not"),
    ({"roads": "always"}, "roads 'always'"),
    ({"roads": "only"}, "there are no roads"),
    ({"formation": "wedge"}, "a formation needs at least two"),
    ({"unit": "alpha", "formation": "blob"}, "no formation is called 'blob': say column, line"),
    ({"unit": "alpha", "formation": "vee", "leader": "man"}, "'man' leads, but is not among"),
    ({"unit": "alpha", "formation": "vee", "leader": "who"}, "no vehicle is called 'who'"),
    ({"what": "form", "unit": "alpha", "to": []}, "form how: say column, line"),
    ({"what": "hold"}, "hold leads nowhere"),
    ({"what": "hold", "to": [], "formation": "vee"}, "hold keeps no formation"),
    ({"what": "hold", "to": [], "speed": 3.0}, "hold keeps no speed"),
    ({"what": "hold", "to": [], "leader": "nobody"}, "a leader without a formation"),
    ({"what": "resume", "to": [], "leader": "tank-1"}, "a leader without a formation"),
    ({"what": "resume", "to": [], "roads": "prefer"}, "resume leads along no roads"),
    ({"what": "resume"}, "resume leads nowhere"),
    ({"spacing": 9.0}, "a spacing without a formation"),
    ({"vehicles": ["tank-1"] * 10_001}, "10,001 names; 10,000 are the most"),
    ({"vehicles": ["tank-*"] * 51}, "51 patterns; 50 are the most"),
    ({"vehicles": ["t" * 81]}, "has 81 letters; 80 are the most"),
    ({"to": [[0.0, 0.0]] * 1001}, "1,001 places; at most 1,000"),
    ({"to": [[0.0, 0.0, 0.0, 0.0]]}, "place 1 has 4 numbers"),
]


@pytest.mark.parametrize(("wish", "why"), REFUSED)
def test_what_cannot_be_is_refused_in_words_and_changes_nothing(
    stage: Stage, wish: dict[str, object], why: str
) -> None:
    net = Simulation(stage).shares(1).start().run(0.3)
    order(net, "hold", "tank-1")
    before = net.live.orders.listed(), list(net.hosts["h1"].live.orders)  # type: ignore[union-attr]
    said: dict[str, object] = {"what": "go", "vehicles": ["tank-1"], "to": [[9.0, 9.0]]} | wish
    message = OrderMessage(who="ann", **said)  # type: ignore[arg-type]
    with pytest.raises(OrderRefused, match=why):
        net.live.order(message, "ann", net.core.now)
    assert net.live.orders.listed() == before[0]
    assert len(net.live.orders.given) == 1
    assert all(len(seat.orders) == 1 for seat in net.live.seats)


def test_orders_are_for_runs_under_way_and_wait_for_time_to_go_on(stage: Stage) -> None:
    net = Simulation(stage).shares(2).run(1.0)
    with pytest.raises(OrderRefused, match="in READY nobody takes orders"):
        order(net, "hold", "tank-1")
    net.command(RunState.SET).run(1.0)
    order(net, "hold", "tank-1")
    net.command(RunState.GO).run(1.03)
    assert behavior(net, "tank-1") == "obey"
    net.command(RunState.PAUSE).run(1.0)
    order(net, "hold", "tank-2")
    net.run(2.0)
    assert behavior(net, "tank-2") == "wander"
    net.command(RunState.GO).run(0.5)
    assert behavior(net, "tank-2") == "obey"
    net.command(RunState.STOP)
    with pytest.raises(OrderRefused, match="in STOP"):
        order(net, "hold", "tank-1")


def test_a_run_that_begins_anew_has_no_orders(tmp_path: Path) -> None:
    stage = made(tmp_path, HEAD + SCRIPT)
    net = Simulation(stage).shares(2).run(1.0).command(RunState.SET).run(1.0)
    assert order(net, "hold", "tank-6") == 1
    net.run(0.5).command(RunState.READY).run(1.0)
    assert net.live.orders.listed() == []
    net.command(RunState.SET).run(1.0).command(RunState.GO).run(1.0)
    (first,) = net.live.orders.listed()  # the script's
    assert (first["number"], first["vids"]) == (2, [1])
    assert behavior(net, "tank-6") == "wander"


def test_through_a_bad_link_every_order_arrives_and_is_carried_out_once(stage: Stage) -> None:
    bad = Way(delay=60_000_000, jitter=50_000_000, loss=0.6)
    net = Simulation(stage)
    host = net.host("h1", way=bad)
    net.run(3.0).start().run(1.0)
    heard: list[int] = []
    real = host.live
    assert real is not None
    pending = real._orders.pending

    def counted() -> tuple[object, ...]:
        orders = pending()
        heard.extend(one.number for one in orders)
        return orders

    real._orders.pending = counted  # type: ignore[method-assign, assignment]
    for i in range(20):
        order(net, "hold" if i % 2 else "resume", f"tank-{i % 5 + 1}")
        net.run(0.17)
    net.run(3.0)
    assert heard == sorted(set(heard))
    assert heard[-1] == 20
    assert all(not seat.orders for seat in net.live.seats)
    held = {vid for entry in net.live.orders.listed() for vid in entry["vids"]}
    assert {n for n in net.stage.roster.names if behavior(net, n) == "obey"} == {
        f"tank-{vid}" for vid in held
    }


def test_a_killed_host_goes_on_obeying_and_does_not_turn_back(stage: Stage) -> None:
    net = going(stage).run(0.5)
    order(net, "go", "tank-1", to=[[40.0, 0.0], [40.0, 300.0]])
    order(net, "hold", "tank-2")
    net.run_until(lambda: place(net, "tank-1")[1] > 30, 60)
    x, y = place(net, "tank-1")
    assert x == pytest.approx(40, abs=8)
    net.kill("h1")
    net.run(1)
    net.host("h1", share=(1, 2))
    net.run(5)
    assert behavior(net, "tank-1") == behavior(net, "tank-2") == "obey"
    assert behavior(net, "tank-3") == "wander"
    assert place(net, "tank-1")[1] > y + 10
    assert [entry["vids"] for entry in net.live.orders.listed()] == [[1], [2]]


@pytest.mark.parametrize("recorded", [True, False])
def test_a_restarted_core_still_lists_what_holds(stage: Stage, recorded: bool) -> None:
    net = going(stage).run(0.5)
    order(net, "form", unit="alpha", formation="column")
    order(net, "go", "tank-1", to=[[40.0, 0.0]])
    order(net, "hold", "tank-6")
    order(net, "resume", "tank-5")
    net.run(1.5)
    before = held(net)
    resumed = net.kill_core()
    if recorded:
        net.kill("h2")  # what it knew is lost with it
        assert [record.number for record in resumed.orders] == [1, 2, 3, 4]
    else:
        resumed = type(resumed)(resumed.run, resumed.state, resumed.tick, resumed.vehicles)
    net.run(0.5)
    net.restart_core(resumed)
    with pytest.raises(OrderRefused, match="just started again"):
        order(net, "hold", "tank-1")
    if recorded:
        net.host("h2", share=(2, 2))
    net.run(4)
    assert held(net) == before
    assert [entry["vids"] for entry in before] == [[2, 3, 4], [1], [6]]
    assert order(net, "hold", "tank-3") == 5
    net.run(0.5)
    assert behavior(net, "tank-3") == behavior(net, "tank-6") == "obey"
    assert behavior(net, "tank-5") == "wander"


def test_who_follows_is_told_of_its_leader_however_far_away(stage: Stage) -> None:
    net = going(stage, hosts=7).run(0.5)
    host = net.hosts["h6"].live
    assert host is not None
    assert host.vids == [6]
    assert 7 not in host._others.vid.tolist()  # the man is farther than awareness.range
    order(net, "form", "tank-6", formation="column", leader="man")
    net.run(0.5)
    assert 7 in host._others.vid.tolist()


def test_remarks_become_events_with_the_vehicles_name(stage: Stage) -> None:
    net = going(stage).run(0.5)
    order(net, "go", "tank-1", to=[[30.0, 0.0]])
    net.run_until(lambda: bool(texts(net, "remark")), 40)
    (remark,) = [event for event in net.events if event.kind == "remark"]
    assert (remark.text, remark.vids) == ("tank-1: arrived", [1])
    assert net.live.orders.listed()[0]["arrived"] is True
    x, y = place(net, "tank-1")
    assert np.hypot(x - 30, y) < 8
    net.run(3)
    assert len(texts(net, "remark")) == 1
    assert behavior(net, "tank-1") == "obey"  # it stays


def test_a_run_that_begins_anew_is_told_of_nobody_far_away(stage: Stage) -> None:
    net = Simulation(stage).shares(7).run(1.0).command(RunState.SET).run(1.0)
    order(net, "form", "tank-6", formation="column", leader="man")
    seat = net.live.seats.get("h6")
    assert seat is not None
    assert len(seat.in_formation) == 2
    net.command(RunState.READY)
    assert len(seat.in_formation) == 0


def test_a_host_with_a_number_that_nobody_gave_keeps_nobody_from_orders(stage: Stage) -> None:
    net = going(stage).run(0.5)
    host = net.hosts["h1"].live
    assert host is not None
    host._orders.had = 2**53 - 1
    net.run(0.5)
    host._orders.had = 0
    assert order(net, "hold", "tank-1", "tank-6") == 1
    net.run(0.5)
    assert behavior(net, "tank-1") == behavior(net, "tank-6") == "obey"
    assert all(not seat.orders for seat in net.live.seats)


def test_the_recording_is_told_what_holds_when_it_changes_and_now_and_then(stage: Stage) -> None:
    net = going(stage).run(0.5)
    orders, second = net.live.orders, 10**9
    assert orders.to_record(0) == []
    assert orders.to_record(second) is None
    order(net, "hold", "tank-1")
    assert [r.number for r in orders.to_record(2 * second) or []] == [1]
    assert [orders.to_record(t * second) for t in range(3, 12)] == [None] * 9
    assert [r.number for r in orders.to_record(12 * second) or []] == [1]


def test_what_an_order_means_is_found_while_the_run_goes_on(stage: Stage) -> None:
    net = going(stage).run(0.5)
    bus = NoBus()
    process = CoreProcess(net.live, bus, run_record(stage.run(1), 0.0, [], "r"), "test")  # type: ignore[arg-type]
    free: list[bool] = []
    desk = net.live.orders._desk
    found = desk.order

    def watched(*args: object) -> Order:
        free.append(not process._lock.locked())
        return found(*args)  # type: ignore[arg-type]

    desk.order = watched  # type: ignore[method-assign, assignment]
    answer = bus.answers[keys.ORDER](OrderMessage("hold", "ann", ["tank-1"]).encoded())
    assert wire.as_answer(Ordered, answer).vehicles == ["tank-1"]  # type: ignore[union-attr]
    assert free == [True]
    refusal = wire.as_answer(Ordered, bus.answers[keys.ORDER](b"x" * 2_000_001))
    assert refusal.why == "an order of 2,000,001 bytes; 2,000,000 are the most"  # type: ignore[union-attr]
    process._stream.close()


class NoBus:
    """A bus to nobody that keeps who would answer."""

    def __init__(self) -> None:
        self.answers: dict[str, Callable[[bytes], bytes]] = {}

    def sender(self, *_args: object, **_options: object) -> Callable[[bytes], None]:
        return lambda _data: None

    def answer(self, key: str, handler: Callable[[bytes], bytes]) -> None:
        self.answers[key] = handler

    def hear(self, *_args: object) -> None: ...

    def watch_alive(self, *_args: object) -> None: ...
