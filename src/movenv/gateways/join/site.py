"""The pages and the socket that phones reach, for starlette."""

import asyncio
import contextlib
import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from movenv.gateways.config import Entry
from movenv.gateways.fix import Unreadable
from movenv.gateways.join import codec
from movenv.gateways.join.phone import Line, Phone
from movenv.gateways.join.polling import Admit, Polling, body_of

PAGE = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; connect-src 'self' wss:; object-src 'none'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "geolocation=(self), screen-wake-lock=(self), camera=(), microphone=()",
}
CLOSE = {"Connection": "close"}
"""With an answer to somebody who has not said all: the rest is not waited for."""
HELLO_WITHIN = 5.0
"""Who opens a socket and says nothing for so long, s, is cut off."""
VIEW_EVERY = 0.1
"""A page is told at most ten times a second."""
MOST_BEHIND = 20
"""Views that may be on their way to a page. It says once a second how many it got; networks keep
for minutes what they cannot deliver, and an old view is worse than none."""
REFUSED = 4403
"""The code with which a socket closes that must not be opened again."""


class Site:
    """Serves the page, and talks with it once `admit` lets it in."""

    def __init__(
        self,
        about: Callable[[str], Entry | None],
        hello: Callable[[Entry], dict[str, object]],
        admit: Admit,
    ) -> None:
        """`about` gives the vehicle of a token whose link is good, `hello` its greeting."""
        self._about, self._hello, self._admit = about, hello, admit
        self._polling = Polling(admit, hello)
        self._files = {p.name: (TYPES[p.suffix], p.read_bytes()) for p in PAGE.iterdir()}
        self.app = Starlette(
            routes=[
                Route("/j/{token}", self._page),
                Route("/j/{token}/talk", self._poll, methods=["POST"]),
                Route("/page/{name}", self._file),
                WebSocketRoute("/j/{token}/ws", self._socket),
            ]
        )

    async def _page(self, request: Request) -> Response:
        entry = self._about(request.path_params["token"])
        _, page = self._files["index.html"]
        says = {
            "vehicle": entry.name if entry else "",
            "kind": str(entry.kind) if entry else "",
            "scenario": str(self._hello(entry)["scenario"]) if entry else "",
            "refused": "" if entry else "unknown link",
        }
        text = page.decode().replace(
            "data-says", " ".join(f'data-{k}="{html.escape(v)}"' for k, v in says.items())
        )
        return Response(text, 200 if entry else 404, HEADERS, "text/html")

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._files or name == "index.html":
            return PlainTextResponse("There is nothing here.", 404, HEADERS)
        media_type, data = self._files[name]
        return Response(data, 200, HEADERS, media_type)

    async def _poll(self, request: Request) -> Response:
        token, sender = request.path_params["token"], _sender(request)
        if self._about(token) is None and not self._polling.talks(token):
            why = self._admit(token, "", sender, lambda why: None)
            said = codec.reply("refused", why=why)
            return Response(f"[{said}]", 200, HEADERS | CLOSE, "application/json")
        try:
            data = await body_of(request)
        except TimeoutError:
            return PlainTextResponse("Too slow.", 408, HEADERS | CLOSE)
        if data is None:
            return PlainTextResponse("Too large.", 413, HEADERS | CLOSE)
        answers = self._polling.answer(token, sender, data)
        if answers is None:
            return PlainTextResponse("This is not what the page says.", 400, HEADERS)
        return Response("[" + ",".join(answers) + "]", 200, HEADERS, "application/json")

    async def _socket(self, socket: WebSocket) -> None:
        await socket.accept()
        with contextlib.suppress(WebSocketDisconnect):  # the phone is gone, which ends it all
            await self._talk(socket)

    async def _talk(self, socket: WebSocket) -> None:
        end: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def hang_up(why: str) -> None:
            if not end.done():
                end.set_result(why)

        admitted = self._admit(
            socket.path_params["token"], await _key(socket), _sender(socket), hang_up
        )
        if isinstance(admitted, str):
            await _refuse(socket, admitted)
            return
        phone, line = admitted
        talk: list[asyncio.Future[Any]] = [end]
        try:
            await socket.send_text(codec.reply("hello", **self._hello(phone.entry)))
            talk += map(
                asyncio.ensure_future, (_hear(socket, phone, line), _feed(socket, phone, line))
            )
            await asyncio.wait(talk, return_when=asyncio.FIRST_COMPLETED)
            if end.done():
                await _refuse(socket, end.result())
        finally:
            phone.disconnect(line)
            for part in talk:
                part.cancel()
            results = await asyncio.gather(*talk, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result


def _sender(to: HTTPConnection) -> str:
    return f"{to.client.host}:{to.client.port}" if to.client else "nowhere:0"


async def _message(socket: WebSocket) -> bytes:
    said = await socket.receive()
    if said["type"] != "websocket.receive":
        raise WebSocketDisconnect(said.get("code", 1006))
    text = said.get("text")
    return text.encode() if text is not None else said.get("bytes") or b""


async def _key(socket: WebSocket) -> str:
    """The secret with which a page says hello; '' for whoever says something else."""
    try:
        async with asyncio.timeout(HELLO_WITHIN):
            said = codec.message(await _message(socket))
    except (TimeoutError, Unreadable):
        return ""
    return said.key if isinstance(said, codec.Hello) else ""


async def _refuse(socket: WebSocket, why: str) -> None:
    """Say why and hang up. The empty reason is a restart: the page is to come back."""
    if why:
        await socket.send_text(codec.reply("refused", why=why))
    await socket.close(REFUSED if why else 1012, why)


async def _hear(socket: WebSocket, phone: Phone, line: Line) -> None:
    while True:
        for answer in phone.hear(await _message(socket), line):
            await socket.send_text(answer)


async def _feed(socket: WebSocket, phone: Phone, line: Line) -> None:
    """The newest view whenever there is one; a slow phone misses those in between."""
    clock = asyncio.get_running_loop().time
    due = clock()
    while True:
        await phone.news.wait()
        await asyncio.sleep(due - clock())
        while line.behind >= MOST_BEHIND:
            await asyncio.sleep(VIEW_EVERY / 2)
        view = phone.newest(line)
        if view is not None:
            line.told += 1
            await socket.send_text(view)
        # Ticks that come a little late do not make the next ones late.
        due = max(due + VIEW_EVERY, clock())
