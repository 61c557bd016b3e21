"""A live run on a simulated network and clock: no socket, no thread, no waiting.

`LiveCore` and `LiveHost` are called as `core_process` and `host_process` call them, in true time
that only this file knows: every process has a clock of its own, every link its delay and loss, and
a process can be stalled, killed and started again.
"""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from movenv.gateways.fix import Fix
from movenv.gateways.inlet import Arrival, Inlet
from movenv.recording.layouts import EventRecord
from movenv.recording.order_record import OrderRecord
from movenv.runtime.live import wire
from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.core import LiveCore, Outgoing, Resumed
from movenv.runtime.live.gateway import LiveGateway
from movenv.runtime.live.host import LiveHost
from movenv.runtime.live.real_vehicles import RealVehicles
from movenv.runtime.live.wire import AwarenessMessage, Beacon, Joined, JoinRequest, Refusal
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.core import Update
from movenv.world.run_state import RunState

from .links import Clock, Process, TrueTime, Way

REJOIN_EVERY = SECOND // 2
ASK_PATIENCE = 5 * SECOND


class CoreSide(Process):
    """As `CoreProcess`."""

    def __init__(self, net: "Simulation", clock: Clock, live: LiveCore) -> None:
        super().__init__(net, clock)
        self.net = net
        self.live = live
        self._arrivals: list[tuple[str, wire.ReportMessage, int]] = []
        self._next_second = 0

    def turn(self) -> int:
        for host, message, at in self._arrivals:
            self.live.take(host, message, at)
        self._arrivals = []
        out = self.live.act(self.now)
        self._say(out)
        if out.update is not None and out.keep:
            self.live.finish(self.now)
        return self.live.due()

    def on_report(self, host: str, data: bytes) -> None:
        message = self.live.seats.admit(host, data)
        if message is not None:
            self._arrivals.append((host, message, self.now))
            self.wake()

    def on_join(self, data: bytes) -> bytes:
        answer = self.live.join(wire.decode(JoinRequest, data), self.now)
        self.wake()
        return answer.encoded()

    def command(self, wanted: RunState, who: str = "test") -> None:
        self.live.command(wanted, who, self.now)
        self._broadcast(self.live.beacon)
        self.wake()

    def on_gone(self, name: str) -> None:
        self.live.gone(name, self.now)
        self.wake()

    def _say(self, out: Outgoing) -> None:
        if out.beacon:
            self._broadcast(out.beacon)
        for name, message in out.awareness.items():
            host = self.net.hosts[name]
            self._send(host, message.encoded(), host.on_awareness)
        while self.live.events:
            self.net.events.append(self.live.events.popleft())
        changed = self.live.effective_state != self.net.said_state
        self.net.said_state = self.live.effective_state
        if changed or self.now >= self._next_second:
            self._next_second = self.now + SECOND
            self.net.summary = self.live.summary.as_record()
            self.net.orders = self.live.orders.records()
            self.net.statuses.append(msgspec.json.encode(self.live.status(self.now)))
        if out.update is not None:
            self.net.stated.append((self.net.now, out.update))
            if out.keep:
                self.net.kept.append(out.update)

    def _broadcast(self, beacon: Beacon) -> None:
        for host in self.net.hosts.values():
            self._send(host, beacon.encoded(), host.on_beacon)

    def _send(self, host: "HostSide", data: bytes, handler: Callable[[bytes], None]) -> None:
        at = host.down.arrival(self.net.now)
        if at is not None:
            self.net.at(at, lambda: host.when_awake(lambda: handler(data)))


