"""Messages against bytes by hand, bit by bit of their presence vectors, there and back."""

import struct
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from movenv.gateways.fix import NothingInIt, Unreadable
from movenv.gateways.jaus import layout as fields
from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus import subscriptions as s
from movenv.gateways.jaus.message import KNOWN, Message, Place, decode_message, encode_message
from movenv.gateways.jaus.message import layout as layout_of
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.jaus.stamp import Stamp, stamp_of_bits

SAE, REFERENCE = Dialect.SAE, Dialect.REFERENCE
EVERY = [(dialect, kind) for dialect in Dialect for kind in KNOWN[dialect].values()]
VECTORED = [(dialect, kind) for dialect, kind in EVERY if kind.presence]


def values_of(place: Place, dialect: Dialect) -> st.SearchStrategy[Any]:
    field = place.field
    if isinstance(field, fields.Scaled):
        scale = field.scales[dialect]
        return st.floats(scale.low, scale.high)
    if isinstance(field, fields.Integer):
        return st.integers(0, 256**field.size - 1)
    if isinstance(field, fields.Whom):
        subsystem = st.integers(0, 65535 if dialect is SAE else 255)
        instance = st.just(0) if dialect is SAE else st.integers(0, 255)
        return st.builds(Address, subsystem, st.integers(0, 255), st.integers(0, 255), instance)
    if isinstance(field, fields.TimeStamp):
        return st.integers(0, 2**32 - 1).map(stamp_of_bits)
    if isinstance(field, fields.Enclosed):
        return st.binary(min_size=2, max_size=40)
    if isinstance(field, fields.Variant):
        return st.one_of(
            st.tuples(st.just(which), st.integers(0, 256**size - 1))
            for which, size in enumerate(field.sizes)
        )
    if isinstance(field, fields.Listed):
        inner = [values_of(Place("", one, False), dialect) for one in field.fields]
        return st.lists(st.tuples(*inner), max_size=5).map(tuple)
    assert isinstance(field, fields.Text)
    return st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=20)


@st.composite
def messages(draw: st.DrawFn, dialect: Dialect, kind: type[Message]) -> Message:
    values = {
        place.name: draw(values_of(place, dialect))
        for place in layout_of(kind, dialect)
        if not place.optional or draw(st.booleans())
    }
    return kind(**values)


def absent(value: Any) -> bool:
    return value is None or value != value


@pytest.mark.parametrize(("dialect", "kind"), EVERY)
@given(data=st.data())
def test_there_and_back(dialect: Dialect, kind: type[Message], data: st.DataObject) -> None:
    message = data.draw(messages(dialect, kind))
    payload = encode_message(message, dialect)
    back = decode_message(payload, dialect)
    assert type(back) is kind
    assert encode_message(back, dialect) == payload
    for place in layout_of(kind, dialect):
        sent, came = getattr(message, place.name), getattr(back, place.name)
        if isinstance(place.field, fields.Scaled) and not absent(sent):
            quantum = place.field.scales[dialect].quantum(dialect)
            assert abs(came - sent) <= quantum / 2 * 1.00001
        else:
            assert came == sent or (absent(came) and absent(sent))


SOMETHING = {fields.TimeStamp: Stamp(3, 4, 5, 6, 7), fields.Text: "no"}


@pytest.mark.parametrize(("dialect", "kind"), VECTORED)
def test_every_bit_of_a_presence_vector_is_its_field(dialect: Dialect, kind: type[Message]) -> None:
    optional = [place for place in layout_of(kind, dialect) if place.optional]
    fixed = {place.name: 1 for place in layout_of(kind, dialect) if not place.optional}
    for bit, place in enumerate(optional):
        value = {fields.TimeStamp: Stamp(3, 4, 5, 6, 7), fields.Text: "no"}.get(
            type(place.field), 1
        )
        payload = encode_message(kind(**fixed, **{place.name: value}), dialect)
        assert int.from_bytes(payload[2 : 2 + kind.presence], "little") == 1 << bit
        back = decode_message(payload, dialect)
        there = [one.name for one in optional if not absent(getattr(back, one.name))]
        assert there == [place.name]


