"""Through which door each real vehicle's phone is rehearsed, and in which formats."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from movenv.gateways.config import Entry
from movenv.gateways.datagram.codec import ENCODERS as DATAGRAM
from movenv.gateways.fix import Fix, Unreadable
from movenv.gateways.gpsd.codec import ENCODERS as GPSD
from movenv.gateways.jaus.fixes import ENCODERS as JAUS
from movenv.gateways.nmea.codec import ENCODERS as NMEA
from movenv.gateways.phone_http.codec import ENCODERS as PHONE_HTTP
from movenv.gateways.phone_udp.codec import ENCODERS as PHONE_UDP
from movenv.gateways.phone_udp.codec import decode
from movenv.runtime.errors import WrongInput
from movenv.runtime.rehearsal.player import Sender
from movenv.runtime.rehearsal.senders import HttpSender, ServerSender, TcpSender, UdpSender


@dataclass(frozen=True)
class Door:
    """A gateway as a phone sees it: what it may speak, and over what."""

    formats: dict[str, Callable[..., Any]]
    """Where nothing is said, the first is spoken by which the phone is known."""
    sender: Callable[[str, int, Callable[..., Any]], Sender]
    port: int
    """Where nothing is said."""


DOORS = {
    "phone_udp": Door(PHONE_UDP, UdpSender, 47100),
    "phone_http": Door(PHONE_HTTP, HttpSender, 47080),
    "datagram": Door(DATAGRAM, UdpSender, 47200),
    "nmea": Door(NMEA, UdpSender, 47300),
    "gpsd": Door(GPSD, ServerSender, 2947),
    "jaus": Door(JAUS, UdpSender, 3794),
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
    if getattr(config, "at", None) is not None:
        return f"is asked at {config.at}"
    return ""


def spoken(entry: Entry, wanted: str | None) -> str:
    """The format that the phone of a scenario's vehicle speaks: one by which it is known.

    Raises WrongInput where the wanted one is not that, or there is none.
    """
    config: Any = entry.config
    formats = DOORS[config.type].formats
    if wanted is not None and wanted not in formats:
        raise WrongInput(
            f"{entry.name}: {config.type} does not speak {wanted}; it speaks {', '.join(formats)}"
        )
    asked = [wanted] if wanted is not None else list(formats)
    if config.type == "phone_udp" and not config.own_port:
        asked = [name for name in asked if _names(formats[name], entry.device)]
    if not asked:
        raise WrongInput(
            f"{entry.name}: {wanted or ' and '.join(formats)} cannot say that it is "
            f"{entry.device!r}: set own_port: true, so that it is known by its port, or a device: "
            "that it can say, which for hyperimu is a MAC address and for sensorlog a word"
        )
    return asked[0]


def _names(encode: Callable[[Fix], bytes], device: str) -> bool:
    """Whether those who read what is sent learn which device it is from."""
    try:
        read = decode(encode(Fix(1.0, 1.0, 1e9, device=device)))
    except Unreadable:
        return False
    return [fix.device.casefold() for fix in read] == [device.casefold()]


def sender_for(entry: Entry, host: str, wanted: str | None) -> Sender:
    """How the phone of a scenario's vehicle sends. Raises WrongInput."""
    config: Any = entry.config
    door = DOORS[config.type]
    encode = door.formats[spoken(entry, wanted)]
    port = config.port + (entry.vid if getattr(config, "own_port", False) else 0)
    make = door.sender
    if getattr(config, "over", "udp") == "tcp":
        make = TcpSender if config.host is None else ServerSender
    return make(host, port, encode)


def sender_in(wanted: str, host: str, port: int | None) -> Sender:
    """How a phone sends in some format. Raises WrongInput."""
    if wanted not in FORMATS:
        raise WrongInput(f"unknown format '{wanted}'; formats are {', '.join(FORMATS)}")
    door = DOORS[FORMATS[wanted]]
    return door.sender(host, port or door.port, door.formats[wanted])
