"""Rays in three dimensions against what stands, beside shapely: prism by prism."""

import math

import numpy as np
import pytest
import shapely
from shapely import LineString, Polygon

from movenv.terrain.features import Obstacle, Terrain
from movenv.terrain.grid_map import FREE, OCCUPIED, GridMap
from movenv.terrain.seen import Seen
from movenv.terrain.storeys import MOST_STOREYS, meet_storey, storeys_of
from movenv.world.columns import F8, U1

MOST = 60.0


def cast(terrain: Terrain, rays: F8) -> tuple[F8, U1]:
    far, met = np.full(len(rays), MOST), np.zeros(len(rays), np.uint8)
    for storey in storeys_of(terrain):
        meet_storey(storey.scenery, storey.low, storey.high, int(storey.seen), rays, far, met)
    return far, met


def prism_met(obstacle: Obstacle, ray: F8) -> float:
    """How far it is to a prism that reaches down for ever, by cutting the ray's shadow."""
    place, toward = ray[:3], ray[3:]
    begin, end = 0.0, MOST
    if toward[2] != 0.0:
        top = (obstacle.height - place[2]) / toward[2]
        begin, end = (max(top, 0.0), end) if toward[2] < 0.0 else (0.0, min(top, end))
    elif place[2] > obstacle.height:
        return math.inf
    if end < begin:
        return math.inf
    first, last = (place[:2] + t * toward[:2] for t in (begin, end))
    if shapely.contains_xy(obstacle.ground, *first):
        return begin
    met = LineString([first, last]).intersection(obstacle.ground)
    if met.is_empty:
        return math.inf
    on = np.linalg.norm(shapely.get_coordinates(met) - first, axis=1).min()
    return float(begin + on / np.hypot(*toward[:2]))


def town(chance: np.random.Generator, count: int, heights: F8) -> tuple[Obstacle, ...]:
    """Triangles that overlap, of some kinds."""
    kinds = ["building", "tree", "tower"]
    found = []
    for k in range(count):
        x, y = chance.uniform(-20, 20, 2)
        ground = Polygon(np.array([x, y]) + chance.uniform(-6, 6, (3, 2)))
        if ground.area > 1.0:
            found.append(Obstacle(str(k), kinds[k % 3], ground, float(chance.choice(heights))))
    return tuple(found)


@pytest.mark.parametrize("seed", range(4))
def test_as_shapely_finds_it(seed: int) -> None:
    chance = np.random.default_rng(seed)
    terrain = Terrain(obstacles=town(chance, 25, np.array([2.0, 5.0, 9.0, math.inf])))
    yaw, pitch = chance.uniform(-np.pi, np.pi, 400), chance.uniform(-1.5, 1.5, 400)
    pitch[:100] = 0.0
    flat = np.cos(pitch)
    place = [chance.uniform(-25, 25, 400), chance.uniform(-25, 25, 400), chance.uniform(0, 14, 400)]
    rays = np.column_stack([*place, np.cos(yaw) * flat, np.sin(yaw) * flat, np.sin(pitch)])
    far, met = cast(terrain, rays)
    each = np.array([[prism_met(o, ray) for o in terrain.obstacles] for ray in rays])
    np.testing.assert_allclose(far, np.minimum(each.min(axis=1), MOST), atol=1e-6)
    nearest = [terrain.obstacles[k].kind for k in each.argmin(axis=1)]
    classes = {"building": Seen.BUILDING, "tree": Seen.PLANT, "tower": Seen.OBSTACLE}
    second = np.sort(each, axis=1)[:, 1]
    for k in np.flatnonzero((far < MOST) & (second > far + 1e-6)):
        assert met[k] == classes[nearest[k]]
    assert (met[far == MOST] == 0).all()
    assert 0.2 < (far < MOST).mean() < 0.95


def test_straight_down_is_a_roof_and_straight_up_nothing() -> None:
    hut = Obstacle("hut", "building", Polygon([(0, 0), (4, 0), (4, 4), (0, 4)]), 3.0)
    rays = np.array([[2.0, 2, 9, 0, 0, -1], [2, 2, 9, 0, 0, 1], [6, 2, 9, 0, 0, -1]])
    far, _ = cast(Terrain(obstacles=(hut,)), rays)
    assert far.tolist() == [6.0, MOST, MOST]


def test_water_is_not_in_the_way_and_a_map_is_of_any_height() -> None:
    lake = Obstacle("lake", "lake", Polygon([(2, -4), (4, -4), (4, 4), (2, 4)]))
    cells = np.full((10, 10), FREE, np.uint8)
    cells[:, 9] = OCCUPIED
    terrain = Terrain(obstacles=(lake,), grid=GridMap(cells, 1.0, 0.0, -5.0))
    slanted = math.sqrt(0.5)
    rays = np.array([[0.5, 0.0, 1.0, 1.0, 0.0, 0.0], [0.5, 0.0, 1.0, slanted, 0.0, slanted]])
    far, _ = cast(terrain, rays)
    np.testing.assert_allclose(far, [8.5, 8.5 / slanted])


def test_of_many_heights_things_reach_up_to_the_next_of_some() -> None:
    chance = np.random.default_rng(5)
    terrain = Terrain(obstacles=town(chance, 90, chance.uniform(2, 12, 90)))
    storeys = [storey for storey in storeys_of(terrain) if storey.seen == Seen.PLANT]
    assert len(storeys) == MOST_STOREYS
    highest = max(o.height for o in terrain.obstacles if o.kind == "tree")
    assert storeys[-1].high == highest


@pytest.mark.parametrize("at", range(6))
def test_a_ray_of_nan_stays_as_it_is(at: int) -> None:
    hut = Obstacle("hut", "building", Polygon([(0, 0), (4, 0), (4, 4), (0, 4)]), 3.0)
    ray = np.array([[1.0, 1.0, 1.0, 1.0, 0.0, 0.0]])
    ray[0, at] = math.nan
    assert cast(Terrain(obstacles=(hut,)), ray)[0][0] == MOST
