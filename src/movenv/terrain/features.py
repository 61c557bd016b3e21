"""What stands and lies on the ground: obstacles, crossings, roads, soils."""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import shapely
from shapely import LineString, Polygon

from movenv.terrain.grid_map import GridMap
from movenv.terrain.height_map import HeightMap
from movenv.world.columns import F8
from movenv.world.kinds import Kind

LARGE = ("river", "lake", "canopy")
"""Kinds of obstacles too large to be seen at once: vehicles go along their contours.

Those of the other kinds are known as a whole once any part of them is seen."""
CROSSINGS = ("bridge", "ford")
SPECK = 1e-6
"""What is left of an obstacle beside a crossing, and smaller than this, m², is nothing."""
WATER = ("river", "lake")
STOPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ground": ("river", "lake", "canopy", "tree_line", "building", "island", "tree", "tower"),
        "pedestrian": ("river", "lake", "building", "tree", "tower"),
        "surface": ("building", "island", "tower"),
        "underwater": ("building", "island", "tower"),
        "aerial": ("tree_line", "building", "tree", "tower"),
    }
)
"""Which obstacles stop which kind of vehicle; aerial ones only below an obstacle's height."""


@dataclass(frozen=True)
class Obstacle:
    """Something one cannot pass. `ground` is what it covers, in local metres; holes are free."""

    name: str
    kind: str
    ground: Polygon
    height: float = math.inf
    """To what z it reaches, m."""

    @property
    def large(self) -> bool:
        return self.kind in LARGE


@dataclass(frozen=True)
class Crossing:
    """A bridge or ford: where it lies, obstacles named in `over` can be passed."""

    name: str
    kind: str
    ground: Polygon
    over: tuple[str, ...]
    mobility: float = 1.0
    """Share of the usual speed that is kept on it."""
    grip: float = 1.0
    """Share of the usual braking."""


@dataclass(frozen=True)
class Road:
    """A road: its middle line (n, 2) in local metres and its width."""

    name: str
    line: F8
    width: float
    mobility: float = 1.0
    """Share of the usual speed that is kept on it."""
    grip: float = 1.0
    """Share of the usual braking."""
    level: int = 0
    """Of roads on different levels one passes over the other: where they only cross, they do not
    meet."""

    @property
    def ground(self) -> Polygon:
        """What it covers."""
        return strip(shapely.LineString(self.line), self.width)


@dataclass(frozen=True)
class SoilPatch:
    """Where the ground is of some soil. Of patches that overlap the last one counts."""

    name: str
    ground: Polygon
    mobility: float
    """Share of the usual speed and acceleration that is kept on it, above 0."""
    grip: float = 1.0
    """Share of the usual braking."""


@dataclass(frozen=True)
class Hill:
    """A round hill: (x, y) of its top, how high it is, and the radius of its foot, m."""

    x: float
    y: float
    height: float
    radius: float


@dataclass(frozen=True)
class Terrain:
    """All of the ground that a run has."""

    obstacles: tuple[Obstacle, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    roads: tuple[Road, ...] = ()
    soils: tuple[SoilPatch, ...] = ()
    hills: tuple[Hill, ...] = ()
    mobility: float = 1.0
    """Where there is no soil, road or crossing, and the relief does not say."""
    grip: float = 1.0
    grid: GridMap | None = None
    """A map of occupied cells; laser scanners see it, and who navigates by it."""
    relief: HeightMap | None = None
    """How high the ground is, below hills; without one it is a plain at z 0."""
    left_out: tuple[str, ...] = ()
    """What a file had and the terrain has not, in words."""
    drawn: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Charts and the network of roads, kept for all who need the same: drawing them takes long."""

    @property
    def empty(self) -> bool:
        """Whether nothing stands or lies on the ground, and there is no map of it."""
        things = self.obstacles or self.crossings or self.roads or self.soils
        return not things and self.grid is None

    @property
    def level(self) -> bool:
        """Whether all of the ground is at z 0."""
        return not self.hills and self.relief is None

    def barriers(self, kind: Kind, z: float = 0.0) -> list[tuple[Obstacle, Polygon]]:
        """What stops vehicles of a kind, for aerial ones at height z: obstacles less crossings.

        An obstacle that a crossing cuts in two is there twice, once for each part.
        """
        passable: dict[str, list[Polygon]] = {}
        for crossing in self.crossings:
            for name in crossing.over:
                passable.setdefault(name, []).append(crossing.ground)
        found: list[tuple[Obstacle, Polygon]] = []
        for obstacle in self.obstacles:
            if obstacle.kind not in STOPS[kind.name]:
                continue
            if kind.name == "aerial" and z >= obstacle.height:
                continue
            if obstacle.name not in passable:
                found.append((obstacle, obstacle.ground))
                continue
            left = shapely.difference(obstacle.ground, shapely.union_all(passable[obstacle.name]))
            parts = shapely.get_parts(left)
            found += [(obstacle, part) for part in parts[shapely.area(parts) > SPECK].tolist()]
        return found


def strip(line: LineString, width: float, beyond: float = 0.0) -> Polygon:
    """What lies within half a width of a line, and so far straight on beyond its ends.

    Raises ValueError for a line that folds back on itself.
    """
    points = shapely.get_coordinates(line)
    if beyond:
        for end, inner in ((0, 1), (-1, -2)):
            away = points[end] - points[inner]
            points[end] += away * (beyond / math.hypot(*away))
    made = shapely.buffer(
        shapely.linestrings(points), width / 2, cap_style="flat", join_style="mitre", mitre_limit=2
    )
    if not isinstance(made, Polygon) or made.is_empty:
        raise ValueError("the line folds back on itself or has no length")
    return made


NO_TERRAIN = Terrain()
