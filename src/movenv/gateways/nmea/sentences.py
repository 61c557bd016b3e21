"""What single NMEA 0183 sentences say."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from movenv.gateways.fix import NAN, Unreadable
from movenv.gateways.nmea_sentence import KNOT, degrees, utc

_NUMBER = re.compile(r"[+-]?(\d{1,15}\.?\d{0,15}|\.\d{1,15})", re.ASCII)
_SOME_DAY = "010100"


@dataclass(frozen=True)
class Said:
    """nan where a sentence does not say it."""

    of_day: float = NAN
    """Seconds since midnight, UTC."""
    time: float = NAN
    """Seconds since 1970, from a sentence with a date."""
    void: bool = False
    """The receiver says that it does not know where it is."""
    lat: float = NAN
    lon: float = NAN
    alt: float = NAN
    speed: float = NAN
    course: float = NAN
    hdop: float = NAN
    sigma: float = NAN
    """Root of the summed squares of the standard deviations north and east, m."""
    vertical_sigma: float = NAN


def said_by(kind: str, fields: list[str]) -> Said:
    """`fields` after the address field. Raises Unreadable."""
    least, read = READERS[kind]
    if len(fields) < least:
        raise Unreadable("garbled")
    return read(fields + [""] * (13 - len(fields)))


def _rmc(f: list[str]) -> Said:
    lat, lon = _place(f[2:6])
    return Said(
        _of_day(f[0]),
        utc(f[0], f[8]) if f[0] and f[8] else NAN,
        f[1] != "A" or f[11] == "N",
        lat,
        lon,
        speed=_number(f[6]) * KNOT,
        course=_number(f[7]),
    )


def _gga(f: list[str]) -> Said:
    lat, lon = _place(f[1:5])
    return Said(
        _of_day(f[0]),
        void=f[5] in ("", "0"),
        lat=lat,
        lon=lon,
        alt=_number(f[8]),
        hdop=_number(f[7]),
    )


def _gns(f: list[str]) -> Said:
    """One more follows for each system, without a place and without a word on the fix."""
    lat, lon = _place(f[1:5])
    void = f[5] != "" and set(f[5]) == {"N"}
    return Said(_of_day(f[0]), NAN, void, lat, lon, _number(f[8]), hdop=_number(f[7]))


def _gll(f: list[str]) -> Said:
    lat, lon = _place(f[:4])
    return Said(_of_day(f[4]), NAN, f[5] == "V" or f[6] == "N", lat, lon)


def _vtg(f: list[str]) -> Said:
    if f[8] == "N":
        return Said()
    speed = NAN
    if f[5] == "N" and f[4]:
        speed = _number(f[4]) * KNOT
    elif f[7] == "K":
        speed = _number(f[6]) / 3.6
    return Said(speed=speed, course=_number(f[0]) if f[1] == "T" else NAN)


def _gst(f: list[str]) -> Said:
    north, east = _number(f[5]), _number(f[6])
    return Said(_of_day(f[0]), sigma=math.hypot(north, east), vertical_sigma=_number(f[7]))


def _zda(f: list[str]) -> Said:
    if not (f[0] and f[1] and f[2] and f[3]):
        return Said()
    return Said(_of_day(f[0]), utc(f[0], f[1].zfill(2) + f[2].zfill(2) + f[3][-2:]))


READERS: dict[str, tuple[int, Callable[[list[str]], Said]]] = {
    "GGA": (9, _gga),
    "GNS": (9, _gns),
    "RMC": (9, _rmc),
    "GLL": (4, _gll),
    "VTG": (8, _vtg),
    "GST": (8, _gst),
    "ZDA": (4, _zda),
}
"""By kind: how many fields it has at least, and who reads them. What stands first is preferred
where two sentences say the same thing."""


def _place(f: list[str]) -> tuple[float, float]:
    if not any(f):
        return NAN, NAN
    return degrees(f[0], f[1]), degrees(f[2], f[3])


def _of_day(text: str) -> float:
    return utc(text, _SOME_DAY) - utc("000000", _SOME_DAY) if text else NAN


def _number(text: str) -> float:
    if not text:
        return NAN
    if not _NUMBER.fullmatch(text):
        raise Unreadable("garbled")
    return float(text)
