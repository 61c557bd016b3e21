"""Dead reckoning: how vehicles moved, as their own wheels and gyroscopes tell."""

import math

import numpy as np

from movenv.world.columns import F8, Mask, Rows, read_only
from movenv.world.kernel import kernel
from movenv.world.sensor import Readings
from movenv.world.trig import sincos

KEPT = 512
"""How many samples are remembered, for scans that are older than the newest one; also the most
that a tick may bring."""
TIME, SPEED, STEER, TURN, X, Y, YAW = range(7)
"""What is remembered of each sample: when, forward speed, steer angle, yaw rate, and the place of
the rear axle reckoned since the beginning, which only ever moves forward."""
SEEN = ("speed", "steer", "turn", "x", "y", "yaw")
"""What is told of an instant; the place is that of the vehicle's middle."""


@kernel
def _note(pending, waiting, rows, stamps, values, wheels):  # type: ignore[no-untyped-def]
    """Put samples in the order of time; values are (rows, samples, 2), speed and steer or twice
    the yaw rate."""
    for k in range(len(rows)):
        row = rows[k]
        for j in range(len(stamps)):
            if not math.isfinite(values[k, j, 0]) or waiting[row] == KEPT:
                continue  # lost
            at = waiting[row]
            while at > 0 and pending[row, at - 1, 0] > stamps[j]:
                pending[row, at] = pending[row, at - 1]
                at -= 1
            pending[row, at, 0], pending[row, at, 1] = stamps[j], wheels
            pending[row, at, 2], pending[row, at, 3] = values[k, j, 0], values[k, j, 1]
            waiting[row] += 1


@kernel
def _reckon(pending, waiting, log, count, length, turns):  # type: ignore[no-untyped-def]
    """Go on from sample to sample with the mean of both speeds and yaw rates."""
    for row in range(len(waiting)):
        for j in range(waiting[row]):
            t, wheels, a, b = pending[row, j]
            last = log[row, count[row] % KEPT]
            first = last[TIME] == -math.inf
            if t < last[TIME]:
                continue
            v, steer, turn = last[SPEED], last[STEER], last[TURN]
            if wheels:
                v, steer = a, b if math.isfinite(b) else steer
                if not turns[row]:
                    turn = v * steer / length[row]
            else:
                turn = a
                turns[row] = True
            dt = 0.0 if first else t - last[TIME]
            far, bend = 0.5 * (v + last[SPEED]) * dt, 0.5 * (turn + last[TURN]) * dt
            sin, cos = sincos(last[YAW] + 0.5 * bend)
            x, y, yaw = last[X] + far * cos, last[Y] + far * sin, last[YAW] + bend
            count[row] += 1
            new = log[row, count[row] % KEPT]
            new[TIME], new[SPEED], new[STEER], new[TURN] = t, v, steer, turn
            new[X], new[Y], new[YAW] = x, y, yaw
        waiting[row] = 0


@kernel
def _at(log, count, length, rows, t, out):  # type: ignore[no-untyped-def]
    """SEEN at a time of each row: on from the latest sample that is not younger."""
    for k in range(len(rows)):
        row = rows[k]
        j = count[row]
        while j > max(count[row] - KEPT + 1, 1) and log[row, j % KEPT, TIME] > t[k]:
            j -= 1
        seen = log[row, j % KEPT]
        dt = t[k] - seen[TIME] if seen[TIME] > -math.inf else 0.0
        speed, steer, turn = seen[SPEED], seen[STEER], seen[TURN]
        if j < count[row] and dt > 0.0:  # between two samples: what was the mean of this stretch
            then = log[row, (j + 1) % KEPT]
            share = 0.5 * dt / (then[TIME] - seen[TIME])
            speed += share * (then[SPEED] - speed)
            turn += share * (then[TURN] - turn)
        sin, cos = sincos(seen[YAW] + 0.5 * turn * dt)
        yaw = seen[YAW] + turn * dt
        x, y = seen[X] + speed * dt * cos, seen[Y] + speed * dt * sin
        sin, cos = sincos(yaw)
        out[0, k], out[1, k], out[2, k] = speed, steer, turn
        out[3, k], out[4, k] = x + 0.5 * length[row] * cos, y + 0.5 * length[row] * sin
        out[5, k] = yaw


class Odometry:
    """Where vehicles have come since the beginning, by what they measured; one row a vehicle."""

    def __init__(self, length: F8) -> None:
        """`length` is the wheelbase of each, m."""
        count = len(length)
        self._length = read_only(np.ascontiguousarray(length, float))
        self._log = np.zeros((count, KEPT, 7))
        self._log[:, :, TIME] = -np.inf
        self._count = np.zeros(count, np.int64)
        self._pending = np.zeros((count, KEPT, 4))
        self._waiting = np.zeros(count, np.int64)
        self._turns: Mask = np.zeros(count, np.bool_)

    def wheels(self, readings: Readings, rows: Rows, mine: Rows) -> None:
        """Take `speed`, and `steer` where it is told; `mine` of the readings are our `rows`."""
        fields = [readings.fields.index("speed")] * 2
        if "steer" in readings.fields:
            fields[1] = readings.fields.index("steer")
        values = readings.values[mine][:, :, fields].astype(float)
        if "steer" not in readings.fields:
            values[:, :, 1] = 0.0
        self._take(readings, rows, values, wheels=True)

    def gyroscopes(self, readings: Readings, rows: Rows, mine: Rows) -> None:
        """Take the yaw rate `wz`, which from now on counts instead of the steer angle."""
        values = readings.values[mine][:, :, [readings.fields.index("wz")] * 2].astype(float)
        self._take(readings, rows, values, wheels=False)

    def _take(self, readings: Readings, rows: Rows, values: F8, wheels: bool) -> None:
        stamps = read_only(np.asarray(readings.stamps, float))
        _note(self._pending, self._waiting, rows, stamps, values, float(wheels))

    def reckon(self) -> None:
        """Go on with all that was taken."""
        if self._waiting.any():
            _reckon(self._pending, self._waiting, self._log, self._count, self._length, self._turns)

    def at(self, rows: Rows, t: F8) -> F8:
        """SEEN of some vehicles, each at its own time: (SEEN, rows)."""
        out = np.empty((len(SEEN), len(rows)))
        _at(self._log, self._count, self._length, rows, np.ascontiguousarray(t, float), out)
        return out

    def latest(self) -> F8:
        """When each was heard last, s; -inf where never."""
        newest: F8 = self._log[np.arange(len(self._count)), self._count % KEPT, TIME]
        return newest
