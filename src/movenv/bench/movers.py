"""Points that move as they are told, in many worlds side by side; and shortest ways by force."""

from dataclasses import dataclass

import numpy as np
import shapely
from scipy.sparse.csgraph import dijkstra
from shapely import Polygon

from movenv.bench.worlds import CLEARANCE, SIDE, World
from movenv.terrain.features import Crossing, Obstacle, Terrain
from movenv.terrain.guide import Guide
from movenv.world.columns import F8, Mask
from movenv.world.kinds import Kind

APART = 6 * SIDE
"""From world to world, m: nobody sees the neighbour's."""
STEP = 1.0
LEAST = 0.98
"""Outlines are true to within a hundredth of the clearance."""
GROUND = Kind("ground")


@dataclass
class Journeys:
    """How it went: one row a world."""

    arrived: Mask
    gave_up: Mask
    length: F8
    touched: Mask
    """Who came nearer to something solid than its clearance."""


def side_by_side(worlds: list[World]) -> tuple[Terrain, F8, F8]:
    """One terrain with all worlds in it, and starts and goals (2, n)."""
    wide = int(np.ceil(np.sqrt(len(worlds))))
    obstacles: list[Obstacle] = []
    crossings: list[Crossing] = []
    starts, goals = [], []
    for k, world in enumerate(worlds):
        east, north = APART * (k % wide), APART * (k // wide)
        own = world.terrain(f"w{k}-", east, north)
        obstacles += own.obstacles
        crossings += own.crossings
        starts.append((world.start[0] + east, world.start[1] + north))
        goals.append((world.goal[0] + east, world.goal[1] + north))
    return Terrain(tuple(obstacles), tuple(crossings)), np.array(starts).T, np.array(goals).T


def journeys(
    worlds: list[World], sight: float, clearance: float = CLEARANCE, most_steps: int = 20_000
) -> Journeys:
    """Send a point through each world; who is told that there is no way stops."""
    terrain, place, goal = side_by_side(worlds)
    n = len(worlds)
    guide = Guide(terrain, [GROUND] * n, np.zeros(n), np.full(n, clearance), np.full(n, sight))
    guide.head_for(np.arange(n), goal[0], goal[1])
    solid = [ground for _, ground in terrain.barriers(GROUND)]
    tree = shapely.STRtree(solid)
    length, touched = np.zeros(n), np.zeros(n, np.bool_)
    arrived = np.zeros(n, np.bool_)
    for _ in range(most_steps):
        guide.look(place[0], place[1])
        arrived = np.hypot(*(goal - place)) < 1e-6
        going = ~arrived & ~guide.no_way
        if not going.any():
            break
        gap = np.where(going, guide.to - place, 0.0)
        far = np.hypot(*gap)
        step = np.minimum(far, STEP)
        then = place + gap * (step / np.maximum(far, 1e-12))
        legs = shapely.linestrings(np.stack([place.T, then.T], axis=1))
        near, _ = tree.query(legs, predicate="dwithin", distance=clearance * LEAST)
        touched[near] = True
        length += step
        place = then
    return Journeys(arrived, guide.no_way.copy(), length, touched)


def shortest(world: World, clearance: float = CLEARANCE) -> float:
    """The shortest path of the full visibility graph, by brute force; inf for none."""
    ground = [g for _, g in world.solids]
    shut = shapely.buffer(shapely.union_all(ground), clearance, quad_segs=4)
    corners = shapely.get_coordinates(shut)
    places = np.vstack([world.start, world.goal, np.unique(corners, axis=0)])
    inner = shapely.buffer(shut, -1e-6)
    shapely.prepare(inner)
    a, b = np.triu_indices(len(places), 1)
    lines = shapely.linestrings(np.stack([places[a], places[b]], axis=1))
    free = ~shapely.intersects(inner, lines)
    graph = np.zeros((len(places), len(places)))
    graph[a[free], b[free]] = np.hypot(*(places[a[free]] - places[b[free]]).T)
    return float(dijkstra(graph, directed=False, indices=0)[1])


def by_contour(world: World, most_contacts: int = 200) -> tuple[bool, float]:
    """The paper's simple rule: whether it arrives, and how long its path is.

    Straight to the goal; on contact along the contour, to the side of the smaller angle, until
    the line to the goal is free of that body. Gives up when it meets the same place again.
    """
    bodies = shapely.get_parts(world.shut(CLEARANCE))
    rings, body = shapely.get_rings(bodies, return_index=True)
    inner = shapely.buffer(bodies, -1e-6)
    here, goal = np.array(world.start), np.array(world.goal)
    met: set[tuple[int, int, int]] = set()
    length = 0.0
    for _ in range(most_contacts):
        contact = _contact(rings, here, goal)
        if contact is None:
            return True, length + float(np.hypot(*(goal - here)))
        which, at, place = contact
        mark = (which, round(place[0] * 1e3), round(place[1] * 1e3))
        if mark in met:
            return False, length
        met.add(mark)
        length += float(np.hypot(*(place - here)))
        left = _along_contour(rings[which], inner[body[which]], at, place, goal)
        if left is None:
            return False, length
        here, walked = left
        length += walked
    return False, length


def _contact(rings: list[shapely.LinearRing], here: F8, goal: F8) -> tuple[int, float, F8] | None:
    """The first contour that the straight line meets ahead of it: which, where along it, place."""
    begin = here + (goal - here) * 1e-6
    line = shapely.LineString([begin, goal])
    best: tuple[float, int, F8] | None = None
    for which, ring in enumerate(rings):
        for place in shapely.get_coordinates(shapely.intersection(line, ring)):
            far = float(np.hypot(*(place - begin)))
            if best is None or far < best[0]:
                best = far, which, place
    if best is None:
        return None
    _, which, place = best
    return which, float(rings[which].project(shapely.Point(place))), place


def _along_contour(
    ring: shapely.LinearRing, body: Polygon, at: float, place: F8, goal: F8
) -> tuple[F8, float] | None:
    """Where the contour is left, and how long the way there is; None when nowhere."""
    whole = ring.length
    corners = shapely.get_coordinates(ring)[:-1]
    station = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
    ahead = np.argsort((station - at) % whole)
    toward = goal - place
    first = corners[ahead[0]] - place
    back = corners[ahead[-1]] - place
    angles = [np.dot(d, toward) / max(np.hypot(*d), 1e-12) for d in (first, back)]
    forward = angles[0] >= angles[1]
    order = ahead if forward else ahead[::-1]
    for k in order:
        if not shapely.intersects(shapely.LineString([corners[k], goal]), body):
            walked = (station[k] - at) % whole if forward else (at - station[k]) % whole
            return corners[k], float(walked)
    return None
