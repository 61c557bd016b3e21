"""The lookup of soils against shapely, one patch at a time."""

import numpy as np
import pytest
import shapely
from shapely import Polygon

from movenv.terrain.features import NO_TERRAIN, Crossing, Road, SoilPatch, Terrain
from movenv.terrain.soil import SoilMap


def star(rng: np.random.Generator, corners: int, size: float) -> Polygon:
    turn = np.sort(rng.uniform(0, 2 * np.pi, corners))
    radius = rng.uniform(0.2, 1.0, corners) * size
    middle = rng.uniform(-300, 300, 2)
    outer = Polygon(middle + np.column_stack([radius * np.cos(turn), radius * np.sin(turn)]))
    hole = outer.buffer(-size / 6)
    return outer.difference(hole.geoms[0]) if isinstance(hole, shapely.MultiPolygon) else outer


def one_by_one(terrain: Terrain, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mobility, grip = np.full(len(x), terrain.mobility), np.full(len(x), terrain.grip)
    for layer in (*terrain.soils, *terrain.roads, *terrain.crossings):
        inside = shapely.contains_xy(layer.ground, x, y)
        mobility[inside], grip[inside] = layer.mobility, layer.grip
    return mobility, grip


@pytest.mark.parametrize("seed", range(12))
def test_every_place_has_the_soil_that_lies_on_top(seed: int) -> None:
    rng = np.random.default_rng(seed)
    grounds = [star(rng, int(rng.integers(5, 60)), rng.uniform(5, 250)) for _ in range(30)]
    grounds = [ground for ground in grounds if ground.is_valid and isinstance(ground, Polygon)]
    assert len(grounds) > 20
    figures = rng.uniform(0.1, 1.0, (len(grounds), 2))
    soils = [
        SoilPatch(f"s{i}", ground, *figures[i].tolist()) for i, ground in enumerate(grounds[:-3])
    ]
    crossings = [Crossing(f"c{i}", "ford", g, (), 0.4, 0.6) for i, g in enumerate(grounds[-3:])]
    roads = [Road(f"r{i}", rng.uniform(-400, 400, (5, 2)), 6.0, 0.95, 0.9) for i in range(5)]
    terrain = Terrain((), tuple(crossings), tuple(roads), tuple(soils), (), 0.75, 0.7)
    x, y = rng.uniform(-500, 500, (2, 20_000))
    wanted = one_by_one(terrain, x, y)
    assert len(np.unique(wanted[0])) > 15
    found = SoilMap(terrain).at(x, y)
    assert np.array_equal(found[0], wanted[0])
    assert np.array_equal(found[1], wanted[1])


def test_a_patch_of_squares_along_the_cells_is_found_whole() -> None:
    box = shapely.box(0, 0, 100, 40)
    terrain = Terrain(soils=(SoilPatch("mud", box, 0.3, 0.4),))
    x, y = (values.ravel() for values in np.meshgrid(np.arange(-5.5, 110), np.arange(-5.5, 50)))
    mobility, grip = SoilMap(terrain).at(x, y)
    inside = shapely.contains_xy(box, x, y)
    assert np.array_equal(mobility == 0.3, inside)
    assert np.array_equal(grip == 0.4, inside)


def test_where_nothing_is_said_nothing_slows_down() -> None:
    mobility, grip = SoilMap(NO_TERRAIN).at(np.array([0.0, 1e6]), np.zeros(2))
    assert mobility.tolist() == grip.tolist() == [1.0, 1.0]


def test_a_road_through_mud_is_hard() -> None:
    mud = SoilPatch("mud", shapely.box(-100, -100, 100, 100), 0.3)
    road = Road("lane", np.array([[-200.0, 0], [200.0, 0]]), 6.0)
    mobility, _ = SoilMap(Terrain(soils=(mud,), roads=(road,))).at(
        np.zeros(3), np.array([0, 5, 200.0])
    )
    assert mobility.tolist() == [1.0, 0.3, 1.0]
