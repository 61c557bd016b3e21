"""What the ground lets vehicles do where they are and where they turn: hold, brake, cut corners."""

from typing import NamedTuple

import numpy as np

from movenv.behaviors.guidance import BRAKING, can_stop
from movenv.parts import Own, Setup
from movenv.terrain.soil import soil_of
from movenv.world.columns import F8, Rows

LATERAL = 3.0
"""Who can stop takes corners with so much sideways acceleration where the ground holds it, m/s²."""
BANKED = 9.0
"""Who cannot, an aircraft, banks, m/s²."""
HOLD = 0.9
"""Share of what the ground holds that is counted on: the rest is for coming back to the way."""


class Hold(NamedTuple):
    """What each vehicle can count on; one value a vehicle."""

    here: F8
    """Sideways where it is, m/s²."""
    there: F8
    """Sideways at its next corner."""
    brake: F8
    """Slowing down from here to there, m/s²."""
    beside: F8
    """The room between its way and the edge of the lanes that it is on here or there, m."""


class Footing:
    """The ground under the vehicles of a behavior; one column a vehicle."""

    def __init__(self, setup: Setup) -> None:
        build, rows = setup.roster.build, np.searchsorted(setup.roster.vids, setup.vids)
        unsaid = np.zeros(len(setup.roster))
        limits = (build.get(name, unsaid)[rows] for name in ("max_lateral", "max_braking"))
        # A model that does not say obeys whatever the ground is like.
        self._lateral, self._braking = (np.where(most > 0, most, np.inf) for most in limits)
        self._soil = soil_of(setup.terrain)

    def hold(self, own: Own, to: F8, rows: Rows | None = None) -> Hold:
        """For vehicles on their way to corners (2, vehicles); `rows` says which where not all."""
        count = len(own)
        places = np.concatenate([own.x, to[0]]), np.concatenate([own.y, to[1]])
        grip, beside = (column.reshape(2, count) for column in self._soil.under(*places))
        usual = np.where(can_stop(own), LATERAL, BANKED)
        lateral, braking = self._lateral, self._braking
        if rows is not None:
            lateral, braking = lateral[rows], braking[rows]
        here, there = np.minimum(usual, HOLD * lateral * grip)
        brake = BRAKING * np.where(own.max_acceleration > 0, own.max_acceleration, 1.0)
        brake = np.minimum(brake, HOLD * braking * grip.min(axis=0))
        return Hold(here, there, brake, beside.min(axis=0))
