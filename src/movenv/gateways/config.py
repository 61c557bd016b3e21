"""What `live:` of a vehicle says, whichever gateway it comes through."""

import ipaddress
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field

from movenv.parts.config import Strict
from movenv.world.kinds import Kind


def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise ValueError(f"'{text}' is no address; one is 192.168.1.20") from None


def _host_and_port(text: str) -> str:
    host, _, port = text.partition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"'{text}' is no HOST:PORT; one is 192.168.1.20:5005")
    return text


Port = Annotated[int, Field(ge=1, le=65535)]
HostAndPort = Annotated[str, AfterValidator(_host_and_port)]


class LiveConfig(Strict):
    """The settings that every real vehicle has."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    type: str = Field(description="the gateway it comes through")
    device: str | None = Field(
        None, max_length=100, description="what it calls itself; default: the vehicle's name"
    )
    token: str | None = Field(
        None,
        min_length=4,
        max_length=200,
        description="a secret that it must show; it may then come from any address",
    )
    address: Annotated[str, AfterValidator(_address)] | None = Field(
        None, description="the only address it comes from; default: the first it is heard from"
    )
    stale_after: float = Field(
        5.0, gt=0, le=3600, description="without a fix for so long, s, its place is only a guess"
    )
    clock: Literal["fix", "arrival"] = Field(
        "fix", description="which time counts: the sender's, or when its word arrives"
    )
    accuracy: float = Field(
        5.0, gt=0, le=1000, description="taken for granted where the sender tells none, m"
    )
    max_speed: float | None = Field(
        None, gt=0, le=10_000, description="faster is not believed, m/s; default by kind"
    )
    height: Literal["ground", "fix"] | None = Field(
        None, description="z from the ground or from the fix; default by kind"
    )
    rate: float = Field(
        1.0, gt=0, le=100, description="fixes a second that it sends when it is rehearsed"
    )
    notify: HostAndPort | None = Field(
        None, description="HOST:PORT to which its notices are sent as JSON datagrams"
    )

    @property
    def known_as(self) -> str | None:
        """What it calls itself, if not as the vehicle is called here."""
        return self.device


class PortConfig(LiveConfig):
    """The settings of those who send to a port here."""

    port: Port
    """The port it sends to."""
    own_port: bool = False
    """It alone sends to `port` + its vid, and is known by that."""

    def port_of(self, vid: int) -> int:
        return self.port + vid if self.own_port else self.port


@dataclass(frozen=True)
class Entry:
    """One real vehicle, as its gateway knows it."""

    vid: int
    name: str
    kind: Kind
    config: LiveConfig

    @property
    def device(self) -> str:
        """What it calls itself."""
        return self.config.known_as or self.name
