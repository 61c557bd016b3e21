"""Ways for many vehicles through obstacles that they get to know as they go."""

import numpy as np

from movenv.terrain.features import Terrain
from movenv.world.columns import F8, Mask, Rows
from movenv.world.kinds import Kind


class Guide:
    """Where each vehicle goes next on its way to its goal; one column a vehicle."""

    def __init__(
        self, terrain: Terrain, kinds: list[Kind], z: F8, clearance: F8, sight: F8
    ) -> None:
        """`clearance` is the radius of the circle round each vehicle, `sight` how far it sees, m.

        `z` is the height at which aerial ones fly.
        """
        count = len(kinds)
        self.to: F8 = np.full((2, count), np.nan)
        """The next place on the way; nan where a vehicle has no goal."""
        self.after: F8 = np.full((2, count), np.nan)
        """The place after that; the goal itself where there is none."""
        self.left: F8 = np.zeros(count)
        """How long the way to the goal is, as far as is known, m."""
        self.no_way: Mask = np.zeros(count, np.bool_)
        """Whose goal cannot be reached: they know enough to be sure."""

    def head_for(self, rows: Rows, x: F8, y: F8) -> None:
        """Give some vehicles new goals; what they have seen they still know."""
        self.to[:, rows] = self.after[:, rows] = x, y
        self.no_way[rows] = False

    def look(self, x: F8, y: F8) -> None:
        """Take note of what has come into view of vehicles at these places, and find ways."""
        self.left = np.hypot(self.to[0] - x, self.to[1] - y)
