"""Which orders held at any time of a recording."""

import threading
from bisect import bisect_right
from typing import Any

import msgspec

from movenv.recording.order_record import OrderRecord
from movenv.recording.standing_orders import StandingOrders

Told = OrderRecord | list[int]
"""An order, or the vids of those who have arrived."""


class RecordedOrders:
    """Filled by one thread, read by others."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._t: list[float] = []
        self._told: list[Told] = []
        self._known: set[bytes] = set()
        self._standing, self._taken = StandingOrders(), 0
        """What held after so many were told: viewers mostly ask for the same, or a little more."""
        self._listed: list[dict[str, Any]] = []

    def add(self, record: OrderRecord) -> None:
        """A new recorder is told again of the last orders: each counts once."""
        said = msgspec.json.encode(record)
        with self._lock:
            if said not in self._known:
                self._known.add(said)
                self._put(record.t, record)

    def arrived(self, t: float, vids: list[int]) -> None:
        with self._lock:
            self._put(t, vids)

    def _put(self, t: float, told: Told) -> None:
        self._t.append(max(t, self._t[-1]) if self._t else t)
        self._told.append(told)

    def listed(self, t: float) -> list[dict[str, Any]]:
        """Those that held at a time, as far as the recording has been read."""
        with self._lock:
            until = bisect_right(self._t, t)
            if until != self._taken:
                self._take(until)
            return self._listed

    def _take(self, until: int) -> None:
        if until < self._taken:
            self._standing, self._taken = StandingOrders(), 0
        for told in self._told[self._taken : until]:
            if isinstance(told, OrderRecord):
                self._standing.take(told)
            else:
                self._standing.arrive(told)
        self._taken, self._listed = until, self._standing.listed()
