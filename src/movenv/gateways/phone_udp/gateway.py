"""Listens for phones that send CSV datagrams."""

from typing import Self

from pydantic import model_validator

from movenv.gateways.config import Entry, Port, PortConfig
from movenv.gateways.inlet import Inlet
from movenv.gateways.part import Gateway, Reader, Surroundings
from movenv.gateways.phone_udp.codec import decode
from movenv.gateways.udp import UdpListener, own_ports


class PhoneUdpConfig(PortConfig):
    """A phone with HyperIMU or SensorLog."""

    port: Port = 47100
    """The UDP port it sends to."""

    @model_validator(mode="after")
    def _shows_no_token(self) -> Self:
        if self.token is not None:
            raise ValueError("neither HyperIMU nor SensorLog can show a token; leave it out")
        return self


class PhoneUdpGateway(Gateway):
    """Any number of phones, on a port for all of them or a port for each."""

    Config = PhoneUdpConfig
    name = "phone_udp"

    def __init__(self, entries: list[Entry], inlet: Inlet, around: Surroundings) -> None:
        super().__init__(entries, inlet, around)
        self._vids: dict[int, int] = {}
        """Whose a port is."""
        ports = {_config(entry).port_of(entry.vid) for entry in entries}
        self._listener = UdpListener(sorted(ports), around.bind, self._heard)

    @classmethod
    def reader(cls) -> Reader:
        return lambda data, _at: decode(data)

    def check(self) -> None:
        own_ports(self.entries)

    def open(self) -> None:
        self._vids = own_ports(self.entries)
        self._listener.open()

    def close(self) -> None:
        self._listener.close()

    def invitations(self) -> list[str]:
        lines = []
        for entry in self.entries:
            config = _config(entry)
            line = f"{entry.name}: HyperIMU or SensorLog, UDP to {self.around.shown}"
            line += f" port {config.port_of(entry.vid)}"
            if not config.own_port:
                line += f", MAC address or label '{entry.device}'"
            lines.append(line)
        return lines

    def _heard(self, data: bytes, sender: str, port: int) -> None:
        self.receive(data, sender, decode, self._vids.get(port, 0))


def _config(entry: Entry) -> PhoneUdpConfig:
    assert isinstance(entry.config, PhoneUdpConfig)
    return entry.config
