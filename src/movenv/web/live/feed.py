"""A live run as the console sees it, and an operator's hand on it."""

import asyncio
import contextlib
import threading
from collections import deque
from itertools import islice
from typing import Any

import msgspec

from movenv.recording.cdr import DecodeError
from movenv.recording.layouts import (
    DETECTION_LAYOUT,
    DETECTIONS,
    EVENTS,
    NOTICE_LAYOUT,
    NOTICES,
    RUN_STATE,
    SNAPSHOT_LAYOUT,
    SNAPSHOTS,
    EventRecord,
    RunStateRecord,
)
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus
from movenv.runtime.live.run_info import run_info
from movenv.runtime.live.wire import Garbled, Records
from movenv.web.feed import FeedRefused, History, Moment, News, Sighted
from movenv.web.live.operations import LiveOperations
from movenv.web.live.scans import ScanWatch
from movenv.web.live.sightings import LatestSightings
from movenv.web.live.status_watch import STOP, StatusWatch
from movenv.web.live.tails import Tails
from movenv.web.notice_log import NoticeLog
from movenv.web.placed_scan import PlacedScan
from movenv.world.messages import Encounters
from movenv.world.run_state import RunState

EVENTS_KEPT = 2000
LONGEST_WAIT = 1.0
"""A viewer is woken after this, s, although nothing came."""


class LiveFeed(LiveOperations):
    """Listens to one run from now on. What comes is taken in threads of the bus."""

    replay: dict[str, float] | None = None

    def __init__(self, bus: Bus) -> None:
        """Raises BusError where no Core answers."""
        info, self.record = run_info(bus)
        self.source = info.source
        self.moment: Moment | None = None
        self.jumps = 0
        """How many times the run's time went back."""
        self.garbled = 0
        """Messages that no Core sends."""
        self._run = info.beacon.run
        self._core, self._sequence = "", 0
        self._roster = self.record.roster.roster()
        self._tails = Tails(len(self._roster))
        self._notices = NoticeLog(self._roster, list(self.record.levels))
        self._sightings = LatestSightings(self._roster, self.record.origin)
        self.scans = ScanWatch(bus, self._run, self._roster, self.record.origin)
        self._events: deque[EventRecord] = deque(maxlen=EVENTS_KEPT)
        self._event_count = 0
        self._lock = threading.Lock()
        self._viewers: set[LiveSource] = set()
        self._watch = StatusWatch(bus, self._run, self._wake_viewers)
        super().__init__(bus, self._roster, self._watch)
        bus.hear(keys.RECORDS, self._on_records)
        self._watch.start()

    # --- for the server

    def open(self) -> "LiveSource":
        viewer = LiveSource(self, asyncio.get_running_loop())
        with self._lock:
            self._viewers.add(viewer)
        return viewer

    def close(self) -> None:
        self._watch.close()

    # --- for viewers

    @property
    def status(self) -> dict[str, Any] | None:
        """Where the run stands, by the Core's last word; another dict after each."""
        return self._watch.latest

    @property
    def sighted(self) -> list[Sighted]:
        """All that holds now; another list after each change."""
        return self._sightings.latest

    def events_after(self, count: int) -> tuple[list[EventRecord], int]:
        """What was logged after the first `count` events, and how many there are now."""
        with self._lock:
            new = min(self._event_count - count, len(self._events))
            return list(islice(self._events, len(self._events) - new, None)), self._event_count

    def history(self) -> History:
        return self._tails.history()

    def leave(self, viewer: "LiveSource") -> None:
        with self._lock:
            self._viewers.discard(viewer)

    # --- what comes, in a thread of the bus

    def _on_records(self, _key: str, data: bytes) -> None:
        try:
            message = wire.decode(Records, data)
            if not self._is_news(message):
                return
            self._take(message)
        except (Garbled, DecodeError, msgspec.MsgspecError, ValueError):
            self.garbled += 1
            return
        self._wake_viewers()

    def _is_news(self, message: Records) -> bool:
        """Whether it is of this run and new: what was kept is sent again to new recorders."""
        if message.run != self._run:
            return False
        if message.core != self._core:
            self._core, self._sequence = message.core, 0  # the Core was restarted
        elif message.keep and message.sequence <= self._sequence:
            return False
        if message.keep:
            self._sequence = message.sequence
        return True

    def _take(self, message: Records) -> None:
        """Raises DecodeError, MsgspecError or ValueError."""
        items = {topic: data for topic, _, data in message.items}
        events = [
            msgspec.json.decode(data, type=EventRecord)
            for topic, _, data in message.items
            if topic == EVENTS
        ]
        if SNAPSHOTS in items:
            moment = self._moment(items)
            if message.keep:
                events += self._notices.events(moment.t, moment.utc, moment.encounters)
            self._show(moment)
        if DETECTIONS in items:
            self._sightings.take(DETECTION_LAYOUT.decode(items[DETECTIONS])[1])
        with self._lock:
            self._events.extend(events)
            self._event_count += len(events)
        if RUN_STATE in items:
            state = msgspec.json.decode(items[RUN_STATE], type=RunStateRecord).state
            self._watch.ask_now(stopped=state == STOP)

    def _moment(self, items: dict[str, bytes]) -> Moment:
        numbers, vehicles = SNAPSHOT_LAYOUT.decode(items[SNAPSHOTS])
        if len(vehicles) != len(self._roster):
            raise ValueError("a snapshot of other vehicles")
        encounters = Encounters.empty()
        if NOTICES in items:
            encounters = NOTICE_LAYOUT.decode(items[NOTICES])[1]
        state = RunState(numbers["state"])
        t, utc = numbers["t"], numbers["utc"]
        return Moment(numbers["tick"], t, utc, state, vehicles, encounters)

    def _show(self, moment: Moment) -> None:
        before, self.moment = self.moment, moment
        if before is not None and moment.t < before.t:
            self.jumps += 1
            self._sightings.forget_after(moment.t)
        self._tails.add(moment.t, moment.vehicles)
        self.scans.see(moment)

    def _wake_viewers(self) -> None:
        with self._lock:
            viewers = list(self._viewers)
        for viewer in viewers:
            viewer.wake()


