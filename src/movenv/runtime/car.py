"""A car in a process of its own, as a real one is: its own world, sensors and software.

With the rest of a test it has nothing in common but scans and positions. It stands in for a real
vehicle, so that a hybrid test can be rehearsed, and shows what a real one has to send and read.
"""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from movenv.behaviors.navigate import Navigate
from movenv.gateways.datagram.codec import encode_json
from movenv.gateways.fix import Unreadable, sound_fix
from movenv.gateways.scans.codec import encode_datagram, encode_line, encode_pose, read_scan
from movenv.runtime.errors import WrongInput
from movenv.runtime.injection.endpoints import ScanSink, ScanSource
from movenv.runtime.live.warm_up import warm_up
from movenv.scenario.build import Stage
from movenv.world.columns import F4
from movenv.world.core import Update
from movenv.world.host import Host
from movenv.world.run_state import RunState
from movenv.world.scan import Pose, Scan
from movenv.world.sensor import Readings, ScanLayout

STANDING = 0.2
"""How often a car that may not go yet says where it is, s."""


@dataclass(frozen=True)
class Links:
    """Where the car sends to and reads from; None for nowhere."""

    scans_to: ScanSink | None = None
    """Where its scanner publishes."""
    scans_from: ScanSource | None = None
    """Where its software reads scans; None: from the scanner itself."""
    pose_to: ScanSink | None = None
    """Where it says where it thinks it is, in local metres."""
    fixes_to: ScanSink | None = None
    """Where it sends positions as a real vehicle does, in degrees."""


