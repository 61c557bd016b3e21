"""An RMC sentence in a slot of HyperIMU, whose commas have become dots or semicolons."""

import re
import time as clock
from dataclasses import dataclass

from movenv.gateways.fix import NAN, Fix, NothingInIt, Unreadable
from movenv.gateways.nmea_sentence import KNOT, checksum, degrees, utc


@dataclass(frozen=True, slots=True)
class Rmc:
    """What a sentence tells; nan where it does not."""

    lat: float
    lon: float
    time: float
    speed: float
    course: float


# Each field knows how many dots it may have of its own, so that all others are commas.
_NUMBER = r"(\d+(?:\.\d+)?|)"
_DOTTED = re.compile(
    r"([A-Z]{2}RMC)\.(\d{6}(?:\.\d+)?)\.(A)"
    r"\.(\d{4}(?:\.\d+)?)\.([NS])\.(\d{5}(?:\.\d+)?)\.([EW])"
    rf"\.{_NUMBER}\.{_NUMBER}\.(\d{{6}})"
    rf"\.{_NUMBER}\.([EW]?)(?:\.([A-Z]?))?(?:\.([A-Z]?))?",
    re.ASCII,
)
_VOID = re.compile(r"..RMC[.;][\d.]*[.;]V[.;]", re.ASCII)
_MODE = 12


def read_rmc(slot: str) -> Rmc:
    """Of `$GPRMC.123519.A.4807.038.N.01131.000.E.022.4.084.4.230394.003.1.W*6A`.

    Raises Unreadable.
    """
    body, _, told = slot[1:].partition("*")
    if _VOID.match(body):
        raise NothingInIt("no fix")
    dotted = ";" not in body
    fields = _undotted(body) if dotted else body.split(";")
    if len(fields) < 10 or fields[2] != "A":
        raise Unreadable("garbled")
    if f"{checksum(','.join(fields)):02X}" != told.strip().upper():
        raise Unreadable("bad checksum")
    if len(fields) > _MODE and fields[_MODE] == "N":
        raise NothingInIt("no fix")
    try:
        knots, course = _motion(fields[7], fields[8], dotted)
        return Rmc(
            degrees(fields[3], fields[4]),
            degrees(fields[5], fields[6]),
            utc(fields[1], fields[9]),
            knots * KNOT,
            course,
        )
    except ValueError as error:  # as Unreadable is
        raise Unreadable("garbled") from error


def _undotted(body: str) -> list[str]:
    """The fields of a sentence; none if there is no way to read it."""
    match = _DOTTED.fullmatch(body)
    return [field for field in match.groups() if field is not None] if match else []


def _motion(knots: str, course: str, dotted: bool) -> tuple[float, float]:
    """Speed and course; neither where one dot between three numbers may belong to either.

    Then 1.2.3 is 1.2 and 3, or 1 and 2.3, and the checksum is the same.
    """
    if dotted and knots and course and "." in knots and "." not in course:
        whole, _, fraction = knots.partition(".")
        if int(fraction) >= 360:
            return float(knots), float(course)
        if int(course) > 360:
            return float(whole), float(f"{fraction}.{course}")
        return NAN, NAN
    return float(knots or NAN), float(course or NAN)


def dotted_rmc(fix: Fix) -> str:
    """The sentence of a fix with a time, with dots for commas."""
    days, hundredths = divmod(round(fix.time * 100.0), 8_640_000)
    minutes, hundredths = divmod(hundredths, 6000)
    hours, minutes = divmod(minutes, 60)
    fields = [
        "GPRMC",
        f"{hours:02d}{minutes:02d}{hundredths // 100:02d}.{hundredths % 100:02d}",
        "A",
        _angle(fix.lat, 2),
        "S" if fix.lat < 0.0 else "N",
        _angle(fix.lon, 3),
        "W" if fix.lon < 0.0 else "E",
        f"{fix.speed / KNOT:.3f}" if fix.speed == fix.speed else "",
        f"{fix.course:.2f}" if fix.course == fix.course else "",
        clock.strftime("%d%m%y", clock.gmtime(days * 86_400)),
        "",
        "",
        "A",
    ]
    return f"${'.'.join(fields)}*{checksum(','.join(fields)):02X}"


def _angle(value: float, digits: int) -> str:
    whole, rest = divmod(round(abs(value) * 6_000_000.0), 6_000_000)
    return f"{whole:0{digits}d}{rest // 100_000:02d}.{rest % 100_000:05d}"
