"""What the join page and the gateway say to each other: JSON, one object a message."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from movenv.gateways.fix import NAN, Fix, Unreadable, sound_fix

LARGEST = 1 << 20
"""Bytes of a message; more is not read."""
MOST_FIXES = 1000
"""In one message. The page sends what it kept in a dead zone in messages of a hundred."""


class PageFix(msgspec.Struct, omit_defaults=True):
    """A fix as the page says it: `seq` counts up, `time` is in s since 1970, UTC, corrected."""

    seq: Annotated[int, msgspec.Meta(ge=0, lt=2**53)]
    time: float
    lat: float
    lon: float
    accuracy: float | None = None
    alt: float | None = None
    course: float | None = None
    speed: float | None = None
    battery: float | None = None


class Hello(msgspec.Struct, tag_field="type", tag="hello"):
    """The first word of a page: the secret of this phone."""

    key: Annotated[str, msgspec.Meta(min_length=16, max_length=200)]


class Fixes(msgspec.Struct, tag_field="type", tag="fixes"):
    fixes: Annotated[list[PageFix], msgspec.Meta(min_length=1, max_length=MOST_FIXES)]


class Ping(msgspec.Struct, tag_field="type", tag="ping"):
    sent: float
    views: int | None = None
    """How many views this connection has brought, so that none wait on a slow way."""


class Shown(msgspec.Struct, tag_field="type", tag="shown"):
    """A notice is on the screen, `delay` seconds after the Core sent it."""

    id: Annotated[str, msgspec.Meta(max_length=200)]
    delay: float


class Ack(msgspec.Struct, tag_field="type", tag="ack"):
    """Its carrier has seen it, `reaction` seconds after it was shown."""

    id: Annotated[str, msgspec.Meta(max_length=200)]
    reaction: float


Message = Hello | Fixes | Ping | Shown | Ack
_messages: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_encoder = msgspec.json.Encoder()


def message(data: bytes) -> Message:
    """What a page said. Raises Unreadable."""
    if len(data) > LARGEST:
        raise Unreadable("too large")
    try:
        return _messages.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as reason:
        raise Unreadable("garbled") from reason


def decode(data: bytes, token: str = "", after: int = -1) -> list[Fix]:
    """The sound fixes of a message, except those up to number `after`, which came before.

    `token` is that of the link they came through. Raises Unreadable.
    """
    said = message(data)
    if not isinstance(said, Fixes):
        raise Unreadable("no fix")
    found, reasons = [], []
    for fix in said.fixes:
        if fix.seq <= after:
            continue
        try:
            found.append(_sound(fix, token))
        except Unreadable as reason:
            reasons.append(reason)
    if reasons and not found:
        raise reasons[0]
    return found


def _sound(fix: PageFix, token: str) -> Fix:
    return sound_fix(
        fix.lat,
        fix.lon,
        time=fix.time,
        alt=_number(fix.alt),
        speed=_number(fix.speed),
        course=_number(fix.course),
        accuracy=_number(fix.accuracy),
        battery=_number(fix.battery),
        token=token,
        sequence=fix.seq,
    )


def _number(value: float | None) -> float:
    return NAN if value is None else value


def _said(value: float) -> float | None:
    return None if value != value else value


def encode(fixes: Sequence[Fix]) -> bytes:
    """As the page would say them, to rehearse a phone. Each needs a time and a sequence."""
    return _encoder.encode(
        Fixes(
            [
                PageFix(
                    fix.sequence,
                    fix.time,
                    fix.lat,
                    fix.lon,
                    _said(fix.accuracy),
                    _said(fix.alt),
                    _said(fix.course),
                    _said(fix.speed),
                    _said(fix.battery),
                )
                for fix in fixes
            ]
        )
    )


def encode_hello(key: str) -> bytes:
    return _encoder.encode(Hello(key))


def reply(kind: str, /, **said: object) -> str:
    """A message to the page."""
    return _encoder.encode({"type": kind, **said}).decode()


def view_reply(view: bytes) -> str:
    """A view, already JSON, as a message to the page."""
    return '{"type":"view",' + view.decode()[1:]
