"""Monte Carlo localisation: where vehicles are on a map, by what their scanners see of it.

Each vehicle has some hundreds or thousands of guesses of its pose. They move as its odometry says,
each with an error of its own; each is as likely as the points of the scan lie on edges of the map;
and they are drawn anew in proportion to that. How many there are follows from how widely they are
spread (KLD sampling). Where the map no longer explains the scan some are put anywhere, so that a
vehicle that was carried off finds itself again.
"""

from typing import NamedTuple

import numpy as np

from movenv.behaviors.likelihood import field_of, free_places
from movenv.behaviors.particles import (
    AGREED,
    AROUND,
    FIT,
    PLAIN,
    SLOTS,
    XX,
    YAW,
    YY,
    X,
    Y,
    anywhere,
    cloud,
    update,
)
from movenv.terrain.grid_map import GridMap
from movenv.world.columns import F8, U4, Mask, Rows, read_only
from movenv.world.kernel import kernel

LOST = 0.6
"""Below this share of explained beams, or of guesses that agree, a vehicle is lost."""
FOUND, SEARCH = 0.93, 20
"""It has found itself when the map explains this share of all beams and so many guesses agree,
after so many scans at least: places in a building can look much alike."""
VAGUE = 0.5
"""Who knows its place no better is lost too, m."""
STRANGE = 0.5
"""The share of guesses that who is lost puts anywhere with each scan. Who is not puts none: a row
of strangers looks like a wall, and there may be one like it elsewhere."""
PACE = 0.25
"""How much the latest scan counts in the running mean of explained beams."""
DRIFT = ((0.005, 0.10, 0.02), (0.005, 0.05, 0.02), (0.003, 0.04, 0.10))
"""Errors of the odometry, ahead, sideways, and in yaw: at each step, for each metre of way, and
for each radian of turn; standard deviations, m and rad."""


class Estimates(NamedTuple):
    """Where vehicles think they are, one row each."""

    vid: U4
    t: float
    """When that is, s."""
    scans: Rows
    """How many scans of each were taken into account until now."""
    x: F8
    y: F8
    yaw: F8
    vx: F8
    vy: F8
    yaw_rate: F8
    """How they move, by their odometry: m/s and rad/s."""
    accuracy: F8
    """Standard deviation of the place, m; inf of who is lost."""


class Localisation:
    """Guesses of the poses of vehicles on one map, one row a vehicle."""

    def __init__(self, grid: GridMap, vids: U4, least: F8, most: F8) -> None:
        """`least` and `most` guesses of each; SLOTS / 2 is the most that there can be."""
        count = len(vids)
        if count and most.max() > SLOTS // 2:
            raise ValueError(f"{most.max():.0f} particles; {SLOTS // 2} are the most")
        self._vids = read_only(vids)
        self.field = field_of(grid)
        self._free = free_places(grid)
        if not self._free.size:
            raise ValueError("the map has no free cell")
        self._bounds = np.array([least, most]).astype(np.int64)
        self._particles = np.zeros((count, int(self._bounds[1].max(initial=1)), 3))
        self.count = np.ones(count, np.int64)
        """How many guesses each has now."""
        self.found = np.zeros((count, 10))
        """The latest estimates, by the columns of `particles`."""
        self._fit = np.ones(count)
        self.lost: Mask = np.zeros(count, np.bool_)
        self._searched = np.zeros(count, np.int64)

    def place(self, row: int, pose: F8, seed: int, tick: int, spread: F8) -> None:
        """Tell a vehicle where it is, give or take `spread`, m and rad."""
        cloud(self._particles, self.count, row, self._vids[row], np.uint64(seed), tick,
              self._bounds[1, row], pose, spread)  # fmt: skip
        self.found[row] = [
            *pose,
            spread[0] ** 2,
            0.0,
            spread[0] ** 2,
            spread[1] ** 2,
            1.0,
            1.0,
            1.0,
        ]
        self._fit[row], self.lost[row] = 1.0, False

    def forget(self, row: int, seed: int, tick: int) -> None:
        """A vehicle may be anywhere."""
        anywhere(self._particles, self.count, row, self._vids[row], np.uint64(seed), tick,
                 self._bounds[1, row], self._free, self.field.resolution)  # fmt: skip
        self.found[row, AGREED] = self.found[row, FIT] = self._fit[row] = 0.0
        self.lost[row] = True

    def update(self, rows: Rows, moves: F8, points: F8, beams: Rows, seed: int, tick: int) -> None:
        """Take scans of some vehicles into account, once a tick at most.

        `moves` (rows, 3) is how far each went since its last scan, seen from where it was then:
        ahead, to the left, and its turn. `points` and `beams` are as `scan_points` gives them.
        """
        way, turn = np.hypot(moves[:, 0], moves[:, 1]), np.abs(moves[:, 2])
        noises = np.column_stack([a + b * way + c * turn for a, b, c in DRIFT])
        strange = STRANGE * self.lost
        before = self.found[rows][:, [X, Y]]
        update(
            self._particles, self.count, self._bounds, rows, self._vids, np.uint64(seed), tick,
            np.ascontiguousarray(moves), noises, points, beams, self.field, self._free, strange,
            self.found,
        )  # fmt: skip
        self._fit[rows] += PACE * (self.found[rows, FIT] - self._fit[rows])
        jump = np.hypot(*(self.found[rows][:, [X, Y]] - before).T) > way + AROUND
        self._judge(rows, jump)

    def _judge(self, rows: Rows, jump: Mask) -> None:
        """Who is lost, and who has found itself; who jumps elsewhere has been lost."""
        fit, agreed = self._fit[rows], self.found[rows, AGREED]
        vague = self.accuracy[rows] > VAGUE
        self.lost[rows] |= (fit < LOST) | (agreed < LOST) | vague | jump
        self._searched[rows] = np.where(self.lost[rows], self._searched[rows] + 1, 0)
        sure = (self.found[rows, PLAIN] >= FOUND) & (agreed >= FOUND) & ~vague
        self.lost[rows] &= ~(sure & (self._searched[rows] >= SEARCH))

    @property
    def pose(self) -> F8:
        """x, y and yaw of each, at the end of its latest scan: (3, vehicles)."""
        poses: F8 = self.found[:, [X, Y, YAW]].T.copy()
        return poses

    @property
    def accuracy(self) -> F8:
        """Standard deviation of each one's place, m."""
        spread: F8 = np.sqrt(np.maximum(self.found[:, XX] + self.found[:, YY], 0.0))
        return spread


@kernel
def moved(pose, before, after, out):  # type: ignore[no-untyped-def]
    """A pose carried on by what the odometry reckoned between two instants; all (3, n)."""
    for k in range(pose.shape[1]):
        dx, dy = after[0, k] - before[0, k], after[1, k] - before[1, k]
        turn = pose[2, k] - before[2, k]
        sin, cos = np.sin(turn), np.cos(turn)
        out[0, k] = pose[0, k] + cos * dx - sin * dy
        out[1, k] = pose[1, k] + sin * dx + cos * dy
        out[2, k] = pose[2, k] + after[2, k] - before[2, k]
