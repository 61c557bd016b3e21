"""Scans over UDP: one datagram a scan."""

import socket
import threading
from collections.abc import Callable

from movenv.gateways.udp import KERNEL_BUFFER
from movenv.runtime.errors import RunFailed
from movenv.runtime.injection.endpoints import (
    Endpoint,
    ScanSink,
    ScanSource,
    Take,
    host_and_port,
    register,
)
from movenv.runtime.live.bus import Bus

LARGEST = 65_536
LOOK_UP = 0.2
"""How often a source looks whether it should end, s."""


class UdpSource(ScanSource):
    """Listens at an address of this machine."""

    def __init__(self, address: str, _bus: Callable[[], Bus] | None = None) -> None:
        """Port 0 stands for any that is free. Raises EndpointRefused or RunFailed."""
        host, port = host_and_port(address)
        self._socket = _socket(host)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, KERNEL_BUFFER)
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise RunFailed(f"cannot listen at udp:{address}: {error.strerror}") from None
        self._socket.settimeout(LOOK_UP)
        self._closing = threading.Event()

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    def run(self, take: Take) -> None:
        while not self._closing.is_set():
            try:
                data = self._socket.recv(LARGEST)
            except TimeoutError:
                continue
            take(data)
        self._socket.close()

    def close(self) -> None:
        self._closing.set()


class UdpSink(ScanSink):
    """Sends to an address."""

    def __init__(self, address: str, _bus: Callable[[], Bus] | None = None) -> None:
        self._to = host_and_port(address)
        self._socket = _socket(self._to[0])

    def write(self, data: bytes) -> None:
        try:
            self._socket.sendto(data, self._to)
        except OSError:
            self.lost += 1

    def close(self) -> None:
        self._socket.close()


def _socket(host: str) -> socket.socket:
    return socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)


register("udp", Endpoint(UdpSource, UdpSink))
