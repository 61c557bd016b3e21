"""The paper's first experiment keeps its promises over many seeds, and the check has power."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from movenv.testing import drive

LENGTH = 2.0
HALF_SIDE = 50.0
SETTLED = 15.0
DURATION = 600
FEW, MANY = range(1, 3), range(1, 101)


@dataclass(frozen=True)
class Outcome:
    seed: int
    closest: float
    longest_outside: float
    close_calls: int


def watch(seed: int, avoid: bool) -> Outcome:
    """Run one seed; distances are exact between ticks for straight motion within a tick."""
    changes = [f"seed={seed}", f"time.duration={DURATION}"]
    if not avoid:
        changes.append("vehicles.uav.behaviors.avoid=null")
    seen = drive("three-uavs", *changes)
    settled = seen.t >= SETTLED
    places = np.array([seen.place(name)[settled] for name in seen.names])
    gaps = [segment_minimum(places[a] - places[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    outside = (np.abs(places[:, :, :2]) > HALF_SIDE).any(axis=2)
    return Outcome(
        seed,
        min(float(gap.min()) for gap in gaps),
        max(longest_run(row) for row in outside) * 0.1,
        sum(int(np.count_nonzero((gap[1:] < LENGTH) & (gap[:-1] >= LENGTH))) for gap in gaps),
    )


def segment_minimum(gap: np.ndarray) -> np.ndarray:
    """The distance from the origin to each segment of a path of relative positions."""
    start, along = gap[:-1], np.diff(gap, axis=0)
    square = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(-(start * along).sum(axis=1) / square, 0.0, 1.0)
    return np.linalg.norm(start + share[:, None] * along, axis=1)


def longest_run(flags: np.ndarray) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def watch_all(seeds: range, avoid: bool) -> list[Outcome]:
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(watch, seeds, [avoid] * len(seeds)))


def assert_kept_clear(seeds: range) -> None:
    outcomes = watch_all(seeds, avoid=True)
    closest = min(outcomes, key=lambda o: o.closest)
    outside = max(outcomes, key=lambda o: o.longest_outside)
    print(
        f"\nwith avoid, {len(seeds)} seeds: closest {closest.closest:.2f} m (seed {closest.seed}), "
        f"longest outside {outside.longest_outside:.1f} s (seed {outside.seed})"
    )
    assert closest.closest > LENGTH
    assert outside.longest_outside < 30.0
    bare = watch_all(seeds, avoid=False)
    runs = sum(o.closest < LENGTH for o in bare)
    calls, nearest = sum(o.close_calls for o in bare), min(o.closest for o in bare)
    print(
        f"without avoid: {runs} of {len(seeds)} seeds with a pair closer than {LENGTH} m, "
        f"{calls} such approaches, closest {nearest:.2f} m"
    )
    assert runs > len(seeds) / 4


def test_segment_minimum_sees_what_happens_between_samples() -> None:
    gap = np.array([[-1.0, 0.5, 0.0], [1.0, 0.5, 0.0]])
    assert segment_minimum(gap) == pytest.approx([0.5])


@pytest.mark.long
def test_a_few_seeds_keep_clear_and_come_back() -> None:
    assert_kept_clear(FEW)


@pytest.mark.soak
def test_a_hundred_seeds_keep_clear_and_come_back() -> None:
    assert_kept_clear(MANY)
