import contextlib
import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from movenv.gateways.fix import Unreadable
from movenv.gateways.nmea_sentence import KNOT, checksum, degrees, utc


def test_the_checksum_of_the_best_known_sentences() -> None:
    rmc = "GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W"
    gga = "GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,"
    assert checksum(rmc) == 0x6A
    assert checksum(gga) == 0x47


@given(st.text())
def test_a_checksum_is_a_byte_whatever_the_text(text: str) -> None:
    assert 0 <= checksum(text) <= 255


@pytest.mark.parametrize(
    ("text", "hemisphere", "expected"),
    [
        ("4807.038", "N", 48 + 7.038 / 60),
        ("4807.038", "S", -48 - 7.038 / 60),
        ("01131.000", "E", 11 + 31 / 60),
        ("07402.499985", "W", -74 - 2.499985 / 60),
        ("4807", "N", 48 + 7 / 60),
        ("4807.", "N", 48 + 7 / 60),
        ("00.5", "N", 0.5 / 60),
        ("18000.000", "W", -180.0),
    ],
)
def test_degrees_and_minutes(text: str, hemisphere: str, expected: float) -> None:
    assert degrees(text, hemisphere) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "hemisphere"),
    [
        ("", "N"),
        ("4807.038", ""),
        ("4807.038", "X"),
        ("-4807.038", "N"),
        ("4860.000", "N"),
        ("9000.001", "N"),
        ("18000.001", "E"),
        ("nan", "N"),
        ("48o7.038", "N"),
        ("4807.0.38", "N"),
        ("4_07.038", "N"),
        ("4807.0e3", "N"),
        ("٤٨٠٧.٠", "N"),
        (".5", "N"),
        ("9" * 5000, "N"),
    ],
)
def test_no_degrees(text: str, hemisphere: str) -> None:
    with pytest.raises(Unreadable):
        degrees(text, hemisphere)


@pytest.mark.parametrize(
    ("hhmmss", "ddmmyy", "expected"),
    [
        ("123519", "230394", datetime(1994, 3, 23, 12, 35, 19, tzinfo=UTC)),
        ("123519.25", "230326", datetime(2026, 3, 23, 12, 35, 19, 250_000, tzinfo=UTC)),
        ("000000", "010180", datetime(1980, 1, 1, tzinfo=UTC)),
        ("235959", "311279", datetime(2079, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("235960", "311216", datetime(2017, 1, 1, tzinfo=UTC)),
    ],
)
def test_time_and_date(hhmmss: str, ddmmyy: str, expected: datetime) -> None:
    assert utc(hhmmss, ddmmyy) == pytest.approx(expected.timestamp(), abs=1e-6)


@pytest.mark.parametrize(
    ("hhmmss", "ddmmyy"),
    [
        ("", "230394"),
        ("123519", ""),
        ("243519", "230394"),
        ("126019", "230394"),
        ("123561", "230394"),
        ("123519", "310294"),
        ("123519", "001394"),
        ("12351", "230394"),
        ("12351x", "230394"),
        ("-12351", "230394"),
        ("123519.x", "230394"),
        ("123519", "2303944"),
    ],
)
def test_no_time(hhmmss: str, ddmmyy: str) -> None:
    with pytest.raises(Unreadable):
        utc(hhmmss, ddmmyy)


@given(st.text(max_size=12), st.text(max_size=8))
def test_nothing_else_is_raised(one: str, other: str) -> None:
    for read in (degrees, utc):
        with contextlib.suppress(Unreadable):
            assert math.isfinite(read(one, other))


def test_a_knot_is_a_sea_mile_an_hour() -> None:
    assert pytest.approx(1852, rel=1e-12) == KNOT * 3600
