"""Routes against shapely, and how they are driven against arithmetic."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.terrain.rounding import rounded
from movenv.terrain.route import Route, SlowStretch, StopPlace
from movenv.terrain.route_set import RouteSet, braking_speed

RECTANGLE = np.array([[0.0, 0, 5], [100, 0, 5], [100, 60, 25], [0, 60, np.nan]])
EIGHT = np.array([[0.0, 0, 0], [40, 40, 0], [40, 0, 0], [0, 40, 0]])
"""Crosses itself at (20, 20), at 28 m and at 125 m."""


def route(points: np.ndarray, closed: bool = False, **more: object) -> Route:
    legs = len(points) - (not closed)
    return Route("r", points, more.pop("speed", np.full(legs, np.nan)), closed, **more)  # type: ignore[arg-type]


def crooked(seed: int, corners: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    steps = rng.uniform(-50, 50, (corners, 2)) + np.array([20.0, 0.0])
    return np.column_stack([np.cumsum(steps, axis=0), np.zeros(corners)])


ONE = np.zeros(1, np.intp)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), corners=st.integers(2, 30), closed=st.booleans())
def test_the_nearest_place_is_shapelys(seed: int, corners: int, closed: bool) -> None:
    made = route(crooked(seed, max(corners, 3)), closed)
    line = shapely.LineString(made.corners[:, :2])
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-500, 900, (2, 100))
    s, off = RouteSet([made]).nearest(np.zeros(100, np.intp), x, y)
    points = shapely.points(x, y)
    assert np.abs(off) == pytest.approx(shapely.distance(points, line), abs=1e-9)
    found = shapely.get_coordinates(shapely.line_interpolate_point(line, s))
    assert np.hypot(found[:, 0] - x, found[:, 1] - y) == pytest.approx(np.abs(off), abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), closed=st.booleans())
def test_near_a_progress_is_nearest_of_that_part(seed: int, closed: bool) -> None:
    made = route(crooked(seed, 12), closed)
    rng = np.random.default_rng(seed)
    around = rng.uniform(0, made.length, 50) + (made.length if closed else 0)
    x, y = rng.uniform(-300, 600, (2, 50))
    back, ahead = rng.uniform(0, 60, (2, 50))
    routes = RouteSet([made])
    s, off = routes.near(np.zeros(50, np.intp), x, y, around, back, ahead)
    fine = np.linspace(around - back, around + ahead, 4001)
    fine = fine if closed else np.clip(fine, 0, made.length)
    for i in range(50):
        px, py, *_ = routes.place(np.zeros(len(fine), np.intp), fine[:, i])
        brute = np.hypot(px - x[i], py - y[i]).min()
        assert abs(off[i]) == pytest.approx(brute, abs=0.05)
        assert abs(off[i]) <= brute + 1e-9
    low, high = around - back, around + ahead
    inside = (s >= low - 1e-9) & (s <= high + 1e-9)
    assert inside.all() or not closed


def test_where_a_lap_crosses_itself_the_known_progress_decides() -> None:
    routes = RouteSet([route(EIGHT, closed=True)])
    middle = np.array([20.0])
    whole = routes.length[0]
    for lap in (0, 1, 7):
        for known in (26.0, math.hypot(40, 40) + 40 + 26.0):
            s, off = routes.near(
                ONE,
                middle,
                middle,
                np.array([lap * whole + known]),
                np.full(1, 5.0),
                np.full(1, 5.0),
            )
            assert off[0] == pytest.approx(0, abs=1e-9)
            assert s[0] == pytest.approx(lap * whole + known + 2.284271, abs=1e-5)


def test_to_the_left_is_positive() -> None:
    routes = RouteSet([route(RECTANGLE)])
    _, off = routes.nearest(np.zeros(2, np.intp), np.array([50.0, 50]), np.array([3.0, -3]))
    assert off.tolist() == [3, -3]


def test_place_heading_and_height_at_a_progress() -> None:
    routes = RouteSet([route(RECTANGLE, closed=True)])
    s = np.array([50.0, 130, 210, 320, 370, -270])
    x, y, z, heading, _, slope = routes.place(np.zeros(6, np.intp), s)
    assert x.tolist() == [50, 100, 50, 0, 50, 50]
    assert y.tolist() == pytest.approx([0, 30, 60, 0, 0, 0])
    assert z[:2].tolist() == [5, 15]
    assert np.isnan(z[2])
    assert slope[:2].tolist() == pytest.approx([0, 20 / 60])
    assert heading[:3] == pytest.approx([0, math.pi / 2, math.pi])


def test_an_open_route_goes_straight_on_beyond_its_ends() -> None:
    routes = RouteSet([route(RECTANGLE)])
    x, y, *_ = routes.place(np.zeros(2, np.intp), np.array([-10.0, 270]))
    assert x == pytest.approx([-10, -10])
    assert y == pytest.approx([0, 60])


def test_speeds_of_legs_and_slow_stretches() -> None:
    made = route(
        RECTANGLE, closed=True, speed=np.array([8.0, np.nan, 9, 9]),
        slow=(SlowStretch(40, 5, 3), SlowStretch(318, 6, 2)),
    )  # fmt: skip
    routes = RouteSet([made])
    s = np.array([39.9, 40.1, 44.9, 45.1, 120, 200, 319, 1, 5])
    speed = routes.speed(np.zeros(9, np.intp), s, np.full(9, 12.0))
    assert speed.tolist() == [8, 3, 3, 8, 12, 9, 2, 2, 8]  # the last stretch ends on the next lap


def test_the_next_stop_comes_round_again() -> None:
    stops = (StopPlace(200, 2), StopPlace(50, 7))
    routes = RouteSet([route(RECTANGLE, closed=True, stops=stops), route(RECTANGLE, stops=stops)])
    passed = np.array([0.0, 50, 200, 320, 640 + 60, 200, -np.inf])
    at, wait = routes.next_stop(np.array([0, 0, 0, 0, 0, 1, 1]), passed)
    assert at.tolist() == [50, 200, 370, 370, 840, np.inf, 50]
    assert wait[:5].tolist() == [7, 2, 7, 7, 2]


def test_who_obeys_the_braking_speed_stops_on_the_spot_at_that_deceleration() -> None:
    place, speed, period = 0.0, 12.0, 0.1
    hardest = 0.0
    for _ in range(200):
        room = np.array([40.0 - place])
        now = min(12.0, float(braking_speed(room, np.zeros(1), np.array([speed]), np.full(1, 2.0),
                                            period)[0]))  # fmt: skip
        place += (speed + now) / 2 * period
        hardest = max(hardest, (speed - now) / period)
        speed = now
    assert place == pytest.approx(40.0, abs=1e-2)
    assert hardest <= 2.0 + 1e-6


def test_driving_ahead_brakes_for_slow_legs_and_bends() -> None:
    made = route(np.array([[0.0, 0, 0], [100, 0, 0], [200, 0, 0]]), speed=np.array([10.0, 4.0]))
    s = np.array([50.0, 100 - (100 - 16) / 4 - 1, 99.0])
    now = np.full(3, 10.0)
    two = np.full(3, 2.0)
    speed = RouteSet([made]).drive(np.zeros(3, np.intp), s, now, now, two, two, 0.01)
    assert speed[:2].tolist() == [10, 10]  # 21 m suffice from 10 to 4 m/s at 2 m/s²
    assert speed[2] == pytest.approx(math.sqrt(16 + 2 * 2 * 1), abs=0.05)
    bend = rounded(route(np.array([[0.0, 0, 0], [100, 0, 0], [100, 100, 0]])), 1.0, 0.0)
    s = np.array([100.0])  # within the arc
    speed = RouteSet([bend]).drive(ONE, s, now[:1], now[:1], two[:1], two[:1], 0.01)
    assert speed[0] == pytest.approx(math.sqrt(2.0 * 1.0 / (math.sqrt(2) - 1)), rel=0.02)


@pytest.mark.parametrize("turn_deg", [20, 60, 90, 135])
def test_a_rounded_corner_leaves_the_route_by_no_more_than_asked(turn_deg: float) -> None:
    turn = math.radians(turn_deg)
    far = [400 + 400 * math.cos(turn), 400 * math.sin(turn), 0]
    sharp = route(np.array([[0.0, 0, 0], [400, 0, 0], far]))
    soft = rounded(sharp, 1.0, 0.0)
    away = shapely.distance(
        shapely.points(soft.points[:, :2]), shapely.LineString(sharp.points[:, :2])
    )
    corner = shapely.distance(shapely.Point(400, 0), shapely.LineString(soft.points[:, :2]))
    assert corner == pytest.approx(1.0, abs=1e-6)
    assert away.max() <= 1.0
    wide = rounded(sharp, 1.0, 30.0)
    radius = 1 / np.abs(np.array(RouteSet([wide]).place(ONE, np.array([wide.length / 2]))[4]))[0]
    assert radius == pytest.approx(max(30.0, 1 / (1 / math.cos(turn / 2) - 1)), rel=0.02)


def test_slow_stretches_and_stops_stay_where_they_were() -> None:
    marks = {"slow": (SlowStretch(200, 5, 3),), "stops": (StopPlace(300, 1), StopPlace(0, 1))}
    sharp = route(RECTANGLE, closed=True, **marks)
    soft = rounded(sharp, 2.0, 5.0)
    assert soft.length < sharp.length
    for old, new in ((200, soft.slow[0].at), (300, soft.stops[0].at)):
        before = RouteSet([sharp]).place(ONE, np.array([float(old)]))
        after = RouteSet([soft]).place(ONE, np.array([new]))
        assert np.hypot(before[0] - after[0], before[1] - after[1])[0] < 1e-6
    assert soft.slow[0].over == pytest.approx(5)
    assert soft.stops[1].at == 0.0


@pytest.mark.parametrize("closed", [True, False])
def test_backwards_twice_is_forwards(closed: bool) -> None:
    made = route(
        RECTANGLE, closed, speed=np.arange(1.0, 4 + closed),
        slow=(SlowStretch(40, 5, 3),), stops=(StopPlace(70, 2),),
    )  # fmt: skip
    back = made.backwards()
    routes = RouteSet([made, back])
    s = np.linspace(1, made.length - 1, 40)
    here = routes.place(np.zeros(40, np.intp), s)
    there = routes.place(np.ones(40, np.intp), made.length - s)
    assert there[0] == pytest.approx(here[0])
    assert there[1] == pytest.approx(here[1])
    usual = np.full(40, 9.0)
    assert routes.speed(np.ones(40, np.intp), made.length - s, usual) == pytest.approx(
        routes.speed(np.zeros(40, np.intp), s, usual)
    )
    again = back.backwards()
    assert np.array_equal(again.points, made.points, equal_nan=True)
    assert again.slow[0].at == pytest.approx(40)
    assert back.stops[0].at == pytest.approx(made.length - 70)


def test_beside_a_route_every_leg_keeps_its_distance() -> None:
    beside = rounded(route(RECTANGLE, closed=True), 1.0, 0.0, offset=3.0)
    line = shapely.LinearRing(RECTANGLE[:, :2])
    away = shapely.distance(shapely.points(beside.points[:, :2]), line)
    assert away.min() == pytest.approx(3.0, abs=1e-6)
    assert shapely.Polygon(line).contains(shapely.points(beside.points[:, :2])).all()
    assert away.max() <= 3.0 * math.sqrt(2)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000), corners=st.integers(3, 15), closed=st.booleans(),
    cut=st.floats(0.05, 20), least=st.floats(0, 40), offset=st.floats(-20, 20),
)  # fmt: skip
def test_any_route_can_be_rounded(
    seed: int, corners: int, closed: bool, cut: float, least: float, offset: float
) -> None:
    made = rounded(route(crooked(seed, corners), closed), cut, least, offset)
    assert (np.diff(made.along) > 0).all()
    assert np.isfinite(made.points[:, :2]).all()
    assert len(made.speed) == made.legs
