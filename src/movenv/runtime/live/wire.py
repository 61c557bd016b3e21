"""What processes say to each other: bytes to messages and back, without any I/O.

Every message is two letters, a version, a kind and a msgpack body; tables of vehicles travel
inside as the CDR columns that also stand in recordings. Whatever is not exactly that is refused.
"""

from typing import ClassVar, TypeVar

import msgspec
import numpy as np

from movenv.recording.cdr import AnyTable, DecodeError, Layout
from movenv.recording.order_record import OrderRecord
from movenv.runtime.live.clock import Schedule
from movenv.world.awareness import Others
from movenv.world.messages import (
    Broadcasts,
    Detections,
    Finds,
    Inbox,
    Motions,
    Notices,
    Receptions,
)
from movenv.world.run_state import RunState

MAGIC = b"MV"
VERSION = 3
HEAD = len(MAGIC) + 2
LONGEST_TICK = 1e13
"""ns; the slowest run has ticks of a quarter of an hour."""

MOTIONS = Layout("movenv/msg/Motions", "A host's vehicles.", {}, Motions)
RECEPTIONS = Layout("movenv/msg/Receptions", "How a gateway hears its vehicles.", {}, Receptions)
DETECTIONS = Layout("movenv/msg/Detections", "A host's finds.", {}, Detections)
OTHERS = Layout("movenv/msg/Others", "The vehicles near a host's own.", {}, Others)
INBOX = Layout("movenv/msg/Inbox", "What a host's vehicles hear.", {}, Inbox)
FINDS = Layout("movenv/msg/Finds", "Who has found whom.", {}, Finds)
NOTICES = Layout("movenv/msg/Notices", "Notices to a host's vehicles.", {}, Notices)


class Garbled(ValueError):
    """Bytes that are no message of ours."""


class OtherVersion(Garbled):
    """A message of another version of the protocol."""


class Message(msgspec.Struct, array_like=True):
    """Base of all messages; `kind` is the byte that tells them apart."""

    kind: ClassVar[int] = 0

    def encoded(self) -> bytes:
        return MAGIC + bytes((VERSION, self.kind)) + _ENCODER.encode(self)


_ENCODER = msgspec.msgpack.Encoder()
AnyMessage = TypeVar("AnyMessage", bound=Message)


def decode(wanted: type[AnyMessage], data: bytes) -> AnyMessage:
    """The message in some bytes. Raises Garbled for anything else."""
    if len(data) < HEAD or data[:2] != MAGIC:
        raise Garbled("not a message")
    if data[2] != VERSION:
        raise OtherVersion(f"version {data[2]} of the protocol, this is {VERSION}")
    if data[3] != wanted.kind:
        raise Garbled(f"a message of kind {data[3]}, not {wanted.kind}")
    try:
        return msgspec.msgpack.decode(memoryview(data)[HEAD:], type=wanted)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Garbled(str(error)) from None


def pack(layout: Layout[AnyTable], table: AnyTable) -> bytes:
    return layout.encode({}, table) if len(table) else b""


def unpack(layout: Layout[AnyTable], data: bytes) -> AnyTable:
    """A table with columns of its own. Raises Garbled."""
    if not data:
        return layout.table.empty()
    try:
        _, table = layout.decode(data)
    except DecodeError as error:
        raise Garbled(str(error)) from None
    return layout.table({name: np.array(column) for name, column in table.columns()})


class Beacon(Message):
    """Core → everyone: where the run stands. Sent at every change, and again and again."""

    kind: ClassVar[int] = 1

    run: str
    """The run: the same after the Core was restarted."""
    core: str
    """This very Core process."""
    change: int
    """Counts the changes of the run state: an older beacon does not undo a newer one."""
    state: int
    tick: int
    """The last tick the Core has stated."""
    anchor_tick: int
    anchor_at: int
    pace: float
    """The schedule of ticks on the Core's clock. `pace` is 0 while a Core that was started again
    has yet to learn it from the hosts."""
    hold_at: int
    """In PAUSE: the tick after which nobody moves."""

    @property
    def schedule(self) -> Schedule | None:
        """When ticks are due; None while the Core does not know. Raises Garbled."""
        if self.pace != 0 and not 1 <= self.pace <= LONGEST_TICK:
            raise Garbled(f"a tick of {self.pace} ns")
        return Schedule(self.anchor_tick, self.anchor_at, self.pace) if self.pace else None

    @property
    def run_state(self) -> RunState:
        try:
            return RunState(self.state)
        except ValueError as error:
            raise Garbled(str(error)) from None


