"""The Reference Architecture's header of 16 bytes, behind the prefix that it has over UDP."""

import struct

from movenv.gateways.fix import NothingInIt, Unreadable
from movenv.gateways.jaus.packet import Acknowledge, Address, Packet, Part, Priority, packets_in

PREFIX = b"JAUS01.0"
MOST_DATA = 4080
"""Bytes of one packet, without its header; longer messages go in parts."""
VERSION = 2
"""3.2 and 3.3."""

_HEAD = struct.Struct("<BB2s4B4BHH")
"""Properties, version, code; instance to subsystem to and from whom; data control, sequence."""
_FLAGS = {Part.WHOLE: 0, Part.FIRST: 1, Part.MIDDLE: 2, Part.LAST: 8}
_PARTS = {flag: part for part, flag in _FLAGS.items()} | {4: Part.MIDDLE}  # 4: sent once more
_EXPERIMENTAL = 0x80
_CODE = 2
_NAMED = (Part.WHOLE, Part.FIRST)
"""Parts whose payload begins with the code; it stands in the header of all."""


def encode(packet: Packet) -> list[bytes]:
    """The datagrams that carry it: several only if it is too long for one."""
    code = packet.payload[:_CODE]
    return [PREFIX + _written(part, code) for part in packet.parts(MOST_DATA)]


def decode(data: bytes) -> list[Packet]:
    """The packets of a datagram, which may be parts of large messages. Raises Unreadable."""
    if not data.startswith(PREFIX):
        raise Unreadable("no JAUS01.0 in front")
    return packets_in(data, len(PREFIX), _read)


def _written(packet: Packet, code: bytes) -> bytes:
    body = packet.payload[_CODE:] if packet.part in _NAMED else packet.payload
    properties = (3 * packet.priority + 3) | packet.acknowledge << 4
    properties |= packet.service_connection << 6
    control = len(body) | _FLAGS[packet.part] << 12
    to, by = packet.destination[::-1], packet.source[::-1]
    head = _HEAD.pack(properties, VERSION, code, *to, *by, control, packet.sequence)
    return head + body


def _read(data: bytes, at: int) -> tuple[Packet, int]:
    if len(data) - at < _HEAD.size:
        raise Unreadable("cut off")
    properties, version, code, *ids, control, sequence = _HEAD.unpack_from(data, at)
    if version & 0x3F != VERSION:
        raise Unreadable("another version than 3.2 and 3.3")
    if properties & _EXPERIMENTAL:
        raise NothingInIt("an experimental message")
    part = _PARTS.get(control >> 12)
    if part is None:
        raise Unreadable("unknown data flag")
    body = data[at + _HEAD.size : at + _HEAD.size + (control & 0xFFF)]
    if len(body) != control & 0xFFF:
        raise Unreadable("size does not fit")
    packet = Packet(
        destination=Address(*ids[3::-1]),
        source=Address(*ids[:3:-1]),
        payload=code + body if part in _NAMED else body,
        sequence=sequence,
        priority=Priority(min(max((properties & 15) // 3 - 1, 0), 3)),
        acknowledge=Acknowledge(properties >> 4 & 3),
        part=part,
        service_connection=bool(properties >> 6 & 1),
    )
    return packet, _HEAD.size + len(body)
