"""Attends to one vehicle of the JAUS gateway, in a thread of its own.

To ask the Core for a wheel may take seconds while it is away: others must not wait for that.
"""

import contextlib
import sys
import threading
import time
from collections.abc import Callable
from queue import Empty, Full, Queue

from movenv.gateways.jaus.codec import Heard
from movenv.gateways.jaus.component import Component
from movenv.gateways.jaus.saying import Said
from movenv.gateways.jaus.sight import Sight

LOOK_EVERY = 0.02
"""How often it is looked whether something is due, s."""
MOST_WAITING = 1000
"""What may wait to be attended to; more is turned away, and counted."""


class Desk:
    """Takes what concerns one component, and says what it answers."""

    def __init__(
        self,
        component: Component,
        say: Callable[[Component, list[Said]], None],
        note: Callable[[str], None],
    ) -> None:
        """`note` takes what is worth a place in the recording."""
        self.component, self._say, self._note = component, say, note
        self._post: Queue[Heard | None] = Queue(MOST_WAITING)
        """What was heard; None where something was seen."""
        self._sight: Sight | None = None
        """The newest, which was not attended to yet."""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="jaus", daemon=True)
        self._looked_at = 0.0

    def open(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """The vehicle brakes, and who is in control is told."""
        self._over.set()
        self._thread.join()
        self._say(self.component, self.component.close())

    def hear(self, heard: Heard) -> None:
        """From any thread."""
        try:
            self._post.put_nowait(heard)
        except Full:
            self.component.refused["too many at once"] += 1

    def see(self, sight: Sight) -> None:
        """The vehicle, from any thread; a sight that was not attended to in time is forgotten."""
        self._sight = sight
        with contextlib.suppress(Full):  # it is looked at all the same
            self._post.put_nowait(None)

    def _work(self) -> None:
        while not self._over.is_set():
            try:
                self._attend(self._post.get(timeout=LOOK_EVERY))
            except Empty:
                self._look(time.monotonic())

    def _attend(self, heard: Heard | None) -> None:
        now = time.monotonic()
        if heard is None:
            self._look(now)
            return
        try:
            self._say(self.component, self.component.hear(heard, now))
        except Exception as error:  # one message must not be the end of all others
            what = f"failed: {type(error).__name__}: {error}"
            if not self.component.refused[what]:
                print(f"{self.component.name}: a message {what}", file=sys.stderr, flush=True)
            self.component.refused[what] += 1
        news = self.component.control.news
        while news:
            self._note(f"{self.component.name}: {news.pop(0)}")
        if now - self._looked_at > LOOK_EVERY:  # however many come
            self._look(now)

    def _look(self, now: float) -> None:
        self._looked_at = now
        sight, self._sight = self._sight, None
        if sight is not None:
            self.component.see(sight)
        self._say(self.component, self.component.due(now))
