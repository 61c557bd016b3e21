"""Numbers and times as apps write them: as numbers, as text, or not at all."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from movenv.gateways.fix import NAN, Fix, NothingInIt, Unreadable, sound_fix

Fields = Mapping[str, Any]
Item = TypeVar("Item")


def number(value: object) -> float:
    """nan for everything that is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return NAN
    try:
        return float(value)
    except (ValueError, OverflowError):
        return NAN


def first_number(fields: Fields, *names: str) -> float:
    """The first of these fields that is a number."""
    for name in names:
        value = number(fields.get(name))
        if value == value:
            return value
    return NAN


def first_word(fields: Fields, *names: str) -> str:
    """The first of these fields that says something."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**64:
            value = str(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def epoch(value: object) -> float:
    """Seconds since 1970, of those, of milli-, micro- or nanoseconds, or of an ISO 8601 time.

    A time without a zone is UTC.
    """
    time = number(value)
    for limit, unit in ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3)):
        if time > limit:
            return time * unit
    if time == time or not isinstance(value, str):
        return time
    try:
        moment = datetime.fromisoformat(value.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return NAN


def placed_fix(lat: float, lon: float, **rest: Any) -> Fix:
    """As `sound_fix`; to leave out a place, or to give one that is not valid, is no fix.

    Where accuracies are negative, iOS says that place or altitude are not valid.
    """
    if lat != lat or lon != lon or rest.get("accuracy", NAN) < 0.0:
        raise NothingInIt("no fix")
    if rest.get("vertical_accuracy", NAN) < 0.0:
        rest["alt"] = NAN
    return sound_fix(lat, lon, **rest)


def all_fixes(read: Callable[[Item], Iterable[Fix]], items: Iterable[Item]) -> list[Fix]:
    """Of the items that have any. Raises Unreadable if none has, for the reason of the last."""
    fixes: list[Fix] = []
    reason: Unreadable = NothingInIt("no location")
    for item in items:
        try:
            fixes += read(item)
        except Unreadable as unreadable:
            reason = unreadable
    if not fixes:
        raise reason
    return fixes
