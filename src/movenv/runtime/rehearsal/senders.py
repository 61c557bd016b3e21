"""The ways a rehearsed phone sends: each over a real socket, as the real one would."""

import contextlib
import http.client
import queue
import socket
import threading
from collections import Counter
from collections.abc import Callable

from movenv.gateways.fix import Fix
from movenv.gateways.phone_http.post import Post
from movenv.runtime.errors import RunFailed

PATIENCE = 3.0
"""How long to wait for whoever should listen, s."""
WAITING = 100
"""Fixes that wait for a link that is not there; older ones are given up, as a phone does."""


class UdpSender:
    """One datagram a fix."""

    def __init__(self, host: str, port: int, encode: Callable[[Fix], bytes]) -> None:
        self.trouble: Counter[str] = Counter()
        self._to = host, port
        self._encode = encode
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send(self, fix: Fix) -> None:
        try:
            self._socket.sendto(self._encode(fix), self._to)
        except ConnectionRefusedError:
            return  # nobody listens yet, and a phone does not mind
        except OSError as error:
            host, port = self._to
            raise RunFailed(f"cannot send to {host}:{port}: {error.strerror or error}") from None

    def close(self) -> None:
        self._socket.close()


class _Waiting:
    """Sends in a thread of its own, since a link may have to be waited for."""

    def __init__(self) -> None:
        self.trouble: Counter[str] = Counter()
        self._fixes: queue.Queue[Fix | None] = queue.Queue(WAITING)
        self._thread = threading.Thread(target=self._work, name="phone", daemon=True)
        self._thread.start()

    def send(self, fix: Fix) -> None:
        try:
            self._fixes.put_nowait(fix)
        except queue.Full:
            with contextlib.suppress(queue.Empty, queue.Full):  # the worker was quicker
                self._fixes.get_nowait()
                self._fixes.put_nowait(fix)

    def close(self) -> None:
        self._fixes.put(None)
        self._thread.join(timeout=PATIENCE)

    def _work(self) -> None:
        while (fix := self._fixes.get()) is not None:
            try:
                self._deliver(fix)
            except (OSError, http.client.HTTPException) as error:
                self.trouble[str(error) or type(error).__name__] += 1
                self._hang_up()
        self._hang_up()

    def _deliver(self, fix: Fix) -> None:
        raise NotImplementedError

    def _hang_up(self) -> None:
        raise NotImplementedError


class HttpSender(_Waiting):
    """One request a fix, over a connection that is kept."""

    def __init__(self, host: str, port: int, encode: Callable[[Fix], Post]) -> None:
        self._encode = encode
        self._link = http.client.HTTPConnection(host, port, timeout=PATIENCE)
        super().__init__()

    def _deliver(self, fix: Fix) -> None:
        post = self._encode(fix)
        target = f"{post.path}?{post.query}" if post.query else post.path
        method = "POST" if post.body else "GET"
        self._link.request(method, target, post.body or None, post.headers())
        answer = self._link.getresponse()
        said = answer.read(200).decode(errors="replace")
        if answer.status >= 400:
            self.trouble[f"{answer.status} {said}"] += 1

    def _hang_up(self) -> None:
        self._link.close()


class TcpSender(_Waiting):
    """A stream to somebody who listens."""

    def __init__(self, host: str, port: int, encode: Callable[[Fix], bytes]) -> None:
        self._to = host, port
        self._encode = encode
        self._socket: socket.socket | None = None
        super().__init__()

    def _deliver(self, fix: Fix) -> None:
        if self._socket is None:
            self._socket = socket.create_connection(self._to, timeout=PATIENCE)
        self._socket.sendall(self._encode(fix))

    def _hang_up(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None


class ServerSender:
    """A receiver that others connect to, such as gpsd: each who has is told every fix."""

    def __init__(self, host: str, port: int, encode: Callable[[Fix], bytes]) -> None:
        """Raises RunFailed when it cannot listen there."""
        self.trouble: Counter[str] = Counter()
        self._encode = encode
        self._clients: list[socket.socket] = []
        try:
            self._server = socket.create_server((host, port))
        except OSError as error:
            said = f"cannot be a receiver at {host}:{port}: {error.strerror or error}"
            raise RunFailed(said) from None
        threading.Thread(target=self._accept, name="receiver", daemon=True).start()

    def send(self, fix: Fix) -> None:
        if not self._clients:
            self.trouble["nobody has connected"] += 1
        data = self._encode(fix)
        for client in list(self._clients):
            try:
                client.sendall(data)
            except OSError:
                self._clients.remove(client)
                client.close()

    def close(self) -> None:
        self._server.close()
        for client in self._clients:
            client.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:  # it was closed
                return
            client.settimeout(PATIENCE)
            self._clients.append(client)