class HostSide(Process):
    """As `HostProcess`."""

    def __init__(self, net: "Simulation", clock: Clock, claim: dict[str, Any]) -> None:
        super().__init__(net, clock)
        self.net = net
        self.claim = claim
        self.name: str = claim["name"]
        self.up, self.down = Way(), Way()
        self.live: LiveHost | None = None
        self.refusal: Refusal | None = None
        self.cost = 0
        """What a tick takes, ns."""
        self.sent: list[tuple[int, wire.ReportMessage]] = []
        """What it reported, and when in true time."""
        self._heard: list[tuple[AwarenessMessage | Beacon, int]] = []
        self._asking = False
        self._next_join = 0

    # --- joining

    def join(self) -> None:
        self._ask([], self._on_first_answer)

    def _ask(self, vids: list[int], on_answer: Callable[[bytes, int], None]) -> None:
        """Ask and wait; meanwhile nothing else is done."""
        sent = self.now
        share = self.claim.get("share", (1, 1))
        include, exclude = self.claim.get("include", ["*"]), self.claim.get("exclude", [])
        real = self.claim.get("real", False)
        orders = self.live.orders if self.live and vids else []
        wheels = self.live.wheels if self.live and vids else []
        request = JoinRequest(self.name, include, exclude, share, vids, sent, orders, real, wheels)
        self._asking = True
        core = self.net.core

        def arrived() -> None:
            answer = core.on_join(request.encoded())
            back = self.down.arrival(self.net.now, reliable=True)
            assert back is not None
            self.net.at(back, lambda: self.when_awake(lambda: answered(answer)))

        def answered(answer: bytes) -> None:
            if self._asking:
                self._asking = False
                on_answer(answer, sent)
                self.wake()

        def give_up() -> None:
            if self._asking:
                self._asking = False
                self.wake()

        there = self.up.arrival(self.net.now, reliable=True)
        assert there is not None
        self.net.at(there, lambda: core.when_awake(arrived))
        self.net.at(self.net.now + ASK_PATIENCE, give_up)

    def _on_first_answer(self, data: bytes, sent: int) -> None:
        answer = wire.as_answer(Joined, data)
        if isinstance(answer, Refusal):
            self.refusal = answer
            return
        self.live = self.make(answer)
        self.live.clock_sample(sent, answer.received, answer.answered, self.now)

    def make(self, joined: Joined) -> LiveHost:
        return LiveHost(self.net.stage, self.name, joined, self.now)

    def _on_later_answer(self, data: bytes, sent: int) -> None:
        answer = wire.as_answer(Joined, data)
        assert self.live is not None
        if isinstance(answer, Joined):
            self.live.rejoined(answer, self.now)
            self.live.clock_sample(sent, answer.received, answer.answered, self.now)

    # --- the main loop

    def turn(self) -> int | None:
        if self.live is None or self._asking:
            return None
        self._drain()
        if self._asking:
            return None
        report = self.live.act(self.now)
        if report is None:
            return None if self.live.stopped else self.live.due()
        self._send(report)
        self.live.finish(self.now)
        if self.live.stopped:
            return None
        self.busy_until = self.net.now + self.cost
        return self.now

    def _drain(self) -> None:
        assert self.live is not None
        strange = False
        heard, self._heard = self._heard, []
        for message, at in heard:
            try:
                if isinstance(message, Beacon):
                    strange |= self.live.hear_beacon(message, at)
                else:
                    strange |= self.live.hear(message, at)
            except wire.Garbled:
                self.live.garbled += 1
        if strange and self.now >= self._next_join:
            self._next_join = self.now + REJOIN_EVERY
            self._ask(self.live.vids, self._on_later_answer)

    def _send(self, report: wire.ReportMessage) -> None:
        self.sent.append((self.net.now, report))
        data, core = report.encoded(), self.net.core
        at = self.up.arrival(self.net.now)
        if at is not None:
            self.net.at(at, lambda: core.when_awake(lambda: core.on_report(self.name, data)))

    def on_awareness(self, data: bytes) -> None:
        self._take(AwarenessMessage, data)

    def on_beacon(self, data: bytes) -> None:
        self._take(Beacon, data)

    def _take(self, kind: type[AwarenessMessage] | type[Beacon], data: bytes) -> None:
        if self.live is None:
            return
        try:
            self._heard.append((wire.decode(kind, data), self.now))
        except wire.Garbled:
            self.live.garbled += 1
        self.wake()


class GatewaySide(HostSide):
    """As `GatewayProcess`, with packets that come from nowhere."""

    EPOCH = 1_800_000_000
    """The wall clock when true time begins, s since 1970."""

    def __init__(self, net: "Simulation", clock: Clock, claim: dict[str, Any]) -> None:
        super().__init__(net, clock, claim)
        self.inlet = Inlet(lambda: self.utc)

    @property
    def utc(self) -> float:
        return self.EPOCH + self.net.now / SECOND

    @property
    def gateway(self) -> LiveGateway:
        assert isinstance(self.live, LiveGateway)
        return self.live

    def make(self, joined: Joined) -> LiveHost:
        entries = [real.entry for real in self.net.stage.real if real.entry.vid in joined.vids]
        self.vehicles = RealVehicles(self.net.stage.frame, entries, self.inlet)
        utc = self.EPOCH * SECOND + self.net.now
        return LiveGateway(self.net.stage, self.name, joined, self.vehicles, self.now, utc)

    def hear(self, vid: int, fix: Fix) -> None:
        """A fix comes in now."""
        self.inlet.take(Arrival(self.utc, "test", "10.0.0.1:5000", b"packet", [(vid, fix)]))


