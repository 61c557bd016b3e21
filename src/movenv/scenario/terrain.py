"""The ground of a scenario in local metres."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import shapely
from numpy.typing import NDArray

from movenv.scenario.document import Document
from movenv.scenario.placement import local
from movenv.scenario.scatter import scattered
from movenv.scenario.schema import Scenario
from movenv.scenario.terrain_checks import (
    Problems,
    check_names,
    check_shapes,
    check_soils,
    check_world,
)
from movenv.scenario.terrain_crossings import CrossingFault, NoWater, Waters, crossing_of
from movenv.scenario.terrain_files import file_items
from movenv.scenario.terrain_grid import grid_of
from movenv.scenario.terrain_items import Item, TerrainError, item_of, named
from movenv.scenario.terrain_relief import check_reach, relief_of, standing
from movenv.terrain.area import Area
from movenv.terrain.features import (
    CROSSINGS,
    NO_TERRAIN,
    STOPS,
    Crossing,
    Hill,
    Obstacle,
    Road,
    SoilPatch,
    Terrain,
)
from movenv.terrain.heights import Heights, heights_of
from movenv.terrain.rises import Rise
from movenv.terrain.soil import SOILS, Soil
from movenv.world.frames import Frame

HEIGHTS = {"building": 10.0, "tree": 15.0, "tree_line": 15.0, "canopy": 15.0, "tower": 50.0}
"""Above the ground, of what does not say, m; nothing else stops what flies."""
WOODS = ("canopy", "tree_line")
"""What a road leads through."""

__all__ = ["TerrainError", "terrain_of"]


def terrain_of(
    scenario: Scenario, frame: Frame, document: Document, areas: Mapping[str, Area]
) -> Terrain:
    """Raises TerrainError, which says where."""
    spec = scenario.terrain
    soils = {**SOILS, **{name: Soil(s.mobility, s.grip) for name, s in spec.soils.items()}}
    if spec.soil not in soils:
        known = ", ".join(soils)
        said = f"unknown soil '{spec.soil}'; soils are {known}"
        raise TerrainError([(("terrain", "soil"), said)])
    elsewhere = soils[spec.soil]
    hills = _hills(scenario, frame)
    bare = replace(NO_TERRAIN, hills=hills, mobility=elsewhere.mobility, grip=elsewhere.grip)
    if spec.map is not None:
        bare = replace(bare, grid=grid_of(spec, frame, document, scenario.world.radius))
    rises: list[Rise] = []
    if spec.relief is not None:
        relief, rises = relief_of(spec.relief, frame, document, soils, spec.soil, hills)
        check_reach(relief, scenario.world.radius)
        bare = replace(bare, relief=relief)
    if spec.empty:
        return replace(bare, obstacles=tuple(standing(rises, set())))
    items = _inline(scenario, frame)
    left_out: list[str] = []
    if spec.file is not None:
        taken = [item.name for item in items if item.name]
        more, left_out = file_items(spec.file, frame, document, scenario.world.radius, taken)
        items += more
    for number, scatter in enumerate(spec.scatter):
        items += scattered(scatter, number, areas, items, scenario.seed)
    items = [
        item if item.name else replace(item, name=name)
        for item, name in zip(items, named(items), strict=True)
    ]
    bare = replace(bare, left_out=tuple(left_out))
    ground = _Ground(items, frame, soils).terrain(bare, scenario.world.radius)
    risen = standing(rises, {item.name for item in items})
    return replace(ground, obstacles=(*ground.obstacles, *risen))


def _hills(scenario: Scenario, frame: Frame) -> tuple[Hill, ...]:
    hills: list[Hill] = []
    for i, hill in enumerate(scenario.terrain.hills):
        x, y, _ = local(frame, hill.at)
        radius = scenario.world.radius
        if not math.hypot(x, y) <= radius:
            said = f"a hill has its top outside the world ({radius:,.0f} m)"
            raise TerrainError([(("terrain", "hills", i), said)])
        hills.append(Hill(x, y, hill.height, hill.radius))
    return tuple(hills)


def _inline(scenario: Scenario, frame: Frame) -> list[Item]:
    items: list[Item] = []
    problems: Problems = []
    for i, feature in enumerate(scenario.terrain.features):
        try:
            items.append(item_of(feature, ("terrain", "features", i), frame))
        except TerrainError as error:
            problems += error.problems
    if problems:
        raise TerrainError(problems)
    return items


def _height(item: Item) -> float:
    """Above the ground, m."""
    return item.traits.height or HEIGHTS.get(item.kind, math.inf)


@dataclass
class _Ground:
    """Named features on their way to a Terrain."""

    items: list[Item]
    frame: Frame
    soils: Mapping[str, Soil]

    def terrain(self, bare: Terrain, radius: float) -> Terrain:
        """Everything checked and put in its place. Raises TerrainError."""
        grounds = np.array([item.ground for item in self.items], object)
        problems = check_names(self.items)
        problems += check_shapes(self.items, grounds, self.frame)
        problems += check_world(self.items, grounds, radius, self.frame)
        problems += check_soils(self.items, self.soils, list(self.soils))
        if problems:
            raise TerrainError(problems)
        crossings, left_out = self._crossings()
        roads = self._roads()
        return replace(
            bare,
            obstacles=self._obstacles(heights_of(bare)),
            crossings=(*crossings, *self._cuttings(roads)),
            roads=roads,
            soils=self._patches(),
            left_out=(*bare.left_out, *left_out),
        )

    def _obstacles(self, heights: Heights) -> tuple[Obstacle, ...]:
        """They reach as high as they are above the ground they stand on."""
        items = [item for item in self.items if item.kind in STOPS["ground"]]
        middles = shapely.get_coordinates(shapely.centroid([item.ground for item in items]))
        foot = heights.at(middles[:, 0], middles[:, 1]).tolist()
        return tuple(
            Obstacle(item.name, item.kind, item.ground, z + _height(item))
            for item, z in zip(items, foot, strict=True)
        )

    def _soil(self, item: Item) -> Soil:
        usual = "shallows" if item.kind == "ford" else "hard"
        return self.soils[item.traits.soil or usual]

    def _crossings(self) -> tuple[list[Crossing], list[str]]:
        waters = Waters.among(self.items)
        found: list[Crossing] = []
        problems: Problems = []
        left_out: list[str] = []
        for item in self.items:
            if item.kind not in CROSSINGS:
                continue
            try:
                found.append(crossing_of(item, waters, self._soil(item), self.frame))
            except CrossingFault as fault:
                if item.lenient and isinstance(fault, NoWater):
                    continue  # most bridges of a map lead over roads and railways
                if item.lenient:
                    left_out.append(f"{item.source}: {fault}")
                else:
                    problems.append(item.at_fault(str(fault)))
        if problems:
            raise TerrainError(problems)
        return found, left_out

    def _roads(self) -> tuple[Road, ...]:
        """Roads, and what belongs to the network too: bridges and fords."""
        return tuple(
            Road(
                item.name,
                shapely.get_coordinates(item.line),
                item.width,
                *self._soil(item),
                item.level,
            )
            for item in self.items
            if item.line is not None and item.kind in ("road", *CROSSINGS)
        )

    def _cuttings(self, roads: tuple[Road, ...]) -> list[Crossing]:
        """Where roads lead through woods."""
        woods = [item for item in self.items if item.kind in WOODS]
        if not woods or not roads:
            return []
        grounds: NDArray[np.object_] = np.array([road.ground for road in roads], object)
        tree = shapely.STRtree([item.ground for item in woods])
        of_road, of_wood = tree.query(grounds, predicate="intersects")
        names: dict[int, list[str]] = {}
        for k in np.lexsort((of_wood, of_road)).tolist():
            names.setdefault(int(of_road[k]), []).append(woods[of_wood[k]].name)
        return [
            Crossing(
                roads[i].name, "road", grounds[i], tuple(over), roads[i].mobility, roads[i].grip
            )
            for i, over in names.items()
        ]

    def _patches(self) -> tuple[SoilPatch, ...]:
        return tuple(
            SoilPatch(item.name, item.ground, *self._soil(item))
            for item in self.items
            if item.kind == "soil"
        )
