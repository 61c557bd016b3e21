"""Events of a whole recording in little memory, to be had by time."""

import threading
import zlib
from array import array
from bisect import bisect_right

import msgspec

from movenv.recording.layouts import EventRecord

BLOCK = 256
"""Events that are packed together."""
MOST = 1_000_000
"""Events that are kept; what else happens is told once as being too much."""


class EventStore:
    """Filled by one thread in order of time, read by others."""

    def __init__(self, most: int = MOST) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._at = array("d")
        self._packed: list[bytes] = []
        self._open: list[EventRecord] = []

    def add(self, events: list[EventRecord]) -> None:
        """Take in what comes next. One that comes late stands where it came."""
        with self._lock:
            for event in events[: max(self._most - len(self._at), 0)]:
                self._append(event)
            if len(events) and len(self._at) == self._most:
                text = "more has happened than can be listed; jumping there still works"
                self._append(msgspec.structs.replace(events[-1], kind="replay", text=text, vids=[]))

    def _append(self, event: EventRecord) -> None:
        self._at.append(max(event.t, self._at[-1]) if self._at else event.t)
        self._open.append(event)
        if len(self._open) == BLOCK:
            self._packed.append(zlib.compress(msgspec.msgpack.encode(self._open), 1))
            self._open = []

    def count(self, t: float) -> int:
        """How many there are up to a time."""
        with self._lock:
            return bisect_right(self._at, t)

    def between(self, first: int, last: int) -> list[EventRecord]:
        """Those numbered from `first` on, without `last`."""
        found: list[EventRecord] = []
        for block in range(first // BLOCK, -(-last // BLOCK)):
            with self._lock:
                packed = self._packed[block] if block < len(self._packed) else None
                events = list(self._open) if packed is None else []
            if packed is not None:
                events = msgspec.msgpack.decode(zlib.decompress(packed), type=list[EventRecord])
            begins = block * BLOCK
            found += events[max(first - begins, 0) : last - begins]
        return found
