"""Whatever comes, in whatever order and batches: the motion is finite and its kind can do it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.gateways.config import Entry, LiveConfig
from movenv.gateways.fix import Fix, sound_fix
from movenv.gateways.limits import limits_of
from movenv.gateways.tracker import Outcome, Trackers
from movenv.world.frames import Frame
from movenv.world.kinds import Kind
from movenv.world.messages import Heard

FRAME = Frame(29.19, -81.05)
EPOCH = 1.75e9
KINDS = [
    Kind.parse(kind)
    for kind in (
        "pedestrian", "ground", "surface", "underwater", "aerial/rotorcraft", "aerial/fixedwing",
    )
]  # fmt: skip
TOP = np.array([limits_of(kind).max_speed for kind in KINDS])

number = st.one_of(st.just(math.nan), st.floats(0, 500))
some_fix = st.builds(
    sound_fix,
    lat=st.one_of(st.floats(29.1899, 29.1901), st.floats(1, 89), st.floats(-89, -1)),
    lon=st.one_of(st.floats(-81.0501, -81.0499), st.floats(-180, 180)),
    time=st.one_of(st.just(math.nan), st.floats(EPOCH - 20, EPOCH + 60), st.floats(1, 2e9)),
    alt=st.one_of(st.just(math.nan), st.floats(-11_000, 90_000)),
    speed=number,
    course=number,
    accuracy=st.one_of(st.just(math.nan), st.floats(1e-6, 9e6)),
    vertical_accuracy=number,
    battery=st.floats(0, 1),
    sequence=st.integers(-1, 2**53),
)
arrivals = st.lists(
    st.tuples(st.integers(1, len(KINDS)), some_fix, st.floats(0, 3)), min_size=1, max_size=40
)


def all_kinds(clock: str) -> Trackers:
    config = LiveConfig.model_validate({"type": "test", "clock": clock, "height": "fix"})
    return Trackers(FRAME, [Entry(i + 1, str(kind), kind, config) for i, kind in enumerate(KINDS)])


def must_be_the_same_and_sound(one: Trackers, other: Trackers, utc: float) -> None:
    for ours, theirs in zip(one.state(utc), other.state(utc), strict=True):
        for (name, mine), (_, yours) in zip(ours.columns(), theirs.columns(), strict=True):
            assert mine.tobytes() == yours.tobytes(), name
    motions, _ = one.state(utc)
    for name, column in motions.columns():
        assert np.isfinite(column).all(), name
    top = TOP[motions.vid.astype(int) - 1] * 1.000001
    assert (np.hypot(motions.vx, motions.vy) <= top).all()
    assert (np.abs(motions.vz) <= top).all()


@settings(deadline=None, max_examples=200)
@given(arrivals, st.sampled_from(["fix", "arrival"]), st.floats(-3, 100))
def test_whatever_comes_in_whatever_batches_the_motion_is_sound(
    coming: list[tuple[int, Fix, float]], clock: str, later: float
) -> None:
    vid, fixes, gaps = (list(column) for column in zip(*coming, strict=True))
    at = (EPOCH + np.cumsum(gaps)).tolist()
    whole, single = all_kinds(clock), all_kinds(clock)
    together = whole.take(vid, fixes, at)
    apart = [single.take([v], [f], [a])[0] for v, f, a in zip(vid, fixes, at, strict=True)]
    assert together.tolist() == apart
    must_be_the_same_and_sound(whole, single, at[-1] + later)
    motions, receptions = whole.state(at[-1] + later)
    for row, own in enumerate(range(1, len(KINDS) + 1)):
        mine = together[np.array(vid) == own]
        accepted = int((mine == Outcome.ACCEPTED).sum())
        assert receptions.accepted[row] == accepted
        assert receptions.rejected[row] == len(mine) - accepted
        assert (own in motions.vid) == (accepted > 0) == (receptions.heard[row] != Heard.NEVER)
    known = receptions.loss[np.isfinite(receptions.loss)]
    assert ((known >= 0) & (known <= 1)).all()


@pytest.mark.parametrize("seed", range(40))
def test_long_streams_in_batches_of_any_size_give_the_same_bits(seed: int) -> None:
    rng, count = np.random.default_rng(seed), 300
    clock = ("fix", "arrival")[seed % 2]
    whole, parts = all_kinds(clock), all_kinds(clock)
    at = EPOCH + np.cumsum(rng.exponential(0.3, count))
    vid, spread = rng.integers(1, 7, count), 10.0 ** rng.uniform(-1, 4)
    lat, lon, alt = FRAME.to_geodetic(*rng.normal(0, spread, (3, count)))
    time = np.where(rng.random(count) < 0.8, at - rng.uniform(-3, 2, count), math.nan)
    speed = np.where(rng.random(count) < 0.5, rng.uniform(0, 12, count), math.nan)
    course = np.where(rng.random(count) < 0.5, rng.uniform(0, 360, count), math.nan)
    accuracy = 10.0 ** rng.uniform(-7, 4, count)
    fixes = [
        sound_fix(
            lat[k], lon[k], time=time[k], alt=alt[k], speed=speed[k], course=course[k],
            accuracy=accuracy[k],
        )
        for k in range(count)
    ]  # fmt: skip
    together, apart, k = whole.take(vid.tolist(), fixes, at.tolist()), [], 0
    while k < count:
        some = slice(k, k := k + int(rng.integers(1, 9)))
        apart += parts.take(vid[some].tolist(), fixes[some], at[some].tolist()).tolist()
        must_be_the_same_and_sound(parts, parts, float(at[min(k, count) - 1]) - 0.7)
    assert together.tolist() == apart
    assert (together == Outcome.ACCEPTED).sum() > 20
    for later in (-5.0, 0.0, 30.0):
        must_be_the_same_and_sound(whole, parts, at[-1] + later)