class Simulation(TrueTime):
    """True time, and everyone who lives in it."""

    def __init__(
        self,
        scenario: str | Stage,
        *changes: str,
        speed: float = 1.0,
        auto: bool = False,
        core_clock: Clock | None = None,
    ) -> None:
        self.stage = scenario if isinstance(scenario, Stage) else Stage(load(scenario, [*changes]))
        super().__init__()
        self.speed, self.auto = speed, auto
        self.hosts: dict[str, HostSide] = {}
        self.kept: list[Update] = []
        """What would stand in the recording."""
        self.stated: list[tuple[int, Update]] = []
        """All that the Core stated, and when in true time."""
        self.events: list[EventRecord] = []
        self.said_state = RunState.READY
        self.summary: dict[str, Any] | None = None
        self.orders: list[OrderRecord] = []
        """Those that hold, as the recording was last told."""
        self.statuses: list[bytes] = []
        clock = core_clock or Clock(1_000_000 * SECOND)
        live = LiveCore(self.stage, speed, auto, 0, clock.read(0))
        self.core = CoreSide(self, clock, live)
        self.core.wake()

    @property
    def live(self) -> LiveCore:
        return self.core.live

    def run(self, seconds: float) -> "Simulation":
        """Let true time go on."""
        return self.run_until(lambda: False, seconds)

    def run_until(self, reached: Callable[[], bool], seconds: float = 3600) -> "Simulation":
        """Let true time go on until something is so, or for so long."""
        self.pass_until(reached, seconds)
        return self

    def host(
        self, name: str, clock: Clock | None = None, way: Way | None = None, **claim: Any
    ) -> HostSide:
        """A host process that joins now. `way` is what its link is like, both ways."""
        host = HostSide(self, clock or Clock(), {"name": name} | claim)
        if way is not None:
            host.up, host.down = (replace(way, chance=random.Random(seed)) for seed in (2, 3))
        self.hosts[name] = host
        host.join()
        return host

    def gateway(
        self, name: str = "gateway", clock: Clock | None = None, **claim: Any
    ) -> GatewaySide:
        """A gateway process that joins now."""
        gateway = GatewaySide(
            self, clock or Clock(7 * 3600 * SECOND), {"name": name, "real": True} | claim
        )
        self.hosts[name] = gateway
        gateway.join()
        return gateway

    def shares(self, count: int, clocks: list[Clock] | None = None) -> "Simulation":
        """So many hosts, each with its share of the vehicles, clocks hours apart."""
        for i in range(count):
            clock = clocks[i] if clocks else Clock((3 * i + 1) * 3600 * SECOND + 12345 * i)
            self.host(f"h{i + 1}", clock, share=(i + 1, count))
        return self.run(0.01)

    def command(self, *wanted: RunState) -> "Simulation":
        for state in wanted:
            self.core.command(state)
            self.run(0.01)
        return self

    def start(self) -> "Simulation":
        """SET, a while for the clocks to be compared, GO."""
        return self.run(1.0).command(RunState.SET).run(1.0).command(RunState.GO)

    def kill(self, name: str) -> None:
        """A host process is gone, and its connection with it."""
        host = self.hosts[name]
        host.alive = False
        core = self.core
        self.at(self.now + host.up.delay, lambda: core.when_awake(lambda: core.on_gone(name)))

    def kill_core(self) -> Resumed:
        """Returns what a recording of the run would tell a new Core."""
        self.core.alive = False
        last = self.kept[-1].snapshot
        where = self.live.run_id, self.said_state, last.tick, last.vehicles
        return Resumed(*where, self.summary, self.orders)

    def restart_core(self, resumed: Resumed) -> None:
        clock = self.core.clock
        now = clock.read(self.now)
        live = LiveCore(self.stage, self.speed, self.auto, 0, now, resumed=resumed)
        self.core = CoreSide(self, clock, live)
        self.core.wake()
