"""Buildings and poles of made maps: found where they were put, and nothing else is."""

import numpy as np
import pytest
import shapely
from scipy import ndimage

from movenv.terrain import rises as module
from movenv.terrain.height_map import HeightMap
from movenv.terrain.map_image import MapFileError
from movenv.terrain.rises import Rise, find_rises
from movenv.world.columns import F4, F8

CELL = 0.5


def flat(rows: int = 60, columns: int = 80) -> F8:
    return np.zeros((rows, columns))


def rises(values: F8, cell: float = CELL) -> list[Rise]:
    """Of a map whose south-western corner is at (0, 0)."""
    heights: F4 = values.astype(np.float32)
    return find_rises(HeightMap(cell / 2, cell / 2, cell, heights)).rises


def sides(found: list[Rise]) -> list[tuple[float, ...]]:
    return sorted(tuple(one.ground.bounds) for one in found)


def test_boxes_on_a_plain_are_buildings_with_their_outlines_and_tops() -> None:
    values = flat()
    values[10:20, 5:25] = 8.0
    values[40:50, 30:34] = 1.5
    low, high = sorted(rises(values), key=lambda one: one.top)
    assert (low.kind, high.kind) == ("building", "building")
    assert (low.top, high.top) == (1.5, 8.0)
    assert high.ground.equals(shapely.box(2.5, 5.0, 12.5, 10.0))
    assert low.ground.equals(shapely.box(15.0, 20.0, 17.0, 25.0))


def test_a_pole_is_a_tower_and_a_low_block_is_not() -> None:
    values = flat()
    values[10, 10] = 6.0
    values[30:33, 30:33] = 1.2
    assert sorted((one.kind, one.ground.area) for one in rises(values)) == [
        ("building", 9 * CELL**2),
        ("tower", CELL**2),
    ]


def test_kerbs_steps_of_a_metre_and_slopes_are_ground() -> None:
    values = flat()
    values[:, 20:] += 0.2
    values[10:20, 40:60] += 1.0
    assert rises(values) == []
    y, x = np.mgrid[0:60, 0:80] * CELL
    assert rises(1.5 * x + y) == []
    assert rises(20 * np.exp(-((x - 20) ** 2 + (y - 15) ** 2) / 200)) == []


def test_what_is_steep_between_wide_cells_is_more_than_a_metre() -> None:
    """Mountains on a map of 30 m cells are no buildings."""
    y, x = np.mgrid[0:60, 0:80] * 30.0
    assert rises(300 * np.sin(x / 500) * np.cos(y / 400), 30.0) == []


def test_buildings_on_a_slope_stand_on_it() -> None:
    _, x = np.mgrid[0:60, 0:80] * CELL
    values = 0.5 * x
    values[10:20, 5:25] += 4.0
    (one,) = rises(values)
    assert one.ground.equals(shapely.box(2.5, 5.0, 12.5, 10.0))
    assert one.top == pytest.approx(0.5 * 24 * CELL + 4)


def test_a_tower_on_a_roof_and_houses_in_a_row_are_one_each() -> None:
    values = flat()
    values[10:30, 10:30] = 5.0
    values[15:20, 15:20] = 20.0
    values[40:50, 10:20] = 9.0
    values[40:50, 20:30] = 5.0
    values[40:50, 30:40] = 9.0
    assert sides(rises(values)) == [(5, 5, 15, 15), (5, 20, 20, 25)]
    assert sorted(one.top for one in rises(values)) == [9, 20]


def test_a_courtyard_is_a_hole_and_a_pit_is_ground() -> None:
    values = flat()
    values[10:30, 10:30] = 5.0
    values[15:20, 15:20] = 0.0
    values[40:50, 40:60] = -3.0
    (one,) = rises(values)
    assert one.ground.equals(shapely.box(5, 5, 15, 15) - shapely.box(7.5, 7.5, 10, 10))


def test_a_hall_that_fills_most_of_the_map_still_stands() -> None:
    values = flat()
    values[2:-2, 2:-2] = 6.0
    assert sides(rises(values)) == [(1, 1, 39, 29)]


def test_of_a_river_bank_both_sides_are_ground() -> None:
    values = flat()
    values[:, 30:40] = -3.0
    values[10:14, 5:9] = 7.0
    assert sides(rises(values)) == [(2.5, 5, 4.5, 7)]


def test_a_building_may_be_cut_by_the_edge_of_the_map() -> None:
    values = flat()
    values[:10, 20:30] = 4.0
    assert sides(rises(values)) == [(10, 0, 15, 5)]


def test_any_shapes_are_covered_cell_by_cell() -> None:
    """Against a drawing: each cell's middle is in an outline just where the map is high."""
    rng = np.random.default_rng(7)
    high = ndimage.binary_opening(rng.random((90, 110)) < 0.8, iterations=2)
    high[[0, -1]] = high[:, [0, -1]] = False
    values = np.where(high, 6.0, rng.uniform(0, 0.3, high.shape))
    found = rises(values)
    y, x = (np.mgrid[0:90, 0:110] + 0.5) * CELL
    whole = shapely.union_all([one.ground for one in found])
    holes = ~ndimage.binary_propagation(
        np.pad(np.zeros((88, 108), bool), 1, constant_values=True), mask=~high
    )
    assert np.array_equal(shapely.contains_xy(whole, x, y), high)
    assert holes.sum() > high.sum(), "there are courtyards"
    assert shapely.is_valid([one.ground for one in found]).all()
    assert whole.area == pytest.approx(high.sum() * CELL**2)


def test_the_steepest_slope_leaves_out_kerbs_and_walls() -> None:
    _, x = np.mgrid[0:60, 0:80] * CELL
    values = 0.1 * x
    values[10:20, 5:25] += 8.0
    values[:, 40:] += 0.2
    heights: F4 = values.astype(np.float32)
    steepest = find_rises(HeightMap(0.0, 0.0, CELL, heights)).steepest
    assert steepest == pytest.approx((0.1 * 5 + 0.2) / 5, abs=1e-3)


def test_noise_is_no_height_map(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = np.random.default_rng(8).uniform(0, 100, (60, 80))
    monkeypatch.setattr(module, "MOST_PIECES", 1000)
    with pytest.raises(MapFileError, match=r"falls into 4,\d\d\d pieces with steps of more than 1"):
        rises(noise)
    monkeypatch.setattr(module, "MOST_PIECES", 10_000)
    monkeypatch.setattr(module, "MOST_STANDING", 10)
    with pytest.raises(MapFileError, match=r"has \d+ buildings and poles; 10 are the most"):
        rises(noise)
