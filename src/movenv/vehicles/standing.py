"""Vehicles that stand on the ground: height, pitch and roll are those of where they touch it."""

import numpy as np

from movenv.terrain.heights import Heights
from movenv.world.columns import F8, Rows
from movenv.world.model import MOTION

STANDING = ("ground", "pedestrian")
"""Kinds that stand on a height map."""
TRACK = 0.6
"""From a left wheel to a right one, over the wheelbase."""
AHEAD = np.array([[0.5], [0.5], [-0.5], [-0.5]])
LEFT = TRACK * np.array([[0.5], [-0.5], [0.5], [-0.5]])
"""Where wheels are (or the outermost parts of feet and tracks), over the wheelbase."""


class Standing:
    """Some of a model's vehicles on some ground, as high above it as they began."""

    def __init__(
        self,
        heights: Heights,
        motion: F8,
        began_z: F8,
        wheelbase: F8,
        rows: Rows | slice = slice(None),
    ) -> None:
        """`motion` is the model's MOTION, which `follow` changes; `rows` are those who stand, and
        `began_z` is where they were placed."""
        self._heights, self._motion, self._rows = heights, motion, rows
        self._wheelbase, self._above = wheelbase, np.zeros(len(wheelbase))
        self.follow()
        # Whoever was placed without thought of hills stands on them, not in them.
        self._above = np.maximum(began_z - motion[MOTION.index("z"), rows], 0.0)
        self.follow()

    def follow(self) -> None:
        """Lie on the ground."""
        seen = dict(zip(MOTION, self._motion[:, self._rows], strict=True))
        cos, sin = np.cos(seen["yaw"]), np.sin(seen["yaw"])
        ahead, left = AHEAD * self._wheelbase, LEFT * self._wheelbase
        x = seen["x"] + ahead * cos - left * sin
        y = seen["y"] + ahead * sin + left * cos
        z = self._heights.at(x.ravel(), y.ravel()).reshape(x.shape)
        ahead_rise = (z[0] + z[1] - z[2] - z[3]) / (2.0 * self._wheelbase)
        left_rise = (z[0] + z[2] - z[1] - z[3]) / (2.0 * TRACK * self._wheelbase)
        forward, leftward = seen["vx"] * cos + seen["vy"] * sin, seen["vy"] * cos - seen["vx"] * sin
        felt = {
            "z": z.mean(axis=0) + self._above,
            "pitch": np.arctan(ahead_rise),
            "roll": np.arctan(left_rise),
            "vz": ahead_rise * forward + left_rise * leftward,
        }
        for name, values in felt.items():
            self._motion[MOTION.index(name), self._rows] = values
