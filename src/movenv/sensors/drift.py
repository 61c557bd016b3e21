"""Errors that change slowly: the same for a vehicle at a time, whoever asks for it and when."""

import math

import numpy as np

from movenv.sensors.draws import normals
from movenv.world.columns import F8, U4

SETTLED = 0.1
"""The longest step, in times constant: within it an error is drawn straight."""


class Drift:
    """Some wandering numbers of each vehicle, drawn at steps of at most a second."""

    def __init__(self, vids: U4, stream: str, count: int, time_constant: float = math.inf) -> None:
        """With a time constant, s: Gauss-Markov, of deviation 1 and correlation exp(-t / τ).

        Without: a random walk from 0 of deviation √t.
        """
        self._vids, self._stream, self._count = vids, stream, count
        self._step = min(1.0, SETTLED * time_constant)
        self._keep = math.exp(-self._step / time_constant)
        walks = math.isinf(time_constant)
        self._kick = math.sqrt(self._step) if walks else math.sqrt(1.0 - self._keep**2)
        self._walks = walks
        self._number = -1
        self._before = self._after = np.zeros((count, len(vids)))

    def at(self, seed: int, t: float) -> F8:
        """(count, vehicles) at a time that is not before what was asked for last, nor before 0."""
        steps = max(t, 0.0) / self._step
        while self._number < math.floor(steps) + 1:
            self._number += 1
            drawn = normals(seed, self._vids, self._stream, self._number, self._count)[0]
            self._before = self._after
            if self._number == 0:
                self._after = np.zeros_like(drawn) if self._walks else drawn
            else:
                self._after = self._keep * self._before + self._kick * drawn
        share = steps - (self._number - 1)
        return (1.0 - share) * self._before + share * self._after
