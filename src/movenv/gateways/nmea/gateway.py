"""Listens to receivers that speak NMEA 0183."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Literal, Self

from pydantic import Field, model_validator

from movenv.gateways.config import Entry, Port, PortConfig
from movenv.gateways.fix import Fix, Unreadable
from movenv.gateways.inlet import Inlet
from movenv.gateways.nmea.codec import NOTHING, WAITING, NmeaDecoder
from movenv.gateways.nmea.serial_line import SerialConnection
from movenv.gateways.part import Decode, Gateway, GatewayFailed, Reader, Surroundings
from movenv.gateways.streams import Handler, StreamReader, TcpConnection, TcpListener
from movenv.gateways.udp import UdpListener

MOST_SENDERS = 256
"""Addresses whose half-heard epochs are remembered."""
MOST_HELD = 4096
"""Bytes of a stream that are handed on even if no fix has come of them."""


class NmeaConfig(PortConfig):
    """A receiver that speaks NMEA 0183."""

    over: Literal["udp", "tcp", "serial"] = "udp"
    """How its sentences come."""
    port: Port = 47300
    """The port it sends to, or has at `host`."""
    host: str | None = None
    """Connect to this host, over tcp; without it, wait there for the receiver to connect."""
    serial_port: str | None = None
    """Such as /dev/ttyUSB0."""
    baud: int = Field(4800, ge=50, le=4_000_000)
    """Of the serial line."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        given = self.model_fields_set
        if self.token is not None:
            raise ValueError("NMEA sentences show no token: pin the `address` instead")
        if self.over == "serial" and self.serial_port is None:
            raise ValueError("over: serial needs a serial_port, such as /dev/ttyUSB0")
        if self.over == "serial" and given & {"port", "own_port", "host", "address"}:
            raise ValueError("a serial line has no port, own_port, host or address")
        if self.over != "serial" and given & {"serial_port", "baud"}:
            raise ValueError(f"serial_port and baud are for over: serial, not {self.over}")
        if self.host is not None and self.over != "tcp":
            raise ValueError(f"host is for over: tcp; with {self.over} the receiver sends to here")
        if self.host is not None and self.own_port:
            raise ValueError("own_port is ours; the port at `host` is told with `port`")
        return self


