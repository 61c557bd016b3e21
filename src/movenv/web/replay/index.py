"""What is to be found in a whole recording: it is read once, in the background."""

import threading
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import msgspec

from movenv.recording.cdr import DecodeError
from movenv.recording.container import message_at
from movenv.recording.layouts import (
    DETECTION_LAYOUT,
    DETECTIONS,
    EVENTS,
    NOTICE_LAYOUT,
    NOTICES,
    ORDERS,
    SNAPSHOTS,
    EventRecord,
)
from movenv.recording.mission_log import MISSION, MissionLog
from movenv.recording.order_record import OrderRecord
from movenv.recording.places import TOPICS
from movenv.recording.reader import Repeats, Versions
from movenv.recording.remark_log import remarked
from movenv.recording.seek import Seeker
from movenv.web.notice_log import NOTICE, NoticeLog
from movenv.web.replay.event_store import EventStore
from movenv.web.replay.orders import RecordedOrders
from movenv.web.replay.sightings import Sightings
from movenv.world.messages import Encounters
from movenv.world.orders import ARRIVED

MARK, EVENT = "mark", "event"
"""With NOTICE: what can be looked for."""
BINS = 1000
"""How finely an overview tells of notices and steps: parts of the recording."""
MARKS = 1000
"""The most marks in an overview."""
WANTED = (SNAPSHOTS, NOTICES, DETECTIONS, EVENTS, ORDERS)


class NotFoundYet(Exception):
    """The index has not come far enough to say."""


