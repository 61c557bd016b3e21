"""The pieces of an NMEA 0183 sentence that more than one gateway meets."""

from calendar import timegm
from datetime import date
from functools import lru_cache, reduce
from operator import xor

from movenv.gateways.fix import Unreadable

KNOT = 1852 / 3600
"""m/s."""

_SIGNS = {"N": 1.0, "S": -1.0, "E": 1.0, "W": -1.0}


def checksum(text: str) -> int:
    """Of what stands between `$` and `*`."""
    return reduce(xor, text.encode("latin-1", "replace"), 0)


def degrees(text: str, hemisphere: str) -> float:
    """Signed degrees of ddmm.mmmm or dddmm.mmmm and N, S, E or W. Raises Unreadable."""
    whole, _, fraction = text.partition(".")
    sign = _SIGNS.get(hemisphere)
    if sign is None or not _digits(whole) or not _digits(fraction or "0"):
        raise Unreadable("garbled")
    minutes = float(f"{whole[-2:]}.{fraction}")
    angle = int(whole[:-2] or "0") + minutes / 60.0
    if minutes >= 60.0 or angle > (90.0 if hemisphere in "NS" else 180.0):
        raise Unreadable("garbled")
    return sign * angle


def utc(hhmmss: str, ddmmyy: str) -> float:
    """Seconds since 1970 of a time of day, perhaps with a fraction, and a date.

    The years 80 to 99 are of the last century. Raises Unreadable.
    """
    whole, _, fraction = hhmmss.partition(".")
    if len(whole) != 6 or not _digits(whole) or not _digits(fraction or "0"):
        raise Unreadable("garbled")
    hour, minute, second = int(whole[:2]), int(whole[2:4]), float(f"{whole[4:]}.{fraction}")
    if hour > 23 or minute > 59 or second >= 61.0:  # 60 is a leap second
        raise Unreadable("garbled")
    return _midnight(ddmmyy) + 3600.0 * hour + 60.0 * minute + second


@lru_cache(maxsize=64)
def _midnight(ddmmyy: str) -> float:
    if len(ddmmyy) != 6 or not _digits(ddmmyy):
        raise Unreadable("garbled")
    year = int(ddmmyy[4:])
    try:
        day = date(year + (1900 if year >= 80 else 2000), int(ddmmyy[2:4]), int(ddmmyy[:2]))
    except ValueError as error:
        raise Unreadable("garbled") from error
    return float(timegm(day.timetuple()))


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20
