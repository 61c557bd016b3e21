"""Where gateways put what arrives, for the host that owns their vehicles."""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable

import msgspec

from movenv.gateways.fix import Fix

WAITING = 200_000
"""Packets that may wait to be looked at; more can only be a flood, and are counted and dropped."""


WAITING_BYTES = 64 * 1024 * 1024


class Arrival(msgspec.Struct, gc=False):
    """A packet as it came, and who is meant by what stands in it."""

    at: float
    """Seconds since 1970, UTC."""
    via: str
    """The gateway."""
    sender: str
    data: bytes
    fixes: list[tuple[int, Fix]] = []
    """vid and fix."""
    vid: int = 0
    """Whose the port or the link says it is."""
    refused: str = ""
    """Why it was dropped, in short; empty when it holds fixes."""
    empty: str = ""
    """Why it holds none although nothing is wrong with it."""


class Happening(msgspec.Struct):
    """Something worth telling the operator."""

    kind: str
    text: str
    vid: int = 0


class Inlet:
    """Takes packets from the threads of all gateways."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """`clock` gives seconds since 1970."""
        self.clock = clock
        self.refused: Counter[str] = Counter()
        """What was dropped, by reason."""
        self._arrivals: deque[Arrival] = deque()
        self._bytes = 0
        self._happenings: deque[Happening] = deque(maxlen=1000)
        self._lock = threading.Lock()

    def take(self, arrival: Arrival) -> None:
        with self._lock:
            if arrival.refused:
                self.refused[arrival.refused] += 1
            if len(self._arrivals) >= WAITING or self._bytes >= WAITING_BYTES:
                self.refused["too many"] += 1
                return
            self._bytes += len(arrival.data)
            self._arrivals.append(arrival)

    def happened(self, kind: str, text: str, vid: int = 0) -> None:
        """Tell the operator; it is recorded as an event of the run."""
        self._happenings.append(Happening(kind, text, vid))

    def drain(self) -> list[Arrival]:
        """All that has come since the last call."""
        with self._lock:
            arrivals, self._arrivals, self._bytes = list(self._arrivals), deque(), 0
        return arrivals

    def news(self) -> list[Happening]:
        return [self._happenings.popleft() for _ in range(len(self._happenings))]
