"""Asks the Core, again and again, who is around a vehicle."""

import threading
import time
from collections.abc import Callable

from movenv.runtime.injection.layer import Layer
from movenv.runtime.injection.neighbourhood import Neighbourhood
from movenv.runtime.injection.pace import Pace
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.around import FARTHEST, Around, AroundRequest
from movenv.runtime.live.bus import Bus, BusError
from movenv.runtime.live.wire import Garbled, Refusal

ANSWERED_WITHIN = 1.0
"""Who has not answered by then is asked anew, s."""
TRY_AGAIN = 0.5


class Feed:
    """A thread of its own. A Core that is gone, or not there yet, is waited for."""

    def __init__(
        self,
        connect: Callable[[], Bus],
        vehicle: str,
        around: Neighbourhood,
        layer: Layer,
        pace: Pace,
        refused: Callable[[], None],
    ) -> None:
        """`connect` raises BusError where there is no Core yet.

        `refused` is called when the Core has no such vehicle, and never had.
        """
        self.told = self.bytes = 0
        """Answers of the Core, and their bytes with those of the questions."""
        self.heard = threading.Event()
        """Once the Core has answered, be it with a refusal."""
        self.refusal = ""
        """The Core's last reason not to answer; empty where it did."""
        self._connect, self._vehicle, self._pace = connect, vehicle, pace
        self._around, self._layer, self._refused = around, layer, refused
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="around", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=2 * ANSWERED_WITHIN)

    def _work(self) -> None:
        bus = self._connected()
        due = time.monotonic()
        while bus is not None and not self._closing.is_set():
            try:
                self.ask(bus)
            except (BusError, Garbled):
                self._closing.wait(TRY_AGAIN)
            pause = self._pause()
            due = max(due + pause, time.monotonic() - pause)
            self._closing.wait(max(0.0, due - time.monotonic()))

    def _pause(self) -> float:
        """Until the next question, s."""
        now = self._around.run_time(time.monotonic_ns())
        return self._pace.pause(self._around.at(now), self._layer.place)

    def _connected(self) -> Bus | None:
        while not self._closing.is_set():
            try:
                return self._connect()
            except BusError:
                self._closing.wait(TRY_AGAIN)
        return None

    def ask(self, bus: Bus) -> None:
        """Once. Raises BusError or Garbled."""
        place = self._layer.place
        reach = min(FARTHEST, max(0.0, self._layer.reach) + self._pace.beyond(place))
        at = None if place is None or not place.is_finite else (place.x, place.y)
        sent = time.monotonic_ns()
        question = AroundRequest(self._vehicle, reach, sent, at).encoded()
        answer = bus.ask(keys.AROUND, question, timeout=ANSWERED_WITHIN)
        now = time.monotonic_ns()
        told = wire.as_answer(Around, answer)
        self.heard.set()
        if isinstance(told, Refusal):
            self.refusal = told.why
            if not self.told:
                self._refused()
            return
        self._around.hear(told, sent, now)
        self.refusal = ""
        self.told += 1
        self.bytes += len(question) + len(answer)