@pytest.mark.parametrize(("dialect", "kind"), VECTORED)
def test_bits_without_a_field_are_not_looked_at(dialect: Dialect, kind: type[Message]) -> None:
    fixed = {place.name: 1 for place in layout_of(kind, dialect) if not place.optional}
    payload = bytearray(encode_message(kind(**fixed), dialect))
    payload[1 + kind.presence] |= 0x80
    assert repr(decode_message(bytes(payload), dialect)) == repr(kind(**fixed))


BY_HAND: list[tuple[Dialect, Message, str]] = [
    (SAE, m.RequestControl(200), "0d00 c8"),
    (REFERENCE, m.RequestControl(200), "0d00 c8"),
    (SAE, m.ReleaseControl(), "0e00"),
    (SAE, m.ConfirmControl(m.Confirmed.INSUFFICIENT_AUTHORITY), "0f00 02"),
    (SAE, m.RejectControl(m.Rejected.NOT_AVAILABLE), "1000 01"),
    (REFERENCE, m.RejectControl(), "1000"),
    (SAE, m.QueryControl(), "0d20"),
    (SAE, m.ReportControl(Address(0x0102, 3, 4), 5), "0d40 0201 03 04 05"),
    (REFERENCE, m.ReportControl(Address(1, 2, 3, 4), 5), "0d40 01 02 03 04 05"),
    (SAE, m.SetAuthority(5), "0100 05"),
    (SAE, m.QueryAuthority(), "0120"),
    (SAE, m.ReportAuthority(200), "0140 c8"),
    (REFERENCE, m.ReportAuthority(200), "0140 c8"),
    (SAE, m.QueryTimeout(), "0320"),
    (SAE, m.ReportTimeout(2), "0340 02"),
    (SAE, m.SetEmergency(), "0600 0100"),
    (SAE, m.ClearEmergency(), "0700 0100"),
    (SAE, m.Shutdown(), "0200"),
    (SAE, m.Standby(), "0300"),
    (SAE, m.Resume(), "0400"),
    (SAE, m.Reset(), "0500"),
    (SAE, m.QueryStatus(), "0220"),
    (SAE, m.ReportStatus(m.Status.EMERGENCY), "0240 05 00000000"),
    (REFERENCE, m.ReportStatus(m.Status.READY, 0x0A0B), "0240 01 0b0a0000"),
    (SAE, m.QueryHeartbeatPulse(), "0222"),
    (SAE, m.ReportHeartbeatPulse(), "0242"),
    (SAE, m.QueryIdentification(), "002b 02"),
    (SAE, m.ReportIdentification(2, kind=10001, name="car"), "004b 02 1127 03 636172"),
    (
        REFERENCE,
        m.ReportIdentification(2, authority=9, kind=10001, name="car"),
        "004b 02 09 1127 636172" + "00" * 77,
    ),
    (SAE, m.QueryGlobalPose(0x0047), "0224 4700"),
    (SAE, m.QueryLocalPose(), "0324 ff01"),
    (SAE, m.QueryVelocityState(), "0424 ff01"),
    (SAE, m.QueryWrenchEffort(), "0524 ff0f"),
    (SAE, m.ReportGlobalPose(), "0244 0000"),
    (SAE, m.SetWrenchEffort(propulsive_x=100.0, resistive_x=100.0), "0504 4100 ffff ff"),
    (REFERENCE, m.SetWrenchEffort(propulsive_x=100.0, resistive_x=100.0), "0504 4100 ff7f ff"),
    (
        SAE,
        s.CreateEvent(7, s.When.PERIODIC, 1092.0, b"\x02\x24\x47\x00"),
        "f001 07 00 ffff 04000000 02244700",
    ),
    (
        SAE,
        s.UpdateEvent(7, s.When.EVERY_CHANGE, 0.0, 9, b"\x02\x22"),
        "f101 07 01 0000 09 02000000 0222",
    ),
    (SAE, s.CancelEvent(7, 9), "f201 07 09"),
    (SAE, s.ConfirmEventRequest(7, 9, 546.0), "f301 07 09 0080"),
    (SAE, s.RejectEventRequest(7), "f401 00 07"),
    (
        SAE,
        s.RejectEventRequest(7, s.Refusal.MESSAGE_NOT_SUPPORTED, "no"),
        "f401 03 07 05 6e6f" + "00" * 78,
    ),
    (SAE, s.QueryEvents((s.Which.QUERY, 0x2402)), "f021 00 0224"),
    (SAE, s.QueryEvents((s.Which.EVENT, 9)), "f021 02 09"),
    (SAE, s.QueryEvents(), "f021 03 00"),
    (SAE, s.ReportEvents(), "f041 00"),
    (
        SAE,
        s.ReportEvents(((0, 9, b"\x02\x24\x47\x00"), (1, 10, b"\x02\x20"))),
        "f041 02 00 09 04000000 02244700 01 0a 02000000 0220",
    ),
    (SAE, s.Event(9, 1, b"\x02\x42"), "f141 09 01 02000000 0242"),
    (REFERENCE, s.CreateServiceConnection(0x4402, 1092.0, 0x1FF), "0800 0244 ffff ff010000"),
    (REFERENCE, s.ConfirmServiceConnection(0x4402, 3, 0.0, 6), "0900 0244 03 0000 06"),
    (REFERENCE, s.ActivateServiceConnection(0x4402, 3), "0a00 0244 03"),
    (REFERENCE, s.SuspendServiceConnection(0x4402, 3), "0b00 0244 03"),
    (REFERENCE, s.TerminateServiceConnection(0x4402, 3), "0c00 0244 03"),
]