class ReportMessage(Message):
    """Host → Core: a report, how the host is doing, and what the clocks need."""

    kind: ClassVar[int] = 2

    ticket: int
    """Given at joining: proves that these vehicles are the sender's."""
    sequence: int
    sent: int
    """On the host's clock, ns."""
    due: int
    """When the tick was due on the Core's clock, as the host has measured it, ns; 0 if unknown."""
    tick: int
    told_tick: int
    """The latest tick that the Core has told of."""
    t: float
    state: int
    margin: float
    """The share of the last tick that was slept."""
    lag: int
    """How late the tick began, ns."""
    worst_lag: int
    late: int
    """Ticks lived with older awareness than that of the tick before."""
    held: int
    """Ticks spent standing still because the Core was not heard."""
    offset: int
    uncertainty: int
    """The Core's clock less the host's, and how sure that is, ns."""
    garbled: int
    """Messages to this host that made no sense."""
    health: str
    """Empty when all is well."""
    refused: dict[str, int]
    """What a gateway has dropped so far, by reason; empty from other hosts."""
    motions: bytes
    receptions: bytes
    """How well a gateway hears its vehicles; empty from other hosts."""
    detections: bytes
    speakers: list[int]
    payloads: list[bytes]
    """What its vehicles say by radio, and which."""
    remarks: list[tuple[int, str]]
    """What its vehicles tell the operator: vid and words."""
    orders: int
    """The highest number among the orders it has."""

    @property
    def broadcasts(self) -> Broadcasts:
        """Raises Garbled."""
        try:
            return Broadcasts(np.array(self.speakers, np.uint32), self.payloads)
        except (ValueError, OverflowError) as error:
            raise Garbled(str(error)) from None


class GatewayNews(Message):
    """Gateway → Core: what came in from the world and what became of it, for the recording."""

    kind: ClassVar[int] = 11

    ticket: int
    sequence: int
    packets: list[bytes]
    """Each the JSON of a record of packets, ready to be written."""
    happenings: list[tuple[str, str, int]]
    """What is worth telling: kind, words, vid."""


class AwarenessMessage(Message):
    """Core → one host: the run state, its neighbours, its notices, and the clocks."""

    kind: ClassVar[int] = 3

    beacon: Beacon
    tick: int
    t: float
    echo_sent: int
    """`sent` of the host's latest report."""
    echo_received: int
    """When that report came, on the Core's clock, ns."""
    answered: int
    """When this was sent, on the Core's clock, ns."""
    others: bytes
    notices: bytes
    inbox: bytes
    payloads: list[bytes]
    finds: bytes
    """Who has found whom so far, of the pairs that missions ask for."""
    orders: list[OrderRecord]
    """Orders that the host has not said it has, oldest first."""
    wheels: list[tuple[int, int]] = msgspec.field(default_factory=list)
    """Its vehicles that are driven from outside: vid and the ticket of who may; 0 for nobody."""

    @property
    def heard(self) -> Inbox:
        """What the host's vehicles hear by radio. Raises Garbled."""
        table = unpack(INBOX, self.inbox)
        if len(table) and int(table.row.max()) >= len(self.payloads):
            raise Garbled("a message without its payload")
        table.payloads = self.payloads
        return table


class JoinRequest(Message):
    """Host → Core: who I am and whom I bring."""

    kind: ClassVar[int] = 4

    name: str
    include: list[str]
    """Name patterns of its vehicles."""
    exclude: list[str]
    share: tuple[int, int]
    """(i, n): the i-th of n shares of those vehicles."""
    vids: list[int]
    """After the Core was restarted: the vehicles it has already."""
    sent: int
    orders: list[OrderRecord] = msgspec.field(default_factory=list)
    """After the Core was restarted: the orders that its vehicles obey."""
    real: bool = False
    """Whether it is a gateway, which brings real vehicles and no others."""
    wheels: list[tuple[int, int]] = msgspec.field(default_factory=list)
    """After the Core was restarted: its vehicles that are driven from outside, with tickets."""


