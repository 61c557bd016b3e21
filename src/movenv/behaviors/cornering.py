"""Corners: how fast they can be taken, and how early to turn, without leaving the way too far."""

from collections.abc import Sequence

import numpy as np

from movenv.behaviors.footing import Footing
from movenv.behaviors.guidance import Approach, line_steer, tightest, turn_radius
from movenv.parts import Own, steer_by, wrapped
from movenv.world.behavior import SETTLE_TIME
from movenv.world.columns import F8, Mask, Rows

SHARE = 0.5
"""Share of the clearance by which a vehicle may leave its way in corners."""
LAG = 0.3
"""How long it takes until a vehicle turns as it is told, s."""

BEHIND = 20.0
"""Who is so near to the place it has left may still be coming round, m."""
LOST = 2.5 * np.pi
"""Who has turned so far without getting to the next place, rad, goes round in circles."""


def widest_turn(turn: F8, leg: F8, off: F8) -> F8:
    """The radius with which a corner can be cut and overshot by no more than `off` metres.

    Who turns early by s on a circle of radius R comes within sqrt(s² + R²) - R inside of the
    corner, and R (1 - cos turn) - s sin turn beyond the line that leads on. Where that line is
    short, a next corner follows: then the two are taken for an arc.
    """
    turn = np.maximum(np.abs(turn), 1e-3)  # less is no corner
    c, s = np.cos(turn), np.sin(turn)
    a = (1.0 - c) ** 2
    b = (1.0 - c) + s**2
    radius = off * (b + np.sqrt(np.maximum(b**2 - a * c**2, 0.0))) / a
    widest: F8 = np.minimum(radius, np.maximum(leg / turn, 4.0 * off))
    return widest


def corner_speed(own: Own, turn: F8, leg: F8, off: F8, sideways: F8) -> F8:
    """How fast each can take a corner that leads onto a line of so many metres, m/s.

    `sideways` is the acceleration that the ground there holds, m/s².
    """
    radius = np.maximum(widest_turn(turn, leg, off), tightest(own.length, own.max_steer))
    return np.sqrt(sideways * radius)


def turning_speed(own: Own, aside: F8, off: F8, sideways: F8) -> F8:
    """How fast each may be that has yet to turn to its way by so much, m/s.

    On a circle of radius R it comes off by R (1 - cos aside); and by some more until it turns as
    it is told.
    """
    aside = np.maximum(np.abs(aside), 1e-3)
    radius = np.maximum(off / (1.0 - np.cos(aside)), tightest(own.length, own.max_steer))
    speed: F8 = np.minimum(np.sqrt(sideways * radius), off / (SETTLE_TIME * aside))
    return speed


def speed_before(then: F8, room: F8, brake: F8) -> F8:
    """The greatest speed from which each can be down to `then` m/s within so many metres."""
    return np.sqrt(then**2 + 2.0 * brake * np.maximum(room, 0.0))


def lead(own: Own, turn: F8, off: F8, sideways: F8) -> F8:
    """So many metres before a corner each begins to turn, cutting it by no more than `off`."""
    radius = np.maximum(turn_radius(own), own.speed**2 / sideways)
    half = np.minimum(np.abs(turn) / 2, 1.5)
    early = np.minimum(radius * np.tan(half), np.sqrt(2.0 * radius * off + off**2))
    late = np.minimum(np.abs(turn), 1.0) * LAG * own.speed
    before: F8 = early + late
    return before


def onward(own: Own, to: F8, beyond: F8, clearance: F8) -> F8:
    """The next place on the way, or one beyond it where it is as near as the clearance.

    Who has come too near to a wall has the way out right beside it, and no car moves sideways.
    """
    line = beyond - to
    leg = np.hypot(*line)
    short = clearance - np.hypot(to[0] - own.x, to[1] - own.y)
    place: F8 = to + np.clip(short, 0.0, leg) / np.maximum(leg, 1e-9) * line
    return place


