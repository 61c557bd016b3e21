"""Receives datagrams on any number of ports, in one thread."""

import errno
import selectors
import socket
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence

from movenv.gateways.config import Entry, PortConfig
from movenv.gateways.part import LARGEST_PACKET, GatewayFailed

Handler = Callable[[bytes, str, int], object]
"""Takes a datagram, its sender as `ip:port`, and the port that it came to."""

KERNEL_BUFFER = 4 * 1024 * 1024
"""What the system is asked to hold for a port while the thread is busy, bytes."""
MOST = 65_535
AT_ONCE = 256
"""Datagrams taken from one port before the others have their turn."""


class UdpListener:
    """Calls `handler` in a thread of its own for every datagram to `ports` at the address `bind`.

    Port 0 stands for any that is free; `ports` tells which once it is open.
    """

    def __init__(self, ports: Sequence[int], bind: str, handler: Handler) -> None:
        self.ports = list(ports)
        self.failures: dict[str, int] = {}
        """How often the handler raised something, by what; a thread does not end over it."""
        self._bind, self._handler = bind, handler
        self._sockets: dict[int, socket.socket] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="udp", daemon=True)

    def open(self) -> None:
        """Begin to listen. Raises GatewayFailed, and then listens to no port."""
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ, 0)
        try:
            for port in self.ports:
                self._listen(port)
        except GatewayFailed:
            self.close()
            raise
        self.ports = list(self._sockets)
        self._thread.start()

    def close(self) -> None:
        """Stop listening, if it does."""
        if self._closing.is_set() or not hasattr(self, "_wake"):
            return
        self._closing.set()
        self._wake.send(b"x")
        if self._thread.ident is not None:
            self._thread.join(timeout=1)
        for it in (*self._sockets.values(), self._wake, self._woken):
            it.close()
        self._selector.close()

    def send(self, data: bytes, address: str, port: int) -> bool:
        """Send to `ip:port` from `port`, one of the own; False if it could not leave at once."""
        host, _, there = address.rpartition(":")
        try:
            self._sockets[port].sendto(data, (host, int(there)))
        except OSError:  # no route, no room or already closed: datagrams get lost, here too
            return False
        return True

    def _listen(self, port: int) -> None:
        try:
            # The family, so that both 0.0.0.0 and :: work.
            family = socket.AF_INET6 if ":" in self._bind else socket.AF_INET
            it = socket.socket(family, socket.SOCK_DGRAM)
        except OSError as error:
            raise GatewayFailed(_in_words(port, self._bind, error)) from error
        try:
            it.setblocking(False)
            it.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, KERNEL_BUFFER)
            it.bind((self._bind, port))
        except OSError as error:
            it.close()
            raise GatewayFailed(_in_words(port, self._bind, error)) from error
        port = it.getsockname()[1]
        self._sockets[port] = it
        self._selector.register(it, selectors.EVENT_READ, port)

    def _work(self) -> None:
        while not self._closing.is_set():
            for key, _ in self._selector.select():
                if key.data:
                    self._drain(self._sockets[key.data], key.data)

    def _drain(self, it: socket.socket, port: int) -> None:
        for _ in range(AT_ONCE):
            try:
                data, address = it.recvfrom(LARGEST_PACKET)
            except OSError:  # nothing more waits, or somebody we sent to is gone
                return
            try:
                self._handler(data, f"{address[0]}:{address[1]}", port)
            except Exception as error:  # one datagram must not be the end of all others
                self._failed(error)

    def _failed(self, error: Exception) -> None:
        what = f"{type(error).__name__}: {error}"
        if what not in self.failures and len(self.failures) < 100:
            self.failures[what] = 0
            print(f"a datagram could not be taken: {what}", file=sys.stderr, flush=True)
        if what in self.failures:
            self.failures[what] += 1


def own_ports(entries: Sequence[Entry], over: str = "UDP") -> dict[int, int]:
    """Whose a port is: the vid of each vehicle with a port of its own. Raises GatewayFailed."""
    ports = Counter(_port(entry) for entry in entries)
    for port, vehicles in ports.items():
        own = any(_port(e) == port and _config(e).own_port for e in entries)
        if port > MOST:
            raise GatewayFailed(f"there is no {over} port {port}: choose a lower `port`")
        if own and vehicles > 1:
            raise GatewayFailed(f"{over} port {port} is one vehicle's own, and another's too")
    return {_port(entry): entry.vid for entry in entries if _config(entry).own_port}


def _config(entry: Entry) -> PortConfig:
    assert isinstance(entry.config, PortConfig)
    return entry.config


def _port(entry: Entry) -> int:
    return _config(entry).port_of(entry.vid)


def _in_words(port: int, bind: str, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"UDP port {port} is in use: end the program that has it, or choose another port"
    if error.errno in (errno.EADDRNOTAVAIL, errno.ENODEV):
        return f"this machine has no address {bind} to listen at"
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return f"UDP port {port} cannot be opened: too many files are open; raise `ulimit -n`"
    return f"UDP port {port} at {bind} cannot be opened: {error.strerror or error}"
