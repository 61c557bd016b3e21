"""The network of a terrain's roads, and ways over it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy
import shapely

from movenv.terrain.features import Road, Terrain
from movenv.world.columns import F8, Mask, Rows
from movenv.world.orders import Roads

OFF_ROAD_COST = 3.0
"""A metre off the roads counts as so many on them."""
TOUCH = 1e-3
"""A road whose end lies this near to another one's edge meets it, m."""
MOST_TREES = 64
"""Goals for which the ways over all roads are kept."""
MOST_WAYS = 4096
"""Ways that are kept."""
APART = 1e-6
"""Places nearer together than this are one, m."""


class _Reach(NamedTuple):
    """What it costs to get from the roads to a place, or from it to them."""

    to_first: F8
    """From each segment's first end, and through which point of the segment."""
    first_at: F8
    to_second: F8
    second_at: F8


def network_of(terrain: Terrain) -> "RoadNetwork":
    """The network of a terrain's roads, which all share who go over them."""
    if RoadNetwork not in terrain.drawn:
        terrain.drawn[RoadNetwork] = RoadNetwork(terrain.roads)
    network: RoadNetwork = terrain.drawn[RoadNetwork]
    return network


class RoadNetwork:
    """Roads as a graph, joined where they meet or cross, whether or not they share a point there.

    Those on different levels are joined only where one of them ends or both have a point.
    Who goes over it enters and leaves anywhere on a road.
    """

    def __init__(self, roads: Sequence[Road]) -> None:
        ends = _segments(roads)
        nodes, number = np.unique(ends.reshape(-1, 2), axis=0, return_inverse=True)
        self._nodes: F8 = nodes
        self._ends: Rows = number.reshape(-1, 2)
        self._first, self._second = ends[:, :2], ends[:, 2:]
        self._length = np.hypot(*(self._second - self._first).T)
        self._trees: dict[tuple[float, ...], tuple[_Reach, F8, Rows]] = {}
        self._ways: dict[tuple[float | str, ...], F8 | None] = {}
        """What was found before: those who set out at GO have been through it in the warm-up."""

    def way(
        self, start: F8, goal: F8, roads: Roads, off_road_cost: float = OFF_ROAD_COST
    ) -> F8 | None:
        """The places (n, 2) to go through one after the other, the goal last; None for no way.

        `off` is straight on. `prefer` is the cheapest way that enters and leaves the roads at most
        once. `only` enters at the road's point nearest to the start and leaves at the one nearest
        to the goal.
        """
        key = (*map(float, start), *map(float, goal), roads, off_road_cost)
        if key not in self._ways:
            if len(self._ways) >= MOST_WAYS:
                self._ways.clear()
            self._ways[key] = self._found(start, goal, roads, off_road_cost)
        return self._ways[key]

    def _found(self, start: F8, goal: F8, roads: Roads, off_road_cost: float) -> F8 | None:
        straight: F8 = np.array([goal], float)
        if roads == "off":
            return straight
        if not len(self._length):
            return straight if roads == "prefer" else None
        factor = off_road_cost if roads == "prefer" else np.inf
        there, left, before = self._tree(goal, factor)
        here = self._reach(start, factor)
        cost, places = self._by_nodes(here, there, left, before)
        direct, between = self._within_one(start, goal, factor)
        if direct <= cost:
            cost, places = direct, between
        if roads == "prefer" and not cost < factor * np.hypot(*(goal - start)):
            return straight
        if not np.isfinite(cost):
            return None
        way: F8 = np.vstack([places, straight])
        steps = np.hypot(*np.diff(way, axis=0).T)
        moved: F8 = way[np.append(steps > APART, True)]
        return moved

    def _tree(self, goal: F8, factor: float) -> tuple[_Reach, F8, Rows]:
        """What is left to the goal from every node, and the node after it; kept for the next."""
        key = (float(goal[0]), float(goal[1]), factor)
        if key not in self._trees:
            there, count = self._reach(goal, factor), len(self._nodes)
            a, b = self._ends.T
            out = np.concatenate([a, b, np.full(2 * len(a), count)])
            into = np.concatenate([b, a, a, b])
            weight = np.concatenate([self._length, self._length, there.to_first, there.to_second])
            graph = _lightest(out, into, weight, count + 1)
            left, before = scipy.sparse.csgraph.dijkstra(
                graph, indices=count, return_predecessors=True
            )
            if len(self._trees) >= MOST_TREES:
                self._trees.clear()
            self._trees[key] = (there, left, before)  # one goal is given to many vehicles
        return self._trees[key]

    def _by_nodes(self, here: _Reach, there: _Reach, left: F8, before: Rows) -> tuple[float, F8]:
        """The cheapest way through at least one node, without the goal."""
        a, b = self._ends.T
        costs = np.concatenate([here.to_first + left[a], here.to_second + left[b]])
        best = int(np.argmin(costs))
        if not np.isfinite(costs[best]):
            return np.inf, np.empty((0, 2))
        segment, count = best % len(a), len(self._nodes)
        second = best >= len(a)
        places = [here.second_at[segment] if second else here.first_at[segment]]
        node = int(b[segment] if second else a[segment])
        while node != count:
            last = node
            places.append(self._nodes[node])
            node = int(before[node])
        ways_out = np.where(a == last, there.to_first, np.where(b == last, there.to_second, np.inf))
        out = int(np.argmin(ways_out))
        places.append(there.first_at[out] if a[out] == last else there.second_at[out])
        return float(costs[best]), np.array(places)

    def _reach(self, place: F8, factor: float) -> _Reach:
        """With `factor` inf only through the nearest point of all."""
        foot, off, only = self._nearest(place, factor)
        lead = 0.0 if np.isinf(factor) else off / np.sqrt(factor**2 - 1.0)
        found: list[F8] = []
        for sign, end in ((-1.0, 0.0), (1.0, 1.0)):
            at = np.clip(foot + sign * lead, 0.0, self._length)
            point = self._point(at)
            away = np.hypot(*(point - place).T)
            along = np.abs(end * self._length - at)
            off_road = 0.0 if np.isinf(factor) else factor * away
            found += [np.where(only, off_road + along, np.inf), point]
        return _Reach(*found)

    def _within_one(self, start: F8, goal: F8, factor: float) -> tuple[float, F8]:
        """The cheapest way that enters and leaves on one segment, without the goal."""
        (s, s_off, s_only), (g, g_off, g_only) = (
            self._nearest(place, factor) for place in (start, goal)
        )
        lead = 0.0 if np.isinf(factor) else 1.0 / np.sqrt(factor**2 - 1.0)
        ahead = np.sign(g - s)
        into = np.clip(s + ahead * lead * s_off, 0.0, self._length)
        out = np.clip(g - ahead * lead * g_off, 0.0, self._length)
        enter, leave = self._point(into), self._point(out)
        away = np.hypot(*(enter - start).T) + np.hypot(*(leave - goal).T)
        cost = np.abs(out - into) + (0.0 if np.isinf(factor) else factor * away)
        # Who would leave before it enters goes better straight, or by a node.
        useful = s_only & g_only & ((out - into) * ahead >= 0.0)
        cost = np.where(useful, cost, np.inf)
        best = int(np.argmin(cost))
        return float(cost[best]), np.array([enter[best], leave[best]])

    def _nearest(self, place: F8, factor: float) -> tuple[F8, F8, Mask]:
        """How far along each segment's line a place lies, how far off it, and who may be used."""
        along = (self._second - self._first) / self._length[:, None]
        east, north = (place - self._first).T
        at = along[:, 0] * east + along[:, 1] * north
        off = np.abs(along[:, 0] * north - along[:, 1] * east)
        only = np.ones(len(at), np.bool_)
        if np.isinf(factor):
            at = np.clip(at, 0.0, self._length)
            far = np.hypot(*(self._point(at) - place).T)
            only = np.arange(len(at)) == np.argmin(far)
        return at, off, only

    def _point(self, at: F8) -> F8:
        share = (at / self._length)[:, None]
        point: F8 = self._first + share * (self._second - self._first)
        return point


