"""An HTTPS server in a daemon thread, with a loop that others may ask questions in."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from starlette.applications import Starlette

from movenv.gateways import http
from movenv.gateways.join import codec
from movenv.gateways.part import GatewayFailed

OPENS_WITHIN = 10.0
TOLD_WITHIN = 2.0
"""For the last words, s: a page that polls must ask before it can be told."""
ENDS_WITHIN = 0.4
"""For closing, s."""
LOST_AFTER = 10.0
"""A phone that answers no sign of life for so long, s, has left."""
CONNECTIONS = 1000

Answer = TypeVar("Answer")


def listeners(bind: str, ports: Iterable[int]) -> list[socket.socket]:
    """Sockets that listen. Raises GatewayFailed for a port that is taken."""
    opened: list[socket.socket] = []
    for port in sorted(set(ports)):
        family = socket.AF_INET6 if ":" in bind else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        opened.append(listener)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((bind, port))
            listener.listen()
        except OSError as reason:
            for one in opened:
                one.close()
            raise GatewayFailed(
                f"TCP port {port} is in use or not allowed: {reason.strerror}; "
                "end what listens there, or give the join page another `port`"
            ) from reason
    return opened


class PromptLoop(asyncio.SelectorEventLoop):
    """Waits for the handshake of TLS no longer than for the head of a request, and for the
    farewell of a phone that may be gone no longer than for last words."""

    async def create_server(self, *args: Any, **options: Any) -> asyncio.Server:
        return await super().create_server(
            *args,
            **options,
            ssl_handshake_timeout=http.PATIENCE,
            ssl_shutdown_timeout=TOLD_WITHIN,
        )


class HttpsServer:
    """Serves an application until it is closed."""

    def __init__(self, app: Starlette, cert: Path, key: Path, on: list[socket.socket]) -> None:
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                ssl_certfile=cert,
                ssl_keyfile=key,
                ws="websockets-sansio",
                ws_max_size=codec.LARGEST,
                ws_ping_interval=LOST_AFTER / 2,
                ws_ping_timeout=LOST_AFTER / 2,
                http=http.PromptProtocol,
                lifespan="off",
                log_config=None,
                access_log=False,  # it would be a list of secrets
                log_level="error",
                server_header=False,
                proxy_headers=False,
                limit_concurrency=CONNECTIONS,
            )
        )
        self._listeners = on
        self._loop = PromptLoop()
        self._end = asyncio.Event()
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._work, name="join", daemon=True)

    def open(self) -> None:
        """Begin. Raises GatewayFailed."""
        self._thread.start()
        if not self._begun.wait(OPENS_WITHIN):
            raise GatewayFailed("the server of the join page did not start")

    def close(self, farewell: Callable[[], None], left: Callable[[], bool]) -> None:
        """End: `farewell` is called in the loop, and those who go get a moment until all `left`."""

        async def end() -> None:
            farewell()
            until = self._loop.time() + TOLD_WITHIN
            while not left() and self._loop.time() < until:
                await asyncio.sleep(0.02)
            await asyncio.sleep(0.05)  # what was said last is on its way by then
            self._end.set()

        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(end(), self._loop)
            self._thread.join(timeout=5)

    def soon(self, call: Callable[[], None]) -> None:
        """Have something done in the loop, without waiting for it."""
        with contextlib.suppress(RuntimeError):  # closed a moment ago
            self._loop.call_soon_threadsafe(call)

    def ask(self, question: Callable[[], Answer]) -> Answer:
        """The answer, worked out in the loop."""

        async def answer() -> Answer:
            return question()

        return asyncio.run_coroutine_threadsafe(answer(), self._loop).result(timeout=5)

    def _work(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        serving = asyncio.ensure_future(self._server.serve(sockets=self._listeners))
        ending = asyncio.ensure_future(self._end.wait())
        while not self._server.started and not serving.done():
            await asyncio.sleep(0.005)
        self._begun.set()
        await asyncio.wait([serving, ending], return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        self._cut_off()
        self._server.should_exit = self._server.force_exit = True
        await asyncio.wait([serving], timeout=ENDS_WITHIN)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        self._cut_off()  # who came while it ended, and is still being said goodbye to
        await asyncio.sleep(0)

    def _cut_off(self) -> None:
        """A polite end would wait for phones that are gone."""
        for connection in list(self._server.server_state.connections):
            if connection.transport is not None:
                connection.transport.abort()
