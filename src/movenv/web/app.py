"""The server's application: the page, the feed, and what an operator may do."""

import asyncio
import contextlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import APIRouter, Depends, FastAPI, HTTPException, Query, Request, Response
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.websockets import WebSocket, WebSocketDisconnect

from movenv import __version__
from movenv.gateways.join.qr import qr_svg
from movenv.web.access import Access, Role
from movenv.web.body_limit import BodyLimit
from movenv.web.digest import Digest
from movenv.web.drive_links import DriveLinks
from movenv.web.driving import Driving
from movenv.web.feed import Feed, FeedRefused, Operations, Source
from movenv.web.hearing import said
from movenv.web.layers import Layers
from movenv.web.messages import (
    Distances,
    JoinLink,
    LinkWish,
    Marked,
    MarkWish,
    Ordered,
    OrderWish,
    Refused,
    StandingOrder,
    StateDone,
    StateWish,
    TicketWish,
    Token,
)
from movenv.web.page import FOREVER, INDEX, SHARED, PageFile
from movenv.web.viewer import Viewer
from movenv.world.run_state import RunState

TOKEN_WITHIN = 10.0
"""A browser says who it is within this time, s."""
VIEWERS, KEPT_FOR_OPERATORS = 100, 10
"""How many may watch, and how many of these places observers cannot take."""
TICKET_BYTES = 24
STRANGER, FULL = 4401, 4429
"""Why a feed was closed."""
SECURITY = {
    "Content-Security-Policy": "default-src 'self'; img-src * data: blob:; connect-src *; "
    "style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; font-src *; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""Tiles may come from anywhere the user says; code only from here."""
REFUSED: dict[int | str, dict[str, Any]] = {
    401: {"model": Refused, "description": "No token, or not one of this console's."},
    403: {"model": Refused, "description": "An observer may look, not act."},
    409: {"model": Refused, "description": "It cannot be done now; `detail` says why."},
}
Answer = TypeVar("Answer")


class Console:
    """One run on offer: the application and what it stands on."""

    def __init__(
        self,
        feed: Feed,
        operations: Operations | None,
        access: Access,
        layers: Layers,
        hello: dict[str, Any],
        page: dict[str, PageFile],
        base: str = "",
        state: Path | None = None,
    ) -> None:
        """`operations` is None where there is nothing to operate: in a replay. `base` is the
        address that drivers are told, `state` a folder in which their links are kept.
        Raises WrongInput."""
        self._feed, self._operations, self._access = feed, operations, access
        self._layers, self._hello, self._page = layers, hello, page
        roster = feed.record.roster.roster()
        self._vids = roster.vids
        links = DriveLinks(access.operator, state)
        self._driving = Driving(operations, links, roster, hello["cameras"], hello["gears"], base)
        self._digest = Digest()
        self._ticket = secrets.token_urlsafe(TICKET_BYTES)
        self._viewers = 0
        self._one_at_a_time = asyncio.Lock()
        self.app = FastAPI(
            title="MoVE console",
            version=__version__,
            docs_url=None,  # it would fetch its code from elsewhere
            redoc_url=None,
            openapi_url="/api/openapi.json",
        )
        self.app.include_router(self._entering())
        self.app.include_router(self._looking())
        self.app.include_router(self._operating())
        self.app.include_router(
            self._driving.routes(Depends(self._operator), REFUSED | {404: {"model": Refused}})
        )
        self.app.add_api_websocket_route("/api/feed", self._watch)
        self.app.add_api_websocket_route("/api/drive", self._drive)
        self.app.add_api_route("/{name:path}", self._file, include_in_schema=False)
        self.app.add_middleware(BodyLimit)
        self.app.middleware("http")(_secured)
        self.app.exception_handler(RequestValidationError)(_misunderstood)

    # --- who asks

    def _role(
        self,
        shown: Annotated[
            HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))
        ],
    ) -> Role:
        role = self._role_of(shown.credentials) if shown else None
        if role is None:
            said = {"WWW-Authenticate": "Bearer"}
            raise HTTPException(401, "a token of this console is needed", headers=said)
        return role

    def _role_of(self, token: str) -> Role | None:
        """What somebody with this token may do; who drives may also look."""
        drives = self._driving.links.vid(token) is not None
        return Role.OBSERVER if drives else self._access.role(token)

    def _operator(
        self,
        shown: Annotated[
            HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))
        ],
    ) -> None:
        if self._role(shown) is not Role.OPERATOR:
            raise HTTPException(403, "an observer may look; this needs the operator's link")

    @property
    def ticket(self) -> str:
        """Good once for the operator's token: for an address that others may see."""
        return self._ticket

    def _entering(self) -> APIRouter:
        router = APIRouter(prefix="/api", responses={401: REFUSED[401]})

        @router.post("/tickets")
        def redeem(wish: TicketWish) -> Token:
            """Change a ticket, which is good once, for a token."""
            known = self._ticket and hmac.compare_digest(
                wish.ticket.encode(), self._ticket.encode()
            )
            if not known:
                raise HTTPException(401, "this ticket was used, or never was one")
            self._ticket = ""
            return Token(token=self._access.operator)

        return router

    # --- looking

    def _looking(self) -> APIRouter:
        router = APIRouter(prefix="/api", dependencies=[Depends(self._role)])
        answers: dict[int | str, dict[str, Any]] = {key: REFUSED[key] for key in (401, 409)}

        @router.get("/run", responses=answers)
        def run() -> dict[str, Any]:
            """What does not change: the scenario, who takes part, areas, map layers."""
            return self._hello

        @router.get("/status", responses=answers)
        async def status() -> dict[str, Any]:
            """Where the run stands now; in a replay, at its beginning."""
            return await self._asked(self._status)

        @router.get("/orders", responses=answers)
        async def orders() -> list[StandingOrder]:
            """Orders that hold now, oldest first; in a replay, at its beginning."""
            status = await self._asked(self._status)
            return [StandingOrder.model_validate(entry) for entry in status.get("orders", [])]

        @router.get("/distances", responses=answers | {404: {"model": Refused}})
        async def distances(
            vid: Annotated[int, Query(ge=0)],
            other: Annotated[int, Query(ge=0)],
            t: Annotated[float | None, Query(ge=0, description="in a replay: until when")] = None,
        ) -> Distances:
            """How far two vehicles were apart during the last minute."""
            rows = [self._row(one) for one in (vid, other)]
            return await self._asked(lambda source: self._distances(source, t, *rows))

        @router.get(
            "/layers/{name}",
            responses=answers | {404: {"model": Refused}},
            response_class=FileResponse,
        )
        def layer(name: Annotated[str, InPath(max_length=80)]) -> FileResponse:
            """The file of a map layer, whole or in ranges."""
            if name not in self._layers.files:
                raise HTTPException(404, "no map layer of this name has a file")
            return FileResponse(self._layers.files[name], headers={"Cache-Control": "no-cache"})

        return router

    async def _asked(self, question: Callable[[Source], Awaitable[Answer]]) -> Answer:
        """Look for one moment, as a viewer would."""
        source = self._feed.open()
        try:
            return await question(source)
        except FeedRefused as error:
            raise HTTPException(409, str(error)) from None
        finally:
            source.close()

    async def _status(self, source: Source) -> dict[str, Any]:
        return source.news().status or {}

    async def _distances(self, source: Source, t: float | None, row: int, other: int) -> Distances:
        if t is not None and self._feed.replay:
            source.control({"t": t})
        async with self._one_at_a_time:  # it may read much of a recording
            history = await source.history()
        apart = history.distances(row, other).tolist()
        known = [None if distance != distance else distance for distance in apart]
        return Distances(t=history.t.tolist(), distance=known)

    def _row(self, vid: int) -> int:
        rows = (self._vids == vid).nonzero()[0]
        if not len(rows):
            raise HTTPException(404, f"nobody has vid {vid}")
        return int(rows[0])

    # --- operating

    def _operating(self) -> APIRouter:
        router = APIRouter(prefix="/api", dependencies=[Depends(self._operator)], responses=REFUSED)

        @router.post("/state")
        def state(wish: StateWish) -> StateDone:
            """Change the run state."""
            answer = self._do(lambda run: run.command(RunState[wish.state], wish.signed))
            return StateDone.model_validate(answer)

        @router.post("/marks", status_code=201)
        def mark(wish: MarkWish) -> Marked:
            """Write a mark into the recording, at the present time."""
            return Marked.model_validate(self._do(lambda run: run.mark(wish.text, wish.signed)))

        @router.post("/orders", status_code=201)
        def order(wish: OrderWish) -> Ordered:
            """Have vehicles go somewhere, keep a formation, hold, or do as before."""
            said = wish.model_dump(exclude={"who"}, exclude_none=True)
            return Ordered.model_validate(self._do(lambda run: run.order(said, wish.signed)))

        @router.get("/links")
        def links() -> list[JoinLink]:
            """The links by which phones join, each with its QR code."""
            found = self._do(lambda run: run.links())
            return [
                JoinLink(**link, svg=qr_svg(link["url"]) if link["url"] else "") for link in found
            ]

        @router.post("/links/{vehicle}", status_code=204)
        def link(vehicle: Annotated[str, InPath(max_length=80)], wish: LinkWish) -> None:
            """Make a join link anew, or worthless."""
            self._do(lambda run: run.change_link(vehicle, wish.action))

        return router

    def _do(self, deed: Callable[[Operations], Answer]) -> Answer:
        if self._operations is None:
            raise HTTPException(409, "this is a replay; there is nothing to operate")
        try:
            return deed(self._operations)
        except FeedRefused as error:
            raise HTTPException(409, str(error)) from None

    # --- the feed and the page

    async def _watch(self, socket: WebSocket) -> None:
        await socket.accept()
        with contextlib.suppress(WebSocketDisconnect):  # browsers come and go
            token = await self._introduced(socket)
            role = self._role_of(token)
            if role is None:
                await socket.close(STRANGER, "a token of this console is needed")
            elif self._viewers >= VIEWERS - (role is Role.OBSERVER) * KEPT_FOR_OPERATORS:
                await socket.close(FULL, f"{self._viewers} watch already")
            else:
                await self._show(socket, role)

    async def _show(self, socket: WebSocket, role: Role) -> None:
        source = self._feed.open()
        self._viewers += 1
        try:
            hello = {"hello": self._hello | {"role": role}}
            await socket.send_text(msgspec.json.encode(hello).decode())
            await Viewer(socket, source, self._vids, self._digest).run()
        finally:
            self._viewers -= 1
            source.close()

    async def _introduced(self, socket: WebSocket) -> str:
        """The token that a browser shows; '' for none."""
        try:
            greeting = await asyncio.wait_for(said(socket), TOKEN_WITHIN)
            return msgspec.json.decode(greeting, type=dict[str, str])["token"]
        except (TimeoutError, msgspec.MsgspecError, KeyError):
            return ""

    async def _drive(self, socket: WebSocket) -> None:
        await socket.accept()
        with contextlib.suppress(WebSocketDisconnect):
            token = await self._introduced(socket)
            vid = self._driving.links.vid(token)
            if vid is None:
                await socket.close(STRANGER, "this link no longer opens a vehicle")
            else:
                await self._driving.drive(socket, token, vid)

    async def _file(self, name: str, request: Request) -> Response:
        file = self._page.get(name or INDEX)
        if file is None:
            raise HTTPException(404, "there is no such page")
        fingerprinted = name.startswith(SHARED) or request.query_params.get("v")
        caching = FOREVER if fingerprinted else "no-cache"
        headers = {"ETag": file.tag, "Cache-Control": caching}
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        return Response(file.data, media_type=file.media_type, headers=headers)


async def _misunderstood(_request: Request, error: Exception) -> Response:
    """What is wrong, without repeating what was sent: that need not be text at all."""
    assert isinstance(error, RequestValidationError)
    shown = ("type", "loc", "msg")
    detail = [{key: problem[key] for key in shown} for problem in error.errors()]
    return JSONResponse({"detail": detail}, status_code=422)


async def _secured(request: Request, proceed: Callable[[Request], Awaitable[Response]]) -> Response:
    response = await proceed(request)
    for name, value in SECURITY.items():
        response.headers[name] = value
    return response
