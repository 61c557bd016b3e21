"""Messages as bytes, by the layout that each class tells."""

from dataclasses import Field as Attribute
from dataclasses import dataclass, fields
from typing import Any, ClassVar, get_type_hints

from movenv.gateways.fix import NothingInIt, Unreadable
from movenv.gateways.jaus.layout import Field, Reader
from movenv.gateways.jaus.scaled import Dialect

EVERYWHERE = (Dialect.SAE, Dialect.REFERENCE)

KNOWN: dict[Dialect, dict[int, type["Message"]]] = {dialect: {} for dialect in Dialect}
"""Messages by their codes; each class adds itself."""
_layouts: dict[tuple[type["Message"], Dialect], tuple["Place", ...]] = {}


@dataclass(frozen=True)
class Message:
    """Its fields, in the order of the wire, are annotated with how they stand there.

    With a presence vector, fields that may be nan or None are there or not, one bit each from
    the lowest up.
    """

    code: ClassVar[int]
    presence: ClassVar[int]
    """Bytes of the presence vector; 0 without one."""
    dialects: ClassVar[tuple[Dialect, ...]]

    def __init_subclass__(
        cls,
        code: int | None = None,
        presence: int = 0,
        dialects: tuple[Dialect, ...] = EVERYWHERE,
    ) -> None:
        if code is None:
            return
        cls.code, cls.presence, cls.dialects = code, presence, dialects
        for dialect in dialects:
            KNOWN[dialect][code] = cls


@dataclass(frozen=True)
class Place:
    """A field of a message: its name, its bytes, and whether it may be left out."""

    name: str
    field: Field
    optional: bool


def layout(kind: type[Message], dialect: Dialect) -> tuple[Place, ...]:
    if (kind, dialect) not in _layouts:
        hints = get_type_hints(kind, include_extras=True)
        places = [_place(kind, one, hints[one.name].__metadata__[0]) for one in fields(kind)]
        known = [place for place in places if place.field.only in (None, dialect)]
        _layouts[kind, dialect] = tuple(known)
    return _layouts[kind, dialect]


def encode_message(message: Message, dialect: Dialect) -> bytes:
    """Code and body."""
    if dialect not in message.dialects:
        raise ValueError(f"{type(message).__name__} is no message of {dialect.value}")
    vector, bit, body = 0, 1, b""
    for place in layout(type(message), dialect):
        value = getattr(message, place.name)
        there = not (place.optional and _absent(value))
        if there:
            body += place.field.write(value, dialect)
        if place.optional:
            vector |= bit * there
            bit <<= 1
    presence = vector.to_bytes(message.presence, "little")
    return message.code.to_bytes(2, "little") + presence + body


def decode_message(payload: bytes, dialect: Dialect) -> Message:
    """Raises Unreadable, and NothingInIt where the code is none of ours.

    Bits of a presence vector that stand for no field are not looked at: there are senders that
    set them all.
    """
    reader = Reader(payload)
    kind = KNOWN[dialect].get(reader.integer(2))
    if kind is None:
        raise NothingInIt("another message")
    vector = reader.integer(kind.presence)
    values: dict[str, Any] = {}
    for place in layout(kind, dialect):
        there = True
        if place.optional:
            there, vector = bool(vector & 1), vector >> 1
        if there:
            values[place.name] = place.field.read(reader, dialect)
    if reader.left():
        raise Unreadable("longer than its fields")
    return kind(**values)


def _place(kind: type[Message], one: "Attribute[Any]", field: Field) -> Place:
    return Place(one.name, field, optional=kind.presence > 0 and _absent(one.default))


def _absent(value: object) -> bool:
    return value is None or value != value