class Corners:
    """Steers vehicles toward corners, slowly enough for what comes after them."""

    def __init__(self, clearance: F8, footing: Footing) -> None:
        """`clearance` is the radius of the circle round each, m."""
        count = len(clearance)
        self._clearance, self._footing = clearance, footing
        self._approach = Approach(count)
        self._yaw, self._turned = np.zeros((2, count))
        self._to: F8 = np.full((2, count), np.nan)
        self.brake: F8 = np.ones(count)
        """With what each can count on slowing down, as of the last `toward`, m/s²."""

    def begin(self, begins: Mask) -> None:
        self._approach.begin(begins)
        self._to = np.where(begins, np.nan, self._to)

    def toward(self, own: Own, to: F8, beyond: F8, since: F8 | None = None) -> tuple[F8, F8]:
        """Steer and the speed allowed toward places (2, vehicles), which others come beyond.

        `beyond` is nan where there is none: then whoever asks has to slow down. `since` is the
        place each has left last, where there is one.
        """
        east, north = to[0] - own.x, to[1] - own.y
        near, bearing = np.hypot(east, north), np.arctan2(north, east)
        leg = np.hypot(*(beyond - to))
        onward = np.arctan2(beyond[1] - to[1], beyond[0] - to[0])
        some = leg > 1e-3
        turn = np.where(some, wrapped(onward - bearing), 0.0)
        hold = self._footing.hold(own, to)
        self.brake = hold.brake
        off = SHARE * np.minimum(self._clearance, hold.beside)
        early = lead(own, turn, off, np.minimum(hold.here, hold.there))
        cut = some & (near < early)
        making_room = self._approach.steer(own, east, north, off)
        direct = steer_by(own, wrapped(bearing - own.yaw))
        steer = np.where(self._lost(own, to), making_room, direct)
        steer = np.where(cut, line_steer(own, to, beyond), steer)
        then = corner_speed(own, turn, np.where(some, leg, np.inf), off, hold.there)
        allowed = np.where(some, speed_before(then, near - early, hold.brake), np.inf)
        # Who has yet to turn to its way turns in as little room as a corner would give it, and
        # right behind a corner in less: it can no longer begin early.
        aside = np.where(cut, 0.0, wrapped(bearing - own.yaw))
        turning = corner_speed(own, aside, np.full(len(own), np.inf), off, hold.here)
        if since is not None:
            behind = np.hypot(own.x - since[0], own.y - since[1]) < BEHIND
            strict = np.minimum(turning, turning_speed(own, aside, off, hold.here))
            turning = np.where(behind, strict, turning)
        return steer, np.minimum(allowed, turning)

    def farther_on(self, own: Own, rows: Rows, far: F8, way: Sequence[F8]) -> tuple[F8, F8]:
        """The speed allowed to some for a corner farther on, and how far off it is, m.

        `way` has three places (2, vehicles) in turn, the corner in the middle, nan after it where
        that is the end of the way; `far` is how far off the first one is.
        """
        before, corner, after = way
        line, onward = corner - before, after - corner
        leg, ends = np.hypot(*onward), np.isnan(onward[0])
        turn = wrapped(np.arctan2(onward[1], onward[0]) - np.arctan2(line[1], line[0]))
        turn = np.where(ends | (leg < 1e-3), 0.0, turn)
        hold = self._footing.hold(own, corner, rows)
        off = SHARE * np.minimum(self._clearance[rows], hold.beside)
        then = corner_speed(own, turn, np.where(ends, np.inf, leg), off, hold.there)
        self.brake[rows] = np.minimum(self.brake[rows], hold.brake)
        far = far + np.hypot(*line)
        room = far - lead(own, turn, off, np.minimum(hold.here, hold.there))
        return speed_before(then, room, self.brake[rows]), far

    def _lost(self, own: Own, to: F8) -> Mask:
        """Who has gone round in circles: its next place lies within its turning circle."""
        moved = ~(np.hypot(*(to - self._to)) < 1.0)
        turned = self._turned + np.abs(wrapped(own.yaw - self._yaw))
        self._turned = np.where(moved, 0.0, turned)
        self._to, self._yaw = np.where(moved, to, self._to), own.yaw
        lost: Mask = self._turned > LOST
        return lost
