"""What vehicles know from their own sensors alone: where they are, and what stands around them."""

from collections.abc import Mapping

import numpy as np

from movenv.behaviors.localisation import Estimates, Localisation, moved
from movenv.behaviors.odometry import Odometry
from movenv.behaviors.scan_points import scan_points, sweep_time
from movenv.behaviors.unmapped import Unmapped
from movenv.world.behavior import Moment
from movenv.world.columns import F8, U4, Rows, VidIndex
from movenv.world.sensor import Readings

POINTS = 361
"""At most so many points of a scan are kept to drive by."""
LEAST = 0.1
"""The share of beams that must say something, be it that nothing was met."""
KINDS = ("lidar", "odometry", "imu")


class Perception:
    """The senses of some vehicles, one row a vehicle. Truth never comes here, only readings."""

    def __init__(
        self,
        vids: U4,
        length: F8,
        localisation: Localisation,
        unmapped: Unmapped,
        beams: Rows,
        sensors: Mapping[str, list[str | None]],
    ) -> None:
        """`beams` of a scan are used to localise, `sensors` has names by KINDS; None: the first."""
        count = len(vids)
        self._vids, self._length, self._beams = vids, length, beams
        self._index = VidIndex(vids)
        self.localisation, self.unmapped = localisation, unmapped
        self._odometry = Odometry(length)
        self._names = {kind: np.array(sensors[kind], object) for kind in KINDS}
        self._reckoned: F8 = np.full((3, count), np.nan)
        """By odometry, at the end of the latest scan."""
        self.scanned: F8 = np.full(count, -np.inf)
        """When that was, s."""
        self.scans: Rows = np.zeros(count, np.intp)
        """How many there were."""
        self._points = np.zeros((count, POINTS, 2))
        self.points_seen: Rows = np.zeros(count, np.int64)

    def reckon(self, readings: list[Readings]) -> None:
        """Take in odometry alone; samples that are known already change nothing."""
        for told in readings:
            if "wz" in told.fields:
                self._odometry.gyroscopes(told, *self._whose("imu", told))
            elif "speed" in told.fields:
                self._odometry.wheels(told, *self._whose("odometry", told))
        self._odometry.reckon()

    def take(self, readings: list[Readings], moment: Moment) -> None:
        """Take in what sensors measured; odometry first, for scans are seen from where it led."""
        self.reckon(readings)
        for told in readings:
            if told.scan is not None and len(told.stamps):
                rows, mine = self._whose("lidar", told)
                for beams in np.unique(self._beams[rows]):
                    some = self._beams[rows] == beams
                    self._scan(told, rows[some], mine[some], int(beams), moment)

    def _whose(self, kind: str, told: Readings) -> tuple[Rows, Rows]:
        """Our rows that use this sensor, and theirs in the readings."""
        found = self._index.rows(told.vids)
        mine = np.flatnonzero(found >= 0)
        rows = found[mine]
        names = self._names[kind]
        unknown = rows[[name is None for name in names[rows]]]
        names[unknown] = told.sensor
        used = (names[rows] == told.sensor).astype(np.bool_)
        return rows[used], mine[used]

    def _scan(self, told: Readings, rows: Rows, mine: Rows, beams: int, moment: Moment) -> None:
        """The newest scan of a tick; those before it would tell little more."""
        layout = told.scan
        assert layout is not None
        # A scan without beams that say anything is none: whoever gets no other is blind.
        ranges = told.values[mine, -1]
        says = (ranges >= layout.range_min) & ((ranges <= layout.range_max) | (ranges == np.inf))
        sees = says.mean(axis=1) >= LEAST
        rows, ranges = rows[sees], ranges[sees]
        if not len(rows):
            return
        end = float(told.stamps[-1]) + sweep_time(layout)
        seen = self._odometry.at(rows, np.full(len(rows), end))
        motion = np.array([seen[0], 0.5 * self._length[rows] * seen[2], seen[2]])
        few, count = scan_points(ranges, layout, max(layout.beams // beams, 1), motion)
        moves = self._moves(rows, seen[3:])
        self.localisation.update(rows, moves, few, count, moment.seed, moment.tick)
        self._reckoned[:, rows] = seen[3:]
        many, count = scan_points(ranges, layout, -(-ranges.shape[1] // POINTS), motion)
        self._points[rows, : many.shape[1]] = many
        self.points_seen[rows] = count
        self.scanned[rows] = end
        self.scans[rows] += 1
        known = ~self.localisation.lost[rows]
        pose = np.ascontiguousarray(self.localisation.pose[:, rows[known]])
        self.unmapped.look(rows[known], pose, many[known], count[known], layout.mount[:2], moment.t)

    def _moves(self, rows: Rows, now: F8) -> F8:
        """How far each went since its last scan, seen from there; nowhere where it is the first."""
        before = np.where(np.isnan(self._reckoned[:, rows]), now, self._reckoned[:, rows])
        origin = np.zeros((3, len(rows)))
        out = np.empty((3, len(rows)))
        moved(origin, before, np.ascontiguousarray(now), out)
        return out.T

    def heard(self) -> F8:
        """When the odometry of each was heard last, s; -inf where never."""
        return self._odometry.latest()

    def now(self, t: float) -> tuple[F8, F8]:
        """Poses (3, vehicles) by the latest scans and the odometry since; and what that says of
        speed and steer angle (2, vehicles)."""
        rows = np.arange(len(self._vids))
        seen = self._odometry.at(rows, np.full(len(rows), t))
        after = np.ascontiguousarray(seen[3:])
        before = np.where(np.isnan(self._reckoned), after, self._reckoned)
        out = np.empty((3, len(rows)))
        moved(self.localisation.pose, before, after, out)
        return out, seen[:2]

    def points(self, rows: Rows, t: float) -> F8:
        """The points of the latest scans, seen from where their vehicles are now."""
        after = self._odometry.at(rows, np.full(len(rows), t))[3:]
        dx, dy, turn = after - self._reckoned[:, rows]
        before = self._reckoned[2, rows]
        ahead = np.cos(before) * dx + np.sin(before) * dy
        left = np.cos(before) * dy - np.sin(before) * dx
        x = self._points[rows, :, 0] - ahead[:, None]
        y = self._points[rows, :, 1] - left[:, None]
        cos, sin = np.cos(turn)[:, None], np.sin(turn)[:, None]
        turned: F8 = np.stack([cos * x + sin * y, cos * y - sin * x], axis=2)
        return np.ascontiguousarray(turned)

    def estimates(self, t: float) -> Estimates:
        """Where they think they are."""
        x, y, yaw = self.now(t)[0]
        rows = np.arange(len(self._vids))
        speed, _, turn = self._odometry.at(rows, np.full(len(rows), t))[:3]
        aside, cos, sin = 0.5 * self._length * turn, np.cos(yaw), np.sin(yaw)
        vx, vy = speed * cos - aside * sin, speed * sin + aside * cos
        accuracy = np.where(self.localisation.lost, np.inf, self.localisation.accuracy)
        return Estimates(self._vids, t, self.scans.copy(), x, y, yaw, vx, vy, turn, accuracy)
