"""What the Core does not take: each is counted under its name and changes nothing."""

import math
from typing import Any

import msgspec
import numpy as np
import pytest

from movenv.runtime.live.wire import (
    DETECTIONS,
    MAGIC,
    MOTIONS,
    VERSION,
    Command,
    JoinRequest,
    Refusal,
    ReportMessage,
    pack,
    unpack,
)
from movenv.world.messages import Detections, Motions
from movenv.world.run_state import RunState

from .simulated import Simulation


@pytest.fixture
def net() -> Simulation:
    """Two hosts, h1 with uav-1 and uav-2, h2 with uav-3; in GO for two seconds."""
    return Simulation("three-uavs").shares(2).start().run(2.03)


def genuine(net: Simulation, **changes: Any) -> ReportMessage:
    """What h1 said last, as if it were said again."""
    last = net.hosts["h1"].sent[-1][1]
    return msgspec.structs.replace(last, **({"sequence": last.sequence + 1} | changes))


def moved(net: Simulation, **columns: list[float]) -> bytes:
    motions = unpack(MOTIONS, genuine(net).motions)
    return pack(MOTIONS, Motions(dict(motions.columns()) | columns))


def finds(vid: int, **changes: Any) -> bytes:
    row = {"vid": vid, "target": 3, "sighting": 1, "t_seen": 1.0, "x": 0.0, "y": 0.0, "z": 0.0}
    return pack(DETECTIONS, Detections({k: np.array([v]) for k, v in (row | changes).items()}))


def offered(net: Simulation, data: bytes, host: str = "h1") -> dict[str, int]:
    """What the Core counts when these bytes come; asserts that its State stays as it is."""
    state = lambda: [c.copy() for _, c in net.live._core.latest(np.array([1, 2, 3]))[0].columns()]  # noqa: E731
    before, counted = state(), dict(net.live.seats.refused)
    message = net.live.seats.admit(host, data)
    if message is not None:
        net.live.take(host, message, net.core.now)
    net.live._update()
    for a, b in zip(before, state(), strict=True):
        np.testing.assert_array_equal(a, b)
    return {
        k: n - counted.get(k, 0) for k, n in net.live.seats.refused.items() if n > counted.get(k, 0)
    }


def test_the_genuine_is_taken(net: Simulation) -> None:
    data = genuine(net, motions=moved(net, x=[1.0, 2.0])).encoded()
    message = net.live.seats.admit("h1", data)
    net.live.take("h1", message, net.core.now)
    assert net.live._update().snapshot.vehicles.x[:2].tolist() == [1.0, 2.0]
    assert net.live.seats.refused == {}


@pytest.mark.parametrize(
    "data",
    [b"", b"M", b"hello", MAGIC + bytes((VERSION, 2)), MAGIC + bytes((VERSION, 2, 0x90)),
     Command(RunState.STOP, "me").encoded()],
)  # fmt: skip
def test_garbled(net: Simulation, data: bytes) -> None:
    assert offered(net, data) == {"garbled": 1}


def test_another_version(net: Simulation) -> None:
    data = bytearray(genuine(net).encoded())
    data[2] += 1
    assert offered(net, bytes(data)) == {"other version": 1}


def test_a_stranger(net: Simulation) -> None:
    ticket = genuine(net).ticket ^ 1
    assert offered(net, genuine(net, ticket=ticket).encoded()) == {"stranger": 1}
    assert offered(net, genuine(net).encoded(), host="h2") == {"stranger": 1}
    assert offered(net, genuine(net).encoded(), host="nobody") == {"stranger": 1}


def test_what_was_sent_before(net: Simulation) -> None:
    _, last = net.hosts["h1"].sent[-1]
    _, older = net.hosts["h1"].sent[-5]
    assert offered(net, last.encoded()) == {"old": 1}
    assert offered(net, older.encoded()) == {"old": 1}


@pytest.mark.parametrize("vids", [[1, 3], [3, 2], [1, 1], [2, 2], [1, 99], [1]])
def test_somebody_elses_vehicle(net: Simulation, vids: list[int]) -> None:
    rows = {"vid": vids, "x": [9e3] * 2}
    columns = dict(unpack(MOTIONS, moved(net, **{"x": rows["x"]})).columns()) | {"vid": vids}
    table = Motions({name: column[: len(vids)] for name, column in columns.items()})
    report = genuine(net, motions=pack(MOTIONS, table))
    assert offered(net, report.encoded()) == {"not its vehicle": 1}


