"""The drive page's side of the server: who may drive what, and everything a driver does."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, HTTPException
from fastapi import Path as InPath
from starlette.websockets import WebSocket, WebSocketDisconnect

from movenv.gateways.join.qr import qr_svg
from movenv.runtime.errors import RunFailed, WrongInput
from movenv.runtime.live.wheel_wire import Dashboard
from movenv.web.drive_links import DriveLinks
from movenv.web.feed import FeedRefused, SteeringWheel, Wheels
from movenv.web.hearing import said
from movenv.web.messages import DriveLink
from movenv.world.messages import Roster
from movenv.world.model import MOTION

AUTHORITY = 100
"""Of people at drive pages."""
FASTEST = 0.008
"""Turns that come faster than this, s, are not passed on: no wheel is turned so often."""
LATEST = 8
"""Pictures and words that may wait for a driver; more is of the past."""
MISUNDERSTOOD = (
    "not understood: a drive page says take and a name, turn and five numbers (steer, throttle, "
    "brake, gear -1, 0 or 1, pitch), camera and its name, or release; reload the page"
)
GONE_AFTER = 1.0
"""Who has said nothing for so long, s, gives way to another driver; a page turns all the time."""
Gear = Annotated[int, msgspec.Meta(ge=-1, le=1)]


class Wish(msgspec.Struct, forbid_unknown_fields=True):
    """What a drive page may say."""

    take: str | None = None
    """The driver's name: the wheel, please."""
    turn: tuple[float, float, float, Gear, float] | None = None
    """Steer, throttle, brake, gear and pitch."""
    camera: str | None = None
    """Which to look through; '' for none."""
    release: bool = False


class Driving:
    """Hands vehicles out to drivers, and lets those drive."""

    def __init__(
        self,
        wheels: Wheels | None,
        links: DriveLinks,
        roster: Roster,
        cameras: list[list[str]],
        gears: list[bool],
        base: str,
    ) -> None:
        """`wheels` is None where nothing can be driven: in a replay. `cameras`, `gears`: by row."""
        self.links, self._base = links, base
        self._wheels, self._roster = wheels, roster
        self._cameras, self._gears = cameras, gears
        self._rows = {int(vid): row for row, vid in enumerate(roster.vids)}
        self._at_wheel: dict[int, Cockpit] = {}

    def routes(self, operator: Any, refused: dict[int | str, dict[str, Any]]) -> APIRouter:
        router = APIRouter(prefix="/api/wheels", dependencies=[operator], responses=refused)
        vehicle = Annotated[str, InPath(max_length=80)]

        @router.post("/{vehicle}", status_code=201)
        def hand_out(vehicle: vehicle) -> DriveLink:
            """Hand a vehicle out: a link that opens its drive page; those before open nothing."""
            url = f"{self._base}/drive.html#wheel={self._renewed(vehicle)}"
            return DriveLink(vehicle=vehicle, url=url, svg=qr_svg(url))

        @router.delete("/{vehicle}", status_code=204)
        def take_back(vehicle: vehicle) -> None:
            """Take a vehicle back: links open nothing, and it does as before."""
            self._renewed(vehicle)
            assert self._wheels is not None
            try:
                self._wheels.free_wheel(vehicle, "console")
            except FeedRefused as error:
                raise HTTPException(409, str(error)) from None

        return router

    def _renewed(self, vehicle: str) -> str:
        """Raises HTTPException."""
        try:
            return self.links.renew(self._drivable(vehicle))
        except WrongInput as error:
            raise HTTPException(409, str(error)) from None

    def _drivable(self, vehicle: str) -> int:
        """Raises HTTPException."""
        if self._wheels is None:
            raise HTTPException(409, "this is a replay; there is nothing to drive")
        if vehicle not in self._roster.names:
            raise HTTPException(404, f"nobody is called '{vehicle}'")
        row = self._roster.names.index(vehicle)
        if not self._roster.driven or not self._roster.driven[row]:
            why = f"'{vehicle}' does not carry the behavior driven; movenv run --drivable gives it"
            raise HTTPException(409, why)
        return int(self._roster.vids[row])

    async def drive(self, socket: WebSocket, token: str, vid: int) -> None:
        """Serve one drive page until it leaves; `token` opened it."""
        assert self._wheels is not None
        row = self._rows[vid]
        name, cameras = self._roster.names[row], self._cameras[row]
        handed_out = lambda: self.links.vid(token) == vid  # noqa: E731
        seat = Cockpit(socket, self._wheels, name, vid, cameras, handed_out, self._at_wheel)
        await seat.serve(
            {
                "vehicle": self._roster.names[row],
                "vid": vid,
                "row": row,
                "kind": str(self._roster.kinds[self._roster.kind[row]]),
                "cameras": self._cameras[row],
                "gears": self._gears[row],
            }
        )


