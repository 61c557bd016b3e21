"""Go to a place and stop there, or pass it."""

from typing import ClassVar, Literal

import numpy as np

from movenv.behaviors.guidance import (
    Approach,
    can_stop,
    circle_steer,
    nearest_on_way,
    numbers,
    still,
    turn_radius,
    wanted_speed,
)
from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Point,
    Proposal,
    Setup,
    VehicleStates,
)
from movenv.world.columns import F8, Mask

ROUND = 2.0
"""Who cannot stop circles with so many times the turning radius."""


class GoToPointConfig(BehaviorConfig):
    """Go to a place. It is done on arrival; whoever cannot stop then circles round the place."""

    at: Point = Field(description="where to; a height in it is kept by those that can climb")
    within: float = Field(2.0, gt=0, le=1e5, description="this near is there, m")
    speed: float | None = Field(None, gt=0, le=1000, description="m/s; default: the cruising speed")
    then: Literal["stop", "pass"] = Field(
        "stop", description="slow down and stay, or go through and leave the wheel"
    )


class GoToPoint(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = GoToPointConfig

    def __init__(self, setup: Setup) -> None:
        count = len(setup.vids)
        _, group = setup.config.each()
        places = [setup.local(at) for at in setup.config.distinct("at")]
        self._at = np.array([[x, y, np.nan if z is None else z] for x, y, z in places]).T[:, group]
        self._within = setup.config.within
        self._speed = numbers(setup, "speed")
        self._stops = setup.config.then == "stop"
        self._place = self._at.copy()
        self._before = np.full((2, count), np.nan)
        self._arrived = np.zeros(count, np.bool_)
        self._approach = Approach(count)

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        self._approach.begin(begins)
        self._arrived &= ~begins
        self._before = np.where(begins, [own.x, own.y], self._before)
        height = np.where(np.isnan(self._at[2]), own.z, self._at[2])
        self._place[2] = np.where(begins, height, self._place[2])

    def done(self, own: Own, others: VehicleStates, moment: Moment) -> Mask:
        return self._look(own)

    def _look(self, own: Own) -> Mask:
        """Who has arrived; once there, they have."""
        now: F8 = np.array([own.x, own.y])
        near = nearest_on_way(self._before, now, self._place[:2]) <= self._within
        level = (own.max_pitch <= 0) | (np.abs(own.z - self._place[2]) <= self._within)
        self._arrived |= near & level
        self._before = now
        return self._arrived

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        arrived = self._look(own)
        none, speed = still(len(own)), wanted_speed(own, self._speed)
        stop = self._stops & can_stop(own)
        toward = self._approach.toward(own, self._place, none, self._within, speed, stop)
        steer, slow, pitch = toward
        round_ = circle_steer(
            own, self._place[:2], none, ROUND * turn_radius(own), np.ones(len(own))
        )
        steer = np.where(arrived & ~stop, round_, steer)
        return Proposal(~arrived | self._stops, steer, slow, pitch, to=self._place[:2])
