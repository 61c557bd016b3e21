"""What the two framings have in common, and large messages that come in parts."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

from movenv.gateways.fix import Unreadable
from movenv.gateways.jaus.scaled import Dialect

MOST_BYTES = 1_000_000
"""Of one large message."""
MOST_UNDER_WAY = 16
"""Senders whose large messages are put together at a time; with more, the oldest is given up."""


class Address(NamedTuple):
    """A component of a node of a subsystem."""

    subsystem: int
    node: int
    component: int
    instance: int = 0
    """Told apart only by the Reference Architecture."""

    def __str__(self) -> str:
        return f"{self.subsystem}.{self.node}.{self.component}"

    def fits(self, dialect: Dialect) -> bool:
        """Whether there is such a subsystem in a dialect."""
        return self.subsystem < EVERY_SUBSYSTEM[dialect]

    def is_among(self, asked: "Address", dialect: Dialect) -> bool:
        """Whether a message to `asked` is for this one too, as it is if it is for everybody."""
        everybody = EVERY_SUBSYSTEM[dialect], EVERYBODY, EVERYBODY
        numbers = zip(asked[:3], self[:3], everybody, strict=True)
        return all(number in (own, every) for number, own, every in numbers)


EVERYBODY = 255
"""In the place of a node or a component."""
EVERY_SUBSYSTEM = {Dialect.SAE: 65535, Dialect.REFERENCE: EVERYBODY}
_ADDRESS = re.compile(r"(\d{1,5})\.(\d{1,3})\.(\d{1,3})", re.ASCII)


def address_in(text: str) -> Address:
    """As it is written: 126.1.10. Raises ValueError."""
    match = _ADDRESS.fullmatch(text)
    found = Address(*map(int, match.groups())) if match else Address(0, 0, 0)
    highest = (EVERY_SUBSYSTEM[Dialect.SAE], EVERYBODY, EVERYBODY)
    if not all(0 < number < most for number, most in zip(found[:3], highest, strict=True)):
        raise ValueError(
            f"'{text}' is no SUBSYSTEM.NODE.COMPONENT, up to 65534.254.254; 126.1.10 is one"
        )
    return found


class Priority(IntEnum):
    LOW = 0
    STANDARD = 1
    HIGH = 2
    SAFETY_CRITICAL = 3


class Broadcast(IntEnum):
    NO = 0
    LOCAL = 1
    GLOBAL = 2
    RESERVED = 3


class Acknowledge(IntEnum):
    NO = 0
    WANTED = 1
    REFUSED = 2
    DONE = 3


class Part(IntEnum):
    """Of a large message."""

    WHOLE = 0
    FIRST = 1
    MIDDLE = 2
    LAST = 3


@dataclass(frozen=True)
class Packet:
    """A message on its way: two bytes of code and its body; or a part of one."""

    destination: Address
    source: Address
    payload: bytes
    sequence: int = 0
    priority: Priority = Priority.STANDARD
    broadcast: Broadcast = Broadcast.NO
    """Always NO in the Reference Architecture, where an address says it: 255 is everybody."""
    acknowledge: Acknowledge = Acknowledge.NO
    part: Part = Part.WHOLE
    service_connection: bool = False
    """Only in the Reference Architecture: it came, or goes, by a service connection."""

    def parts(self, most: int) -> list["Packet"]:
        """As many packets as it takes with at most so many bytes of payload in each."""
        pieces = [self.payload[at : at + most] for at in range(0, len(self.payload), most)]
        if len(pieces) <= 1:
            return [self]
        kinds = [Part.FIRST, *[Part.MIDDLE] * (len(pieces) - 2), Part.LAST]
        return [
            replace(self, payload=piece, part=kind, sequence=(self.sequence + k) % 2**16)
            for k, (piece, kind) in enumerate(zip(pieces, kinds, strict=True))
        ]


def packets_in(
    data: bytes, at: int, read: Callable[[bytes, int], tuple[Packet, int]]
) -> list[Packet]:
    """All that stand one behind the other; `read` gives the one at a place and its length."""
    found = []
    while at < len(data):
        packet, size = read(data, at)
        found.append(packet)
        at += size
    if not found:
        raise Unreadable("cut off")
    return found


@dataclass
class _Growing:
    first: Packet
    data: bytearray
    sequence: int


_Way = tuple[str, Address, Address]
"""Sender, source and destination."""


class Assembly:
    """Puts large messages together; each sender has one under way at a time.

    Its parts must come in order, with sequence numbers that follow each other; a part that comes
    twice does no harm.
    """

    def __init__(self) -> None:
        self._under_way: dict[_Way, _Growing] = {}

    def add(self, packet: Packet, sender: str = "") -> Packet | None:
        """The whole message, once it is. Raises Unreadable if parts are missing.

        `sender` is where the packet came from: nobody spoils a message of somebody elsewhere.
        """
        if packet.part is Part.WHOLE:
            return packet
        way = (sender, packet.source, packet.destination)
        if packet.part is Part.FIRST:
            self._under_way.pop(way, None)
            if len(self._under_way) >= MOST_UNDER_WAY:
                del self._under_way[next(iter(self._under_way))]
            self._under_way[way] = _Growing(packet, bytearray(packet.payload), packet.sequence)
            return None
        growing = self._under_way.get(way)
        if growing is not None and packet.sequence == growing.sequence:
            return None
        if growing is None or packet.sequence != (growing.sequence + 1) % 2**16:
            self._under_way.pop(way, None)
            raise Unreadable("a part without the parts before it")
        return self._go_on(way, growing, packet)

    def _go_on(self, way: _Way, growing: _Growing, packet: Packet) -> Packet | None:
        growing.data += packet.payload
        growing.sequence = packet.sequence
        if packet.part is not Part.LAST and len(growing.data) <= MOST_BYTES:
            return None
        del self._under_way[way]
        if len(growing.data) > MOST_BYTES:
            raise Unreadable("too large a message")
        return replace(growing.first, payload=bytes(growing.data), part=Part.WHOLE)
