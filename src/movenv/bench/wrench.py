"""From a wrench effort on the wire to the first pose on the wire that shows it."""

import math
import random
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from movenv.bench.live import MOVENV, LiveRun, free_port
from movenv.bench.measure import Row
from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus import subscriptions as s
from movenv.gateways.jaus.codec import JausDecoder, encode
from movenv.gateways.jaus.message import Message, decode_message, encode_message
from movenv.gateways.jaus.packet import Address, Packet
from movenv.gateways.jaus.scaled import Dialect
from movenv.recording.layouts import SNAPSHOT_LAYOUT, SNAPSHOTS
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus
from movenv.runtime.live.wire import Records

TICK = 0.05
CAR, OWN = Address(126, 1, 10), Address(126, 1, 20)
SCENARIO = """
name: wrench
origin: {lat: 29.193111, lon: -81.046171}
time: {step: 0.01, tick: 0.05, duration: 3600}
vehicles:
  - {name: car, kind: ground, model: {type: car, build: navigator}, start: {at: [0, 0], speed: 0},
     behaviors: {driven: {}}}
"""
GRAIN = math.tau / 65535
"""What a report resolves of an angle, rad."""
TURNED = 1.5 * GRAIN
"""More than a straight way explains, of which two reports differ by a grain at most."""
SETTLING = 0.6
"""The least time straight on between two turns of the wheel, s."""
CRUISING = 6.0
"""Time to gain speed, s."""


class Controller:
    """Speaks to the gateway over UDP."""

    def __init__(self, port: int) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.connect(("127.0.0.1", port))
        self._socket.settimeout(0.5)
        self._decoder = JausDecoder()

    def say(self, message: Message) -> None:
        for data in encode(message, Packet(CAR, OWN, b""), Dialect.SAE):
            self._socket.send(data)

    def steer(self, right: float, throttle: float = 0.05) -> None:
        effort = m.SetWrenchEffort(
            propulsive_x=100 * throttle, propulsive_yaw=100 * right, resistive_x=0.0
        )
        self.say(effort)

    def yaw(self) -> float:
        """Of the next pose that is told."""
        while True:
            for heard in self._decoder.decode(self._socket.recv(65536)):
                if isinstance(heard.said, s.Event):
                    report = decode_message(heard.said.report, Dialect.SAE)
                    assert isinstance(report, m.ReportGlobalPose)
                    return report.yaw

    def begin(self) -> None:
        """Take control, set off, and ask for every pose."""
        self.say(m.RequestControl(200))
        self.say(m.Resume())
        query = encode_message(m.QueryGlobalPose(), Dialect.SAE)
        self.say(s.CreateEvent(1, s.When.PERIODIC, 1.0 / TICK, query))
        until = time.monotonic() + CRUISING
        while time.monotonic() < until:
            self.steer(0.0, throttle=0.5)
            self.yaw()

    def close(self) -> None:
        self._socket.close()


class Snapshots:
    """When the Core's snapshots show that the car turns."""

    def __init__(self, bus: Bus) -> None:
        self._lock = threading.Lock()
        self._yaw, self._from, self._seen = math.nan, math.nan, 0.0
        bus.hear(keys.RECORDS, self._on_records)

    def watch(self) -> None:
        with self._lock:
            self._from, self._seen = self._yaw, 0.0

    @property
    def seen(self) -> float:
        return self._seen

    def _on_records(self, _key: str, data: bytes) -> None:
        now = time.monotonic()
        items = {topic: item for topic, _, item in wire.decode(Records, data).items}
        if SNAPSHOTS in items:
            yaw = float(SNAPSHOT_LAYOUT.decode(items[SNAPSHOTS])[1].yaw[0])
            with self._lock:
                turned = abs(math.remainder(yaw - self._from, math.tau)) > TURNED
                if turned and not self._seen:
                    self._seen = now
                self._yaw = yaw


def _delays(port: int, bus: Bus, samples: int) -> tuple[list[float], list[float]]:
    """Until a pose report, and until a snapshot shows it, s."""
    chance, controller, snapshots = random.Random(5), Controller(port), Snapshots(bus)
    controller.begin()
    told, stated = [], []
    for number in range(samples):
        until = time.monotonic() + SETTLING + chance.random() * TICK
        straight, before = controller.yaw(), math.nan
        while time.monotonic() < until or straight != before:  # straight on
            controller.steer(0.0)
            straight, before = controller.yaw(), straight
        time.sleep(chance.random() * TICK)
        snapshots.watch()
        sent = time.monotonic()
        controller.steer(0.6 if number % 2 else -0.6)
        while abs(math.remainder(controller.yaw() - straight, math.tau)) <= TURNED:
            pass
        told.append(time.monotonic() - sent)
        while not snapshots.seen:
            time.sleep(0.001)
        stated.append(snapshots.seen - sent)
    controller.close()
    return told, stated


def measure(quick: bool) -> list[Row]:
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "wrench.yaml"
        scenario.write_text(SCENARIO)
        run = LiveRun(str(scenario), 3600.0)
        try:
            with run.connect() as bus:
                gateway = subprocess.Popen(
                    [*MOVENV, "jaus", "car=126.1.10", "--port", str(port), "--core", run.address,
                     "--timeout", "5"], stdout=subprocess.PIPE, text=True,
                )  # fmt: skip
                try:
                    assert gateway.stdout is not None
                    gateway.stdout.readline()
                    told, stated = _delays(port, bus, 20 if quick else 120)
                finally:
                    gateway.kill()
                    gateway.communicate()
        finally:
            run.stop()
    return [
        Row("wrench effort on the wire to a pose on the wire that shows it, p99 (ticks of 0.05 s)",
            _p99(told) / TICK, "ticks", 2.0, "lower", "to the Core's snapshot that shows it",
            _p99(stated) / TICK),
        Row("the same, median", statistics.median(told) / TICK, "ticks", 2.0, "lower",
            "to the Core's snapshot that shows it", statistics.median(stated) / TICK),
    ]  # fmt: skip


def _p99(delays: list[float]) -> float:
    return statistics.quantiles(delays, n=100)[-1]
