"""What every gateway is: a part with a name, a Config for `live:`, and I/O of its own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from movenv.gateways.config import Entry, LiveConfig
from movenv.gateways.door import Doorkeeper, Stranger
from movenv.gateways.fix import Fix, NothingInIt, Unreadable
from movenv.gateways.inlet import Arrival, Inlet
from movenv.gateways.view import View

Decode = Callable[[bytes], Sequence[Fix]]
Reader = Callable[[bytes, float], Sequence[Fix]]
"""Takes a packet and when it came, in s since 1970; raises Unreadable."""
LARGEST_PACKET = 65_536
KEPT_OF_REFUSED = 512
"""Bytes of a packet without a fix that are kept: a stranger must not fill the disk."""


class GatewayFailed(Exception):
    """A gateway cannot be opened; the message is for the user."""


@dataclass(frozen=True)
class Track:
    """Where somebody was: times in seconds from its begin, ascending."""

    t: list[float]
    lat: list[float]
    lon: list[float]
    alt: list[float]
    """nan where it is not known."""


@dataclass(frozen=True)
class Surroundings:
    """What a gateway may know of the run and the machine."""

    bind: str = "127.0.0.1"
    """Where to listen: this machine only, or 0.0.0.0 for every network."""
    shown: str = "127.0.0.1"
    """The address people are told."""
    folder: Path = Path()
    """Where files that the scenario names are."""
    state: Path | None = None
    """Where to keep what must survive a restart of the process; None: nowhere."""
    scenario: str = ""
    levels: list[str] = field(default_factory=list)
    areas: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """Corners in local metres, for a map."""
    certificate: Callable[[], tuple[Path, Path]] | None = None
    """Makes or finds a certificate and its key for HTTPS on this machine."""
    track: Callable[[Path, str], Track] | None = None
    """Reads the track of somebody (of the only one, for '') from a GPX file or a recording."""


class Gateway:
    """A door for some real vehicles. A subclass says how bytes come in."""

    Config: ClassVar[type[LiveConfig]] = LiveConfig
    name: ClassVar[str]

    def __init__(self, entries: list[Entry], inlet: Inlet, around: Surroundings) -> None:
        self.entries = entries
        self.inlet = inlet
        self.around = around
        self._door = Doorkeeper(entries)

    @classmethod
    def reader(cls) -> Reader:
        """Reads what one sender sent, in order; for packets that were recorded."""
        raise NotImplementedError

    def check(self) -> None:
        """Look for mistakes that no opening is needed to find. Raises GatewayFailed."""

    def open(self) -> None:
        """Begin to listen, in threads of its own. Raises GatewayFailed."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop listening; called once."""
        raise NotImplementedError

    def invitations(self) -> list[str]:
        """One line a vehicle: what its carrier has to set up."""
        return []

    def wants(self) -> set[int]:
        """The vehicles whose carriers wish to be told what is around them."""
        return set()

    def tell(self, views: Mapping[int, View]) -> None:
        """What those are told; called every tick, and must not wait for the network."""

    def ask(self, words: Sequence[str]) -> dict[str, Any]:
        """An operator's wish; the answer is printed. Raises ValueError in words."""
        raise ValueError(f"{self.name} does not know '{' '.join(words)}'")

    def receive(self, data: bytes, sender: str, decode: Decode, vid: int = 0) -> str:
        """Take a packet from an address; returns why nothing came of it, in short, or ''.

        `vid` says whose it is where the port or the link tells.
        """
        arrival = Arrival(self.inlet.clock(), self.name, sender, data, vid=vid)
        try:
            found = decode(data)
            address = sender.rpartition(":")[0]
            arrival.fixes = [
                (self._door.admit(fix, address, arrival.at, vid), fix) for fix in found
            ]
        except NothingInIt as reason:
            arrival.empty = str(reason)
        except (Unreadable, Stranger) as reason:
            arrival.refused = str(reason)
        if not arrival.fixes:
            arrival.data = data[:KEPT_OF_REFUSED]
        self.inlet.take(arrival)
        return arrival.refused or arrival.empty
