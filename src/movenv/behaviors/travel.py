"""Vehicles on their way along places, round what stands between: for behaviors that go there."""

import numpy as np

from movenv.behaviors.guidance import line_steer
from movenv.parts import Own, Proposal, Setup
from movenv.terrain.guide import Guide
from movenv.world.columns import F8, Mask, Rows
from movenv.world.orders import Roads


class Travel:
    """Where each vehicle of a behavior is going; one column a vehicle."""

    def __init__(self, setup: Setup, sight: F8, clearance: F8) -> None:
        """`sight` is how far each sees, `clearance` the radius of the circle round it, m."""
        count = len(setup.vids)
        roster = setup.roster
        rows = np.searchsorted(roster.vids, setup.vids)
        kinds = [roster.kinds[k] for k in roster.kind[rows]]
        self._guide = Guide(setup.terrain, kinds, np.zeros(count), clearance, sight)
        self.arrived: Mask = np.zeros(count, np.bool_)
        self.no_way: Mask = np.zeros(count, np.bool_)
        """Who knows that there is no way to the next place."""

    def go(self, rows: Rows, places: F8, speed: float, within: float, roads: Roads) -> None:
        """Send some vehicles along places (n, 3), z nan to keep one's height.

        `speed` may be nan for the cruising speed; `within` m of the last place is there.
        """
        x, y = (np.full(len(rows), places[-1, axis]) for axis in (0, 1))
        self._guide.head_for(rows, x, y)
        self.arrived[rows] = self.no_way[rows] = False

    def stop(self, rows: Rows) -> None:
        """These are no longer under way."""

    def steer(self, own: Own) -> Proposal:
        """What takes everyone there; active for those under way, and for who stands there."""
        self._guide.look(own.x, own.y)
        here: F8 = np.array([own.x, own.y])
        going = ~np.isnan(self._guide.to[0])
        steer = np.where(going, line_steer(own, here, self._guide.to), 0.0)
        return Proposal(going, steer, own.cruise_speed, None, to=self._guide.to)
