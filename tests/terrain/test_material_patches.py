"""Poor materials of a height map, as patches, against their cells."""

import numpy as np
import pytest
import shapely

from movenv.terrain import material_patches
from movenv.terrain.features import Terrain
from movenv.terrain.height_map import HeightMap, Materials
from movenv.terrain.material_patches import poor_materials
from movenv.terrain.poor_soil import PoorSoil

SOILS = np.array([[0.9, 0.4, 1.0], [0.7, 0.12, 1.0]])
KINDS = np.full((30, 40), 2, np.uint8)
KINDS[5:12, 3:9] = 0
KINDS[8:20, 6:15] = 1
KINDS[25, 30] = 1


def terrain(grip: float = 1.0) -> Terrain:
    relief = HeightMap(1.0, 1.0, 2.0, np.zeros((30, 40), np.float32), Materials(KINDS, SOILS))
    return Terrain(relief=relief, grip=grip)


def test_each_poor_material_is_covered_by_patches_of_its_grip() -> None:
    y, x = (np.mgrid[0:30, 0:40] + 0.5) * 2.0
    for grip, kind in ((0.7, 0), (0.12, 1)):
        mine = [patch.ground for patch in poor_materials(terrain()) if patch.grip == grip]
        assert np.array_equal(shapely.contains_xy(shapely.union_all(mine), x, y), kind == KINDS)
    assert {patch.grip for patch in poor_materials(terrain())} == {0.12, 0.7}


def test_what_holds_as_well_as_the_rest_is_not_poor() -> None:
    assert {patch.grip for patch in poor_materials(terrain(0.5))} == {0.12}
    assert poor_materials(Terrain()) == []


def test_who_must_brake_knows_how_far_poor_materials_are() -> None:
    far = PoorSoil(terrain()).far(np.array([70.0]), np.array([51.0]), np.array([30.0]))
    assert far[0, 0] == pytest.approx(70 - 62)


def test_of_very_many_patches_all_of_the_map_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(material_patches, "MOST", 1)
    assert {(patch.grip, patch.ground.bounds) for patch in poor_materials(terrain())} == {
        (0.12, (0, 0, 80, 60)),
        (0.7, shapely.box(6, 10, 18, 24).bounds),
    }
