"""Packets in datagrams: by hand, in parts, and cut anywhere."""

import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from movenv.gateways.fix import NothingInIt, Unreadable
from movenv.gateways.jaus import judp, reference
from movenv.gateways.jaus.packet import (
    MOST_BYTES,
    MOST_UNDER_WAY,
    Acknowledge,
    Address,
    Assembly,
    Broadcast,
    Packet,
    Part,
    Priority,
)

KNOWN = bytes.fromhex("02001100190a017e0014017e000d00c80100")
"""Request Control with authority 200, from 126.1.20 to 126.1.10."""
HELD = Packet(Address(1, 2, 3), Address(4, 5, 6), b"\x02\x42", 7)
BYTES = st.integers(0, 255)


def addresses(most: int, instance: st.SearchStrategy[int]) -> st.SearchStrategy[Address]:
    return st.builds(Address, st.integers(0, most), BYTES, BYTES, instance)


@st.composite
def packets(draw: st.DrawFn, framing: str, longest: int = 300) -> Packet:
    sae = framing == "judp"
    whom = addresses(65535 if sae else 255, st.just(0) if sae else BYTES)
    return Packet(
        destination=draw(whom),
        source=draw(whom),
        payload=draw(st.binary(min_size=2, max_size=longest)),
        sequence=draw(st.integers(0, 65535)),
        priority=draw(st.sampled_from(Priority)),
        broadcast=draw(st.sampled_from(Broadcast)) if sae else Broadcast.NO,
        acknowledge=draw(st.sampled_from(Acknowledge)),
        service_connection=False if sae else draw(st.booleans()),
    )


def test_the_known_frame_both_ways() -> None:
    (packet,) = judp.decode(KNOWN)
    assert packet == Packet(
        destination=Address(126, 1, 10),
        source=Address(126, 1, 20),
        payload=b"\x0d\x00\xc8",
        sequence=1,
        priority=Priority.STANDARD,
        broadcast=Broadcast.GLOBAL,
        acknowledge=Acknowledge.WANTED,
    )
    assert judp.encode(packet) == [KNOWN]


@given(packets("judp"))
def test_judp_by_hand(packet: Packet) -> None:
    flags = packet.priority + 4 * packet.broadcast + 16 * packet.acknowledge
    size = 1 + 2 + 1 + 4 + 4 + len(packet.payload) + 2
    to, by = packet.destination, packet.source
    by_hand = b"\x02\x00" + struct.pack("<HB", size, flags)
    by_hand += struct.pack("<BBH", to.component, to.node, to.subsystem)
    by_hand += struct.pack("<BBH", by.component, by.node, by.subsystem)
    by_hand += packet.payload + struct.pack("<H", packet.sequence)
    assert judp.encode(packet) == [by_hand]
    assert judp.decode(by_hand) == [packet]


@given(packets("reference"))
def test_reference_by_hand(packet: Packet) -> None:
    """As OpenJAUS packs it: priority 6 is the standard one, version 2 is 3.2 and 3.3."""
    properties = {0: 3, 1: 6, 2: 9, 3: 12}[packet.priority]
    properties += 16 * packet.acknowledge + 64 * packet.service_connection
    to, by = packet.destination, packet.source
    by_hand = b"JAUS01.0" + bytes([properties, 2]) + packet.payload[:2]
    by_hand += bytes([to.instance, to.component, to.node, to.subsystem])
    by_hand += bytes([by.instance, by.component, by.node, by.subsystem])
    by_hand += struct.pack("<HH", len(packet.payload) - 2, packet.sequence) + packet.payload[2:]
    assert reference.encode(packet) == [by_hand]
    assert reference.decode(by_hand) == [packet]


@pytest.mark.parametrize(("written", "priority"), [(0, 0), (5, 0), (8, 1), (11, 2), (15, 3)])
def test_sixteen_priorities_become_four(written: int, priority: int) -> None:
    (data,) = reference.encode(HELD)
    (packet,) = reference.decode(data[:8] + bytes([written]) + data[9:])
    assert packet.priority == priority


@given(st.lists(packets("judp"), min_size=1, max_size=4))
def test_several_messages_in_one_datagram(several: list[Packet]) -> None:
    together = b"\x02" + b"".join(judp.encode(packet)[0][1:] for packet in several)
    assert judp.decode(together) == several


@given(st.lists(packets("reference"), min_size=1, max_size=4))
def test_several_messages_behind_one_prefix(several: list[Packet]) -> None:
    together = b"JAUS01.0" + b"".join(reference.encode(packet)[0][8:] for packet in several)
    assert reference.decode(together) == several


