"""Routes from files that show lines on a map: GPX, KML, GeoJSON."""

from collections.abc import Callable, Iterator
from typing import Any
from xml.etree.ElementTree import ParseError, XMLParser

from movenv.scenario.route_points import (
    MAX_POINTS,
    NAN,
    RouteFileError,
    Waypoint,
    counted,
    json_number,
    json_object,
    list_of,
    number,
)


class _Elements:
    """Takes what the XML parser finds. No tree is built, so that depth and size do not matter."""

    def __init__(self, kept: Callable[[str, str, dict[str, str], str], None]) -> None:
        """`kept` is told of every element at its end: name, name around it, attributes, text."""
        self.root = ""
        self._kept = kept
        self._open: list[tuple[str, dict[str, str]]] = []
        self._text: list[str] = []

    def doctype(self, *_: object) -> None:
        """Entities are declared there, and can be made to grow without bound."""
        raise RouteFileError("a DOCTYPE is not allowed")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2]
        self.root = self.root or name
        self._open.append((name, attributes))
        self._text.clear()

    def data(self, text: str) -> None:
        self._text.append(text)

    def end(self, _tag: str) -> None:
        name, attributes = self._open.pop()
        around = self._open[-1][0] if self._open else ""
        self._kept(name, around, attributes, "".join(self._text).strip())
        self._text.clear()

    def close(self) -> None:
        pass


def _parse_xml(text: str, root: str, elements: _Elements) -> None:
    # Its class in typeshed wants a builder of elements, but any with these methods will do.
    parser = XMLParser(target=elements)  # type: ignore[type-var, unused-ignore]
    try:
        parser.feed(text)
        parser.close()
    except RouteFileError:
        raise
    except (ParseError, ValueError, LookupError) as error:
        raise RouteFileError(f"is not XML: {error}") from None
    if elements.root.lower() != root:
        raise RouteFileError(f"is not {root.upper()}: it begins with <{elements.root[:40]}>")


def gpx(text: str) -> list[Waypoint]:
    """Its routes, or the tracks where it has none."""
    points: dict[str, list[Waypoint]] = {"rtept": [], "trkpt": []}
    heights: dict[str, float] = {}

    def kept(name: str, around: str, attributes: dict[str, str], content: str) -> None:
        if name == "ele" and around in points:
            heights[around] = number(content, "an elevation")
        elif name in points:
            if len(points[name]) == MAX_POINTS:
                raise RouteFileError(f"has more than {MAX_POINTS:,} points")
            here = [number(attributes.get(key, ""), f"{key} of a point") for key in ("lat", "lon")]
            points[name].append(Waypoint(here[0], here[1], heights.pop(name, NAN)))

    _parse_xml(text, "gpx", _Elements(kept))
    found = points["rtept"] or points["trkpt"]
    if not found:
        raise RouteFileError("has no route and no track")
    return found


def kml(text: str) -> list[Waypoint]:
    """Its LineStrings. Altitudes count where altitudeMode says what they are above."""
    points: list[Waypoint] = []
    line: dict[str, str] = {}

    def kept(name: str, around: str, _attributes: dict[str, str], content: str) -> None:
        if around == "LineString" and name in ("coordinates", "altitudeMode"):
            line[name] = content
        elif name == "LineString":
            mode = line.get("altitudeMode", "clampToGround")
            points.extend(_kml_points(line.get("coordinates", ""), mode))
            line.clear()
            if len(points) > MAX_POINTS:
                raise RouteFileError(f"has more than {MAX_POINTS:,} points")

    _parse_xml(text, "kml", _Elements(kept))
    if not points:
        raise RouteFileError("has no LineString with coordinates")
    return points


def _kml_points(coordinates: str, mode: str) -> Iterator[Waypoint]:
    for triple in coordinates.split():
        values = [number(value, "a coordinate") for value in triple.split(",")]
        if len(values) not in (2, 3):
            raise RouteFileError(f"'{triple[:40]}' is no longitude,latitude,altitude")
        up = values[2] if len(values) == 3 else NAN
        absolute, relative = mode == "absolute", mode == "relativeToGround"
        alt, height = up if absolute else NAN, up if relative else NAN
        yield Waypoint(values[1], values[0], alt, height)


def geojson(text: str) -> list[Waypoint]:
    """Its LineStrings and MultiLineStrings, in features or bare."""
    data = json_object(text)
    points = counted(point for line in _lines(data) for point in line)
    if not points:
        raise RouteFileError("has no LineString and no MultiLineString")
    return points


def _lines(data: Any) -> Iterator[Iterator[Waypoint]]:
    """Goes into collections without recursion, however deep they lie."""
    waiting = [data]
    while waiting:
        here = waiting.pop()
        if not isinstance(here, dict):
            continue
        inside, parts = here.get("coordinates"), []
        if here.get("type") == "LineString":
            yield _positions(inside)
        elif here.get("type") == "MultiLineString":
            yield from (_positions(line) for line in list_of(inside))
        elif here.get("type") == "Feature":
            parts = [here.get("geometry")]
        elif here.get("type") == "FeatureCollection":
            parts = list_of(here.get("features"))
        elif here.get("type") == "GeometryCollection":
            parts = list_of(here.get("geometries"))
        waiting.extend(reversed(parts))


def _positions(line: Any) -> Iterator[Waypoint]:
    for position in list_of(line):
        if not isinstance(position, list) or not 2 <= len(position) <= 4:
            raise RouteFileError(f"{str(position)[:40]} is no [longitude, latitude]")
        values = [json_number(value) for value in position]
        yield Waypoint(values[1], values[0], values[2] if len(values) > 2 else NAN)
