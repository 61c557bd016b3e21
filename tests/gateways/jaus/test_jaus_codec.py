"""Datagrams to messages, both framings at one port."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from movenv.gateways.fix import NothingInIt, Unreadable
from movenv.gateways.jaus import judp
from movenv.gateways.jaus.codec import JausDecoder, encode
from movenv.gateways.jaus.messages import QueryStatus, ReportGlobalPose, RequestControl, Resume
from movenv.gateways.jaus.packet import Acknowledge, Address, Packet, Part
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.jaus.subscriptions import Event

KNOWN = bytes.fromhex("02001100190a017e0014017e000d00c80100")
WAY = Packet(Address(1, 2, 3), Address(4, 5, 6), b"", 7)


def test_the_known_frame_both_ways() -> None:
    (heard,) = JausDecoder().decode(KNOWN)
    assert heard.said == RequestControl(authority=200)
    assert (heard.packet.source, heard.packet.destination) == ((126, 1, 20, 0), (126, 1, 10, 0))
    assert encode(heard.said, heard.packet, Dialect.SAE) == [KNOWN]


@pytest.mark.parametrize("dialect", Dialect)
def test_a_pose_in_either_framing(dialect: Dialect) -> None:
    pose = ReportGlobalPose(latitude=29.19, longitude=-81.05, yaw=1.5)
    (data,) = encode(pose, WAY, dialect)
    (heard,) = JausDecoder().decode(data)
    assert heard.dialect is dialect
    assert isinstance(heard.said, ReportGlobalPose)
    assert heard.said.latitude == pytest.approx(29.19, abs=3e-8)
    assert heard.said.longitude == pytest.approx(-81.05, abs=5e-8)
    assert heard.said.yaw == pytest.approx(1.5, abs=5e-5)
    assert heard.packet == replace(WAY, payload=heard.packet.payload)


def test_one_message_that_means_nothing_does_not_spoil_the_others() -> None:
    payloads = [b"\x02\x20", b"\x0d\x00", b"\xff\xff", b"", b"\x0d\x00\xc8"]
    packets = [replace(WAY, payload=payload) for payload in payloads]
    data = b"\x02" + b"".join(judp.encode(packet)[0][1:] for packet in packets)
    asked, short, other, empty, request = (heard.said for heard in JausDecoder().decode(data))
    assert asked == QueryStatus()
    assert str(short) == "cut off"
    assert isinstance(other, NothingInIt)
    assert str(empty) == "cut off"
    assert request == RequestControl(200)


@pytest.mark.parametrize("dialect", Dialect)
def test_an_acknowledgement_is_not_the_message_once_more(dialect: Dialect) -> None:
    for acknowledge in Acknowledge:
        (data,) = encode(Resume(), replace(WAY, acknowledge=acknowledge), dialect)
        (heard,) = JausDecoder().decode(data)
        assert heard.packet.acknowledge is acknowledge
        if acknowledge in (Acknowledge.NO, Acknowledge.WANTED):
            assert heard.said == Resume()
        else:
            assert isinstance(heard.said, NothingInIt)


def test_a_large_message_is_heard_with_its_last_part() -> None:
    event = Event(1, 2, b"\x02\x42" + bytes(9000))
    decoder = JausDecoder()
    *before, last = [decoder.decode(data) for data in encode(event, WAY, Dialect.SAE)]
    assert before == [[], []]
    assert [heard.said for heard in last] == [event]


def test_a_part_alone_is_told() -> None:
    (data,) = judp.encode(replace(WAY, payload=b"\x02\x20", part=Part.LAST))
    (heard,) = JausDecoder().decode(data)
    assert str(heard.said) == "a part without the parts before it"


HEADS = st.sampled_from([b"", b"\x02\x00", b"JAUS01.0", b"JAUS01.0\x06\x02"])


@given(st.lists(st.tuples(HEADS, st.binary(max_size=80)), max_size=5))
def test_any_bytes_are_heard_or_unreadable(datagrams: list[tuple[bytes, bytes]]) -> None:
    decoder = JausDecoder()
    for head, rest in datagrams:
        try:
            found = decoder.decode(head + rest)
        except Unreadable:
            continue
        for heard in found:
            if not isinstance(heard.said, Unreadable):
                (data,) = encode(heard.said, heard.packet, heard.dialect)
                (again,) = JausDecoder().decode(data)
                assert repr(again.said) == repr(heard.said)
