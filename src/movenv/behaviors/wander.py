"""Straight on at constant speed: what a vehicle does when nothing else wants the wheel."""

from typing import ClassVar

import numpy as np

from movenv.parts import (
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
)
from movenv.world.columns import Mask


class WanderConfig(BehaviorConfig):
    """Straight on, constant speed."""

    priority: int = Field(1, ge=1, le=10_000, description="the highest active priority drives")
    hold_altitude: bool = Field(True, description="climb or sink back to the altitude of the start")


class Wander(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = WanderConfig

    def __init__(self, setup: Setup) -> None:
        self._holds = setup.config.hold_altitude
        self._altitude = np.full(len(setup.vids), np.nan)
        self._active = np.ones(len(setup.vids), np.bool_)

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        self._altitude = np.where(begins, own.z, self._altitude)

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        pitch = np.where(self._holds, pitch_toward(own, self._altitude), 0.0)
        return Proposal(self._active, 0.0, own.cruise_speed, pitch)
