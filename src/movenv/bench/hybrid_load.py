"""What hybrid vehicles cost the Core: with rays traced beside them, and with scans brought to it.

In the first case only positions cross the network. In the second every scan travels to where the
Core is, is altered there, and travels back, as the paper first did.
"""

import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from movenv.bench.injection import crowd
from movenv.bench.live import MOVENV, LiveRun, free_port
from movenv.bench.measure import Row
from movenv.bench.running import pid_of, processor_seconds
from movenv.gateways.datagram.codec import encode_json
from movenv.gateways.fix import sound_fix
from movenv.gateways.scans.codec import encode_datagram
from movenv.runtime.live import bus as keys
from movenv.runtime.live.around import AroundRequest
from movenv.runtime.live.bus import Bus, BusError

SCENARIO = """
name: hybrid-load
origin: {{lat: 29.193111, lon: -81.046171}}
time: {{tick: 0.05, step: 0.005, duration: 3600}}
vehicles:
  - {{name: real, count: {count}, kind: ground, live: {{type: datagram, port: {port}}},
     model: {{type: ground, build: f110}}, start: {{grid: {{center: [0, 40], spacing: 2}}}}}}
  - {{name: virtual, count: 10, kind: ground, model: {{type: ground, build: f110}},
     start: {{grid: {{center: [0, 0], spacing: 2}}}}, behaviors: {{wander: {{}}}}}}
"""
FIXES, QUESTIONS, SCANS = 20.0, 10.0, 40.0
"""Of each vehicle, a second."""
SETTLE = 2.0


@dataclass(frozen=True)
class Load:
    """What the Core's machine had to do."""

    core: float
    """Share of a processor's core that the Core used."""
    layers: float
    """The same of what alters scans there."""
    bandwidth: float
    """To and from it for each vehicle, beside its fixes, KB/s."""


def measure(quick: bool) -> list[Row]:
    seconds, counts = (4.0, (1, 4)) if quick else (20.0, (1, 20))
    few, many = (load(count, seconds, in_core=False) for count in counts)
    each = 100.0 * (many.core - few.core) / (counts[1] - counts[0])
    there = load(1, seconds, in_core=True)
    said = f"hybrid vehicles from {counts[0]} to {counts[1]}, rays at the agent"
    central = 100.0 * (there.core - few.core + there.layers)
    return [
        Row(f"{said}: the Core's load for each", each, "% of a core", 5.0, "lower",
            "scans altered where the Core is, one vehicle", central),
        Row(f"{said}: bandwidth for each", many.bandwidth, "KB/s", 5.0, "lower",
            "scans altered where the Core is", there.bandwidth),
    ]  # fmt: skip


def load(count: int, seconds: float, in_core: bool) -> Load:
    """Of so many real vehicles, all in one place, that send fixes and are told who is around."""
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        port = free_port()
        path = folder / "load.yaml"
        path.write_text(SCENARIO.format(count=count, port=port))
        run = LiveRun(str(path), 3600.0)
        running.callback(run.stop)
        agents = Agents(count, port)
        running.callback(agents.stop)
        bus = running.enter_context(run.connect())
        running.callback(agents.stop)
        layers = running.enter_context(_layers(count if in_core else 0, run.address))
        agents.begin(bus, in_core)
        time.sleep(SETTLE)
        pids = [pid_of("core", run.address), *layers]
        before = [processor_seconds(pid) for pid in pids]
        told, began = agents.bytes, time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - began
        used = [processor_seconds(pid) - b for pid, b in zip(pids, before, strict=True)]
        sent = (agents.bytes - told) / took / count / 1e3
        return Load(used[0] / took, sum(used[1:]) / took, sent)


def names_of(count: int) -> list[str]:
    """As a scenario calls so many alike."""
    return ["real"] if count == 1 else [f"real-{k + 1}" for k in range(count)]


class Agents:
    """The real vehicles as the Core sees them, in threads of this process."""

    def __init__(self, count: int, port: int) -> None:
        self.bytes = 0
        """Asked and told, and of scans there and back."""
        self._count, self._port = count, port
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []
        self._spawn(self._send_fixes)

    def begin(self, bus: Bus, in_core: bool) -> None:
        """From now on ask who is around, or bring the scans to the Core."""
        if in_core:
            for name in names_of(self._count):
                bus.hear(keys.scan_key(f"{name}/altered"), self._count_bytes)
            self._spawn(lambda: self._send_scans(bus))
        else:
            self._spawn(lambda: self._ask(bus))

    def stop(self) -> None:
        """Nothing is sent or asked any more."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _spawn(self, job: Callable[[], None]) -> None:
        thread = threading.Thread(target=job, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _send_fixes(self) -> None:
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        while not self._over.wait(1 / FIXES):
            for name in names_of(self._count):
                fix = sound_fix(29.193111, -81.046171, time=time.time(), accuracy=0.05, device=name)
                sender.sendto(encode_json(fix), ("127.0.0.1", self._port))

    def _ask(self, bus: Bus) -> None:
        while not self._over.wait(1 / QUESTIONS):
            for name in names_of(self._count):
                question = AroundRequest(name, 15.0, time.monotonic_ns(), (0.0, 0.0)).encoded()
                try:
                    self.bytes += len(question) + len(bus.ask(keys.AROUND, question, timeout=1.0))
                except BusError:
                    return

    def _send_scans(self, bus: Bus) -> None:
        data = encode_datagram(crowd()[0])
        senders = [bus.sender(keys.scan_key(name), urgent=True) for name in names_of(self._count)]
        while not self._over.wait(1 / SCANS):
            for send in senders:
                send(data)
                self.bytes += len(data)

    def _count_bytes(self, _name: str, data: bytes) -> None:
        self.bytes += len(data)


@contextmanager
def _layers(count: int, address: str) -> Iterator[list[int]]:
    """So many injection layers where the Core is; their processes."""
    words = [
        ["--vehicle", name, "--from", f"bus:{name}", "--to", f"bus:{name}/altered"]
        for name in names_of(count)
    ]
    started = [
        subprocess.Popen([*MOVENV, "inject", *some, "--core", address], stderr=subprocess.DEVNULL)
        for some in words
    ]
    try:
        yield [process.pid for process in started]
    finally:
        for process in started:
            process.terminate()
            process.wait()
