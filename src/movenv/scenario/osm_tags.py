"""What the tags of OpenStreetMap mean for vehicles."""

import math
import re
from collections.abc import Mapping
from typing import Any

ROAD_WIDTHS = {
    "motorway": 12.0, "trunk": 10.0, "primary": 9.0, "secondary": 8.0, "tertiary": 7.0,
    "unclassified": 6.0, "residential": 6.0, "motorway_link": 6.0, "trunk_link": 6.0,
    "primary_link": 6.0, "secondary_link": 6.0, "tertiary_link": 6.0, "living_street": 5.0,
    "road": 5.0, "service": 4.0, "pedestrian": 4.0, "track": 3.0, "busway": 4.0,
    "cycleway": 2.0, "bridleway": 2.0, "footway": 2.0, "path": 2.0,
}  # fmt: skip
"""Of highways that say no width and no lanes, m; what is not here (steps, planned ones) is none."""
LANE = 3.25
WIDEST_ROAD, WIDEST_WATER, HIGHEST = 100.0, 10_000.0, 1_000.0
"""What is said to be more is a slip of the pen: the usual one is taken, m."""
WATER_WIDTHS = {"river": 20.0, "canal": 12.0, "stream": 3.0}
TREE_RADIUS, TOWER_RADIUS, FORD_RADIUS = 0.5, 2.0, 6.0
STOREY = 3.0
SURFACES = {
    "asphalt": "hard", "paved": "hard", "concrete": "hard", "paving_stones": "hard",
    "sett": "hard", "cobblestone": "hard", "metal": "hard", "wood": "hard",
    "gravel": "gravel", "fine_gravel": "gravel", "compacted": "gravel", "pebblestone": "gravel",
    "unpaved": "gravel", "ground": "grass", "dirt": "grass", "earth": "grass", "grass": "grass",
    "sand": "sand", "mud": "mud", "snow": "snow", "ice": "ice",
}  # fmt: skip
SOILS = {
    ("natural", "scrub"): "scrub", ("natural", "heath"): "scrub", ("natural", "sand"): "sand",
    ("natural", "beach"): "sand", ("natural", "mud"): "mud", ("natural", "wetland"): "mud",
    ("natural", "grassland"): "grass", ("landuse", "grass"): "grass",
    ("landuse", "meadow"): "grass", ("natural", "glacier"): "ice",
}  # fmt: skip
OPEN_BUILDINGS = ("no", "roof", "carport")

