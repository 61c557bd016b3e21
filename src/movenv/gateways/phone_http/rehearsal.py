"""Requests as the apps would send them, in the resolution they have."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import urlencode

import msgspec

from movenv.gateways.fix import Fix
from movenv.gateways.nmea_sentence import KNOT
from movenv.gateways.phone_http.json_apps import KMH
from movenv.gateways.phone_http.post import Post, basic

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"


def encode_sensor_logger(fix: Fix) -> Post:
    values = {
        "latitude": fix.lat,
        "longitude": fix.lon,
        "altitude": _or(fix.alt, 0.0),
        "speed": _or(fix.speed, -1.0),
        "bearing": _or(fix.course, -1.0),
        "horizontalAccuracy": _or(fix.accuracy, 0.0),
        "verticalAccuracy": _vertical(fix),
    }
    payload: list[dict[str, object]] = [
        {"name": "location", "time": round(_or(fix.time, 0.0) * 1e9), "values": values}
    ]
    if math.isfinite(fix.battery):
        payload.append({"name": "battery", "time": 0, "values": {"batteryLevel": fix.battery}})
    message = {"messageId": 1, "sessionId": "1", "deviceId": fix.device, "payload": payload}
    authorization = f"Bearer {fix.token}" if fix.token else ""
    return Post("/", "", msgspec.json.encode(message), _JSON, authorization)


def encode_owntracks(fix: Fix) -> Post:
    """Android names the device in a header, which must be ASCII; iOS names it in the topic."""
    message = {
        "_type": "location",
        "lat": round(fix.lat, 7),
        "lon": round(fix.lon, 7),
        "tst": _rounded(fix.time),
        "alt": _rounded(fix.alt),
        "vel": _rounded(fix.speed / KMH),
        "cog": _rounded(fix.course),
        "acc": _rounded(fix.accuracy),
        "vac": _rounded(fix.vertical_accuracy),
        "batt": _rounded(fix.battery * 100.0),
        "tid": fix.device[-2:],
        "topic": None if fix.device.isascii() else f"owntracks/user/{fix.device}",
    }
    return Post(
        "/pub",
        "",
        msgspec.json.encode({key: value for key, value in message.items() if value is not None}),
        _JSON,
        basic(fix.device, fix.token) if fix.token else "",
        device=fix.device if fix.device.isascii() else "",
    )


def encode_traccar(fix: Fix) -> Post:
    location = {
        "timestamp": _iso(fix.time),
        "coords": {
            "latitude": fix.lat,
            "longitude": fix.lon,
            "accuracy": _or(fix.accuracy, 0.0),
            "altitude": None if math.isnan(fix.alt) else fix.alt,
            "speed": _or(fix.speed, -1.0),
            "heading": _or(fix.course, -1.0),
        },
        "is_moving": fix.speed > 0.5,
        "battery": {"level": _or(fix.battery, -1.0), "is_charging": False},
    }
    body = msgspec.json.encode({"location": location, "device_id": fix.device})
    return Post(f"/t/{fix.token}" if fix.token else "/", "", body, _JSON)


def encode_osmand(fix: Fix) -> Post:
    given = {
        "id": fix.device,
        "timestamp": _rounded(fix.time),
        "lat": f"{fix.lat:.7f}",
        "lon": f"{fix.lon:.7f}",
        "speed": _text(fix.speed / KNOT, 3),
        "bearing": _text(fix.course, 3),
        "altitude": _text(fix.alt, 3),
        "accuracy": _text(fix.accuracy, 3),
        "batt": _text(fix.battery * 100.0, 1),
        "token": fix.token,
    }
    return Post(query=_query(given))


def encode_gpslogger(fix: Fix) -> Post:
    given = {
        "lat": f"{fix.lat:.7f}",
        "lon": f"{fix.lon:.7f}",
        "sat": 9,
        "desc": "",
        "alt": _text(_or(fix.alt, 0.0), 3),
        "acc": _text(_or(fix.accuracy, 0.0), 3),
        "dir": _text(_or(fix.course, 0.0), 3),
        "prov": "network" if math.isnan(fix.speed) else "gps",
        "spd": _text(_or(fix.speed, 0.0), 3),
        "timestamp": int(fix.time) if math.isfinite(fix.time) else None,
        "time": _iso(fix.time),
        "batt": _text(fix.battery * 100.0, 1),
        "aid": fix.device,
    }
    authorization = basic(fix.device, fix.token) if fix.token else ""
    return Post("/log", "", _query(given).encode(), _FORM, authorization)


def encode_sensorlog(fix: Fix) -> Post:
    message = {
        "loggingSample": str(max(fix.sequence, 0)),
        "locationTimestamp_since1970": f"{_or(fix.time, 0.0):.6f}",
        "locationLatitude": f"{fix.lat:.8f}",
        "locationLongitude": f"{fix.lon:.8f}",
        "locationAltitude": f"{_or(fix.alt, 0.0):.3f}",
        "locationSpeed": f"{_or(fix.speed, -1.0):.3f}",
        "locationCourse": f"{_or(fix.course, -1.0):.3f}",
        "locationHorizontalAccuracy": f"{_or(fix.accuracy, 0.0):.3f}",
        "locationVerticalAccuracy": f"{_vertical(fix):.3f}",
        "batteryLevel": f"{_or(fix.battery, -1.0):.3f}",
        "label": fix.device,
    }
    query = urlencode({"token": fix.token}) if fix.token else ""
    return Post("/", query, msgspec.json.encode(message), _JSON)


def _or(value: float, otherwise: float) -> float:
    return value if value == value else otherwise


def _vertical(fix: Fix) -> float:
    """iOS says by -1 that there is no altitude."""
    return -1.0 if math.isnan(fix.alt) else _or(fix.vertical_accuracy, 0.0)


def _rounded(value: float) -> int | None:
    return round(value) if math.isfinite(value) else None


def _text(value: float, digits: int) -> str | None:
    return f"{value:.{digits}f}" if math.isfinite(value) else None


def _iso(time: float) -> str | None:
    if not math.isfinite(time):
        return None
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _query(given: Mapping[str, object]) -> str:
    return urlencode({name: value for name, value in given.items() if value not in (None, "")})
