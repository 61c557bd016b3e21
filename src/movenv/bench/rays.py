"""Rays: against a large map of rooms, against outlines of buildings, and boxes into a scan."""

import math

import numpy as np
import shapely
from shapely import Polygon

from movenv.bench.measure import Row, best_time
from movenv.terrain.boxes import meet_boxes_from
from movenv.terrain.features import Obstacle, Terrain
from movenv.terrain.grid_map import OCCUPIED, GridMap
from movenv.terrain.rays import Scenery, cast_all, scenery_of
from movenv.world.columns import F8, U1

SIDE, RESOLUTION, REACH = 2000, 0.05, 30.0
"""Of the map, in cells and m; of the rays, m."""
WALL, DOOR, CORRIDOR = 3, 18, 40
"""In cells: 0.15 m, 0.9 m and 2 m."""
BEAMS, BOXES = 1080, 50


def measure(quick: bool) -> list[Row]:
    return [_grid(quick), _outlines(quick), _boxes(quick)]


def rooms(seed: int = 1, side: int = SIDE) -> U1:
    """A floor of rooms with doors and furniture on both sides of corridors."""
    rng = np.random.default_rng(seed)
    cells: U1 = np.zeros((side, side), np.uint8)
    south = 0
    while south < side:
        north = south + int(rng.integers(80, 160))
        cells[south : south + WALL] = cells[north : north + WALL] = OCCUPIED
        west = 0
        while west < side:
            wide = int(rng.integers(80, 160))
            cells[south:north, west : west + WALL] = OCCUPIED
            for wall in (south, north):
                door = west + int(rng.integers(10, wide - DOOR - 10))
                cells[wall : wall + WALL, door : door + DOOR] = 0
            for _ in range(int(rng.integers(0, 4))):
                x = west + int(rng.integers(5, wide - 30))
                y = south + int(rng.integers(5, north - south - 16))
                deep, long = rng.integers((5, 5), (16, 30))
                cells[y : y + deep, x : x + long] = OCCUPIED
            west += wide
        south = north + CORRIDOR
    cells[:WALL] = cells[-WALL:] = cells[:, :WALL] = cells[:, -WALL:] = OCCUPIED
    return cells


def march(cells: U1, x: F8, y: F8, angle: F8, most: float) -> F8:
    """How far to an occupied cell, by going half a cell at a time with all rays under way."""
    far: F8 = np.full(len(x), np.inf)
    under_way, gone, step = np.arange(len(x)), 0.0, 0.5 * RESOLUTION
    cos, sin = np.cos(angle), np.sin(angle)
    while len(under_way) and gone <= most:
        columns = ((x[under_way] + gone * cos[under_way]) / RESOLUTION).astype(np.intp)
        rows = ((y[under_way] + gone * sin[under_way]) / RESOLUTION).astype(np.intp)
        met = cells[rows, columns] == OCCUPIED  # walls all around: no ray leaves the map
        far[under_way[met]] = gone
        under_way = under_way[~met]
        gone += step
    return far


def _grid(quick: bool) -> Row:
    cells = rooms()
    scenery = scenery_of(Terrain(grid=GridMap(cells, RESOLUTION, 0.0, 0.0)))
    rng = np.random.default_rng(2)
    free = np.argwhere(cells != OCCUPIED)
    count, few = (500_000 if quick else 4_000_000), (5_000 if quick else 50_000)
    y, x = (free[rng.integers(0, len(free), count)] + rng.random((count, 2))).T * RESOLUTION
    x, y, angle = np.ascontiguousarray(x), np.ascontiguousarray(y), rng.uniform(-4, 4, count)
    taken = _time(scenery, x, y, angle, quick)
    marched = best_time(lambda: march(cells, x[:few], y[:few], angle[:few], REACH), 2)
    said = f"rays against a {SIDE:,} x {SIDE:,} map of rooms, random places, {REACH:g} m"
    return Row(said, count / taken / 1e6, "million/s", 20.0, "higher",
               "NumPy, half a cell at a time", few / marched / 1e6)  # fmt: skip


