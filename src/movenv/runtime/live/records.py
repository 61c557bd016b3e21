"""The stream of records from the Core to whoever writes them down or watches.

What happens while no recorder is there is kept for it, and so is what a recorder that was killed
may have had in its hands: a new one is given both, and the reader counts each tick once. A recorder
whose link broke for a moment asks for what it has missed.
"""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from movenv.recording.layouts import (
    EVENTS,
    HEALTH,
    ORDERS,
    RUN_STATE,
    SUMMARY,
    WHEELS,
    EventRecord,
    HealthRecord,
    RunStateRecord,
    encoded,
)
from movenv.recording.order_record import OrderRecord
from movenv.recording.wheel_record import WheelRecord
from movenv.runtime.live.wire import KeptRecords, Records, RecordsAgain
from movenv.world.core import Update

IN_HAND = 3.0
"""A recorder has everything on disk after this, s."""
KEPT_BYTES = 256 * 1024 * 1024
"""The most that is kept for a recorder that is not there."""
AT_ONCE = 8 * 1024 * 1024
"""Bytes that go into one answer to a recorder that missed something, or little more."""
WAITING = 600
"""Ticks that may wait to be sent before some are given up, and that is told."""

Item = tuple[str, float, bytes]


def event_item(event: EventRecord) -> Item:
    return EVENTS, event.t, msgspec.json.encode(event)


def state_item(record: RunStateRecord) -> Item:
    return RUN_STATE, record.t, msgspec.json.encode(record)


def summary_item(t: float, summary: dict[str, object]) -> Item:
    return SUMMARY, t, msgspec.json.encode(summary)


def order_item(record: OrderRecord) -> Item:
    return ORDERS, record.t, msgspec.json.encode(record)


def wheel_item(record: WheelRecord) -> Item:
    return WHEELS, record.t, msgspec.json.encode(record)


def health_item(record: HealthRecord) -> Item:
    return HEALTH, record.t, msgspec.json.encode(record)


class RecordStream:
    """Encodes and sends in a thread of its own, so that the Core never waits for a reader."""

    def __init__(self, run: str, core: str, send: Callable[[bytes], None]) -> None:
        self.given_up = 0
        """Messages that nobody may have got."""
        self._run, self._core, self._send = run, core, send
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._sequence = 0
        self._kept: deque[tuple[float, int, bytes]] = deque()
        self._keeping = threading.Lock()
        self._kept_bytes = 0
        self._recorders = 0
        self._thread = threading.Thread(target=self._work, name="records", daemon=True)
        self._thread.start()

    def tick(self, update: Update, utc: float, keep: bool, more: Iterable[Item] = ()) -> None:
        """An update; `keep` says that it belongs into the recording."""
        rest = list(more)
        if self._jobs.qsize() > WAITING:
            self.given_up += 1
            self.say(rest)
            return
        self._jobs.put(lambda: self._update(update, utc, keep, rest))

    def say(self, items: list[Item]) -> None:
        """Anything else that belongs into the recording."""
        if items:
            self._jobs.put(lambda: self._publish(items, keep=True))

    def packets(self, items: list[Item]) -> None:
        """What may be left out where too much waits, and then is counted."""
        if items and self._jobs.qsize() > WAITING:
            self.given_up += 1
        else:
            self.say(items)

    def recorders(self, count: int) -> None:
        """How many recorders are there; a new one is given what was kept."""

        def change() -> None:
            if count > self._recorders:
                for _, _, data in self._kept:
                    self._try_to_send(data)
            self._recorders = count

        self._jobs.put(change)

    def again(self, missed: RecordsAgain) -> KeptRecords:
        """What a recorder has missed, as far as it is kept. Thread-safe."""
        found: list[bytes] = []
        left = AT_ONCE if missed.core == self._core else 0
        with self._keeping:
            for _, number, data in self._kept:
                if missed.after < number < missed.before and left > 0:
                    found.append(data)
                    left -= len(data)
        return KeptRecords(found)

    def close(self) -> None:
        """Send what waits, then end."""
        self._jobs.put(None)
        self._thread.join(timeout=10)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except Exception as error:  # one message less must not be the end of all others
                self.given_up += 1
                print(f"a record could not be made: {type(error).__name__}: {error}", flush=True)

    def _update(self, update: Update, utc: float, keep: bool, more: list[Item]) -> None:
        t = update.snapshot.t
        items: list[Item] = [(topic, t, data) for topic, data in encoded(update, utc)]
        self._publish(items + more, keep)

    def _publish(self, items: list[Item], keep: bool) -> None:
        self._sequence += keep
        now = time.monotonic()
        at = time.monotonic_ns()
        data = Records(self._run, self._core, self._sequence, keep, at, items).encoded()
        if keep:
            with self._keeping:
                self._remember(now, data)
        self._try_to_send(data)

    def _try_to_send(self, data: bytes) -> None:
        try:
            self._send(data)
        except Exception:  # a broken link is made anew, and must not end the recording
            self.given_up += 1

    def _remember(self, now: float, data: bytes) -> None:
        self._kept.append((now, self._sequence, data))
        self._kept_bytes += len(data)
        while self._kept:
            too_old = self._recorders and self._kept[0][0] < now - IN_HAND
            if not too_old and self._kept_bytes <= KEPT_BYTES:
                break
            self.given_up += not too_old
            self._kept_bytes -= len(self._kept.popleft()[2])
