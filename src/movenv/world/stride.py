"""Steps that fit: finer for whoever is fast, or where the scenario wants it, coarse elsewhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from movenv.world.columns import F8, Mask, Rows

X, Y, SPEED = 0, 1, 6
"""Of MOTION."""


class Stride(NamedTuple):
    """Some vehicles of a model that go through a tick with the same step."""

    rows: Rows
    h: float
    steps: int


class Sector(NamedTuple):
    """Where steps are to be no longer than `step` s."""

    contains: Callable[[F8, F8], Mask]
    step: float


@dataclass(frozen=True)
class AdaptiveStep:
    """Chooses everyone's step anew each tick, by halving the usual one as often as it must."""

    travel: float
    """How far a vehicle may get in a step, m."""
    finest: float
    """No step is shorter, s."""
    sectors: Sequence[Sector] = ()

    def strides(self, motion: F8, h: float, steps: int) -> list[Stride]:
        """Of vehicles (MOTION, vehicles) whose tick is `steps` steps of `h` otherwise.

        A vehicle's step depends on that vehicle alone, so it is the same on any number of hosts.
        """
        wanted = np.abs(motion[SPEED]) * h / self.travel
        for sector in self.sectors:
            inside = sector.contains(motion[X], motion[Y])
            wanted = np.where(inside, np.maximum(wanted, h / sector.step), wanted)
        most = max(0, int(np.floor(np.log2(h / self.finest) + 1e-9)))
        halvings = np.ceil(np.log2(np.maximum(wanted, 1.0)) - 1e-9).clip(0, most).astype(int)
        return [
            Stride(np.flatnonzero(halvings == k), h / 2**k, steps * 2**k)
            for k in np.unique(halvings).tolist()
        ]