class Car:
    """One vehicle of a scenario, alone in the world."""

    def __init__(
        self, stage: Stage, name: str, links: Links, say: Callable[[str], None] = lambda text: None
    ) -> None:
        """Raises WrongInput where the scenario has no such vehicle, or it has no scanner.

        `say` is called with what it has to remark, as that it stands for want of scans.
        """
        if name not in stage.roster.names:
            raise WrongInput(f"the scenario has no vehicle '{name}'")
        row = stage.roster.names.index(name)
        self._stage, self._name, self._links, self._say = stage, name, links, say
        self._device, self._token = _sender(stage, row)
        self._host: Host = stage.host("car", np.array([row]))
        self._core = stage.core()
        self._read: dict[int, F4] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self.sent = self.altered = self.missing = self.unreadable = 0
        """Scans published; read with other ranges; that never came back; and garbage."""
        self.bytes = 0
        """Of the scans published."""
        self.lived = self.took = 0.0
        """How long it lived by its own time, and by the clock, s."""
        sensors = stage.groups[stage.group[row]].sensors
        if links.scans_to is not None and not any(s.config.type == "lidar" for s in sensors):
            raise WrongInput(f"'{name}' has no lidar whose scans could be sent")

    def run(self, duration: float, state: Callable[[], RunState] = lambda: RunState.GO) -> None:
        """Live for so long, by the clock, or until `stop` or the STOP of a run.

        Until its GO, and in PAUSE, it stands and says where it is: a run may wait to hear it.
        """
        warm_up(self._stage)
        if self._links.scans_from is not None:
            source = self._links.scans_from
            threading.Thread(target=source.run, args=(self._take,), daemon=True).start()
        latest, tick, period = self._begin(), 0, self._stage.time.period
        due, stood = time.monotonic(), True
        while tick * period < duration - 1e-9:
            if self._over.wait(max(0.0, due - time.monotonic())) or state() is RunState.STOP:
                break
            if state() is not RunState.GO:
                self._tell(latest)
                due, stood = time.monotonic() + STANDING, True
                continue
            if stood:
                due, stood = time.monotonic(), False
                start, before = due, self.took
            tick, due = tick + 1, due + period
            latest = self._live(tick, latest)
            self.lived, self.took = tick * period, before + time.monotonic() - start
        if self._links.scans_from is not None:
            self._links.scans_from.close()

    @property
    def estimates(self) -> int:
        """From how many scans it has told anew where it is."""
        found = self._host.behavior("navigate")
        return int(found.estimates.scans[0]) if isinstance(found, Navigate) else 0

    @property
    def facts(self) -> dict[str, Any]:
        """What it did."""
        return {
            "vehicle": self._name, "scans": self.sent, "altered": self.altered,
            "missing": self.missing, "unreadable": self.unreadable, "scan_bytes": self.bytes,
            "estimates": self.estimates, "lived_s": self.lived, "took_s": self.took,
        }  # fmt: skip

    def stop(self, _why: str = "") -> None:
        """Let `run` return."""
        self._over.set()

    def _begin(self) -> Update:
        self._core.move(RunState.SET)
        self._core.take(self._host.set())
        first = self._core.tick(0, 0.0)
        self._core.move(RunState.GO)
        return first

    def _live(self, tick: int, before: Update) -> Update:
        """A tick: drive by what was read, measure, send."""
        self._host.readings = self._perceived(self._host.readings)
        others = before.snapshot.vehicles
        self._core.take(self._host.tick(tick, others, before.notices, before.inbox, before.finds))
        after = self._core.tick(tick, self._stage.time.t(tick))
        for remark in after.remarks:
            self._say(remark.text)
        self._tell(after)
        self._publish(self._host.readings)
        return after

    # --- scans out and in

    def _publish(self, measured: list[Readings]) -> None:
        """Send the scans of the tick that ended."""
        if self._links.scans_to is None:
            return
        for readings in measured:
            if readings.scan is not None:
                for k in range(len(readings.numbers)):
                    scan = _scan(readings, readings.scan, k)
                    in_lines = self._links.scans_to.form == "line"
                    data = encode_line(scan) if in_lines else encode_datagram(scan)
                    self._links.scans_to.write(data)
                    self.sent += 1
                    self.bytes += len(data)

    def _take(self, data: bytes) -> None:
        """Read a scan. Called in the source's thread."""
        try:
            scan = read_scan(data).scan
        except Unreadable:
            self.unreadable += 1
            return
        with self._lock:
            self._read[scan.number] = scan.ranges

    def _perceived(self, measured: list[Readings]) -> list[Readings]:
        """What the software is told: scans as they were read, all else as it was measured."""
        if self._links.scans_from is None:
            return measured
        with self._lock:
            read, self._read = self._read, {}
        return [r if r.scan is None else self._as_read(r, read) for r in measured]

    def _as_read(self, readings: Readings, read: dict[int, F4]) -> Readings:
        """A scan that did not come back in time is not there, as with a real car."""
        beams = readings.values.shape[2]
        here = [k for k, n in enumerate(readings.numbers.tolist()) if n in read]
        here = [k for k in here if len(read[int(readings.numbers[k])]) == beams]
        self.missing += len(readings.numbers) - len(here)
        values = readings.values[:, here].copy()
        for at, k in enumerate(here):
            ranges = read[int(readings.numbers[k])]
            self.altered += ranges.tobytes() != values[0, at].tobytes()
            values[0, at] = ranges
        numbers, stamps = readings.numbers[here], readings.stamps[here]
        return replace(readings, numbers=numbers, stamps=stamps, values=values)

    # --- where it is

    def _tell(self, update: Update) -> None:
        """Where it thinks it is, by its own localisation where it has one."""
        pose, accuracy = self._pose(update)
        if not pose.is_finite:
            return
        if self._links.pose_to is not None:
            self._links.pose_to.write(encode_pose(pose, update.snapshot.t))
        if self._links.fixes_to is not None:
            lat, lon, alt = (float(v) for v in self._stage.frame.to_geodetic(pose.x, pose.y, 0.0))
            speed = math.hypot(pose.vx, pose.vy)
            course = math.degrees(math.atan2(pose.vx, pose.vy)) % 360.0
            fix = sound_fix(
                lat, lon, time=time.time(), alt=alt, speed=speed, course=course,
                accuracy=max(accuracy, 0.01), device=self._device, token=self._token,
            )  # fmt: skip
            self._links.fixes_to.write(encode_json(fix))

    def _pose(self, update: Update) -> tuple[Pose, float]:
        found = self._host.behavior("navigate")
        if isinstance(found, Navigate) and update.snapshot.tick > 0:
            guess = found.reckoned(self._host.readings, update.snapshot.t)
            columns = (guess.x, guess.y, guess.yaw, guess.vx, guess.vy, guess.yaw_rate)
            return Pose(*(float(column[0]) for column in columns)), float(guess.accuracy[0])
        row, state = self._stage.roster.names.index(self._name), update.snapshot.vehicles
        standing = (state.x, state.y, state.yaw, state.vx, state.vy)
        return Pose(*(float(column[row]) for column in standing)), 0.01


def _sender(stage: Stage, row: int) -> tuple[str, str]:
    """The device and the token by which the run's gateway knows the car."""
    live, name = stage.groups[stage.group[row]].live, stage.roster.names[row]
    if live is None:
        return name, ""
    return live.config.device or name, live.config.token or ""


def _scan(readings: Readings, layout: ScanLayout, k: int) -> Scan:
    ranges: F4 = np.ascontiguousarray(readings.values[0, k], np.float32)
    return Scan(int(readings.numbers[k]), float(readings.stamps[k]), layout, ranges)
