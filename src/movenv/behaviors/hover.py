"""Stay where one is, or at a place; whoever cannot stop circles round it."""

from typing import ClassVar

import numpy as np

from movenv.behaviors.guidance import (
    Approach,
    can_stop,
    circle_steer,
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
from movenv.world.columns import Mask

ROUND = 2.0
"""Who cannot stop circles with so many times the turning radius, or `within` where that is more."""


class HoverConfig(BehaviorConfig):
    """Stay at a place: stopped, or circling round it where a vehicle cannot stop."""

    at: Point | None = Field(None, description="where; default: where it began")
    within: float = Field(2.0, gt=0, le=1e5, description="how far from it one may be, m")
    speed: float | None = Field(
        None, gt=0, le=1000, description="on the way there, m/s; default: the cruising speed"
    )


class Hover(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = HoverConfig

    def __init__(self, setup: Setup) -> None:
        count = len(setup.vids)
        _, group = setup.config.each()
        at = [None if a is None else setup.local(a) for a in setup.config.distinct("at")]
        nowhere = (np.nan, np.nan, None)
        places = [nowhere if place is None else place for place in at]
        self._at = np.array([[x, y, np.nan if z is None else z] for x, y, z in places]).T[:, group]
        self._within = setup.config.within
        self._speed = numbers(setup, "speed")
        self._place = np.zeros((3, count))
        self._active = np.ones(count, np.bool_)
        self._approach = Approach(count)

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        self._approach.begin(begins)
        here = np.where(np.isnan(self._at), [own.x, own.y, own.z], self._at)
        self._place = np.where(begins, here, self._place)

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        none, stop = still(len(own)), can_stop(own)
        speed = wanted_speed(own, self._speed)
        toward = self._approach.toward(own, self._place, none, self._within, speed, stop)
        radius = np.maximum(ROUND * turn_radius(own), self._within)
        round_ = circle_steer(own, self._place[:2], none, radius, np.ones(len(own)))
        steer, slow, pitch = toward
        return Proposal(self._active, np.where(stop, steer, round_), slow, pitch)
