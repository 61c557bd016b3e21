"""Apps that write a query or a form: OsmAnd and Traccar Client to version 8, GPSLogger."""

from collections.abc import Mapping

from movenv.gateways.fix import NAN, Fix, NothingInIt, Unreadable
from movenv.gateways.nmea_sentence import KNOT
from movenv.gateways.phone_http.values import epoch, first_number, first_word, number, placed_fix

_FALSE = ("false", "0")


def read_query(given: Mapping[str, str]) -> Fix:
    """Raises Unreadable."""
    if "lat" not in given and "location" not in given:
        if set(given) <= {"token"}:
            raise NothingInIt("no location")
        raise Unreadable("unknown format")
    if given.get("valid", "").lower() in _FALSE:
        raise NothingInIt("no fix")
    return _gpslogger(given) if "spd" in given or "prov" in given else _osmand(given)


def _osmand(given: Mapping[str, str]) -> Fix:
    lat, lon = number(given.get("lat")), number(given.get("lon"))
    if "location" in given:
        lat, lon = map(number, (given["location"] + ",").split(",")[:2])
    return placed_fix(
        lat,
        lon,
        time=epoch(given.get("timestamp")),
        alt=first_number(given, "altitude", "alt"),
        speed=number(given.get("speed")) * KNOT,
        course=first_number(given, "bearing", "heading"),
        accuracy=first_number(given, "accuracy", "acc"),
        battery=number(given.get("batt")) / 100.0,
        device=first_word(given, "id", "deviceid", "device_id"),
    )


def _gpslogger(given: Mapping[str, str]) -> Fix:
    alt, speed, course = (number(given.get(name)) for name in ("alt", "spd", "dir"))
    # Android says 0 for what it does not know.
    if alt == 0.0:
        alt = NAN
    if given.get("prov", "").lower() == "network":
        speed = course = NAN
    elif speed == course == 0.0:
        course = NAN
    return placed_fix(
        number(given.get("lat")),
        number(given.get("lon")),
        time=_time(given),
        alt=alt,
        speed=speed,
        course=course,
        accuracy=number(given.get("acc")),
        battery=number(given.get("batt")) / 100.0,
        device=first_word(given, "id", "device", "aid", "ser"),
    )


def _time(given: Mapping[str, str]) -> float:
    """`timestamp` is cut to whole seconds; `time` is not, but may be local."""
    whole, exact = epoch(given.get("timestamp")), epoch(given.get("time"))
    if whole != whole:
        return exact
    return exact if 0.0 <= exact - whole < 1.0 else whole
