"""Live runs: Core, two hosts and a recorder as real processes on this machine."""

import json
import multiprocessing
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from movenv.bench.baselines import PlainFleet
from movenv.bench.measure import Row, best_time
from movenv.recording.layouts import SNAPSHOT_LAYOUT
from movenv.recording.reader import Recording
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus, BusError
from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.wire import AwarenessMessage, Command, ReportMessage
from movenv.world.frames import Frame
from movenv.world.messages import VehicleStates
from movenv.world.run_state import RunState

MOVENV = [sys.executable, "-m", "movenv"]
TICK = 0.1
STARTING = 90.0
HOSTS = 2


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class LiveRun:
    """A live run of a scenario, with a recording."""

    def __init__(self, scenario: str, duration: float, *more: str) -> None:
        self.address = f"tcp/127.0.0.1:{free_port()}"
        self._folder = tempfile.TemporaryDirectory()
        self.recording = Path(self._folder.name) / "bench.mcap"
        self._process = subprocess.Popen(
            [*MOVENV, "run", scenario, "--json", "--no-console", "--hosts", str(HOSTS),
             "--listen", self.address, "--record", str(self.recording),
             "--duration", str(duration), *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )  # fmt: skip

    def connect(self) -> Bus:
        """When time runs."""
        until = time.monotonic() + STARTING
        while True:
            try:
                bus = Bus.connect(self.address, patience=1)
                while json.loads(bus.ask(keys.STATUS, b""))["state"] != "GO":
                    if time.monotonic() > until:
                        raise TimeoutError("the run does not start")
                    time.sleep(0.2)
                return bus
            except BusError:
                if time.monotonic() > until or self._process.poll() is not None:
                    raise

    def end(self) -> dict[str, Any]:
        """What the run says of itself."""
        out, _ = self._process.communicate()
        told: dict[str, Any] = json.loads(out)
        return told

    def stop_now(self) -> dict[str, Any]:
        """Give STOP; what the run says of itself."""
        with Bus.connect(self.address, patience=5) as bus:
            bus.ask(keys.COMMAND, Command(RunState.STOP, "bench").encoded())
        return self.end()

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process.wait()
        self._folder.cleanup()


@contextmanager
def live_run(scenario: str, duration: float, *more: str) -> Iterator[LiveRun]:
    run = LiveRun(scenario, duration, *more)
    try:
        yield run
    finally:
        run.stop()


@contextmanager
def live_swarm(vehicles: int, duration: float, *more: str) -> Iterator[LiveRun]:
    """The shipped swarm with another number of vehicles at the same density."""
    changes = [f"vehicles.0.count={vehicles}", f"areas.sky.square={50 * vehicles**0.5}"]
    words = [word for change in changes for word in ("--set", change)]
    with live_run("swarm-10k", duration, *words, *more) as run:
        yield run


def _sleeper(seconds: float) -> float:
    """How late a loop is after a while that sleeps a tick after each tick, s."""
    began = time.monotonic()
    ticks = round(seconds / TICK)
    for _ in range(ticks):
        time.sleep(TICK)
    return time.monotonic() - began - ticks * TICK


def real_time(quick: bool) -> list[Row]:
    vehicles, duration = (1_000, 10.0) if quick else (10_000, 300.0)
    fleet, frame = PlainFleet(vehicles, 50 * vehicles**0.5), Frame(29.193111, -81.046171)
    plain = best_time(lambda: fleet.tick(frame, 20.0), 3)
    with live_swarm(vehicles, duration) as run:
        run.connect().close()
        told = run.end()
    everyone = [told["core"], *told["hosts"]]
    margin = min(one["margin_p5"] for one in everyone)
    lag = max(one["worst_lag"] for one in everyone)
    missed = told["core"]["missed_ticks"] + told["core"]["refused"].get("too early", 0)
    kept_up = margin >= 0.2 and lag <= TICK and missed == 0
    said = f"{vehicles:,} vehicles live for {duration:g} s, four behaviors, notices, recording"
    return [
        Row(f"{said}: those that kept to the clock", vehicles if kept_up else 0.0, "vehicles",
            10_000, "higher", "those that NumPy, PROJ and k-d tree alone move in 80% of a tick",
            vehicles * 0.8 * TICK / plain),
        Row(f"{said}: margin at the 5th percentile, worst process", margin, "share of a tick",
            0.2, "higher", "NumPy, PROJ and k-d tree alone, without behaviors, bus or recording",
            max(1e-3, 1 - plain / TICK)),
        Row(f"{said}: worst lag of any tick", lag, "s", TICK, "lower",
            "a loop that sleeps a tick after each, for as long", _sleeper(min(duration, 30.0))),
    ]  # fmt: skip


def _burn(until: float) -> None:
    while time.monotonic() < until:
        pass


def _varying_load(seconds: float) -> None:
    """Nothing, one core busy, all busy, in turns; quiet for the last five seconds."""
    end = time.monotonic() + seconds - 5
    turn = 0
    while time.monotonic() < end:
        until = min(end, time.monotonic() + 7)
        busy = [multiprocessing.Process(target=_burn, args=(until,)) for _ in range(turn % 3)]
        for process in busy:
            process.start()
        time.sleep(max(0.0, until - time.monotonic()))
        for process in busy:
            process.join()
        turn += 1


def drift(quick: bool) -> Row:
    vehicles, duration = (200, 12.0) if quick else (1_000, 600.0)
    slept: list[float] = []
    with live_swarm(vehicles, duration) as run:
        run.connect().close()
        naive = threading.Thread(target=lambda: slept.append(_sleeper(duration - 3)))
        naive.start()
        _varying_load(duration - 3)
        naive.join()
        run.end()
        with Recording(run.recording) as recording:
            stamps = [(s.tick, n["utc"]) for s, n in recording.snapshots() if s.tick > 0]
    ticks, utc = np.array(stamps).T
    late = utc - ticks * TICK
    window = min(50, len(late) // 4)
    return Row(
        what=f"drift of tick {int(ticks[-1]):,} after {duration:g} s under varying load",
        value=max(1e-6, abs(float(np.median(late[-window:]) - np.median(late[:window])))),
        unit="s",
        target=0.01,
        better="lower",
        baseline="a loop that sleeps a tick after each, for as long",
        baseline_value=slept[0],
    )


def p99(values: list[float]) -> float:
    return float(np.percentile(values, 99))


def bare_bus(bus: Bus, count: int) -> list[float]:
    """How long small messages take to the Core's router and back, s."""
    heard = threading.Event()
    key = f"{keys.ROOT}/bench/ping"
    bus.hear(key, lambda _key, _data: heard.set())
    send = bus.sender(key, urgent=True)
    times = []
    for _ in range(count):
        heard.clear()
        began = time.perf_counter()
        send(b"ping")
        heard.wait(1)
        times.append(time.perf_counter() - began)
        time.sleep(0.002)
    return times


def latency(quick: bool) -> list[Row]:
    vehicles, duration, changes = (200, 8.0, 4) if quick else (1_000, 40.0, 20)
    delivered: list[float] = []
    states: list[tuple[int, str, int]] = []

    def on_awareness(_host: str, data: bytes) -> None:
        message = wire.decode(AwarenessMessage, data)
        delivered.append((time.monotonic_ns() - message.echo_received) / SECOND)

    def on_report(host: str, data: bytes) -> None:
        states.append((time.monotonic_ns(), host, wire.decode(ReportMessage, data).state))

    with live_swarm(vehicles, 3600) as run:
        bus = run.connect()
        bus.hear(keys.awareness_key("*"), on_awareness)
        time.sleep(duration)
        notice = p99(delivered[20:])
        bus.hear(keys.report_key("*"), on_report)
        bare = bare_bus(bus, 500)
        took = [_change(bus, states, turn) for turn in range(changes)]
        bus.ask(keys.COMMAND, Command(RunState.STOP, "bench").encoded())
        bus.close()
        run.end()
    return [
        Row(f"report received to notice delivered, p99, {vehicles:,} vehicles", notice, "s", TICK,
            "lower", "a bare message through the same bus, p99", p99(bare)),
        Row(f"command to last vehicle changed run state, {vehicles:,} vehicles", max(took), "s",
            2 * TICK, "lower", "a bare message through the same bus, p99", p99(bare)),
    ]  # fmt: skip


def _change(bus: Bus, states: list[tuple[int, str, int]], turn: int) -> float:
    """From a command until every host says that its vehicles have changed, s."""
    wanted = RunState.PAUSE if turn % 2 == 0 else RunState.GO
    # Not always at the same place within a tick.
    time.sleep(0.5 + 0.013 * turn)
    states.clear()
    began = time.monotonic_ns()
    bus.ask(keys.COMMAND, Command(wanted, "bench").encoded())
    changed: dict[str, int] = {}
    while len(changed) < HOSTS:
        time.sleep(0.001)
        for at, host, state in list(states):
            if state == wanted:
                changed.setdefault(host, at)
    return (max(changed.values()) - began) / SECOND


class _CountingLink:
    """Passes a TCP connection on and counts what comes back through it."""

    def __init__(self, target: int) -> None:
        self.to_host = 0
        self._target = target
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._target))
            self._pump(near, far, lambda _count: None)
            self._pump(far, near, self._count)

    def _count(self, count: int) -> None:
        self.to_host += count

    def _pump(
        self, source: socket.socket, sink: socket.socket, tell: Callable[[int], None]
    ) -> None:
        def pump() -> None:
            try:
                while data := source.recv(65536):
                    tell(len(data))
                    sink.sendall(data)
            except OSError:
                pass  # one end was closed; now the other is
            for end in (source, sink):
                end.close()

        threading.Thread(target=pump, daemon=True).start()

    def close(self) -> None:
        self._server.close()


