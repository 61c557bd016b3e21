"""What stands and lies on the ground: obstacles, crossings, roads, soils."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import shapely
from shapely import Polygon

from movenv.world.columns import F8
from movenv.world.kinds import Kind

LARGE = ("river", "lake", "canopy")
"""Kinds of obstacles too large to be seen at once: vehicles go along their contours."""
SMALL = ("tree_line", "building", "island", "tree", "tower")
"""Kinds of obstacles that are known as a whole once any part of them is seen."""
CROSSINGS = ("bridge", "ford")
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


@dataclass(frozen=True)
class Road:
    """A road: its middle line (n, 2) in local metres and its width."""

    name: str
    line: F8
    width: float


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
class Terrain:
    """All of the ground that a run has."""

    obstacles: tuple[Obstacle, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    roads: tuple[Road, ...] = ()
    soils: tuple[SoilPatch, ...] = field(default=())

    def barriers(self, kind: Kind, z: float = 0.0) -> list[tuple[Obstacle, Polygon]]:
        """What stops vehicles of a kind, for aerial ones at height z: obstacles less crossings.

        An obstacle that a crossing cuts in two is there twice, once for each part.
        """
        found: list[tuple[Obstacle, Polygon]] = []
        for obstacle in self.obstacles:
            if obstacle.kind not in STOPS[kind.name]:
                continue
            if kind.name == "aerial" and z >= obstacle.height:
                continue
            passable = [c.ground for c in self.crossings if obstacle.name in c.over]
            if not passable:
                found.append((obstacle, obstacle.ground))
                continue
            left = shapely.difference(obstacle.ground, shapely.union_all(passable))
            parts = shapely.get_parts(left).tolist()
            found += [(obstacle, part) for part in parts if isinstance(part, Polygon)]
        return found


NO_TERRAIN = Terrain()