class LiveSource:
    """One viewer of a live run."""

    def __init__(self, feed: LiveFeed, loop: asyncio.AbstractEventLoop) -> None:
        self._feed, self._loop = feed, loop
        self._changed = asyncio.Event()
        self._jumps = feed.jumps
        self._events_told = 0
        self._sighted: list[Sighted] = []
        self._status: dict[str, Any] | None = None
        self._host_of: list[int] | None = None
        self._scans: list[PlacedScan] = []

    def wake(self) -> None:
        """Something came. Called in other threads."""
        if not self._changed.is_set():
            with contextlib.suppress(RuntimeError):  # the server has just ended
                self._loop.call_soon_threadsafe(self._changed.set)

    async def changed(self) -> None:
        try:
            async with asyncio.timeout(LONGEST_WAIT):
                await self._changed.wait()
        except TimeoutError:
            return
        self._changed.clear()

    def moment(self) -> Moment | None:
        return self._feed.moment

    def jumped(self) -> bool:
        before, self._jumps = self._jumps, self._feed.jumps
        return self._jumps != before

    def news(self) -> News:
        events, self._events_told = self._feed.events_after(self._events_told)
        news = News(events)
        sighted, status = self._feed.sighted, self._feed.status
        if sighted is not self._sighted:
            news.sighted = self._sighted = sighted
        if status is not self._status and status is not None:
            self._status = status
            news.status = self._without_known_hosts(status)
        return news

    def _without_known_hosts(self, status: dict[str, Any]) -> dict[str, Any]:
        """A row for each vehicle is told only when it has changed."""
        host_of = status.get("host_of")
        if host_of is not None and host_of is self._host_of:
            return {key: value for key, value in status.items() if key != "host_of"}
        self._host_of = host_of
        return status

    async def history(self) -> History:
        return await asyncio.to_thread(self._feed.history)

    def watch_scans(self, rows: list[int]) -> None:
        self._feed.scans.wish(self, rows)

    def scans(self) -> list[PlacedScan] | None:
        shown = self._feed.scans.shown(self)
        if shown == self._scans:
            return None
        self._scans = shown
        return shown

    def control(self, wish: dict[str, Any]) -> None:
        raise FeedRefused(f"this run is live; {', '.join(wish) or 'that'} is for recordings")

    def close(self) -> None:
        self.watch_scans([])
        self._feed.leave(self)
