"""Who owns which vehicles: hosts take seats, and only from its seat is a host heard."""

import secrets
import threading
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase

import numpy as np

from movenv.runtime.live import wire
from movenv.runtime.live.seat import Seat
from movenv.runtime.live.wire import Garbled, JoinRequest, OtherVersion, ReportMessage
from movenv.scenario.hosts import shares
from movenv.world.columns import Mask, Rows, VidIndex
from movenv.world.kinds import Origin
from movenv.world.messages import Heard, Roster
from movenv.world.run_state import RunState

SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
"""What a host's name is made of: it stands in keys of the bus."""
NOBODY = -1
PROVEN_AFTER = 3
"""Reports a host must have sent in SET before a run that starts by itself goes."""


class NoSeat(Exception):
    """A host cannot join; the message is for its user."""

    passing = False


class NotYet(NoSeat):
    """Its name is still taken: that of a host that was killed becomes free."""

    passing = True


class Seats:
    """The hosts of a run. Rows are those of the roster."""

    def __init__(self, roster: Roster) -> None:
        self.refused: Counter[str] = Counter()
        """What was dropped, by reason."""
        self._roster = roster
        self._index = VidIndex(roster.vids)
        self._seats: dict[str, Seat] = {}
        self._owner = np.full(len(roster), NOBODY, np.intp)
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Seat]:
        return iter(self._seats.values())

    def __len__(self) -> int:
        return len(self._seats)

    def get(self, name: str) -> Seat | None:
        return self._seats.get(name)

    def have_reported(self, tick: int) -> bool:
        """Whether all that kept up until the tick before have reported this one."""
        return all(seat.lost or seat.tick >= tick or seat.tick < tick - 1 for seat in self)

    @property
    def have_proven_links(self) -> bool:
        """Whether all have been heard in SET for long enough."""
        return all(
            seat.latest and seat.latest.state == RunState.SET and seat.reports > PROVEN_AFTER
            for seat in self
        )

    # --- joining

    def claim(self, request: JoinRequest) -> Rows:
        """The rows a host asks for. Raises NoSeat."""
        seat = self._seats.get(request.name)
        if seat is not None and not seat.lost:
            raise NotYet(f"a host called '{request.name}' is here already")
        if not request.name or not set(request.name) <= SAFE:
            raise NoSeat(f"'{request.name}' cannot be a host's name: letters, digits, . _ - only")
        rows = self._brought(request.vids) if request.vids else self._wanted(request)
        if ((self._roster.origin[rows] == Origin.REAL) != request.real).any():
            raise NoSeat("real vehicles come through gateways, and virtual ones do not")
        for number, other in enumerate(self):
            taken = rows[self._owner[rows] == number]
            if len(taken) and not other.lost:
                name = self._roster.names[taken[0]]
                raise NoSeat(f"'{name}' belongs to the host '{other.name}'")
        return rows

    def _brought(self, vids: list[int]) -> Rows:
        """The vehicles a host has had before the Core was started again."""
        if not set(self._roster.vids.tolist()).issuperset(vids):
            raise NoSeat("it brings vehicles that are not on the roster")
        return np.unique(self._index.rows(np.array(vids, np.uint32)))

    def _wanted(self, request: JoinRequest) -> Rows:
        """The vehicles that a host's patterns and share pick."""
        wanted = [
            row
            for row, name in enumerate(self._roster.names)
            if (self._roster.origin[row] == Origin.REAL) == request.real
            and any(fnmatchcase(name, pattern) for pattern in request.include)
            and not any(fnmatchcase(name, pattern) for pattern in request.exclude)
        ]
        part, parts = request.share
        if not 1 <= part <= parts:
            raise NoSeat(f"there is no share {part} of {parts}")
        split = shares(len(wanted), parts) if wanted else []
        if part > len(split):
            raise NoSeat(f"no vehicle is left for it: it asks for {', '.join(request.include)}")
        return np.array(wanted, np.intp)[split[part - 1]]

    def give(self, name: str, rows: Rows, now: int, real: bool = False) -> tuple[Seat, list[str]]:
        """A new seat with rows that were claimed, and the hosts from which some were taken."""
        before = self._seats.get(name)
        freed = self._free(rows if before is None else np.union1d(rows, before.rows))
        number = list(self._seats).index(name) if before else len(self._seats)
        vids = self._roster.vids[rows]
        seat = Seat(name, secrets.randbits(63), vids, rows, real, heard_at=now)
        with self._lock:
            self._seats[name] = seat
        self._owner[rows] = number
        return seat, freed

    def _free(self, rows: Rows) -> list[str]:
        """Take rows from the lost hosts that had them."""
        freed = []
        for number, seat in enumerate(self):
            if (self._owner[rows] == number).any():
                seat.rows = np.setdiff1d(seat.rows, rows)
                seat.vids = self._roster.vids[seat.rows]
                freed.append(seat.name)
        self._owner[rows] = NOBODY
        return freed

    # --- being heard

    def admit(self, name: str, data: bytes) -> ReportMessage | None:
        """Whether bytes are a report of a host we know; counts what is not. Thread-safe."""
        try:
            message = wire.decode(ReportMessage, data)
        except OtherVersion:
            self.refuse("other version")
            return None
        except Garbled:
            self.refuse("garbled")
            return None
        with self._lock:
            seat = self._seats.get(name)
        if seat is None or message.ticket != seat.ticket:
            self.refuse("stranger")
            return None
        return message

    def refuse(self, why: str) -> None:
        """Count something that was dropped. Thread-safe."""
        with self._lock:
            self.refused[why] += 1

    # --- who is where

    def owns(self, seat: Seat, rows: Rows) -> Mask:
        """Which of these rows are a host's."""
        owned: Mask = self._owner[rows] == list(self._seats).index(seat.name)
        return owned

    @property
    def numbers(self) -> Rows:
        """For each row the number of its host, in the order of iteration; -1 for none."""
        return self._owner

    @property
    def silent(self) -> list[str]:
        """Vehicles without a host, or whose host is lost, and real ones that are not heard."""
        heard = np.array([not seat.lost for seat in self] + [False])[self._owner]
        for seat in self:
            if seat.real and not seat.lost:
                heard[seat.rows] = _heard(seat)
        return [self._roster.names[row] for row in np.flatnonzero(~heard)]

    @property
    def all_hosts_are_here(self) -> bool:
        """Whether every vehicle has a host that is heard and well."""
        well = all(not s.lost and s.latest and not s.latest.health for s in self)
        return well and bool((self._owner != NOBODY).all())

    @property
    def all_are_here(self) -> bool:
        """Whether, beside that, every real vehicle is heard by its host."""
        return self.all_hosts_are_here and not self.silent


def _heard(seat: Seat) -> Mask:
    """Which vehicles of a gateway are heard now."""
    if seat.receptions is None:
        return np.zeros(len(seat.rows), np.bool_)
    heard: Mask = seat.receptions.heard == Heard.HEARD
    return heard
