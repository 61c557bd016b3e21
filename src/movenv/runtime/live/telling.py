"""What each host is told of an update: its neighbours, its notices, its mail, and the clocks."""

import numpy as np

from movenv.runtime.live import wire
from movenv.runtime.live.seat import Seat
from movenv.runtime.live.seats import Seats
from movenv.runtime.live.wire import AwarenessMessage, Beacon
from movenv.world.awareness import Others, near_any
from movenv.world.columns import U4, VidIndex
from movenv.world.core import Update
from movenv.world.messages import Inbox


class Teller:
    """Picks from an update what concerns each host."""

    def __init__(self, vids: U4, reach: float) -> None:
        """`reach` is the awareness range, m."""
        self._index = VidIndex(vids)
        self._reach = reach

    def deliver(self, update: Update, seats: Seats) -> None:
        """Put what vehicles hear into their hosts' boxes: it must not be lost with a tick."""
        if len(update.inbox):
            for seat in seats:
                if not seat.lost:
                    seat.inbox.append(update.inbox.for_vids(seat.vids))

    def message(
        self, seat: Seat, seats: Seats, update: Update | None, beacon: Beacon, t: float, now: int
    ) -> AwarenessMessage:
        """What one host is told; without an update only where the run stands."""
        others, notices = b"", b""
        if update is not None:
            others = wire.pack(wire.OTHERS, self._neighbours(seat, update))
            mine = seats.owns(seat, self._index.rows(update.notices.vid))
            notices = wire.pack(wire.NOTICES, update.notices.take(np.flatnonzero(mine)))
        inbox, seat.inbox = Inbox.joined(seat.inbox), []
        return AwarenessMessage(
            beacon=beacon,
            tick=beacon.tick,
            t=t,
            echo_sent=seat.latest.sent if seat.latest else 0,
            echo_received=seat.heard_at,
            answered=now,
            others=others,
            notices=notices,
            inbox=wire.pack(wire.INBOX, inbox),
            payloads=inbox.payloads,
        )

    def _neighbours(self, seat: Seat, update: Update) -> Others:
        vehicles = update.snapshot.vehicles
        near = near_any(vehicles, seat.rows, self._reach)
        near[seat.rows] = False  # its own it knows better
        return Others(dict(vehicles.take(np.flatnonzero(near)).columns()))