_NUMBER = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*(m|metres?|meters?|ft|')?\s*")
_OTHER_TAG = re.compile(r'"((?:[^"\\]|\\.)*)"=>"((?:[^"\\]|\\.)*)"')
FOOT = 0.3048


def tags_of(properties: Mapping[str, Any]) -> dict[str, str]:
    """The tags of a feature, wherever the program that exported it has put them."""
    tags = {key: str(value) for key, value in properties.items() if value is not None}
    nested = properties.get("tags")
    if isinstance(nested, dict):
        tags |= {str(key): str(value) for key, value in nested.items()}
    return tags | dict(_OTHER_TAG.findall(tags.get("other_tags", "")))


def metres(text: str | None) -> float | None:
    """A length as people write it in tags; None for what is none."""
    found = _NUMBER.fullmatch(text or "")
    if not found:
        return None
    value = float(found[1].replace(",", ".")) * (FOOT if found[2] in ("ft", "'") else 1.0)
    return value if value > 0 else None


def unread_width(tags: Mapping[str, str]) -> bool:
    """Whether somebody has said a width that is none; the usual one is taken then."""
    return bool(tags.get("width", "").strip()) and metres(tags["width"]) is None


def _upto(most: float, text: str | None) -> float | None:
    found = metres(text)
    return found if found is not None and found <= most else None


def level_of(tags: Mapping[str, str]) -> int:
    """How far above the ground or below it something leads, counted in what lies between."""
    layer = re.fullmatch(r"\s*([+-]?\d)(?:\.0)?\s*", tags.get("layer", ""))
    said = int(layer[1]) if layer else 0
    return said or int(tags.get("bridge", "no") != "no")


def meaning(tags: Mapping[str, str], shape: str) -> dict[str, Any] | None:
    """The kind and figures of a feature by its tags; None where they mean nothing here.

    `shape` is Point, LineString or Polygon.
    """
    if tags.get("tunnel", "no") != "no":
        return None
    for read in (_highway, _water, _wood, _building, _soil):
        found = read(tags, shape)
        if found is not None:
            return {key: value for key, value in found.items() if value is not None}
    return None


def _highway(tags: Mapping[str, str], shape: str) -> dict[str, Any] | None:
    ford = tags.get("ford", "no") != "no"
    soil = SURFACES.get(tags.get("surface", ""))
    if shape == "Point":
        radius = (_upto(WIDEST_ROAD, tags.get("width")) or 0.0) / 2 or FORD_RADIUS
        return {"kind": "ford", "radius": radius, "soil": soil} if ford else None
    usual = ROAD_WIDTHS.get(tags.get("highway", ""))
    if usual is None or shape != "LineString":
        return None
    lanes = metres(tags.get("lanes"))
    said = (metres(tags.get("width")), lanes * LANE if lanes else None)
    width = next((found for found in said if found and found <= WIDEST_ROAD), usual)
    bridge = tags.get("bridge", "no") != "no"
    kind = "bridge" if bridge else "ford" if ford else "road"
    return {"kind": kind, "width": width, "soil": soil}


def _water(tags: Mapping[str, str], shape: str) -> dict[str, Any] | None:
    waterway = tags.get("waterway", "")
    if shape == "LineString" and waterway in WATER_WIDTHS:
        return {
            "kind": "river",
            "width": _upto(WIDEST_WATER, tags.get("width")) or WATER_WIDTHS[waterway],
        }
    if shape != "Polygon":
        return None
    flowing = tags.get("water") in ("river", "canal", "stream") or waterway in WATER_WIDTHS
    if flowing or waterway == "riverbank":
        return {"kind": "river"}
    still = tags.get("natural") == "water" or "water" in tags
    if still or tags.get("landuse") in ("basin", "reservoir"):
        return {"kind": "lake"}
    return {"kind": "island"} if tags.get("place") in ("island", "islet") else None


def _wood(tags: Mapping[str, str], shape: str) -> dict[str, Any] | None:
    natural, height = tags.get("natural", ""), _upto(HIGHEST, tags.get("height"))
    if shape == "Point" and natural == "tree":
        trunk = _upto(WIDEST_ROAD, tags.get("circumference"))
        return {
            "kind": "tree",
            "radius": max(trunk / math.tau, 0.1) if trunk else TREE_RADIUS,
            "height": height,
        }
    if shape == "LineString" and natural == "tree_row":
        return {
            "kind": "tree_line",
            "width": _upto(WIDEST_ROAD, tags.get("width")),
            "height": height,
        }
    if shape == "Polygon" and (natural == "wood" or tags.get("landuse") == "forest"):
        return {"kind": "canopy", "height": height}
    return None


def _building(tags: Mapping[str, str], shape: str) -> dict[str, Any] | None:
    height = _upto(HIGHEST, tags.get("height"))
    if tags.get("man_made") in ("tower", "mast"):
        wide = _upto(WIDEST_ROAD, tags.get("diameter")) or 2 * TOWER_RADIUS
        radius = wide / 2 if shape == "Point" else None
        return None if shape == "LineString" else {
            "kind": "tower", "radius": radius, "height": height,
        }  # fmt: skip
    if shape == "Polygon" and tags.get("building", "no") not in OPEN_BUILDINGS:
        levels = _upto(HIGHEST / STOREY, tags.get("building:levels"))
        return {"kind": "building", "height": height or (levels * STOREY if levels else None)}
    return None


def _soil(tags: Mapping[str, str], shape: str) -> dict[str, Any] | None:
    if shape != "Polygon":
        return None
    for (key, value), soil in SOILS.items():
        if tags.get(key) == value:
            return {"kind": "soil", "soil": soil}
    surface = SURFACES.get(tags.get("surface", ""))
    return {"kind": "soil", "soil": surface} if surface else None
