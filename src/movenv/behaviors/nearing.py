"""Who is on its way and comes no nearer to where it goes: circling, pushed about or stuck."""

import numpy as np

from movenv.parts import Own
from movenv.world.columns import F8, Mask

PATIENCE = 60.0
"""Whoever has come no nearer for so long tells of it, s."""
NEARER = 1.0
"""What counts as nearer, m."""
LEAP = 2.0
"""A way that grows by more in a tick than so many times what is driven is another one."""


class Nearing:
    """How much of its way each has left, at the least, and for how long that has been so."""

    def __init__(self, count: int) -> None:
        self._least, self._left = np.full((2, count), np.inf)
        self._place = np.full((2, count), np.nan)
        self._since = np.zeros(count)

    def look(self, own: Own, under_way: Mask, place: F8, left: F8, period: float) -> Mask:
        """Who has now come no nearer for long, once for each place on its way.

        `left` is how far everyone's next place (2, vehicles) still is, m.
        """
        other = ~under_way | (place != self._place).any(axis=0)
        # Who sees that it must go round has a longer way than it thought.
        leap = LEAP * period * np.maximum(own.speed, own.cruise_speed) + NEARER
        nearer = other | (left < self._least - NEARER) | (left > self._left + leap)
        self._least = np.where(nearer, left, self._least)
        self._left, self._place = left.copy(), place.copy()
        before = self._since
        self._since = np.where(nearer, 0.0, before + period)
        # Who was told of and comes a little nearer after all need not be told of again.
        self._since[~other & (before >= PATIENCE)] = PATIENCE
        tells: Mask = (self._since >= PATIENCE) & (before < PATIENCE)
        return tells