def _time(scenery: Scenery, x: F8, y: F8, angle: F8, quick: bool) -> float:
    cast_all(scenery, x[:9], y[:9], angle[:9], REACH)  # compiles
    return best_time(lambda: cast_all(scenery, x, y, angle, REACH), 3 if quick else 10)


def _houses(rng: np.random.Generator, count: int, side: float) -> list[Polygon]:
    houses = []
    for x, y, turn in zip(*rng.uniform(0, side, (2, count)), rng.uniform(0, 7, count), strict=True):
        house = shapely.box(x, y, x + rng.uniform(5, 20), y + rng.uniform(5, 12))
        houses.append(shapely.affinity.rotate(house, turn, use_radians=True))
    return houses


def _outlines(quick: bool) -> Row:
    rng = np.random.default_rng(3)
    houses = _houses(rng, 400, 500.0)
    obstacles = tuple(Obstacle(f"h{k}", "building", house) for k, house in enumerate(houses))
    scenery = scenery_of(Terrain(obstacles=obstacles))
    count, few = (200_000 if quick else 1_000_000), (2_000 if quick else 10_000)
    x, y = rng.uniform(0, 500, (2, count))
    angle = rng.uniform(-4, 4, count)
    taken = _time(scenery, x, y, angle, quick)
    tree = shapely.STRtree(houses)

    def by_shapely() -> None:
        begin = np.column_stack([x[:few], y[:few]])
        way = REACH * np.column_stack([np.cos(angle[:few]), np.sin(angle[:few])])
        rays = shapely.linestrings(np.stack([begin, begin + way], axis=1))
        of, house = tree.query(rays, predicate="intersects")
        shared = shapely.intersection(rays[of], tree.geometries[house])
        far = np.full(few, np.inf)
        np.minimum.at(far, of, shapely.distance(shapely.points(begin[of]), shared))

    shaped = best_time(by_shapely, 2)
    said = f"rays against the outlines of {len(houses)} houses, {REACH:g} m"
    return Row(said, count / taken / 1e6, "million/s", 4.32, "higher",
               "shapely with a tree", few / shaped / 1e6)  # fmt: skip


def _boxes(quick: bool) -> Row:
    rng = np.random.default_rng(4)
    sizes = np.tile([4.5, 1.8], (BOXES, 1))
    boxes = np.column_stack([rng.uniform(-30, 30, (BOXES, 2)), rng.uniform(-4, 4, BOXES), sizes])
    measured = rng.uniform(1, 30, BEAMS).astype(np.float32)
    start, step = -0.75 * math.pi, 1.5 * math.pi / (BEAMS - 1)

    def ours() -> None:
        meet_boxes_from(measured.copy(), start, step, 0.0, 0.0, 0.1, boxes, REACH)

    def every_beam() -> None:
        angle = 0.1 + start + step * np.arange(BEAMS)[:, None] - boxes[:, 2]
        turn = np.arctan2(boxes[:, 1], boxes[:, 0]) + math.pi - boxes[:, 2]
        away = np.hypot(boxes[:, 0], boxes[:, 1])
        enter, leave = np.zeros((BEAMS, BOXES)), np.full((BEAMS, BOXES), np.inf)
        for at, way, half in ((away * np.cos(turn), np.cos(angle), boxes[:, 3] / 2),
                              (away * np.sin(turn), np.sin(angle), boxes[:, 4] / 2)):  # fmt: skip
            one, other = (-half - at) / way, (half - at) / way
            enter = np.maximum(enter, np.minimum(one, other))
            leave = np.minimum(leave, np.maximum(one, other))
        np.minimum(measured, np.where(enter <= leave, enter, np.inf).min(axis=1))

    ours()
    repeats = 50 if quick else 500
    return Row(f"{BOXES} boxes into a scan of {BEAMS:,} beams", 1e6 * best_time(ours, repeats),
               "µs", 200.0, "lower", "NumPy, every beam against every box",
               1e6 * best_time(every_beam, 20))  # fmt: skip
