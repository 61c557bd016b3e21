"""Rays against outlines and maps, compared with shapely and with every cell looked at."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from movenv.terrain.features import Obstacle, Terrain
from movenv.terrain.grid_map import FREE, OCCUPIED, UNKNOWN, GridMap
from movenv.terrain.rays import Scenery, cast, cast_all, cast_many, scenery_of
from movenv.world.columns import F8, U1

MILLION = pytest.param(1_000_000, marks=pytest.mark.soak)
FAR = 60.0
SQUARE = Polygon([(0, 0), (10, 0), (10, 10), (0, 10)])


def walls(*grounds: Polygon) -> Scenery:
    obstacles = tuple(Obstacle(f"b{k}", "building", ground) for k, ground in enumerate(grounds))
    return scenery_of(Terrain(obstacles=obstacles))


def cells(
    rows: list[str], resolution: float = 1.0, west: float = 0.0, south: float = 0.0
) -> Scenery:
    """A map from lines of text, the northernmost first; # is occupied, ? unknown."""
    meaning = {".": FREE, "#": OCCUPIED, "?": UNKNOWN}
    drawn: U1 = np.array([[meaning[c] for c in row] for row in rows[::-1]], np.uint8)
    return scenery_of(Terrain(grid=GridMap(drawn, resolution, west, south)))


