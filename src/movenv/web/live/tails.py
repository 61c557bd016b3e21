"""Where everyone was during the last while of a live run, for those who begin to watch."""

import threading
from typing import Any

import numpy as np

from movenv.web.feed import History
from movenv.world.messages import Health, VehicleStates

SPAN = 60.0
"""So much of the past is kept, simulated s."""
STEP = 0.5
"""Between two points, s; longer where so many vehicles would not fit."""
MOST_BYTES = 64 * 1024 * 1024
DEGREES, METRES = ("lat", "lon"), ("x", "y", "z")
BYTES = 8 * len(DEGREES) + 4 * len(METRES)


class Tails:
    """A ring of points, each with everyone's place. Thread-safe."""

    def __init__(self, vehicles: int) -> None:
        self._points = max(2, min(round(SPAN / STEP), MOST_BYTES // (BYTES * max(1, vehicles))))
        self._step = SPAN / self._points
        self._t = np.zeros(self._points)
        shape = self._points, vehicles
        self._places: dict[str, Any] = {name: np.empty(shape) for name in DEGREES}
        self._places |= {name: np.empty(shape, np.float32) for name in METRES}
        self._next = self._count = 0
        self._lock = threading.Lock()

    def add(self, t: float, vehicles: VehicleStates) -> None:
        """Keep a point if the last is long enough ago; what is after `t` is forgotten."""
        with self._lock:
            while self._count and self._t[self._next - 1] > t:
                self._next = (self._next - 1) % self._points
                self._count -= 1
            if self._count and t < self._t[self._next - 1] + self._step - 1e-6:
                return
            unknown = vehicles.health == Health.UNHEARD
            self._t[self._next] = t
            for name, places in self._places.items():
                places[self._next] = getattr(vehicles, name)
                places[self._next, unknown] = np.nan
            self._next = (self._next + 1) % self._points
            self._count = min(self._count + 1, self._points)

    def history(self) -> History:
        """All points, oldest first, as a copy."""
        with self._lock:
            order = (self._next - self._count + np.arange(self._count)) % self._points
            places = {name: column[order] for name, column in self._places.items()}
            return History(t=self._t[order], **places)
