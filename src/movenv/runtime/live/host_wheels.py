"""A host's wheels: what drivers do with its vehicles, as far as the Core lets them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec
import numpy as np

from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.wheel_wire import Dashboard, Turn
from movenv.world.messages import Report
from movenv.world.model import MOTION
from movenv.world.wheel import Wheels

AT_REST = Turn(ticket=0, sequence=0, steer=0.0, throttle=0.0, brake=1.0)


@dataclass
class Seat:
    """The driver's seat of a vehicle."""

    ticket: int
    turn: Turn = AT_REST
    heard_at: int = 0
    """When the driver was; 0 for never."""
    held_back: bool = False
    """Whether it stays braked until its driver was off the throttle once."""

    def heed(self, turn: Turn, now: int) -> None:
        self.held_back &= turn.throttle > 0.0
        braked = msgspec.structs.replace(AT_REST, ticket=turn.ticket, sequence=turn.sequence)
        self.turn, self.heard_at = braked if self.held_back else turn, now

    def silence(self, now: int) -> float:
        return (now - self.heard_at) / SECOND if self.heard_at else math.inf


class HostWheels:
    """The wheels of a host's vehicles that are not free."""

    def __init__(self, found: Iterable[tuple[int, int]]) -> None:
        """`found`: those that were taken before this host was here. Their drivers may hold the
        throttle still, and nobody drives off by a restart."""
        self._seats = {vid: Seat(ticket, held_back=True) for vid, ticket in found}
        self.refused = 0
        """Turns of those who have no wheel here."""

    @property
    def taken(self) -> list[tuple[int, int]]:
        """The vid and the ticket of each, for a Core that was started again."""
        return [(vid, seat.ticket) for vid, seat in self._seats.items()]

    def told(self, wheels: Iterable[tuple[int, int]]) -> None:
        """Which wheels are taken, by the Core: vid and ticket."""
        taken = dict(wheels)
        if taken == dict(self.taken):
            return
        kept = {
            vid: seat for vid, seat in self._seats.items() if taken.get(vid, seat) == seat.ticket
        }
        self._seats = {vid: kept.get(vid, Seat(ticket)) for vid, ticket in taken.items()}

    def turned(self, vid: int, turn: Turn, now: int) -> None:
        """What a driver does. Raises Garbled."""
        turn = turn.checked()
        seat = self._seats.get(vid)
        if seat is None or not seat.ticket or turn.ticket != seat.ticket:
            self.refused += 1
        elif turn.sequence > seat.turn.sequence:
            seat.heed(turn, now)

    def table(self, now: int) -> Wheels:
        """How they stand."""
        seats = sorted(self._seats.items())
        turns = [seat.turn for _, seat in seats]
        columns = {
            name: np.array([getattr(turn, name) for turn in turns], float)
            for name in ("steer", "throttle", "brake", "gear", "pitch")
        }
        vids = np.array([vid for vid, _ in seats], np.uint32)
        silence = np.array([seat.silence(now) for _, seat in seats], float)
        return Wheels(columns | {"vid": vids, "silence": silence})

    def dashboards(self, report: Report, now: int) -> list[Dashboard]:
        """What drivers are shown once their vehicles have lived through a tick; `now` is when
        `table` was asked for it."""
        found = []
        for vid, seat in self._seats.items():
            rows = np.flatnonzero(report.motions.vid == vid)
            if len(rows):
                motion = [float(getattr(report.motions, name)[rows[0]]) for name in MOTION]
                turn, told = seat.turn, (report.tick, report.t, seat.ticket, seat.turn.sequence)
                wheel = turn.steer, turn.throttle, turn.brake, turn.gear, turn.pitch
                found.append(Dashboard(vid, *told, motion, wheel, seat.silence(now)))
        return found
