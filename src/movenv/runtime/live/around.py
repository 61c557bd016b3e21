"""What the Core tells an injection layer: where its vehicle is, and who is around that is not real.

The layer asks as often as it needs to know, and the answer holds positions and nothing else: what
a scanner would see of them is worked out where the scanner is.
"""

import math
from typing import ClassVar

import numpy as np

from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.wire import Beacon, Garbled, Message, Refusal
from movenv.scenario.build import Stage
from movenv.world.columns import F8, Rows
from movenv.world.kinds import Origin
from movenv.world.messages import Health, Snapshot, VehicleStates
from movenv.world.run_state import RunState
from movenv.world.scan import Pose

LEVEL = 2.0
"""A scanner sweeps a plane: who is higher or lower by more than this, m, is not in it."""
FARTHEST = 10_000.0
"""Nobody is asked for beyond this, m."""
PLACE, REST = np.dtype("<f4"), np.dtype("<f2")
"""Places relative to the asker need more digits than the other columns."""
A_VEHICLE = 2 * PLACE.itemsize + 5 * REST.itemsize


class AroundRequest(Message):
    """Injection layer → Core: who is around my vehicle?"""

    kind: ClassVar[int] = 20

    vehicle: str
    reach: float
    """How far its scanner sees, m."""
    sent: int
    """On the asker's clock, ns."""
    at: tuple[float, float] | None = None
    """Where it is by its own localisation; without it, where the Core thinks."""


class Around(Message):
    """Core → injection layer: its vehicle, and those around it that are not real."""

    kind: ClassVar[int] = 21

    core: str
    """This very Core process."""
    received: int
    answered: int
    """On the Core's clock, ns."""
    instant: int
    """When what is told was so, on the Core's clock, ns."""
    t: float
    """The same in the run, s."""
    speed: float
    """How fast the run's time goes; 0 while nobody moves."""
    loss_after: float
    """After so many seconds of silence nobody's place is known any more."""
    own: tuple[float, float, float, float, float] | None = None
    """x, y, yaw, vx, vy by the Core's word; None while it does not know."""
    middle: tuple[float, float] = (0.0, 0.0)
    """Where it looked around."""
    places: bytes = b""
    """x, y relative to the middle, float32, a vehicle each."""
    rest: bytes = b""
    """yaw, length, width, vx, vy, float16, a vehicle each."""

    def others(self) -> tuple[F8, F8]:
        """Their boxes (BOX) in the run's frame, and their velocities. Raises Garbled."""
        count = len(self.places) // (2 * PLACE.itemsize)
        if len(self.places) != count * 8 or len(self.rest) != count * 5 * REST.itemsize:
            raise Garbled("vehicles that do not fit together")
        places = np.frombuffer(self.places, PLACE).reshape(-1, 2).astype(np.float64)
        rest = np.frombuffer(self.rest, REST).reshape(-1, 5).astype(np.float64)
        return np.column_stack([places + self.middle, rest[:, :3]]), rest[:, 3:]

    def pose(self) -> Pose | None:
        return None if self.own is None else Pose(*self.own)


class Neighbours:
    """Answers for all vehicles of a run. Any thread may ask."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._rows = {name: row for row, name in enumerate(stage.roster.names)}

    def answer(
        self, request: AroundRequest, beacon: Beacon, latest: Snapshot | None, now: int
    ) -> Around | Refusal:
        """`latest` is the last word on where everyone is."""
        row = self._rows.get(request.vehicle)
        if row is None:
            return Refusal(f"there is no vehicle '{request.vehicle}' in this run")
        if not 0.0 <= request.reach <= FARTHEST:
            return Refusal(f"{request.reach:g} m is no distance to look around")
        schedule, going = beacon.schedule, beacon.run_state == RunState.GO
        silence = self._stage.scenario.link_loss.after
        clocks = beacon.core, request.sent and now, now
        if latest is None or beacon.run_state in (RunState.READY, RunState.STOP):
            return Around(*clocks, now, 0.0, 0.0, silence)
        instant, speed = now, 0.0
        if going and schedule is not None:
            instant = schedule.due(latest.tick)
            speed = self._stage.time.period * SECOND / schedule.pace
        own = _own(latest.vehicles, row)
        middle = own[:2] if own and not request.at else request.at
        told = Around(*clocks, instant, latest.t, speed, silence, own)
        if middle is None or not math.isfinite(sum(middle)):
            return told
        near = self._near(latest.vehicles, row, middle, request.reach)
        told.middle = middle
        told.places, told.rest = self._columns(latest.vehicles, near, middle)
        return told

    def _near(
        self, vehicles: VehicleStates, row: int, middle: tuple[float, float], reach: float
    ) -> Rows:
        """Whose box may lie within reach: known of, not real, at the same height."""
        roster = self._stage.roster
        sides = np.hypot(roster.build["body_length"], roster.build["body_width"])
        far = np.hypot(vehicles.x - middle[0], vehicles.y - middle[1])
        # Not the other way around: where its height is not known, all are level with it.
        off_level = np.abs(vehicles.z - vehicles.z[row]) > LEVEL
        near = (far <= reach + 0.5 * sides) & ~off_level
        near &= (vehicles.health != Health.UNHEARD) & (roster.origin != Origin.REAL)
        near[row] = False
        return np.flatnonzero(near)

    def _columns(
        self, vehicles: VehicleStates, near: Rows, middle: tuple[float, float]
    ) -> tuple[bytes, bytes]:
        build, most = self._stage.roster.build, np.finfo(REST).max
        places = np.column_stack([vehicles.x[near] - middle[0], vehicles.y[near] - middle[1]])
        sides = build["body_length"][near], build["body_width"][near]
        moves = vehicles.health[near] != Health.LOST  # who is lost is held where it was
        velocity = np.where(moves, vehicles.vx[near], 0.0), np.where(moves, vehicles.vy[near], 0.0)
        rest = np.column_stack([vehicles.yaw[near], *sides, *velocity])
        return places.astype(PLACE).tobytes(), np.clip(rest, -most, most).astype(REST).tobytes()


def _own(vehicles: VehicleStates, row: int) -> tuple[float, float, float, float, float] | None:
    if vehicles.health[row] != Health.HEARD:
        return None
    x, y, yaw, vx, vy = (float(getattr(vehicles, n)[row]) for n in ("x", "y", "yaw", "vx", "vy"))
    return (x, y, yaw, vx, vy) if math.isfinite(x + y) else None
