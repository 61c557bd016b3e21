"""What one writes first to keep a formation: each steers at its own place beside the leader.

The baseline of `movenv.bench.bend`, which lays a copy of this file beside its scenario.
"""

from typing import ClassVar

import numpy as np

from movenv.behaviors.shapes import stations_of
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
    steer_toward,
)

SOON = 1.0
"""In so many seconds a gap shall be closed, s."""


class NaiveFollowerConfig(BehaviorConfig):
    """The station is fixed to the leader, the first of the only unit, and never changes."""

    shape: str = Field("wedge", description="of the formation")
    spacing: float = Field(10.0, gt=0, description="between neighbours, m")


class NaiveFollower(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = NaiveFollowerConfig

    def __init__(self, setup: Setup) -> None:
        shape, spacing = setup.config.shape[0], float(setup.config.spacing[0])
        members = setup.roster.vids[setup.roster.members(setup.roster.units[0])]
        stations = stations_of(shape, len(members) - 1, spacing)
        self._station = stations[:, np.searchsorted(members, setup.vids) - 1]
        self._active = np.ones(len(setup.vids), np.bool_)

    def propose(
        self, own: Own, others: VehicleStates, _notices: Notices, _moment: Moment
    ) -> Proposal:
        vx, vy = float(others.vx[0]), float(others.vy[0])
        moves = np.hypot(vx, vy)
        course = np.arctan2(vy, vx) if moves > 0.1 else float(others.yaw[0])
        cos, sin = np.cos(course), np.sin(course)
        ahead, left = self._station
        east = others.x[0] + cos * ahead - sin * left - own.x
        north = others.y[0] + sin * ahead + cos * left - own.y
        near = np.hypot(east, north) < own.length
        toward = np.where(near, course, np.arctan2(north, east))
        speed = np.maximum(moves + (cos * east + sin * north) / SOON, 0.0)
        return Proposal(self._active, steer_toward(own, toward), speed)
