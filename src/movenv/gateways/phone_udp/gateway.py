"""Listens for phones that send CSV datagrams."""

from collections import Counter
from typing import Self, cast

from pydantic import Field, model_validator

from movenv.gateways.config import Entry, LiveConfig, Port
from movenv.gateways.inlet import Inlet
from movenv.gateways.part import Gateway, GatewayFailed, Surroundings
from movenv.gateways.phone_udp.codec import decode
from movenv.gateways.udp import UdpListener


class Config(LiveConfig):
    """A phone with HyperIMU or SensorLog."""

    port: Port = Field(47100, description="the UDP port it sends to")
    own_port: bool = Field(
        False, description="it alone sends to `port` + its vid, and is known by that"
    )

    @model_validator(mode="after")
    def _shows_no_token(self) -> Self:
        if self.token is not None:
            raise ValueError("neither HyperIMU nor SensorLog can show a token; leave it out")
        return self


class PhoneUdpGateway(Gateway):
    """Any number of phones, on a port for all of them or a port for each."""

    Config = Config
    name = "phone_udp"

    def __init__(self, entries: list[Entry], inlet: Inlet, around: Surroundings) -> None:
        super().__init__(entries, inlet, around)
        self._vids = {_port(entry): entry.vid for entry in entries if _config(entry).own_port}
        """Whose a port is."""
        self._listener = UdpListener(
            sorted({_port(entry) for entry in entries}), around.bind, self._heard
        )

    def open(self) -> None:
        shared = {_port(entry) for entry in self.entries if not _config(entry).own_port}
        own = Counter(_port(entry) for entry in self.entries if _config(entry).own_port)
        for port, vehicles in own.items():
            if port > 65535:
                raise GatewayFailed(f"UDP port {port} does not exist: choose a lower `port`")
            if vehicles > 1 or port in shared:
                raise GatewayFailed(f"UDP port {port} is one vehicle's own, and another's too")
        self._listener.open()

    def close(self) -> None:
        self._listener.close()

    def invitations(self) -> list[str]:
        lines = []
        for entry in self.entries:
            line = f"{entry.name}: HyperIMU or SensorLog, UDP to {self.around.shown}"
            line += f" port {_port(entry)}"
            if not _config(entry).own_port:
                line += f", MAC address or label '{entry.device}'"
            lines.append(line)
        return lines

    def _heard(self, data: bytes, sender: str, port: int) -> None:
        self.receive(data, sender, decode, self._vids.get(port, 0))


def _config(entry: Entry) -> Config:
    return cast(Config, entry.config)


def _port(entry: Entry) -> int:
    config = _config(entry)
    return config.port + entry.vid if config.own_port else config.port
