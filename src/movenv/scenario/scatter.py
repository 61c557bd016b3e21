"""Obstacles in random places."""

import math
from collections.abc import Mapping

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon, STRtree

from movenv.scenario.document import Path_
from movenv.scenario.spacing import Circles
from movenv.scenario.terrain_items import Item, TerrainError, corners_of, discs
from movenv.scenario.terrain_schema import Scatter, Traits
from movenv.terrain.area import Area
from movenv.world.columns import F8
from movenv.world.random_streams import uniform

MAX_ROUNDS = 200


def scattered(
    spec: Scatter,
    number: int,
    areas: Mapping[str, Area],
    before: list[Item],
    seed: int,
) -> list[Item]:
    """The obstacles of one entry, clear of those before it. Raises TerrainError."""
    where: Path_ = ("terrain", "scatter", number)
    unknown = [name for name in (spec.within, *spec.clear_of) if name not in areas]
    if unknown:
        raise TerrainError([(where, f"unknown area '{unknown[0]}'")])
    free = [Polygon(areas[name].vertices) for name in spec.clear_of]
    grounds = [item.ground for item in before if item.kind != "soil"] + free
    x, y, radius = _draw(spec, f"terrain.{number}", where, areas[spec.within], grounds, seed)
    traits = Traits(kind=spec.kind, height=spec.height)
    name = spec.name or spec.kind
    return [
        Item(where, "", f"{name}-{i}", traits, ground)
        for i, ground in enumerate(discs(x, y, radius), 1)
    ]


def _draw(
    spec: Scatter, stream: str, where: Path_, area: Area, taken: list[Polygon], seed: int
) -> tuple[F8, F8, F8]:
    """Rounds of places for all who have none; of two that are too near the first keeps its own."""
    ids = np.arange(1, spec.count + 1, dtype=np.uint32)
    low, high = spec.radius
    radius = low + uniform(seed, ids, f"{stream}.radius", 0) * (high - low)
    reach = radius / np.cos(math.pi / np.array([corners_of(r) for r in radius.tolist()]))
    half = reach + spec.apart / 2
    circles = Circles(2.0 * float(half.max()))
    tree = STRtree(np.array(taken, object))
    x, y = np.empty(spec.count), np.empty(spec.count)
    pending = np.arange(spec.count)
    (west, south), (east, north) = area.bounds
    for turn in range(MAX_ROUNDS):
        ids_now = ids[pending]
        px = west + uniform(seed, ids_now, f"{stream}.x", turn) * (east - west)
        py = south + uniform(seed, ids_now, f"{stream}.y", turn) * (north - south)
        good = np.flatnonzero(area.contains(px, py))
        good = good[_clear(tree, px[good], py[good], reach[pending[good]] + spec.apart)]
        rows = pending[good]
        kept = np.array(circles.take(px[good], py[good], half[rows], rows), np.bool_)
        x[rows[kept]], y[rows[kept]] = px[good][kept], py[good][kept]
        pending = np.setdiff1d(pending, rows[kept])
        if not len(pending):
            return x, y, radius
    room = f"only {spec.count - len(pending):,} of {spec.count:,} found room in '{spec.within}'"
    said = f"{room}: fewer, smaller or nearer ones would"
    raise TerrainError([((*where, "count"), said)])


def _clear(tree: STRtree, x: F8, y: F8, gap: F8) -> NDArray[np.bool_]:
    """Which places are farther than their gap from everything in the tree."""
    clear = np.ones(len(x), np.bool_)
    near, _ = tree.query(shapely.points(x, y), predicate="dwithin", distance=gap)
    clear[near] = False
    return clear
