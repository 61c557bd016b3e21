"""Scaled integers against exact fractions."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from movenv.gateways.jaus.scaled import Dialect, Scale

SCALES = [
    Scale(-90.0, 90.0, 4),
    Scale(-10_000.0, 35_000.0, 4),
    Scale(0.0, 100.0, 4),
    Scale(-math.pi, math.pi, 2),
    Scale(-32.768, 32.767, 2),
    Scale(0.0, 1092.0, 2),
    Scale(0.0, 100.0, 1),
]


def exact(scale: Scale, dialect: Dialect, count: int) -> Fraction:
    """By the definitions: bias and scale factor."""
    low, high = Fraction(scale.low), Fraction(scale.high)
    counts = 256**scale.size
    if dialect is Dialect.REFERENCE and low < 0:
        return count * (high - low) / (counts - 2) + (high + low) / 2
    return count * (high - low) / (counts - 1) + low


def count_of(data: bytes, scale: Scale, dialect: Dialect) -> int:
    signed = dialect is Dialect.REFERENCE and scale.low < 0
    return int.from_bytes(data, "little", signed=signed)


@pytest.mark.parametrize("dialect", Dialect)
@given(scale=st.sampled_from(SCALES), share=st.floats(0, 1))
def test_the_nearest_count_is_written(dialect: Dialect, scale: Scale, share: float) -> None:
    value = min(scale.low + share * (scale.high - scale.low), scale.high)
    count = count_of(scale.write(value, dialect), scale, dialect)
    off = abs(exact(scale, dialect, count) - Fraction(value))
    assert off <= Fraction(scale.quantum(dialect)) / 2 * (1 + Fraction(1, 10**5))


@pytest.mark.parametrize("dialect", Dialect)
@given(scale=st.sampled_from(SCALES), data=st.binary(min_size=4, max_size=4))
def test_what_is_read_is_written_again(dialect: Dialect, scale: Scale, data: bytes) -> None:
    data = data[: scale.size]
    count = count_of(data, scale, dialect)
    value = scale.read(data, dialect)
    assert scale.low <= value <= scale.high
    if count != -(256**scale.size) // 2:
        assert scale.write(value, dialect) == data
        assert abs(Fraction(value) - exact(scale, dialect, count)) < scale.quantum(dialect) / 1e5


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("scale", SCALES)
def test_beyond_the_range_is_its_limit(dialect: Dialect, scale: Scale) -> None:
    for beyond, limit in ((-math.inf, scale.low), (math.inf, scale.high)):
        assert scale.write(beyond, dialect) == scale.write(limit, dialect)
        assert scale.read(scale.write(beyond, dialect), dialect) == pytest.approx(limit, abs=1e-11)


def test_both_dialects_by_hand() -> None:
    latitude = Scale(-90.0, 90.0, 4)
    assert latitude.write(0.0, Dialect.REFERENCE) == bytes(4)
    assert latitude.write(90.0, Dialect.REFERENCE).hex() == "ffffff7f"
    assert latitude.write(-90.0, Dialect.REFERENCE).hex() == "01000080"
    assert latitude.write(-90.0, Dialect.SAE) == bytes(4)
    assert latitude.write(90.0, Dialect.SAE).hex() == "ffffffff"
    yaw = Scale(-math.pi, math.pi, 2)
    assert yaw.write(math.pi / 2, Dialect.REFERENCE).hex() == "0040", "16383.5, to the even one"
    assert yaw.write(math.pi / 2, Dialect.SAE).hex() == "ffbf", "49151.25"


def test_the_count_that_nobody_should_write_is_the_lower_limit() -> None:
    assert Scale(-90.0, 90.0, 4).read(bytes.fromhex("00000080"), Dialect.REFERENCE) == -90.0
