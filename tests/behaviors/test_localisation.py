"""Monte Carlo localisation: it finds the vehicle, knows how well, and says when it is lost."""

import numpy as np
import pytest
from scipy.stats import chi2, multivariate_normal
from tests.behaviors.f110_track import HOKUYO, Scanner, track

from movenv.behaviors import particles, scan_fit
from movenv.behaviors.likelihood import SPREAD, STRAY, edge_distance, field_of
from movenv.behaviors.localisation import Localisation
from movenv.behaviors.scan_points import scan_points
from movenv.terrain.grid_map import FREE, OCCUPIED, GridMap
from movenv.world.columns import F8
from movenv.world.kernel import kernel

START = np.array([-8.0, -5.5, 0.0])
STILL = np.zeros((3, 1))
SURE = np.array([0.1, 0.05])
ROW = np.zeros(1, np.intp)


def localisation(vids: tuple[int, ...] = (7,), least: int = 500, most: int = 5000) -> Localisation:
    sizes = [np.full(len(vids), float(n)) for n in (least, most)]
    return Localisation(track(), np.array(vids, np.uint32), *sizes)


def step(own: Localisation, ranges: F8, move: F8, tick: int, rows: F8 = ROW) -> None:
    points, beams = scan_points(ranges, HOKUYO, 18, STILL)
    points, beams = np.repeat(points, len(rows), axis=0), np.repeat(beams, len(rows))
    own.update(rows, np.tile(move, (len(rows), 1)), points, beams, 3, tick)


def errors(own: Localisation, scanner: Scanner, steps: int, rows: F8 = ROW) -> F8:
    """Drive on from the start with an odometry that is 3% wrong; how far off each estimate is."""
    x, y, yaw = START
    off = []
    for k in range(1, steps + 1):
        turn = 0.0075 * np.sin(k / 10)
        x, y, yaw = x + 0.05 * np.cos(yaw), y + 0.05 * np.sin(yaw), yaw + turn
        step(own, scanner.scan(x, y, yaw), np.array([0.0515, 0.0, 1.02 * turn]), k, rows)
        off.append(np.hypot(own.found[0, 0] - x, own.found[0, 1] - y))
    return np.array(off)


@kernel
def _score(x, y, yaw, points, count, field):  # type: ignore[no-untyped-def]
    return scan_fit.score(x, y, yaw, points, count, field)


def test_a_pose_is_as_likely_as_its_points_are_near_edges() -> None:
    random = np.random.default_rng(5)
    cells = (random.random((40, 50)) < 0.05).astype(np.uint8) * OCCUPIED
    grid = GridMap(cells, 0.1, -2.0, -1.5)
    rows, columns = np.nonzero(cells == OCCUPIED)
    for _ in range(20):
        x, y, yaw = random.uniform(-1.5, 2.5), random.uniform(-1.0, 2.0), random.uniform(-3, 3)
        points = random.uniform(-2.0, 2.0, (30, 2))
        turned = points @ np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
        spots = np.floor((turned + np.array([x + 2.0, y + 1.5])) / 0.1)
        inside = ((spots >= 0) & (spots < [50, 40])).all(axis=1)
        total = 0.0
        for column, row in spots[inside]:
            if cells[int(row), int(column)]:
                free = np.argwhere(cells == FREE)
                far = np.hypot(free[:, 0] - row, free[:, 1] - column).min()
            else:
                far = np.hypot(rows - row, columns - column).min()
            near = np.exp(-0.5 * ((far - 0.5) * 0.1 / SPREAD) ** 2)
            total += np.log((1 - STRAY) * near + STRAY)
        total += (~inside).sum() * np.log(STRAY)
        assert _score(x, y, yaw, points, 30, field_of(grid)) == pytest.approx(total, rel=1e-5)


def test_it_knows_its_place_to_a_few_centimetres_all_along() -> None:
    own = localisation()
    own.place(0, START, 3, 0, SURE)
    off = errors(own, Scanner(track()), 120)
    assert np.sqrt((off[10:] ** 2).mean()) < 0.04
    assert np.percentile(off[10:], 95) < 0.08
    assert not own.lost[0]
    assert 0.005 < own.accuracy[0] < 0.1
    assert own.count[0] < 800  # who is sure needs few


def test_who_knows_nothing_begins_with_the_most_and_finds_itself() -> None:
    own = localisation()
    own.forget(0, 3, 0)
    assert own.count[0] == 5000
    assert own.lost[0]
    off = errors(own, Scanner(track()), 120)
    assert not own.lost[0]
    assert off[-1] < 0.1


@pytest.mark.parametrize("place", [(9.23, -0.77, 2.8), (9.9, 2.2, 2.5), (-2.5, 4.4, 2.1)])
def test_who_is_carried_off_finds_itself(place: tuple[float, float, float]) -> None:
    own, scanner = localisation(), Scanner(track())
    own.place(0, START, 3, 0, SURE)
    for k in range(1, 10):
        step(own, scanner.scan(*START), np.zeros(3), k)
    assert np.hypot(*(own.pose[:2, 0] - START[:2])) < 0.1
    for k in range(10, 90):
        step(own, scanner.scan(*place), np.zeros(3), k)
    assert not own.lost[0]
    assert np.hypot(*(own.pose[:2, 0] - place[:2])) < 0.1


