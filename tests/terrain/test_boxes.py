"""Rays and whole scans against boxes, compared with shapely and with each beam alone."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import DTypeLike

from movenv.terrain.boxes import BOX, box_hit, meet_boxes, meet_boxes_from
from movenv.world.columns import F8

FAR = 120.0


def boxes(rng: np.random.Generator, count: int) -> F8:
    x, y = rng.uniform(-30, 30, (2, count))
    yaw, length, width = (
        rng.uniform(-7, 7, count),
        rng.uniform(0, 8, count),
        rng.uniform(0, 3, count),
    )
    return np.column_stack([x, y, yaw, length, width])


def polygon(box: F8) -> shapely.Polygon:
    x, y, yaw, length, width = box
    flat = shapely.box(-length / 2, -width / 2, length / 2, width / 2)
    turned = shapely.affinity.rotate(flat, yaw, origin=(0, 0), use_radians=True)
    return shapely.affinity.translate(turned, x, y)


def one_by_one(ranges: F8, angles: F8, x: F8, y: F8, all_boxes: F8, most: float) -> F8:
    """Every beam against every box."""
    told = ranges.copy()
    for k in range(len(ranges)):
        for box in all_boxes:
            far = box_hit(x[k], y[k], math.cos(angles[k]), math.sin(angles[k]), box)
            if far < told[k] and far <= most:
                told[k] = far
    return told


@pytest.mark.parametrize("count", [5_000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_boxes_are_met_where_shapely_meets_them(count: int) -> None:
    rng = np.random.default_rng(2)
    some = boxes(rng, 100)
    shapes = np.array([polygon(box) for box in some])
    which = rng.integers(0, 100, count)
    x, y = rng.uniform(-35, 35, (2, count))
    aim = np.arctan2(some[which, 1] - y, some[which, 0] - x) + rng.normal(0, 0.1, count)
    ends = np.column_stack([x + FAR * np.cos(aim), y + FAR * np.sin(aim)])
    lines = shapely.linestrings(np.stack([np.column_stack([x, y]), ends], axis=1))
    told = shapely.distance(shapely.points(x, y), shapely.intersection(lines, shapes[which]))
    told = np.where(np.isnan(told), np.inf, told)
    found = np.array(
        [
            box_hit(x[k], y[k], math.cos(aim[k]), math.sin(aim[k]), some[which[k]])
            for k in range(count)
        ]
    )
    met = np.isfinite(told)
    assert np.array_equal(met, np.isfinite(found))
    assert np.abs(found[met] - told[met]).max() < 1e-6
    assert 0.1 < met.mean() < 0.9


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["f4", "f8"]), st.booleans())
def test_a_scan_meets_boxes_as_each_of_its_beams_does(
    seed: int, dtype: DTypeLike, moving: bool
) -> None:
    rng = np.random.default_rng(seed)
    beams = int(rng.integers(1, 200))
    start, step = rng.uniform(-7, 7), rng.choice([-0.06, -0.01, 0.0, 0.01, 0.04, 0.1])
    k = np.arange(beams)
    angles, x, y = start + step * k, np.full(beams, 3.0), np.full(beams, -2.0)
    if moving:
        angles += 0.002 * k + 0.3 * np.sin(k / 20)
        x, y = x + 0.02 * k, y - 0.03 * k
    ranges = rng.uniform(0, 40, beams).astype(dtype)
    ranges[rng.random(beams) < 0.1] = math.inf
    ranges[rng.random(beams) < 0.1] = math.nan
    some = boxes(rng, 6)
    told = one_by_one(ranges, angles, x, y, some, 25.0)
    found = ranges.copy()
    meet_boxes(found, angles, x, y, some, 25.0)
    assert np.allclose(found, told, rtol=1e-6, atol=1e-9, equal_nan=True)
    same = told.view(f"u{told.itemsize}") == ranges.view(f"u{told.itemsize}")
    assert np.array_equal(found[same].tobytes(), ranges[same].tobytes()), "untouched to the bit"


def test_a_sensor_that_stands_still_is_a_moving_one_that_does_not_move() -> None:
    rng = np.random.default_rng(5)
    some = boxes(rng, 50)
    a = np.full(1080, np.inf, np.float32)
    b = a.copy()
    meet_boxes_from(a, -2.35, 0.00436, 1.0, 2.0, 0.7, some)
    angles = 0.7 - 2.35 + 0.00436 * np.arange(1080)
    meet_boxes(b, angles, np.full(1080, 1.0), np.full(1080, 2.0), some)
    assert np.array_equal(a, b)
    assert 0 < np.isfinite(a).sum() < 1080


def test_from_inside_a_box_every_beam_is_0() -> None:
    ranges = np.array([0.0, 5.0, np.inf, np.nan])
    meet_boxes_from(ranges, 0.0, 1.5, 10.0, 10.0, 0.0, np.array([[10.5, 10.0, 0.3, 4.0, 2.0]]))
    assert np.array_equal(ranges, [0.0, 0.0, 0.0, np.nan], equal_nan=True)


def test_what_is_nearer_hides_the_box_and_what_is_behind_it_is_hidden() -> None:
    ranges = np.array([3.0, 9.0, np.inf])
    ahead = np.array([[6.0, 0.0, 0.0, 2.0, 4.0]])
    meet_boxes_from(ranges, -0.01, 0.01, 0.0, 0.0, 0.0, ahead, 20.0)
    assert ranges.tolist() == pytest.approx([3.0, 5.0, 5.0 / math.cos(0.01)])
    far_off = np.array([np.inf])
    meet_boxes_from(far_off, 0.0, 0.01, 0.0, 0.0, 0.0, ahead, 4.999)
    assert far_off[0] == math.inf


def test_a_scan_of_more_than_a_turn_meets_a_box_twice() -> None:
    ranges = np.full(720, np.inf)
    meet_boxes_from(
        ranges, 0.0, math.radians(1), 0.0, 0.0, 0.0, np.array([[5.0, 5.0, 0.0, 1.0, 1.0]])
    )
    met = np.flatnonzero(np.isfinite(ranges))
    assert set(met[met < 360] + 360) == set(met[met >= 360])
    assert 45 in met


@pytest.mark.parametrize("column", range(len(BOX)))
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_box_that_is_nowhere_meets_nothing(column: int, value: float) -> None:
    box = np.array([5.0, 0.0, 0.0, 2.0, 2.0])
    box[column] = value
    assert box_hit(0.0, 0.0, 1.0, 0.0, box) == math.inf
    ranges = np.full(3, 9.0)
    meet_boxes_from(ranges, -0.1, 0.1, 0.0, 0.0, 0.0, box[None])
    assert ranges.tolist() == [9.0, 9.0, 9.0]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_beam_that_is_nowhere_meets_nothing_and_the_others_do(value: float) -> None:
    box = np.array([[5.0, 0.0, 0.0, 2.0, 2.0]])
    for which in range(3):
        columns = [np.zeros(3), np.zeros(3), np.zeros(3)]
        columns[which][1] = value
        ranges = np.full(3, 9.0)
        meet_boxes(ranges, *columns, box)
        assert ranges.tolist() == [4.0, 9.0, 4.0]


def test_no_beams_and_no_boxes() -> None:
    meet_boxes_from(np.empty(0), 0.0, 0.1, 0.0, 0.0, 0.0, np.zeros((1, 5)))
    ranges = np.array([1.0])
    meet_boxes_from(ranges, 0.0, 0.1, 0.0, 0.0, 0.0, np.empty((0, 5)))
    assert ranges.tolist() == [1.0]
