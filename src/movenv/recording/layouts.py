"""What stands in a recording: topics, layouts and the plain-text messages."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import numpy as np

from movenv.recording.cdr import Layout
from movenv.recording.mission_record import MissionsRecord
from movenv.recording.order_record import OrderRecord
from movenv.recording.wheel_record import WheelRecord
from movenv.world.core import Update
from movenv.world.kinds import Kind, Origin
from movenv.world.messages import Detections, Encounters, Receptions, Roster, VehicleStates
from movenv.world.run_state import RunState

FORMAT_VERSION = 1
LATEST_START = 32_503_680_000
"""The year 3000, in seconds since 1970: beyond it a start is no start but damage."""

SNAPSHOTS = "/snapshots"
NOTICES = "/notices"
DETECTIONS = "/detections"
BROADCASTS = "/broadcasts"
RUN = "/run"
RUN_STATE = "/run_state"
EVENTS = "/events"
HEALTH = "/health"
SUMMARY = "/summary"
RECEPTIONS = "/receptions"
PACKETS = "/packets"
ORDERS = "/orders"
WHEELS = "/wheels"

SNAPSHOT_LAYOUT = Layout(
    "movenv/msg/Snapshot",
    "Every vehicle at time t (s). closest_* is the nearest pair during the tick before, "
    "nan where none is known. state is the run state of the whole. utc is the wall clock (s since "
    "1970), 0 in a fast run.",
    {
        "t": "float64",
        "utc": "float64",
        "closest_distance": "float64",
        "closest_t": "float64",
        "closest_vid": "uint32",
        "closest_other": "uint32",
        "tick": "uint32",
        "state": "uint8",
    },
    VehicleStates,
    added=frozenset({"step"}),
)
NOTICE_LAYOUT = Layout(
    "movenv/msg/Notices",
    "Pairs within notice range at time t (s). Level 1 is the outermost.",
    {"t": "float64", "tick": "uint32"},
    Encounters,
)
DETECTION_LAYOUT = Layout(
    "movenv/msg/Detections",
    "Searchers' finds reported at time t (s). Sighting: 1 found, 2 seen, 3 lost.",
    {"t": "float64", "tick": "uint32"},
    Detections,
)
RECEPTION_LAYOUT = Layout(
    "movenv/msg/Receptions",
    "How well real vehicles are heard at time t (s). heard: 0 never, 1 heard, 2 stale. "
    "accuracy m, age and delay s, loss and battery 0 to 1, rate fixes a second; nan: not known.",
    {"t": "float64", "tick": "uint32"},
    Receptions,
)
LAYOUTS: dict[str, Layout[Any]] = {
    SNAPSHOTS: SNAPSHOT_LAYOUT,
    RECEPTIONS: RECEPTION_LAYOUT,
    NOTICES: NOTICE_LAYOUT,
    DETECTIONS: DETECTION_LAYOUT,
}


class RosterRecord(msgspec.Struct):
    """The roster in plain lists."""

    vids: list[int]
    names: list[str]
    kinds: list[str]
    kind: list[int]
    origin: list[int]
    length: list[float]
    behaviors: list[str]
    missions: list[list[str]] = msgspec.field(default_factory=list)
    mission: list[int] = msgspec.field(default_factory=list)
    units: list[str] = msgspec.field(default_factory=list)
    unit: list[int] = msgspec.field(default_factory=list)
    obeys: list[bool] = msgspec.field(default_factory=list)
    driven: list[bool] = msgspec.field(default_factory=list)

    @classmethod
    def of(cls, roster: Roster) -> "RosterRecord":
        return cls(
            vids=roster.vids.tolist(),
            names=roster.names,
            kinds=[str(kind) for kind in roster.kinds],
            kind=roster.kind.tolist(),
            origin=roster.origin.tolist(),
            length=roster.length.tolist(),
            behaviors=roster.behaviors,
            missions=roster.missions,
            mission=roster.mission,
            units=roster.units,
            unit=roster.unit,
            obeys=roster.obeys,
            driven=roster.driven,
        )

    def roster(self) -> Roster:
        """Raises ValueError when the lists do not fit together."""
        columns = self.vids, self.names, self.kind, self.origin, self.length
        sizes = {len(column) for column in columns}
        if len(sizes) != 1 or not self.vids or self.vids != sorted(set(self.vids)):
            raise ValueError("the roster's columns do not fit together")
        if not all(0 <= k < len(self.kinds) for k in self.kind):
            raise ValueError("the roster names a kind it does not list")
        if self.mission and (
            len(self.mission) != len(self.vids)
            or not all(-1 <= m < len(self.missions) for m in self.mission)
        ):
            raise ValueError("the roster's missions do not fit together")
        if self.unit and (
            len(self.unit) != len(self.vids)
            or not all(-1 <= u < len(self.units) for u in self.unit)
        ):
            raise ValueError("the roster's units do not fit together")
        for may in (self.obeys, self.driven):
            if may and len(may) != len(self.vids):
                raise ValueError("the roster's columns do not fit together")
        for value in set(self.origin):
            Origin(value)
        return Roster(
            vids=np.array(self.vids, np.uint32),
            names=self.names,
            kinds=[Kind.parse(text) for text in self.kinds],
            kind=np.array(self.kind, np.uint8),
            origin=np.array(self.origin, np.uint8),
            length=np.array(self.length),
            behaviors=self.behaviors,
            missions=self.missions,
            mission=self.mission,
            units=self.units,
            unit=self.unit,
            obeys=self.obeys,
            driven=self.driven,
        )


class RunRecord(msgspec.Struct):
    """The first message: what was run."""

    format: int
    movenv: str
    scenario: str
    name: str
    seed: int
    started_utc: Annotated[float, msgspec.Meta(ge=0, le=LATEST_START)]
    origin: tuple[float, float, float]
    """Latitude, longitude, altitude of the local frame."""
    tick: float
    levels: dict[str, float]
    every_pair: bool
    fidelity: dict[str, int] | None
    """What the scenario says of it; the review computes the rest."""
    changes: list[str]
    """`--set` assignments and other departures from the file."""
    roster: RosterRecord
    run_id: str = ""
    """Names a run that may go on in further parts; empty for one that will not."""
    part: int = 1
    """Which part of the recording this file is."""
    rehearsed: list[str] = msgspec.field(default_factory=list)
    """Real vehicles whose phones were played."""
    files: dict[str, str] = msgspec.field(default_factory=dict)
    """Texts of the files that the scenario names, by name: routes of planners and the like."""


class RunStateRecord(msgspec.Struct):
    """A change of the run state."""

    t: float
    state: str
    utc: float = 0.0
    """Wall clock, seconds since 1970; 0 in a fast run, which has none."""

    @classmethod
    def of(cls, t: float, state: RunState, utc: float = 0.0) -> "RunStateRecord":
        return cls(t, state.name, utc)


class EventRecord(msgspec.Struct):
    """A happening of a live run: a host lost, a command of the operator, a missed tick."""

    t: float
    utc: float
    kind: str
    text: str
    who: str = ""
    vids: list[int] = msgspec.field(default_factory=list)


class BroadcastsRecord(msgspec.Struct):
    """What vehicles said at time t (s): one item a broadcast, payloads in base64.

    `heard` is how many others hear it, now or later.
    """

    t: float
    tick: int
    vid: list[int]
    heard: list[int]
    payload: list[bytes]

    def __post_init__(self) -> None:
        if not len(self.vid) == len(self.heard) == len(self.payload):
            raise ValueError("vid, heard and payload differ in length")

    @classmethod
    def of(cls, update: Update) -> "BroadcastsRecord":
        said = update.broadcasts
        return cls(
            t=update.snapshot.t,
            tick=update.snapshot.tick,
            vid=said.vid.tolist(),
            heard=update.heard.tolist(),
            payload=said.payloads,
        )


class PacketsRecord(msgspec.Struct):
    """Raw packets of real vehicles as they came, data in base64, and what became of each."""

    arrived: list[float]
    """Seconds since 1970, UTC."""
    via: list[str]
    """The gateway."""
    sender: list[str]
    vid: list[int]
    """Whose it was taken for; 0 for nobody's."""
    outcome: list[str]
    """`accepted`, or why not; of several fixes in one packet the outcomes with commas between."""
    data: list[bytes]

    def __post_init__(self) -> None:
        if len({len(getattr(self, name)) for name in self.__struct_fields__}) != 1:
            raise ValueError("the columns of packets differ in length")