class Cockpit:
    """One driver, from the opening of the page to its end."""

    def __init__(
        self,
        socket: WebSocket,
        wheels: Wheels,
        vehicle: str,
        vid: int,
        cameras: list[str],
        handed_out: Callable[[], bool],
        at_wheel: "dict[int, Cockpit]",
    ) -> None:
        """`handed_out` says whether the driver's link is good still; `at_wheel`: who took which
        vehicle's wheel last."""
        self._at_wheel = at_wheel
        self._socket, self._wheels, self._handed_out = socket, wheels, handed_out
        self._vehicle, self._vid, self._cameras = vehicle, vid, cameras
        self._wheel: SteeringWheel | None = None
        self._blind: Callable[[], None] | None = None
        self._loop = asyncio.get_running_loop()
        self._outbox: asyncio.Queue[str | bytes] = asyncio.Queue(LATEST)
        self._turned_at = self._heard_at = 0.0
        self._turns = 0
        """Of the page, since it took the wheel."""
        self._passed_on: deque[tuple[int, int]] = deque()
        """Numbers of turns that no dashboard has told of yet: the wheel's, and the page's."""

    async def serve(self, hello: dict[str, Any]) -> None:
        self._tell({"hello": hello})
        speaking = asyncio.ensure_future(self._speak())
        try:
            await self._listen()
        finally:
            speaking.cancel()
            await asyncio.to_thread(self._leave)

    async def _listen(self) -> None:
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                message = await said(self._socket)
                try:
                    await self._heed(msgspec.json.decode(message, type=Wish))
                except msgspec.MsgspecError:
                    self._tell({"refused": MISUNDERSTOOD})
                except FeedRefused as error:
                    self._tell({"refused": str(error)})

    async def _heed(self, wish: Wish) -> None:
        self._heard_at = self._loop.time()
        if wish.take is not None:
            await asyncio.to_thread(self._take, wish.take)
            self._turns = 0
            self._passed_on.clear()
            self._tell({"taken": True})
        if wish.turn is not None:
            self._turn(*wish.turn)
        if wish.camera is not None:
            await asyncio.to_thread(self._look, wish.camera)
        if wish.release:
            try:
                await asyncio.to_thread(self._let_go)
            finally:
                self._tell({"taken": False})

    def _take(self, who: str) -> None:
        """Raises FeedRefused."""
        if not self._handed_out():
            raise FeedRefused("this link no longer opens the vehicle; ask the operator for another")
        if self._wheel is not None:
            self._let_go(braked=True)
        before = self._at_wheel.get(self._vid)
        if before is not None and before is not self:
            before.give_way()
        name = " ".join(who.split())[:60] or "somebody"
        self._wheel = self._wheels.take_wheel(self._vehicle, name, AUTHORITY, self._show)
        self._at_wheel[self._vid] = self

    def give_way(self) -> None:
        """Leave the wheel to another driver, where this one is gone and its line not yet closed."""
        if self._loop.time() - self._heard_at > GONE_AFTER and self._wheel is not None:
            with contextlib.suppress(FeedRefused):  # then it was not its any more
                self._let_go(braked=True)
            self._from_thread(lambda: self._tell({"taken": False, "lost": "you were silent"}))

    def _turn(self, steer: float, throttle: float, brake: float, gear: int, pitch: float) -> None:
        wheel, now = self._wheel, self._loop.time()
        if wheel is None:
            return
        self._turns += 1
        if wheel.lost:
            self._tell({"taken": False, "lost": wheel.lost})
            self._wheel = None
        elif now - self._turned_at >= FASTEST:
            self._turned_at = now
            number = wheel.turn(steer, throttle, brake, gear, pitch)
            self._passed_on.append((number, self._turns))

    def _let_go(self, braked: bool = False) -> None:
        """Raises FeedRefused; the wheel is let go all the same, and the vehicle brakes."""
        wheel, self._wheel = self._wheel, None
        if wheel is not None and not wheel.lost:
            try:
                wheel.release(braked)
            except RunFailed as error:
                raise FeedRefused(str(error)) from None

    def _look(self, camera: str) -> None:
        if self._blind is not None:
            self._blind()
            self._blind = None
        if camera in self._cameras:
            self._blind = self._wheels.watch_camera(self._vid, camera, self._picture)

    def _leave(self) -> None:
        """The page is gone: the vehicle brakes."""
        self._look("")
        with contextlib.suppress(FeedRefused):  # it brakes all the same, a moment later
            self._let_go(braked=True)

    # --- what goes out; from threads of the bus

    def _show(self, dashboard: Dashboard) -> None:
        self._from_thread(lambda: self._tell_dashboard(dashboard))

    def _picture(self, data: bytes) -> None:
        self._from_thread(lambda: self._put(data))

    def _from_thread(self, deed: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the server has just ended
            self._loop.call_soon_threadsafe(deed)

    def _tell_dashboard(self, dashboard: Dashboard) -> None:
        motion = dict(zip(MOTION, dashboard.motion, strict=True))
        turn = self._page_turn(dashboard.sequence)
        self._tell({"dash": {"turn": turn, "t": dashboard.t, "motion": motion}})

    def _page_turn(self, number: int) -> int:
        """The page's number of a turn: it counts those too that were not passed on."""
        found = 0
        while self._passed_on and self._passed_on[0][0] <= number:
            found = self._passed_on.popleft()[1]
        if found:
            self._passed_on.appendleft((number, found))  # other dashboards may tell of it again
        return found

    def _tell(self, message: dict[str, Any]) -> None:
        self._put(msgspec.json.encode(message).decode())

    def _put(self, message: str | bytes) -> None:
        """What a slow link cannot take is of the past: the oldest goes."""
        if self._outbox.full():
            self._outbox.get_nowait()
        self._outbox.put_nowait(message)

    async def _speak(self) -> None:
        send: dict[type, Callable[[Any], Awaitable[None]]] = {
            str: self._socket.send_text,
            bytes: self._socket.send_bytes,
        }
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # it has left
            while True:
                message = await self._outbox.get()
                await send[type(message)](message)
