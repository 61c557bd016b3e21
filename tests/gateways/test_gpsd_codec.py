"""Lines of gpsd: which of them are fixes."""

import math

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.gateways.fix import Unreadable, sound_fix
from movenv.gateways.gpsd.codec import decode_gpsd, encode_gpsd, worth_taking

TPV = {
    "class": "TPV",
    "device": "/dev/ttyUSB0",
    "mode": 3,
    "time": "2026-09-05T12:00:00.250Z",
    "ept": 0.005,
    "lat": 48.1173,
    "lon": -11.5166,
    "altHAE": 592.3,
    "altMSL": 545.4,
    "alt": 545.5,
    "epx": 3.0,
    "epy": 4.0,
    "epv": 7.5,
    "track": 84.4,
    "speed": 5.144,
    "climb": 0.1,
}


def line(**changes: object) -> bytes:
    values = {key: value for key, value in (TPV | changes).items() if value is not None}
    return msgspec.json.encode(values) + b"\r\n"


def test_a_report_becomes_a_fix() -> None:
    (fix,) = decode_gpsd(line())
    assert (fix.lat, fix.lon) == (48.1173, -11.5166)
    assert fix.time == 1788609600.25
    assert fix.alt == 545.4
    assert (fix.speed, fix.course) == (5.144, 84.4)
    assert fix.accuracy == pytest.approx(5.0), "root of 3² + 4²"
    assert fix.vertical_accuracy == 7.5


def test_heights_above_the_sea_are_preferred() -> None:
    assert decode_gpsd(line(altMSL=None))[0].alt == 545.5
    assert decode_gpsd(line(altMSL=None, alt=None))[0].alt == 592.3
    assert math.isnan(decode_gpsd(line(altMSL=None, alt=None, altHAE=None))[0].alt)


def test_the_horizontal_error_is_preferred_and_half_of_it_is_none() -> None:
    assert decode_gpsd(line(eph=2.5))[0].accuracy == 2.5
    assert math.isnan(decode_gpsd(line(epx=None))[0].accuracy)


def test_a_place_is_enough() -> None:
    (fix,) = decode_gpsd(b'{"class":"TPV","mode":2,"lat":1,"lon":2}')
    assert (fix.lat, fix.lon) == (1, 2)
    assert math.isnan(fix.time + fix.alt + fix.speed + fix.course + fix.accuracy)
    assert math.isnan(decode_gpsd(line(time="yesterday"))[0].time)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (line(mode=0), "no fix"),
        (line(mode=1), "no fix"),
        (line(mode=None), "no fix"),
        (line(lat=None), "no fix"),
        (line(lat=0, lon=0), "no fix"),
        (line(lat=95), "no place on the globe"),
        (line(lat="48"), "garbled"),
        (b'{"class":"SKY","uSat":7}', "no TPV"),
        (b'{"class":"ERROR","message":"Unrecognized request"}', "gpsd reports an error"),
        (b'{"class":"TPV"', "garbled"),
        (b"[]", "garbled"),
        (b'{"x":' + b"[" * 50_000, "garbled"),
        (b"\r\n", "nothing"),
    ],
)
def test_what_is_no_fix_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as refusal:
        decode_gpsd(data)
    assert str(refusal.value) == reason


def test_one_of_several_receivers_can_be_chosen() -> None:
    both = line() + line(device="/dev/ttyUSB1", lat=50.0)
    assert [fix.lat for fix in decode_gpsd(both)] == [48.1173, 50.0]
    assert [fix.lat for fix in decode_gpsd(both, "/dev/ttyUSB1")] == [50.0]
    with pytest.raises(Unreadable, match="another receiver"):
        decode_gpsd(both, "/dev/ttyUSB2")


def test_what_gpsd_tells_besides_is_not_taken_but_errors_and_garbage_are() -> None:
    assert not worth_taking(b'{"class":"SKY","uSat":7}')
    assert not worth_taking(b"\r")
    for data in (line(), b'{"class":"ERROR"}', b"garbage", b'{"device":"x","class":"TPV"}'):
        assert worth_taking(data)


def tried(data: bytes) -> None:
    try:
        fixes = decode_gpsd(data)
    except Unreadable as reason:
        assert 0 < len(str(reason)) < 40
        return
    for fix in fixes:
        assert -90 <= fix.lat <= 90
        assert -180 <= fix.lon <= 180


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_fixes_or_unreadable(data: bytes) -> None:
    tried(data)


VALUES = st.none() | st.integers() | st.floats() | st.text(max_size=8) | st.booleans()
TIMES = st.datetimes().map(str) | st.text("0123456789-:.TZ+", max_size=30)


@settings(max_examples=400, deadline=None)
@given(st.dictionaries(st.sampled_from(list(TPV)), VALUES), TIMES)
def test_any_values_are_a_fix_or_unreadable(values: dict[str, object], when: str) -> None:
    tried(line(**values))
    for zone in ("", "Z", "+23:59", "-23:59"):
        tried(line(time=when + zone))


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 1000), st.binary(max_size=4), st.integers(0, 6))
def test_a_damaged_line_is_a_fix_or_unreadable(at: int, put: bytes, cut: int) -> None:
    whole = line() * 2
    at %= len(whole)
    tried(whole[:at] + put + whole[at + cut :])


@pytest.mark.parametrize("time", [1_774_269_319.25, math.nan])
@pytest.mark.parametrize("alt", [12.5, math.nan])
def test_what_is_encoded_is_decoded_again(time: float, alt: float) -> None:
    fix = sound_fix(29.19, -81.04, time=time, alt=alt, speed=1.4, course=84.0, accuracy=3.0)
    (again,) = decode_gpsd(encode_gpsd(fix))
    assert (again.lat, again.lon, again.speed, again.course) == (29.19, -81.04, 1.4, 84.0)
    assert again.time == pytest.approx(time, nan_ok=True)
    assert again.alt == pytest.approx(alt, nan_ok=True)