def stars(rng: np.random.Generator, count: int) -> list[Polygon]:
    """Polygons of all forms, some with holes; some overlap."""
    found = []
    while len(found) < count:
        middle, corners = rng.uniform(0, 100, 2), int(rng.integers(3, 9))
        angle = np.sort(rng.uniform(0, 2 * np.pi, corners))
        far = rng.uniform(2, 12, corners)
        ring = middle + far[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        star = Polygon(ring)
        if star.is_valid and star.area > 1:
            court = shapely.buffer(star, -1.5)
            found.append(shapely.difference(star, court) if rng.random() < 0.3 else star)
    return [part for star in found for part in shapely.get_parts(star).tolist()]


def by_shapely(grounds: list[Polygon], x: F8, y: F8, angle: F8, most: float) -> F8:
    """From the beginning of each ray to the nearest place that it has in common with them."""
    ends = np.column_stack([x + most * np.cos(angle), y + most * np.sin(angle)])
    lines = shapely.linestrings(np.stack([np.column_stack([x, y]), ends], axis=1))
    shared = shapely.intersection(lines, shapely.union_all(grounds))
    far: F8 = shapely.distance(shapely.points(x, y), shared)
    return np.where(np.isnan(far), np.inf, far)


def by_every_cell(drawn: U1, x: F8, y: F8, angle: F8, most: float) -> F8:
    """Where each ray comes into each occupied cell of a map of 1 m cells, and the least of it."""
    rows, columns = np.nonzero(drawn == OCCUPIED)
    ox, oy = columns - x[:, None], rows - y[:, None]
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    tx, ty = (
        np.sort([ox / cos, (ox + 1) / cos], axis=0),
        np.sort([oy / sin, (oy + 1) / sin], axis=0),
    )
    enter, leave = np.maximum(tx[0], ty[0]), np.minimum(tx[1], ty[1])
    met = np.where((enter <= leave) & (leave >= 0), np.maximum(enter, 0), np.inf)
    far: F8 = met.min(axis=1, initial=np.inf)
    return np.where(far <= most, far, np.inf)


def assert_alike(found: F8, told: F8, most: float, within: float) -> None:
    """Alike within so many metres; what is just at the end of a ray may be met or not."""
    ours, theirs = np.minimum(found, most), np.minimum(told, most)
    worst = np.argmax(np.abs(ours - theirs))
    assert abs(ours[worst] - theirs[worst]) <= within, (worst, found[worst], told[worst])
    assert np.isfinite(told).mean() > 0.2
    assert np.isinf(told).mean() > 0.05


@pytest.mark.parametrize("count", [20_000, MILLION])
def test_outlines_are_met_where_shapely_meets_them(count: int) -> None:
    for seed in range(max(count // 50_000, 2)):
        rng = np.random.default_rng(seed)
        grounds = stars(rng, 25)
        n = min(count // 2, 50_000)
        x, y = rng.uniform(-20, 120, (2, n))
        angle = rng.uniform(-7, 7, n)
        found = cast_many(walls(*grounds), x, y, angle, FAR)
        told = by_shapely(grounds, x, y, angle, FAR)
        assert_alike(found, told, FAR, 1e-3)
        assert 0.05 < np.mean(told == 0) < 0.9


@pytest.mark.parametrize("count", [20_000, MILLION])
def test_cells_are_met_where_every_cell_looked_at_says(count: int) -> None:
    for seed in range(max(count // 20_000, 4)):
        rng = np.random.default_rng(seed)
        n = min(count // 4, 20_000)
        drawn: U1 = (rng.random(rng.integers(1, 40, 2)) < rng.uniform(0, 0.2)).astype(np.uint8)
        drawn[0, 0] = OCCUPIED
        drawn[rng.random(drawn.shape) < 0.1] = UNKNOWN
        rows, columns = drawn.shape
        x, y = rng.uniform(-3, columns + 3, n), rng.uniform(-3, rows + 3, n)
        angle = rng.uniform(-7, 7, n)
        scenery = scenery_of(Terrain(grid=GridMap(drawn, 0.05, -7.0, 3.0)))
        found = cast_many(scenery, x * 0.05 - 7.0, y * 0.05 + 3.0, angle, 0.6)
        told = by_every_cell(drawn, x, y, angle, 12.0)
        ours, theirs = np.minimum(found / 0.05, 12.0), np.minimum(told, 12.0)
        assert np.abs(ours - theirs).max() < 1e-6  # cells


def test_one_ray_many_rays_and_rays_on_all_processors_are_alike_to_the_bit() -> None:
    rng = np.random.default_rng(1)
    drawn: U1 = (rng.random((120, 90)) < 0.02).astype(np.uint8)
    buildings = tuple(Obstacle(f"b{k}", "building", g) for k, g in enumerate(stars(rng, 8)))
    scenery = scenery_of(Terrain(obstacles=buildings, grid=GridMap(drawn, 1.0, 0.0, 0.0)))
    x, y = rng.uniform(-10, 130, (2, 70_000))
    angle = rng.uniform(-4, 4, 70_000)
    many = cast_many(scenery, x, y, angle, FAR)
    single = [cast(scenery, x[k], y[k], angle[k], FAR) for k in range(500)]
    assert np.array_equal(many[:500], single)
    assert np.array_equal(many, cast_all(scenery, x, y, angle, FAR))


def test_what_is_nearer_is_met_of_a_map_and_an_outline() -> None:
    tower = Obstacle("t", "tower", shapely.box(4, 0, 5, 1))
    drawn: U1 = np.array([[0, 0, 1, 0, 0, 0, 0, 1]], np.uint8)
    scenery = scenery_of(Terrain(obstacles=(tower,), grid=GridMap(drawn, 1.0, 0.0, 0.0)))
    assert cast(scenery, 0.5, 0.5, 0.0, FAR) == 1.5
    assert cast(scenery, 3.5, 0.5, 0.0, FAR) == 0.5
    assert cast(scenery, 6.5, 0.5, math.pi, FAR) == pytest.approx(1.5)


@given(st.floats(0.0, 1.0), st.sampled_from([0, 1, 2, 3]), st.floats(-10, 10))
def test_a_ray_that_begins_on_an_edge_or_corner_meets_it_at_once(
    share: float, side: int, angle: float
) -> None:
    a, b = SLANTED[side], SLANTED[(side + 1) % 4]
    x, y = a + share * (b - a)
    assert cast(LEANING, x, y, angle, FAR) < 1e-6


SLANTED = np.array([(0.3, -0.1), (9.7, 1.3), (8.1, 11.9), (-1.7, 8.2)])
LEANING = walls(Polygon(SLANTED))


@given(st.sampled_from([0, 1, 2, 3]), st.floats(0.01, 50), st.booleans())
def test_a_ray_along_an_edge_meets_the_corner_where_it_begins(
    side: int, away: float, other_way: bool
) -> None:
    a, b = SLANTED[side], SLANTED[(side + 1) % 4]
    a, b = (b, a) if other_way else (a, b)
    along = (b - a) / math.hypot(*(b - a))
    x, y = a - away * along
    angle = math.atan2(along[1], along[0])
    assert cast(LEANING, x, y, angle, FAR) == pytest.approx(away, abs=1e-6)
    assert cast(LEANING, x, y, angle + math.pi, FAR) == math.inf


@given(st.sampled_from([0, 1, 2, 3]), st.floats(-20, 30), st.floats(-20, 30))
def test_no_ray_slips_through_a_corner(corner: int, x: float, y: float) -> None:
    to_x, to_y = SLANTED[corner] - (x, y)
    angle = math.atan2(to_y, to_x)
    known = by_shapely([Polygon(SLANTED)], *(np.array([v]) for v in (x, y, angle)), FAR)[0]
    told = min(known, math.hypot(to_x, to_y))
    assert cast(LEANING, x, y, angle, FAR) == pytest.approx(told, abs=1e-3)


def test_a_ray_between_two_buildings_that_share_a_wall_or_a_corner_is_stopped() -> None:
    row = walls(SQUARE, shapely.box(10, 0, 20, 10))
    assert cast(row, 10.0, -5.0, math.pi / 2, FAR) == pytest.approx(5)
    diagonal = walls(SQUARE, shapely.box(10, 10, 20, 20))
    assert cast(diagonal, 15.0, 5.0, 0.75 * math.pi, FAR) == pytest.approx(math.hypot(5, 5))


def test_inside_means_inside_any_and_not_in_a_court() -> None:
    both = walls(SQUARE, shapely.box(5, 5, 15, 15))
    assert cast(both, 7.0, 7.0, 0.3, FAR) == 0.0
    court = walls(shapely.difference(SQUARE, shapely.box(2, 2, 8, 8)))
    assert cast(court, 5.0, 5.0, 0.0, FAR) == pytest.approx(3)
    assert cast(court, 1.0, 5.0, 0.0, FAR) == 0.0
    assert cast(court, 1.0, 5.0, 0.0, 1e-9) == 0.0, "however short the ray"


def test_water_is_not_met_and_only_what_is_higher_is() -> None:
    terrain = Terrain(
        obstacles=(
            Obstacle("r", "river", shapely.box(2, -5, 3, 5)),
            Obstacle("l", "lake", shapely.box(4, -5, 5, 5)),
            Obstacle("hut", "building", shapely.box(10, -5, 11, 5), 3.0),
            Obstacle("tower", "tower", shapely.box(20, -5, 21, 5), 50.0),
        )
    )
    met = [cast(scenery_of(terrain, z), 0.0, 0.0, 0.0, FAR) for z in (0.0, 2.9, 3.0, 49.0, 50.0)]
    assert met == [10.0, 10.0, 20.0, 20.0, math.inf]
    assert scenery_of(terrain, 0.0) is scenery_of(terrain, 2.9)


def test_where_nothing_stands_nothing_is_met() -> None:
    assert cast(scenery_of(Terrain()), 0.0, 0.0, 1.0, FAR) == math.inf


def test_a_map_is_met_at_the_very_line_where_a_cell_begins() -> None:
    found = cells(["....", "..#.", "...."], 0.5, west=10.0, south=20.0)
    assert cast(found, 10.1, 20.7, 0.0, FAR) == pytest.approx(0.9, abs=1e-12)
    assert cast(found, 12.3, 20.7, math.pi, FAR) == pytest.approx(0.8, abs=1e-12)
    assert cast(found, 11.2, 20.0, math.pi / 2, FAR) == pytest.approx(0.5, abs=1e-12)
    assert cast(found, 11.2, 25.0, -math.pi / 2, FAR) == pytest.approx(4.0, abs=1e-12)
    assert cast(found, 10.0, 19.5, math.pi / 4, FAR) == pytest.approx(math.sqrt(2), abs=1e-12)
    assert cast(found, 11.2, 20.7, 1.0, FAR) == 0.0
    assert cast(found, 11.2, 20.7, 1.0, 0.0) == 0.0


def test_outside_of_a_map_and_unknown_cells_are_free() -> None:
    found = cells(["..?#", "...."])
    assert cast(found, -3.0, 1.5, 0.0, FAR) == pytest.approx(6)
    assert cast(found, -3.0, 0.5, 0.0, FAR) == math.inf
    assert cast(found, -3.0, 1.5, 0.0, 5.99) == math.inf
    assert cast(found, -3.0, 1.5, 0.0, 6.0) == pytest.approx(6)
    assert cast(found, 3.5, 1e9, -math.pi / 2, 2e9) == pytest.approx(1e9 - 2)


def test_a_ray_on_the_line_between_two_cells_belongs_to_the_one_it_goes_into() -> None:
    found = cells(["#."])
    assert cast(found, 1.0, 0.5, math.pi, FAR) == 0.0
    assert cast(found, 1.0, 0.5, 0.0, FAR) == math.inf


STRANGE = st.one_of(
    st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0, 1e300, -1e300, 5e-324]),
    st.floats(-20, 20),
)


@given(STRANGE, STRANGE, STRANGE, STRANGE)
def test_whatever_comes_in_something_defined_comes_out(
    x: float, y: float, angle: float, most: float
) -> None:
    for scenery in (LEANING, MAZE):
        far = cast(scenery, x, y, angle, most)
        alone = cast_many(scenery, *(np.array([v]) for v in (x, y, angle)), most)[0]
        assert far == alone or (math.isnan(far) and math.isnan(alone))
        if not all(map(math.isfinite, (x, y, angle))) or abs(angle) > 1e6:
            assert math.isnan(far)
        elif math.isnan(most) or most < 0:
            assert far == math.inf
        else:
            assert 0 <= far <= most or far == math.inf


MAZE = cells(["#.#.#", ".....", "#.#.#", "....#"])
