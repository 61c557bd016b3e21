"""A line of SensorLog (iOS).

logging time, sample number, 0, time of the location, latitude, longitude, altitude, speed, course,
vertical accuracy, horizontal accuracy, floor, [battery state, battery level], [label]
"""

import contextlib

from movenv.gateways.fix import NAN, Fix, NothingInIt, Unreadable, sound_fix

_UP_TO_FLOOR = 12


def is_sensorlog(fields: list[str]) -> bool:
    """Begins with a time in seconds and a count, as no line of HyperIMU does."""
    if len(fields) < _UP_TO_FLOOR or not fields[1].isdigit():
        return False
    try:
        return 1e8 < float(fields[0]) < 1e11
    except ValueError:
        return False


def read_sensorlog(fields: list[str]) -> Fix:
    """Raises Unreadable."""
    try:
        time, lat, lon, alt, speed, course, vertical, horizontal = map(float, fields[3:11])
    except ValueError as error:
        blank = not any(map(str.strip, fields[4:6]))
        raise (NothingInIt("no fix") if blank else Unreadable("garbled")) from error
    if horizontal < 0.0:  # so iOS says that the place is not valid
        raise NothingInIt("no fix")
    battery, device = _battery_and_label(fields[_UP_TO_FLOOR:])
    return sound_fix(
        lat,
        lon,
        time=time,
        alt=alt if vertical >= 0.0 else NAN,
        speed=speed,
        course=course,
        accuracy=horizontal,
        vertical_accuracy=vertical,
        battery=battery,
        device=device,
        sequence=int(fields[1]) if len(fields[1]) < 16 else -1,
    )


def _battery_and_label(rest: list[str]) -> tuple[float, str]:
    battery = NAN
    if len(rest) > 1:
        with contextlib.suppress(ValueError):
            battery = float(rest[1])
    label = rest[-1].strip().strip('"') if rest else ""
    return battery, label if _is_word(label) else ""


def _is_word(label: str) -> bool:
    """SensorLog counts labels unless somebody gives them names."""
    try:
        float(label)
    except ValueError:
        return bool(label)
    return False


def encode_sensorlog(fix: Fix, *, logged: float | None = None) -> bytes:
    """As an iPhone would send it, `logged` seconds since 1970, or just when it was measured.

    What the app cannot leave out is -1, or 0 where -1 would say that there is no place.
    """
    measured = _or(fix.time, 0.0)
    at = measured or 1e9 if logged is None else logged  # no log is without a time
    has_alt = fix.alt == fix.alt
    fields = [
        f"{at:.6f}",
        str(max(fix.sequence, 0)),
        "0",
        f"{measured:.6f}",
        f"{fix.lat:.8f}",
        f"{fix.lon:.8f}",
        f"{_or(fix.alt, 0.0):.3f}",
        f"{_or(fix.speed, -1.0):.3f}",
        f"{_or(fix.course, -1.0):.3f}",
        f"{_or(fix.vertical_accuracy, 0.0) if has_alt else -1.0:.3f}",
        f"{_or(fix.accuracy, 0.0):.3f}",
        "-9999",
        "1",
        f"{_or(fix.battery, -1.0):.3f}",
        fix.device if _is_word(fix.device) else "0",
    ]
    return (",".join(fields) + "\r\n").encode()


def _or(value: float, otherwise: float) -> float:
    return value if value == value else otherwise
