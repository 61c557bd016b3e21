"""One scan of a 2D laser scanner, as it travels between programs, and where it was taken."""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from movenv.world.columns import F4
from movenv.world.sensor import ScanLayout

MOST_BEAMS = 65_536
"""No scan has more."""


@dataclass(frozen=True)
class Scan:
    """What a laser scanner saw in one sweep.

    A range of infinity says that nothing was met; nan, or one out of bounds, that the beam is void.
    """

    number: int
    """Counts up by one from scan to scan."""
    stamp: float
    """When the first beam was measured, s."""
    layout: ScanLayout
    ranges: F4
    """In m, one a beam."""

    def with_ranges(self, ranges: F4) -> "Scan":
        return replace(self, ranges=ranges)


class Pose(NamedTuple):
    """Where a vehicle or a sensor is at an instant, and how it moves: m, rad and seconds."""

    x: float
    y: float
    yaw: float
    vx: float = 0.0
    vy: float = 0.0
    yaw_rate: float = 0.0

    @property
    def is_finite(self) -> bool:
        return all(map(math.isfinite, self))

    def carried(self, seconds: float) -> "Pose":
        """Where it is so much later, or earlier, if it goes on as it does."""
        return self._replace(
            x=self.x + self.vx * seconds,
            y=self.y + self.vy * seconds,
            yaw=self.yaw + self.yaw_rate * seconds,
        )

    def mounted(self, mount: tuple[float, float, float]) -> "Pose":
        """The pose of what is fixed on it: x forward, y left and yaw."""
        ahead, left, turned = mount
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        dx, dy = cos * ahead - sin * left, sin * ahead + cos * left
        return Pose(
            self.x + dx,
            self.y + dy,
            self.yaw + turned,
            self.vx - self.yaw_rate * dy,
            self.vy + self.yaw_rate * dx,
            self.yaw_rate,
        )
