"""Where in the network those are who speak: nobody speaks for somebody at another address."""

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from movenv.gateways.door import RELEASE
from movenv.gateways.jaus.packet import Address

MOST = 1000
"""Components that are remembered."""
MOST_OF_HOST = 100
"""Of one host: no single one makes up so many that there is no room for others."""


class _Place(NamedTuple):
    sender: str
    heard_at: float


class Peers:
    """JAUS has no passwords: a component is believed only from the host it was first heard from,
    until it has been silent for a good while.

    Whoever would be forgotten could be imitated. So nobody is before then, and nobody at all as
    long as he is `needed`; where there is no room for others, they are turned away.
    """

    def __init__(self, needed: Callable[[Address], bool] = lambda who: False) -> None:
        """`needed` tells who is in control of something, or subscribed to it."""
        self._known: OrderedDict[Address, _Place] = OrderedDict()
        """Who was silent the longest comes first."""
        self._needed = needed

    def admit(self, who: Address, sender: str, now: float) -> str:
        """Why a component is not believed to be at `ip:port`; '' where it is, and then that is
        where it is answered."""
        before = self._known.get(who)
        if before is None:
            if not self._has_room(_host(sender), now):
                return "too many components"
        elif _host(before.sender) != _host(sender) and now - before.heard_at < RELEASE:
            return "other address"
        self._known[who] = _Place(sender, now)
        self._known.move_to_end(who)
        return ""

    def place(self, who: Address) -> str | None:
        """The `ip:port` of somebody; None if it was never heard, or long ago."""
        found = self._known.get(who)
        return found.sender if found is not None else None

    def _has_room(self, host: str, now: float) -> bool:
        """For one more at a host; if need be somebody gives way who was silent for long."""
        neighbours = [one for one, place in self._known.items() if _host(place.sender) == host]
        if len(neighbours) >= MOST_OF_HOST:
            return self._forget_one(neighbours, now)
        return len(self._known) < MOST or self._forget_one(list(self._known), now)

    def _forget_one(self, candidates: list[Address], now: float) -> bool:
        for one in candidates:
            if now - self._known[one].heard_at < RELEASE:
                return False
            if not self._needed(one):
                del self._known[one]
                return True
        return False


def _host(sender: str) -> str:
    return sender.rpartition(":")[0]
