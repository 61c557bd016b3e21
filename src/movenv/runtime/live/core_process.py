"""The process of the Core: connects what decides (`LiveCore`) with the bus and the clock."""

import contextlib
import gc
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from movenv.recording.layouts import (
    PACKETS,
    EventRecord,
    HealthRecord,
    RunRecord,
    RunStateRecord,
)
from movenv.recording.mission_log import MISSION
from movenv.recording.wheel_record import WheelRecord
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.admission import MarkRefused
from movenv.runtime.live.around import AroundRequest
from movenv.runtime.live.bus import Bus
from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.core import LiveCore, Outgoing
from movenv.runtime.live.missing import NAMED
from movenv.runtime.live.records import (
    Item,
    RecordStream,
    event_item,
    health_item,
    order_item,
    state_item,
    summary_item,
    wheel_item,
)
from movenv.runtime.live.wheel_wire import (
    WHEEL,
    WHEEL_RELEASE,
    Dashboard,
    WheelRelease,
    WheelRequest,
    dashboard_key,
)
from movenv.runtime.live.wire import (
    AnyMessage,
    Command,
    Done,
    Garbled,
    GatewayNews,
    JoinRequest,
    Mark,
    Marked,
    Message,
    OrderMessage,
    RecordsAgain,
    Refusal,
    ReportMessage,
    printable,
)
from movenv.scenario.orders import OrderRefused
from movenv.world.progress import NAMED as FEW_MISSIONS
from movenv.world.run_state import IllegalMove, RunState

QUEUE = 20_000
"""Reports that may wait; more can only come from somebody who does not keep to the tick."""
LARGEST_ORDER = 2_000_000
"""Bytes: as many names and places as are allowed, at their longest, are fewer."""
FAREWELL = 8 * SECOND
"""How long the Core waits after STOP for hosts and recorders to end."""
SECONDLY = SECOND


@dataclass(frozen=True)
class Arrival:
    """A report as it came."""

    host: str
    message: ReportMessage
    at: int