@pytest.mark.soak
def test_nobody_is_sure_of_a_place_that_is_wrong() -> None:
    random, grid = np.random.default_rng(11), track()
    roomy = np.argwhere((grid.cells == FREE) & (edge_distance(grid) > 0.3))
    for trial in range(40):
        row, column = roomy[random.integers(len(roomy))]
        place = (-12 + 0.05 * (column + 0.5), -8 + 0.05 * (row + 0.5), random.uniform(-3.1, 3.1))
        own, scanner = localisation(), Scanner(grid, trial)
        own.forget(0, trial, 0)
        for k in range(1, 200):
            step(own, scanner.scan(*place), np.zeros(3), k)
        assert own.lost[0] or np.hypot(*(own.pose[:2, 0] - place[:2])) < 0.15, place


def test_what_is_on_no_map_does_not_lead_astray() -> None:
    own, scanner = localisation(), Scanner(track())
    own.place(0, START, 3, 0, SURE)
    for k in range(1, 60):
        ranges = scanner.scan(*START)
        ranges[0, 480:680] = 1.5  # 50 degrees ahead are full of others
        step(own, ranges, np.zeros(3), k)
    assert not own.lost[0]
    assert np.hypot(*(own.pose[:2, 0] - START[:2])) < 0.06


def test_without_beams_it_goes_by_odometry_and_grows_unsure() -> None:
    own = localisation()
    own.place(0, START, 3, 0, SURE)
    nothing = np.full((1, HOKUYO.beams), np.inf)
    nothing[0, ::3] = np.nan
    nothing[0, ::5] = 0.0
    before = own.accuracy[0]
    for k in range(1, 40):
        step(own, nothing, np.array([0.05, 0.0, 0.0]), k)
    assert own.pose[:2, 0] == pytest.approx(START[:2] + np.array([1.95, 0.0]), abs=0.3)
    assert own.accuracy[0] > before


def test_a_vehicle_estimates_the_same_whoever_is_beside_it() -> None:
    alone, beside = localisation(), localisation((3, 7, 9))
    alone.place(0, START, 3, 0, SURE)
    for row in range(3):
        beside.place(row, START, 3, 0, SURE)
    errors(alone, Scanner(track()), 5)
    errors(beside, Scanner(track()), 5, np.arange(3))
    assert (alone.found[0] == beside.found[1]).all()
    assert (beside.found[0] != beside.found[1]).any()


@kernel
def _drawn(guesses, weight, wanted, start, drawn):  # type: ignore[no-untyped-def]
    particles.draw_anew(guesses, weight, len(weight), wanted, start, drawn)


def test_guesses_are_drawn_as_often_as_their_weights_say() -> None:
    random = np.random.default_rng(2)
    weight = random.exponential(size=50)
    weight /= weight.sum()
    guesses = np.repeat(np.arange(50.0)[:, None], 3, axis=1)
    for start in (0.0, 0.3, 0.999):
        drawn = np.empty((400, 3))
        _drawn(guesses, weight, 400, start, drawn)
        often = np.bincount(drawn[:, 0].astype(int), minlength=50)
        assert (np.abs(often - 400 * weight) < 1.0 + 1e-9).all()


@kernel
def _needed(guesses, weight):  # type: ignore[no-untyped-def]
    slots = np.empty(particles.SLOTS, np.int64)
    return particles.needed(guesses, weight, len(weight), 0, slots)


@pytest.mark.parametrize("bins", [2, 10, 100, 1000])
def test_as_many_are_needed_as_the_chi_square_distribution_asks_for(bins: int) -> None:
    guesses = np.zeros((2 * bins, 3))
    guesses[:, 0] = np.repeat(np.arange(bins) * 0.25 + 0.1, 2)
    weight = np.full(2 * bins, 0.5 / bins)
    exact = chi2.ppf(0.99, bins - 1) / (2 * 0.05)
    assert _needed(guesses, weight) == pytest.approx(exact, rel=0.04)


@kernel
def _estimate(guesses, weight, out):  # type: ignore[no-untyped-def]
    particles.estimate_from(guesses, weight, len(weight), 0, out)


def test_mean_and_covariance_are_those_of_the_guesses_across_the_turn_of_the_angle() -> None:
    covariance = np.diag([0.01, 0.004, 0.003])
    covariance[0, 1] = covariance[1, 0] = 0.003
    guesses = multivariate_normal([1.0, 2.0, np.pi], covariance, seed=4).rvs(20_000)
    guesses[0] = 1.0, 2.0, np.pi
    guesses[:, 2] = (guesses[:, 2] + np.pi) % (2 * np.pi) - np.pi
    out = np.zeros(10)
    _estimate(guesses, np.full(20_000, 1 / 20_000), out)
    assert out[:2] == pytest.approx([1.0, 2.0], abs=0.005)
    assert abs(out[2]) == pytest.approx(np.pi, abs=0.005)
    assert out[3:7] == pytest.approx([0.01, 0.003, 0.004, 0.003], rel=0.05, abs=2e-4)


def test_a_map_without_room_and_too_many_guesses_are_refused() -> None:
    solid = GridMap(np.full((4, 4), OCCUPIED, np.uint8), 0.1, 0.0, 0.0)
    some = np.array([500.0])
    with pytest.raises(ValueError, match="no free cell"):
        Localisation(solid, np.array([1], np.uint32), some, some)
    with pytest.raises(ValueError, match="8192 are the most"):
        localisation(most=9000)
