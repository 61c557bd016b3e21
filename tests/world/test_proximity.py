"""Pairs: the fast search against the exact one, and both against plain NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.world.messages import Encounters, Health, Notices, VehicleStates
from movenv.world.proximity import Proximity

LEVELS = np.array([20.0, 10.0, 5.0])


def world(place: np.ndarray, velocity: np.ndarray) -> VehicleStates:
    states = VehicleStates.empty(place.shape[1])
    states.vid[:] = np.arange(1, place.shape[1] + 1)
    states.x[:], states.y[:], states.z[:] = place
    states.vx[:], states.vy[:], states.vz[:] = velocity
    states.health[:] = Health.HEARD
    return states


def random_world(
    seed: int, count: int, spread: float, sizes: list[float]
) -> tuple[VehicleStates, np.ndarray]:
    rng = np.random.default_rng(seed)
    place = rng.uniform(-spread, spread, (3, count)) * [[1], [1], [0.1]]
    return world(place, rng.normal(0, 5, (3, count))), rng.choice(sizes, count)


def oracle(states: VehicleStates, length: np.ndarray) -> dict[tuple[int, int], tuple[float, ...]]:
    """Every pair in range, by broadcasting: level, distance, range rate, t_cpa, d_cpa."""
    place = np.array([states.x, states.y, states.z]).T
    velocity = np.array([states.vx, states.vy, states.vz], float).T
    found = {}
    for i in range(len(place)):
        for j in range(i + 1, len(place)):
            p, v = place[j] - place[i], velocity[j] - velocity[i]
            distance, reach = np.linalg.norm(p), max(length[i], length[j])
            if distance > LEVELS[0] * reach:
                continue
            t_cpa = max(0.0, -(p @ v) / (v @ v))
            level = int(np.sum(distance <= LEVELS * reach))
            found[i + 1, j + 1] = (
                level,
                distance,
                (p @ v) / distance,
                t_cpa,
                np.linalg.norm(p + v * t_cpa),
            )
    return found


def search(states: VehicleStates, length: np.ndarray, exact: bool) -> tuple[Encounters, Notices]:
    encounters, notices, _ = Proximity(states.vid, length, LEVELS, exact).search(states, 0.0, 0.1)
    return encounters, notices


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("sizes", [[1.0], [0.5, 1.0, 2.0], [0.4, 70.0], [0.1, 0.3, 1.0, 5.0, 60.0]])
def test_both_modes_agree_with_brute_force(exact: bool, sizes: list[float]) -> None:
    states, length = random_world(3, 250, 300.0, sizes)
    expected = oracle(states, length)
    encounters, _ = search(states, length, exact)
    assert len(expected) > 20
    assert list(zip(encounters.vid, encounters.other, strict=True)) == sorted(expected)
    values = np.column_stack(
        [
            encounters.level,
            encounters.distance,
            encounters.range_rate,
            encounters.t_cpa,
            encounters.d_cpa,
        ]
    )
    assert values == pytest.approx(
        np.array([expected[k] for k in sorted(expected)]), rel=2e-4, abs=2e-4
    )


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(1, 120),
    spread=st.floats(0.001, 1e5),
    sizes=st.lists(st.floats(0.01, 500), min_size=1, max_size=5),
)
def test_fast_and_exact_tell_the_same(
    seed: int, count: int, spread: float, sizes: list[float]
) -> None:
    states, length = random_world(seed, count, spread, sizes)
    fast, exact = search(states, length, False), search(states, length, True)
    for ours, theirs in zip(fast, exact, strict=True):
        for (name, a), (_, b) in zip(ours.columns(), theirs.columns(), strict=True):
            assert np.array_equal(a, b), name


def test_coincident_vehicles_and_a_crowd_are_handled() -> None:
    states = world(np.zeros((3, 70)), np.zeros((3, 70)))
    encounters, notices = search(states, np.ones(70), False)
    assert len(encounters) == 70 * 69 // 2
    assert len(notices) == 70 * 69
    assert (encounters.distance == 0).all()
    assert np.isfinite(encounters.range_rate).all()


def test_both_sides_are_told_where_the_other_is_and_how_it_moves() -> None:
    states = world(
        np.array([[0.0, 8.0], [0, 6], [0, 0]]), np.array([[1.0, -2.0], [0, 0], [0, 0.5]])
    )
    _, notices = search(states, np.array([1.0, 3.0]), True)
    assert notices.vid.tolist() == [1, 2]
    assert notices.other.tolist() == [2, 1]
    assert notices.x.tolist() == [8.0, 0.0]
    assert notices.vx.tolist() == [-2.0, 1.0]
    assert notices.length.tolist() == [3.0, 1.0]
    assert notices.level.tolist() == [3, 3]  # 10 m is within 5 lengths of the larger


def test_a_small_drone_is_told_of_an_airliner_from_far_away() -> None:
    states = world(np.array([[0.0, 900.0], [0, 0], [0, 0]]), np.zeros((3, 2)))
    assert len(search(states, np.array([0.5, 60.0]), False)[0]) == 1
    assert len(search(states, np.array([0.5, 0.5]), False)[0]) == 0


def test_head_on_closest_approach_is_the_closed_form() -> None:
    states = world(
        np.array([[0.0, 100.0], [0, 3], [0, 4]]), np.array([[10.0, -10.0], [0, 0], [0, 0]])
    )
    encounters, _ = search(states, np.array([10.0, 10.0]), True)
    assert encounters.t_cpa[0] == pytest.approx(5.0)
    assert encounters.d_cpa[0] == pytest.approx(5.0)


def test_the_closest_pair_counts_between_ticks() -> None:
    """Two that passed each other within the last tick were at their nearest in its middle."""
    velocity = np.array([[20.0, -20.0], [0, 0], [0, 0]])
    then = world(np.array([[0.0, 2.0], [0, 0.5], [0, 0]]), velocity)
    now = world(np.array([[2.0, 0.0], [0, 0.5], [0, 0]]), velocity)
    for exact in (True, False):
        proximity = Proximity(then.vid, np.ones(2), LEVELS, exact)
        first = proximity.search(then, 7.0, 0.1)[2]
        assert first is not None
        assert (first.distance, first.t) == pytest.approx((np.hypot(2, 0.5), 7.0))
        second = proximity.search(now, 7.1, 0.1)[2]
        assert second is not None
        assert (second.distance, second.t) == pytest.approx((0.5, 7.05))


def test_the_exact_mode_knows_the_closest_pair_beyond_notice_range() -> None:
    states, length = random_world(5, 40, 50_000.0, [1.0])
    place = np.array([states.x, states.y, states.z]).T
    gaps = np.linalg.norm(place[:, None] - place[None], axis=2) + np.diag(np.full(40, np.inf))
    closest = Proximity(states.vid, length, LEVELS, True).search(states, 0.0, 1e-9)[2]
    assert closest is not None
    assert closest.distance == pytest.approx(gaps.min())
    assert Proximity(states.vid, length, LEVELS, False).search(states, 0.0, 1e-9)[2] is None
