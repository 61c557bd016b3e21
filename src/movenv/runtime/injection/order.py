"""Every scan once and in order, from two streams of which one may come and go.

Without socket or clock. Times are whole nanoseconds.
"""

from collections import OrderedDict
from dataclasses import dataclass

from movenv.runtime.live.clock import SECOND

PATIENCE = SECOND // 50
"""How long a scan waits for its altered self; less than the time between two scans at 40 Hz."""
RECENT = 64
"""A number that is lower than the latest by no more is old or doubled; by more, and the scanner
counts anew."""


@dataclass(frozen=True)
class Delivery:
    """A scan for the vehicle's software."""

    number: int
    data: bytes
    altered: bool
    """Whether it came through the layer."""


class ScanOrder:
    """Says what to hand over whenever something comes.

    While the layer is there and heard, a raw scan waits for its altered self, but no longer than
    `patience`. Without it, it is handed over at once.
    """

    def __init__(self, patience: int = PATIENCE) -> None:
        self.missing = 0
        """Numbers that never came."""
        self.doubled = 0
        """What came although its number was handed over already, of either stream."""
        self._patience = patience
        self._next: int | None = None
        self._highest = -1
        self._raw: dict[int, tuple[bytes, int]] = {}
        self._altered: dict[int, tuple[bytes, int]] = {}
        self._came: OrderedDict[int, int] = OrderedDict()
        """When raw scans came, also those that are handed over."""
        self._here = self._in_time = False

    def raw(self, number: int, data: bytes, now: int) -> list[Delivery]:
        """A scan as the scanner made it."""
        out: list[Delivery] = []
        if number < self._highest - RECENT:
            out = self._begin_anew()
        self._highest = max(self._highest, number)
        self._came[number] = now
        while len(self._came) > RECENT:
            self._came.popitem(last=False)
        if self._is_new(number) and number not in self._raw:
            self._raw[number] = data, now
        return out + self.ready(now)

    def altered(self, number: int, data: bytes, now: int) -> list[Delivery]:
        """A scan that went through the layer."""
        self._in_time = now - self._came.get(number, now) < self._patience
        if self._is_new(number) and number <= self._highest + RECENT:
            self._altered.setdefault(number, (data, now))
        return self.ready(now)

    def layer(self, here: bool, now: int) -> list[Delivery]:
        """The layer has come or gone."""
        self._here = here
        self._in_time &= here
        return self.ready(now)

    def due(self) -> int | None:
        """When to ask `ready` again; None while nothing waits."""
        waiting = [at for _, at in (*self._raw.values(), *self._altered.values())]
        return min(waiting) + self._patience if waiting else None

    def ready(self, now: int) -> list[Delivery]:
        """What can be handed over now."""
        out: list[Delivery] = []
        while self._raw or self._altered:
            if self._next is None:
                self._next = min((*self._raw, *self._altered))
            number = self._next
            if number in self._altered:
                out.append(Delivery(number, self._altered.pop(number)[0], True))
                self._raw.pop(number, None)
            elif number in self._raw:
                if self._waits(number, now):
                    break
                out.append(Delivery(number, self._raw.pop(number)[0], False))
            elif now < (self.due() or 0):
                break
            else:  # it will never come
                first = min((*self._raw, *self._altered))
                self.missing += first - number
                self._next = first
                continue
            self._next = number + 1
        return out

    def _waits(self, number: int, now: int) -> bool:
        """Whether a raw scan should wait for its altered self."""
        if not (self._here and self._in_time):
            return False
        if self._altered:  # those are later ones: it has been passed over
            return False
        if now - self._raw[number][1] < self._patience:
            return True
        self._in_time = False  # until it is heard in time again, nobody waits for it
        return False

    def _is_new(self, number: int) -> bool:
        new = self._next is None or number >= self._next
        self.doubled += not new
        return new

    def _begin_anew(self) -> list[Delivery]:
        """Hand over what is left, and forget what was before."""
        left = [Delivery(n, data, False) for n, (data, _) in sorted(self._raw.items())]
        self._raw.clear()
        self._altered.clear()
        self._came.clear()
        self._next, self._highest = None, -1
        return left
