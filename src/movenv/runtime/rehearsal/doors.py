"""Through which door each real vehicle's phone is rehearsed, and in which formats."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from movenv.gateways.config import Entry
from movenv.gateways.datagram.codec import ENCODERS as DATAGRAM
from movenv.gateways.gpsd.codec import ENCODERS as GPSD
from movenv.gateways.nmea.codec import ENCODERS as NMEA
from movenv.gateways.phone_http.codec import ENCODERS as PHONE_HTTP
from movenv.gateways.phone_udp.codec import ENCODERS as PHONE_UDP
from movenv.runtime.errors import WrongInput
from movenv.runtime.rehearsal.player import Sender
from movenv.runtime.rehearsal.senders import HttpSender, ServerSender, TcpSender, UdpSender


@dataclass(frozen=True)
class Door:
    """A gateway as a phone sees it: what it may speak, and over what."""

    formats: dict[str, Callable[..., Any]]
    """The first is spoken where nothing is said."""
    sender: Callable[[str, int, Callable[..., Any]], Sender]
    port: int
    """Where nothing is said."""


DOORS = {
    "phone_udp": Door(PHONE_UDP, UdpSender, 47100),
    "phone_http": Door(PHONE_HTTP, HttpSender, 47080),
    "datagram": Door(DATAGRAM, UdpSender, 47200),
    "nmea": Door(NMEA, UdpSender, 47300),
    "gpsd": Door(GPSD, ServerSender, 2947),
}
HERE = ("127.0.0.1", "localhost")
FORMATS = {name: gateway for gateway, door in DOORS.items() for name in door.formats}
"""The gateway that each format is for."""


def why_not(entry: Entry) -> str:
    """Why a vehicle's phone is not played; '' when it can be."""
    config: Any = entry.config
    if config.type == "join":
        return "joins by its page: open its link in a browser"
    if config.type == "playback":
        return "is played already"
    if config.type not in DOORS or getattr(config, "over", "") == "serial":
        return "has a receiver on a line of its own"
    if getattr(config, "host", None) not in (None, *HERE):
        return f"has a receiver that is looked for at {config.host}"
    return ""


def sender_for(entry: Entry, host: str, wanted: str | None) -> Sender:
    """How the phone of a scenario's vehicle sends. Raises WrongInput."""
    config: Any = entry.config
    door = DOORS[config.type]
    if wanted is not None and wanted not in door.formats:
        raise WrongInput(
            f"{entry.name}: {config.type} does not speak {wanted}; "
            f"it speaks {', '.join(door.formats)}"
        )
    port = config.port + (entry.vid if getattr(config, "own_port", False) else 0)
    make = door.sender
    if getattr(config, "over", "udp") == "tcp":
        make = TcpSender if config.host is None else ServerSender
    return make(host, port, door.formats[wanted or next(iter(door.formats))])


def sender_in(wanted: str, host: str, port: int | None) -> Sender:
    """How a phone sends in some format. Raises WrongInput."""
    if wanted not in FORMATS:
        raise WrongInput(f"unknown format '{wanted}'; formats are {', '.join(FORMATS)}")
    door = DOORS[FORMATS[wanted]]
    return door.sender(host, port or door.port, door.formats[wanted])
