"""Rays against the ground, beside fine marching with bisection and closed forms."""

import math

import numpy as np
import pytest

from movenv.terrain.features import Hill, Terrain
from movenv.terrain.heights import Heights
from movenv.terrain.relief import Relief
from movenv.terrain.relief_rays import Ground, ground, ground_of, meet_ground
from movenv.world.columns import F8

NONE = np.empty((0, 4))


def rough(rows: int, columns: int, seed: int, cell: float = 1.0) -> Relief:
    """Uneven ground with towers on it, somewhere."""
    chance = np.random.default_rng(seed)
    heights = chance.normal(0.0, 1.0, (rows, columns))
    heights[chance.random((rows, columns)) < 0.05] += 8.0
    return Relief(-3.0, 5.0, cell, heights.astype(np.float32), NONE)


def surface_at(relief: Relief, x: F8, y: F8) -> F8:
    """Bilinear, level beyond the edges; not the code of the package."""
    rows, columns = relief.heights.shape
    u = np.clip((x - relief.west) / relief.cell, 0, columns - 1)
    v = np.clip((y - relief.south) / relief.cell, 0, rows - 1)
    i, j = np.minimum(u.astype(int), columns - 2), np.minimum(v.astype(int), rows - 2)
    s, t, h = u - i, v - j, relief.heights.astype(float)
    south = h[j, i] * (1 - s) + h[j, i + 1] * s
    north = h[j + 1, i] * (1 - s) + h[j + 1, i + 1] * s
    return south * (1 - t) + north * t


def marched(relief: Relief, rays: F8, most: float, step: float) -> F8:
    """How far rays go by small steps, then bisected."""

    def above(far: F8) -> F8:
        x, y, z = rays[:3] + far * rays[3:]
        return z - surface_at(relief, x, y)

    count = rays.shape[1]
    low, found = np.zeros(count), np.full(count, np.inf)
    found[above(low) <= 0.0] = 0.0
    for far in np.arange(step, most + 2 * step, step):
        new = np.isinf(found) & (above(np.full(count, far)) <= 0.0)
        low[new], found[new] = far - step, far
    met = np.isfinite(found) & (found > 0.0)
    a, b = np.where(met, low, 0.0), np.where(met, found, 0.0)
    for _ in range(60):
        mid = 0.5 * (a + b)
        inside = above(mid) <= 0.0
        a, b = np.where(inside, a, mid), np.where(inside, mid, b)
    found[met] = b[met]
    found[found > most] = np.inf
    return found


def random_rays(relief: Relief, count: int, seed: int) -> F8:
    """From in and around a map: slanted, grazing, vertical, and along the lines of its cells."""
    chance = np.random.default_rng(seed)
    rows, columns = relief.heights.shape
    wide, high = columns * relief.cell, rows * relief.cell
    x = relief.west + wide * chance.uniform(-0.5, 1.5, count)
    y = relief.south + high * chance.uniform(-0.5, 1.5, count)
    z = chance.uniform(-2.0, 14.0, count)
    yaw, pitch = chance.uniform(-np.pi, np.pi, count), chance.uniform(-1.0, 0.5, count)
    pitch[::5] *= 0.02
    yaw[::3] = np.round(yaw[::3] / (np.pi / 2)) * (np.pi / 2)
    on_line = slice(0, None, 6)
    x[on_line] = relief.west + relief.cell * np.round((x[on_line] - relief.west) / relief.cell)
    y[on_line] = relief.south + relief.cell * np.round((y[on_line] - relief.south) / relief.cell)
    direction = np.array([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)])
    direction[np.abs(direction) < 1e-12] = 0.0
    direction[:, ::11] = np.array([0.0, 0.0, -1.0])[:, None]
    return np.ascontiguousarray(np.vstack([x, y, z, direction]))


def cast(relief: Relief, rays: F8, most: float = math.inf) -> F8:
    far = np.full(rays.shape[1], most)
    meet_ground(ground(relief), 2, np.ascontiguousarray(rays.T), far, np.zeros(len(far), np.uint8))
    far[far >= most] = np.inf
    return far


def one(relief: Relief, *ray: float, most: float = math.inf) -> float:
    return float(cast(relief, np.array(ray, float)[:, None], most)[0])


def compare(relief: Relief, count: int, seed: int, most: float = 30.0) -> None:
    step = 0.02
    rays = random_rays(relief, count, seed)
    found = cast(relief, rays, most)
    expected = marched(relief, rays, most, step)
    same = np.isclose(found, expected, rtol=0, atol=1e-6) | (np.isinf(found) & np.isinf(expected))
    # Between two steps a ray may have touched a ridge or crossed the range's end.
    x, y, z = rays[:3] + np.where(np.isfinite(found), found, 0.0) * rays[3:]
    touches = np.abs(z - surface_at(relief, x, y)) < 1e-5
    earlier = ~same & (found < expected) & touches
    at_end = np.abs(np.minimum(found, expected) - most) < 1e-5
    wrong = ~(same | earlier | at_end)
    assert not wrong.any(), (rays[:, wrong][:, 0], found[wrong][0], expected[wrong][0])
    assert earlier.mean() < 0.01
    assert 0.3 < np.isfinite(found).mean() < 0.99