def test_the_order_of_rows_does_not_matter(net: Simulation) -> None:
    motions = moved(net, vid=[2, 1], x=[20.0, 10.0])
    net.live.take("h1", genuine(net, motions=motions), net.core.now)
    assert net.live._update().snapshot.vehicles.x[:2].tolist() == [10.0, 20.0]


@pytest.mark.parametrize("column", ["x", "y", "z", "yaw", "speed", "vz"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_number(net: Simulation, column: str, value: float) -> None:
    report = genuine(net, motions=moved(net, **{column: [0.0, value]}))
    assert offered(net, report.encoded()) == {"not a number": 1}


@pytest.mark.parametrize(("column", "value"), [("x", 1e300), ("y", -1e8), ("vx", 3e38)])
def test_out_of_this_world(net: Simulation, column: str, value: float) -> None:
    report = genuine(net, motions=moved(net, **{column: [0.0, value]}))
    assert offered(net, report.encoded()) == {"out of this world": 1}


def test_a_behavior_that_is_not_on_the_roster(net: Simulation) -> None:
    report = genuine(net, motions=moved(net, behavior=[1, 200]))
    assert offered(net, report.encoded()) == {"unknown behavior": 1}
    net.run(1)  # the summary still adds up


@pytest.mark.parametrize("tick", [2**62, 10_000, 72])
def test_a_tick_of_the_far_future(net: Simulation, tick: int) -> None:
    assert offered(net, genuine(net, tick=tick).encoded()) == {"too early": 1}


@pytest.mark.parametrize("changes", [{"tick": -1}, {"tick": -(2**60)}, {"state": 0}, {"state": 77}])
def test_nonsense_numbers(net: Simulation, changes: dict[str, int]) -> None:
    assert offered(net, genuine(net, **changes).encoded()) == {"garbled": 1}


@pytest.mark.parametrize("name", ["motions", "detections"])
def test_a_cut_off_table(net: Simulation, name: str) -> None:
    data = {"motions": genuine(net).motions, "detections": finds(1)}[name]
    assert offered(net, genuine(net, **{name: data[:-3]}).encoded()) == {"garbled": 1}


def test_finds_of_somebody_else(net: Simulation) -> None:
    report = genuine(net, detections=finds(3), motions=moved(net, x=[1.0, 2.0]))
    assert offered(net, report.encoded()) == {"not its vehicle": 1}
    assert net.live._update().detections.vid.tolist() == []


def test_finds_that_are_no_number(net: Simulation) -> None:
    report = genuine(net, detections=finds(1, x=math.nan))
    assert offered(net, report.encoded()) == {"not a number": 1}


@pytest.mark.parametrize(
    ("speakers", "payloads", "why"),
    [
        ([3], [b"hi"], "not its vehicle"),
        ([99], [b"hi"], "not its vehicle"),
        ([1], [], "garbled"),
        ([], [b"hi"], "garbled"),
        ([-1], [b"hi"], "garbled"),
        ([2**40], [b"hi"], "garbled"),
        ([1], [b"x" * 241], "too long"),
    ],
)
def test_words_in_anothers_name(
    net: Simulation, speakers: list[int], payloads: list[bytes], why: str
) -> None:
    report = genuine(net, speakers=speakers, payloads=payloads)
    assert offered(net, report.encoded()) == {why: 1}
    assert len(net.live._update().broadcasts) == 0


@pytest.mark.parametrize("vids", [[-1], [2**32], [2**63], [99]])
def test_joining_with_vehicles_that_cannot_be(net: Simulation, vids: list[int]) -> None:
    answer = net.live.join(JoinRequest("new", [], [], (1, 1), vids, 0), net.core.now)
    assert answer == Refusal("it brings vehicles that are not on the roster")


def test_joining_twice_with_the_same_vehicle() -> None:
    net = Simulation("three-uavs")
    answer = net.live.join(JoinRequest("new", [], [], (1, 1), [2, 1, 2], 0), net.core.now)
    assert answer.vids == [1, 2]


def test_reports_of_one_tick_do_not_pile_up(net: Simulation) -> None:
    for _ in range(300):
        report = genuine(net, tick=net.live.tick + 3)
        net.hosts["h1"].sent.append((net.now, report))
        net.live.take("h1", report, net.core.now)
    assert len(net.live.seats.get("h1").waiting) <= 2
