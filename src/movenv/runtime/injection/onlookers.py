"""The scans that a vehicle's software reads, on the bus: for those who look on.

In a thread of its own, so that no scan waits for it, and only while somebody listens.
"""

import math
import threading
from typing import NamedTuple

import numpy as np

from movenv.gateways.fix import Unreadable
from movenv.gateways.scans.codec import Arrived, read_scan
from movenv.runtime.injection.layer import Layer
from movenv.runtime.live.bus import Bus, BusError, sensor_key
from movenv.runtime.live.run_info import run_info
from movenv.runtime.live.sensor_feed import DTYPES, SensorMessage
from movenv.world.scan import Scan

SENSOR = "scans"
"""What the scanner is called on the bus."""
EVERY = 0.05
"""At most so often is one shown, s."""
TRY_AGAIN = 0.5


class _Passed(NamedTuple):
    came: bytes
    went: bytes
    now: int
    utc: int


class Onlookers:
    """Shows them the newest scan; those that they have no time for are left out."""

    def __init__(self, vehicle: str, layer: Layer) -> None:
        self.looked = self.shown = 0
        """Scans that it had time for, and those of them that could be shown."""
        self.heard = False
        """Whether anybody looks."""
        self._vehicle, self._layer = vehicle, layer
        self._newest: _Passed | None = None
        self._news, self._closing = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, bus: Bus) -> None:
        """From now on."""
        self._thread = threading.Thread(target=self._work, args=(bus,), name="look", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._news.set()
        if self._thread is not None:
            self._thread.join(timeout=1.0)

    def offer(self, came: bytes, went: bytes, now: int, utc: int) -> None:
        """A scan as it came and as it goes on, at `now` on the monotonic clock. Costs next to
        nothing."""
        if self.heard:
            self._newest = _Passed(came, went, now, utc)
            self._news.set()

    def _work(self, bus: Bus) -> None:
        found = self._found(bus)
        if found is None:
            return
        run, vid = found
        send = bus.sender_on_demand(sensor_key(vid, SENSOR), self._note)
        while not self._closing.is_set():
            self._news.wait()
            self._news.clear()
            passed, self._newest = self._newest, None
            message = self._message(passed, run, vid) if passed else None
            if message is not None:
                send(message.encoded())
                self.shown += 1
            self._closing.wait(EVERY)

    def _found(self, bus: Bus) -> tuple[str, int] | None:
        """The run and the vehicle's vid in it, as soon as the Core tells; None for never."""
        while not self._closing.is_set():
            try:
                info, record = run_info(bus)
            except BusError:
                self._closing.wait(TRY_AGAIN)
                continue
            vids = dict(zip(record.roster.names, record.roster.vids, strict=True))
            vid = vids.get(self._vehicle)
            return None if vid is None else (info.beacon.run, vid)
        return None

    def _note(self, heard: bool) -> None:
        """Called in a thread of the bus."""
        self.heard = heard

    def _message(self, passed: _Passed, run: str, vid: int) -> SensorMessage | None:
        """None for what is no scan, or cannot be placed in the run's time."""
        self.looked += 1
        try:
            came = read_scan(passed.came)
            went = came if passed.went is passed.came else read_scan(passed.went)
        except Unreadable:
            return None
        t, pose = self._layer.placed(came, passed.now, passed.utc)
        scan = went.scan
        if not math.isfinite(t) or scan.layout.beams != len(scan.ranges):
            return None
        return SensorMessage(
            run, vid, SENSOR, [scan.number], [t], [], scan.layout, len(scan.ranges), 4,
            scan.ranges.astype(DTYPES[4]).tobytes(), _marks(came, scan), pose,
        )  # fmt: skip


def _marks(came: Arrived, scan: Scan) -> bytes:
    """A bit for every beam that was altered."""
    changed = came.scan.ranges.view(np.uint32) != scan.ranges.view(np.uint32)
    return np.packbits(changed).tobytes() if changed.any() else b""
