"""The plain datagram: one JSON object or msgpack map a fix."""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from movenv.gateways.fix import NAN, Fix, Unreadable, sound_fix

Number = float | None


class Written(msgspec.Struct, omit_defaults=True):
    """The keys as they stand in a datagram. null is as good as not there."""

    lat: float
    lon: float
    id: str | int | None = None
    vid: int | None = None
    t: Number = None
    alt: Number = None
    speed: Number = None
    course: Number = None
    acc: Number = None
    batt: Number = None
    seq: int | None = None
    token: str | None = None
    notify: bool | None = None


@dataclass(frozen=True)
class Packet:
    """A fix and what else its sender said."""

    fix: Fix
    vid: int
    """0 when it told none."""
    notify: bool
    """It wishes to be told what is around it."""


_from_json = msgspec.json.Decoder(Written)
_from_msgpack = msgspec.msgpack.Decoder(Written)


def decode_packet(data: bytes) -> Packet:
    """Raises Unreadable."""
    written = _written(data)
    fix = sound_fix(
        written.lat,
        written.lon,
        time=_number(written.t),
        alt=_number(written.alt),
        speed=_number(written.speed),
        course=_number(written.course),
        accuracy=_number(written.acc),
        battery=_number(written.batt),
        device="" if written.id is None else str(written.id),
        token=written.token or "",
        sequence=-1 if written.seq is None else written.seq,
    )
    return Packet(fix, written.vid or 0, bool(written.notify))


def decode_datagram(data: bytes) -> list[Fix]:
    """Raises Unreadable."""
    return [decode_packet(data).fix]


def encode_json(fix: Fix) -> bytes:
    return msgspec.json.encode(_to_write(fix))


def encode_msgpack(fix: Fix) -> bytes:
    return msgspec.msgpack.encode(_to_write(fix))


ENCODERS: dict[str, Callable[[Fix], bytes]] = {"json": encode_json, "msgpack": encode_msgpack}
"""For rehearsals: what a sender would send."""


def _written(data: bytes) -> Written:
    first = data[:1]
    try:
        if first == b"{":
            return _from_json.decode(data)
        if b"\x80" <= first <= b"\x8f" or first in (b"\xde", b"\xdf"):
            return _from_msgpack.decode(data)
    except msgspec.ValidationError as error:
        raise Unreadable("a key is missing or wrong") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable("garbled") from error
    raise Unreadable("neither JSON nor msgpack")


def _number(value: Number) -> float:
    return NAN if value is None else value


def _to_write(fix: Fix) -> Written:
    return Written(
        fix.lat,
        fix.lon,
        id=fix.device or None,
        t=_known(fix.time),
        alt=_known(fix.alt),
        speed=_known(fix.speed),
        course=_known(fix.course),
        acc=_known(fix.accuracy),
        batt=_known(fix.battery),
        seq=fix.sequence if fix.sequence >= 0 else None,
        token=fix.token or None,
    )


def _known(value: float) -> Number:
    return value if value == value else None  # nan is not itself
