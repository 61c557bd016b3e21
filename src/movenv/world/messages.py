"""What flows between hosts, the Core and everyone who watches.

The column types are the types on the wire and in the recording, so that a run in one process and
a run across processes see the same numbers: positions in float64, the rest in float32.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from movenv.world.columns import F4, F8, U1, U4, Mask, Rows, Table
from movenv.world.kinds import Kind
from movenv.world.run_state import RunState

NO_BEHAVIOR = 0
"""In a `behavior` column: nobody held the wheel. Others count from 1 in `Roster.behaviors`."""
MAX_PAYLOAD = 240
"""The most bytes one broadcast can carry."""
NO_MISSION = 0
MISSION_OVER = 255
"""In a `step` column: the vehicle has no mission, or all its steps lie behind it. Steps count
from 1."""


@dataclass(frozen=True)
class Roster:
    """What does not change during a run: who takes part. Rows are sorted by vid."""

    vids: U4
    names: list[str]
    kinds: list[Kind]
    """The kinds that occur; `kind` is an index into them."""
    kind: U1
    origin: U1
    """Values of `Origin`."""
    length: F8
    """Characteristic length, m."""
    behaviors: list[str]
    """Names of all behaviors; number i + 1 in a `behavior` column is `behaviors[i]`."""
    missions: list[list[str]] = field(default_factory=list)
    """The names of each mission's steps."""
    mission: list[int] = field(default_factory=list)
    """Of each row the place of its mission in `missions`, -1 for none; empty where nobody has."""
    units: list[str] = field(default_factory=list)
    """The names of the units that occur."""
    unit: list[int] = field(default_factory=list)
    """Of each row the place of its unit in `units`, -1 for none; empty where there are none."""
    build: Mapping[str, F8] = field(default_factory=dict)
    """What each can do, by the names of `ABILITIES` and `LIMITS`; 0 where its model does
    not say. Of real vehicles it is what the scenario thinks of them."""
    obeys: list[bool] = field(default_factory=list)
    """Of each row whether it takes orders; empty where nobody does."""
    driven: list[bool] = field(default_factory=list)
    """Of each row whether somebody outside may drive it; empty where nobody may."""

    def members(self, unit: str) -> Rows:
        """The rows of a unit, in the order of vids."""
        return np.flatnonzero(np.array(self.unit, int) == self.units.index(unit))

    def step_name(self, row: int, step: int) -> str:
        """How a number in a `step` column is called; '' without a mission."""
        if step == NO_MISSION or not self.mission or self.mission[row] < 0:
            return ""
        names = self.missions[self.mission[row]]
        return names[step - 1] if step <= len(names) else "over"

    def __len__(self) -> int:
        return len(self.vids)


class Motions(Table):
    """Where vehicles are and how they move, as sent by a host."""

    vid: U4
    behavior: U1
    x: F8
    y: F8
    z: F8
    yaw: F4
    pitch: F4
    roll: F4
    speed: F4
    vx: F4
    vy: F4
    vz: F4
    step: U1
    """Of the vehicle's mission."""


class Sighting(IntEnum):
    """What a detection says."""

    FOUND = 1
    SEEN = 2
    LOST = 3


class Detections(Table):
    """A searcher's finds: who saw whom, when and where last."""

    vid: U4
    target: U4
    sighting: U1
    t_seen: F8
    x: F8
    y: F8
    z: F8


class Finds(Table):
    """Who has found whom for the first time, and when; of the pairs that missions ask for."""

    vid: U4
    target: U4
    t: F8


class Broadcasts:
    """What vehicles say to whoever is in radio range: a sender and some bytes a row."""

    def __init__(self, vid: ArrayLike, payloads: Sequence[bytes]) -> None:
        self.vid: U4 = np.ascontiguousarray(vid, np.uint32)
        self.payloads = list(payloads)

    @classmethod
    def empty(cls) -> Self:
        return cls([], [])

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """All of these; what one vehicle says stays in its order."""
        vid = np.concatenate([np.empty(0, np.uint32), *(part.vid for part in parts)])
        return cls(vid, [payload for part in parts for payload in part.payloads])

    def by_vid(self) -> Self:
        """The same sorted by sender; what one vehicle says stays in its order."""
        order = np.argsort(self.vid, kind="stable")
        return type(self)(self.vid[order], [self.payloads[i] for i in order])

    def __len__(self) -> int:
        return len(self.vid)


