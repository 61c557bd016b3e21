"""Bridges and fords: what they lead over, and whether they reach from bank to bank."""

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Point, Polygon, STRtree
from shapely.ops import nearest_points

from movenv.scenario.terrain_items import Item, place_in_words
from movenv.terrain.features import SPECK, WATER, Crossing, strip
from movenv.terrain.soil import Soil
from movenv.world.frames import Frame

LONGEST_MENDING = 60.0
"""How far a bridge of someone else's map is lengthened to reach the bank, m."""
STEP = 5.0


@dataclass(frozen=True)
class Waters:
    """What can be crossed, and a tree to find it."""

    items: list[Item]
    grounds: NDArray[np.object_]
    tree: STRtree
    by_name: dict[str, list[int]]
    """Also those of which one is a part, by the name of the whole."""

    @classmethod
    def among(cls, items: list[Item]) -> "Waters":
        found = [item for item in items if item.kind in WATER]
        grounds = np.array([item.ground for item in found], object)
        by_name: dict[str, list[int]] = {}
        for i, item in enumerate(found):
            for name in {item.name, item.whole or item.name}:
                by_name.setdefault(name, []).append(i)
        return cls(found, grounds, STRtree(grounds), by_name)


class CrossingFault(ValueError):
    """A crossing that leads nowhere."""


class NoWater(CrossingFault):
    """A crossing where there is nothing to cross."""


def crossing_of(item: Item, waters: Waters, soil: Soil, frame: Frame) -> Crossing:
    """Raises CrossingFault."""
    globe = frame if item.source else None
    ground, names = item.ground, []
    fault: CrossingFault | None = None
    for i in _over(item, waters, globe):
        try:
            ground = _reaching(item, ground, waters.items[i], globe)
            names.append(waters.items[i].name)
        except CrossingFault as found:
            if not item.lenient:
                raise
            fault = found
    if fault is not None and not names:
        raise fault
    return Crossing(item.name, item.kind, ground, tuple(names), soil.mobility, soil.grip)


def _over(item: Item, waters: Waters, frame: Frame | None) -> list[int]:
    touched = set(waters.tree.query(item.ground, predicate="intersects").tolist())
    if item.traits.over is None:
        if touched:
            return sorted(touched)
        x, y = shapely.get_coordinates(item.ground.centroid)[0].tolist()
        said = f"{item.called} at {place_in_words(x, y, frame)} touches no river and no lake"
        nearest = waters.tree.nearest(item.ground)
        if nearest is not None:
            there = waters.items[int(nearest)]
            said += f"; {there.called} is {item.ground.distance(there.ground):,.0f} m away"
        raise NoWater(said)
    over: list[int] = []
    for name in item.traits.over:
        if name not in waters.by_name:
            raise CrossingFault(f"{item.called} leads over '{name}', which is no river and no lake")
        parts = waters.by_name[name]
        if touched.isdisjoint(parts):
            raise CrossingFault(_off(item, waters.items[parts[0]], frame))
        over += [i for i in parts if i in touched]
    return over


def _off(item: Item, water: Item, frame: Frame | None) -> str:
    here, there = nearest_points(item.ground, water.ground)
    gap = f"{here.distance(there):,.1f} m"
    place = place_in_words(here.x, here.y, frame)
    return f"{item.called} does not touch {water.called}: {gap} are between them at {place}"


def _reaching(item: Item, ground: Polygon, water: Item, frame: Frame | None) -> Polygon:
    """The ground of a crossing that leads from bank to bank of one water."""
    short = _short_end(item, ground, water)
    if short is None:
        return ground
    if item.lenient and item.line is not None:
        beyond = item.width / 2
        while beyond < LONGEST_MENDING:
            beyond += STEP
            longer = strip(item.line, item.width, beyond)
            if _parts(shapely.difference(water.ground, longer)) > 1:
                return max(ground, longer, key=lambda shape: shape.area)
    place = place_in_words(short.x, short.y, frame)
    raise CrossingFault(
        f"{item.called} does not reach from one bank of {water.called} to the other: "
        f"it ends in the water at {place}"
    )


def _short_end(item: Item, ground: Polygon, water: Item) -> Point | None:
    """Where a crossing ends in the water; None where it leads across."""
    if _parts(shapely.difference(water.ground, ground)) != 1:
        return None
    if item.line is not None:
        ends = [Point(item.line.coords[0]), Point(item.line.coords[-1])]
        return next((end for end in ends if water.ground.contains(end)), None)
    dry = shapely.difference(ground, water.ground)
    if _parts(dry) > 1:
        return None
    wet = shapely.intersection(ground, water.ground)
    return wet.representative_point()


def _parts(shape: shapely.Geometry) -> int:
    """Of how many surfaces it consists."""
    return int((shapely.area(shapely.get_parts(shape)) > SPECK).sum())
