"""How often the Core is asked who is around: as often as it matters."""

import math
from dataclasses import dataclass

import numpy as np

from movenv.runtime.injection.neighbourhood import Seen
from movenv.world.scan import Pose

SHARE = 0.05
"""Until it is asked again, the gap to nobody around may change by more than this share of it."""
NEAREST = 0.5
"""A gap smaller than this counts as this, m."""
BEYOND = 5.0
"""Whom the Core tells of although they are farther than the scanner sees, m: at least so far."""
ARRIVING = 20.0
"""How fast somebody may come nearer that is not known yet, beside one's own speed, m/s."""


@dataclass(frozen=True)
class Pace:
    """Questions a second, between two bounds: rarely for who stands alone, often for who rushes
    past somebody. With equal bounds it is that often, whatever happens."""

    least: float
    most: float

    def beyond(self, own: Pose | None) -> float:
        """How much farther than the scanner sees others must be known, m: until the Core is asked
        again they may come nearer."""
        speed = math.hypot(own.vx, own.vy) if own is not None and own.is_finite else 0.0
        return max(BEYOND, (speed + ARRIVING) / self.least)

    def pause(self, seen: Seen | None, own: Pose | None) -> float:
        """For how long what was told is good enough, s.

        `own` is where the vehicle is by its own word, if it has one.
        """
        here = own or (seen.own if seen else None)
        if seen is None or here is None or not here.is_finite:
            return 1.0 / self.most
        if not len(seen.boxes):
            return 1.0 / self.least
        apart = np.hypot(seen.boxes[:, 0] - here.x, seen.boxes[:, 1] - here.y)
        gap = np.maximum(apart - 0.5 * np.hypot(seen.boxes[:, 3], seen.boxes[:, 4]), NEAREST)
        moving = np.hypot(seen.velocities[:, 0], seen.velocities[:, 1])
        closing = moving + math.hypot(here.vx, here.vy)
        soonest = float(np.min(SHARE * gap / np.maximum(closing, 1e-9)))
        return min(max(soonest, 1.0 / self.most), 1.0 / self.least)


STEADY = Pace(10.0, 10.0)
"""Ten times a second."""