class Inbox(Table):
    """What vehicles hear, sorted by receiver, time of sending and sender.

    However many hear a broadcast, its bytes are held once: `row` is their place in `payloads`.
    """

    vid: U4
    """The receiver."""
    sender: U4
    t_sent: F8
    row: U4
    payloads: list[bytes]

    def __init__(self, columns: Mapping[str, NDArray[Any]], payloads: Sequence[bytes] = ()) -> None:
        super().__init__(columns)
        self.payloads = list(payloads)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """All of these, sorted as an inbox is."""
        if not parts:
            return cls.empty()
        columns = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in cls.dtypes
        }
        before = np.cumsum([0, *(len(part.payloads) for part in parts[:-1])])
        columns["row"] = columns["row"] + np.repeat(before, [len(part) for part in parts])
        payloads = [payload for part in parts for payload in part.payloads]
        order = np.lexsort([columns[name] for name in ("row", "sender", "t_sent", "vid")])
        return cls({name: column[order] for name, column in columns.items()}, payloads)

    def payload(self, i: int) -> bytes:
        """The bytes of delivery `i`."""
        return self.payloads[int(self.row[i])]

    def take(self, rows: Rows | Mask) -> Self:
        """Some deliveries, with only the payloads they need."""
        columns = {name: column[rows] for name, column in self.columns()}
        used, columns["row"] = np.unique(columns["row"], return_inverse=True)
        return type(self)(columns, [self.payloads[i] for i in used])

    def for_vids(self, vids: U4) -> Self:
        """The deliveries to these vehicles."""
        return self.take(np.isin(self.vid, vids))


class Heard(IntEnum):
    """How a gateway hears a real vehicle."""

    NEVER = 0
    HEARD = 1
    STALE = 2
    """For longer than the scenario allows nothing has come: the place is only a guess."""


class Receptions(Table):
    """How well each real vehicle of a gateway is heard; nan where that is not known."""

    vid: U4
    heard: U1
    """Values of `Heard`."""
    accuracy: F4
    """Of the latest accepted fix, m."""
    age: F4
    """Since the latest accepted fix was measured, s."""
    delay: F4
    """Between measuring and arriving, lately, s."""
    loss: F4
    """The share of packets lost lately."""
    battery: F4
    rate: F4
    """Accepted fixes a second, lately."""
    accepted: U4
    rejected: U4


class Remark(NamedTuple):
    """Words of a vehicle to the operator."""

    vid: int
    text: str


@dataclass(frozen=True)
class Report:
    """Host → Core, every tick. A gateway leaves out vehicles it has never heard."""

    host: str
    tick: int
    t: float
    run_state: RunState
    motions: Motions
    detections: Detections = field(default_factory=Detections.empty)
    broadcasts: Broadcasts = field(default_factory=Broadcasts.empty)
    receptions: Receptions = field(default_factory=Receptions.empty)
    remarks: list[Remark] = field(default_factory=list)


class Health(IntEnum):
    """How well a vehicle is heard."""

    UNHEARD = 0
    """It has not reported where it is."""
    HEARD = 1
    LOST = 2
    """Its host is gone or silent; the place is where it was thought to be when that was noticed."""
    STALE = 3
    """A real vehicle of which nothing has come for too long; the place is only a guess."""


class VehicleStates(Table):
    """Everyone at one instant. `age` is how old what lies beneath a row is, in seconds: the
    report of a virtual vehicle, the fix of a real one.

    `run_state` is the one each vehicle's host says it is in.
    """

    vid: U4
    run_state: U1
    health: U1
    behavior: U1
    x: F8
    y: F8
    z: F8
    lat: F8
    lon: F8
    yaw: F4
    pitch: F4
    roll: F4
    heading_deg: F4
    speed: F4
    vx: F4
    vy: F4
    vz: F4
    age: F4
    step: U1


@dataclass(frozen=True)
class Snapshot:
    """Core → everyone: all vehicles, carried to the common instant `t`."""

    tick: int
    t: float
    run_state: RunState
    vehicles: VehicleStates


class Encounters(Table):
    """Pairs within notice range. Rates and times are of straight continuation.

    `level` counts from 1 (outermost). `t_cpa` is 0 for a pair that is moving apart.
    """

    vid: U4
    other: U4
    level: U1
    distance: F4
    range_rate: F4
    t_cpa: F4
    d_cpa: F4


class Notices(Encounters):
    """Core → the vehicles at risk: one row for each side of a pair, sorted by vid.

    The other's place, velocity and characteristic length come along.
    """

    x: F8
    y: F8
    z: F8
    vx: F4
    vy: F4
    vz: F4
    length: F4
