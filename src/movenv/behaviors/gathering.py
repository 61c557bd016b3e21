"""Places for vehicles that are told to go to one point together: each has its own."""

import math
from dataclasses import replace

import numpy as np
import scipy
import shapely
from numpy.typing import NDArray

from movenv.behaviors.guidance import tightest
from movenv.terrain.features import Terrain
from movenv.world.columns import F8, U4, Mask, Rows
from movenv.world.messages import Roster, VehicleStates
from movenv.world.orders import Order

PASSING = 1.35
"""Between neighbours, where there is room: so many times what somebody who passes between rows
of them needs, who stand 0.87 times as far apart as neighbours."""
CLOSE = 3.0
"""Between neighbours where there is no room for that, in lengths of the longest vehicle."""
SPARE = 4, 30
"""So many times as many places are looked at as are needed, and so many more: some have no room."""

AT_ONCE = 128
"""So many are given places at the same time: in some milliseconds."""

# How good a place is. Beside walls one would stand in the way of those who come round a corner;
# who does not see the point may be on the other side of a river.
WIDE, NARROW, HIDDEN, SHUT = range(4)


class Gathering:
    """Where each of some vehicles stands when all are told to go to the same point.

    It depends on who is told, in which order, and on the ground alone, so that every host finds
    the same. Who gives the order sees everybody, and says in which: `given_out`.
    """

    def __init__(self, roster: Roster, terrain: Terrain) -> None:
        self._roster = roster
        # Gathered now: in a large world that takes a while, which no tick has.
        told = np.unique(roster.kind[np.array(roster.obeys, np.bool_)]) if roster.obeys else ()
        self._walls = {kind: _Walls(terrain, roster, kind) for kind in map(int, told)}
        if self._walls:
            _ = scipy.optimize  # which loads it

    def places(self, point: F8, vids: U4) -> tuple[F8, float]:
        """Where each of `vids` shall be at the end, (2, vids), round a point (x, y, z).

        And how far the places are from each other, m; inf where everybody gets the point.

        The first of those that can stop gets the point itself, the others places in rings round
        it with room, the best first: see `given_out`. Who cannot stop circles round the point
        anyway.
        """
        rows = np.searchsorted(self._roster.vids, vids)
        build = self._roster.build
        stops = np.flatnonzero(build["min_speed"][rows] <= 0.0)
        found = np.repeat(np.asarray(point[:2], float)[:, None], len(vids), axis=1)
        apart = math.inf
        if len(stops) > 1:
            found[:, stops], apart = self._shared(point, rows[stops])
        return found, apart

    def given_out(self, order: Order, everyone: VehicleStates) -> Order:
        """The same order, with those it is given to in the order in which they get the places.

        They keep their arrangement, so that those in front go to the far side and no two ways
        cross. Only who knows where everybody is can say that; hosts go by the order.
        """
        if order.what != "go" or order.formation:
            return order
        rows = np.searchsorted(self._roster.vids, order.vids)
        stops = np.flatnonzero(self._roster.build["min_speed"][rows] <= 0.0)
        if len(stops) < 2 or not len(everyone):
            return order
        mine, vids = order.vids[stops], order.vids.copy()
        spots, _ = self.places(order.points[-1], order.vids)
        vids[stops] = mine[matched(spots[:, stops], _arrangement(order.points, mine, everyone))]
        return replace(order, vids=vids)

    def _gaps(self, rows: Rows) -> tuple[float, float]:
        """How far from each other these stand where there is room, and where there is little, m.

        Who avoids others keeps free a circle to its right in which it can turn, and what stands
        has one as well: between two that stand, a third needs room for both.
        """
        length = self._roster.length[rows]
        turning = tightest(length, self._roster.build["max_steer"][rows])
        close = CLOSE * float(length.max())
        return max(PASSING * float((length + 4.0 * turning).max()), close), close

    def _shared(self, point: F8, rows: Rows) -> tuple[F8, float]:
        count = len(rows)
        for apart in self._gaps(rows):
            spots, poor = self._spots(point, rows, apart)
            if np.sum(poor < HIDDEN) >= count:
                break
        chosen = np.argsort(poor, kind="stable")[: min(count, np.sum(poor < SHUT))]
        # Where there is no room for all, the last ones get as near to the point as they can.
        return spots[:, np.append(chosen, np.zeros(count - len(chosen), np.intp))], apart

    def _spots(self, point: F8, rows: Rows, apart: float) -> tuple[F8, Rows]:
        """Places round a point, more than are needed, and how good each is."""
        length = self._roster.length[rows]
        turning = tightest(length, self._roster.build["max_steer"][rows])
        room = float(np.maximum(length, turning / 2).max())
        times, more = SPARE
        spots = np.asarray(point[:2], float)[:, None] + apart * rings(times * len(rows) + more)
        wide = room + CLOSE * float(length.max())
        poor = np.zeros(spots.shape[1], np.intp)
        for kind in np.unique(self._roster.kind[rows]).tolist():
            poor = np.maximum(poor, self._walls[kind].judge(point, spots, room, wide))
        poor[0] = WIDE  # it is where they are told to go
        return spots, poor


