"""Lines of sight against brute force, and against what geometry says."""

import numpy as np
import pytest

from movenv.terrain.features import Hill, Terrain
from movenv.terrain.height_map import HeightMap
from movenv.terrain.heights import Heights
from movenv.terrain.sight import sees
from movenv.world.columns import F4, F8, Mask

HILLS = (Hill(3, 4, 6, 9), Hill(-8, -5, -4, 12))


def mapped(values: F8, cell: float = 1.0, hills: tuple[Hill, ...] = ()) -> Heights:
    """A map whose middle is at the origin."""
    rows, columns = values.shape
    heights: F4 = values.astype(np.float32)
    west, south = -(columns - 1) * cell / 2, -(rows - 1) * cell / 2
    return Heights(Terrain(relief=HeightMap(west, south, cell, heights), hills=hills))


def rough(seed: int) -> F8:
    return np.random.default_rng(seed).uniform(0, 6, (25, 33))


def least_gap(heights: Heights, here: F8, there: F8, samples: int = 4001) -> F8:
    """How far lines pass above the ground, by looking at very many of their points."""
    share = np.linspace(0, 1, samples)
    found = []
    for a, b in zip(here.T, there.T, strict=True):
        x, y, z = a[:, None] + (b - a)[:, None] * share
        found.append((z - heights.at(x, y)).min())
    return np.array(found)


def lines(seed: int, count: int = 400, reach: float = 25.0) -> tuple[F8, F8]:
    rng = np.random.default_rng(seed)
    here, there = rng.uniform(-reach, reach, (2, 3, count))
    here[2], there[2] = rng.uniform(-1, 11, (2, count))
    return here, there


def agree(heights: Heights, here: F8, there: F8) -> Mask:
    found = heights.sees(here, there)
    gap = least_gap(heights, here, there)
    clear = np.abs(gap) > 0.02  # those that graze, samples may miss
    assert clear.mean() > 0.9
    assert np.array_equal(found[clear], gap[clear] > 0)
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("hills", [(), HILLS])
def test_a_line_is_open_where_no_point_of_it_is_below_the_ground(
    seed: int, hills: tuple[Hill, ...]
) -> None:
    found = agree(mapped(rough(seed), hills=hills), *lines(seed + 10))
    assert 0.1 < found.mean() < 0.9


def test_hills_on_a_plain_hide_too() -> None:
    heights = Heights(Terrain(hills=HILLS))
    here, there = lines(5, reach=15)
    here[2], there[2] = np.abs(here[2]) / 3, np.abs(there[2]) / 3
    agree(heights, here, there)


def test_lines_along_the_edges_of_cells_and_straight_up() -> None:
    heights = mapped(rough(3))
    rng = np.random.default_rng(1)
    here, there = rng.integers(-12, 13, (2, 3, 300)).astype(float)
    there[0, :100], there[1, 100:200] = here[0, :100], here[1, 100:200]
    there[:2, 200:220] = here[:2, 200:220]
    here[2], there[2] = rng.uniform(0, 9, (2, 300))
    agree(heights, here, there)


def test_it_is_mutual() -> None:
    heights = mapped(rough(2), hills=HILLS)
    here, there = lines(6, 3000)
    assert np.array_equal(heights.sees(here, there), heights.sees(there, here))


def test_over_a_wall_one_sees_what_the_rays_rise_to() -> None:
    """A wall of 10 m, 20 m away from eyes at 2 m: 40 m on, all above 2 + 8 · 60 / 20 is seen."""
    values = np.zeros((11, 201))
    values[:, 120] = 10.0
    heights = mapped(values)
    z = np.array([25.9, 26.1])
    eyes = np.array([np.zeros(2), np.zeros(2), np.full(2, 2.0)])
    assert heights.sees(eyes, np.array([[60.0, 60.0], [0, 0], z])).tolist() == [False, True]


def test_who_lies_on_a_plane_sees_along_it_however_far() -> None:
    y, x = np.mgrid[0:40, 0:40] - 19.5
    heights = mapped(0.25 * x + 0.5 * y)
    rng = np.random.default_rng(4)
    here, there = rng.uniform(-19, 19, (2, 3, 500))
    here[2], there[2] = heights.at(*here[:2]), heights.at(*there[:2])
    assert heights.sees(here, there).all()
    here[2] -= 0.1
    assert not heights.sees(here, there).any()


def test_far_beyond_the_map_it_takes_no_longer() -> None:
    heights = mapped(rough(1), cell=0.01)
    far = np.array([[-1e9], [3e8], [1e4]])
    assert heights.sees(far, -far * [[1], [1], [-1]]).all()
    assert not heights.sees(far * [[1], [1], [0]], -far).any()


def test_places_without_number_are_not_seen() -> None:
    heights = mapped(rough(1))
    for gap in (np.nan, np.inf):
        for row in range(3):
            here, there = np.full((2, 3, 1), 50.0)
            here[row] = gap
            assert not heights.sees(here, there).any()
            assert not heights.sees(there, here).any()


def test_knowing_the_top_changes_nothing() -> None:
    heights = mapped(rough(7), hills=HILLS)
    here, there = lines(8, 2000)
    assert np.array_equal(heights.sees(here, there), sees(heights.relief, *here, *there))
