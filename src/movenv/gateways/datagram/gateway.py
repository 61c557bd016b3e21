"""Takes plain datagrams, and answers those who ask with what is around them."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from movenv.gateways.config import Entry, Port, PortConfig
from movenv.gateways.datagram.codec import Packet, decode_datagram, decode_packet
from movenv.gateways.fix import Fix
from movenv.gateways.inlet import Inlet
from movenv.gateways.part import Gateway, Reader, Surroundings
from movenv.gateways.udp import UdpListener, own_ports
from movenv.gateways.view import View

FORGOTTEN = 30.0
"""Who asked for notices and then was silent for so long, s, gets no more."""


class DatagramConfig(PortConfig):
    """A microcontroller, or anything else that sends plain datagrams."""

    port: Port = 47200
    """The UDP port it sends to."""


@dataclass(frozen=True)
class Asker:
    """Where somebody who wants notices was last heard from."""

    address: str
    port: int
    """Ours, so that the answer comes from where it was asked."""
    heard: float


class DatagramGateway(Gateway):
    """One thread listens on all ports."""

    Config = DatagramConfig
    name = "datagram"

    def __init__(self, entries: list[Entry], inlet: Inlet, around: Surroundings) -> None:
        super().__init__(entries, inlet, around)
        self._by_vid = {entry.vid: entry for entry in entries}
        self._port_of = {entry.vid: _config(entry).port_of(entry.vid) for entry in entries}
        self._owner: dict[int, int] = {}
        """Whose a port is."""
        self._askers: dict[int, Asker] = {}
        self._lock = threading.Lock()
        self._listener: UdpListener | None = None

    @classmethod
    def reader(cls) -> Reader:
        return lambda data, _at: decode_datagram(data)

    def check(self) -> None:
        own_ports(self.entries)

    def open(self) -> None:
        self._owner = own_ports(self.entries)
        ports = sorted(set(self._port_of.values()))
        self._listener = UdpListener(ports, self.around.bind, self._take)
        self._listener.open()

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()

    def invitations(self) -> list[str]:
        return [
            f"{e.name}: send JSON datagrams to {self.around.shown}:{self._port_of[e.vid]}"
            + ("" if _config(e).own_port else f' with "id": "{e.device}"')
            + (f' and "token": "{e.config.token}"' if e.config.token else "")
            for e in self.entries
        ]

    def wants(self) -> set[int]:
        self._forget()
        with self._lock:
            return set(self._askers)

    def tell(self, views: Mapping[int, View]) -> None:
        self._forget()
        with self._lock:
            askers = list(self._askers.items())
        for vid, asker in askers:
            if vid in views and self._listener is not None:
                self._listener.send(views[vid].fitted(), asker.address, asker.port)

    def _take(self, data: bytes, sender: str, port: int) -> None:
        read: list[Packet] = []

        def decode(data: bytes) -> list[Fix]:
            packet = decode_packet(data)
            read.append(Packet(self._named(packet), packet.vid, packet.notify))
            return [read[0].fix]

        vid = self._owner.get(port, 0)
        if self.receive(data, sender, decode, vid) == "":
            # Only now: who was not admitted must not get, nor end, the notices of another.
            self._remember(vid or self._door.called(read[0].fix).vid, read[0], sender, port)

    def _named(self, packet: Packet) -> Fix:
        entry = None if packet.fix.device else self._by_vid.get(packet.vid)
        if entry is None:
            return packet.fix
        return msgspec.structs.replace(packet.fix, device=entry.device)

    def _remember(self, vid: int, packet: Packet, sender: str, port: int) -> None:
        with self._lock:
            if packet.notify:
                self._askers[vid] = Asker(sender, port, self.inlet.clock())
            else:
                self._askers.pop(vid, None)

    def _forget(self) -> None:
        oldest = self.inlet.clock() - FORGOTTEN
        with self._lock:
            for vid in [vid for vid, asker in self._askers.items() if asker.heard < oldest]:
                del self._askers[vid]


def _config(entry: Entry) -> DatagramConfig:
    assert isinstance(entry.config, DatagramConfig)
    return entry.config