class _Walls:
    """What stops vehicles of a kind."""

    def __init__(self, terrain: Terrain, roster: Roster, kind: int) -> None:
        found = terrain.barriers(roster.kinds[kind], -math.inf) if terrain.obstacles else []
        self._flies = roster.kinds[kind].name == "aerial"
        self._height = np.array([obstacle.height for obstacle, _ in found])
        self._tree = shapely.STRtree([polygon for _, polygon in found])

    def judge(self, point: F8, spots: F8, room: float, wide: float) -> Rows:
        """How good each spot is, WIDE to SHUT, with `room` round it, or so much that it is `wide`.

        Aircraft mind what is higher than the point, or everything if it says no height.
        """
        here = shapely.Point(point[0], point[1])
        standing = np.ones(len(self._height), np.bool_)
        if self._flies and not math.isnan(point[2]):
            standing = point[2] < self._height
        gaps = shapely.distance(self._tree.geometries[standing], here)
        # The point may be nearer to a wall than `room`; then so may be the way from it.
        beside = 0.99 * min(room, float(gaps.min(initial=math.inf)))
        ends = np.stack([np.broadcast_to(np.c_[point[:2]], spots.shape), spots]).transpose(2, 0, 1)
        seen = self._clear(shapely.linestrings(ends), beside, standing)
        dots = shapely.points(spots.T)
        free, broad = (self._clear(dots, gap, standing) for gap in (room, wide))
        good: Rows = np.select([~free, ~seen, ~broad], [SHUT, HIDDEN, NARROW], WIDE)
        return good

    def _clear(self, shapes: NDArray[np.object_], gap: float, standing: Mask) -> Mask:
        """Which shapes are farther than `gap` from all that is standing."""
        which, wall = self._tree.query(shapes, predicate="dwithin", distance=gap)
        clear: Mask = np.ones(len(shapes), np.bool_)
        clear[which[standing[wall]]] = False
        return clear


def _arrangement(points: F8, vids: U4, everyone: VehicleStates) -> F8:
    """How vehicles come to the last of some points: where each is to the others, (2, vids)."""
    rows = np.minimum(np.searchsorted(everyone.vid, vids), len(everyone) - 1)
    here: F8 = np.array([everyone.x[rows], everyone.y[rows]])
    known = (everyone.vid[rows] == vids) & np.isfinite(here).all(axis=0)
    middle = here[:, known].mean(axis=1, keepdims=True) if known.any() else np.zeros((2, 1))
    here = np.where(known, here, middle)
    if len(points) == 1:
        return here - middle
    # All pass the same places: they come one behind the other.
    leg = points[-1, :2] - points[-2, :2]
    queue = -np.hypot(*(here - points[0, :2, None]))
    arranged: F8 = leg[:, None] / max(float(np.hypot(*leg)), 1e-9) * queue
    return arranged


def matched(spots: F8, here: F8) -> Rows:
    """Of each spot who goes to it, both (2, n), so that the squares of all ways are the least.

    Of more than `AT_ONCE` the halves are matched, for it takes n cubed.
    """
    count = spots.shape[1]
    if count <= AT_ONCE:
        off = spots - spots.mean(axis=1, keepdims=True)
        _, who = scipy.optimize.linear_sum_assignment(-(off.T @ here))
        return np.asarray(who, np.intp)
    long = int(np.argmax(np.ptp(here, axis=1)))
    there, them = (np.lexsort((of[1 - long], of[long])) for of in (spots, here))
    found, half = np.empty(count, np.intp), count // 2
    for some in (slice(half), slice(half, None)):
        found[there[some]] = them[some][matched(spots[:, there[some]], here[:, them[some]])]
    return found


def rings(count: int) -> F8:
    """The first places, (2, count), of rings of hexagons round the origin, all 1 apart."""
    found, ring = [np.zeros(1, complex)], 0
    while sum(map(len, found)) < count:
        ring += 1
        for side in range(6):
            corner, along = (np.exp(1j * np.pi / 3 * (side + turn)) for turn in (0, 2))
            found.append(ring * corner + along * np.arange(ring))
    every = np.concatenate(found)[:count]
    places: F8 = np.array([every.real, every.imag])
    return places
