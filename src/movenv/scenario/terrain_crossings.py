"""Bridges and fords: what they lead over, and whether they reach from bank to bank."""

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Point, Polygon, STRtree
from shapely.ops import nearest_points

from movenv.scenario.terrain_items import Item, place_in_words
from movenv.terrain.features import WATER, Crossing, strip
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
    by_name: dict[str, int]

    @classmethod
    def among(cls, items: list[Item]) -> "Waters":
        found = [item for item in items if item.kind in WATER]
        grounds = np.array([item.ground for item in found], object)
        by_name = {item.name: i for i, item in enumerate(found)}
        return cls(found, grounds, STRtree(grounds), by_name)


class CrossingFault(ValueError):
    """A crossing that leads nowhere."""


def crossing_of(item: Item, waters: Waters, soil: Soil, frame: Frame) -> Crossing:
    """Raises CrossingFault."""
    globe = frame if item.source else None
    over = _over(item, waters, globe)
    ground = item.ground
    for i in over:
        ground = _reaching(item, ground, waters.items[i], globe)
    names = tuple(waters.items[i].name for i in over)
    return Crossing(item.name, item.kind, ground, names, soil.mobility, soil.grip)


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
        raise CrossingFault(said)
    over = []
    for name in item.traits.over:
        if name not in waters.by_name:
            raise CrossingFault(f"{item.called} leads over '{name}', which is no river and no lake")
        i = waters.by_name[name]
        if i not in touched:
            raise CrossingFault(_off(item, waters.items[i], frame))
        over.append(i)
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
                return longer
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
    return int((shapely.get_dimensions(shapely.get_parts(shape)) == 2).sum())
