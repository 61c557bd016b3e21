"""What a camera sees of a terrain: where it is met, what it is and which colour it has."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from movenv.terrain.features import WATER, SoilPatch, Terrain
from movenv.terrain.ground_classes import cell_classes
from movenv.terrain.relief_rays import Ground, ground_of
from movenv.terrain.seen import Seen
from movenv.terrain.soil import SOILS, Soil, SoilMap
from movenv.terrain.storeys import Storey, storeys_of
from movenv.world.columns import F8, U1

Colour = tuple[int, int, int]

COLOURS: Mapping[Seen, Colour] = MappingProxyType(
    {
        Seen.NOTHING: (0, 0, 0),
        Seen.SKY: (120, 165, 215),
        Seen.GROUND: (128, 134, 96),
        Seen.ROAD: (98, 98, 102),
        Seen.KERB: (176, 174, 168),
        Seen.BUILDING: (186, 158, 132),
        Seen.OBSTACLE: (140, 140, 148),
        Seen.PLANT: (74, 104, 54),
        Seen.WATER: (62, 100, 138),
        Seen.VEHICLE: (190, 48, 42),
        Seen.PEDESTRIAN: (226, 150, 40),
    }
)
"""In full sun, as far as nothing else says."""
SOIL_COLOURS: Mapping[str, Colour] = MappingProxyType(
    {
        "gravel": (150, 144, 134),
        "grass": (104, 138, 70),
        "scrub": (116, 120, 74),
        "sand": (206, 188, 138),
        "mud": (104, 84, 62),
        "snow": (238, 240, 244),
        "ice": (206, 224, 236),
        "shallows": (112, 144, 150),
    }
)
"""Of the soils that are known by name."""
NAMES = {soil: name for name, soil in SOILS.items()}


class Paint(NamedTuple):
    """What lies on the ground, as kernels take it: by number of its layer, the last for none."""

    seen: U1
    colours: F8
    cells: U1
    """Of the map of heights, as of `cell_classes`."""
    by_class: F8
    """(Seen, 3)."""


class Scene:
    """A terrain to look at."""

    def __init__(self, terrain: Terrain) -> None:
        self.ground: Ground = ground_of(terrain)
        self.storeys: list[Storey] = storeys_of(terrain)
        layers = _layers(terrain)
        patches = tuple(SoilPatch("", ground, 1.0) for ground, _, _ in layers)
        self.lying = SoilMap(Terrain(soils=patches, relief=terrain.relief))
        """Which layer counts at a place."""
        looks = [(seen, colour) for _, seen, colour in layers]
        looks += _materials(terrain)
        looks.append((Seen.GROUND, _soil_colour(terrain.mobility, terrain.grip)))
        self.paint = Paint(
            np.array([seen for seen, _ in looks], np.uint8),
            np.array([colour for _, colour in looks], float),
            cell_classes(self.ground),
            np.array([COLOURS[seen] for seen in Seen], float),
        )


def scene_of(terrain: Terrain) -> Scene:
    """Kept with the terrain for all cameras."""
    if Scene not in terrain.drawn:
        terrain.drawn[Scene] = Scene(terrain)
    found: Scene = terrain.drawn[Scene]
    return found


def _layers(terrain: Terrain) -> list[tuple[object, Seen, Colour]]:
    """Soils lie lowest, water on them, then roads, bridges and fords."""
    water, road = (Seen.WATER, COLOURS[Seen.WATER]), (Seen.ROAD, COLOURS[Seen.ROAD])
    return [
        *((s.ground, Seen.GROUND, _soil_colour(s.mobility, s.grip)) for s in terrain.soils),
        *((o.ground, *water) for o in terrain.obstacles if o.kind in WATER),
        *((r.ground, *road) for r in terrain.roads),
        *((c.ground, *(road if c.kind == "bridge" else water)) for c in terrain.crossings),
    ]


def _materials(terrain: Terrain) -> list[tuple[Seen, Colour]]:
    """Of a height map: what is hard is paved."""
    relief = terrain.relief
    if relief is None or relief.materials is None:
        return []
    soils = [Soil(*soil) for soil in relief.materials.soils.T.tolist()]
    paved = Seen.ROAD, COLOURS[Seen.ROAD]
    return [paved if s == SOILS["hard"] else (Seen.GROUND, _soil_colour(*s)) for s in soils]


def _soil_colour(mobility: float, grip: float) -> Colour:
    return SOIL_COLOURS.get(NAMES.get(Soil(mobility, grip), ""), COLOURS[Seen.GROUND])
