"""The radio between vehicles: who hears a broadcast, and when.

Whether a broadcast is lost on the way to somebody, and how long it takes, is a function of who
speaks, who listens and when: it does not depend on who else speaks or on which host anyone is.
"""

import numpy as np
from numpy.typing import NDArray

from movenv.world.columns import U4, Rows, VidIndex
from movenv.world.messages import Broadcasts, Health, Inbox, VehicleStates
from movenv.world.neighbors import within
from movenv.world.random_streams import uniform_pairs

STREAM = "radio"
TICK_TOLERANCE = 1e-6
"""A delay of 1.1 s is eleven ticks of 0.1 s, though 1.1 / 0.1 is a little more than eleven."""


class Radio:
    """Takes the broadcasts of each tick and gives out what is due."""

    def __init__(
        self,
        vids: U4,
        seed: int,
        period: float,
        *,
        range: float,
        delay: float = 0.0,
        jitter: float = 0.0,
        loss: float = 0.0,
    ) -> None:
        """`vids` of the roster; `period` of a tick, `delay` and `jitter` in s; `range` in m."""
        self._index = VidIndex(vids)
        self._seed = seed
        self._period = period
        self._range = range
        self._delay = delay
        self._jitter = jitter
        self._loss = loss
        self._pending: dict[int, list[Inbox]] = {}
        if loss or jitter:  # compiled before anybody speaks: that takes time, which no tick has
            uniform_pairs(seed, vids[:0], vids[:0], STREAM, 0, vids[:0])

    def tick(
        self, tick: int, t: float, broadcasts: Broadcasts, vehicles: VehicleStates
    ) -> tuple[Inbox, U4]:
        """What is due at `tick`, and how many will hear each of these broadcasts.

        `broadcasts` were sent at `t`, sorted by sender; `vehicles` is everyone at `t`.
        """
        heard = np.zeros(len(broadcasts), np.uint32)
        if len(broadcasts):
            deliveries, due = self._send(tick, t, broadcasts, vehicles)
            heard += np.bincount(deliveries.row, minlength=len(heard)).astype(np.uint32)
            for when in np.unique(due):
                self._pending.setdefault(int(when), []).append(deliveries.take(due == when))
        return self._due(tick), heard

    def _send(
        self, tick: int, t: float, broadcasts: Broadcasts, vehicles: VehicleStates
    ) -> tuple[Inbox, NDArray[np.int64]]:
        """Every delivery that is not lost, and the tick at which it arrives."""
        row, receiver = self._in_range(broadcasts.vid, vehicles)
        sender, vid = broadcasts.vid[row], vehicles.vid[receiver]
        took = np.full(len(row), self._delay)
        kept = np.ones(len(row), np.bool_)
        if self._loss or self._jitter:
            chance = uniform_pairs(
                self._seed, sender, vid, STREAM, tick, _nth_of_sender(broadcasts.vid)[row]
            )
            kept = chance[0] >= self._loss
            took += self._jitter * chance[1]
        ticks = np.ceil(took[kept] / self._period - TICK_TOLERANCE).astype(np.int64)
        columns = {"vid": vid, "sender": sender, "t_sent": np.full(len(row), t), "row": row}
        deliveries = Inbox(
            {name: column[kept] for name, column in columns.items()}, broadcasts.payloads
        )
        return deliveries, tick + ticks

    def _in_range(self, senders: U4, vehicles: VehicleStates) -> tuple[Rows, Rows]:
        """(broadcast, row of `vehicles`) of all who are near enough, the sender aside."""
        speakers, speaker_of = np.unique(self._index.rows(senders), return_inverse=True)
        # A vehicle that never reported has no place where it could listen.
        placed = np.flatnonzero(vehicles.health != Health.UNHEARD)
        places = np.column_stack([vehicles.x, vehicles.y, vehicles.z])
        speaker, listener = within(
            places[speakers], np.full(len(speakers), self._range), places[placed]
        )
        listener = placed[listener]
        listens = speakers[speaker] != listener
        speaker, listener = speaker[listens], listener[listens]
        first = np.searchsorted(speaker, np.arange(len(speakers) + 1))
        listeners = np.diff(first)[speaker_of]
        broadcast = np.repeat(np.arange(len(senders)), listeners)
        place_in_run = np.arange(len(broadcast)) - np.repeat(
            np.cumsum(listeners) - listeners, listeners
        )
        return broadcast, listener[first[speaker_of[broadcast]] + place_in_run]

    def _due(self, tick: int) -> Inbox:
        ready = [when for when in self._pending if when <= tick]
        parts = [part for when in ready for part in self._pending.pop(when)]
        return Inbox.joined(parts)


def _nth_of_sender(senders: U4) -> U4:
    """0 for a sender's first broadcast of the tick, 1 for its second; senders are sorted."""
    return (np.arange(len(senders)) - np.searchsorted(senders, senders)).astype(np.uint32)