class HealthRecord(msgspec.Struct):
    """How the processes of a live run are doing, once a second: margins, lags, losses, clocks."""

    t: float
    utc: float
    core: dict[str, Any]
    hosts: list[dict[str, Any]]


class ClosestRecord(msgspec.Struct):
    """The closest approach of the run."""

    distance: float
    vid: int
    other: int
    t: float
    names: list[str]


class SummaryRecord(msgspec.Struct):
    """What the run came to, or has come to so far: the latest of a recording counts."""

    vehicles: int
    ticks: int
    simulated_s: float
    notices: dict[str, int]
    closest: ClosestRecord | None
    closest_of: str
    detections: int
    behavior_shares: dict[str, float]
    behavior_ticks: dict[str, int] = msgspec.field(default_factory=dict)
    within: list[tuple[int, int, int]] = msgspec.field(default_factory=list)
    """Pairs within notice range at the latest tick, to go on from: vid, other, level."""
    missions: MissionsRecord | None = None
    orders: list[OrderRecord] | None = msgspec.field(default_factory=list)
    """Those that hold at this time, to go on from; None for the same as in the one before."""
    trespasses: int = 0
    """How many times a virtual vehicle came into something that should stop it."""
    trespassers: list[str] = msgspec.field(default_factory=list)
    """The first of them, in words."""


JSON_TOPICS: dict[str, Any] = {
    RUN: RunRecord,
    RUN_STATE: RunStateRecord,
    BROADCASTS: BroadcastsRecord,
    SUMMARY: SummaryRecord,
    EVENTS: EventRecord,
    HEALTH: HealthRecord,
    PACKETS: PacketsRecord,
    ORDERS: OrderRecord,
    WHEELS: WheelRecord,
}


def encoded(update: Update, utc: float = 0.0) -> Iterator[tuple[str, bytes]]:
    """What a recording holds of an update: topic and data of each message."""
    snapshot, closest = update.snapshot, update.closest
    numbers = {
        "t": snapshot.t,
        "utc": utc,
        "tick": snapshot.tick,
        "state": int(snapshot.run_state),
        "closest_distance": closest.distance if closest else float("nan"),
        "closest_t": closest.t if closest else float("nan"),
        "closest_vid": closest.vid if closest else 0,
        "closest_other": closest.other if closest else 0,
    }
    yield SNAPSHOTS, SNAPSHOT_LAYOUT.encode(numbers, snapshot.vehicles)
    if len(update.encounters):
        yield NOTICES, NOTICE_LAYOUT.encode(numbers, update.encounters)
    if len(update.detections):
        yield DETECTIONS, DETECTION_LAYOUT.encode(numbers, update.detections)
    if len(update.receptions):
        yield RECEPTIONS, RECEPTION_LAYOUT.encode(numbers, update.receptions)
    if len(update.broadcasts):
        yield BROADCASTS, msgspec.json.encode(BroadcastsRecord.of(update))
