"""One browser: what it has seen, what it wants, and how fast it can follow.

A browser acknowledges every frame it has drawn. With two under way nothing more is sent, so a slow
link or a slow machine gets fewer frames, each of the newest moment, and never a queue.
"""

import asyncio
from dataclasses import asdict
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from movenv.web.feed import FeedRefused, Moment, News, Source
from movenv.web.frame import FrameMaker, Packing
from movenv.web.pairs import closest_pairs
from movenv.world.columns import U4

WINDOW = 2
"""Frames that may be under way."""
FASTEST = 0.04
"""The least time between two frames, s."""
PAIRS_EVERY, PAIRS_OF_MANY_EVERY, MANY = 0.5, 2.0, 3000
"""How often the closest pairs are looked for, s; and among more than so many vehicles."""
MAX_WANTED = 1000


class Wish(msgspec.Struct, forbid_unknown_fields=True):
    """What a browser may say."""

    ack: int | None = None
    view: tuple[float, float, float, float] | None = None
    rows: list[int] = []
    replay: dict[str, Any] | None = None
    history: bool = False


class Viewer:
    """Feeds one browser until it leaves."""

    def __init__(self, socket: WebSocket, source: Source, vids: U4, packing: Packing) -> None:
        """`packing` is shared with all other viewers of the run."""
        self._socket, self._source, self._packing = socket, source, packing
        self._frames = FrameMaker(vids)
        self._vehicles = len(vids)
        self._acked = 0
        self._room = asyncio.Event()
        self._tails_wanted = True
        self._shown: Moment | None = None
        self._next_pairs = 0.0

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
            text = await self._socket.receive_text()
            try:
                self._heed(msgspec.json.decode(text, type=Wish))
            except (msgspec.MsgspecError, FeedRefused) as error:
                await self._say({"refused": str(error)})

    def _heed(self, wish: Wish) -> None:
        if wish.ack is not None:
            self._acked = max(self._acked, min(wish.ack, self._frames.sequence))
            self._room.set()
        if wish.view is not None:
            self._frames.view.look_at(wish.view, wish.rows[:MAX_WANTED])
        if wish.replay is not None:
            self._source.control(wish.replay)
        self._tails_wanted |= wish.history

    async def _tell(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._source.changed()
            await self._has_room()
            began = loop.time()
            await self._tell_news(self._source.news())
            moment = self._source.moment()
            if moment is not None and moment is not self._shown:
                await self._show(moment)
            await asyncio.sleep(max(0.0, began + FASTEST - loop.time()))

    async def _has_room(self) -> None:
        while self._frames.sequence - self._acked >= WINDOW:
            self._room.clear()
            await self._room.wait()

    async def _show(self, moment: Moment) -> None:
        jumped = self._source.jumped()
        self._shown = moment
        rows = self._packing.rows(moment)
        await self._socket.send_bytes(self._frames.states(moment, rows, jumped))
        if jumped or self._tails_wanted:
            self._tails_wanted = False
            history = await self._source.history()
            await self._socket.send_bytes(self._frames.tails(history))
        now = asyncio.get_running_loop().time()
        if now >= self._next_pairs or jumped:
            many = self._vehicles > MANY
            self._next_pairs = now + (PAIRS_OF_MANY_EVERY if many else PAIRS_EVERY)
            pairs = await asyncio.to_thread(closest_pairs, moment)
            await self._say({"pairs": [asdict(pair) for pair in pairs], "t": moment.t})

    async def _tell_news(self, news: News) -> None:
        if news.events or news.forget_events:
            events = msgspec.to_builtins(news.events)
            await self._say({"events": events, "forget": news.forget_events})
        if news.sighted is not None:
            await self._say({"sighted": [asdict(one) for one in news.sighted]})
        if news.status is not None:
            await self._say({"status": news.status})

    async def _say(self, message: dict[str, Any]) -> None:
        await self._socket.send_text(msgspec.json.encode(message).decode())
