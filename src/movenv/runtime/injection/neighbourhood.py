"""What is known of a vehicle and of those around it, between two words of the Core.

Without socket or clock. Times are whole nanoseconds of this machine's monotonic clock.
"""

import math
from dataclasses import dataclass

from movenv.runtime.live.around import Around
from movenv.runtime.live.clock import SECOND, ClockOffset
from movenv.world.columns import F8
from movenv.world.scan import Pose

FASTEST_TURN = 10.0
"""No vehicle turns faster, rad/s: a yaw that changed by more has jumped."""


@dataclass(frozen=True)
class Seen:
    """Who is around, carried to an instant: boxes (BOX) and velocities, both in wall time."""

    boxes: F8
    velocities: F8
    own: Pose | None
    """The vehicle itself by the Core's word."""


@dataclass(frozen=True)
class _Word:
    told: Around
    boxes: F8
    velocities: F8
    heard: int
    yaw_rate: float


class Neighbourhood:
    """Replaced as a whole by every word of the Core, so that another thread may ask meanwhile."""

    def __init__(self) -> None:
        self._offset = ClockOffset()
        self._word: _Word | None = None

    def hear(self, told: Around, sent: int, now: int) -> None:
        """The answer to what was asked at `sent`. Raises Garbled."""
        boxes, velocities = told.others()
        before = self._word
        if before and before.told.core != told.core:
            self._offset.forget()
            before = None
        self._offset.sample(sent, told.received, told.answered, now)
        rate = _yaw_rate(before, told) if before else 0.0
        self._word = _Word(told, boxes, velocities, now, rate)

    def known(self, now: int) -> bool:
        """Whether the Core was heard lately enough to know where anybody is."""
        word = self._word
        return word is not None and now - word.heard <= word.told.loss_after * SECOND

    def run_time(self, at: int) -> float:
        """The run's time at an instant, s; nan before anything was heard."""
        word = self._word
        return word.told.t + self._since(word, at) if word else math.nan

    def at(self, t: float) -> Seen | None:
        """Everyone at a time of the run; None where that is too far from what is known."""
        word = self._word
        if word is None:
            return None
        seconds = t - word.told.t
        if not abs(seconds) <= word.told.loss_after * max(1.0, word.told.speed):
            return None
        boxes = word.boxes.copy()
        boxes[:, :2] += word.velocities * seconds
        # The scanner turns in wall time, and so the others must move past it.
        speed = word.told.speed
        own = word.told.pose()
        if own is not None:
            own = own._replace(yaw_rate=word.yaw_rate).carried(seconds)
            own = own._replace(vx=own.vx * speed, vy=own.vy * speed, yaw_rate=own.yaw_rate * speed)
        return Seen(boxes, word.velocities * speed, own)

    def _since(self, word: _Word, at: int) -> float:
        """Seconds of the run between what was told and an instant."""
        if word.told.speed == 0.0:
            return 0.0
        passed: float = (at + self._offset.ahead - word.told.instant) / SECOND
        return passed * word.told.speed


def _yaw_rate(before: _Word, told: Around) -> float:
    """From two words; 0 where that is not to be had."""
    seconds = told.t - before.told.t
    if not (before.told.own and told.own and seconds > 0.0):
        return before.yaw_rate if seconds == 0.0 and told.own else 0.0
    turn = math.remainder(told.own[2] - before.told.own[2], math.tau)
    rate = turn / seconds
    return rate if abs(rate) <= FASTEST_TURN else 0.0
