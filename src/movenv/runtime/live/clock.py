"""Time in a live run: when each tick is due, and how far two clocks are apart.

All times are whole nanoseconds. A schedule speaks of the Core's monotonic clock; a host adds its
measured offset.
"""

from collections import deque
from dataclasses import dataclass

SECOND = 1_000_000_000
QUIET_TICKS = 3
"""However slow the ticks are, silence is longer than this many."""


def loss_after(seconds: float, pace: float) -> float:
    """Silence that counts as loss, ns, where so many seconds are wished and ticks take `pace`."""
    return max(seconds * SECOND, QUIET_TICKS * pace)


@dataclass(frozen=True)
class Schedule:
    """When ticks are due: an anchor and a pace, so that lateness cannot add up."""

    tick: int
    at: int
    """When `tick` is due."""
    pace: float
    """Wall time of a tick, ns."""

    def due(self, tick: int) -> int:
        return self.at + round((tick - self.tick) * self.pace)

    def latest(self, now: int) -> int:
        """The last tick that is due by now."""
        tick = self.tick + int((now - self.at) // self.pace)
        # The division is of floats, and may be one off on either side.
        if self.due(tick) > now:
            return tick - 1
        return tick + 1 if self.due(tick + 1) <= now else tick

    def share(self, span: float) -> int:
        """A share of a tick, in ns."""
        return round(self.pace * span)


class ClockOffset:
    """How far another clock is ahead of ours, from messages that were answered.

    Of the last exchanges the one that says most is believed: the shortest way there and back has
    the least room for being lopsided, and what was measured lately has not drifted far.
    """

    WINDOW = 64
    DRIFT = 100e-6
    """Two clocks part by no more than this: 100 microseconds a second."""

    def __init__(self) -> None:
        self._samples: deque[_Exchange] = deque(maxlen=self.WINDOW)
        self._best: _Exchange | None = None

    def sample(self, sent: int, received: int, answered: int, now: int) -> None:
        """We sent at `sent` and heard at `now`; they received and answered on their clock."""
        round_trip = (now - sent) - (answered - received)
        if round_trip < 0:
            return  # clocks do not run backwards: not an answer to what we sent
        offset = ((received - sent) + (answered - now)) // 2
        self._samples.append(_Exchange(round_trip, offset, now))
        self._best = min(self._samples, key=lambda exchange: self._room(exchange, now))

    @property
    def ahead(self) -> int:
        """Their clock less ours; 0 until something is known."""
        return self._best.offset if self._best else 0

    def uncertainty(self, now: int) -> int:
        """The offset is right to within this."""
        return self._room(self._best, now) if self._best else 0

    def _room(self, exchange: "_Exchange", now: int) -> int:
        drifted = abs(now - exchange.at) + exchange.round_trip
        return (exchange.round_trip + 1) // 2 + round(self.DRIFT * drifted)

    def forget(self) -> None:
        """It is another clock from now on."""
        self._samples.clear()
        self._best = None


@dataclass(frozen=True)
class _Exchange:
    """A message and its answer: how long it was under way, the offset it gives, and when."""

    round_trip: int
    offset: int
    at: int


CROWDED = 10
"""Ticks, and at least a second, after which a message that is not answered is late; three times
that is very late."""
FEWER, FEWEST = 3, 10


def thinning(unanswered: int, pace: float) -> int:
    """Of how many messages to send one, when what was sent so long ago is the latest known to
    have arrived, ns.

    A network that loses much lets little through; what is sent beyond that only waits in line and
    makes everything older.
    """
    late = max(SECOND, CROWDED * pace)
    if unanswered < late:
        return 1
    return FEWER if unanswered < 3 * late else FEWEST