def in_steps(way: F8, step: float) -> F8:
    """A way with more places on its roads, so that none are farther apart than a step, m."""
    if len(way) < 3:
        return way
    road = shapely.segmentize(shapely.LineString(way[:-1]), step)
    stepwise: F8 = np.vstack([shapely.get_coordinates(road), way[-1:]])
    return stepwise


def _segments(roads: Sequence[Road]) -> F8:
    """All roads in straight pieces (n, 4), cut wherever two of them meet."""
    lines = [shapely.LineString(road.line) for road in roads]
    if not lines:
        return np.empty((0, 4))
    pieces: list[F8] = []
    for level in _joined(roads, lines).values():
        for part in shapely.get_parts(shapely.union_all(level)):
            points = shapely.get_coordinates(part)
            pieces.append(np.hstack([points[:-1], points[1:]]))
    return np.vstack(pieces)


def _joined(
    roads: Sequence[Road], lines: list[shapely.LineString]
) -> dict[int, list[shapely.LineString]]:
    """By level, the roads with a point wherever another one ends on them, and what leads there."""
    tree = shapely.STRtree(lines)
    widest = max(road.width for road in roads)
    levels: dict[int, list[shapely.LineString]] = {road.level: [] for road in roads}
    met: list[list[tuple[float, F8]]] = [[] for _ in lines]
    for own, line in enumerate(lines):
        for end in (shapely.get_point(line, 0), shapely.get_point(line, -1)):
            for other in tree.query(end, "dwithin", distance=widest / 2 + TOUCH):
                gap = shapely.distance(lines[other], end)
                if other == own or gap > roads[other].width / 2 + TOUCH:
                    continue
                at = lines[other].project(end)
                onto = end if gap < APART else lines[other].interpolate(at)
                met[other].append((at, shapely.get_coordinates(onto)[0]))
                if gap >= APART:
                    levels[roads[own].level].append(shapely.LineString([end, onto]))
    for road, line, new in zip(roads, lines, met, strict=True):
        levels[road.level].append(_with_points(line, new))
    return levels


def _with_points(line: shapely.LineString, new: list[tuple[float, F8]]) -> shapely.LineString:
    """A line with some more points on it, each so far along."""
    if not new:
        return line
    points = shapely.get_coordinates(line)
    along = np.append(0.0, np.cumsum(np.hypot(*np.diff(points, axis=0).T)))
    order = np.argsort(np.append(along, [at for at, _ in new]), kind="stable")
    return shapely.LineString(np.vstack([points, [point for _, point in new]])[order])


def _lightest(out: Rows, into: Rows, weight: F8, count: int) -> "scipy.sparse.csr_array":
    """A graph of these edges; of several between the same nodes the lightest counts."""
    usable = np.isfinite(weight)
    out, into, weight = out[usable], into[usable], np.maximum(weight[usable], APART)
    order = np.lexsort((weight, into, out))
    out, into, weight = out[order], into[order], weight[order]
    first = np.append(True, (np.diff(out) != 0) | (np.diff(into) != 0))
    return scipy.sparse.csr_array((weight[first], (out[first], into[first])), shape=(count, count))
