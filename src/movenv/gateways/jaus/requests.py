"""Who wants which report how often: events, and service connections in the older dialect."""

from dataclasses import dataclass, field

from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.scaled import Dialect

MOST = 64
"""Of one component: a stranger must not have it talk all day."""


@dataclass
class Standing:
    """A report that somebody wants again and again."""

    number: int
    client: Address
    dialect: Dialect
    query: Message
    every: float
    """s; 0 for every change."""
    next_at: float
    told: int = field(default=0)
    """How often."""


class Requests:
    """The standing requests of one component."""

    def __init__(self) -> None:
        self._standing: dict[int, Standing] = {}

    def add(
        self, client: Address, dialect: Dialect, query: Message, every: float, now: float
    ) -> Standing | None:
        """None where there is no room for more."""
        free = next((n for n in range(1, MOST + 1) if n not in self._standing), None)
        if free is None:
            return None
        self._standing[free] = Standing(free, client, dialect, query, every, now)
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

    def due(self, now: float, changed: bool) -> list[Standing]:
        """Those whose turn it is; each is put off to its next turn."""
        found = []
        for standing in self._standing.values():
            if not standing.every:
                if changed:
                    found.append(standing)
            elif now >= standing.next_at:
                # On the grid it began with, but never to make up for what was missed.
                standing.next_at += standing.every
                standing.next_at = max(standing.next_at, now)
                found.append(standing)
        return found

    def __len__(self) -> int:
        return len(self._standing)
