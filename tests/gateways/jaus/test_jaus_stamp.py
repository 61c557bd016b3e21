"""Time stamps, which leave out year and month."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from movenv.gateways.jaus.stamp import Stamp, stamp_at, stamp_of_bits, time_of


def test_a_time_stamp_by_hand() -> None:
    """15 November 2026, 13:59:58.999 UTC."""
    time = 1_794_751_198.999
    stamp = stamp_at(time)
    assert stamp == Stamp(15, 13, 59, 58, 999)
    assert stamp.bits() == 999 + (58 << 10) + (59 << 16) + (13 << 22) + (15 << 27)
    assert time_of(stamp, time + 3600) == pytest.approx(time, abs=1e-6)


@given(st.floats(1e9, 4e9), st.floats(-10 * 86_400, 10 * 86_400))
def test_a_time_stamp_is_of_the_nearest_month(time: float, late: float) -> None:
    assert time_of(stamp_at(time), time + late) == pytest.approx(time, abs=6e-4)


def test_a_time_that_no_clock_shows_is_not_known() -> None:
    assert math.isnan(time_of(Stamp(0, 0, 0, 0, 0), 1.7e9))
    assert math.isnan(time_of(Stamp(1, 24, 0, 0, 0), 1.7e9))
    assert math.isnan(time_of(stamp_of_bits(2**32 - 1), 1.7e9))