@pytest.mark.parametrize(("rows", "columns", "cell"), [(2, 2, 1.0), (9, 17, 0.7), (40, 33, 2.5)])
def test_as_marching_finds_it(rows: int, columns: int, cell: float) -> None:
    compare(rough(rows, columns, rows, cell), 2000, columns)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(50))
def test_a_million_rays_as_marching_finds_them(seed: int) -> None:
    compare(rough(5 + seed, 60 - seed, seed, 0.5 + 0.05 * seed), 20_000, seed)


def test_level_ground_is_met_as_geometry_says() -> None:
    flat = Relief(0.0, 0.0, 1.0, np.full((5, 5), 2.0, np.float32), NONE)
    for slope in (0.01, 0.1, 1.0):
        down = -math.sin(slope)
        for x, y in ((2.2, 3.1), (-70.0, 2.0), (1.0, 1.0)):
            met = one(flat, x, y, 5.0, math.cos(slope), 0.0, down)
            assert met == pytest.approx(3.0 / math.sin(slope), rel=1e-12)
    assert one(flat, 2.5, 2.5, 5.0, 0.0, 0.0, -1.0) == 3.0
    assert one(flat, 2.5, 2.5, 5.0, 0.0, 0.0, 1.0) == math.inf
    assert one(flat, 2.5, 2.5, 5.0, 1.0, 0.0, 0.0) == math.inf


def test_a_twisted_cell_is_met_on_its_parabola() -> None:
    """z = x·y: along the diagonal x = y it is a parabola."""
    saddle = Relief(0.0, 0.0, 1.0, np.array([[0, 0], [0, 1]], np.float32), NONE)
    d = math.sqrt(0.5)
    assert one(saddle, 0.0, 0.0, 0.25, d, d, 0.0) == pytest.approx(0.5 / d)
    assert one(saddle, 0.0, 1.0, 0.2500001, d, -d, 0.0) == math.inf
    assert one(saddle, 0.0, 1.0, 0.25, d, -d, 0.0) == pytest.approx(0.5 / d, abs=1e-6)


def test_from_below_it_is_here_and_what_is_too_far_is_not_met() -> None:
    flat = Relief(0.0, 0.0, 1.0, np.zeros((5, 5), np.float32), NONE)
    assert one(flat, 2.5, 2.5, -1.0, 0.0, 0.0, 1.0) == 0.0
    assert one(flat, 2.5, 2.5, 0.0, 1.0, 0.0, 0.0) == 0.0
    assert one(flat, 2.5, 2.5, 3.0, 0.0, 0.0, -1.0, most=2.999) == math.inf
    assert one(flat, 2.5, 2.5, 3.0, 0.0, 0.0, -1.0, most=-1.0) == math.inf


@pytest.mark.parametrize("at", range(6))
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_ray_from_nowhere_or_to_nowhere_is_nan(at: int, value: float) -> None:
    ray = [0.0, 0.0, 5.0, 0.6, 0.0, -0.8]
    ray[at] = value
    assert math.isnan(one(rough(5, 5, 1), *ray))


@pytest.mark.parametrize("on_a_map", [False, True])
def test_hills_are_met_where_the_formula_has_them(on_a_map: bool) -> None:
    hills = (Hill(40.0, 10.0, 12.0, 30.0), Hill(-90.0, 0.0, 5.0, 20.0))
    relief = Heights(Terrain(hills=hills)).relief
    if on_a_map:
        relief = relief._replace(west=-20.0, cell=0.5, heights=np.zeros((50, 60), np.float32))
    chance = np.random.default_rng(3)
    x, y = chance.uniform(-120, 90, 500), chance.uniform(-30, 50, 500)
    rays = np.zeros((6, 500))
    rays[0], rays[1], rays[2], rays[5] = x, y, 50.0, -1.0
    np.testing.assert_allclose(
        50.0 - cast(relief, rays), Heights(Terrain(hills=hills)).at(x, y), atol=0.01
    )
    top = one(relief, 40.0, -1000.0, 11.99, 0.0, 1.0, 0.0)
    half = 30.0 / math.pi * math.acos(2 * 11.99 / 12.0 - 1.0)
    assert top == pytest.approx(1010.0 - half, abs=0.5)


def test_hills_out_of_all_proportion_are_refused_beside_a_map() -> None:
    far = Heights(Terrain(hills=(Hill(1e7, 0.0, 5.0, 20.0),))).relief
    with pytest.raises(ValueError, match="so far from the map"):
        ground(far._replace(heights=np.zeros((9, 9), np.float32)))


def test_a_map_with_holes_is_refused() -> None:
    with pytest.raises(ValueError, match="without a height"):
        ground(Relief(0, 0, 1.0, np.array([[0, 1], [np.nan, 0]], np.float32), NONE))


def test_the_ground_of_a_terrain_is_made_once() -> None:
    terrain = Terrain(hills=(Hill(0.0, 0.0, 5.0, 20.0),))
    assert ground_of(terrain) is ground_of(terrain)
    assert isinstance(ground_of(terrain), Ground)
