"""Features from GeoJSON: our own, and what a map extract has.

Such files come from anywhere, so nothing in them is trusted: sizes are limited, and what cannot
be is refused with the number of the feature.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from pydantic import ValidationError
from shapely import LineString, Polygon

from movenv.parts.registry import suggestion
from movenv.scenario.document import Document, Path_
from movenv.scenario.osm_tags import level_of, meaning, metres, tags_of, unread_width
from movenv.scenario.route_files import RouteFileError, read_text
from movenv.scenario.route_points import json_object, list_of
from movenv.scenario.terrain_items import FARTHEST, Item, TerrainError, disc, ribbon
from movenv.scenario.terrain_maps import far_off, how_far, mended, told_apart, waters_once
from movenv.scenario.terrain_schema import KINDS, Traits
from movenv.world.columns import F8
from movenv.world.frames import Frame

MAX_BYTES = 32 * 1024 * 1024
MAX_FEATURES = 200_000
MAX_CORNERS, MAX_HOLES = 100_000, 10_000
"""Of one part of a feature."""
SURFACES = ("lake", "canopy", "building", "island", "soil")
"""What a closed line bounds: some programs write rings as lines."""
WHERE: Path_ = ("terrain", "file")
MULTI = {"MultiPoint": "Point", "MultiLineString": "LineString", "MultiPolygon": "Polygon"}


def file_items(
    file: str,
    frame: Frame,
    document: Document,
    radius: float,
    taken: Iterable[str] = (),
) -> tuple[list[Item], list[str]]:
    """The features of a file beside the scenario, and what is left out in words.

    Those of a map are called otherwise than `taken`. Raises TerrainError.
    """
    try:
        if file not in document.files:
            document.files[file] = read_text(document.folder, file, MAX_BYTES)
        features = _features(json_object(document.files[file]))
    except RouteFileError as error:
        said = str(error)
        raise TerrainError([(WHERE, said if file in said else f"{file}: {said}")]) from None
    drafts: list[_Draft] = []
    faults = _Faults()
    skipped = odd = 0
    for number, feature in enumerate(features, 1):
        source = f"{file}: feature {number}"
        try:
            made = list(_drafts(feature, source))
        except (ValueError, TypeError) as error:
            faults.add(f"{source}{_name(feature)}: {error}", _of_a_map(feature))
            continue
        drafts += made
        skipped += not made
        odd += any(draft.odd for draft in made)
    items = list(_items(drafts, frame, faults))
    if faults.refused:
        raise TerrainError([(WHERE, said) for said in faults.refused])
    left_out = []
    if skipped:
        left_out.append(f"{file}: {_features_that(skipped, 'mean')} nothing here")
    if odd:
        left_out.append(f"{file}: {_features_that(odd, 'say')} a width that is none: ignored")
    if faults.broken:
        broken = _features_that(len(faults.broken), "are")
        left_out.append(f"{broken} broken, first {faults.broken[0]}")
    inside = [item for item in items if not (item.lenient and far_off(item, radius))]
    if items and not inside:
        far = min(how_far(item) for item in items)
        away = f"{far / 1000:,.0f} km away" if np.isfinite(far) else "on another part of the globe"
        said = f"{file}: all of it lies outside the world ({radius:,.0f} m), at the nearest {away}"
        raise TerrainError([(WHERE, said)])
    if len(inside) < len(items):
        gone = _features_that(len(items) - len(inside), "lie")
        left_out.append(f"{file}: {gone} outside the world ({radius:,.0f} m)")
    return told_apart(waters_once(inside), taken), left_out


def _features_that(count: int, verb: str) -> str:
    """How many do something, in words."""
    if count == 1:
        return f"1 feature {'is' if verb == 'are' else verb + 's'}"
    return f"{count:,} features {verb}"


def _features(data: dict[str, Any]) -> list[Any]:
    if data.get("type") == "Feature":
        return [data]
    if data.get("type") != "FeatureCollection":
        raise RouteFileError("is no GeoJSON FeatureCollection")
    features = list_of(data.get("features"))
    if len(features) > MAX_FEATURES:
        raise RouteFileError(f"has more than {MAX_FEATURES:,} features")
    return features


@dataclass
class _Faults:
    """What cannot be: our own features are refused, those of a map are left out."""

    refused: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def add(self, said: str, lenient: bool) -> None:
        (self.broken if lenient else self.refused).append(said)


def _of_a_map(feature: Any) -> bool:
    properties = feature.get("properties") if isinstance(feature, dict) else None
    return isinstance(properties, dict) and properties.get("kind") is None


def _name(feature: Any) -> str:
    properties = feature.get("properties") if isinstance(feature, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    return f" '{str(name)[:80]}'" if name else ""


@dataclass(frozen=True)
class _Draft:
    """A part of a feature whose places are still longitudes and latitudes."""

    source: str
    name: str
    whole: str
    traits: Traits
    lenient: bool
    shape: str
    rings: list[F8]
    level: int
    odd: bool
    """Whether its width is ignored."""


def _drafts(feature: Any, source: str) -> Iterator[_Draft]:
    """One a part of its geometry; none where it means nothing. Raises ValueError."""
    if not isinstance(feature, dict):
        raise ValueError("is no object")
    properties = feature.get("properties") or {}
    if not isinstance(properties, dict):
        raise ValueError("its properties are no object")
    own = properties.get("kind") is not None
    name = str(properties.get("name") or "")[:80]
    parts = list(_parts(feature.get("geometry"))) if own or properties else []
    tags = {} if own else tags_of(properties)
    for k, (shape, coordinates) in enumerate(parts, 1):
        traits = _own_traits(properties) if own else _traits(meaning(tags, shape))
        if traits is None:
            continue
        level = int(traits.kind == "bridge") if own else level_of(tags)
        odd = shape == "LineString" and unread_width(tags)
        called = f"{name}-{k}" if name and len(parts) > 1 else name
        rings = [coordinates] if shape == "LineString" else _list(coordinates)
        places = [_degrees(ring) for ring in ([[rings]] if shape == "Point" else rings)]
        yield _Draft(source, called, name, traits, not own, shape, places, level, odd)


def _parts(geometry: Any) -> Iterator[tuple[str, Any]]:
    """Points, lines and polygons; goes into collections however deep they lie."""
    waiting = [geometry]
    while waiting:
        here = waiting.pop()
        if not isinstance(here, dict):
            raise ValueError("has no geometry")
        kind = here.get("type")
        if kind == "GeometryCollection":
            waiting.extend(reversed(_list(here.get("geometries"))))
        elif kind in MULTI:
            yield from ((MULTI[kind], part) for part in _list(here.get("coordinates")))
        elif kind in MULTI.values():
            yield str(kind), here.get("coordinates")
        else:
            raise ValueError(f"has a geometry of unknown type '{str(kind)[:40]}'")


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("its geometry has no list where one is expected")
    return value


def _traits(found: Mapping[str, Any] | None) -> Traits | None:
    return None if found is None else _checked(found)


def _own_traits(properties: Mapping[str, Any]) -> Traits:
    kind = str(properties["kind"])
    if kind not in KINDS:
        raise ValueError(f"unknown kind '{kind[:40]}'.{suggestion(kind, list(KINDS))}")
    found: dict[str, Any] = {"kind": kind}
    for key in ("width", "radius", "height"):
        value = properties.get(key)
        number = metres(value) if isinstance(value, str) else value
        if value not in (None, ""):
            found[key] = value if number is None else number
    over = properties.get("over")
    if over:
        found["over"] = over if isinstance(over, list) else str(over).split(";")
    if properties.get("soil"):
        found["soil"] = properties["soil"]
    return _checked(found)


def _checked(found: Mapping[str, Any]) -> Traits:
    """Raises ValueError in plain words."""
    try:
        return Traits.model_validate(found)
    except ValidationError as error:
        raise ValueError("; ".join(_in_words(detail) for detail in error.errors())) from None


def _in_words(detail: Any) -> str:
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    said = detail["msg"][0].lower() + detail["msg"][1:]
    name = next(iter(detail["loc"]), "")
    return f"'{name}' {said.replace('input ', '')}, found {str(detail['input'])[:40]!r}"


def _degrees(positions: Any) -> F8:
    """Longitudes and latitudes, (n, 2)."""
    pairs = [_list(position)[:2] for position in _list(positions)]
    if any(len(pair) != 2 for pair in pairs) or not pairs:
        raise ValueError("a place is no [longitude, latitude]")
    degrees: F8 = np.array(pairs)
    if degrees.dtype.kind not in "if" or degrees.ndim != 2:
        raise ValueError("a place is not on the globe")
    return degrees


def _items(drafts: list[_Draft], frame: Frame, faults: _Faults) -> Iterator[Item]:
    """The parts with their shapes in local metres; what cannot be goes to the faults."""
    rings = [ring for draft in drafts for ring in draft.rings]
    if not rings:
        return
    degrees = np.concatenate(rings)
    on_globe = (np.abs(degrees) <= (180.0, 90.0)).all(axis=1)
    x, y, _ = frame.to_local(
        np.where(on_globe, degrees[:, 1], 0.0), np.where(on_globe, degrees[:, 0], 0.0)
    )
    places = np.column_stack([x, y])
    places[~on_globe] = np.nan
    ends = np.cumsum([len(ring) for ring in rings])
    local = iter(np.split(places, ends[:-1]))
    for draft in drafts:
        mine = [next(local) for _ in draft.rings]
        try:
            ground, line = _shaped(draft, mine)
            grounds = mended(ground) if draft.lenient else [ground]
        except (ValueError, shapely.GEOSException) as error:
            name = f" '{draft.whole}'" if draft.whole else ""
            faults.add(f"{draft.source}{name}: {error}", draft.lenient)
            continue
        for part in grounds:
            yield Item(
                WHERE, draft.source, draft.name, draft.traits, part, line, draft.lenient,
                draft.whole, draft.level,
            )  # fmt: skip


def _shaped(draft: _Draft, rings: list[F8]) -> tuple[Polygon, LineString | None]:
    """What a part covers, and its line where it is one. Raises ValueError."""
    traits = draft.traits
    if not all((np.abs(ring) <= FARTHEST).all() for ring in rings):
        raise ValueError("a place is not on the globe, or nowhere near this world")
    corners, holes = sum(len(ring) for ring in rings), len(rings) - 1
    if corners > MAX_CORNERS or holes > MAX_HOLES:
        most = f"{MAX_CORNERS:,} and {MAX_HOLES:,} are the most"
        raise ValueError(f"has {corners:,} corners and {holes:,} holes; {most}")
    if draft.shape == "Point":
        if traits.radius is None or traits.kind == "road":
            raise ValueError(f"a {traits.kind} at a point needs a radius")
        return disc(float(rings[0][0, 0]), float(rings[0][0, 1]), traits.radius), None
    if draft.shape == "LineString":
        closed = len(rings[0]) > 3 and np.array_equal(rings[0][0], rings[0][-1])
        if closed and traits.kind in SURFACES and traits.width is None:
            return Polygon(rings[0]), None
        return ribbon(traits, rings[0])
    if traits.kind == "road":
        raise ValueError("a road is a line with a width")
    if not rings or any(len(ring) < 4 for ring in rings):
        raise ValueError("its polygon has a ring of fewer than 4 places")
    return Polygon(rings[0], rings[1:]), None
