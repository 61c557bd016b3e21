"""Finding the vehicles that settings name among the others."""

import numpy as np

from movenv.parts import Setup, VehicleStates
from movenv.world.columns import U4, Mask, Rows
from movenv.world.messages import Health


class Named:
    """Of each vehicle the one that a setting of it names; a setting may name nobody."""

    def __init__(self, setup: Setup, setting: str) -> None:
        names = setup.config.distinct(setting)
        _, group = setup.config.each()
        # 0 is no vehicle's number.
        vids = [0 if name is None else setup.vid_of(name) for name in names]
        self.vids = np.array(vids, np.uint32)[group]

    def rows(self, others: VehicleStates) -> tuple[Mask, Rows]:
        """Whether each one's vehicle is heard, and its row among the others."""
        return rows_of(self.vids, others)


def rows_of(vids: U4, others: VehicleStates) -> tuple[Mask, Rows]:
    """Whether vehicles are heard, and their rows among the others."""
    if not len(others):
        return np.zeros(len(vids), np.bool_), np.zeros(len(vids), np.intp)
    row = np.minimum(np.searchsorted(others.vid, vids), len(others) - 1)
    heard = (others.vid[row] == vids) & (others.health[row] == Health.HEARD)
    known: Mask = heard & np.isfinite(others.x[row]) & np.isfinite(others.y[row])
    return known, row
