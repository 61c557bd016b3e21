"""Scans of the vehicles that somebody looks at, each where it was measured.

Nobody's are listened to unless they are wished for: then those who measure send them.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import NamedTuple

import numpy as np

from movenv.runtime.live.bus import Bus, sensor_key
from movenv.runtime.live.sensor_feed import decoded
from movenv.runtime.live.wire import Garbled
from movenv.sensors.injection import reason_to_refuse
from movenv.web.feed import Moment
from movenv.web.placed_scan import PlacedScan, place_scan
from movenv.world.columns import Mask, VidIndex
from movenv.world.frames import Frame
from movenv.world.messages import Roster
from movenv.world.scan import Pose, Scan

MOST = 32
"""So many vehicles' scans are shown at once."""
EVERY = 0.09
"""A sensor's next scan is looked at after so much time, s."""
HOLDS = 1.0
"""For how long of the run's time a scan is shown, s."""
MOMENTS = 8
"""Scans come a little later than the tick they were measured in."""

Sensor = tuple[int, str]
"""Row of a vehicle, and what it calls its sensor."""


class _Heard(NamedTuple):
    scan: Scan
    altered: Mask


class ScanWatch:
    """Listens for all viewers together. `wish` and `shown` belong to the server's event loop,
    the rest to threads of the bus."""

    def __init__(
        self, bus: Bus, run: str, roster: Roster, origin: tuple[float, float, float]
    ) -> None:
        self.garbled = 0
        """Messages that no sensor sends."""
        self._bus, self._run, self._vids = bus, run, roster.vids
        self._index, self._frame = VidIndex(roster.vids), Frame(*origin)
        self._wishes: dict[Hashable, list[int]] = {}
        self._leave: dict[int, Callable[[], None]] = {}
        self._lock = threading.Lock()
        self._moments: deque[Moment] = deque(maxlen=MOMENTS)
        self._looked: dict[Sensor, float] = {}
        self._waiting: dict[Sensor, _Heard] = {}
        """Of a time that nobody has told of yet."""
        self._placed: dict[Sensor, PlacedScan] = {}

    # --- for viewers

    def wish(self, viewer: Hashable, rows: list[int]) -> None:
        """From now on this viewer looks at these vehicles, and at no others."""
        known = [row for row in dict.fromkeys(rows) if 0 <= row < len(self._vids)]
        self._wishes[viewer] = known[:MOST]
        if not known:
            del self._wishes[viewer]
        wanted = {row for rows in self._wishes.values() for row in rows}
        for row in wanted - self._leave.keys():
            self._leave[row] = self._bus.hear(sensor_key(int(self._vids[row]), "*"), self._take)
        for row in self._leave.keys() - wanted:
            self._leave.pop(row)()
            self._forget(row)

    def shown(self, viewer: Hashable) -> list[PlacedScan]:
        """The newest scan of each sensor that this viewer looks at."""
        rows = self._wishes.get(viewer, ())
        with self._lock:
            now = self._moments[-1].t if self._moments else -math.inf
            placed = list(self._placed.values())
        return [one for one in placed if one.row in rows and abs(now - one.t) <= HOLDS]

    def _forget(self, row: int) -> None:
        with self._lock:
            for kept in (self._looked, self._waiting, self._placed):
                for sensor in [sensor for sensor in kept if sensor[0] == row]:
                    del kept[sensor]

    # --- what comes

    def see(self, moment: Moment) -> None:
        """Where everyone is now; what was measured until then can be placed."""
        with self._lock:
            went_back = self._moments and moment.t < self._moments[-1].t
            if went_back or not self._leave:
                self._moments.clear()
                self._waiting.clear()
            if not self._moments or moment.t > self._moments[-1].t:
                self._moments.append(moment)
            for sensor, heard in list(self._waiting.items()):
                if heard.scan.stamp <= moment.t + HOLDS:
                    self._place(sensor, heard)
                else:  # of no time that comes soon
                    del self._waiting[sensor]

    def _take(self, name: str, data: bytes) -> None:
        try:
            message = decoded(data)
        except Garbled:
            self.garbled += 1
            return
        (row,) = self._index.rows(np.array([message.vid], np.uint32)).tolist()
        if message.run != self._run or row not in self._leave or message.scan is None:
            return
        if not message.numbers or self._is_too_soon((row, name)):
            return
        ranges = message.table()[-1]
        scan = Scan(message.numbers[-1], message.stamps[-1], message.scan, ranges)
        pose = message.pose
        if reason_to_refuse(scan, pose or Pose(0.0, 0.0, 0.0)) or not math.isfinite(scan.stamp):
            self.garbled += 1
            return
        heard = _Heard(scan, message.altered_values()[-1])
        with self._lock:
            if pose is not None:
                self._put((row, name), heard, pose)
            else:
                self._place((row, name), heard)

    def _is_too_soon(self, sensor: Sensor) -> bool:
        now = time.monotonic()
        with self._lock:
            if now - self._looked.get(sensor, -math.inf) < EVERY:
                return True
            self._looked[sensor] = now
        return False

    def _place(self, sensor: Sensor, heard: _Heard) -> None:
        """By the run's word of where the vehicle was; waits for it where that is to come."""
        if not self._moments or heard.scan.stamp > self._moments[-1].t:
            self._waiting.setdefault(sensor, heard)
            return
        self._waiting.pop(sensor, None)
        pose = _pose_at(list(self._moments), sensor[0], heard.scan.stamp)
        if pose is not None:
            self._put(sensor, heard, pose)

    def _put(self, sensor: Sensor, heard: _Heard, pose: Pose) -> None:
        self._placed[sensor] = place_scan(sensor[0], *heard, pose, self._frame)


def _pose_at(moments: list[Moment], row: int, t: float) -> Pose | None:
    """Between the two moments around a time; None where it was before all of them."""
    after = next(i for i, moment in enumerate(moments) if moment.t >= t)
    if after == 0:
        return _pose(moments[0], row) if moments[0].t == t else None
    first, last = moments[after - 1], moments[after]
    here, there = _pose(first, row), _pose(last, row)
    span = last.t - first.t
    turn = math.remainder(there.yaw - here.yaw, math.tau)
    rates = (there.x - here.x) / span, (there.y - here.y) / span, turn / span
    found = Pose(here.x, here.y, here.yaw, *rates).carried(t - first.t)
    return found if found.is_finite else None


def _pose(moment: Moment, row: int) -> Pose:
    states = moment.vehicles
    columns = states.x, states.y, states.yaw, states.vx, states.vy
    return Pose(*(float(column[row]) for column in columns))
