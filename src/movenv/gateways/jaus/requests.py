"""Who wants which report how often: events, and service connections in the older dialect."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.scaled import Dialect

MOST = 64
"""Of one component: a stranger must not have it talk all day."""
MOST_EACH = 16
"""Of one client: there must be some left for others."""
SILENT = 60.0
"""Whoever said nothing for so long gives way, where there is no room for others, s."""


@dataclass(frozen=True)
class Pace:
    """How often something is to be told."""

    every: float
    """s; 0 for every sight of the vehicle, of which there is one a tick."""
    on_change: bool = False
    """Only where it is something else than the time before."""


@dataclass
class Standing:
    """A report that somebody wants again and again."""

    number: int
    client: Address
    dialect: Dialect
    query: Message
    pace: Pace
    next_at: float
    suspended: bool = False
    """Nothing is told for now."""
    told: int = field(default=0)
    """How often."""
    last: bytes = field(default=b"")
    """What was told."""


class Requests:
    """The standing requests of one component."""

    def __init__(self) -> None:
        self._standing: dict[int, Standing] = {}
        self._heard: dict[Address, float] = {}
        """When each client was last."""

    def heard(self, who: Address, now: float) -> None:
        """Somebody spoke, of whatever."""
        if who in self._heard:
            self._heard[who] = now

    def __contains__(self, client: Address) -> bool:
        return client in self._heard

    def add(
        self, client: Address, dialect: Dialect, query: Message, pace: Pace, now: float
    ) -> Standing | None:
        """None where there is no room for more. Who asks for the same twice has one, of which
        the first is told again."""
        known = [one for one in self._standing.values() if one.client == client]
        for mine in known:
            if (mine.dialect, mine.query, mine.pace) == (dialect, query, pace):
                mine.last = b""
                return mine
        free = self._room(now) if len(known) < MOST_EACH else None
        if free is None:
            return None
        self._heard[client] = now
        self._standing[free] = Standing(free, client, dialect, query, pace, now)
        return self._standing[free]

    def of(self, number: int, client: Address) -> Standing | None:
        """Somebody's request by its number; nobody has those of another."""
        found = self._standing.get(number)
        return found if found is not None and found.client == client else None

    def like(self, client: Address, query: type[Message]) -> Standing | None:
        """The request that somebody has already for the same report."""
        mine = (s for s in self._standing.values() if s.client == client)
        return next((s for s in mine if isinstance(s.query, query)), None)

    def drop(self, standing: Standing) -> None:
        del self._standing[standing.number]
        if not any(one.client == standing.client for one in self._standing.values()):
            del self._heard[standing.client]

    def _room(self, now: float) -> int | None:
        """A free number; if need be that of who was silent the longest."""
        if len(self._standing) == MOST:
            quietest = min(self._standing.values(), key=lambda one: self._heard[one.client])
            if now - self._heard[quietest.client] < SILENT:
                return None
            self.drop(quietest)
        return next(n for n in range(1, MOST + 1) if n not in self._standing)

    def due(self, now: float, seen: bool) -> list[Standing]:
        """Those whose turn it is, each put off to its next turn; `seen`: there is a new sight."""
        awake = (one for one in self._standing.values() if not one.suspended)
        return [one for one in awake if _is_due(one, now, seen)]

    def __iter__(self) -> Iterator[Standing]:
        return iter(self._standing.values())


def _is_due(standing: Standing, now: float, seen: bool) -> bool:
    every = standing.pace.every
    if not every:
        return seen or standing.pace.on_change
    if now < standing.next_at:
        return False
    # On the grid it began with; what was missed is not made up for.
    standing.next_at += every * (math.floor((now - standing.next_at) / every) + 1)
    return True
