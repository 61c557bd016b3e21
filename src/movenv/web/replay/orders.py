"""Which orders held at any time of a recording."""

import threading
from typing import Any

from movenv.recording.order_record import OrderRecord
from movenv.recording.standing_orders import StandingOrders

Told = OrderRecord | list[int]
"""An order, or the vids of those who have arrived."""


class RecordedOrders:
    """Filled by one thread, read by others."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._told: list[tuple[float, Told]] = []
        self._latest: tuple[int, list[dict[str, Any]]] = (0, [])
        """What held after so many were told: viewers mostly ask for the same."""

    def add(self, record: OrderRecord) -> None:
        """A new recorder is told again of the last orders: each counts once."""
        with self._lock:
            if all(record != told for _, told in self._told):
                self._put(record.t, record)

    def arrived(self, t: float, vids: list[int]) -> None:
        with self._lock:
            self._put(t, vids)

    def _put(self, t: float, told: Told) -> None:
        self._told.append((max(t, self._told[-1][0]) if self._told else t, told))

    def listed(self, t: float) -> list[dict[str, Any]]:
        """Those that held at a time, as far as the recording has been read."""
        with self._lock:
            until = [told for at, told in self._told if at <= t]
            count, latest = self._latest
        if count == len(until):
            return latest
        standing = StandingOrders()
        for told in until:
            if isinstance(told, OrderRecord):
                standing.take(told)
            else:
                standing.arrive(told)
        found = standing.listed()
        with self._lock:
            self._latest = len(until), found
        return found