class RecordingIndex:
    """Reads a recording from its beginning to its end in a thread of its own."""

    def __init__(
        self,
        seeker: Seeker,
        notices: NoticeLog,
        missions: MissionLog,
        sightings: Sightings,
        span: tuple[float, float],
    ) -> None:
        """`span` is when the recording begins and ends, s."""
        self.events = EventStore()
        """Those of the recording, notices, and steps of missions."""
        self.sightings = sightings
        self.orders = RecordedOrders()
        self.progress = 0.0
        """From 0 to 1."""
        self._seeker, self._notices, self._missions = seeker, notices, missions
        self._versions = Versions()
        self._repeats = Repeats()
        self._tick: tuple[int, float, float] | None = None
        """Number, time and wall clock of the tick that is read now; and who is near whom in it:"""
        self._near = Encounters.empty()
        self._steps: list[EventRecord] = []
        """Of missions, that begin with it."""
        self._reached, self._over = -1.0, False
        self._span = span
        self._worst: dict[int, tuple[float, int]] = {}
        """By part of the recording: when it came to the worst notice, and its level."""
        self._stepped: dict[int, float] = {}
        """By part of the recording: when a step of a mission began."""
        self._targets = {what: array("d") for what in (NOTICE, MARK, EVENT)}
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._work, name="replay index", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Stop reading."""
        self._ending.set()
        if self._thread.ident is not None:
            self._thread.join()

    def wait(self, timeout: float | None = None) -> bool:
        """Until all is read; returns whether it is."""
        self._thread.join(timeout)
        return self.progress == 1.0

    def find(self, what: str, t: float, direction: int) -> float | None:
        """When the next (previous) one is after (before) `t`; None where there is none.

        Raises NotFoundYet where that is not known yet.
        """
        with self._lock:
            times = self._targets[what]
            if direction > 0:
                which = bisect_right(times, t)
                known = which < len(times) or self._over
            else:
                which = bisect_left(times, t) - 1
                known = self._reached >= t or self._over
            if not known:
                raise NotFoundYet
            return times[which] if 0 <= which < len(times) else None

    def overview(self) -> tuple[list[tuple[float, int]], list[float], list[float]]:
        """Of what was read so far: times of notices with their worst level, of marks, of steps."""
        with self._lock:
            marks, steps = list(self._targets[MARK][:MARKS]), sorted(self._stepped.values())
            return sorted(self._worst.values()), marks, steps

    # --- in the thread

    def _work(self) -> None:
        try:
            self._read_all()
        finally:
            with self._lock:
                self._over, self.progress = True, 1.0

    def _read_all(self) -> None:
        chunks = self._seeker.chunks
        for number in range(chunks):
            if self._ending.is_set():
                return
            for topic, data in self._messages(number):
                self._take(number, topic, data)
            self.progress = min((number + 1) / chunks, 0.999)
        self._finish_tick()
        self.progress = 1.0

    def _messages(self, number: int) -> Iterator[tuple[str, bytes]]:
        data, places = self._seeker.read_chunk(number)
        for topic, offset in zip(places.topic.tolist(), places.offset.tolist(), strict=True):
            if TOPICS[topic] in WANTED:
                yield TOPICS[topic], message_at(data, offset)

    def _take(self, number: int, topic: str, data: bytes) -> None:
        try:
            if topic == SNAPSHOTS:
                self._snapshot(number, data)
            elif topic == EVENTS:
                self._event(number, msgspec.json.decode(data, type=EventRecord))
            elif topic == ORDERS:
                self.orders.add(msgspec.json.decode(data, type=OrderRecord))
            elif topic == NOTICES:
                numbers, near = NOTICE_LAYOUT.decode(data)
                if self._tick and self._tick[0] == numbers["tick"]:
                    self._near = near
            else:
                numbers, finds = DETECTION_LAYOUT.decode(data)
                if self._versions.are_with(numbers["tick"]):
                    self.sightings.add(numbers["t"], finds)
        except (DecodeError, msgspec.MsgspecError):
            return  # this message says nothing; the next will

    def _snapshot(self, number: int, data: bytes) -> None:
        decoded = self._seeker.file_of(number).snapshot(data)
        if decoded is None:
            return
        self._finish_tick()
        snapshot, numbers = decoded
        if self._versions.is_first(snapshot.tick):
            self._tick = snapshot.tick, snapshot.t, numbers["utc"]
            if not numbers["utc"] and len(snapshot.vehicles):
                # A live run has told of missions itself; a fast one, without a clock, has not.
                self._steps = self._missions.events(snapshot.t, 0.0, snapshot.vehicles)

    def _finish_tick(self) -> None:
        """Who was near whom is written right behind a snapshot: what else comes is news."""
        if self._tick is None:
            return
        _, t, utc = self._tick
        events = self._notices.events(t, utc, self._near)
        level = int(self._near.level.max()) if events else 0
        steps = self._steps
        self._tick, self._near, self._steps = None, Encounters.empty(), []
        self.events.add(steps + events)
        with self._lock:
            self._reached = t
            if events:
                self._note(NOTICE, t)
                self._note_worst(t, level)
            if steps:
                self._note(EVENT, t)
                self._stepped.setdefault(self._part(t), t)

    def _event(self, number: int, event: EventRecord) -> None:
        if self._repeats.has(event, self._seeker.file_of(number)):
            return
        self._finish_tick()
        self.events.add([event])
        if remarked(event, ARRIVED):
            self.orders.arrived(event.t, event.vids)
        with self._lock:
            self._note(EVENT, event.t)
            if event.kind == MARK:
                self._note(MARK, event.t)
            if event.kind == MISSION:
                self._stepped.setdefault(self._part(event.t), event.t)

    def _note_worst(self, t: float, level: int) -> None:
        part = self._part(t)
        if part not in self._worst or self._worst[part][1] < level:
            self._worst[part] = t, level

    def _part(self, t: float) -> int:
        start, end = self._span
        return int((t - start) / max(end - start, 1e-9) * BINS)

    def _note(self, what: str, t: float) -> None:
        times = self._targets[what]
        at = bisect_left(times, t)  # at the end, but for a Core that was started again
        if at == len(times) or times[at] != t:
            times.insert(at, t)
