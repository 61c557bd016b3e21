"""Where a console is offered."""

import socket
from dataclasses import dataclass
from pathlib import Path

from movenv.runtime.errors import WrongInput
from movenv.runtime.surroundings import EVERYWHERE, HERE, own_address

PORT, PORTS = 7470, 20
"""The port of a console; where it is taken and nobody asked for it, one of the next."""


@dataclass(frozen=True)
class Place:
    """Where a console is offered."""

    port: int | None = None
    """None: the first free one from PORT on."""
    open: bool = False
    """On every network, encrypted; else only on this machine."""
    address: str | None = None
    """What others are told to connect to."""
    state: Path | None = None
    """A private folder in which the links' tokens are kept."""

    @property
    def shown(self) -> str:
        return self.address or (own_address() if self.open else HERE)


def listening(place: Place, option: str = "--port") -> socket.socket:
    """A socket that listens. Raises WrongInput when the port is taken; `option` chooses another."""
    ports = [place.port] if place.port is not None else range(PORT, PORT + PORTS)
    reason: OSError | None = None
    for port in ports:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # A driver's dashboard must not wait until the picture before it is acknowledged.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            listener.bind((EVERYWHERE if place.open else HERE, port))
            listener.listen()
            return listener
        except OSError as error:
            listener.close()
            reason = error
    assert reason is not None
    raise WrongInput(f"port {ports[0]} is in use or not allowed: {reason.strerror}; try {option}")
