"""The process of a simulation host: connects what decides (`LiveHost`) with bus and clock."""

import gc
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from movenv.recording.layouts import RunRecord
from movenv.runtime.errors import RunFailed
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus, BusError
from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.host import LiveHost
from movenv.runtime.live.run_info import run_info
from movenv.runtime.live.sensor_feed import SensorFeed
from movenv.runtime.live.warm_up import warm_up
from movenv.runtime.live.wheel_wire import Dashboard, Turn, dashboard_key, turns_key
from movenv.runtime.live.wheels import drivable
from movenv.runtime.live.wire import (
    AwarenessMessage,
    Beacon,
    Garbled,
    Joined,
    JoinRequest,
    Refusal,
    RunInfo,
)
from movenv.scenario.build import Stage
from movenv.scenario.document import parse_document
from movenv.scenario.load import load_document

QUEUE = 1000
REJOIN_EVERY = SECOND // 2
JOIN_PATIENCE = 10.0
"""How long a name that is still in use may take to become free, s: a killed host's is, soon."""


class NotAdmitted(RunFailed):
    """The Core refuses this host; the message is for the user."""


@dataclass(frozen=True)
class Claim:
    """Which vehicles a host asks for."""

    name: str
    include: list[str]
    exclude: list[str]
    share: tuple[int, int] = (1, 1)
    real: bool = False
    """Whether they are real: a gateway's."""

    def request(self, live: LiveHost | None) -> JoinRequest:
        """With what a host has already: its vehicles, the orders they obey, and who drives them."""
        sent = time.monotonic_ns()
        wanted = self.include, self.exclude, self.share
        if live is None:
            return JoinRequest(self.name, *wanted, [], sent, real=self.real)
        had = live.vids, sent, live.orders
        return JoinRequest(self.name, *wanted, *had, self.real, live.wheels)


def stage_of(info: RunInfo, record: RunRecord, folder: Path) -> Stage:
    """The run's stage, built here from the Core's scenario. Raises ScenarioError."""
    document = parse_document(record.scenario, info.source, folder, record.files)
    return Stage(load_document(document, record.changes, {}))


class HostProcess:
    """Runs a LiveHost until the run has ended."""

    def __init__(self, bus: Bus, claim: Claim, folder: Path) -> None:
        """Joins the run. Raises BusError, ScenarioError or NotAdmitted."""
        self._bus = bus
        self._claim = claim
        self._wake = threading.Event()
        self._heard: deque[tuple[AwarenessMessage | Beacon, int]] = deque(maxlen=QUEUE)
        self._turns: deque[tuple[int, Turn, int]] = deque(maxlen=QUEUE)
        """What drivers do: it waits for the next tick, which is not begun for its sake."""
        self._next_join = 0
        info, record = run_info(bus)
        stage = stage_of(info, record, folder)
        warm_up(stage)
        self._send = bus.sender(keys.report_key(claim.name), urgent=True, fleeting=True)
        joined, sent, now = self._joined()
        self.live = self._make(stage, joined, now)
        self.live.clock_sample(sent, joined.received, joined.answered, now)
        self._sensors = SensorFeed(bus, stage, self.live.rows, info.beacon.run)
        self.live.let_look(self._sensors.is_heard)
        bus.hear(keys.awareness_key(claim.name), self._on_awareness)
        bus.hear(keys.BEACON, self._on_beacon)
        self._dashboards: dict[int, Callable[[bytes], None]] = {}
        self._shown: list[Dashboard] = []
        for vid in self._drivable(stage):
            bus.hear(turns_key(vid), self._on_turn)
            self._dashboards[vid] = bus.sender(dashboard_key(vid), urgent=True, fleeting=True)
        bus.be_alive(keys.alive_key(claim.name))

    def _make(self, stage: Stage, joined: Joined, now: int) -> LiveHost:
        """What decides."""
        return LiveHost(stage, self._claim.name, joined, now)

    def _serve(self) -> None:
        """What else to do whenever this process wakes."""

    def _joined(self) -> tuple[Joined, int, int]:
        until = time.monotonic() + JOIN_PATIENCE
        while True:
            try:
                answer, sent, now = self._ask_to_join(None)
            except Garbled as error:
                raise BusError(f"what answers is no Core of this version: {error}") from None
            if isinstance(answer, Joined):
                return answer, sent, now
            if not answer.passing or time.monotonic() > until:
                raise NotAdmitted(f"the Core does not take host '{self._claim.name}': {answer.why}")
            time.sleep(0.2)

    def _ask_to_join(self, live: LiveHost | None) -> tuple[Joined | Refusal, int, int]:
        request = self._claim.request(live)
        data = self._bus.ask(keys.JOIN, request.encoded(), timeout=5)
        return wire.as_answer(Joined, data), request.sent, time.monotonic_ns()

    def run(self) -> None:
        gc.freeze()
        while not self.live.stopped:
            self._wake.clear()
            self._drain()
            report = self.live.act(time.monotonic_ns())
            if report is not None:
                self._send(report.encoded())
            self._show()
            self._sensors.publish(self.live.readings)
            self.live.finish(time.monotonic_ns())
            self._serve()
            self._wake.wait(max(0, self.live.due() - time.monotonic_ns()) / SECOND)
        report = self.live.act(time.monotonic_ns())
        if report is not None:
            self._send(report.encoded())

    def _drivable(self, stage: Stage) -> list[int]:
        """Those of our vehicles that may be driven from outside."""
        mine = set(self.live.vids)
        return [vid for vid in drivable(stage.roster) if vid in mine]

    def _show(self) -> None:
        """Let drivers see what became of their turns."""
        if self.live.dashboards is not self._shown:
            self._shown = self.live.dashboards
            for dashboard in self._shown:
                self._dashboards[dashboard.vid](dashboard.encoded())

    def _drain(self) -> None:
        strange = False
        while self._turns:
            try:
                self.live.turned(*self._turns.popleft())
            except Garbled:
                self.live.garbled += 1
        while self._heard:
            message, at = self._heard.popleft()
            try:
                if isinstance(message, Beacon):
                    strange |= self.live.hear_beacon(message, at)
                else:
                    strange |= self.live.hear(message, at)
            except Garbled:
                self.live.garbled += 1
        if strange and time.monotonic_ns() >= self._next_join:
            self._rejoin()

    def _rejoin(self) -> None:
        """A Core that does not know us speaks: it was restarted."""
        self._next_join = time.monotonic_ns() + REJOIN_EVERY
        try:
            answer, sent, now = self._ask_to_join(self.live)
        except (BusError, Garbled):
            return  # it will speak again
        if isinstance(answer, Joined):
            self.live.rejoined(answer, now)
            self.live.clock_sample(sent, answer.received, answer.answered, now)

    def _on_turn(self, vid: str, data: bytes) -> None:
        now = time.monotonic_ns()
        try:
            self._turns.append((int(vid), wire.decode(Turn, data), now))
        except Garbled:
            self.live.garbled += 1

    def _on_awareness(self, _name: str, data: bytes) -> None:
        self._take(AwarenessMessage, data)

    def _on_beacon(self, _name: str, data: bytes) -> None:
        self._take(Beacon, data)

    def _take(self, kind: type[AwarenessMessage] | type[Beacon], data: bytes) -> None:
        try:
            message = wire.decode(kind, data)
        except Garbled:
            self.live.garbled += 1
            return
        self._heard.append((message, time.monotonic_ns()))
        self._wake.set()
