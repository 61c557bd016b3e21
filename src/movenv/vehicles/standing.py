"""Vehicles that stand on the ground: their height, pitch and roll are those of the slope."""

import numpy as np

from movenv.terrain.heights import Heights
from movenv.world.columns import F8, Rows
from movenv.world.model import MOTION

STANDING = ("ground", "pedestrian")
"""Kinds that stand on a height map."""


class Standing:
    """Some of a model's vehicles on some ground, as high above it as they began."""

    def __init__(
        self, heights: Heights, motion: F8, began_z: F8, rows: Rows | slice = slice(None)
    ) -> None:
        """`motion` is the model's MOTION, which `follow` changes; `rows` are those who stand, and
        `began_z` is where they were placed."""
        self._heights, self._motion, self._rows = heights, motion, rows
        x, y = motion[:2, rows]
        # Whoever was placed without thought of hills stands on them, not in them.
        self._above = np.maximum(began_z - heights.at(x, y), 0.0)
        self.follow()

    def follow(self) -> None:
        """Lie on the ground."""
        seen = dict(zip(MOTION, self._motion[:, self._rows], strict=True))
        east, north = self._heights.gradient(seen["x"], seen["y"])
        cos, sin = np.cos(seen["yaw"]), np.sin(seen["yaw"])
        felt = {
            "z": self._heights.at(seen["x"], seen["y"]) + self._above,
            "pitch": np.arctan(east * cos + north * sin),
            "roll": np.arctan(north * cos - east * sin),
            "vz": east * seen["vx"] + north * seen["vy"],
        }
        for name, values in felt.items():
            self._motion[MOTION.index(name), self._rows] = values
