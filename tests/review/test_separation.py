"""The search for closest approaches: against dense sampling, and pruned against unpruned."""

from collections.abc import Collection
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.review.findings import Pairs
from movenv.review.separation import separations, surveyed
from movenv.review.tracks import TrackBuilder, Tracks
from movenv.world.columns import F8
from movenv.world.messages import Health

from .made import Tick, roster, wandering

MULTIPLES = np.array([8.0, 4.0, 1.5])
numbers = st.floats(-30, 30, allow_nan=False, width=32)


def tracks_of(places: F8, unknown: Collection[tuple[int, int]] = ()) -> Tracks:
    """Of (ticks, 3, vehicles), without those of (tick, row) that are not known; nothing filled."""
    who = roster(places.shape[2])
    builder = TrackBuilder(who, 0.11)
    for k, place in enumerate(places):
        lost = {row: Health.LOST for row in range(len(who)) if (k, row) in unknown}
        builder.add(Tick(k, place, health=lost).update(who, 0.1).snapshot, {"utc": 0.0})
    return builder.tracks()


def pairs_of(tracks: Tracks, prune: bool = True) -> Pairs:
    return separations(tracks, surveyed(tracks), MULTIPLES, prune=prune)


@given(st.lists(st.tuples(*[numbers] * 6), min_size=2, max_size=5))
@settings(max_examples=200)
def test_the_closest_of_two_is_as_dense_sampling_finds_it(rows: list[tuple[float, ...]]) -> None:
    places = np.array(rows).reshape(len(rows), 3, 2)
    found = pairs_of(tracks_of(places))
    share = np.linspace(0.0, 1.0, 2001)[:, None]
    apart = places[:, :, 1] - places[:, :, 0]
    dense = np.concatenate([(1 - share) * a + share * b for a, b in pairwise(apart)])
    distance = np.linalg.norm(dense, axis=1)
    step = np.linalg.norm(np.diff(apart, axis=0), axis=1).max() / 2000
    assert distance.min() - step <= found.closest[0] <= distance.min() + 1e-9
    when = found.closest_t[0] / 0.1
    at = min(int(when), len(rows) - 2)
    there = apart[at] + (when - at) * (apart[at + 1] - apart[at])
    assert np.linalg.norm(there) == pytest.approx(found.closest[0], abs=1e-6)
    # length 1.5 is the larger of the two
    for level, multiple in enumerate(MULTIPLES):
        within = np.mean(distance <= 1.5 * multiple) * 0.1 * (len(rows) - 1)
        assert found.below_s[level, 0] == pytest.approx(within, abs=0.001 * len(rows))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("ticks", "step", "room"), [(64, 1, 9), (65, 3, 99), (400, 0.3, 500)])
def test_pruned_and_unpruned_are_the_same(seed: int, ticks: int, step: float, room: float) -> None:
    places = wandering(9, ticks, seed, step, room)
    rng = np.random.default_rng(seed)
    some = rng.integers(0, (ticks, 9), (40, 2)) if seed % 2 else np.empty((0, 2), int)
    unknown = {(int(k), int(row)) for k, row in some}
    tracks = tracks_of(places, unknown)
    one, two = pairs_of(tracks), pairs_of(tracks, prune=False)
    for name in vars(one).keys() - {"both_known_s"}:
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), name)
    np.testing.assert_allclose(one.both_known_s, two.both_known_s, rtol=1e-12)


def test_two_that_were_never_known_together_are_no_pair() -> None:
    places = wandering(3, 20, 1)
    unknown = {(k, 0) for k in range(10)} | {(k, 1) for k in range(10, 20)}
    found = pairs_of(tracks_of(places, unknown))
    assert set(zip(found.row.tolist(), found.other.tolist(), strict=True)) == {(0, 2), (1, 2)}


def test_a_single_tick_together_counts_without_any_time() -> None:
    places = wandering(2, 9, 1)
    unknown = {(k, 0) for k in range(9) if k != 4}
    found = pairs_of(tracks_of(places, unknown))
    assert found.closest[0] == pytest.approx(np.linalg.norm(places[4, :, 1] - places[4, :, 0]))
    assert found.closest_t[0] == pytest.approx(0.4)
    assert found.both_known_s[0] == 0.0
    assert np.isnan(found.mean[0])


def test_thinned_statistics_leave_what_is_exact_alone() -> None:
    tracks = tracks_of(wandering(6, 700, 3, step=0.1))
    exact = pairs_of(tracks)
    with patch("movenv.review.separation.MOST_SAMPLES", 15 * 701 // 5):
        thinned = pairs_of(tracks)
    assert (exact.statistics_every, thinned.statistics_every) == (1, 5)
    for name in ("row", "other", "closest", "closest_t", "both_known_s", "below_s"):
        np.testing.assert_array_equal(getattr(exact, name), getattr(thinned, name), name)
    np.testing.assert_allclose(thinned.mean, exact.mean, rtol=0.01)
    np.testing.assert_allclose(thinned.deviation, exact.deviation, rtol=0.05)


def test_of_too_many_pairs_the_closest_are_kept() -> None:
    tracks = tracks_of(wandering(12, 30, 3, room=200.0))
    every = pairs_of(tracks)
    with patch("movenv.review.separation.MOST_PAIRS", 10):
        kept = pairs_of(tracks)
    assert (len(kept), kept.left_out) == (10, 56)
    np.testing.assert_array_equal(kept.closest, every.closest[:10])


def test_far_from_the_origin_nothing_gets_lost() -> None:
    places = wandering(4, 100, 5)
    there = places + np.array([[3e5], [-4e5], [0.0]])
    np.testing.assert_allclose(
        pairs_of(tracks_of(there)).closest, pairs_of(tracks_of(places)).closest, atol=1e-8
    )
    still = np.tile(there[:1], (50, 1, 1))
    assert pairs_of(tracks_of(still)).deviation.tolist() == [0.0] * 6
