"""Whether features are sound: shapes, names, soils, and that they lie in this world."""

import re
from collections.abc import Container

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.validation import explain_validity

from movenv.scenario.document import Path_
from movenv.scenario.terrain_items import Item, place_in_words
from movenv.world.frames import Frame

LEAST_SURFACE = 1e-6
"""What covers less has no surface, m²."""

Problems = list[tuple[Path_, str]]


def check_shapes(items: list[Item], grounds: NDArray[np.object_], frame: Frame) -> Problems:
    """Polygons that cross themselves or have no surface, with the place."""
    problems: Problems = []
    flat = shapely.area(shapely.convex_hull(grounds)) <= LEAST_SURFACE
    wrong = flat | ~shapely.is_valid(grounds)
    for i in np.flatnonzero(wrong).tolist():
        item = items[i]
        if flat[i]:
            x, y = shapely.get_coordinates(grounds[i])[0].tolist()
            said = f"{item.called} at {_place(item, x, y, frame)} has no surface"
        else:
            said = f"{item.called} {_why_not_simple(item, frame)}"
        problems.append(item.at_fault(said))
    return problems


def _why_not_simple(item: Item, frame: Frame) -> str:
    said = explain_validity(item.ground)
    found = re.fullmatch(r"(.*)\[(\S+) (\S+)\]", said)
    if not found:
        return f"is not a simple polygon: {said.lower()}"
    what, x, y = found[1], float(found[2]), float(found[3])
    words = "crosses itself" if "Self-intersection" in what else f"is broken ({what.lower()})"
    return f"{words} at {_place(item, x, y, frame)}"


def _place(item: Item, x: float, y: float, frame: Frame) -> str:
    return place_in_words(x, y, frame if item.source else None)


def check_world(
    items: list[Item], grounds: NDArray[np.object_], radius: float, frame: Frame
) -> Problems:
    """Features that reach beyond the world."""
    places, of = shapely.get_coordinates(grounds, return_index=True)
    far = np.hypot(places[:, 0], places[:, 1])
    outside = np.flatnonzero(~(far <= radius))
    problems: Problems = []
    which, first = np.unique(of[outside], return_index=True)
    for i, mine in zip(which.tolist(), np.split(outside, first[1:]), strict=False):
        if items[i].lenient:
            continue  # maps are cut where their maker liked
        x, y = places[mine[np.argmax(far[mine])]].tolist()
        said = (
            f"{items[i].called} reaches {_place(items[i], x, y, frame)}, "
            f"outside the world ({radius:,.0f} m)"
        )
        problems.append(items[i].at_fault(said))
    return problems


def check_names(items: list[Item]) -> Problems:
    first: dict[str, Item] = {}
    problems: Problems = []
    for item in items:
        other = first.setdefault(item.name, item)
        if other is not item:
            where = f" ({other.source})" if other.source else ""
            said = f"two features are called '{item.name}': a {other.kind}{where} is too"
            problems.append(item.at_fault(said))
    return problems


def check_soils(items: list[Item], known: Container[str], names: list[str]) -> Problems:
    return [
        item.at_fault(f"{item.called} is of unknown soil '{item.traits.soil}'; soils are "
                      f"{', '.join(names)}")
        for item in items
        if item.traits.soil is not None and item.traits.soil not in known
    ]  # fmt: skip
