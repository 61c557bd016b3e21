"""Slow down behind whatever is in front, and stop before it."""

from typing import ClassVar

import numpy as np

from movenv.behaviors.ahead import Lookout, first_of_each
from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Proposal,
    Setup,
    SightRange,
    VehicleStates,
)
from movenv.terrain.route_set import braking_speed
from movenv.world.columns import F8, Mask

BRAKES = 0.9
"""The share of a vehicle's acceleration that is planned with."""


class AvoidByBrakeConfig(BehaviorConfig):
    """Stop before what stands in front, and go no faster than what drives there.

    Only limits the speed: what is below steers, and may go slower still.
    """

    priority: int = Field(8, ge=1, le=10_000, description="the highest active priority drives")
    deceleration: float = Field(2.0, gt=0, le=100, description="m/s²")
    acceleration: float = Field(1.5, gt=0, le=100, description="when the way is free again, m/s²")
    margin: float = Field(2.0, ge=0, le=1000, description="distance kept, bumper to bumper, m")
    width: float = Field(
        0.7, gt=0, le=10, description="half width of the way ahead, in mean lengths of the two"
    )
    sight: SightRange = Field(150.0, gt=0, le=1e6, description="how far ahead to look at most, m")


class AvoidByBrake(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = AvoidByBrakeConfig

    def __init__(self, setup: Setup) -> None:
        self._config = setup.config
        self._lookout = Lookout(setup.roster, setup.config.sight)
        self._limit = np.full(len(setup.vids), np.inf)

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        self._limit = np.where(begins, np.inf, self._limit)

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        safe = self._safe(own, others, moment.period)
        eased = np.minimum(self._limit, own.speed) + self._config.acceleration * moment.period
        restrained = np.isfinite(self._limit) | np.isfinite(safe)
        limit = np.where(restrained, np.minimum(safe, eased), np.inf)
        # Free again, and as fast as it wants to be: whatever it does next is not held back.
        free = ~np.isfinite(safe) & (limit > np.maximum(own.cruise_speed, own.speed + 1e-9))
        self._limit = np.where(free, np.inf, limit)
        active = np.isfinite(self._limit)
        return Proposal(active, None, np.where(active, self._limit, 0.0), None, at_most=True)

    def _safe(self, own: Own, others: VehicleStates, period: float) -> F8:
        """The speed from which each can stop before what is ahead of it; inf where nothing is."""
        config = self._config
        able = np.where(own.max_acceleration > 0, BRAKES * own.max_acceleration, np.inf)
        slowing = np.minimum(config.deceleration, able)
        pairs = self._lookout.straight(own, others)
        row = pairs.row
        # Both are taken to brake alike: who drives away leaves its own stopping distance free,
        # who comes this way needs it.
        room = pairs.ahead - pairs.apart - config.margin[row]
        room = room + pairs.speed * np.abs(pairs.speed) / (2 * slowing[row])
        reach = own.speed * (own.speed / (2 * slowing) + 2 * period) + own.cruise_speed * period
        in_way = (pairs.ahead > 0.0) & (np.abs(pairs.aside) <= config.width[row] * pairs.apart)
        in_way &= room <= reach[row]
        row, room = row[in_way], room[in_way]
        still = np.zeros(len(row))
        allowed = braking_speed(room, still, own.speed[row], slowing[row], period)
        safe = np.full(len(own), np.inf)
        who, (lowest,) = first_of_each(row, allowed, allowed)
        safe[who] = lowest
        return safe
