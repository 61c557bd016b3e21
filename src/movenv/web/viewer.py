"""One browser: what it has seen, what it wants, and how fast it can follow.

A browser acknowledges every frame it has drawn. With two under way nothing more is sent, so a slow
link or a slow machine gets fewer frames, each of the newest moment, and never a queue.
"""

import asyncio
import math
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from movenv.web.digest import Digest
from movenv.web.feed import FeedRefused, Moment, News, Source
from movenv.web.frame import FrameMaker
from movenv.web.hearing import said
from movenv.world.columns import U4

WINDOW = 2
"""Frames that may be under way."""
FASTEST = 0.04
"""The least time between two frames, s."""
PAIRS_EVERY, PAIRS_OF_MANY_EVERY, MANY = 0.5, 2.0, 3000
"""How often the closest pairs are looked for, s; and among more than so many vehicles."""
SCANS_EVERY = 0.09
"""The least time between two frames of scans, s."""
MAX_WANTED = 1000
BEYOND = 1000.0
"""No view lies so many degrees away."""
LEAVES_AFTER = 60.0
"""A browser that takes nothing for so long, s, has left."""


class Wish(msgspec.Struct, forbid_unknown_fields=True):
    """What a browser may say."""

    ack: int | None = None
    view: tuple[float, float, float, float] | None = None
    rows: list[int] = []
    replay: dict[str, Any] | None = None
    history: bool = False
    scans: list[int] | None = None


class Viewer:
    """Feeds one browser until it leaves."""

    def __init__(self, socket: WebSocket, source: Source, vids: U4, digest: Digest) -> None:
        """`digest` is shared with all other viewers of the run."""
        self._socket, self._source, self._digest = socket, source, digest
        self._frames = FrameMaker(vids)
        self._vehicles = len(vids)
        self._acked = 0
        self._room, self._looks_elsewhere = asyncio.Event(), asyncio.Event()
        self._tails_wanted = True
        self._shown: Moment | None = None
        self._next_pairs = self._next_scans = 0.0

    async def run(self) -> None:
        """Until the browser leaves."""
        listening = asyncio.ensure_future(self._listen())
        telling = asyncio.ensure_future(self._tell())
        try:
            await asyncio.wait([listening, telling], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (listening, telling):
                task.cancel()
            for result in await asyncio.gather(listening, telling, return_exceptions=True):
                if isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect):
                    raise result

    async def _listen(self) -> None:
        while True:
            wish = await said(self._socket)
            try:
                self._heed(msgspec.json.decode(wish, type=Wish))
            except (msgspec.MsgspecError, FeedRefused) as error:
                await self._say({"refused": str(error)})

    def _heed(self, wish: Wish) -> None:
        if wish.ack is not None:
            self._acked = max(self._acked, min(wish.ack, self._frames.sequence))
            self._room.set()
        if wish.view is not None:
            if not all(math.isfinite(edge) and abs(edge) < BEYOND for edge in wish.view):
                raise FeedRefused("a view is west, south, east and north in degrees")
            self._frames.view.look_at(wish.view, wish.rows[:MAX_WANTED])
        if wish.scans is not None:
            self._source.watch_scans(wish.scans[:MAX_WANTED])
        if wish.replay is not None:
            self._source.control(wish.replay)
        self._tails_wanted |= wish.history
        if wish.view is not None or wish.history:
            self._looks_elsewhere.set()

    async def _tell(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._something_to_tell()
            await self._has_room()
            began = loop.time()
            await self._tell_news(self._source.news())
            elsewhere = self._looks_elsewhere.is_set()
            self._looks_elsewhere.clear()
            moment = self._source.moment()
            if moment is not None and (moment is not self._shown or elsewhere):
                await self._show(moment)
            await self._show_scans(began)
            await asyncio.sleep(max(0.0, began + FASTEST - loop.time()))

    async def _something_to_tell(self) -> None:
        """Something has changed, or the browser looks elsewhere: what it held there is old."""
        waits = [
            asyncio.ensure_future(self._source.changed()),
            asyncio.ensure_future(self._looks_elsewhere.wait()),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _has_room(self) -> None:
        while self._frames.sequence - self._acked >= WINDOW:
            self._room.clear()
            await self._room.wait()

    async def _show(self, moment: Moment) -> None:
        jumped = self._source.jumped()
        self._shown = moment
        rows = self._digest.rows(moment)
        await self._send(self._frames.states(moment, rows, jumped))
        if jumped or self._tails_wanted:
            self._tails_wanted = False
            history = await self._source.history()
            await self._send(self._frames.tails(history))
        now = asyncio.get_running_loop().time()
        if now >= self._next_pairs or jumped:
            many = self._vehicles > MANY
            self._next_pairs = now + (PAIRS_OF_MANY_EVERY if many else PAIRS_EVERY)
            pairs = await asyncio.to_thread(self._digest.pairs, moment)
            await self._say({"pairs": pairs, "t": moment.t})

    async def _show_scans(self, now: float) -> None:
        scans = self._source.scans() if now >= self._next_scans else None
        if scans is not None:
            self._next_scans = now + SCANS_EVERY
            await self._send(self._frames.scans(scans))

    async def _tell_news(self, news: News) -> None:
        if news.events or news.forget_events:
            await self._say({"events": news.events, "forget": news.forget_events})
        if news.sighted is not None:
            await self._say({"sighted": news.sighted})
        if news.happenings is not None:
            await self._say({"happenings": news.happenings})
        if news.status is not None:
            await self._say({"status": news.status})

    async def _say(self, message: dict[str, Any]) -> None:
        await self._send(msgspec.json.encode(message).decode())

    async def _send(self, message: str | bytes) -> None:
        """Raises WebSocketDisconnect when the browser takes nothing any more."""
        try:
            async with asyncio.timeout(LEAVES_AFTER):
                if isinstance(message, bytes):
                    await self._socket.send_bytes(message)
                else:
                    await self._socket.send_text(message)
        except TimeoutError:
            raise WebSocketDisconnect(1006, "it takes nothing") from None
