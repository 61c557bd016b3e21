"""What route files have in common: points, and refusals in words."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

MAX_POINTS = 100_000
NAN = math.nan


class RouteFileError(ValueError):
    """A file has no route that can be read; the message is for the user."""


@dataclass(frozen=True)
class Waypoint:
    """A point of a file; nan where it does not say."""

    lat: float
    lon: float
    alt: float = NAN
    """Above the sea, m."""
    height: float = NAN
    """Above the scenario's origin, m."""
    speed: float = NAN
    """On the way to this point, m/s."""
    hold: float = 0.0
    """How long to wait here, s."""


def counted(points: Iterator[Waypoint]) -> list[Waypoint]:
    found: list[Waypoint] = []
    for point in points:
        if len(found) == MAX_POINTS:
            raise RouteFileError(f"has more than {MAX_POINTS:,} points")
        found.append(point)
    return found


def number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise RouteFileError(f"{what} is {text[:40]!r}, expected a number") from None
    if not math.isfinite(value):
        raise RouteFileError(f"{what} is not finite")
    return value


def json_object(text: str) -> dict[str, Any]:
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise RouteFileError(f"is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise RouteFileError("is not a JSON object")
    return data


def list_of(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise RouteFileError("has no list where one is expected")
    return value


def json_number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RouteFileError(f"{str(value)[:40]!r} is no number")
    try:
        return float(value)
    except OverflowError:
        raise RouteFileError("a number is beyond reason") from None
