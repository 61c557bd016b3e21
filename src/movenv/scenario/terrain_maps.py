"""Maps that others drew: what is broken in them is mended, and what is there twice is once."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import shapely
from shapely import Polygon, STRtree

from movenv.scenario.terrain_checks import LEAST_SURFACE
from movenv.scenario.terrain_items import Item
from movenv.terrain.features import WATER, strip


def mended(ground: Polygon) -> list[Polygon]:
    """The surfaces of a polygon that may cross itself. Raises ValueError where it has none."""
    if shapely.is_valid(ground) and ground.area > LEAST_SURFACE:
        return [ground]
    parts = shapely.get_parts(shapely.get_parts(shapely.make_valid(ground)))
    found: list[Polygon] = [
        part for part in parts if isinstance(part, Polygon) and part.area > LEAST_SURFACE
    ]
    if not found:
        raise ValueError("has no surface")
    return found


def far_off(item: Item, radius: float) -> bool:
    """Whether all its corners lie outside the world."""
    return how_far(item) > radius


def how_far(item: Item) -> float:
    """From the origin to its nearest corner, m."""
    places = shapely.get_coordinates(item.ground)
    return float(np.hypot(places[:, 0], places[:, 1]).min())


def waters_once(items: list[Item]) -> list[Item]:
    """Maps draw the middle line of a river through its surface too: only one of them counts."""
    surfaces = [i.ground for i in items if i.lenient and i.kind in WATER and i.line is None]
    if not surfaces:
        return items
    tree = STRtree(surfaces)
    found: list[Item] = []
    for item in items:
        hits = []
        if item.lenient and item.kind == "river" and item.line is not None:
            hits = tree.query(item.line, predicate="intersects").tolist()
        if not hits:
            found.append(item)
            continue
        dry = shapely.difference(item.line, shapely.union_all([surfaces[k] for k in hits]))
        for part in shapely.get_parts(shapely.line_merge(dry)):
            if part.length > item.width:
                ground = strip(part, item.width, item.width / 2)
                found.append(replace(item, ground=ground, line=part))
    return found


def told_apart(items: list[Item], taken: Iterable[str]) -> list[Item]:
    """Streets of a map are called alike in all their parts: the later ones get a number.

    So do those that are called like one of ours, or like one of the names `taken`.
    """
    counts = dict.fromkeys((*taken, *(item.name for item in items if not item.lenient)), 1)
    used = {item.name for item in items} | set(taken)
    found: list[Item] = []
    for item in items:
        if item.lenient:
            counts[item.name] = counts.get(item.name, 0) + 1
        if not (item.lenient and item.name and counts[item.name] > 1):
            found.append(item)
            continue
        while (name := f"{item.name}-{counts[item.name]}") in used:
            counts[item.name] += 1
        used.add(name)
        found.append(replace(item, name=name))
    return found
