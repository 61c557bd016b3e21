"""Scans on the bus: one message a scan, under a name."""

import re
import threading
from collections.abc import Callable

from movenv.runtime.injection.endpoints import (
    Endpoint,
    EndpointRefused,
    ScanSink,
    ScanSource,
    Take,
    register,
)
from movenv.runtime.live import bus as keys
from movenv.runtime.live.bus import Bus

_NAME = re.compile(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*")


def checked_name(name: str) -> str:
    """Raises EndpointRefused."""
    if not _NAME.fullmatch(name):
        raise EndpointRefused(f"'{name}' cannot be a name on the bus: use letters, digits, . _ -")
    return name


class BusSource(ScanSource):
    """Hears what is sent under a name, in a thread of the bus."""

    def __init__(self, name: str, bus: Callable[[], Bus]) -> None:
        """Raises EndpointRefused or BusError."""
        self._key = keys.scan_key(checked_name(name))
        self._bus = bus()
        self._closing = threading.Event()

    def run(self, take: Take) -> None:
        def hear(_name: str, data: bytes) -> None:
            if not self._closing.is_set():
                take(data)

        self._bus.hear(self._key, hear)
        self._closing.wait()

    def close(self) -> None:
        self._closing.set()


class BusSink(ScanSink):
    """Sends under a name. Who reads there can see that somebody writes."""

    def __init__(self, name: str, bus: Callable[[], Bus]) -> None:
        """Raises EndpointRefused or BusError."""
        self._name, self._bus = checked_name(name), bus()
        self._send = self._bus.sender(keys.scan_key(name), urgent=True, patient=True)
        self._withdraw: Callable[[], None] | None = None

    def write(self, data: bytes) -> None:
        self._send(data)
        if self._withdraw is None:  # only now: before, waiting for us would be in vain
            self._withdraw = self._bus.be_alive(keys.scan_writer_key(self._name))

    def leave(self) -> None:
        if self._withdraw is not None:
            self._withdraw()

    def close(self) -> None:
        """The session is closed by who opened it."""


register("bus", Endpoint(BusSource, BusSink))
