"""Phones in a live run: a thousand of them into one gateway process, and how soon that counts.

All is read from the run's recording and from a listener on its bus: when a fix was sent, when it
arrived, which snapshot is the first that holds it, and which host's report the first that was
decided with it.
"""

import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import msgspec

from movenv.bench.live import MOVENV, STARTING, TICK, bare_bus, free_port, p99
from movenv.bench.measure import Row
from movenv.bench.running import pid_of, processor_seconds
from movenv.gateways.phone_udp.codec import decode
from movenv.recording.layouts import RECEPTIONS
from movenv.recording.reader import Recording
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus, BusError
from movenv.runtime.live.wire import Command, ReportMessage
from movenv.world.run_state import RunState

RATE = 10
SCENARIO = """
name: thousand-phones
origin: {{lat: 29.193111, lon: -81.046171}}
time: {{duration: 3600}}
areas: {{field: {{square: {side}}}}}
vehicles:
  - name: phone
    vid: 1
    count: {phones}
    kind: pedestrian
    live: {{type: phone_udp, own_port: true, port: {port}}}
    start: {{within: field}}
    behaviors: &moving {{wander: {{}}, stay_in_bounds: {{priority: 4, area: field}}}}
  - name: cart
    count: 20
    kind: ground
    model: {{length: 1.5, speed: 3}}
    start: {{within: field}}
    behaviors:
      wander: {{}}
      stay_in_bounds: {{priority: 4, area: field}}
      avoid: {{priority: 10}}
"""


class _Field:
    """A live run with rehearsed phones, and what was seen of it."""

    def __init__(self, phones: int, seconds: float) -> None:
        self.decided: list[tuple[int, float]] = []
        """Ticks that a host's report was decided with, and when that report was there."""
        address = f"tcp/127.0.0.1:{free_port()}"
        with tempfile.TemporaryDirectory() as folder:
            scenario = Path(folder) / "phones.yaml"
            side = 12 * phones**0.5
            scenario.write_text(SCENARIO.format(phones=phones, side=side, port=20_000))
            self.recording = Path(folder) / "phones.mcap"
            run = subprocess.Popen(
                [*MOVENV, "run", str(scenario), "--json", "--no-console", "--hosts", "1",
                 "--listen", address, "--record", str(self.recording)],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
            try:
                with _connected(address) as bus:
                    self._watch(bus, address, scenario, seconds)
                    bus.ask(keys.COMMAND, Command(RunState.STOP, "bench").encoded())
                self.told: dict[str, Any] = json.loads(run.communicate()[0])
                self._read()
            finally:
                run.kill()

    def _watch(self, bus: Bus, address: str, scenario: Path, seconds: float) -> None:
        _wait_for(lambda: len(_status(bus)["hosts"]) == 2)
        phones = subprocess.Popen(
            [*MOVENV, "phones", str(scenario), "--rate", str(RATE), "--format", "sensorlog"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            _wait_for(lambda: _status(bus)["state"] == "GO")
            time.sleep(2)
            bus.hear(keys.report_key("host-1"), self._on_report)
            pid = pid_of("gateway", address)
            before, began = processor_seconds(pid), time.monotonic()
            time.sleep(seconds)
            self.cpu = (processor_seconds(pid) - before) / (time.monotonic() - began)
            self.bare_bus = p99(bare_bus(bus, 300))
        finally:
            phones.terminate()
            phones.wait()

    def _on_report(self, _host: str, data: bytes) -> None:
        self.decided.append((wire.decode(ReportMessage, data).told_tick, time.time()))

    def _read(self) -> None:
        """How long each fix took, and which datagrams are missing."""
        with Recording(self.recording) as recording:
            stated = {s.tick: n["utc"] for s, n in recording.snapshots()}
            counts: dict[int, list[int]] = defaultdict(list)
            ticks = []
            for numbers, table in recording.tables(RECEPTIONS):
                ticks.append(numbers["tick"])
                for vid, so_far in zip(table.vid.tolist(), table.accepted.tolist(), strict=True):
                    counts[vid].append(so_far)
            accepted: Counter[int] = Counter()
            sequences: dict[int, list[int]] = defaultdict(list)
            self.to_snapshot, self.to_command = [], []
            first_told = self.decided[0][0]
            told = [tick for tick, _ in self.decided]
            for record in recording.packets():
                for at, vid, outcome, data in zip(
                    record.arrived, record.vid, record.outcome, record.data, strict=True
                ):
                    (fix,) = decode(data)
                    sequences[vid].append(fix.sequence)
                    if outcome != "accepted":
                        continue
                    accepted[vid] += 1
                    place = bisect_left(counts[vid], accepted[vid])
                    if place == 0 or place >= len(ticks) or ticks[place] < first_told:
                        continue
                    tick = ticks[place]
                    self.to_snapshot.append(stated[tick] - at)
                    decided = bisect_left(told, tick)
                    if decided < len(told):
                        self.to_command.append(self.decided[decided][1] - fix.time)
        self.received = sum(len(set(seen)) for seen in sequences.values())
        self.sent = sum(max(seen) - min(seen) + 1 for seen in sequences.values())


def _status(bus: Bus) -> dict[str, Any]:
    status: dict[str, Any] = msgspec.json.decode(bus.ask(keys.STATUS, b""))
    return status


def _wait_for(reached: Any) -> None:
    until = time.monotonic() + STARTING
    while not reached():
        if time.monotonic() > until:
            raise TimeoutError("the run does not start")
        time.sleep(0.2)


def _connected(address: str) -> Bus:
    until = time.monotonic() + STARTING
    while True:
        try:
            return Bus.connect(address, patience=1)
        except BusError:
            if time.monotonic() > until:
                raise


def _bare_receiver(count: int) -> tuple[float, float]:
    """What a datagram costs a loop that drops it, in s, and the share of them that arrive."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there,
    ):
        here.bind(("127.0.0.1", 0))
        here.settimeout(1)
        address = here.getsockname()

        def flood() -> None:
            for i in range(count):
                there.sendto(b"x" * 120, address)
                if i % 100 == 99:
                    time.sleep(0.005)

        sender = threading.Thread(target=flood)
        began = time.thread_time()
        sender.start()
        got = 0
        try:
            while got < count:
                here.recvfrom(65536)
                got += 1
        except TimeoutError:
            pass  # the rest got lost: `got` tells how many
        spent = time.thread_time() - began
        sender.join()
    return spent / max(got, 1), got / count


def measure(quick: bool) -> list[Row]:
    if not sys.platform.startswith("linux"):
        return []
    phones, seconds = (200, 10.0) if quick else (1_000, 60.0)
    field = _Field(phones, seconds)
    cost, arrived = _bare_receiver(20_000)
    said = f"{phones:,} phones at {RATE} Hz into one gateway process"
    return [
        Row(f"{said}: share of a core", field.cpu, "cores", 0.5, "lower",
            "a loop that receives as many datagrams and drops them", cost * phones * RATE),
        Row(f"{said}: datagrams that arrived, of {field.sent:,}", field.received / field.sent,
            "share", 1.0, "higher", "of as many to that loop", arrived),
        Row(f"{said}: datagram arrived to in a snapshot, p99", p99(field.to_snapshot), "s",
            TICK + 0.01, "lower", "a bare message through the same bus, p99", field.bare_bus),
        Row(f"{said}: phone to virtual vehicle's command, p99", p99(field.to_command), "s",
            2 * TICK, "lower", "a bare message through the same bus, p99", field.bare_bus),
    ]  # fmt: skip
