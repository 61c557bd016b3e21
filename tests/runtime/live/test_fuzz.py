"""Random bytes, mutated and cut-off messages: refused or counted, and nothing else happens."""

from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.recording.order_record import OrderRecord
from movenv.runtime.live import wire
from movenv.runtime.live.wire import (
    AwarenessMessage,
    Beacon,
    Command,
    Done,
    Garbled,
    GatewayNews,
    Joined,
    JoinRequest,
    Mark,
    Marked,
    Message,
    Ordered,
    OrderMessage,
    OtherVersion,
    Records,
    Refusal,
    RunInfo,
)
from movenv.scenario.orders import OrderRefused
from movenv.world.run_state import RunState

from .simulated import Simulation

LAYOUTS = [wire.MOTIONS, wire.RECEPTIONS, wire.DETECTIONS, wire.OTHERS, wire.INBOX, wire.NOTICES]
NET = Simulation("one-of-everything").shares(2).start().run(1.03)
"""A run in the midst of GO."""
REPORT = NET.hosts["h1"].sent[-1][1]
AWARENESS = NET.live._tell(NET.live._update(), NET.core.now)["h1"]
BEACON = NET.live.beacon
TAKES_ORDERS = ("vehicles.uav.behaviors.obey={}", "vehicles.uav.unit=alpha")
ORDERED = Simulation("three-uavs", *TAKES_ORDERS).shares(2).start().run(1.03)
ORDER = OrderRecord(1.0, 2.0, 3, "go", [1, 2], [(1.0, 2.0, None)], [(29.0, -81.0)], speed=2.0)
REAL: list[Message] = [
    REPORT,
    AWARENESS,
    BEACON,
    JoinRequest("h9", ["*"], [], (1, 2), [1, 2], 5),
    Joined(BEACON, 7, [1, 2], REPORT.motions, 1, 2),
    Refusal("no"),
    Command(RunState.PAUSE, "me"),
    Done(BEACON, ["uav-1"]),
    Records("run", "core", 4, True, 5, [("/snapshots", 1.0, b"abc")]),
    RunInfo(BEACON, "file.yaml", b"{}"),
    GatewayNews(7, 1, [b"{}"], [("ack", "seen", 1)]),
    Mark("rain", "me"),
    Marked(4.5),
    OrderMessage("go", "ann", ["uav-*"], "alpha", [[1.0, 2.0], {"lat": 29.1, "lon": -81.0}], 3.0),
    Ordered(3, 4.5, ["uav-1"]),
    msgspec.structs.replace(AWARENESS, orders=[ORDER]),
]


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Some bytes changed, put in or cut off."""
    out = bytearray(data)
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, max(0, len(out) - 1)))
        what = draw(st.sampled_from(["change", "insert", "cut"]))
        if what == "change" and out:
            out[at] = draw(st.integers(0, 255))
        elif what == "insert":
            out[at:at] = draw(st.binary(max_size=8))
        else:
            del out[at : at + draw(st.integers(1, 40))]
    return bytes(out[: draw(st.integers(0, len(out)))] if draw(st.booleans()) else out)


def some_message() -> st.SearchStrategy[bytes]:
    return st.sampled_from(REAL).flatmap(lambda message: damaged(message.encoded()))


@pytest.mark.parametrize("message", REAL, ids=lambda message: type(message).__name__)
def test_every_message_comes_back_as_it_was(message: Message) -> None:
    assert wire.decode(type(message), message.encoded()) == message


@pytest.mark.parametrize("message", REAL, ids=lambda message: type(message).__name__)
def test_a_message_cut_off_anywhere_is_garbled(message: Message) -> None:
    data = message.encoded()
    for length in range(0, len(data), max(1, len(data) // 200)):
        with pytest.raises(Garbled):
            wire.decode(type(message), data[:length])


@given(st.one_of(st.binary(max_size=200), some_message()))
@settings(max_examples=500, deadline=None)
def test_decoding_raises_nothing_but_garbled(data: bytes) -> None:
    for kind in {type(message) for message in REAL}:
        for read in (wire.decode, wire.as_answer):
            try:
                found = read(kind, data)
            except OtherVersion:
                assert data[:2] == wire.MAGIC
                assert data[2] != wire.VERSION
            except Garbled:
                pass
            else:
                assert isinstance(found, (kind, Refusal))


@given(st.one_of(st.binary(max_size=300), damaged(REPORT.motions), damaged(AWARENESS.others)))
@settings(max_examples=300, deadline=None)
def test_unpacking_raises_nothing_but_garbled(data: bytes) -> None:
    for layout in LAYOUTS:
        try:
            table = wire.unpack(layout, data)
        except Garbled:
            continue
        assert len({len(column) for _, column in table.columns()}) == 1
        assert sum(column.nbytes for _, column in table.columns()) <= len(data)


def changed(message: Message) -> st.SearchStrategy[Message]:
    """The same with some fields replaced by anything of their type."""
    strange: dict[type, st.SearchStrategy[Any]] = {
        int: st.one_of(st.integers(-(2**63), 2**64 - 1), st.integers(-3, 200)),
        float: st.floats(),
        str: st.text(max_size=5),
        bytes: st.binary(max_size=50),
        list: st.one_of(
            st.lists(st.integers(-(2**63), 2**64 - 1), max_size=4),
            st.lists(st.binary(max_size=300), max_size=4),
        ),
    }
    values = {name: getattr(message, name) for name in message.__struct_fields__}
    fields = {
        name: st.one_of(st.just(value), strange[type(value)])
        for name, value in values.items()
        if type(value) in strange
    }
    return st.fixed_dictionaries(fields).map(lambda new: type(message)(**(values | new)))


def offer(data: bytes) -> None:
    message = NET.live.seats.admit("h1", data)
    if message is not None:
        NET.live.take("h1", message, NET.core.now)


@given(st.one_of(damaged(REPORT.encoded()), changed(REPORT).map(lambda m: m.encoded())))
@settings(max_examples=300, deadline=None)
def test_the_core_counts_what_it_does_not_take(data: bytes) -> None:
    seat = NET.live.seats.get("h1")
    before, taken = sum(NET.live.seats.refused.values()), seat.reports
    seat.sequence = REPORT.sequence - 1
    offer(data)
    assert sum(NET.live.seats.refused.values()) - before + seat.reports - taken == 1
    assert len(NET.live.seats.refused) <= 12
    assert len(seat.waiting) <= 60
    stated = NET.live._update()
    assert np.isfinite(stated.snapshot.vehicles.x).all()
    NET.live.summary.add(stated)
    NET.live.status(NET.core.now)
    NET.live.vehicle_status(NET.core.now)


@given(
    st.one_of(
        damaged(AWARENESS.encoded()),
        changed(AWARENESS).map(lambda m: m.encoded()),
        changed(BEACON).map(
            lambda b: AwarenessMessage(b, *[getattr(AWARENESS, n) for n in FIELDS]).encoded()
        ),
    )
)
@settings(max_examples=300, deadline=None)
def test_a_host_hears_or_finds_it_garbled(data: bytes) -> None:
    live = NET.hosts["h1"].live
    assert live is not None
    kept = dict(live.__dict__)
    try:
        live.hear(wire.decode(AwarenessMessage, data), NET.hosts["h1"].now)
    except Garbled:
        assert live._beacon == kept["_beacon"]
    assert live.state in RunState
    assert len(live._inboxes) <= 1000
    assert isinstance(live.due(), int)
    live._inboxes.clear()
    live.__dict__.update(kept)


FIELDS = [name for name in AwarenessMessage.__struct_fields__ if name != "beacon"]


@given(changed(REAL[3]))
@settings(max_examples=300, deadline=None)
def test_whoever_asks_to_join_is_answered(request: JoinRequest) -> None:
    seats = len(NET.live.seats)
    try:
        sound = wire.decode(JoinRequest, request.encoded())
    except Garbled:
        return
    answer = NET.live.join(sound, NET.core.now)
    assert isinstance(answer, Refusal)  # everyone has a host
    assert len(NET.live.seats) == seats


@given(changed(BEACON))
@settings(max_examples=300, deadline=None)
def test_a_beacon_is_sound_or_garbled(beacon: Beacon) -> None:
    try:
        schedule, state = beacon.schedule, beacon.run_state
    except Garbled:
        return
    assert state in RunState
    if schedule is not None:
        schedule.latest(10**18)
        schedule.due(10**6)


def some_order() -> st.SearchStrategy[OrderMessage]:
    number = st.floats(allow_nan=True, allow_infinity=True)
    words = st.one_of(st.sampled_from(["uav-1", "*", "boat", "", "alpha", "wedge"]), st.text())
    place = st.one_of(st.lists(number, max_size=4), st.dictionaries(words, number, max_size=3))
    return st.builds(
        OrderMessage,
        what=st.one_of(st.sampled_from(["go", "form", "hold", "resume"]), st.text()),
        who=st.text(),
        vehicles=st.lists(words, max_size=4),
        unit=words,
        to=st.lists(place, max_size=4),
        speed=st.none() | number,
        roads=st.sampled_from(["off", "only"]) | words,
        formation=words,
        spacing=st.none() | number,
        leader=words,
    )


@given(some_order())
@settings(max_examples=300, deadline=None)
def test_an_order_is_given_or_refused_as_a_whole(message: OrderMessage) -> None:
    message = wire.decode(OrderMessage, message.encoded())
    before = ORDERED.live.orders.listed(), len(ORDERED.live.orders.given)
    try:
        ORDERED.live.order(message, "fuzz", ORDERED.core.now)
    except OrderRefused:
        assert (ORDERED.live.orders.listed(), len(ORDERED.live.orders.given)) == before
    else:
        assert len(ORDERED.live.orders.given) == before[1] + 1
