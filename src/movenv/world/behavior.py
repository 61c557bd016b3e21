"""What a behavior is: it looks at its vehicles and proposes commands for them.

A behavior serves all vehicles of a host that carry it, in one call with one array a column. It
knows its own vehicles from their models, the others only from what the Core sent a tick ago.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from movenv.world.columns import F8, U4, Mask, Rows, read_only
from movenv.world.messages import Broadcasts, Detections, Inbox, Notices, Remark, VehicleStates
from movenv.world.orders import Order
from movenv.world.random_streams import uniform
from movenv.world.sensor import Readings
from movenv.world.wheel import Wheels

SETTLE_TIME = 0.5
"""Time constant with which `steer_by` closes a turn, s."""
CLIMB_TIME = 3.0
"""Time constant with which `pitch_toward` closes a gap in height, s."""


@dataclass(frozen=True)
class Moment:
    """When a behavior is asked: the beginning of a tick."""

    tick: int
    t: float
    period: float
    seed: int

    def uniform(self, vids: U4, stream: str, draw: int = 0) -> F8:
        """One random number in [0, 1) a vehicle, the same however vehicles are divided."""
        return uniform(self.seed, vids, stream, self.tick, draw)


class Own:
    """A behavior's own vehicles, one array a column.

    From the model: x, y, z, yaw, pitch, roll, speed, vx, vy, vz. From its build: length,
    cruise_speed, min_speed, max_speed, max_acceleration, max_steer, max_pitch. And `vid`.
    """

    if TYPE_CHECKING:
        x: F8
        y: F8
        z: F8
        yaw: F8
        pitch: F8
        roll: F8
        speed: F8
        vx: F8
        vy: F8
        vz: F8
        length: F8
        cruise_speed: F8
        min_speed: F8
        max_speed: F8
        max_acceleration: F8
        max_steer: F8
        max_pitch: F8

    def __init__(self, vid: U4, columns: dict[str, F8], rows: Rows | None) -> None:
        """`rows` picks the behavior's vehicles from the host's columns; None means all."""
        self.vid = read_only(vid)
        self._columns = columns
        self._rows = rows

    def __getattr__(self, name: str) -> Any:
        try:
            column = self._columns[name]
        except KeyError:
            raise AttributeError(f"vehicles have no column '{name}'") from None
        if self._rows is not None:
            column = read_only(column[self._rows])
        setattr(self, name, column)
        return column

    def __len__(self) -> int:
        return len(self.vid)

    def some(self, rows: Rows | None) -> "Own":
        """Some of these; None for all."""
        if rows is None:
            return self
        return Own(self.vid[rows], self._columns, rows if self._rows is None else self._rows[rows])


@dataclass(frozen=True)
class Proposal:
    """Commands for the vehicles where `active`; a single number stands for all of them.

    None leaves a command to the next active proposal below: whoever only brakes need not steer.
    With `at_most` the speed is only a limit on what those below ask for. `to`, `rejoins` and
    `guided` tell behaviors that refine this one (see `Wish`) what it is about.
    """

    active: Mask
    steer: F8 | float | None
    speed: F8 | float | None
    pitch: F8 | float | None = 0.0
    at_most: bool = False
    to: F8 | None = None
    """The place (2, vehicles) each is heading for, nan where there is none; m."""
    rejoins: Mask | None = None
    """Who is on its way back into its unit, as a straggler is."""
    guided: Mask | None = None
    """Whose way to its place leads past all that stands."""
    pedals: F8 | None = None
    """PEDALS (3, vehicles) in place of the speed, for models that have them; nan where none are
    used."""

    def check(self, count: int) -> None:
        """Raise ValueError unless every array has one value a vehicle."""
        if self.at_most and self.speed is None:
            raise ValueError("a Proposal with at_most needs a speed")
        for name in ("active", "steer", "speed", "pitch"):
            value = getattr(self, name)
            if value is None and name != "active":
                continue
            kinds = "b" if name == "active" else "iuf"
            wanted = "true or false" if name == "active" else "numbers"
            array = np.asarray(value)
            shapes = [(count,)] if name == "active" else [(count,), ()]
            if array.dtype.kind not in kinds or array.shape not in shapes:
                found = f"{array.dtype} of shape {array.shape}"
                raise ValueError(f"{name} of a Proposal is {found}, expected {count} {wanted}")
        if self.to is not None and np.shape(self.to) != (2, count):
            shape = np.shape(self.to)
            raise ValueError(f"to of a Proposal has shape {shape}, expected (2, {count})")
        if self.pedals is not None and np.shape(self.pedals) != (3, count):
            shape = np.shape(self.pedals)
            raise ValueError(f"pedals of a Proposal have shape {shape}, expected (3, {count})")
        for name in ("rejoins", "guided"):
            mask = getattr(self, name)
            if mask is not None and np.shape(mask) != (count,):
                shape = np.shape(mask)
                raise ValueError(f"{name} of a Proposal has shape {shape}, expected ({count},)")


@dataclass(frozen=True)
class Wish:
    """What would be done without the behavior that is asked to refine it, one column a command.

    Where nobody asks for anything, steer, speed and pitch are 0 and `wished` is false.
    """

    wished: Mask
    steer: F8
    speed: F8
    pitch: F8
    to: F8
    """The place (2, vehicles) each is heading for, nan where nobody said."""
    rejoins: Mask
    guided: Mask

    def velocity(self, own: Own) -> F8:
        """The wished velocity (2, vehicles): toward the place, else where the steering leads."""
        turn = self.steer * np.maximum(own.speed, 0.1) * SETTLE_TIME / own.length
        toward = np.arctan2(self.to[1] - own.y, self.to[0] - own.x)
        yaw = np.where(np.isnan(toward), own.yaw + turn, toward)
        wanted: F8 = self.speed * np.array([np.cos(yaw), np.sin(yaw)])
        return wanted


class PartFailed(Exception):
    """A behavior or sensor raised an exception (then that is the cause), or did the impossible."""


class Behavior:
    """Base of all behaviors. A subclass overrides `propose`, `detect`, `hear` or `speak`.

    One that can come to an end, as going to a point does, also overrides `done`.
    """

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        """These vehicles begin with this behavior: at the start of a run, or of a mission's step.

        Whatever was remembered of them is of the past. Called before anything else.
        """

    def done(self, own: Own, others: VehicleStates, moment: Moment) -> Mask | None:
        """Which vehicles have come to this behavior's end; None where there is no such thing."""
        return None

    def hear(self, own: Own, inbox: Inbox, moment: Moment) -> None:
        """Take note of what own vehicles hear. Called before `propose`, when there is any."""

    def sense(self, own: Own, readings: list[Readings], moment: Moment) -> None:
        """Take note of what sensors measured during the tick before; some of other vehicles.

        Called before `propose`, when there is any.
        """

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal | None:
        """What to do next; None when this behavior never drives."""
        return None

    def refine(
        self, own: Own, wish: Wish, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal | None:
        """As `propose`, but asked once everyone else has, and told what they wish.

        For behaviors that bend what another wants, as avoiding a collision does.
        """
        return None

    def obey(self, own: Own, orders: tuple[Order, ...], moment: Moment) -> None:
        """Take the operator's orders, oldest first; some of their vids are of other hosts.

        Called before `propose`, when there are any.
        """

    def take_wheel(self, own: Own, wheels: Wheels, moment: Moment) -> None:
        """Take what drivers do with vehicles, some of other hosts. Called before `propose`."""

    def remarks(self, own: Own, moment: Moment) -> list[Remark]:
        """What is worth telling the operator now, once: that there is no way to the goal."""
        return []

    def detect(self, own: Own, others: VehicleStates, moment: Moment) -> Detections | None:
        """What was found. It goes to the Core, never to the arbiter."""
        return None

    def speak(self, own: Own, others: VehicleStates, moment: Moment) -> Broadcasts | None:
        """What own vehicles say to those in radio range, who hear it in a tick or later."""
        return None

    @classmethod
    def hears(cls) -> bool:
        """Whether `hear` is worth calling."""
        return cls.hear is not Behavior.hear

    @classmethod
    def senses(cls) -> bool:
        """Whether `sense` is worth calling."""
        return cls.sense is not Behavior.sense

    @classmethod
    def speaks(cls) -> bool:
        """Whether `speak` is worth calling."""
        return cls.speak is not Behavior.speak

    @classmethod
    def refines(cls) -> bool:
        """Whether `refine` is worth calling."""
        return cls.refine is not Behavior.refine

    @classmethod
    def obeys(cls) -> bool:
        """Whether `obey` is worth calling: whether it takes orders."""
        return cls.obey is not Behavior.obey

    @classmethod
    def is_driven(cls) -> bool:
        """Whether `take_wheel` is worth calling: whether somebody outside may drive."""
        return cls.take_wheel is not Behavior.take_wheel

    @classmethod
    def ends(cls, config: Any) -> bool:
        """Whether with these settings it comes to an end, which a mission may wait for."""
        return cls.done is not Behavior.done

    @classmethod
    def finds(cls) -> bool:
        """Whether it makes detections."""
        return cls.detect is not Behavior.detect


def wrapped(angle: F8) -> F8:
    """The same angle in [-pi, pi)."""
    return angle - 2 * np.pi * np.floor(angle / (2 * np.pi) + 0.5)


def steer_by(own: Own, turn: F8) -> F8:
    """The steer angle that turns each vehicle by an angle, briskly but without swinging past it."""
    wanted = turn * own.length / (np.maximum(own.speed, 0.1) * SETTLE_TIME)
    return np.clip(wanted, -own.max_steer, own.max_steer)


def steer_toward(own: Own, yaw: F8) -> F8:
    """The steer angle that turns each vehicle to a yaw by the shorter way."""
    return steer_by(own, wrapped(yaw - own.yaw))


def pitch_toward(own: Own, z: F8) -> F8:
    """The pitch angle that brings each vehicle to a height."""
    wanted = (z - own.z) / (np.maximum(own.speed, 0.1) * CLIMB_TIME)
    return np.clip(wanted, -own.max_pitch, own.max_pitch)
