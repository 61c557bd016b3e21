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
    steer_toward,
)
from movenv.terrain.area import AreaSet

RETURN_TIME = 3.0
"""A vehicle above or below its area aims to be back in about this long, s."""


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
        self._share = 1.0 + setup.config.faster

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        inside, near_x, near_y = self._areas.nearest(self._area, own.x, own.y)
        inward = np.arctan2(near_y - own.y, near_x - own.x)
        steer = np.where(inside, 0.0, steer_toward(own, inward))
        height = np.clip(own.z, self._floor, self._ceiling)
        climb = (height - own.z) / (np.maximum(own.speed, 0.1) * RETURN_TIME)
        # Even a centimetre outside asks for a visible pitch, or the return would never end.
        pitch = np.where(height == own.z, 0.0, climb + 0.05 * np.sign(climb))
        pitch = np.clip(pitch, -own.max_pitch, own.max_pitch)
        active = ~inside | ((height != own.z) & (own.max_pitch > 0))
        return Proposal(active, steer, own.cruise_speed * self._share, pitch)
