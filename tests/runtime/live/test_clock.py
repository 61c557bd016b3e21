"""When ticks are due, and how far clocks are apart."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from movenv.runtime.live.clock import SECOND, ClockOffset, Schedule, loss_after

TICKS = st.integers(0, 10**7)
PACES = st.one_of(st.floats(1e6, 1e10), st.sampled_from([1e8, 1e8 / 3, 1e8 / 7, 1e9 / 30]))
TIMES = st.integers(0, 10**17)


@given(TICKS, TIMES, PACES, TICKS)
@example(0, 0, 4950788335.0, 1819348)
def test_a_tick_is_the_latest_from_when_it_is_due(at: int, when: int, pace: float, k: int) -> None:
    schedule = Schedule(at, when, pace)
    due = schedule.due(at + k)
    assert schedule.latest(due) == at + k
    assert schedule.latest(due - 1) == at + k - 1
    assert schedule.latest(due + int(pace) - 20) == at + k


@given(TICKS, TIMES, PACES, TICKS)
def test_lateness_does_not_add_up(at: int, when: int, pace: float, k: int) -> None:
    exact = when + k * pace.as_integer_ratio()[0] / pace.as_integer_ratio()[1]
    assert abs(Schedule(at, when, pace).due(at + k) - exact) <= max(1, exact * 1e-15)


def test_before_its_anchor_nothing_is_due() -> None:
    assert Schedule(5, 1000, 100.0).latest(999) == 4


@given(
    st.integers(-(10**15), 10**15),
    st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), min_size=1, max_size=200),
)
def test_the_offset_is_right_to_within_its_uncertainty(
    truth: int, delays: list[tuple[int, int]]
) -> None:
    offset = ClockOffset()
    now = 10**16
    for there, back in delays:
        sent, received = now, now + there + truth
        answered = received + 5_000_000
        now = now + there + 5_000_000 + back
        offset.sample(sent, received, answered, now)
        assert abs(offset.ahead - truth) <= offset.uncertainty(now)
    shortest = min(there + back for there, back in delays[-ClockOffset.WINDOW :])
    slack = ClockOffset.DRIFT * 2 * SECOND * ClockOffset.WINDOW * 2
    assert offset.uncertainty(now) <= shortest / 2 + 1 + slack


def test_nothing_is_known_before_anything_was_answered_and_after_forgetting() -> None:
    offset = ClockOffset()
    assert (offset.ahead, offset.uncertainty(7)) == (0, 0)
    offset.sample(100, 5100, 5100, 110)
    assert offset.ahead == 4995
    offset.forget()
    assert offset.ahead == 0


def test_an_answer_that_took_less_than_no_time_is_none() -> None:
    offset = ClockOffset()
    offset.sample(sent=100, received=0, answered=50, now=120)
    assert offset.ahead == 0


def test_an_old_exchange_gives_way_to_a_newer_one_that_says_more() -> None:
    offset = ClockOffset()
    offset.sample(0, 0, 0, 10)
    offset.sample(60 * SECOND, 60 * SECOND + 6_000_000, 60 * SECOND + 6_000_000, 60 * SECOND + 10)
    assert offset.ahead == pytest.approx(6_000_000, abs=10)


def test_silence_is_never_less_than_a_few_ticks() -> None:
    assert loss_after(1.0, 0.1 * SECOND) == SECOND
    assert loss_after(1.0, 10 * SECOND) == 30 * SECOND
