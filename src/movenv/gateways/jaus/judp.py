"""AS5669A: JAUS messages in UDP datagrams, and the header in front of each."""

import struct

from movenv.gateways.fix import Unreadable
from movenv.gateways.jaus.packet import (
    Acknowledge,
    Address,
    Broadcast,
    Packet,
    Part,
    Priority,
    packets_in,
)

PORT = 3794
VERSION = b"\x02"
LONGEST = 4101
"""Bytes of a datagram that we write; longer messages go in parts."""

_HEAD = struct.Struct("<BHBBBHBBH")
"""Type and compression, size, flags; component, node and subsystem to and from whom."""
_FOOT = struct.Struct("<H")
_BESIDES = _HEAD.size + _FOOT.size


def encode(packet: Packet) -> list[bytes]:
    """The datagrams that carry it: several only if it is too long for one."""
    return [VERSION + _written(part) for part in packet.parts(LONGEST - 1 - _BESIDES)]


def decode(data: bytes) -> list[Packet]:
    """The packets of a datagram, which may be parts of large messages. Raises Unreadable."""
    if data[:1] != VERSION:
        raise Unreadable("another version than AS5669A")
    return packets_in(data, 1, _read)


def _written(packet: Packet) -> bytes:
    to, by = packet.destination, packet.source
    flags = packet.priority | packet.broadcast << 2 | packet.acknowledge << 4 | packet.part << 6
    head = _HEAD.pack(
        0, _BESIDES + len(packet.payload), flags,
        to.component, to.node, to.subsystem, by.component, by.node, by.subsystem,
    )  # fmt: skip
    return head + packet.payload + _FOOT.pack(packet.sequence)


def _read(data: bytes, at: int) -> tuple[Packet, int]:
    if len(data) - at < _BESIDES:
        raise Unreadable("cut off")
    kind, size, flags, *ids = _HEAD.unpack_from(data, at)
    if kind:  # which two of its bits tell of compression, implementations do not agree on
        raise Unreadable("compressed header or unknown type")
    if not _BESIDES <= size <= len(data) - at:
        raise Unreadable("size does not fit")
    end = at + size - _FOOT.size
    packet = Packet(
        destination=Address(ids[2], ids[1], ids[0]),
        source=Address(ids[5], ids[4], ids[3]),
        payload=data[at + _HEAD.size : end],
        sequence=_FOOT.unpack_from(data, end)[0],
        priority=Priority(flags & 3),
        broadcast=Broadcast(flags >> 2 & 3),
        acknowledge=Acknowledge(flags >> 4 & 3),
        part=Part(flags >> 6),
    )
    return packet, size
