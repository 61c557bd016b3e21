"""Features as they were said, with their shapes in local metres."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely import LineString, Polygon

from movenv.parts.config import Point
from movenv.scenario.document import Path_
from movenv.scenario.placement import local
from movenv.scenario.terrain_schema import Feature, Traits
from movenv.terrain.features import strip
from movenv.world.columns import F8
from movenv.world.frames import Frame

WIDTHS = {"river": 10.0, "road": 6.0, "bridge": 6.0, "ford": 6.0, "tree_line": 4.0}
"""Of lines that do not say, m; lines of other kinds must."""
ROUNDNESS = 0.25
"""How far a polygon in place of a circle may stick out of it, m: few corners, and none missing."""
FEWEST, MOST = 8, 64
FARTHEST = 1e8
"""Nothing on the globe is farther away in local metres."""


class TerrainError(ValueError):
    """A ground that cannot be: `problems` are the places in the scenario and what is wrong."""

    def __init__(self, problems: list[tuple[Path_, str]]) -> None:
        self.problems = problems
        super().__init__("; ".join(said for _, said in problems))


@dataclass(frozen=True)
class Item:
    """One feature, wherever it came from."""

    where: Path_
    """Its place in the scenario."""
    source: str
    """Which feature of which file; empty for one that stands in the scenario."""
    name: str
    """Empty where it has none yet."""
    traits: Traits
    ground: Polygon
    line: LineString | None = None
    lenient: bool = False
    """From a map that others drew: what does not fit is left out or mended, not refused."""
    whole: str = ""
    """The name of what it is a part of, where its geometry has several."""
    level: int = 0
    """Of a road: those that cross on different levels do not meet."""

    @property
    def kind(self) -> str:
        return self.traits.kind

    @property
    def width(self) -> float:
        """Of its line, m."""
        return self.traits.width or WIDTHS.get(self.kind, 0.0)

    @property
    def called(self) -> str:
        return f"{self.kind.replace('_', ' ')} '{self.name}'"

    def at_fault(self, text: str) -> tuple[Path_, str]:
        """A problem of this feature."""
        return self.where, f"{self.source}: {text}" if self.source else text


def place_in_words(x: float, y: float, frame: Frame | None = None) -> str:
    """A place in local metres, and on the globe too where a frame is given."""
    said = f"({round(x, 1) + 0.0:.1f}, {round(y, 1) + 0.0:.1f})"  # no -0.0
    if frame is None:
        return said
    lat, lon, _ = frame.to_geodetic(x, y)
    return f"{said}, lat {float(lat):.6f}, lon {float(lon):.6f}"


def corners_of(radius: float) -> int:
    """How many corners a polygon has that stands for a circle of this radius."""
    exact = math.pi / math.acos(radius / (radius + ROUNDNESS))
    return min(max(FEWEST, 4 * math.ceil(exact / 4)), MOST)


def discs(x: F8, y: F8, radius: F8) -> list[Polygon]:
    """Polygons around circles, no smaller than them anywhere."""
    found = np.empty(len(x), object)
    counts = np.array([corners_of(r) for r in radius.tolist()])
    for count in np.unique(counts).tolist():
        mine = np.flatnonzero(counts == count)
        turn = (np.arange(count) + 0.5) * (math.tau / count)
        reach = (radius[mine] / math.cos(math.pi / count))[:, None]
        corners = (x[mine, None] + reach * np.cos(turn), y[mine, None] + reach * np.sin(turn))
        found[mine] = shapely.polygons(np.stack(corners, axis=-1))
    made: list[Polygon] = found.tolist()
    return made


def disc(x: float, y: float, radius: float) -> Polygon:
    """A polygon around a circle."""
    return discs(np.array([x]), np.array([y]), np.array([radius]))[0]


def ribbon(traits: Traits, points: F8) -> tuple[Polygon, LineString]:
    """What a line (n, 2) of some width covers, and the line. Raises ValueError.

    A bridge or ford goes on beyond its ends by half its width: banks are not square to it.
    """
    line = shapely.remove_repeated_points(LineString(points))
    if not line.length > 0:
        raise ValueError("the line has no length")
    width = traits.width or WIDTHS.get(traits.kind)
    if width is None:
        raise ValueError(f"a {traits.kind} that is a line needs a width")
    beyond = width / 2 if traits.kind in ("bridge", "ford") else 0.0
    return strip(line, width, beyond), line


def item_of(feature: Feature, where: Path_, frame: Frame) -> Item:
    """A feature that stands in the scenario. Raises TerrainError."""
    name = feature.name or ""
    try:
        if feature.line is not None:
            ground, line = ribbon(feature, _points(frame, feature.line))
            level = int(feature.kind == "bridge")
            return Item(where, "", name, feature, ground, line, level=level)
        return Item(where, "", name, feature, _ground(feature, frame))
    except (ValueError, shapely.GEOSException) as error:
        called = f"'{name}'" if name else feature.kind
        raise TerrainError([(where, f"{called}: {error}")]) from None


def _ground(feature: Feature, frame: Frame) -> Polygon:
    if feature.polygon is not None:
        holes = [_points(frame, hole) for hole in feature.holes]
        return Polygon(_points(frame, feature.polygon), holes)
    assert feature.at is not None
    x, y = _points(frame, [feature.at])[0].tolist()
    if feature.rectangle is not None:
        wide, high = feature.rectangle
        return shapely.box(x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
    return disc(x, y, feature.radius or 0.0)


def _points(frame: Frame, points: Sequence[Point]) -> F8:
    places = np.array([local(frame, point)[:2] for point in points])
    if not (np.abs(places) <= FARTHEST).all():
        raise ValueError("a place is nowhere near this world")
    return places


def named(items: list[Item]) -> list[str]:
    """The name of each: its own, or its kind and a number that no other has."""
    taken = {item.name for item in items if item.name}
    counts: dict[str, int] = {}
    names: list[str] = []
    for item in items:
        name = item.name
        while not name:
            counts[item.kind] = counts.get(item.kind, 0) + 1
            made = f"{item.kind}-{counts[item.kind]}"
            name = "" if made in taken else made
        names.append(name)
    return names
