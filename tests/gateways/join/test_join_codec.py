"""What the page says, read."""

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from movenv.gateways.fix import Fix, Unreadable, sound_fix
from movenv.gateways.join import codec


def said(**changes: Any) -> dict[str, Any]:
    """A fix as Chrome on a phone makes it."""
    return {
        "seq": 3,
        "time": 1_790_000_000.25,
        "lat": 39.1314,
        "lon": -84.518,
        "accuracy": 4.7,
        "alt": 251.2,
        "course": 281.5,
        "speed": 1.4,
        "battery": 0.83,
    } | changes


def fixes(*each: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"type": "fixes", "fixes": list(each)})


def test_a_fix_comes_out_as_it_was_said() -> None:
    (fix,) = codec.decode(fixes(said()), token="secret")
    assert (fix.lat, fix.lon, fix.time) == (39.1314, -84.518, 1_790_000_000.25)
    assert (fix.accuracy, fix.alt, fix.course, fix.speed) == (4.7, 251.2, 281.5, 1.4)
    assert (fix.battery, fix.sequence, fix.token) == (0.83, 3, "secret")


def test_what_a_phone_at_rest_does_not_know_is_null_and_becomes_nan() -> None:
    (fix,) = codec.decode(fixes(said(course=None, speed=None, alt=None, battery=None)))
    assert all(map(math.isnan, (fix.course, fix.speed, fix.alt, fix.battery)))


def test_what_was_got_before_does_not_come_again() -> None:
    data = fixes(*(said(seq=n) for n in range(10)))
    assert [fix.sequence for fix in codec.decode(data, after=6)] == [7, 8, 9]
    assert codec.decode(data, after=9) == []


def test_one_bad_fix_does_not_spoil_the_others() -> None:
    data = fixes(said(seq=1), said(seq=2, lat=0, lon=0), said(seq=3))
    assert [fix.sequence for fix in codec.decode(data)] == [1, 3]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "garbled"),
        (b"\xff\xfe", "garbled"),
        (b"[]", "garbled"),
        (b'{"type":"steal"}', "garbled"),
        (b'{"type":"fixes","fixes":[]}', "garbled"),
        (fixes(said(seq=-1)), "garbled"),
        (fixes(said(lat="39")), "garbled"),
        (fixes(said(lat=None)), "garbled"),
        (fixes(*[said()] * (codec.MOST_FIXES + 1)), "garbled"),
        (fixes(said(lat=91)), "no place on the globe"),
        (fixes(said(lat=0, lon=0)), "no fix"),
        (b'{"type":"ping","sent":1}', "no fix"),
        (b"[" * 200_000, "garbled"),
        (b'{"type":"ping","sent":1,"x":' + b"[" * 200_000, "garbled"),
        (b" " * (codec.LARGEST + 1), "too large"),
    ],
)
def test_what_is_no_fix_is_refused_with_a_short_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=f"^{reason}$"):
        codec.decode(data)


def test_a_hello_with_a_short_secret_is_none() -> None:
    assert codec.message(codec.encode_hello("k" * 16)) == codec.Hello("k" * 16)
    with pytest.raises(Unreadable):
        codec.message(codec.encode_hello("k" * 15))


def check_fix(fix: Fix) -> None:
    assert -90 <= fix.lat <= 90
    assert -180 <= fix.lon <= 180
    assert math.isnan(fix.course) or 0 <= fix.course < 360
    assert math.isnan(fix.battery) or 0 <= fix.battery <= 1
    assert math.isnan(fix.time) or 0 < fix.time < 1e11


words = st.text('ab"\\0 é\u2028\x00', max_size=5)
anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
FIELDS = ["seq", "time", "lat", "lon", "accuracy", "alt", "course", "speed", "battery"]


@given(st.binary())
def test_random_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        codec.decode(data)


@given(st.dictionaries(st.sampled_from(FIELDS), anything | st.floats(-200, 400)))
def test_a_fix_of_anything_is_sound_or_refused(changes: dict[str, Any]) -> None:
    try:
        found = codec.decode(fixes(said(**changes)))
    except Unreadable:
        return
    for fix in found:
        check_fix(fix)


@given(st.data())
def test_a_bent_message_is_sound_or_refused(data: st.DataObject) -> None:
    whole = bytearray(fixes(said(), said(seq=4)))
    for _ in range(data.draw(st.integers(1, 5))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = codec.decode(bytes(whole))
    except Unreadable:
        return
    for fix in found:
        check_fix(fix)


maybe = st.just(math.nan)


@given(
    st.lists(
        st.builds(
            sound_fix,
            st.floats(-90, 90).filter(bool),
            st.floats(-180, 180),
            time=st.floats(1, 1e10),
            alt=st.floats(-100, 9000) | maybe,
            speed=st.floats(0, 100) | maybe,
            course=st.floats(0, 359) | maybe,
            accuracy=st.floats(0.1, 1e4) | maybe,
            battery=st.floats(0, 1) | maybe,
            sequence=st.integers(0, 2**50),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_a_rehearsed_phone_says_what_is_read(sent: list[Fix]) -> None:
    assert repr(codec.decode(codec.encode(sent))) == repr(sent)
