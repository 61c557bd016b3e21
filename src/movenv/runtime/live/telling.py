"""What each host is told of an update: its neighbours, its notices, its mail, and the clocks."""

import numpy as np

from movenv.runtime.live import wire
from movenv.runtime.live.seat import Seat
from movenv.runtime.live.seats import Seats
from movenv.runtime.live.wheels import Wheels
from movenv.runtime.live.wire import AwarenessMessage, Beacon
from movenv.scenario.build import Stage
from movenv.world.awareness import Others, near_any
from movenv.world.columns import Rows, VidIndex
from movenv.world.core import Update
from movenv.world.messages import Inbox


class Teller:
    """Picks from an update what concerns each host."""

    def __init__(self, stage: Stage, wheels: Wheels) -> None:
        self._stage, self._wheels = stage, wheels
        self._index = VidIndex(stage.roster.vids)
        self._watched: dict[int, Rows] = {}
        """By ticket: whom a host is told of however far away."""

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
        others, notices, finds = b"", b"", b""
        if update is not None:
            others = wire.pack(wire.OTHERS, self._neighbours(seat, update))
            mine = seats.owns(seat, self._index.rows(update.notices.vid))
            finds = wire.pack(wire.FINDS, update.finds)
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
            finds=finds,
            orders=seat.orders,
            wheels=self._wheels.of(seat.vids),
        )

    def _neighbours(self, seat: Seat, update: Update) -> Others:
        vehicles = update.snapshot.vehicles
        if seat.ticket not in self._watched:
            self._watched[seat.ticket] = self._stage.watched(seat.rows)
        near = near_any(vehicles, seat.rows, self._stage.scenario.awareness.range)
        near[self._watched[seat.ticket]] = True
        near[seat.in_formation] = True
        near[seat.rows] = False  # its own it knows better
        return Others(dict(vehicles.take(np.flatnonzero(near)).columns()))
