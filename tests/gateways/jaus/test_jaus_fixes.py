"""What a JAUS vehicle says of where it is, as fixes."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gateways.phones import assert_sound, fixes, same, same_course

from movenv.gateways.fix import Fix, NothingInIt, Unreadable
from movenv.gateways.jaus import judp
from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus.codec import encode
from movenv.gateways.jaus.fixes import ENCODERS, FixDecoder
from movenv.gateways.jaus.message import Message, encode_message
from movenv.gateways.jaus.packet import Address, Packet, Part
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.jaus.stamp import Stamp
from movenv.gateways.jaus.subscriptions import Event

WAY = Packet(Address(1, 1, 1), Address(126, 1, 10), b"", 7)
NOW = 1_800_000_000.0  # 2027-01-15 08:00:00
POSE = m.ReportGlobalPose(latitude=29.19, longitude=-81.05, yaw=math.pi / 2)


def said(message: Message, dialect: Dialect = Dialect.SAE, by: Packet = WAY) -> bytes:
    (data,) = encode(message, by, dialect)
    return data


def one(decoder: FixDecoder, data: bytes, at: float = NOW) -> Fix:
    (fix,) = decoder.decode(data, at)
    return fix


@pytest.mark.parametrize("dialect", Dialect)
def test_a_pose_is_a_fix(dialect: Dialect) -> None:
    stamp = Stamp(15, 7, 59, 59, 250)
    whole = replace(POSE, altitude=12.0, position_rms=2.5, yaw=-math.pi / 2, time=stamp)
    fix = one(FixDecoder(), said(whole, dialect))
    assert (fix.lat, fix.lon) == (pytest.approx(29.19, abs=1e-7), pytest.approx(-81.05, abs=1e-7))
    assert fix.alt == pytest.approx(12.0, abs=1e-4)
    assert fix.accuracy == pytest.approx(2.5, abs=1e-6)
    assert fix.course == pytest.approx(270.0, abs=0.01)
    assert fix.time == NOW - 0.75
    assert (fix.device, math.isnan(fix.speed)) == ("126.1.10", True)


def test_what_it_does_not_tell_is_not_known() -> None:
    fix = one(FixDecoder(), said(m.ReportGlobalPose(latitude=1.0, longitude=2.0)))
    unknown = (fix.time, fix.alt, fix.speed, fix.course, fix.accuracy)
    assert all(math.isnan(value) for value in unknown)


@pytest.mark.parametrize(
    ("x", "y", "speed", "course"),
    [
        (3.0, math.nan, 3.0, 90.0),
        (-3.0, 0.0, 3.0, 270.0),  # in reverse it goes where it does not look
        (3.0, 4.0, 5.0, 90.0 + math.degrees(math.atan2(4, 3))),  # and slides to its right
        (math.nan, 4.0, math.nan, 90.0),
    ],
)
def test_with_its_velocity_it_has_speed_and_course(
    x: float, y: float, speed: float, course: float
) -> None:
    decoder = FixDecoder()
    with pytest.raises(NothingInIt, match="no pose"):
        decoder.decode(said(m.ReportVelocityState(x=x, y=y)), NOW - 0.5)
    fix = one(decoder, said(POSE))
    assert fix.speed == pytest.approx(speed, abs=1e-5, nan_ok=True)
    assert fix.course == pytest.approx(course, abs=0.01)


def test_an_old_velocity_and_that_of_another_say_nothing() -> None:
    decoder = FixDecoder()
    other = replace(WAY, source=Address(126, 1, 11))
    for data, at in [
        (said(m.ReportVelocityState(x=3.0)), NOW - 1.1),
        (said(m.ReportVelocityState(x=3.0), by=other), NOW),
    ]:
        with pytest.raises(NothingInIt):
            decoder.decode(data, at)
        assert math.isnan(one(decoder, said(POSE)).speed)
    assert one(decoder, said(POSE, by=other)).speed == pytest.approx(3.0)


def test_reports_inside_events_and_behind_one_another() -> None:
    decoder = FixDecoder()
    events = [
        Event(1, 0, encode_message(report, Dialect.SAE))
        for report in (POSE, m.ReportVelocityState(x=3.0), m.ReportStatus(1))
    ]
    data = judp.VERSION + b"".join(said(event)[1:] for event in events)
    fix = one(decoder, data)
    assert (fix.speed, fix.lat) == (pytest.approx(3.0), pytest.approx(29.19))


def test_several_components_in_one_datagram_are_nobody() -> None:
    data = said(POSE) + said(POSE, by=replace(WAY, source=Address(126, 1, 11)))[1:]
    with pytest.raises(Unreadable, match="several components"):
        FixDecoder().decode(data, NOW)


@pytest.mark.parametrize(
    ("data", "why", "sound"),
    [
        (b"", "another version", False),
        (said(POSE)[:-1], "size does not fit", False),
        (said(Event(1, 2, b"\x02\x44\xff")), "cut off", False),
        (said(m.ReportStatus(1)), "no pose", True),
        (said(m.ReportGlobalPose(latitude=29.0)), "no fix", True),
        (said(m.ReportGlobalPose(latitude=0.0, longitude=0.0)), "no fix", True),
        (judp.encode(replace(WAY, payload=b"\x02\x44", part=Part.FIRST))[0], "a part", True),
    ],
)
def test_what_tells_no_place(data: bytes, why: str, sound: bool) -> None:
    with pytest.raises(Unreadable, match=why) as found:
        FixDecoder().decode(data, NOW)
    assert isinstance(found.value, NothingInIt) is sound


@pytest.mark.parametrize("name", ENCODERS)
@given(fix=fixes(device=st.just("126.1.10"), time=st.floats(NOW - 1e6, NOW + 1e6)))
def test_what_is_rehearsed_is_read(name: str, fix: Fix) -> None:
    if abs(fix.lat) + abs(fix.lon) < 1e-5:
        return
    read = one(FixDecoder(), ENCODERS[name](fix))
    assert_sound(read)
    assert same(read.lat, fix.lat, 5e-8)
    assert same(read.lon, fix.lon, 1e-7)
    assert same(read.time, fix.time, 0.0006)
    assert same(read.alt, fix.alt, 1e-4)
    assert same(read.accuracy, min(fix.accuracy, 100.0), 1e-6)
    assert same_course(read.course, fix.course, 0.006)
    assert same(read.speed, min(fix.speed, 300.0 if name == "jaus" else 65.534), 1e-5)
    assert read.device == "126.1.10"
