"""Wished velocities and how they are bent: by all that is asked for, or by less beside walls."""

from typing import NamedTuple

import numpy as np

from movenv.behaviors.guidance import slowing
from movenv.behaviors.leeway import CRAWL
from movenv.behaviors.threats import Threats
from movenv.parts import Own, VehicleStates, wrapped
from movenv.world.columns import F8, Rows

LESS = (1.0, 0.5, 0.25, 0.0)
"""Shares of the change that are tried beside walls, one after the other, before braking."""
WISHED, AGAIN = len(LESS) - 1, len(LESS) + 2
"""Which choices are the wished course, and from which one on that of before."""
TOUCH = 0.5
"""Two that pass at less than this share of d_min may touch."""
TURNED = 0.1
"""Within this angle of its wished course one need not turn to it any more, rad."""


class Bend(NamedTuple):
    """What is wished and what is asked for; columns are vehicles."""

    velocity: F8
    change: F8
    slow: F8
    """Share of the speed for those who have not agreed on a side."""
    held: F8
    """The speed with which one that cannot leave its way need not touch anybody, m/s."""

    def some(self, rows: Rows) -> "Bend":
        return Bend(*(column[..., rows] for column in self))

    @property
    def course(self) -> F8:
        """The wished course."""
        course: F8 = np.arctan2(self.velocity[1], self.velocity[0])
        return course

    def by(self, own: Own, share: float = 1.0) -> tuple[F8, F8]:
        """Course and speed with a share of the change."""
        change = share * self.change
        wanted = self.velocity + change
        pace = _pace(own, wanted, change) * self.slow
        pace = share * pace + (1.0 - share) * np.minimum(pace, self.held)
        return np.arctan2(wanted[1], wanted[0]), np.clip(pace, own.min_speed, own.max_speed)

    def choices(self, own: Own, before: F8) -> tuple[F8, F8]:
        """Courses and speeds (choices, vehicles) to try one after the other.

        They are less and less of the change; the wished course by the longer turn; that course at
        a crawl, or braking where one has turned to it; the course wished `before` in the same way;
        and at last only braking on that.
        """
        tried = [self.by(own, share) for share in LESS]
        turn = wrapped(self.course - own.yaw)
        crawl = np.maximum(np.minimum(tried[-1][1], CRAWL * own.cruise_speed), own.min_speed)
        tried.append((own.yaw - np.copysign(np.pi / 2, turn), crawl))
        for course in (self.course, before):
            aside = np.abs(wrapped(course - own.yaw)) > TURNED
            tried.append((course, np.where(aside, crawl, own.min_speed)))
        tried.append((before, own.min_speed))
        return np.array([course for course, _ in tried]), np.array([speed for _, speed in tried])


def _pace(own: Own, wanted: F8, change: F8) -> F8:
    """How fast to go toward a wanted velocity; while turning there no faster than it is good.

    Who still looks where the change is to keep it from going brakes, but not to a standstill, for
    then it could not turn.
    """
    heading: F8 = np.array([np.cos(own.yaw), np.sin(own.yaw)])
    speed = np.hypot(*wanted)
    onward = (wanted * heading).sum(axis=0)
    brakes = np.maximum(onward, np.minimum(speed, CRAWL * own.cruise_speed))
    pace: F8 = np.where((change * heading).sum(axis=0) < 0.0, brakes, speed)
    return pace


def held(own: Own, others: VehicleStates, found: Threats, side: F8) -> F8:
    """The speed from which each can stop before it touches others; inf where nobody is near.

    Of two that come toward each other each has half of the room between them.
    """
    near = np.flatnonzero(side * found.d < TOUCH * found.d_min)
    row, other = found.row[near], found.other[near]
    east, north = others.x[other] - own.x[row], others.y[other] - own.y[row]
    far = np.hypot(east, north)
    away = (others.vx[other] * east + others.vy[other] * north) / np.maximum(far, 1e-9)
    room = np.maximum(far - TOUCH * found.d_min[near], 0.0)
    share = np.where(away < 0.0, 0.5, 1.0)
    least = np.maximum(away, 0.0) + slowing(own.some(row), share * room)
    speed = np.full(len(own), np.inf)
    np.minimum.at(speed, row, least)
    return speed
