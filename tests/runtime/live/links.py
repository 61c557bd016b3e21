"""Clocks that differ, links that delay and lose, processes that stall, for `simulated`."""

import heapq
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from movenv.runtime.live.clock import SECOND

TURN = 1000
"""What a turn of a process that is not waiting takes, ns; so nothing can spin without end."""


class TrueTime:
    """What happens when, in a time that nobody inside can read."""

    def __init__(self) -> None:
        self.now = 0
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._count = itertools.count()

    def at(self, true: int, action: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (max(true, self.now), next(self._count), action))

    def pass_until(self, reached: Callable[[], bool], seconds: float) -> None:
        end = self.now + round(seconds * SECOND)
        while not reached() and self._queue and self._queue[0][0] <= end:
            self.now, _, action = heapq.heappop(self._queue)
            action()
        if not reached():
            self.now = end


@dataclass
class Clock:
    """What a process reads: `ahead` ns at true time 0, running fast by `skew`."""

    ahead: int = 0
    skew: float = 0.0

    def read(self, true: int) -> int:
        return self.ahead + true + round(true * self.skew)

    def when(self, reading: int) -> int:
        """The first true time at which it reads this much or more."""
        true = round((reading - self.ahead) / (1 + self.skew))
        while self.read(true) < reading:
            true += 1
        return true


@dataclass
class Way:
    """One direction of a link; `ordered` like a stream, or not, like datagrams."""

    delay: int = 0
    jitter: int = 0
    """Delays are spread evenly over `delay` ± `jitter`, ns."""
    loss: float = 0.0
    ordered: bool = True
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    sent: int = 0
    lost: int = 0
    last: int = 0

    def arrival(self, now: int, reliable: bool = False) -> int | None:
        """When something sent now arrives; None when it is lost."""
        took = self.delay + round(self.chance.uniform(-self.jitter, self.jitter))
        self.sent += not reliable
        if not reliable and self.chance.random() < self.loss:
            self.lost += 1
            return None
        if not self.ordered and not reliable:
            return now + took
        self.last = max(self.last, now + took)
        return self.last


class Process:
    """Something with a main loop that can be woken, stalled and killed."""

    def __init__(self, time: TrueTime, clock: Clock) -> None:
        self.time = time
        self.clock = clock
        self.alive = True
        self.stalled_until = 0
        self.busy_until = 0
        self._turn_first = True
        self._due: int | None = None

    @property
    def now(self) -> int:
        return self.clock.read(self.time.now)

    def stall(self, seconds: float, turn_first: bool = True) -> None:
        """Neither the main loop nor the threads of the bus run; which of them wakes first?"""
        self.stalled_until = self.time.now + round(seconds * SECOND)
        self._turn_first = turn_first
        self.wake()

    def when_awake(self, action: Callable[[], None]) -> None:
        """Something comes from the bus: handled now, or after the stall."""
        if not self.alive:
            return
        if self.time.now < self.stalled_until:
            again = self.stalled_until + (TURN if self._turn_first else 0)
            self.time.at(again, lambda: self.when_awake(action))
        else:
            action()

    def wake(self) -> None:
        behind_messages = 0 if self._turn_first else TURN
        self._call_at(max(self.time.now, self.stalled_until + behind_messages, self.busy_until))

    def _call_at(self, true: int) -> None:
        if self._due is None or true < self._due or self._due < self.time.now:
            self._due = true
            self.time.at(true, lambda: self._called(true))

    def _called(self, true: int) -> None:
        if not self.alive or self._due != true:
            return
        self._due = None
        if true < max(self.stalled_until, self.busy_until):
            self.wake()
            return
        wanted = self.turn()
        if wanted is not None:
            self._call_at(max(self.time.now + TURN, self.clock.when(wanted)))

    def turn(self) -> int | None:
        """One turn of the main loop; returns when the next is due on its clock."""
        raise NotImplementedError
