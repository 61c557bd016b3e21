"""Bytes that come over a connection, which is made anew when it breaks."""

import errno
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from movenv.gateways.part import GatewayFailed

POLL = 0.2
"""How long a read waits before it looks whether to end, s."""
PATIENCE = 5.0
"""How long a connection may take to be made, s."""
FIRST_WAIT, LONGEST_WAIT = 0.25, 5.0
"""Between attempts to connect, s."""
LASTED = 5.0
"""A connection that stood for so long, s, was a good one, though nothing came."""
CHUNK = 16_384
MOST_CONNECTIONS = 64
SILENT_AFTER = 30.0
"""A client that has spoken, and does not for so long, s, goes when another needs its place."""

Handler = Callable[[bytes, str], None]
"""Takes bytes and the sender as `address:port`."""


class Connection(Protocol):
    """Something that is open."""

    sender: str

    def read(self) -> bytes:
        """What is there, b"" if nothing comes for a moment. Raises OSError when it has broken."""

    def close(self) -> None: ...


class StreamReader:
    """Reads a connection in a thread of its own, and opens it again when it breaks."""

    def __init__(
        self,
        connect: Callable[[threading.Event], Connection],
        begin: Callable[[], Handler],
        tell: Callable[[str], None],
    ) -> None:
        """`connect` raises OSError, and gives up when the event is set; `begin` makes the handler
        of each new connection; `tell` is told when the connection comes or goes, in words, and
        until something comes through it each of these words once."""
        self._connect, self._begin, self._tell = connect, begin, tell
        self._told: set[str] = set()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="stream", daemon=True)

    def open(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=1)

    def _work(self) -> None:
        wait = FIRST_WAIT
        while not self._closing.is_set():
            good = False
            try:
                connection = self._connect(self._closing)
            except OSError as error:
                if not self._closing.is_set():
                    self._tell_once(f"cannot be reached: {_in_words(error)}")
            else:
                self._tell_once("is connected")
                good = self._read(connection)
            if good:
                wait = FIRST_WAIT
            self._closing.wait(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    def _tell_once(self, words: str) -> None:
        if words not in self._told:
            self._told.add(words)
            self._tell(words)

    def _read(self, connection: Connection) -> bool:
        """Until it breaks; whether anything came, or it lasted."""
        begun = time.monotonic()
        handler, anything = self._begin(), False
        try:
            while not self._closing.is_set():
                data = connection.read()
                if data:
                    if not anything:
                        anything = True
                        self._told.clear()
                    handler(data, connection.sender)
        except OSError as error:
            self._tell_once(f"is lost: {_in_words(error)}")
        except Exception as error:  # one stream must not be the end of its thread
            self._tell_once(f"is dropped: {type(error).__name__}: {error}")
        finally:
            connection.close()
        return anything or time.monotonic() - begun > LASTED


class TcpConnection:
    """To a server. `greeting` is sent to it first."""

    def __init__(self, host: str, port: int, closing: threading.Event, greeting: bytes = b""):
        self.sender, self._socket = _connected(host, port, closing)
        try:
            _watch(self._socket)
            self._socket.settimeout(POLL)
            self._socket.sendall(greeting)
        except OSError:
            self._socket.close()
            raise

    def read(self) -> bytes:
        try:
            data = self._socket.recv(CHUNK)
        except TimeoutError:
            return b""
        if not data:
            raise ConnectionResetError(errno.ECONNRESET, "the other side has ended it")
        return data

    def close(self) -> None:
        self._socket.close()


@dataclass
class _Client:
    sender: str
    handler: Handler
    silent_since: float
    has_spoken: bool = False


class TcpListener:
    """Lets clients connect to some ports, and reads them all in one thread.

    When all places are taken, a newcomer gets that of a client that has never said anything, or
    nothing for long.
    """

    def __init__(self, ports: list[int], bind: str, begin: Callable[[int], Handler]) -> None:
        """`begin` makes the handler of each new connection to a port."""
        self._ports, self._bind, self._begin = ports, bind, begin
        self._selector = selectors.DefaultSelector()
        self._closing = threading.Event()
        self._clients: dict[socket.socket, _Client] = {}
        self._said_full = False
        self._thread = threading.Thread(target=self._work, name="tcp", daemon=True)

    def open(self) -> None:
        """Raises GatewayFailed."""
        family = socket.AF_INET6 if ":" in self._bind else socket.AF_INET
        for port in self._ports:
            try:
                it = socket.create_server((self._bind, port), family=family)
            except OSError as error:
                self.close()
                why = "is in use: end the program that has it, or choose another port"
                if error.errno != errno.EADDRINUSE:
                    why = f"at {self._bind} cannot be opened: {_in_words(error)}"
                raise GatewayFailed(f"TCP port {port} {why}") from error
            it.setblocking(False)
            self._selector.register(it, selectors.EVENT_READ, port)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=1)
        for key in list(self._selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
        self._selector.close()

    def _work(self) -> None:
        while not self._closing.is_set():
            for key, _ in self._selector.select(POLL):
                if not isinstance(key.fileobj, socket.socket):
                    continue
                if key.data is not None:
                    self._accept(key.fileobj, int(key.data))
                elif key.fileobj in self._clients:  # and not dropped a moment ago
                    self._read(key.fileobj)

    def _accept(self, server: socket.socket, port: int) -> None:
        try:
            client, address = server.accept()
        except OSError:  # it is gone already
            return
        try:
            client.setblocking(False)
            _watch(client)
        except OSError:  # gone in between: macOS then knows no such socket
            client.close()
            return
        if len(self._clients) >= MOST_CONNECTIONS and not self._make_room():
            client.close()
            return
        sender = f"{address[0]}:{address[1]}"
        self._clients[client] = _Client(sender, self._begin(port), time.monotonic())
        self._selector.register(client, selectors.EVENT_READ)

    def _make_room(self) -> bool:
        """Whether there is a place now, that of the longest silent."""
        line, client = min(
            self._clients.items(), key=lambda item: (item[1].has_spoken, item[1].silent_since)
        )
        room = not client.has_spoken or time.monotonic() - client.silent_since > SILENT_AFTER
        if not self._said_full:
            self._said_full = True
            print(
                f"all {MOST_CONNECTIONS} TCP connections are taken: newcomers get the place of "
                "those that are silent, while there are any",
                flush=True,
            )
        if room:
            self._drop(line)
        return room

    def _read(self, client: socket.socket) -> None:
        who = self._clients[client]
        try:
            data = client.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        try:
            if data:
                who.has_spoken, who.silent_since = True, time.monotonic()
                who.handler(data, who.sender)
                return
        except Exception as error:  # one client must not be the end of all others
            print(f"a stream could not be taken: {type(error).__name__}: {error}", flush=True)
        self._drop(client)

    def _drop(self, client: socket.socket) -> None:
        del self._clients[client]
        self._selector.unregister(client)
        client.close()


def _connected(host: str, port: int, closing: threading.Event) -> tuple[str, socket.socket]:
    error = OSError(errno.EHOSTUNREACH, "no address")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as wrong:
        raise OSError(errno.EINVAL, f"'{host}' is no name of a host") from wrong
    for family, kind, protocol, _, address in found:
        it = socket.socket(family, kind, protocol)
        it.setblocking(False)
        try:
            code = _awaited(it, it.connect_ex(address), closing)
            # A port that nobody listens to may be lent to this very socket, which then has itself.
            if code == 0 and it.getsockname() == it.getpeername():
                code = errno.ECONNREFUSED
            if code == 0:
                return f"{it.getpeername()[0]}:{port}", it
            error = OSError(code, os.strerror(code))
        except OSError as gone:
            error = gone
        it.close()
    raise error


def _awaited(it: socket.socket, code: int, closing: threading.Event) -> int:
    """Polls, since closing must not wait for a network that swallows packets."""
    until = time.monotonic() + PATIENCE
    with selectors.DefaultSelector() as selector:
        selector.register(it, selectors.EVENT_WRITE)
        while code == errno.EINPROGRESS and not closing.is_set():
            if selector.select(POLL):
                code = it.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            elif time.monotonic() > until:
                code = errno.ETIMEDOUT
    return code


def _watch(it: socket.socket) -> None:
    """Let the system notice within half a minute that the other side has vanished."""
    it.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            it.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _in_words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
