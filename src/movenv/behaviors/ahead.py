"""Who is in front: of each vehicle the nearest other in a corridor ahead."""

from typing import NamedTuple

import numpy as np

from movenv.behaviors.progress import Progress
from movenv.parts import Own, Roster, VehicleStates
from movenv.world.columns import F8, Mask, Rows, VidIndex
from movenv.world.neighbors import within


class Pairs(NamedTuple):
    """Vehicles and others near them: rows of both, and how the other lies and moves."""

    row: Rows
    other: Rows
    ahead: F8
    """From middle to middle, m; at most 0 for one that is not in front."""
    aside: F8
    speed: F8
    """Of the other along the way, m/s."""
    apart: F8
    """Half of both lengths: what lies between the middles of two that touch, m."""

    def some(self, which: Mask) -> "Pairs":
        return Pairs(
            self.row[which],
            self.other[which],
            self.ahead[which],
            self.aside[which],
            self.speed[which],
            self.apart[which],
        )


class Lookout:
    """Looks ahead for the vehicles that carry a behavior."""

    def __init__(self, roster: Roster, sight: F8) -> None:
        """`sight` is how far each sees."""
        self._index = VidIndex(roster.vids)
        self._length = roster.length
        self._sight = sight

    def straight(self, own: Own, others: VehicleStates) -> Pairs:
        """Everyone in sight as they lie along each one's own heading."""
        row, other = self._near(own, others)
        cos, sin = np.cos(own.yaw[row]), np.sin(own.yaw[row])
        east, north = others.x[other] - own.x[row], others.y[other] - own.y[row]
        speed: F8 = others.vx[other].astype(float) * cos + others.vy[other] * sin
        ahead, aside = cos * east + sin * north, cos * north - sin * east
        return Pairs(row, other, ahead, aside, speed, self._apart(own, others, row, other))

    def along(self, own: Own, others: VehicleStates, progress: Progress, on_route: Rows) -> Pairs:
        """The same along the routes of those rows that have one."""
        row, other = self._near(own, others)
        on = np.isin(row, on_route)
        row, other = row[on], other[on]
        at = np.searchsorted(on_route, row)
        routes, route, s = progress.routes, progress.route[at], progress.s[at]
        x, y = others.x[other], others.y[other]
        found, aside = routes.near(route, x, y, s, np.zeros(len(row)), self._sight[row])
        heading = routes.place(route, found)[3]
        east, north = others.vx[other].astype(float), others.vy[other].astype(float)
        speed = east * np.cos(heading) + north * np.sin(heading)
        apart = self._apart(own, others, row, other)
        return Pairs(row, other, found - s, aside - progress.off[at], speed, apart)

    def _near(self, own: Own, others: VehicleStates) -> tuple[Rows, Rows]:
        placed = np.flatnonzero(np.isfinite(others.x) & np.isfinite(others.vx))
        points = np.column_stack([own.x, own.y, np.zeros(len(own))])
        around = np.column_stack([others.x[placed], others.y[placed], np.zeros(len(placed))])
        row, other = within(points, self._sight, around)
        other = placed[other]
        different = others.vid[other] != own.vid[row]
        return row[different], other[different]

    def _apart(self, own: Own, others: VehicleStates, row: Rows, other: Rows) -> F8:
        mine = self._length[self._index.rows(own.vid)]
        theirs = self._length[self._index.rows(others.vid[other])]
        apart: F8 = (mine[row] + theirs) / 2
        return apart


def first_of_each(row: Rows, value: F8, *columns: F8) -> tuple[Rows, list[F8]]:
    """Of each row that occurs the pair of the lowest value: the rows, and columns at those pairs.

    Of equal values the one that comes first, which is the lower vid.
    """
    order = np.lexsort((np.arange(len(row)), value, row))
    at = order[np.concatenate([[True], np.diff(row[order]) > 0])] if len(row) else order
    return row[at], [column[at] for column in columns]
