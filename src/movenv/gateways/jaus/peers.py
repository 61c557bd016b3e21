"""Where in the network those are who speak: nobody speaks for somebody at another address."""

from collections import OrderedDict

from movenv.gateways.door import RELEASE
from movenv.gateways.jaus.packet import Address

MOST = 1000
"""Components that are remembered; with more, who was silent the longest is forgotten."""


class Peers:
    """JAUS has no passwords: a component is believed only from the host it was first heard from,
    until it has been silent for a good while."""

    def __init__(self) -> None:
        self._known: OrderedDict[Address, tuple[str, float]] = OrderedDict()

    def admit(self, who: Address, sender: str, now: float) -> bool:
        """Whether a component may be at `ip:port`; if so, that is where it is answered."""
        before, heard_at = self._known.get(who, (sender, now))
        if _host(before) != _host(sender) and now - heard_at < RELEASE:
            return False
        self._known[who] = sender, now
        self._known.move_to_end(who)
        if len(self._known) > MOST:
            self._known.popitem(last=False)
        return True

    def place(self, who: Address) -> str | None:
        """The `ip:port` of somebody; None if it was never heard, or long ago."""
        return self._known.get(who, (None, 0.0))[0]


def _host(sender: str) -> str:
    return sender.rpartition(":")[0]