class CoreProcess:
    """Runs a LiveCore until the run has ended."""

    def __init__(self, live: LiveCore, bus: Bus, record: RunRecord, source: str) -> None:
        self._live = live
        self._bus = bus
        self._record = msgspec.json.encode(record)
        self._source = source
        many = sum(mission >= 0 for mission in record.roster.mission) > FEW_MISSIONS
        self._not_printed = {MISSION} if many else set()
        """Kinds of events that would flood a terminal."""
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._arrivals: deque[Arrival] = deque()
        self._tell: dict[str, Any] = {}
        self._said_state: RunState | None = None
        self._next_second = 0
        self._beacon = bus.sender(keys.BEACON, urgent=True)
        records = bus.sender(keys.RECORDS, urgent=False, patient=True)
        self._stream = RecordStream(live.run_id, live.core_id, records)
        bus.hear(keys.report_key("*"), self._on_report)
        bus.hear(keys.news_key("*"), self._on_news)
        bus.hear(dashboard_key("*"), self._on_dashboard)
        bus.answer(keys.JOIN, self._on_join)
        bus.answer(keys.COMMAND, self._on_command)
        bus.answer(keys.MARK, self._on_mark)
        bus.answer(keys.ORDER, self._on_order)
        bus.answer(WHEEL, self._on_wheel)
        bus.answer(WHEEL_RELEASE, self._on_wheel_release)
        bus.answer(keys.STATUS, self._on_status)
        bus.answer(keys.RUN, self._on_run)
        bus.answer(keys.RECORDS_AGAIN, self._on_records_again)
        bus.answer(keys.AROUND, self._on_around)
        bus.watch_alive(keys.alive_key("*"), self._on_host)
        bus.watch_alive(keys.recorder_key("*"), self._on_recorder)
        bus.watch_alive(keys.watcher_key("*"), self._on_watcher)

    def run(self) -> None:
        """Until STOP has reached everyone."""
        gc.freeze()
        while True:
            self._wake.clear()
            with self._lock:
                self._drain()
                out = self._live.act(time.monotonic_ns())
                self._say(out)
                if out.update is not None and out.keep:
                    self._live.finish(time.monotonic_ns())
                due = self._live.due()
                over = self._over()
            if over:
                break
            self._wake.wait(max(0, due - time.monotonic_ns()) / SECOND)
        self._stream.close()

    def stop(self, who: str) -> None:
        """End the run from within this process."""
        with self._lock:
            if self._live.state != RunState.STOP:
                self._live.command(RunState.STOP, who, time.monotonic_ns())
        self._wake.set()

    def refusal(self, reason: str) -> None:
        """Somebody without the run's keys was turned away."""
        with self._lock:
            self._live.turn_away(reason)

    # --- what comes, in threads of the bus

    def _on_report(self, host: str, data: bytes) -> None:
        message = self._live.seats.admit(host, data)
        if message is None:
            return
        if len(self._arrivals) >= QUEUE:
            self._live.seats.refuse("too many")
            return
        self._arrivals.append(Arrival(host, message, time.monotonic_ns()))
        self._wake.set()

    def _on_news(self, host: str, data: bytes) -> None:
        try:
            news = wire.decode(GatewayNews, data)
        except Garbled:
            self._live.seats.refuse("garbled")
            return
        with self._lock:
            packets = self._live.news(host, news)
            self._stream.packets([(PACKETS, self._live.t, packet) for packet in packets])
        self._wake.set()

    def _on_dashboard(self, vid: str, data: bytes) -> None:
        try:
            shown = wire.decode(Dashboard, data)
        except Garbled:
            self._live.seats.refuse("garbled")
            return
        if vid != str(shown.vid):
            self._live.seats.refuse("garbled")
            return
        silence = shown.silence if math.isfinite(shown.silence) else None
        record = WheelRecord(shown.t, shown.tick, shown.vid, shown.sequence, *shown.wheel, silence)
        with self._lock:
            self._stream.packets([wheel_item(record)])

    def _on_join(self, data: bytes) -> bytes:
        try:
            request = wire.decode(JoinRequest, data)
        except Garbled as error:
            self._live.seats.refuse("garbled")
            return Refusal(str(error)).encoded()
        with self._lock:
            answer = self._live.join(request, time.monotonic_ns())
            if not isinstance(answer, Refusal) and request.name not in self._tell:
                key = keys.awareness_key(request.name)
                self._tell[request.name] = self._bus.sender(key, urgent=True, fleeting=True)
        self._wake.set()
        return answer.encoded()

    def _on_command(self, data: bytes) -> bytes:
        try:
            command = wire.decode(Command, data)
            with self._lock:
                who = printable(command.who)
                self._live.command(RunState(command.state), who, time.monotonic_ns())
                beacon, silent = self._live.beacon, self._live.seats.silent[:NAMED]
                self._beacon(beacon.encoded())
        except Garbled as error:
            self._live.seats.refuse("garbled")
            return Refusal(str(error)).encoded()
        except (IllegalMove, ValueError) as error:
            return Refusal(str(error)).encoded()
        self._wake.set()
        return Done(beacon, silent).encoded()

    def _on_mark(self, data: bytes) -> bytes:
        try:
            mark = wire.decode(Mark, data)
            with self._lock:
                t = self._live.mark(mark.text, printable(mark.who))
        except Garbled as error:
            self._live.seats.refuse("garbled")
            return Refusal(str(error)).encoded()
        except MarkRefused as error:
            return Refusal(str(error)).encoded()
        self._wake.set()
        return Marked(t).encoded()

    def _on_order(self, data: bytes) -> bytes:
        try:
            if len(data) > LARGEST_ORDER:
                raise Garbled(f"an order of {len(data):,} bytes; {LARGEST_ORDER:,} are the most")
            message = wire.decode(OrderMessage, data)
            order = self._live.resolved(message, printable(message.who))  # the tick need not wait
            with self._lock:
                ordered = self._live.give(order, time.monotonic_ns())
        except Garbled as error:
            self._live.seats.refuse("garbled")
            return Refusal(str(error)).encoded()
        except OrderRefused as error:
            return Refusal(str(error)).encoded()
        self._wake.set()
        return ordered.encoded()

    def _on_wheel(self, data: bytes) -> bytes:
        now = time.monotonic_ns()
        return self._answered(WheelRequest, data, lambda asked: self._live.wheel(asked, now))

    def _on_wheel_release(self, data: bytes) -> bytes:
        return self._answered(WheelRelease, data, self._live.release_wheel)

    def _answered(
        self, wanted: type[AnyMessage], data: bytes, answer: Callable[[AnyMessage], Message]
    ) -> bytes:
        """Decode a question and answer it; what is garbled is counted and refused."""
        try:
            asked = wire.decode(wanted, data)
        except Garbled as error:
            self._live.seats.refuse("garbled")
            return Refusal(str(error)).encoded()
        with self._lock:
            answered = answer(asked)
        self._wake.set()
        return answered.encoded()

    def _on_status(self, data: bytes) -> bytes:
        """To the question `vehicles` with all of them, to `console` with what consoles need.

        To `orders` with nothing but those that hold.
        """
        now = time.monotonic_ns()
        with self._lock:
            if data == b"orders":
                return msgspec.json.encode({"orders": self._live.orders.listed(names=True)})
            ask = self._live.console_status if data == b"console" else self._live.status
            status = ask(now) | {"given_up": self._stream.given_up, "utc": time.time()}
            if data == b"vehicles":
                status["each"] = self._live.vehicle_status(now)
        return msgspec.json.encode(status)

    def _on_run(self, _data: bytes) -> bytes:
        with self._lock:
            beacon = self._live.beacon
        return wire.RunInfo(beacon, self._source, self._record).encoded()

    def _on_records_again(self, data: bytes) -> bytes:
        try:
            return self._stream.again(wire.decode(RecordsAgain, data)).encoded()
        except Garbled as error:
            self._live.seats.refuse("garbled")
            return Refusal(str(error)).encoded()

    def _on_around(self, data: bytes) -> bytes:
        now = time.monotonic_ns()
        try:
            return self._live.around(wire.decode(AroundRequest, data), now).encoded()
        except Garbled as error:
            self._live.seats.refuse("garbled")
            return Refusal(str(error)).encoded()

    def _on_host(self, name: str, here: bool) -> None:
        if not here:
            with self._lock:
                self._live.gone(name, time.monotonic_ns())
            self._wake.set()

    def _on_recorder(self, name: str, here: bool) -> None:
        with self._lock:
            self._live.recorder(name, here)
            self._stream.recorders(len(self._live.audience.recorders))
        self._wake.set()

    def _on_watcher(self, name: str, here: bool) -> None:
        with self._lock:
            self._live.audience.watcher(name, here)
        self._wake.set()

    # --- what goes

    def _drain(self) -> None:
        while self._arrivals:
            arrival = self._arrivals.popleft()
            self._live.take(arrival.host, arrival.message, arrival.at)

    def _say(self, out: Outgoing) -> None:
        if out.beacon:
            self._beacon(out.beacon.encoded())
        for host, message in out.awareness.items():
            self._tell[host](message.encoded())
        utc = time.time()
        items = self._happenings(utc)
        if out.update is not None and out.keep:
            self._stream.tick(out.update, utc, True, items)
        else:
            if out.update is not None:
                self._stream.tick(out.update, utc, False)
            self._stream.say(items)

    def _happenings(self, utc: float) -> list[Item]:
        """Events, changes of the run state and, once a second, summary and health."""
        live, items = self._live, []
        while live.events:
            event = live.events.popleft()
            items.append(event_item(msgspec.structs.replace(event, utc=utc)))
            if event.kind not in self._not_printed:
                _tell(event)
        while live.orders.given:
            order = live.orders.given.popleft()
            items.append(order_item(msgspec.structs.replace(order, utc=utc)))
        now = time.monotonic_ns()
        state = live.effective_state
        changed = state != self._said_state
        if changed:
            self._said_state = state
            items.append(state_item(RunStateRecord(live.t, state.name, utc)))
        if changed or (now >= self._next_second and live.state != RunState.STOP):
            self._next_second = now + SECONDLY
            summary = live.summary.as_record() | {"orders": live.orders.to_record(now)}
            items.append(summary_item(live.t, summary))
            items.append(health_item(HealthRecord(live.t, utc, *live.health(now))))
        return items

    def _over(self) -> bool:
        ended = self._live.ended_at
        if ended is None:
            return False
        return self._live.deserted or time.monotonic_ns() - ended > FAREWELL


def _tell(event: EventRecord) -> None:
    who = f"{event.who}: " if event.who else ""
    with contextlib.suppress(OSError):  # a launcher that was killed no longer listens
        print(f"t = {event.t:.1f} s  {who}{event.text}", flush=True)
