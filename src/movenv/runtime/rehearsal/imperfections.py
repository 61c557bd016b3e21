"""What goes wrong between a phone's true place and what arrives of it."""

import math
from dataclasses import dataclass

import numpy as np

METRES_A_DEGREE = 111_320.0


@dataclass(frozen=True)
class Imperfections:
    """Set by whoever rehearses. All zero: a perfect receiver on a perfect network."""

    noise: float = 0.0
    """Standard deviation of each fix, east and north by itself, m."""
    drop: float = 0.0
    """Share of packets that never arrive."""
    delay: float = 0.0
    """How long every packet takes, s."""
    jitter: float = 0.0
    """Up to this much longer, at random, s: later ones overtake earlier ones."""


class Chance:
    """Imperfections that fall out the same for the same seed."""

    def __init__(self, imperfections: Imperfections, seed: int) -> None:
        self._is = imperfections
        self._random = np.random.default_rng(seed)

    def misplaced(self, lat: float, lon: float) -> tuple[float, float]:
        """A place with the receiver's noise on it."""
        if not self._is.noise:
            return lat, lon
        north, east = (self._random.normal(0.0, self._is.noise, 2) / METRES_A_DEGREE).tolist()
        return lat + north, lon + east / max(0.01, math.cos(math.radians(lat)))

    @property
    def accuracy(self) -> float:
        """What the receiver says of itself: the radius of two fixes out of three, m."""
        return max(1.0, 1.515 * self._is.noise)

    def is_lost(self) -> bool:
        return bool(self._is.drop) and self._random.random() < self._is.drop

    def takes(self) -> float:
        """How long a packet is under way, s."""
        if not self._is.jitter:
            return self._is.delay
        return self._is.delay + self._is.jitter * float(self._random.random())
