"""Listens for phones that post over HTTP."""

import asyncio
import errno
import socket
import threading
import time
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from pydantic import Field

from movenv.gateways.config import Entry, LiveConfig, Port
from movenv.gateways.fix import Fix
from movenv.gateways.inlet import Inlet
from movenv.gateways.part import Gateway, GatewayFailed, Reader, Surroundings
from movenv.gateways.phone_http.codec import decode
from movenv.gateways.phone_http.post import Post

if TYPE_CHECKING:
    import uvicorn
    from starlette.requests import Request
    from starlette.responses import Response

LARGEST_BODY = 1024 * 1024
PATIENCE = 10.0
"""For a body to arrive, s."""
CLOSE = {"Connection": "close"}
"""With an answer to somebody who has not said all: the rest is not waited for."""
CONNECTIONS = 4000
"""At once; more are turned away."""
UNDERSTOOD = ("no fix", "no location")
"""An app that is told that these are wrong sends them again and again."""


class PhoneHttpConfig(LiveConfig):
    """A phone with an app that posts over HTTP."""

    port: Port = Field(47080, description="the TCP port it posts to")


class PhoneHttpGateway(Gateway):
    """Any number of phones; the server has a thread and an event loop of its own."""

    Config = PhoneHttpConfig
    name = "phone_http"

    def __init__(self, entries: list[Entry], inlet: Inlet, around: Surroundings) -> None:
        super().__init__(entries, inlet, around)
        self._server: uvicorn.Server | None = None
        self._thread = threading.Thread(target=self._serve, name="phone_http", daemon=True)
        self._sockets: list[socket.socket] = []

    @classmethod
    def reader(cls) -> Reader:
        return lambda data, _at: decode(data)

    def open(self) -> None:
        try:
            import uvicorn
            from starlette.applications import Starlette
            from starlette.routing import Route

            from movenv.gateways.http import PromptProtocol
        except ImportError as error:
            raise GatewayFailed("phone_http needs: pip install 'movenv[phones]'") from error
        self._listen()
        app = Starlette(
            routes=[Route("/{path:path}", self._answer, methods=["GET", "POST", "PUT"])]
        )
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                http=PromptProtocol,
                lifespan="off",
                ws="none",
                access_log=False,
                log_config=None,
                log_level="critical",
                proxy_headers=False,  # or a header could lie about the address
                limit_concurrency=CONNECTIONS,
                timeout_graceful_shutdown=0,
            )
        )
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.005)
        if not self._server.started:
            raise GatewayFailed("phone_http could not start its server")

    def close(self) -> None:
        if self._server is not None:
            self._server.should_exit = True
            self._thread.join(timeout=1)

    def invitations(self) -> list[str]:
        lines = []
        for entry in self.entries:
            url = f"http://{self.around.shown}:{_port(entry)}/"
            if entry.config.token is not None:
                url += f"t/{quote(entry.config.token, safe='')}"
            apps = "OwnTracks, Traccar Client, GPSLogger, Sensor Logger or SensorLog"
            lines.append(f"{entry.name}: {apps}, HTTP to {url} as device '{entry.device}'")
        return lines

    def _listen(self) -> None:
        for port in sorted({_port(entry) for entry in self.entries}):
            family = socket.AF_INET6 if ":" in self.around.bind else socket.AF_INET
            it = socket.socket(family, socket.SOCK_STREAM)
            self._sockets.append(it)
            try:
                it.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                it.bind((self.around.bind, port))
                it.listen(2048)
            except OSError as error:
                for opened in self._sockets:
                    opened.close()
                why = f"at {self.around.bind} cannot be opened: {error.strerror or error}"
                if error.errno == errno.EADDRINUSE:
                    why = "is in use: end the program that has it, or choose another port"
                raise GatewayFailed(f"TCP port {port} {why}") from error

    def _serve(self) -> None:
        assert self._server is not None
        self._server.run(sockets=self._sockets)

    async def _answer(self, request: "Request") -> "Response":
        from starlette.responses import JSONResponse, Response

        try:
            async with asyncio.timeout(PATIENCE):
                body = await _body(request)
        except TimeoutError:
            return JSONResponse({"reason": "too slow"}, 408, CLOSE)
        if body is None:
            return JSONResponse({"reason": "too large"}, 413, CLOSE)
        status, reason = self._take(_post(request, body), _sender(request))
        if status != 200:
            return JSONResponse({"reason": reason}, status)
        return Response("[]", media_type="application/json")  # OwnTracks wants an array

    def _take(self, post: Post, sender: str) -> tuple[int, str]:
        """The status to answer with, and why."""
        readable = False

        def read(data: bytes) -> list[Fix]:
            nonlocal readable
            fixes = decode(data)
            readable = True
            return fixes

        reason = self.receive(post.as_bytes(), sender, read)
        if not reason or reason in UNDERSTOOD:
            return 200, reason
        return 403 if readable else 400, reason


def _port(entry: Entry) -> int:
    return cast(PhoneHttpConfig, entry.config).port


async def _body(request: "Request") -> bytes | None:
    """None if it is too large."""
    pieces = bytearray()
    async for piece in request.stream():
        pieces += piece
        if len(pieces) > LARGEST_BODY:
            return None
    return bytes(pieces)


def _post(request: "Request", body: bytes) -> Post:
    return Post(
        request.scope["path"],
        request.scope["query_string"].decode("latin-1"),
        body,
        request.headers.get("content-type", ""),
        request.headers.get("authorization", ""),
        request.headers.get("x-limit-u", ""),
        request.headers.get("x-limit-d", ""),
    )


def _sender(request: "Request") -> str:
    return f"{request.client.host}:{request.client.port}" if request.client else ""
