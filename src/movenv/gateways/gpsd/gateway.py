"""A client of one gpsd a vehicle."""

import threading
from typing import Self

from pydantic import Field, model_validator

from movenv.gateways.config import Entry, LiveConfig, Port
from movenv.gateways.fix import Fix
from movenv.gateways.gpsd.codec import WATCH, decode_gpsd, worth_taking
from movenv.gateways.inlet import Inlet
from movenv.gateways.part import Gateway, GatewayFailed, Reader, Surroundings
from movenv.gateways.streams import Handler, StreamReader, TcpConnection

LONGEST = 65_536
"""Bytes of a line; more without an end is garbage."""


class GpsdConfig(LiveConfig):
    """A receiver that a gpsd reads."""

    host: str = Field("127.0.0.1", min_length=1)
    """Where gpsd runs."""
    port: Port = 2947
    """Its TCP port."""
    gpsd_device: str = ""
    """Which of the receivers of that gpsd, such as /dev/ttyUSB0; default: whichever speaks."""

    @model_validator(mode="after")
    def _shows_no_token(self) -> Self:
        if self.token is not None:
            raise ValueError("gpsd shows no token")
        return self


class GpsdGateway(Gateway):
    """One thread and one connection a vehicle."""

    Config = GpsdConfig
    name = "gpsd"

    def __init__(self, entries: list[Entry], inlet: Inlet, around: Surroundings) -> None:
        super().__init__(entries, inlet, around)
        self._readers: list[StreamReader] = []
        self._lock = threading.Lock()

    @classmethod
    def reader(cls) -> Reader:
        return lambda data, _at: decode_gpsd(data)

    def open(self) -> None:
        """A gpsd that is not there yet is awaited."""
        sources: set[tuple[str, int, str]] = set()
        for entry in self.entries:
            config = _config(entry)
            source = config.host, config.port, config.gpsd_device
            if source in sources:
                raise GatewayFailed(
                    f"{entry.name} and another vehicle have the same gpsd {config.host}:"
                    f"{config.port}: tell their receivers apart with gpsd_device"
                )
            sources.add(source)
        for entry in self.entries:
            self._readers.append(self._reader(entry))
            self._readers[-1].open()

    def close(self) -> None:
        for reader in self._readers:
            reader.close()

    def invitations(self) -> list[str]:
        return [
            f"{entry.name}: run gpsd at {_config(entry).host}:{_config(entry).port}"
            for entry in self.entries
        ]

    def _reader(self, entry: Entry) -> StreamReader:
        host, port = _config(entry).host, _config(entry).port
        return StreamReader(
            lambda closing: TcpConnection(host, port, closing, WATCH),
            lambda: self._lines(entry),
            lambda words: self.inlet.happened("gateway", f"gpsd {host}:{port} {words}", entry.vid),
        )

    def _lines(self, entry: Entry) -> Handler:
        """The handler of a new connection: a packet a line."""
        device, rest = _config(entry).gpsd_device, bytearray()

        def decode(line: bytes) -> list[Fix]:
            return decode_gpsd(line, device)

        def handle(data: bytes, sender: str) -> None:
            rest.extend(data)
            *lines, last = rest.split(b"\n")
            rest[:] = last if len(last) <= LONGEST else b""
            for line in map(bytes, lines):
                if worth_taking(line):
                    with self._lock:  # the threads share one door
                        self.receive(line, sender, decode, entry.vid)

        return handle


def _config(entry: Entry) -> GpsdConfig:
    assert isinstance(entry.config, GpsdConfig)
    return entry.config
