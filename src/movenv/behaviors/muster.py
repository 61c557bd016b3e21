"""Who leads each formation, and who keeps which station: the same for all that see the same."""

from dataclasses import dataclass

import numpy as np
import scipy

from movenv.behaviors.shapes import Side, stations_of
from movenv.parts import VehicleStates
from movenv.world.columns import F8, U4, Mask, Rows
from movenv.world.messages import Health

SILENT = 1.0
"""For so long nothing may have come of a vehicle before it counts as lost, s."""
FORESIGHT = 1.0
"""Stations are given out by where followers will be in so many seconds: whoever is on the way to
a station keeps it, though another is as near."""
HORIZON = 2.0
"""Ways are measured to where stations will be once the leader has gone on by so many times the
distance of the farthest station from it."""
EVEN = 4
"""Ways count by this power of their length. With 1 only the sum would count, and a wing could stand
still while the other races round; with ever more only the longest would."""
AT_ONCE = 48
"""Stations are weighed against each other for so many followers at most; of more, those beside each
other are."""
LARGEST = 200
"""Vehicles in a formation, its leader included."""
STANDING = 0.1
"""Below about this speed a vehicle's direction is where it points, above it where it goes, m/s."""


@dataclass(frozen=True)
class Formation:
    """A leader and those that may follow it, each of which has a station."""

    leader: int
    """A vid."""
    followers: tuple[int, ...]
    """Vids, rising, without the leader."""
    shape: str
    spacing: float
    side: Side = "right"
    points: tuple[tuple[float, float], ...] = ()
    """Stations ahead and to the left, m, in place of a shape."""

    def __post_init__(self) -> None:
        if len(self.followers) >= LARGEST:
            count = len(self.followers) + 1
            raise ValueError(f"a formation of {count:,} vehicles: {LARGEST} is the most")

    def stations(self, count: int) -> F8:
        """Where `count` followers stand, (2, count)."""
        if self.points:
            return np.array(self.points[:count], float).reshape(count, 2).T
        return stations_of(self.shape, count, self.spacing, self.side)


class Muster:
    """Formations as they stand at a tick.

    Nothing depends on the past, so hosts that are told the same agree without a word. Columns are
    the followers of all formations, one formation after the other, unless said otherwise.
    """

    def __init__(self, formations: list[Formation]) -> None:
        sizes = [len(f.followers) for f in formations]
        if 0 in sizes:
            raise ValueError("a formation without followers")
        self._formations = formations
        self.vid: U4 = np.array([v for f in formations for v in f.followers], np.uint32)
        self.formation = np.repeat(np.arange(len(formations)), sizes)
        self._first = np.cumsum([0, *sizes[:-1]])
        self._leader_vid: U4 = np.array([f.leader for f in formations], np.uint32)
        self.leader: Rows = np.full(len(formations), -1)
        """Of each formation the row of its leader among the others, -1 for none."""
        self.follows: Mask = np.zeros(len(self.vid), np.bool_)
        self._point = np.zeros((2, len(self.vid)))
        """A formation's stations in the first places of its stretch."""
        self._station = np.arange(len(self.vid))
        """The place in `_point` of each one's station."""
        self._half_gap = np.full(len(formations), np.inf)
        # What SciPy loads when it is first used, it loads now and not in the middle of a run.
        given_out(np.zeros((2, 1)), np.zeros((2, 1)), 0.0)

    @property
    def stations(self) -> F8:
        """Each one's station (2, followers), ahead and to the left of its leader, m."""
        return self._point[:, self._station]

    def look(self, others: VehicleStates) -> None:
        """Take note of who is there, and give out the stations."""
        there, row = known(self.vid, others)
        follows = self._find_leaders(others, there, row)
        news = np.bitwise_or.reduceat(follows != self.follows, self._first)
        self.follows = follows
        for f in np.flatnonzero(news).tolist():
            self._draw_up(f)
        if not follows.any():
            return
        seen = self._from_leaders(others, row)
        apart = self._apart(seen) > self._half_gap[self.formation]  # in order they keep theirs
        disorder = np.bitwise_or.reduceat(apart & follows, self._first)
        anybody = np.bitwise_or.reduceat(follows, self._first)
        for f in np.flatnonzero((news | disorder) & anybody).tolist():
            self._give_out(f, seen)

    def _find_leaders(self, others: VehicleStates, there: Mask, row: Rows) -> Mask:
        """The leader that was chosen; while it is lost, the first who is there. Who follows?"""
        present, leader = known(self._leader_vid, others)
        number = np.arange(len(self.vid))
        first = np.minimum.reduceat(np.where(there, number, len(number)), self._first)
        stands_in = ~present & (first < len(number))
        deputy = np.minimum(first, len(number) - 1)
        self.leader = np.where(present, leader, np.where(stands_in, row[deputy], -1))
        follows = there.copy()
        follows[deputy[stands_in]] = False
        return follows

    def _stretch(self, f: int) -> tuple[int, Rows]:
        """Where a formation's columns begin, and those of them that follow."""
        first = int(self._first[f])
        last = first + len(self._formations[f].followers)
        return first, first + np.flatnonzero(self.follows[first:last])

    def _draw_up(self, f: int) -> None:
        """Stations for as many as are there now."""
        first, who = self._stretch(f)
        points = self._formations[f].stations(len(who))
        self._point[:, first : first + len(who)] = points
        gaps = np.hypot(*(points[:, :, None] - points[:, None]))
        pairs = gaps[np.triu_indices(len(who), 1)]
        self._half_gap[f] = pairs.min() / 2 if len(pairs) else np.inf
        self._station[who] = first + np.arange(len(who))

    def _from_leaders(self, others: VehicleStates, row: Rows) -> F8:
        """Where followers will soon be, ahead and to the left of where their leaders are, m."""
        leader, who = self.leader[self.formation], self.follows
        at, led = row[who], leader[who]
        cos, sin = direction(others, led)
        east = others.x[at] - others.x[led] + FORESIGHT * (others.vx[at] - others.vx[led])
        north = others.y[at] - others.y[led] + FORESIGHT * (others.vy[at] - others.vy[led])
        seen = np.zeros((2, len(self.vid)))
        seen[:, who] = cos * east + sin * north, cos * north - sin * east
        return seen

    def _apart(self, seen: F8) -> F8:
        """How far each is from its station, but for what all of its formation have in common, m."""
        error = np.where(self.follows, self.stations - seen, 0.0)
        count = np.maximum(np.add.reduceat(self.follows, self._first, dtype=int), 1)
        mean = np.add.reduceat(error, self._first, axis=1) / count
        off: F8 = np.hypot(*(error - mean[:, self.formation]))
        return off

    def _give_out(self, f: int, seen: F8) -> None:
        first, who = self._stretch(f)
        points = self._point[:, first : first + len(who)]
        self._station[who] = first + given_out(points, seen[:, who], self._half_gap[f])


