"""Plays phones: measures where they are, spoils that, and sends it when it is time."""

import heapq
import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from movenv.gateways.fix import Fix
from movenv.runtime.rehearsal.imperfections import Chance, Imperfections
from movenv.runtime.rehearsal.motion import Motion

SLOTS = 20
"""Phones do not measure all at once: a second's fixes are spread over so many moments."""
WAIT = 0.5
"""How long at most to sleep without looking whether it is over, s."""


class Sender(Protocol):
    """Carries a fix to where it is meant to go, in some format."""

    trouble: Counter[str]
    """What did not arrive, by reason, as far as the sender learns of it."""

    def send(self, fix: Fix) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Phone:
    """One phone that is played."""

    device: str
    token: str
    sender: Sender
    rate: float | None = None
    """Fixes a second; None for what the player is told of all."""


class Player:
    """Plays all phones of one rehearsal in one thread."""

    def __init__(
        self,
        phones: list[Phone],
        motion: Motion,
        rate: float,
        imperfections: Imperfections,
        seed: int = 0,
        with_speed: bool = True,
        truth: Callable[[str, float, float, float], None] = lambda device, utc, lat, lon: None,
    ) -> None:
        """`rate` is in fixes a second, of each phone; `truth` is told where each really was."""
        self._truth = truth
        self.sent = self.lost = 0
        self._phones = phones
        self._motion = motion
        rates = [phone.rate or rate for phone in phones]
        self._rate = max(rates)
        self._every = [max(1, round(self._rate / one)) for one in rates]
        """Slower phones keep silent in some of the rounds."""
        self._chance = Chance(imperfections, seed)
        self._with_speed = with_speed
        self._under_way: list[tuple[float, int, int, Fix]] = []
        self._sequence = 0
        slots = min(SLOTS, len(phones))
        self._slots = [np.arange(slot, len(phones), slots) for slot in range(slots)]

    def play(self, duration: float, over: Callable[[], bool] = lambda: False) -> None:
        """For so many seconds, or until it is over."""
        begin, step = time.time(), 1.0 / (self._rate * len(self._slots))
        moment = 0
        while moment * step < duration and not over():
            due = begin + moment * step
            self._deliver_until(due, over)
            self._measure(due, due - begin, moment)
            moment += 1
        if not over():
            self._deliver_until(math.inf, over)

    def _deliver_until(self, until: float, over: Callable[[], bool]) -> None:
        """Send what is due, and sleep, until a moment; for ever means until nothing is left."""
        while not over():
            now = time.time()
            while self._under_way and self._under_way[0][0] <= min(now, until):
                _, _, row, fix = heapq.heappop(self._under_way)
                self._phones[row].sender.send(fix)
                self.sent += 1
            wake = min(until, self._under_way[0][0] if self._under_way else math.inf)
            if wake == math.inf or now >= until:
                return
            time.sleep(min(WAIT, max(0.0, wake - now)))

    def _measure(self, utc: float, t: float, moment: int) -> None:
        slot, turn = self._slots[moment % len(self._slots)], moment // len(self._slots)
        rows = slot[[turn % self._every[row] == 0 for row in slot.tolist()]]
        if not len(rows):
            return
        truth = self._motion.at(t, rows)
        for i, row in enumerate(rows.tolist()):
            self._sequence += 1
            phone, round_ = self._phones[row], turn // self._every[row]
            self._truth(phone.device, utc, float(truth.lat[i]), float(truth.lon[i]))
            lat, lon = self._chance.misplaced(float(truth.lat[i]), float(truth.lon[i]))
            fix = Fix(
                lat,
                lon,
                utc,
                float(truth.alt[i]),
                float(truth.speed[i]) if self._with_speed else math.nan,
                float(truth.course[i]) if self._with_speed else math.nan,
                self._chance.accuracy,
                battery=1.0 - (round_ % 1000) / 1000,
                device=phone.device,
                token=phone.token,
                sequence=round_ + 1,
            )
            if self._chance.is_lost():
                self.lost += 1
                continue
            arrives = utc + self._chance.takes()
            heapq.heappush(self._under_way, (arrives, self._sequence, row, fix))

    @property
    def trouble(self) -> Counter[str]:
        """What did not arrive, by reason, as far as the senders learn of it."""
        total: Counter[str] = Counter()
        for phone in self._phones:
            total += phone.sender.trouble
        return total

    def close(self) -> None:
        for phone in self._phones:
            phone.sender.close()