@pytest.mark.parametrize(("dialect", "message", "by_hand"), BY_HAND)
def test_by_hand(dialect: Dialect, message: Message, by_hand: str) -> None:
    payload = bytes.fromhex(by_hand)
    assert encode_message(message, dialect) == payload
    back = decode_message(payload, dialect)
    assert type(back) is type(message)
    assert vars(back) == pytest.approx(vars(message), abs=0.01, nan_ok=True)


def test_every_message_is_written_by_hand_or_has_a_table() -> None:
    by_hand = {type(message) for _, message, _ in BY_HAND}
    assert by_hand | {kind for _, kind in VECTORED} == {kind for _, kind in EVERY}


@pytest.mark.parametrize("dialect", Dialect)
@given(data=st.data())
def test_any_bytes_are_a_message_or_unreadable(dialect: Dialect, data: st.DataObject) -> None:
    code = data.draw(st.sampled_from(sorted(KNOWN[dialect])) | st.integers(0, 65535))
    payload = struct.pack("<H", code) + data.draw(st.binary(max_size=100))
    try:
        message = decode_message(payload, dialect)
    except Unreadable:
        return
    again = decode_message(encode_message(message, dialect), dialect)
    assert repr(again) == repr(message)


@pytest.mark.parametrize(("dialect", "kind"), EVERY)
@given(data=st.data())
def test_cut_or_longer_it_is_refused(
    dialect: Dialect, kind: type[Message], data: st.DataObject
) -> None:
    payload = encode_message(data.draw(messages(dialect, kind)), dialect)
    with pytest.raises(Unreadable, match="longer than its fields"):
        decode_message(payload + b"\0", dialect)
    with pytest.raises(Unreadable, match="cut off"):
        decode_message(payload[:-1], dialect)


def test_what_is_none_of_ours_is_nothing_and_not_broken() -> None:
    for payload in (b"\xff\xff", b"\x08\x00" + bytes(8)):
        with pytest.raises(NothingInIt, match="another message"):
            decode_message(payload, SAE)
    with pytest.raises(ValueError, match="CancelEvent is no message of reference"):
        encode_message(s.CancelEvent(1, 2), REFERENCE)


def test_an_enclosed_message_has_at_least_a_code() -> None:
    with pytest.raises(Unreadable, match="without a code"):
        decode_message(bytes.fromhex("f141 09 01 01000000 02"), SAE)


def test_long_names_are_cut_between_letters() -> None:
    told = m.ReportIdentification(2, name="é" * 200)
    assert decode_message(encode_message(told, SAE), SAE) == replace(told, name="é" * 127)
    assert decode_message(encode_message(told, REFERENCE), REFERENCE) == replace(
        told, name="é" * 40
    )


def test_bytes_of_a_name_that_are_no_letters_are_left_out() -> None:
    payload = bytes.fromhex("004b 02 09 1127") + b"\xff" * 77 + b"car"
    told = decode_message(payload, REFERENCE)
    assert told == m.ReportIdentification(2, authority=9, kind=10001, name="car")
