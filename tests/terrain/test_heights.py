"""Hills and height maps against closed forms, SciPy, and their own differences."""

import numpy as np
import pytest
from scipy import ndimage

from movenv.terrain import heights as module
from movenv.terrain.features import Hill, Terrain
from movenv.terrain.height_map import HeightMap
from movenv.terrain.heights import Heights, heights_of
from movenv.terrain.relief import surface
from movenv.world.columns import F4, F8

HILLS = (Hill(0, 0, 30, 100), Hill(80, 40, -12, 60), Hill(-300, 0, 100, 50))


def test_a_hill_is_as_high_as_it_says_and_ends_at_its_foot() -> None:
    alone = Heights(Terrain(hills=HILLS[:1]))
    x = np.array([0.0, 50.0, 100.0, 101.0, -100.0])
    assert alone.at(x, np.zeros(5)) == pytest.approx([30, 15, 0, 0, 0], abs=1e-12)
    toward_x, toward_y = alone.gradient(x, np.zeros(5))
    assert toward_x == pytest.approx([0, -30 * np.pi / 200, 0, 0, 0], abs=1e-12)
    assert toward_y == pytest.approx(np.zeros(5), abs=1e-12)


def test_the_gradient_is_that_of_the_height() -> None:
    heights = Heights(Terrain(hills=HILLS))
    x, y = np.random.default_rng(3).uniform(-400, 200, (2, 5000))
    h = 1e-4
    by_steps = (
        (heights.at(x + h, y) - heights.at(x - h, y)) / (2 * h),
        (heights.at(x, y + h) - heights.at(x, y - h)) / (2 * h),
    )
    found = heights.gradient(x, y)
    assert np.abs(found[0]).max() > 0.5
    for axis in (0, 1):
        assert found[axis] == pytest.approx(by_steps[axis], abs=1e-5)


def test_a_plain_is_level() -> None:
    plain = Heights(Terrain())
    assert plain.level
    assert plain.at(np.ones(3), np.ones(3)).tolist() == [0, 0, 0]


def mapped(values: F8, cell: float = 0.5, hills: tuple[Hill, ...] = ()) -> Heights:
    """A map whose south-western middle is at (-20, 10)."""
    heights: F4 = values.astype(np.float32)
    return Heights(Terrain(relief=HeightMap(-20.0, 10.0, cell, heights), hills=hills))


def rough(seed: int = 1) -> F8:
    return np.random.default_rng(seed).uniform(-5, 40, (70, 90))


def test_between_the_middles_of_cells_the_ground_is_bilinear_as_scipy_has_it() -> None:
    values = rough().astype(np.float32).astype(float)
    x = np.random.default_rng(2).uniform(-20, -20 + 89 * 0.5, 4000)
    y = np.random.default_rng(3).uniform(10, 10 + 69 * 0.5, 4000)
    expected = ndimage.map_coordinates(values, [(y - 10) / 0.5, (x + 20) / 0.5], order=1)
    assert mapped(values).at(x, y) == pytest.approx(expected, abs=1e-9)


def test_beyond_its_edges_it_goes_on_level() -> None:
    values = rough()
    heights = mapped(values)
    x, y = np.array([-500.0, 1e9, -20.0]), np.array([10.0, 1e9, -1e300])
    assert heights.at(x, y) == pytest.approx(values[[0, -1, 0], [0, -1, 0]], rel=1e-6)
    toward_x, toward_y = heights.gradient(np.array([-500.0, 1e9]), np.array([1e9, -3.0]))
    assert (toward_x.tolist(), toward_y.tolist()) == ([0, 0], [0, 0])


def test_a_place_without_number_has_no_height_of_the_map() -> None:
    found = mapped(rough()).with_normals(np.array([np.nan, np.inf]), np.array([0.0, 12.0]))
    assert found.T.tolist() == [[0, 0, 0, 1]] * 2


def test_a_plane_has_one_normal_and_hills_add_to_it() -> None:
    y, x = np.mgrid[0:50, 0:60] * 0.5
    plane = mapped(0.3 * x - 0.4 * y + 7)
    here = np.random.default_rng(4).uniform(0.5, 9, (2, 500)) + np.array([[-20], [10]])
    up = np.array([-0.3, 0.4, 1.0]) / np.sqrt(1.25)
    assert plane.normals(*here) == pytest.approx(np.tile(up[:, None], 500), abs=1e-5)
    both = mapped(0.3 * x - 0.4 * y + 7, hills=HILLS).at(*here)
    assert both == pytest.approx(plane.at(*here) + Heights(Terrain(hills=HILLS)).at(*here))


def test_on_a_cone_it_is_nearly_as_high_and_steep_as_the_cone() -> None:
    y, x = np.mgrid[-100:101, -100:101] * 0.1
    cone = mapped(10 - np.hypot(x, y), cell=0.1)
    angle = np.linspace(0, 6, 300)
    far = np.linspace(2, 8, 300)
    east, north = far * np.cos(angle), far * np.sin(angle)
    found = cone.with_normals(east - 10, north + 20)
    assert found[0] == pytest.approx(10 - far, abs=0.1**2 / 2 / 2)
    expected = np.array([np.cos(angle), np.sin(angle), np.ones(300)]) / np.sqrt(2)
    assert found[1:] == pytest.approx(expected, abs=0.03)


def test_normals_are_those_of_small_steps() -> None:
    heights = mapped(rough(), hills=HILLS)
    rng = np.random.default_rng(5)
    # Away from the edges of cells, where the slope breaks.
    x = -20 + (rng.integers(0, 88, 3000) + rng.uniform(0.01, 0.99, 3000)) * 0.5
    y = 10 + (rng.integers(0, 68, 3000) + rng.uniform(0.01, 0.99, 3000)) * 0.5
    h = 1e-4
    slope_x = (heights.at(x + h, y) - heights.at(x - h, y)) / (2 * h)
    slope_y = (heights.at(x, y + h) - heights.at(x, y - h)) / (2 * h)
    up = np.array([-slope_x, -slope_y, np.ones(3000)])
    normals = heights.normals(x, y)
    assert normals == pytest.approx(up / np.linalg.norm(up, axis=0), abs=1e-6)
    assert np.linalg.norm(normals, axis=0) == pytest.approx(np.ones(3000))


def test_many_places_in_threads_are_the_same_as_few(monkeypatch: pytest.MonkeyPatch) -> None:
    heights = mapped(rough(), hills=HILLS)
    x, y = np.random.default_rng(6).uniform(-60, 60, (2, 10_007))
    alone = heights.with_normals(x, y)
    monkeypatch.setattr(module, "CHUNK", 1000)
    assert np.array_equal(heights.with_normals(x, y), alone)
    assert np.array_equal(heights.at(x, y), alone[0])


def test_all_share_the_heights_of_a_terrain() -> None:
    terrain = Terrain(hills=HILLS)
    assert heights_of(terrain) is heights_of(terrain)


def test_one_place_and_many_are_the_same() -> None:
    """Also beyond the edges, on them, and where there is no number."""
    for hills in ((), HILLS):
        heights = mapped(rough(), hills=hills)
        x, y = np.random.default_rng(6).uniform(-60, 60, (2, 1000))
        x[:3], y[3:5], x[5], y[6] = [-20, 24.5, 1e300], [10, 44.5], np.nan, -np.inf
        alone = np.array([surface(heights.relief, *place) for place in zip(x, y, strict=True)]).T
        together = np.array([heights.at(x, y), *heights.gradient(x, y)])
        assert together == pytest.approx(alone, abs=1e-9)