@pytest.mark.parametrize("framing", [judp, reference])
def test_cut_anywhere_it_is_refused(framing: object) -> None:
    codec = judp if framing is judp else reference
    (data,) = codec.encode(HELD)
    for length in range(len(data)):
        with pytest.raises(Unreadable):
            codec.decode(data[:length])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x01" + KNOWN[1:], "another version than AS5669A"),
        (b"", "another version than AS5669A"),
        (b"\x02\x01" + KNOWN[2:], "compressed header or unknown type"),
        (b"\x02\x40" + KNOWN[2:], "compressed header or unknown type"),
        (b"\x02", "cut off"),
        (KNOWN[:2] + b"\x0d\x00" + KNOWN[4:], "size does not fit"),
        (KNOWN[:2] + b"\x12\x00" + KNOWN[4:], "size does not fit"),
    ],
)
def test_what_judp_is_refused_for(data: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        judp.decode(data)


@pytest.mark.parametrize(
    ("at", "byte", "why"),
    [
        (7, ord("1"), "no JAUS01.0 in front"),
        (9, 1, "another version than 3.2 and 3.3"),
        (8, 0x86, "an experimental message"),
        (20, 1, "size does not fit"),
        (21, 0x30, "unknown data flag"),
    ],
)
def test_what_reference_is_refused_for(at: int, byte: int, why: str) -> None:
    (data,) = reference.encode(HELD)
    with pytest.raises(Unreadable, match=why) as refused:
        reference.decode(data[:at] + bytes([byte]) + data[at + 1 :])
    assert isinstance(refused.value, NothingInIt) == (byte == 0x86)


@pytest.mark.parametrize("name", ["judp", "reference"])
@pytest.mark.parametrize("length", [4078, 4080, 4081, 4086, 4087, 20_000])
def test_large_messages_go_in_parts_and_come_together(name: str, length: int) -> None:
    codec = judp if name == "judp" else reference
    packet = replace(HELD, payload=bytes(k % 251 for k in range(length)), sequence=65534)
    datagrams = codec.encode(packet)
    assert max(map(len, datagrams)) <= 4104
    assembly = Assembly()
    *before, last = [assembly.add(part) for data in datagrams for part in codec.decode(data)]
    assert before == [None] * (len(datagrams) - 1)
    assert last == packet


def test_the_flags_of_parts() -> None:
    packet = replace(HELD, payload=bytes(10_000))
    assert [data[4] >> 6 for data in judp.encode(packet)] == [1, 2, 3]
    assert [data[21] >> 4 for data in reference.encode(packet)] == [1, 2, 8]
    assert [data[10:12] for data in reference.encode(packet)] == [b"\0\0"] * 3, "the code in each"


def test_a_part_sent_once_more_is_a_middle_one() -> None:
    data = reference.encode(replace(HELD, payload=bytes(10_000)))[1]
    (packet,) = reference.decode(data[:21] + bytes([data[21] & 0x0F | 0x40]) + data[22:])
    assert packet.part is Part.MIDDLE


def some_parts(count: int, source: int = 6) -> list[Packet]:
    packet = replace(HELD, source=Address(4, 5, source), payload=bytes(range(count)))
    return packet.parts(1)


def test_parts_twice_do_no_harm() -> None:
    assembly = Assembly()
    parts = some_parts(4)
    found = [assembly.add(part) for part in parts[:3] for _ in range(2)]
    assert found == [None] * 6
    whole = assembly.add(parts[3])
    assert whole is not None
    assert whole.payload == bytes(range(4))


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_without_a_part_there_is_no_message(missing: int) -> None:
    assembly = Assembly()
    parts = some_parts(4)
    del parts[missing]
    refused = 0
    for part in parts:
        try:
            assert assembly.add(part) is None
        except Unreadable:
            refused += 1
    assert refused


def test_a_new_beginning_forgets_the_old_one() -> None:
    assembly = Assembly()
    old, new = some_parts(4), some_parts(3)
    for part in (*old[:2], *new[:2]):
        assert assembly.add(part) is None
    whole = assembly.add(new[2])
    assert whole is not None
    assert whole.payload == bytes(range(3))


def test_parts_from_elsewhere_spoil_nothing() -> None:
    assembly = Assembly()
    ours, theirs = some_parts(3), some_parts(4)
    for k in range(2):
        assert assembly.add(ours[k], "10.0.0.1:5000") is None
        assert assembly.add(theirs[0], "10.0.0.2:5000") is None
    whole = assembly.add(ours[2], "10.0.0.1:5000")
    assert whole is not None
    assert whole.payload == bytes(range(3))


def test_no_more_senders_than_there_is_room_for() -> None:
    assembly = Assembly()
    senders = [some_parts(2, source) for source in range(MOST_UNDER_WAY + 1)]
    for first, _ in senders:
        assembly.add(first)
    with pytest.raises(Unreadable):
        assembly.add(senders[0][1])
    assert all(assembly.add(last) is not None for _, last in senders[1:])


def test_no_more_bytes_than_there_is_room_for() -> None:
    assembly = Assembly()
    piece = bytes(60_000)
    assembly.add(replace(HELD, payload=piece, part=Part.FIRST, sequence=0))
    fits = MOST_BYTES // len(piece)
    for k in range(1, fits):
        assembly.add(replace(HELD, payload=piece, part=Part.MIDDLE, sequence=k))
    with pytest.raises(Unreadable, match="too large"):
        assembly.add(replace(HELD, payload=piece, part=Part.MIDDLE, sequence=fits))
    with pytest.raises(Unreadable, match="without the parts before it"):
        assembly.add(replace(HELD, part=Part.LAST, sequence=fits + 1))
