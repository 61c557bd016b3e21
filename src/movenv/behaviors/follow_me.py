"""Follow a vehicle along its path, some distance behind."""

from typing import ClassVar

import numpy as np

from movenv.behaviors.guidance import circle_steer, numbers, slowing, still, turn_radius
from movenv.behaviors.others import Named
from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Proposal,
    Setup,
    VehicleName,
    VehicleStates,
    pitch_toward,
    steer_toward,
)
from movenv.world.columns import F8, Mask

SAMPLES = 48
"""Places of the leader that are remembered."""
BEHIND = 16
"""How many of them lie within the distance to keep, in an even ride."""
CLOSING = 0.4
"""Share of a gap's error that is closed in a second, 1/s."""
SLACK = 0.05
"""An error that is not worth a step, m."""
FAITHFUL = 0.2
"""How many metres beside the way weigh as much as one metre along it."""
SLOWER = 0.95
"""Below this share of its lowest speed a follower cannot stay behind a leader."""
ROUND = 2.0
"""Who cannot go as slowly as the leader circles with so many times the turning radius."""


class FollowMeConfig(BehaviorConfig):
    """Follow a vehicle along its path; stop where it stops, wait while it is not heard."""

    leader: VehicleName = Field(description="whom to follow, real or virtual")
    distance: float = Field(10.0, gt=0, le=1e4, description="along its path, m")
    speed: float | None = Field(
        None, gt=0, le=1000, description="limit, m/s; default: what the vehicle can do"
    )
    above: float | None = Field(
        None, ge=-1e5, le=1e5, description="height over the leader, m; default: as it began"
    )


class FollowMe(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = FollowMeConfig

    def __init__(self, setup: Setup) -> None:
        count = len(setup.vids)
        self._leader = Named(setup, "leader")
        if (setup.vids == self._leader.vids).any():
            raise ValueError("a vehicle cannot follow itself")
        self._distance = setup.config.distance
        self._limit = numbers(setup, "speed")
        self._above = numbers(setup, "above")
        self._trail = Trail(count, self._distance / BEHIND)
        self._height = np.zeros(count)
        self._waits_at = np.zeros((2, count))
        self._active = np.ones(count, np.bool_)

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        self._trail.begin(begins)
        self._height = np.where(begins, own.z, self._height)
        self._waits_at = np.where(begins, [own.x, own.y], self._waits_at)

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        heard, row = self._leader.rows(others)
        here: F8 = np.array([own.x, own.y])
        leads: F8 = here.copy()
        leads[:, heard] = others.x[row[heard]], others.y[row[heard]]
        moves, height = np.zeros(len(own)), self._height.copy()
        moves[heard] = np.hypot(others.vx[row[heard]], others.vy[row[heard]])
        over = heard & ~np.isnan(self._above)
        height[over] = others.z[row[over]] + self._above[over]
        self._trail.follow(here, leads, heard)
        behind, aside = self._trail.behind(here)
        gap = behind + aside - self._distance
        fastest = np.where(own.max_speed > 0, own.max_speed, own.cruise_speed)
        limit = np.where(np.isnan(self._limit), fastest, self._limit)
        speed = np.clip(moves + _closing(own, gap), 0.0, limit)
        look_ahead = np.maximum(1.5 * turn_radius(own), 0.5 * own.speed)
        aim = self._trail.at(np.maximum(behind - look_ahead, 0.0))
        steer = steer_toward(own, np.arctan2(aim[1] - own.y, aim[0] - own.x))
        self._waits_at = np.where(heard, here, self._waits_at)
        round_, slow = self._round(own, heard, moves, gap)
        steer = np.where(slow, round_, np.where(heard, steer, 0.0))
        speed = np.where(heard, speed, 0.0)
        return Proposal(self._active, steer, speed, pitch_toward(own, height))

    def _round(self, own: Own, heard: Mask, moves: F8, gap: F8) -> tuple[F8, Mask]:
        """Where there is too slow a leader, or none, those that cannot wait circle."""
        radius = ROUND * turn_radius(own)
        slow = (moves < SLOWER * own.min_speed) & (gap < 2 * radius)
        middle = np.where(heard, self._trail.at(self._distance), self._waits_at)
        steer = circle_steer(own, middle, still(len(own)), radius, np.ones(len(own)))
        return steer, (own.min_speed > 0) & (slow | ~heard)


def _closing(own: Own, gap: F8) -> F8:
    """How much faster than the leader to go for a gap that is too large, m/s."""
    gap = np.where(np.abs(gap) < SLACK, 0.0, gap)
    return np.where(gap > 0, np.minimum(CLOSING * gap, slowing(own, gap)), CLOSING * gap)


class Trail:
    """Where each one's leader has been."""

    def __init__(self, count: int, every: F8) -> None:
        """A place is remembered `every` so many metres."""
        self._every = every
        self._known = np.zeros(count, np.bool_)
        self._points = np.zeros((2, count, SAMPLES))
        """The latest first; before them comes where the leader is."""
        self._behind = np.zeros(count)

    def begin(self, begins: Mask) -> None:
        self._known &= ~begins

    def follow(self, here: F8, leads: F8, heard: Mask) -> None:
        """Take note of where leaders are now; their way before that is taken as straight."""
        new = np.flatnonzero(heard & ~self._known)
        if len(new):
            back = here[:, new] - leads[:, new]
            far = np.hypot(back[0], back[1])
            back = np.where(far > 0, back / np.maximum(far, 1e-9), [[1.0], [0.0]])
            steps = self._every[new, None] * np.arange(SAMPLES)
            self._points[:, new] = leads[:, new, None] + back[:, :, None] * steps
            self._behind[new] = far
            self._known[new] = True
        moved = np.hypot(*(leads - self._points[:, :, 1])) >= self._every
        rows = np.flatnonzero(moved & heard)
        self._points[:, rows, 1:] = self._points[:, rows, :-1]
        self._points[:, heard, 0] = leads[:, heard]

    def behind(self, here: F8) -> tuple[F8, F8]:
        """How far behind their leader vehicles are along its way, and how far beside it, m."""
        start, way = self._points[:, :, :-1], np.diff(self._points, axis=2)
        square = (way**2).sum(axis=0)
        along = ((here[:, :, None] - start) * way).sum(axis=0) / np.maximum(square, 1e-12)
        along = np.clip(along, 0.0, 1.0)
        aside = np.hypot(*(start + along * way - here[:, :, None]))
        length = np.sqrt(square)
        far = np.cumsum(length, axis=1) - length + along * length
        # Where the way crosses itself, whoever follows it stays on it.
        near = np.argmin(aside + FAITHFUL * np.abs(far - self._behind[:, None]), axis=1)
        rows = np.arange(len(near))
        self._behind = far[rows, near]
        return self._behind, aside[rows, near]

    def at(self, far: F8) -> F8:
        """The place so far behind the leader along its way, (2, vehicles)."""
        way = np.diff(self._points, axis=2)
        length = np.hypot(way[0], way[1])
        end = np.cumsum(length, axis=1)
        leg = np.minimum((end < far[:, None]).sum(axis=1), SAMPLES - 2)
        rows = np.arange(len(leg))
        share = 1.0 + (far - end[rows, leg]) / np.maximum(length[rows, leg], 1e-9)
        place: F8 = self._points[:, rows, leg] + np.clip(share, 0.0, 1.0) * way[:, rows, leg]
        return place
