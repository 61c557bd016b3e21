"""Corners: how fast they can be taken, and how early to turn, without leaving the way too far."""

import numpy as np

from movenv.behaviors.guidance import (
    BRAKING,
    Approach,
    can_stop,
    line_steer,
    tightest,
    turn_radius,
)
from movenv.parts import Own, steer_by, wrapped
from movenv.world.columns import F8, Mask

LATERAL = 3.0
"""Who can stop takes corners with so much sideways acceleration, m/s²."""
BANKED = 9.0
"""Who cannot, an aircraft, banks, m/s²."""
LAG = 0.3
"""How long it takes until a vehicle turns as it is told, s."""

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


def _sideways(own: Own) -> F8:
    return np.where(can_stop(own), LATERAL, BANKED)


def corner_speed(own: Own, turn: F8, leg: F8, off: F8) -> F8:
    """How fast each can take a corner that leads onto a line of so many metres, m/s."""
    radius = np.maximum(widest_turn(turn, leg, off), tightest(own.length, own.max_steer))
    return np.sqrt(_sideways(own) * radius)


def speed_before(own: Own, then: F8, room: F8) -> F8:
    """The greatest speed from which each can be down to `then` m/s within so many metres."""
    brake = BRAKING * np.where(own.max_acceleration > 0, own.max_acceleration, 1.0)
    return np.sqrt(then**2 + 2.0 * brake * np.maximum(room, 0.0))


def lead(own: Own, turn: F8, off: F8) -> F8:
    """So many metres before a corner each begins to turn, cutting it by no more than `off`."""
    radius = np.maximum(turn_radius(own), own.speed**2 / _sideways(own))
    half = np.minimum(np.abs(turn) / 2, 1.5)
    early = np.minimum(radius * np.tan(half), np.sqrt(2.0 * radius * off + off**2))
    late = np.minimum(np.abs(turn), 1.0) * LAG * own.speed
    before: F8 = early + late
    return before


class Corners:
    """Steers vehicles toward corners, slowly enough for what comes after them."""

    def __init__(self, off: F8) -> None:
        """`off` is how far each may leave its way, m."""
        self._off = off
        self._approach = Approach(len(off))
        self._yaw, self._turned = np.zeros((2, len(off)))
        self._to: F8 = np.full((2, len(off)), np.nan)

    def begin(self, begins: Mask) -> None:
        self._approach.begin(begins)
        self._to = np.where(begins, np.nan, self._to)

    def toward(self, own: Own, to: F8, beyond: F8) -> tuple[F8, F8]:
        """Steer and the speed allowed toward places (2, vehicles), which others come beyond.

        `beyond` is nan where there is none: then whoever asks has to slow down.
        """
        east, north = to[0] - own.x, to[1] - own.y
        near, bearing = np.hypot(east, north), np.arctan2(north, east)
        leg = np.hypot(*(beyond - to))
        onward = np.arctan2(beyond[1] - to[1], beyond[0] - to[0])
        some = leg > 1e-3
        turn = np.where(some, wrapped(onward - bearing), 0.0)
        early = lead(own, turn, self._off)
        cut = some & (near < early)
        making_room = self._approach.steer(own, east, north, self._off)
        direct = steer_by(own, wrapped(bearing - own.yaw))
        steer = np.where(self._lost(own, to), making_room, direct)
        steer = np.where(cut, line_steer(own, to, beyond), steer)
        then = corner_speed(own, turn, np.where(some, leg, np.inf), self._off)
        allowed = np.where(some, speed_before(own, then, near - early), np.inf)
        # Who has yet to turn to its way turns in as little room as a corner would give it.
        aside = np.where(cut, 0.0, wrapped(bearing - own.yaw))
        turning = corner_speed(own, aside, np.full(len(own), np.inf), self._off)
        return steer, np.minimum(allowed, turning)

    def _lost(self, own: Own, to: F8) -> Mask:
        """Who has gone round in circles: its next place lies within its turning circle."""
        moved = ~(np.hypot(*(to - self._to)) < 1.0)
        turned = self._turned + np.abs(wrapped(own.yaw - self._yaw))
        self._turned = np.where(moved, 0.0, turned)
        self._to, self._yaw = np.where(moved, to, self._to), own.yaw
        lost: Mask = self._turned > LOST
        return lost
