"""One viewer's way through a recording."""

import asyncio
import contextlib
from collections.abc import Callable
from math import inf
from typing import Any

from movenv.recording.layouts import EventRecord
from movenv.web.feed import FeedRefused, Happenings, History, Moment, News
from movenv.web.notice_log import NOTICE
from movenv.web.replay.film import Film
from movenv.web.replay.index import NotFoundYet, RecordingIndex
from movenv.web.replay.status import RecordedStatus
from movenv.web.replay.wish import Wish

FRAME = 1 / 15
"""While it plays there is something new after this time, s; while it rests after this:"""
REST = 1.0
LOOK_AGAIN = 0.1
"""How often the index is asked for what it has not come to yet, s."""
STAGES = 10
"""How often an overview is told while a recording is looked through."""
STATUS_EVERY = 1.0
LEAP = 2.0
"""Of time between two moments, s: what is further is no motion any more."""
LEAPS_EVERY = 1.0
"""While it plays in leaps or backwards, tails and the log begin anew only this often, s."""
LOG = 500
"""Events that are told at once."""


class ReplaySource:
    """Plays by a clock of its own. Called in the server's event loop only."""

    def __init__(
        self,
        film: Film,
        index: RecordingIndex,
        status: RecordedStatus,
        clock: Callable[[], float],
        happenings: Callable[[], Happenings],
    ) -> None:
        self._film, self._index, self._status, self._clock = film, index, status, clock
        self._happenings = happenings
        self._t = film.start
        self._playing, self._rate, self._direction = False, 1.0, 1
        self._at = clock()
        """When `_t` was right."""
        self._sought: tuple[str, int, float] | None = None
        """What is being looked for, which way, and from where."""
        self._own_events: list[EventRecord] = []
        self._wake = asyncio.Event()
        self._moment: Moment | None = None
        self._moved = self._leapt = self._log_is_old = False
        self._jump_told = self._status_told = self._log_told = -inf
        self._events_told = self._sighted_told = 0
        self._stage_told = -1

    # --- asked by the server

    async def changed(self) -> None:
        waits = FRAME if self._playing else LOOK_AGAIN if self._sought else REST
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), waits)
        self._wake.clear()

    def moment(self) -> Moment | None:
        self._advance()
        moment, before = self._film.moment(self._t), self._moment
        if before is None or moment is None:
            self._moment = moment
        elif moment.tick != before.tick:
            self._moment = moment
            self._leapt |= not 0.0 <= moment.t - before.t <= LEAP
        return self._moment

    def jumped(self) -> bool:
        now = self._clock()
        jumped = self._moved or (self._leapt and now - self._jump_told >= LEAPS_EVERY)
        if jumped:
            self._moved = self._leapt = False
            self._jump_told = now
        return jumped

    def news(self) -> News:
        self._advance()
        news = News()
        self._tell_events(news)
        count = self._index.sightings.count(self._until)
        if count != self._sighted_told:
            self._sighted_told = count
            news.sighted = self._index.sightings.first(count)
        stage = int(self._index.progress * STAGES)
        if stage != self._stage_told:
            self._stage_told = stage
            news.happenings = self._happenings()
        now = self._clock()
        if now - self._status_told >= STATUS_EVERY:
            self._status_told = now
            news.status = self._present_status()
        return news

    async def history(self) -> History:
        self._advance()
        return await asyncio.to_thread(self._film.history, self._t)

    def watch_scans(self, rows: list[int]) -> None:
        """No recording holds any."""

    def scans(self) -> None:
        return None

    def control(self, wish: dict[str, Any]) -> None:
        wanted = Wish.parse(wish)
        self._advance()
        if wanted.jump is not None:
            shown = self._film.moment(self._t) if wanted.jump == NOTICE else None
            self._sought = wanted.jump, wanted.direction or 1, shown.t if shown else self._t
            self._look(told_at_once=True)
        elif wanted.direction is not None:
            self._direction = wanted.direction
        if wanted.rate is not None:
            self._rate = wanted.rate
        if wanted.playing is not None:
            self._play(wanted.playing)
        if wanted.t is not None:
            self._go_to(wanted.t)
        if wanted.step is not None:
            self._playing = False
            self._go_to(self._film.seeker.step(self._t, wanted.step))
        self._status_told = -inf
        self._wake.set()

    def close(self) -> None:
        self._wake.set()

    # --- time

    @property
    def _until(self) -> float:
        """What has happened up to here is told; at the end that is everything.

        A tick is shown from half a nanosecond before it on, and so is what happened with it.
        """
        return inf if self._t >= self._film.end else self._t + 0.5e-9

    def _advance(self) -> None:
        """Bring time to the present."""
        now = self._clock()
        if self._playing:
            self._t += (now - self._at) * self._rate * self._direction
            last = self._film.end if self._direction > 0 else self._film.start
            if (self._t - last) * self._direction >= 0.0:
                self._t, self._playing = last, False
                self._status_told = -inf
        self._at = now
        if self._sought:
            self._look(told_at_once=False)

    def _play(self, playing: bool) -> None:
        """Play on; what had come to its end begins anew."""
        first, last = (self._film.start, self._film.end)[:: self._direction]
        if playing and not self._playing and self._t == last != first:
            self._go_to(first)
        self._playing = playing

    def _go_to(self, t: float) -> None:
        self._t = min(max(t, self._film.start), self._film.end)
        self._sought = self._moment = None
        self._moved = self._log_is_old = True
        self._status_told = -inf

    def _look(self, told_at_once: bool) -> None:
        """Go to what is sought, if the index has come that far."""
        if self._sought is None:
            return
        what, direction, start = self._sought
        try:
            found = self._index.find(what, start, direction)
        except NotFoundYet:
            return
        self._sought = None
        if found is not None:
            self._go_to(found)
            return
        text = f"there is no {what} {'after' if direction > 0 else 'before'} this"
        if told_at_once:
            raise FeedRefused(text)
        self._own_events.append(EventRecord(self._t, 0.0, "replay", text))

    # --- news

    def _tell_events(self, news: News) -> None:
        events = self._index.events
        count, now = events.count(self._until), self._clock()
        back = count < self._events_told and now - self._log_told >= LEAPS_EVERY
        if self._log_is_old or back or count - self._events_told > LOG:
            news.forget_events, self._log_is_old, self._log_told = True, False, now
            self._events_told = max(count - LOG, 0)
        if count >= self._events_told:
            news.events = events.between(self._events_told, count)
            self._events_told = count
        news.events += self._own_events
        self._own_events = []

    def _present_status(self) -> dict[str, Any]:
        moment = self._film.moment(self._t)
        status = self._status.at(self._t, moment)
        replay: dict[str, Any] = {
            "t": self._t,
            "playing": self._playing,
            "rate": self._rate,
            "direction": self._direction,
            "indexed": self._index.progress,
            "seeking": self._sought[0] if self._sought else None,
        }
        return status | {"orders": self._index.orders.listed(self._until), "replay": replay}
