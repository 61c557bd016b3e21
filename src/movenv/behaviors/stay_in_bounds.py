"""Outside its area a vehicle turns back the shortest way, a little faster."""

from typing import ClassVar

import numpy as np

from movenv.parts import (
    AreaName,
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Proposal,
    Setup,
    VehicleStates,
    pitch_toward,
    steer_toward,
)
from movenv.terrain.area import AreaSet

INSIDE = 1.0
"""A vehicle above or below its area aims this far within, m: at the mere edge it never arrives."""


class StayInBoundsConfig(BehaviorConfig):
    """Outside the area, head for the nearest point of it; above or below it, pitch back."""

    priority: int = Field(4, ge=1, le=10_000, description="the highest active priority drives")
    area: AreaName = Field(description="the area to stay in")
    faster: float = Field(0.1, ge=0, le=1, description="share of the cruising speed added")


class StayInBounds(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = StayInBoundsConfig

    def __init__(self, setup: Setup) -> None:
        names, self._area = np.unique(setup.config.area.astype(str), return_inverse=True)
        self._areas = AreaSet([setup.areas[name] for name in names])
        self._floor = self._areas.floor[self._area]
        self._ceiling = self._areas.ceiling[self._area]
        self._inset = np.minimum(INSIDE, (self._ceiling - self._floor) / 2)
        self._share = 1.0 + setup.config.faster

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        inside, near_x, near_y = self._areas.nearest(self._area, own.x, own.y)
        inward = np.arctan2(near_y - own.y, near_x - own.x)
        steer = np.where(inside, 0.0, steer_toward(own, inward))
        low, high = own.z < self._floor, own.z > self._ceiling
        height = np.where(low, self._floor + self._inset, own.z)
        height = np.where(high, self._ceiling - self._inset, height)
        active = ~inside | ((low | high) & (own.max_pitch > 0))
        return Proposal(active, steer, own.cruise_speed * self._share, pitch_toward(own, height))
