"""How much later scans come through an injection layer than without it."""

import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from movenv.gateways.scans.codec import encode_datagram
from movenv.runtime.injection.inlet import ScanOutlet
from movenv.runtime.injection.process import switch
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.around import PLACE, REST, Around, AroundRequest
from movenv.runtime.live.bus import Bus
from movenv.world.columns import F8
from movenv.world.scan import Scan

HZ = 40
SETTLE = 1.0
VEHICLE, NAME = "car", "bench"
PATIENCE = 60.0
NUMBER = struct.Struct("<Q")
NUMBER_AT = 4


class Arrivals:
    """When each scan came, by number, on both ways."""

    def __init__(self) -> None:
        self.direct: dict[int, int] = {}
        self.layered: dict[int, int] = {}

    def note(self, way: dict[int, int], data: bytes) -> None:
        way.setdefault(NUMBER.unpack_from(data, NUMBER_AT)[0], time.monotonic_ns())

    def added(self) -> F8:
        """How much later the layer's came, ms."""
        both = sorted(self.direct.keys() & self.layered.keys())
        return np.array([self.layered[n] - self.direct[n] for n in both]) / 1e6


def added_delays(way: str, scan: Scan, boxes: F8, seconds: float) -> tuple[F8, F8]:
    """Over `udp` or `bus`, with vehicles injected and switched off, ms a scan."""
    with _core(boxes) as address, Bus.connect(address) as bus:
        run = _over_udp if way == "udp" else _over_bus
        with run(address, bus) as (arrivals, send):
            _until_through(arrivals, scan, send)
            on = _scanned(arrivals, scan, send, seconds)
            switch(bus, VEHICLE, "off")
            return on, _scanned(arrivals, scan, send, seconds)


def _scanned(arrivals: Arrivals, scan: Scan, send: Callable[[Scan], None], seconds: float) -> F8:
    arrivals.direct.clear()
    arrivals.layered.clear()
    due = time.monotonic()
    for number in range(round(seconds * HZ)):
        send(replace(scan, number=1_000_000 + number))
        due += 1 / HZ
        time.sleep(max(0.0, due - time.monotonic()))
    time.sleep(SETTLE)
    return arrivals.added()


def _until_through(arrivals: Arrivals, scan: Scan, send: Callable[[Scan], None]) -> None:
    """The layer is up, has heard of the vehicles, and is warm."""
    until, number = time.monotonic() + PATIENCE, 0
    while len(arrivals.layered) < HZ:
        if time.monotonic() > until:
            raise RuntimeError("no scan came through the injection layer")
        send(replace(scan, number=number))
        number += 1
        time.sleep(1 / HZ)
    time.sleep(SETTLE)


@contextmanager
def _core(boxes: F8) -> Iterator[str]:
    """Somebody who answers as a Core does: these vehicles stand there."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp/127.0.0.1:{probe.getsockname()[1]}"
    places = boxes[:, :2].astype(PLACE).tobytes()
    others = np.column_stack([boxes[:, 2:], np.zeros((len(boxes), 2))]).astype(REST).tobytes()

    def answer(data: bytes) -> bytes:
        now = time.monotonic_ns()
        wire.decode(AroundRequest, data)
        own = (0.0, 0.0, 0.0, 0.0, 0.0)
        return Around("c", now, now, now, 0.0, 0.0, 1.0, own, (0.0, 0.0), places, others).encoded()

    with Bus.listen([address], None) as bus:
        bus.answer(keys.AROUND, answer)
        yield address


@contextmanager
def _layer(address: str, source: str, sink: str) -> Iterator[None]:
    words = ["--vehicle", VEHICLE, "--from", source, "--to", sink, "--core", address]
    process = subprocess.Popen(
        [sys.executable, "-m", "movenv", "inject", *words], stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _over_udp(address: str, _bus: Bus) -> Iterator[tuple[Arrivals, Callable[[Scan], None]]]:
    """Each scan goes to the layer and, beside it, straight to who reads."""
    arrivals = Arrivals()
    direct, layered, free = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(3))
    for one in (direct, layered, free):
        one.bind(("127.0.0.1", 0))
    there = free.getsockname()
    free.close()
    for one, way in ((direct, arrivals.direct), (layered, arrivals.layered)):
        threading.Thread(target=_hear, args=(one, arrivals, way), daemon=True).start()
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send(scan: Scan) -> None:
        data = encode_datagram(scan)
        sender.sendto(data, there)
        sender.sendto(data, direct.getsockname())

    ends = f"udp:127.0.0.1:{there[1]}", f"udp:127.0.0.1:{layered.getsockname()[1]}"
    with _layer(address, *ends):
        yield arrivals, send
    for one in (direct, layered):
        sender.sendto(b"", one.getsockname())
    sender.close()


def _hear(one: socket.socket, arrivals: Arrivals, way: dict[int, int]) -> None:
    with one:
        while data := one.recv(65_536):
            arrivals.note(way, data)


@contextmanager
def _over_bus(address: str, bus: Bus) -> Iterator[tuple[Arrivals, Callable[[Scan], None]]]:
    arrivals = Arrivals()
    altered = f"{NAME}/altered"
    bus.hear(keys.scan_key(NAME), lambda _, data: arrivals.note(arrivals.direct, data))
    bus.hear(keys.scan_key(altered), lambda _, data: arrivals.note(arrivals.layered, data))
    with Bus.connect(address) as scanner:
        outlet = ScanOutlet(scanner, NAME)
        with _layer(address, f"bus:{NAME}", f"bus:{altered}"):
            yield arrivals, outlet.write