def given_out(stations: F8, places: F8, half_gap: float) -> Rows:
    """Of each follower the number of its station; both (2, followers), by their leader's direction.

    In order, with nobody half a gap off but for what all have in common, everyone keeps the
    nearest. Else, as when the leader has turned, the ways to the stations become as even as may be.
    """
    count, evenly = places.shape[1], scipy.optimize.linear_sum_assignment
    # The ways add up to the same however stations are given out: what all have in common is known.
    common = (stations - places).mean(axis=1, keepdims=True)
    off, near = scipy.spatial.KDTree(stations.T).query((places + common).T)
    if off.max() <= half_gap and len(np.unique(near)) == count:
        return np.asarray(near, np.intp)
    given, cost = np.empty(count, np.intp), toil(stations, places)
    for some, beside in _neighbours(stations, places):
        _, even = evenly(cost[np.ix_(some, beside)])
        given[some] = beside[even]
    return given


def _neighbours(stations: F8, places: F8) -> list[tuple[Rows, Rows]]:
    """Followers and stations in as many parts as it takes, in order of the longer side.

    Whoever heads for a station in this order keeps it all the way.
    """
    count = stations.shape[1]
    long = int(np.argmax(np.ptp(stations, axis=1)))
    parts = -(-count // AT_ONCE)
    some, beside = (
        np.array_split(np.lexsort((of[1 - long], of[long])), parts) for of in (places, stations)
    )
    return list(zip(some, beside, strict=True))


def toil(stations: F8, places: F8) -> F8:
    """What it costs each follower (row) to take each station (column)."""
    radius = np.hypot(*stations).max()
    way = stations[:, None] - places[:, :, None]
    cost: F8 = np.hypot(way[0] / radius + HORIZON, way[1] / radius) ** EVEN
    return cost


def known(vids: U4, others: VehicleStates) -> tuple[Mask, Rows]:
    """Whether it is known where vehicles are, and their rows among the others."""
    if not len(others):
        return np.zeros(len(vids), np.bool_), np.zeros(len(vids), np.intp)
    row = np.minimum(np.searchsorted(others.vid, vids), len(others) - 1)
    health = others.health[row]
    fresh = (health == Health.HEARD) | ((health != Health.UNHEARD) & (others.age[row] <= SILENT))
    placed = np.isfinite(others.x[row]) & np.isfinite(others.y[row])
    there: Mask = (others.vid[row] == vids) & fresh & placed
    return there, row


def direction(others: VehicleStates, rows: Rows) -> tuple[F8, F8]:
    """Cosine and sine of where vehicles travel; where they point while they stand."""
    yaw = others.yaw[rows].astype(float)
    east = others.vx[rows] + STANDING * np.cos(yaw)
    north = others.vy[rows] + STANDING * np.sin(yaw)
    far = np.hypot(east, north)
    moves = far > 1e-6
    far = np.where(moves, far, 1.0)
    return np.where(moves, east / far, np.cos(yaw)), np.where(moves, north / far, np.sin(yaw))
