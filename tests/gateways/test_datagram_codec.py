"""The plain datagram: what it says, what is left out, and whatever else may arrive."""

import math

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.gateways.datagram.codec import ENCODERS, decode_datagram, decode_packet
from movenv.gateways.fix import Fix, Unreadable, sound_fix

FULL = (
    b'{"id":"buggy","lat":48.137,"lon":11.575,"t":1789000000.25,"alt":519,"speed":1.5,'
    b'"course":271.5,"acc":2.5,"batt":0.83,"seq":41,"token":"sesame","notify":true}'
)


def test_every_key_arrives_where_it_belongs() -> None:
    packet = decode_packet(FULL)
    assert packet.fix == Fix(
        48.137,
        11.575,
        time=1789000000.25,
        alt=519.0,
        speed=1.5,
        course=271.5,
        accuracy=2.5,
        vertical_accuracy=packet.fix.vertical_accuracy,
        battery=0.83,
        device="buggy",
        token="sesame",
        sequence=41,
    )
    assert math.isnan(packet.fix.vertical_accuracy)
    assert (packet.notify, packet.vid) == (True, 0)


def test_msgpack_says_the_same_as_json() -> None:
    packed = msgspec.msgpack.encode(msgspec.json.decode(FULL))
    assert repr(decode_packet(packed)) == repr(decode_packet(FULL))


def test_a_place_is_enough_and_the_rest_is_not_known() -> None:
    packet = decode_packet(b'{"vid": 7, "lat": -33, "lon": 151, "t": null, "extra": [1, 2]}')
    fix = packet.fix
    assert (packet.vid, packet.notify) == (7, False)
    assert (fix.lat, fix.lon, fix.device, fix.token, fix.sequence) == (-33.0, 151.0, "", "", -1)
    assert all(math.isnan(v) for v in (fix.time, fix.alt, fix.speed, fix.course, fix.accuracy))


def test_a_number_may_be_a_name() -> None:
    assert decode_packet(b'{"id": 12, "lat": 1, "lon": 2}').fix.device == "12"


def test_what_cannot_be_is_not_known() -> None:
    fix = decode_packet(b'{"lat":1,"lon":2,"t":1789000000250,"course":-1,"batt":83}').fix
    assert math.isnan(fix.time), "milliseconds"
    assert math.isnan(fix.course)
    assert math.isnan(fix.battery), "percent"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "neither JSON nor msgpack"),
        (b"[1,2]", "neither JSON nor msgpack"),
        (b"$GPRMC,1", "neither JSON nor msgpack"),
        (FULL[:-1], "garbled"),
        (b'{"lat":' + b"[" * 5000, "a key is missing or wrong"),
        (b'{"x":' + b"[" * 50_000, "garbled"),
        (b'{"id":"a","lat":1}', "a key is missing or wrong"),
        (b'{"id":"a","lat":"48.1","lon":"11.5"}', "a key is missing or wrong"),
        (b'{"id":"a","lat":true,"lon":2}', "a key is missing or wrong"),
        (b'{"id":"a","lat":1,"lon":2,"notify":1}', "a key is missing or wrong"),
        (b'{"id":"a","lat":NaN,"lon":2}', "garbled"),
        (b'{"id":"a","lat":91,"lon":2}', "no place on the globe"),
        (b'{"id":"a","lat":0,"lon":0}', "no fix"),
        (b"\x82\xa3lat\xcb\x7f\xf8\0\0\0\0\0\0\xa3lon\x02", "no place on the globe"),
        (b"\x81\xa3lat", "garbled"),
    ],
)
def test_what_holds_no_fix_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as refusal:
        decode_datagram(data)
    assert str(refusal.value) == reason


@pytest.mark.parametrize("encode", ENCODERS.values(), ids=ENCODERS)
def test_what_is_encoded_is_decoded_again(encode) -> None:
    full = decode_packet(FULL).fix
    bare = sound_fix(-1.25, 2.5)
    assert [repr(decode_datagram(encode(fix))) for fix in (full, bare)] == [
        repr([full]),
        repr([bare]),
    ]
    assert len(encode(bare)) < 30, "what is not known is not sent"


def tried(data: bytes) -> None:
    try:
        fixes = decode_datagram(data)
    except Unreadable as reason:
        assert 0 < len(str(reason)) < 40
        return
    for fix in fixes:
        assert -90 <= fix.lat <= 90
        assert -180 <= fix.lon <= 180


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"", b"{", b"\x82", b"\x8f", b"\xde", b"\xdf"]))
def test_any_bytes_are_a_fix_or_unreadable(data: bytes, first: bytes) -> None:
    tried(first + data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3),
)


@settings(max_examples=400, deadline=None)
@given(st.dictionaries(st.sampled_from([*"xy", *msgspec.json.decode(FULL), "vid"]), JSON))
def test_any_values_are_a_fix_or_unreadable(values: dict[str, object]) -> None:
    tried(msgspec.json.encode(values))
    small = {k: v for k, v in values.items() if not _has_a_large_int(v)}
    tried(msgspec.msgpack.encode(small))


def _has_a_large_int(value: object) -> bool:
    if isinstance(value, list):
        return any(_has_a_large_int(v) for v in value)
    return isinstance(value, int) and abs(value) >= 2**63


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 1), st.integers(0, 400), st.binary(max_size=4), st.integers(0, 4))
def test_a_damaged_datagram_is_a_fix_or_unreadable(
    form: int, at: int, put: bytes, cut: int
) -> None:
    whole = FULL if form else msgspec.msgpack.encode(msgspec.json.decode(FULL))
    at %= len(whole)
    tried(whole[:at] + put + whole[at + cut :])
