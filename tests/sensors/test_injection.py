"""Virtual vehicles in real scans, against a brute-force oracle."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from shapely.affinity import rotate, translate
from shapely.geometry import LineString, Point, box

from movenv.bench.injection import crowd, plain_numpy
from movenv.sensors.injection import inject, reason_to_refuse
from movenv.world.scan import Pose, Scan
from movenv.world.sensor import ScanLayout

INF, NAN = math.inf, math.nan
QUIET = np.array([0x7FC12345], np.uint32).view(np.float32)[0]
"""A nan with a payload."""


def layout(beams: int = 5, **changes: Any) -> ScanLayout:
    """Five beams from -90 to 90 degrees."""
    settings = {
        "angle_min": -math.pi / 2, "angle_increment": math.pi / 4, "time_increment": 0.0,
        "scan_time": 0.025, "range_min": 0.06, "range_max": 30.0,
    }  # fmt: skip
    return ScanLayout(beams, **(settings | changes))


def scan(ranges: Any, of: ScanLayout | None = None) -> Scan:
    values = np.array(ranges, np.float32)
    return Scan(7, 1.5, of or layout(len(values)), values)


AHEAD = np.array([[5.0, 0.0, 0.0, 2.0, 1.0]])
"""Its rear is 4 m ahead of the origin."""
ORIGIN = Pose(0.0, 0.0, 0.0)


def bits(values: NDArray[np.float32]) -> list[int]:
    return list(values.view(np.uint32))


def test_a_beam_ends_at_the_virtual_vehicle_and_every_other_keeps_its_bits() -> None:
    real = scan([1.0, QUIET, 10.0, INF, 0.0])
    seen = inject(real, ORIGIN, AHEAD)
    assert seen.ranges.dtype == np.float32
    assert seen.ranges[2] == 4.0
    others = [0, 1, 3, 4]
    assert bits(seen.ranges[others]) == bits(real.ranges[others])
    assert real.ranges[2] == 10.0
    assert (seen.number, seen.stamp, seen.layout) == (real.number, real.stamp, real.layout)


@pytest.mark.parametrize(
    ("real", "seen"),
    [
        (10.0, 4.0),
        (INF, 4.0),
        (31.0, 4.0),  # beyond its range: nothing was met within it
        (3.9, 3.9),  # hides the vehicle
        (4.0, 4.0),
        (0.0, 0.0),
        (-1.0, -1.0),
        (-INF, -INF),
        (0.05, 0.05),
    ],
)
def test_what_a_beam_becomes_that_would_have_met_a_vehicle_4_m_away(
    real: float, seen: float
) -> None:
    found = inject(scan([5.0, 5.0, real, 5.0, 5.0]), ORIGIN, AHEAD).ranges[2]
    assert found == np.float32(seen)


def test_a_void_beam_stays_void_with_all_its_bits() -> None:
    real = scan([5.0, 5.0, QUIET, 5.0, 5.0])
    assert inject(real, ORIGIN, AHEAD) is real


def test_a_vehicle_on_top_of_the_sensor_is_at_the_least_range() -> None:
    on_top = np.array([[0.0, 0.0, 0.3, 4.0, 2.0]])
    seen = inject(scan([INF, 3.0, 10.0, NAN, 0.0]), ORIGIN, on_top)
    assert list(seen.ranges[:3]) == [np.nextafter(np.float32(0.06), np.float32(1))] * 3
    assert float(seen.ranges[0]) >= 0.06  # in float64, where the bound is
    assert np.isnan(seen.ranges[3])
    assert seen.ranges[4] == 0.0


def test_a_vehicle_beyond_the_greatest_range_is_not_seen() -> None:
    real = scan([INF] * 5, layout(range_max=3.99))
    assert inject(real, ORIGIN, AHEAD) is real


@pytest.mark.parametrize(
    "boxes",
    [
        np.empty((0, 5)),
        np.array([[5.0, 0.0, 0.0, 2.0, NAN]]),
        np.array([[NAN, 0.0, 0.0, 2.0, 1.0]]),
        np.array([[5.0, 0.0, INF, 2.0, 1.0]]),
        np.array([[5.0, 0.0, 0.0, 0.0, 1.0]]),
        np.array([[5.0, 0.0, 0.0, -2.0, 1.0]]),
        np.array([[-5.0, 0.0, 0.0, 2.0, 1.0]]),  # behind
    ],
)
def test_where_nobody_is_in_the_way_the_very_same_scan_comes_back(boxes: Any) -> None:
    real = scan([10.0] * 5)
    assert inject(real, ORIGIN, boxes) is real
    assert reason_to_refuse(real, ORIGIN) == ""


@pytest.mark.parametrize(
    ("real", "pose", "reason"),
    [
        (scan([9.0] * 4, layout(5)), ORIGIN, "beams"),
        (scan([9.0] * 6, layout(5)), ORIGIN, "beams"),
        (scan([], layout(5)), ORIGIN, "beams"),
        (scan([[9.0] * 5], layout(1)), ORIGIN, "beams"),
        (scan([9.0] * 5), Pose(NAN, 0.0, 0.0), "pose"),
        (scan([9.0] * 5), Pose(0.0, INF, 0.0), "pose"),
        (scan([9.0] * 5), Pose(0.0, 0.0, 0.0, 0.0, 0.0, NAN), "pose"),
        (scan([9.0] * 5, layout(angle_min=NAN)), ORIGIN, "layout"),
        (scan([9.0] * 5, layout(angle_increment=INF)), ORIGIN, "layout"),
        (scan([9.0] * 5, layout(time_increment=NAN)), ORIGIN, "layout"),
        (scan([9.0] * 5, layout(range_min=NAN)), ORIGIN, "layout"),
        (scan([9.0] * 5, layout(range_min=-1.0)), ORIGIN, "layout"),
        (scan([9.0] * 5, layout(range_min=4.0, range_max=3.0)), ORIGIN, "layout"),
    ],
)
def test_what_cannot_be_understood_is_passed_on_and_counted(
    real: Scan, pose: Pose, reason: str
) -> None:
    assert reason_to_refuse(real, pose) == reason
    assert inject(real, pose, AHEAD) is real


def test_each_scan_is_seen_from_its_own_pose_however_the_poses_jump() -> None:
    real = scan([INF] * 5)
    near, away = Pose(0.0, 0.0, 0.0), Pose(1e9, -1e9, 2.0)
    assert inject(real, near, AHEAD).ranges[2] == 4.0
    assert inject(real, away, AHEAD) is real
    assert inject(real, near, AHEAD).ranges[2] == 4.0


def test_each_beam_is_taken_from_where_the_sensor_was_then() -> None:
    """Three beams straight ahead, a second apart; the vehicle is hit from 4, 3 and 2 m."""
    sweep = layout(3, angle_min=0.0, angle_increment=0.0, time_increment=1.0)
    seen = inject(scan([INF] * 3, sweep), Pose(0.0, 0.0, 0.0, 1.0, 0.0), AHEAD)
    assert list(seen.ranges) == [4.0, 3.0, 2.0]
    fleeing = inject(scan([INF] * 3, sweep), ORIGIN, AHEAD, np.array([[1.0, 0.0]]))
    assert list(fleeing.ranges) == [4.0, 5.0, 6.0]
    # Turning left by 45 degrees a second, the second beam misses.
    turning = inject(scan([INF] * 3, sweep), Pose(0.0, 0.0, 0.0, 0.0, 0.0, math.pi / 4), AHEAD)
    assert list(turning.ranges) == [4.0, INF, INF]


def test_a_mounted_sensor_goes_with_its_vehicle() -> None:
    pose = Pose(1.0, 2.0, math.pi / 2, 0.0, 3.0, 0.5).mounted((2.0, 1.0, -math.pi / 2))
    assert pose == pytest.approx((0.0, 4.0, 0.0, -1.0, 2.5, 0.5))
    after = Pose(1.0, 2.0, math.pi / 2, 0.0, 3.0, 0.5).carried(1e-6).mounted((2.0, 1.0, 0.0))
    before = Pose(1.0, 2.0, math.pi / 2, 0.0, 3.0, 0.5).mounted((2.0, 1.0, 0.0))
    assert (after.x - before.x) / 1e-6 == pytest.approx(before.vx, abs=1e-5)
    assert (after.y - before.y) / 1e-6 == pytest.approx(before.vy, abs=1e-5)


# --- the oracle

SLACK = 1e-5


def distances(of: ScanLayout, pose: Pose, boxes: Any, moving: Any, grown: float) -> Any:
    """By shapely: how far each beam goes until it meets a box that is so much larger."""
    found = np.full(of.beams, INF)
    for k in range(of.beams):
        t = k * of.time_increment
        at = pose.carried(t)
        angle = at.yaw + of.angle_min + k * of.angle_increment
        here = Point(at.x, at.y)
        long = 3 * (of.range_max + 100.0)
        ray = LineString([(at.x, at.y), (at.x + long * math.cos(angle),
                                         at.y + long * math.sin(angle))])  # fmt: skip
        for (x, y, yaw, length, width), (vx, vy) in zip(boxes, moving, strict=True):
            half, wide = length / 2 + grown, width / 2 + grown
            body = rotate(box(-half, -wide, half, wide), yaw, (0, 0), use_radians=True)
            body = translate(body, x + vx * t, y + vy * t)
            if ray.intersects(body):
                found[k] = min(found[k], here.distance(ray.intersection(body)))
    return found


def reals(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False)


LAYOUTS = st.builds(
    lambda beams, first, turn, dt, low: ScanLayout(beams, first, turn, dt, 0.1, low, 25.0),
    st.integers(1, 40), reals(-7, 7), reals(-0.6, 0.6), reals(-0.01, 0.01), reals(0.0, 1.0),
)  # fmt: skip
POSES = st.builds(
    Pose, reals(-20, 20), reals(-20, 20), reals(-9, 9), reals(-9, 9), reals(-9, 9), reals(-4, 4)
)
BOXES = st.lists(
    st.tuples(reals(-25, 25), reals(-25, 25), reals(-9, 9), reals(0.1, 8), reals(0.1, 4),
              reals(-9, 9), reals(-9, 9)),
    max_size=5,
)  # fmt: skip
RANGES = st.one_of(reals(0, 40), st.sampled_from([INF, NAN, -INF, 0.0, -1.0]))


@settings(max_examples=150)
@given(LAYOUTS, POSES, BOXES, st.data())
def test_every_beam_agrees_with_shapely(
    of: ScanLayout, pose: Pose, rows: list[tuple[float, ...]], data: st.DataObject
) -> None:
    ranges = data.draw(st.lists(RANGES, min_size=of.beams, max_size=of.beams))
    real = scan(ranges, of)
    table = np.array(rows).reshape(-1, 7)
    boxes, moving = table[:, :5], table[:, 5:]
    seen = inject(real, pose, boxes, moving).ranges
    near = distances(of, pose, boxes, moving, SLACK)
    far = distances(of, pose, boxes, moving, -SLACK)
    for k in range(of.beams):
        was, now = real.ranges[k], seen[k]
        if bits(seen[k : k + 1]) == bits(real.ranges[k : k + 1]):
            hides = not was >= of.range_min or far[k] > of.range_max - SLACK
            assert hides or was <= max(far[k], of.range_min) + 1e-4, (k, was, far[k])
        else:
            assert was > now >= of.range_min
            assert now <= of.range_max
            assert max(near[k], of.range_min) - 1e-4 <= now
            assert near[k] < INF
            grazes = far[k] - near[k] > 1e-3
            assert grazes or now <= max(far[k], of.range_min) + 1e-4


ANYTHING = st.floats(allow_nan=True, allow_infinity=True)


@settings(max_examples=300)
@given(
    st.builds(ScanLayout, st.integers(0, 30), *[ANYTHING] * 6),
    st.builds(Pose, *[ANYTHING] * 6),
    st.lists(st.tuples(*[ANYTHING] * 7), max_size=4),
    st.lists(st.floats(width=32), max_size=30),
)
def test_nothing_at_all_breaks_it(
    of: ScanLayout, pose: Pose, rows: list[tuple[float, ...]], ranges: list[float]
) -> None:
    real = scan(ranges, of)
    table = np.array(rows).reshape(-1, 7)
    seen = inject(real, pose, table[:, :5], table[:, 5:])
    if seen is not real:
        changed = np.flatnonzero(seen.ranges.view(np.uint32) != real.ranges.view(np.uint32))
        assert len(changed)
        assert (seen.ranges[changed] < real.ranges[changed]).all()
        assert (seen.ranges[changed] >= of.range_min).all()
        assert (seen.ranges[changed] <= of.range_max).all()


def test_the_baseline_of_the_benchmark_sees_the_same() -> None:
    real, pose, boxes, moving = crowd()
    seen = inject(real, pose, boxes, moving).ranges
    assert (seen < real.ranges).sum() > 300
    assert np.allclose(seen, plain_numpy(real, pose, boxes, moving), rtol=0, atol=1e-4)
