"""Doing something now and then: waits and durations drawn for each vehicle."""

import numpy as np

from movenv.parts import BehaviorConfig, Field, Moment, Setup, TimeSpan
from movenv.world.columns import F8, U4, Mask, Rows


class EpisodeConfig(BehaviorConfig):
    """When episodes happen."""

    priority: int = Field(2, ge=1, le=10_000, description="the highest active priority drives")
    wait: TimeSpan = Field((4.0, 12.0), description="time between two episodes, s")
    lasts: TimeSpan = Field((0.5, 2.0), description="how long an episode lasts, s")
    slower: float = Field(0.1, ge=0, le=1, description="share of the cruising speed given up")


class Episodes:
    """For each vehicle: when its next episode begins and ends, and what it draws for it."""

    def __init__(self, setup: Setup, stream: str, low: F8, high: F8) -> None:
        """An episode's value lies between `low` and `high`."""
        self._stream = stream
        self._wait = setup.config.wait
        self._lasts = setup.config.lasts
        self._low, self._high = low, high
        self._begin = np.full(len(setup.vids), -np.inf)
        self._end = np.full(len(setup.vids), -np.inf)
        self._value = np.zeros(len(setup.vids))

    def at(self, vids: U4, moment: Moment) -> tuple[Mask, F8]:
        """Who is in an episode, and its value."""
        over = np.flatnonzero(moment.t >= self._end)
        if len(over):
            self._draw(over, vids[over], moment)
        return (moment.t >= self._begin) & (moment.t < self._end), self._value

    def _draw(self, rows: Rows, vids: U4, moment: Moment) -> None:
        u, v, w = (moment.uniform(vids, self._stream, draw) for draw in range(3))
        wait, lasts = self._wait[rows], self._lasts[rows]
        self._begin[rows] = moment.t + wait[:, 0] + u * (wait[:, 1] - wait[:, 0])
        self._end[rows] = self._begin[rows] + lasts[:, 0] + v * (lasts[:, 1] - lasts[:, 0])
        self._value[rows] = self._low[rows] + w * (self._high[rows] - self._low[rows])
