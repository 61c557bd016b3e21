"""GPX files, and the points that are played."""

import math
from bisect import bisect_right
from datetime import UTC, datetime
from xml.etree.ElementTree import ParseError, XMLParser

import msgspec

from movenv.gateways.fix import NAN, Fix, Unreadable, sound_fix
from movenv.gateways.part import Track

EARTH = 6_371_009.0
"""Mean radius, m."""
STILL = 0.1
"""Slower than this, m/s, is nowhere to go."""


class Point(msgspec.Struct):
    """As it is written down when it is played; null is not known."""

    lat: float
    lon: float
    t: float
    alt: float | None = None
    speed: float | None = None
    course: float | None = None


_decoder = msgspec.json.Decoder(Point)


def read_gpx(data: bytes, speed: float | None = None) -> Track:
    """All segments of all tracks in one, or the routes of a file without tracks.

    Where points have no time they follow each other at `speed`, m/s. Raises Unreadable in words.
    """
    reader = _Reader()
    # Its class in typeshed wants a builder of elements, but any with these methods will do.
    parser = XMLParser(target=reader)  # type: ignore[type-var, unused-ignore]
    try:
        parser.feed(data)
        parser.close()
    except (ParseError, ValueError, LookupError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable(f"no XML: {error}") from error
    if not reader.seen:
        raise Unreadable("not a GPX file")
    points = reader.points["trkpt"] or reader.points["rtept"]
    if not points:
        raise Unreadable("no track and no route in it")
    return _track([_sound(number, point) for number, point in enumerate(points, 1)], speed)


def position(track: Track, t: float) -> tuple[float, float, float, float, float]:
    """lat, lon, alt, speed and course at `t`, straight on between two points."""
    last = len(track.t) - 1
    i = min(max(bisect_right(track.t, t) - 1, 0), last)
    j = min(i + 1, last)
    if i == j:
        return track.lat[i], track.lon[i], track.alt[i], 0.0, NAN
    span = track.t[j] - track.t[i]
    part = min(max((t - track.t[i]) / span, 0.0), 1.0)
    across = _wrapped(track.lon[j] - track.lon[i])
    lat = track.lat[i] + part * (track.lat[j] - track.lat[i])
    lon = _wrapped(track.lon[i] + part * across)
    alt = track.alt[i] + part * (track.alt[j] - track.alt[i])
    north, east = _metres(track.lat[i], track.lon[i], track.lat[j], track.lon[j])
    speed = math.hypot(north, east) / span
    course = math.degrees(math.atan2(east, north)) % 360.0 if speed > STILL else NAN
    return lat, lon, alt, speed, course


def encode_point(track: Track, t: float, now: float) -> bytes:
    """Where the track is at `t`, as if it were now."""
    lat, lon, alt, speed, course = position(track, t)
    return msgspec.json.encode(Point(lat, lon, now, alt, speed, course))


def decode_point(data: bytes) -> list[Fix]:
    """Raises Unreadable."""
    try:
        point = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable("garbled") from error
    alt, speed, course = (
        NAN if value is None else value for value in (point.alt, point.speed, point.course)
    )
    return [sound_fix(point.lat, point.lon, time=point.t, alt=alt, speed=speed, course=course)]


class _Reader:
    """Takes what the parser finds. No tree is built, so that depth and size do not matter."""

    def __init__(self) -> None:
        self.seen = False
        self.points: dict[str, list[dict[str, str]]] = {"trkpt": [], "rtept": []}
        self._path: list[str] = []
        self._text: list[str] = []

    def doctype(self, *_: object) -> None:
        """Entities are declared there, and can be made to grow without bound."""
        raise Unreadable("a DOCTYPE is not allowed")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2]
        self.seen = self.seen or (not self._path and name == "gpx")
        self._path.append(name)
        self._text.clear()
        if name in self.points and self.seen:
            self.points[name].append(dict(attributes))

    def data(self, text: str) -> None:
        self._text.append(text)

    def end(self, tag: str) -> None:
        self._path.pop()
        name, around = tag.rpartition("}")[2], self._path[-1] if self._path else ""
        if name in ("time", "ele") and around in self.points and self.seen:
            self.points[around][-1][name] = "".join(self._text).strip()

    def close(self) -> None:
        pass


def _sound(number: int, point: dict[str, str]) -> tuple[float, float, float, float]:
    """Time (nan if none), lat, lon, alt."""
    try:
        lat, lon = float(point["lat"]), float(point["lon"])
        alt = float(point.get("ele") or NAN)
    except (KeyError, ValueError) as error:
        raise Unreadable(f"point {number} has no place") from error
    if not (-90.0 <= lat <= 90.0 and -180.0 <= lon <= 180.0):
        raise Unreadable(f"point {number} is not on the globe")
    return _seconds(number, point.get("time", "")), lat, lon, alt if math.isfinite(alt) else NAN


def _seconds(number: int, text: str) -> float:
    if not text:
        return NAN
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError) as error:
        raise Unreadable(f"the time of point {number} cannot be read") from error


def _track(points: list[tuple[float, float, float, float]], speed: float | None) -> Track:
    timeless = next((i for i, point in enumerate(points, 1) if math.isnan(point[0])), 0)
    if timeless and speed is None:
        raise Unreadable(f"point {timeless} has no time, and no speed is set")
    track = Track([], [], [], [])
    t = 0.0
    for number, (time, lat, lon, alt) in enumerate(points, 1):
        if not timeless:
            t = time - points[0][0]
        elif track.t and speed is not None:
            t += math.hypot(*_metres(track.lat[-1], track.lon[-1], lat, lon)) / speed
        if track.t and t < track.t[-1]:
            raise Unreadable(f"point {number} is earlier than the one before")
        if track.t and t == track.t[-1]:
            continue  # twice the same instant
        track.t.append(t)
        track.lat.append(lat)
        track.lon.append(lon)
        track.alt.append(alt)
    return track


def _metres(lat: float, lon: float, to_lat: float, to_lon: float) -> tuple[float, float]:
    """North and east from one place to another not far away."""
    middle = math.cos(math.radians((lat + to_lat) / 2))
    scale = math.radians(EARTH)
    return (to_lat - lat) * scale, _wrapped(to_lon - lon) * scale * middle


def _wrapped(degrees: float) -> float:
    """-180 to 180."""
    return (degrees + 180.0) % 360.0 - 180.0