def thin_link(quick: bool) -> Row:
    vehicles, duration = (1_000, 5.0) if quick else (10_000, 20.0)
    with live_swarm(vehicles, 3600, "--away", "drone-1") as run:
        link = _CountingLink(int(run.address.rsplit(":", 1)[1]))
        time.sleep(3)
        far = subprocess.Popen(
            [*MOVENV, "host", "--name", "far", "--vehicles", "drone-1", "--core",
             f"tcp/127.0.0.1:{link.port}"],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        bus = run.connect()
        time.sleep(1)
        before = link.to_host
        time.sleep(duration)
        rate = (link.to_host - before) / duration
        bus.ask(keys.COMMAND, Command(RunState.STOP, "bench").encoded())
        bus.close()
        run.end()
        far.wait(20)
        link.close()
    whole = len(SNAPSHOT_LAYOUT.encode(dict.fromkeys(SNAPSHOT_LAYOUT.numbers, 0),
                                       VehicleStates.empty(vehicles)))  # fmt: skip
    return Row(
        what=f"to a remote host with one vehicle among {vehicles:,}",
        value=rate / 1000,
        unit="KB/s",
        target=50.0,
        better="lower",
        baseline="the whole snapshot every tick",
        baseline_value=whole / TICK / 1000,
    )


def measure(quick: bool) -> list[Row]:
    return [*real_time(quick), drift(quick), *latency(quick), thin_link(quick)]
