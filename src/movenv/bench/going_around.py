"""Going around: who arrives, who knows that there is no way, how long ways are, what they cost."""

import time

import numpy as np
import shapely
from shapely import Point, affinity, box

from movenv.bench.measure import Row
from movenv.bench.movers import GROUND, by_contour, journeys, shortest
from movenv.bench.worlds import World, draw_worlds
from movenv.terrain.features import Obstacle, Terrain
from movenv.terrain.guide import Guide
from movenv.world.columns import F8

SIGHT = 25.0
"""In worlds of a hundred metres."""
AT_ONCE = 250
"""Worlds side by side."""
RULE = "the paper's rule in the same worlds: along the contour until the goal is open"


def measure(quick: bool) -> list[Row]:
    count, ordinary, vehicles, ticks = (50, 10, 300, 20) if quick else (10_000, 1_000, 10_000, 100)
    return [
        *_arrivals(count),
        _lengths(ordinary),
        *_speed(vehicles, ticks),
    ]


def _shares(worlds: list[World]) -> tuple[float, float]:
    """Percent of worlds whose vehicle arrived, and whose vehicle said that there is no way."""
    arrived = gave_up = 0
    for k in range(0, len(worlds), AT_ONCE):
        went = journeys(worlds[k : k + AT_ONCE], SIGHT)
        arrived += int(np.count_nonzero(went.arrived & ~went.touched))
        gave_up += int(np.count_nonzero(went.gave_up))
    return 100.0 * arrived / len(worlds), 100.0 * gave_up / len(worlds)


def _arrivals(count: int) -> list[Row]:
    said = "mazes, spirals, nested courts, rivers with one bridge, strewn rectangles"
    worlds = draw_worlds(count, True, seed=7)
    rule = 100.0 * np.mean([by_contour(world)[0] for world in worlds])
    arrived, _ = _shares(worlds)
    shut = draw_worlds(count, False, seed=7)
    rule_shut = 100.0 * np.mean([not by_contour(world)[0] for world in shut])
    _, gave_up = _shares(shut)
    return [
        Row(f"arrivals in {count:,} worlds with a way: {said}", arrived, "%", 100.0, "higher",
            RULE, float(rule)),
        Row(f"{count:,} worlds without a way: recognised", gave_up, "%", 100.0, "higher",
            "the paper's rule, giving up where it meets a place again", float(rule_shut)),
    ]  # fmt: skip


def _lengths(count: int) -> Row:
    worlds = draw_worlds(count, True, seed=8, only=("rectangles",))
    best = np.array([shortest(world) for world in worlds])
    went = np.concatenate(
        [journeys(worlds[k : k + AT_ONCE], SIGHT).length for k in range(0, count, AT_ONCE)]
    )
    rule = np.array([length if came else np.inf for came, length in map(by_contour, worlds)])
    return Row(f"path over the shortest of the full visibility graph, median of {count:,} ordinary "
               "worlds", float(np.median(went / best)), "x", 1.15, "lower", RULE,
               float(np.median(rule / best)))  # fmt: skip


def strewn(count: int, side: float, seed: int) -> Terrain:
    """Trees and buildings strewn over a square."""
    rng = np.random.default_rng(seed)
    obstacles = []
    for k in range(count):
        x, y = rng.uniform(0.0, side, 2)
        if k % 2:
            tree = shapely.buffer(Point(x, y), rng.uniform(0.5, 3.0), quad_segs=8)
            obstacles.append(Obstacle(f"tree {k}", "tree", tree))
            continue
        w, h = rng.uniform(5.0, 40.0, 2)
        house = affinity.rotate(box(x, y, x + w, y + h), rng.uniform(0.0, 90.0))
        obstacles.append(Obstacle(f"house {k}", "building", house))
    return Terrain(tuple(obstacles))


def _speed(count: int, ticks: int) -> list[Row]:
    """Vehicles at 10 m/s among as many obstacles, a hundred metres apart, that see 200 m."""
    side, sight, clearance = 100.0 * np.sqrt(count), 200.0, 2.0
    terrain = strewn(count, side, seed=1)
    rng = np.random.default_rng(2)
    place = rng.uniform(0.0, side, (2, count))
    goal = place + rng.uniform(-1000.0, 1000.0, (2, count))
    guide = Guide(terrain, [GROUND] * count, np.zeros(count), np.full(count, clearance),
                  np.full(count, sight))  # fmt: skip
    guide.look(place[0], place[1])  # compiled, and everything near is known
    guide.head_for(np.arange(count), goal[0], goal[1])
    taken = []
    for _ in range(ticks):
        began = time.perf_counter()
        guide.look(place[0], place[1])
        taken.append(time.perf_counter() - began)
        gap = np.where(np.isnan(guide.to), 0.0, guide.to - place)
        far = np.hypot(*gap)
        place = place + gap * (np.minimum(far, 1.0) / np.maximum(far, 1e-12))
    plain = _plain_replan(terrain, place, goal, sight, clearance)
    said = f"{count:,} vehicles among {count:,} obstacles"
    return [
        Row(f"first ways of {said}, each", taken[0] / count * 1e6, "µs", 500.0, "lower",
            "the visibility graph of what is in sight with shapely", plain * 1e6),
        Row(f"looking and finding ways, {said}, a tick", float(np.mean(taken[1:])) * 1e3, "ms",
            30.0, "lower", "the same anew at each tick with shapely; from a few vehicles",
            plain * count * 1e3),
    ]  # fmt: skip


def _plain_replan(terrain: Terrain, place: F8, goal: F8, sight: float, clearance: float) -> float:
    """Seconds a vehicle for what one would write first: all in sight, all lines, shortest path."""
    ground = np.array([obstacle.ground for obstacle in terrain.obstacles])
    tree = shapely.STRtree(ground)
    few = 5
    began = time.perf_counter()
    for k in range(few):
        here, there = (float(place[0, k]), float(place[1, k])), (goal[0, k], goal[1, k])
        seen = tree.query(Point(here), predicate="dwithin", distance=sight)
        solids = [("building", shapely.simplify(ground[s], 0.5)) for s in seen]
        shortest(World("seen", here, (float(there[0]), float(there[1])), solids), clearance)
    return (time.perf_counter() - began) / few
