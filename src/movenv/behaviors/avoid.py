"""Turn away from the vehicles one has been given notice of; pitch away where one can."""

from typing import ClassVar

import numpy as np

from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    LevelName,
    Moment,
    Notices,
    Own,
    Proposal,
    Setup,
    VehicleStates,
    steer_by,
    wrapped,
)
from movenv.world.columns import VidIndex

HEAD_ON = 0.2
"""Within this angle of dead ahead both vehicles turn right, as at sea and in the air, rad."""
SAME_HEIGHT = 0.5
"""Within this share of a length two vehicles count as level, and the lower vid climbs."""


class AvoidConfig(BehaviorConfig):
    """Turn away from notified vehicles."""

    priority: int = Field(10, ge=1, le=10_000, description="the highest active priority drives")
    level: LevelName = Field("caution", description="the notice level from which to act")


class Avoid(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = AvoidConfig

    def __init__(self, setup: Setup) -> None:
        self._index = VidIndex(setup.vids)
        self._level = np.array([setup.levels[name] for name in setup.config.level], np.uint8)

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        row = self._index.rows(notices.vid)
        acted = np.flatnonzero((row >= 0) & (notices.level >= self._level[row]))
        row = row[acted]
        east, north, up = (
            own.x[row] - notices.x[acted],
            own.y[row] - notices.y[acted],
            own.z[row] - notices.z[acted],
        )
        # The same limit on both sides, or both might take the other for the lower one.
        level = np.abs(up) < SAME_HEIGHT * np.maximum(own.length[row], notices.length[acted])
        up = np.where(level, np.where(notices.vid[acted] < notices.other[acted], 1.0, -1.0), up)
        # The nearer a vehicle, the more it counts among several.
        weight = 1.0 / np.maximum(notices.distance[acted], 0.1) ** 2
        away = [np.bincount(row, weight * part, len(own)) for part in (east, north, up)]
        turn = wrapped(np.arctan2(away[1], away[0]) - own.yaw)
        turn = np.where(turn > np.pi - HEAD_ON, turn - 2 * np.pi, turn)
        # Squeezed from opposite sides, or right above another, there is no way to turn.
        turn = np.where(np.hypot(away[0], away[1]) < 1e-9, 0.0, turn)
        active = np.zeros(len(own), np.bool_)
        active[row] = True
        pitch = np.sign(away[2]) * own.max_pitch
        return Proposal(active, steer_by(own, turn), own.cruise_speed, pitch)