class NmeaGateway(Gateway):
    """One thread for all UDP ports, one for all TCP ports, and one a connection or serial line."""

    Config = NmeaConfig
    name = "nmea"

    def __init__(self, entries: list[Entry], inlet: Inlet, around: Surroundings) -> None:
        super().__init__(entries, inlet, around)
        self._heard_at: dict[tuple[str, int], list[Entry]] = {}
        for entry in entries:
            config = _config(entry)
            if config.over != "serial" and config.host is None:
                where = config.over, config.port_of(entry.vid)
                self._heard_at.setdefault(where, []).append(entry)
        self._decoders: OrderedDict[tuple[int, str], NmeaDecoder] = OrderedDict()
        self._opened: list[UdpListener | TcpListener | StreamReader] = []
        self._lock = threading.Lock()

    @classmethod
    def reader(cls) -> Reader:
        return NmeaDecoder().decode

    def open(self) -> None:
        self.check()
        try:
            for over in ("udp", "tcp"):
                if ports := [port for o, port in self._heard_at if o == over]:
                    self._listen(over, ports)
            for entry in self.entries:
                if _config(entry).over == "serial" or _config(entry).host is not None:
                    self._read(entry)
        except GatewayFailed:
            self.close()
            raise

    def close(self) -> None:
        for one in self._opened:
            one.close()
        self._opened.clear()

    def invitations(self) -> list[str]:
        return [f"{entry.name}: {self._invitation(entry)}" for entry in self.entries]

    def _invitation(self, entry: Entry) -> str:
        config = _config(entry)
        if config.over == "serial":
            return f"connect the receiver to {config.serial_port} at {config.baud} baud"
        if config.host is not None:
            return f"offer NMEA over TCP at {config.host}:{config.port}"
        here = f"{self.around.shown}:{config.port_of(entry.vid)}"
        return f"send NMEA over {config.over.upper()} to {here}"

    def check(self) -> None:
        """Raises GatewayFailed where two vehicles could not be told apart."""
        for (over, port), entries in self._heard_at.items():
            if port > 65535:
                raise GatewayFailed(f"there is no {over.upper()} port {port}: choose a lower one")
            addresses = {entry.config.address for entry in entries}
            if len(entries) > 1 and (None in addresses or len(addresses) < len(entries)):
                names = " and ".join(entry.name for entry in entries)
                raise GatewayFailed(
                    f"{names} share {over.upper()} port {port}, and NMEA sentences name nobody: "
                    "give each its own_port or its own address"
                )
        sources = [_source(_config(entry)) for entry in self.entries]
        for entry, source in zip(self.entries, sources, strict=True):
            if source and sources.count(source) > 1:
                raise GatewayFailed(f"{entry.name} and another vehicle both read {source}")

    def _listen(self, over: str, ports: list[int]) -> None:
        listener: UdpListener | TcpListener
        if over == "udp":
            listener = UdpListener(ports, self.around.bind, self._datagram)
        else:
            listener = TcpListener(ports, self.around.bind, self._client)
        listener.open()
        self._opened.append(listener)

    def _read(self, entry: Entry) -> None:
        config = _config(entry)
        if config.serial_port is not None:
            path, baud = config.serial_port, config.baud
            try:
                first = SerialConnection(path, baud)
            except OSError as error:
                raise GatewayFailed(f"serial port {path} cannot be opened: {error}") from error
            waiting = [first]
            reader = StreamReader(
                lambda closing: waiting.pop() if waiting else SerialConnection(path, baud),
                lambda: self._stream(lambda sender: entry.vid),
                lambda words: self._tell(entry, f"serial port {path} {words}"),
            )
        else:
            host, port = config.host or "", config.port
            reader = StreamReader(
                lambda closing: TcpConnection(host, port, closing),
                lambda: self._stream(lambda sender: entry.vid),
                lambda words: self._tell(entry, f"receiver {host}:{port} {words}"),
            )
        self._opened.append(reader)
        reader.open()

    def _tell(self, entry: Entry, words: str) -> None:
        self.inlet.happened("gateway", words, entry.vid)

    def _client(self, port: int) -> Handler:
        return self._stream(lambda sender: self._whose("tcp", port, sender))

    def _stream(self, whose: Callable[[str], int]) -> Handler:
        """The handler of a new connection. It hands on a packet an epoch, not a packet a read, so
        that a recording shows what a fix was made of."""
        decoder, held = NmeaDecoder(), bytearray()

        def handle(data: bytes, sender: str) -> None:
            held.extend(data)
            outcome = _outcome(decoder, data, self.inlet.clock())
            if outcome in (WAITING, NOTHING) and len(held) < MOST_HELD:
                return
            packet = bytes(held)
            held.clear()
            self._take(packet, sender, lambda _: _told(outcome), whose(sender))

        return handle

    def _datagram(self, data: bytes, sender: str, port: int) -> None:
        key = port, sender.rpartition(":")[0]
        decoder = self._decoders.setdefault(key, NmeaDecoder())
        self._decoders.move_to_end(key)
        if len(self._decoders) > MOST_SENDERS:
            self._decoders.popitem(last=False)
        now = self.inlet.clock()
        vid = self._whose("udp", port, sender)
        self._take(data, sender, lambda data: decoder.decode(data, now), vid)

    def _whose(self, over: str, port: int, sender: str) -> int:
        """0 if several share the port and none of them has this address."""
        entries = self._heard_at[over, port]
        if len(entries) == 1:
            return entries[0].vid
        address = sender.rpartition(":")[0]
        return next((e.vid for e in entries if e.config.address == address), 0)

    def _take(self, data: bytes, sender: str, decode: Decode, vid: int) -> None:
        with self._lock:  # the threads share one door
            self.receive(data, sender, decode, vid)


def _outcome(decoder: NmeaDecoder, data: bytes, now: float) -> list[Fix] | str:
    try:
        return decoder.decode(data, now)
    except Unreadable as reason:
        return str(reason)


def _told(outcome: list[Fix] | str) -> list[Fix]:
    if isinstance(outcome, str):
        raise Unreadable(outcome)
    return outcome


def _source(config: NmeaConfig) -> str:
    if config.serial_port is not None:
        return config.serial_port
    return f"{config.host}:{config.port}" if config.host is not None else ""


def _config(entry: Entry) -> NmeaConfig:
    assert isinstance(entry.config, NmeaConfig)
    return entry.config