class Joined(Message):
    """Core → host: these are yours."""

    kind: ClassVar[int] = 5

    beacon: Beacon
    ticket: int
    vids: list[int]
    motions: bytes
    """Where they were last; empty before anything moved."""
    received: int
    answered: int
    orders: list[OrderRecord] = msgspec.field(default_factory=list)
    """What they were told to do, and nobody has told them otherwise since."""
    wheels: list[tuple[int, int]] = msgspec.field(default_factory=list)
    """Those that are driven from outside, as in Awareness."""


class Refusal(Message):
    """Core → whoever asked: no, and why."""

    kind: ClassVar[int] = 6

    why: str
    passing: bool = False
    """Whether it is worth asking again in a moment."""


class Command(Message):
    """Operator → Core: change the run state."""

    kind: ClassVar[int] = 7

    state: int
    who: str


class Done(Message):
    """Core → operator: it is so; `beacon` tells where the run stands now."""

    kind: ClassVar[int] = 8

    beacon: Beacon
    silent: list[str]
    """Vehicles that have not reported or are lost; the first few."""


class Mark(Message):
    """Operator → Core: something to remember, in words."""

    kind: ClassVar[int] = 12

    text: str
    who: str


class Marked(Message):
    """Core → operator: the mark is in the recording."""

    kind: ClassVar[int] = 13

    t: float
    """When in the run."""


class OrderMessage(Message):
    """Operator → Core: have vehicles do something."""

    kind: ClassVar[int] = 14

    what: str
    who: str
    vehicles: list[str]
    """Names, or patterns."""
    unit: str = ""
    to: list[list[float] | dict[str, float]] = msgspec.field(default_factory=list)
    """[x, y] or [x, y, z] in local metres, or lat, lon and perhaps alt."""
    speed: float | None = None
    roads: str = "off"
    formation: str = ""
    spacing: float | None = None
    leader: str = ""


class Ordered(Message):
    """Core → operator: the order is given and in the recording."""

    kind: ClassVar[int] = 15

    number: int
    t: float
    """When in the run."""
    vehicles: list[str]
    """Whom it is given to."""


class Records(Message):
    """Core → recorder and whoever watches: what goes into the recording, ready to be written."""

    kind: ClassVar[int] = 9

    run: str
    core: str
    sequence: int
    """Counts what is to be recorded, from 1 for each Core. To a new recorder what was kept is sent
    again with the same numbers."""
    keep: bool
    """Whether it belongs into the recording, or only tells watchers where everyone stands."""
    sent: int
    """On the Core's clock, ns."""
    items: list[tuple[str, float, bytes]]
    """Topic, simulated time, data."""


class RecordsAgain(Message):
    """Recorder → Core: what you said between two messages has not come."""

    kind: ClassVar[int] = 16

    core: str
    after: int
    before: int
    """The numbers of the two; `after` is 0 where none came before."""


class KeptRecords(Message):
    """Core → recorder: what of it is kept yet, in order; perhaps not all at once."""

    kind: ClassVar[int] = 17

    messages: list[bytes]
    """Each is a `Records`."""


class RunInfo(Message):
    """Core → recorder and watchers: what does not change during a run."""

    kind: ClassVar[int] = 10

    beacon: Beacon
    source: str
    """Where the scenario came from, for messages."""
    record: bytes
    """The first message of the recording, JSON; the scenario stands in it."""


def printable(text: str) -> str:
    """What somebody else wrote, fit for a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:200])


def as_answer(wanted: type[AnyMessage], data: bytes) -> AnyMessage | Refusal:
    """An answer to a question: what was wanted, or a refusal. Raises Garbled."""
    if len(data) > 3 and data[3] == Refusal.kind:
        return decode(Refusal, data)
    return decode(wanted, data)
