"""Reports without asking each time: events, and the service connections that they replaced."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

from movenv.gateways.jaus.layout import Enclosed, Integer, Listed, Scaled, Text, Variant
from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.messages import Byte, Long, Short
from movenv.gateways.jaus.scaled import Dialect

EVENTS = (Dialect.SAE,)
CONNECTIONS = (Dialect.REFERENCE,)

Hertz = Annotated[float, Scaled(2, 0.0, 1092.0)]
Inner = Annotated[bytes, Enclosed()]


class When(IntEnum):
    """An event occurs."""

    PERIODIC = 0
    EVERY_CHANGE = 1


class Refusal(IntEnum):
    """Why there is no such event."""

    NOT_PERIODIC = 1
    NOT_BY_CHANGE = 2
    CONNECTION_REFUSED = 3
    INVALID_SETUP = 4
    MESSAGE_NOT_SUPPORTED = 5
    UNKNOWN_EVENT = 6


class Connected(IntEnum):
    """What became of a service connection."""

    SUCCESSFUL = 0
    NODE_NOT_CAPABLE = 1
    COMPONENT_NOT_CAPABLE = 2
    INSUFFICIENT_AUTHORITY = 3
    REFUSED = 4
    INVALID_PARAMETER = 5
    COMMAND_NOT_SUPPORTED = 6


@dataclass(frozen=True)
class CreateEvent(Message, code=0x01F0, dialects=EVENTS):
    request: Byte
    """By which the answer is known."""
    when: Byte
    rate: Hertz
    """0 for every change."""
    query: Inner
    """The query that each report answers."""


@dataclass(frozen=True)
class UpdateEvent(Message, code=0x01F1, dialects=EVENTS):
    request: Byte
    when: Byte
    rate: Hertz
    event: Byte
    query: Inner


@dataclass(frozen=True)
class CancelEvent(Message, code=0x01F2, dialects=EVENTS):
    request: Byte
    event: Byte


@dataclass(frozen=True)
class ConfirmEventRequest(Message, code=0x01F3, dialects=EVENTS):
    request: Byte
    event: Byte
    rate: Hertz
    """The nearest to the one asked for."""


@dataclass(frozen=True)
class RejectEventRequest(Message, code=0x01F4, presence=1, dialects=EVENTS):
    request: Byte
    response: Annotated[int | None, Integer(1)] = None
    error: Annotated[str | None, Text(80)] = None


class Which(IntEnum):
    """By what events are asked for."""

    QUERY = 0
    WHEN = 1
    EVENT = 2
    ALL = 3


@dataclass(frozen=True)
class QueryEvents(Message, code=0x21F0, dialects=EVENTS):
    which: Annotated[tuple[int, int], Variant((2, 1, 1, 1))] = (Which.ALL, 0)
    """A value of `Which`, and that of a code, of `When`, of an event, or 0."""


@dataclass(frozen=True)
class ReportEvents(Message, code=0x41F0, dialects=EVENTS):
    events: Annotated[
        tuple[tuple[int, int, bytes], ...], Listed((Integer(1), Integer(1), Enclosed()))
    ] = ()
    """Of each its `When`, its number and its query."""


@dataclass(frozen=True)
class Event(Message, code=0x41F1, dialects=EVENTS):
    event: Byte
    number: Byte
    """Counts how often it occurred."""
    report: Inner


@dataclass(frozen=True)
class CreateServiceConnection(Message, code=0x0008, dialects=CONNECTIONS):
    report: Short
    """The code of the messages that are wanted."""
    rate: Hertz
    wanted: Long
    """The presence vector that they should have."""


@dataclass(frozen=True)
class ConfirmServiceConnection(Message, code=0x0009, dialects=CONNECTIONS):
    report: Short
    instance: Byte
    rate: Hertz
    response: Byte = Connected.SUCCESSFUL


@dataclass(frozen=True)
class ActivateServiceConnection(Message, code=0x000A, dialects=CONNECTIONS):
    """After it was suspended."""

    report: Short
    instance: Byte


@dataclass(frozen=True)
class SuspendServiceConnection(Message, code=0x000B, dialects=CONNECTIONS):
    report: Short
    instance: Byte


@dataclass(frozen=True)
class TerminateServiceConnection(Message, code=0x000C, dialects=CONNECTIONS):
    report: Short
    instance: Byte
