"""Random numbers: the published generator, and numbers that do not depend on who asks first."""

import numpy as np
import pytest
from scipy import stats

from movenv.world.kernel import kernel
from movenv.world.random_streams import philox4x32, stream_number, uniform, uniform_pairs

# Known answers of Philox4x32-10, published with Random123.
KNOWN = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]
VIDS = np.arange(1, 50_001, dtype=np.uint32)


@kernel
def philox(c, k):  # type: ignore[no-untyped-def]
    return philox4x32(c[0], c[1], c[2], c[3], k[0], k[1])


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_philox_gives_the_published_answers(
    counter: list[int], key: list[int], answer: list[int]
) -> None:
    words = philox(np.array(counter, np.uint64), np.array(key, np.uint64))
    assert [int(word) for word in words] == answer


def test_numbers_are_uniform() -> None:
    numbers = uniform(7, VIDS, "a", 3)
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert stats.kstest(numbers, "uniform").pvalue > 0.001


@pytest.mark.parametrize("other", [(8, "a", 3, 0), (7, "b", 3, 0), (7, "a", 4, 0), (7, "a", 3, 1)])
def test_another_seed_stream_tick_or_draw_is_unrelated(other: tuple[int, str, int, int]) -> None:
    seed, stream, tick, draw = other
    correlation = np.corrcoef(uniform(7, VIDS, "a", 3), uniform(seed, VIDS, stream, tick, draw))[
        0, 1
    ]
    assert abs(correlation) < 0.02


def test_order_and_company_do_not_matter() -> None:
    shuffled = np.random.default_rng(0).permutation(VIDS)
    by_vid = dict(zip(shuffled.tolist(), uniform(7, shuffled, "a", 3), strict=True))
    assert np.array_equal(uniform(7, VIDS, "a", 3), [by_vid[v] for v in VIDS.tolist()])
    assert uniform(7, VIDS[99:100], "a", 3)[0] == by_vid[100]


def test_stream_numbers_never_change() -> None:
    assert stream_number("periodic_turn") == 1927275297


def test_large_seeds_and_ticks_are_different_numbers() -> None:
    one = np.array([1], np.uint32)
    drawn = {
        uniform(seed, one, "a", tick)[0] for seed in (0, 2**32, 2**64 - 1) for tick in (0, 2**31)
    }
    assert len(drawn) == 6


def pairs(seed: int = 7, stream: str = "a", tick: int = 3, draw: int = 0) -> np.ndarray:
    draws = np.full(len(VIDS), draw, np.uint32)
    return uniform_pairs(seed, VIDS, VIDS[::-1].copy(), stream, tick, draws)


def test_a_pair_has_two_uniform_unrelated_numbers() -> None:
    one, two = pairs()
    assert stats.kstest(one, "uniform").pvalue > 0.001
    assert stats.kstest(two, "uniform").pvalue > 0.001
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.02


@pytest.mark.parametrize("other", [{"seed": 8}, {"stream": "b"}, {"tick": 4}, {"draw": 1}])
def test_pairs_of_another_seed_stream_tick_or_draw_are_unrelated(other: dict[str, object]) -> None:
    assert abs(np.corrcoef(pairs()[0], pairs(**other)[0])[0, 1]) < 0.02


def test_a_pair_the_other_way_round_is_another_pair() -> None:
    draws = np.zeros(len(VIDS), np.uint32)
    back = uniform_pairs(7, VIDS[::-1].copy(), VIDS, "a", 3, draws)
    assert abs(np.corrcoef(pairs()[0], back[0])[0, 1]) < 0.02
