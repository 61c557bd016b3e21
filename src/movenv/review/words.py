"""Numbers as people read them; what is not known is a dash."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime

UNKNOWN = "–"


def number(value: float, digits: int = 1) -> str:
    """With so many digits behind the point, and commas between thousands."""
    if not math.isfinite(value):
        return UNKNOWN
    text = f"{value:,.{digits}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.,") else text


def measured(value: float, unit: str, digits: int = 1) -> str:
    text = number(value, digits)
    return text if text == UNKNOWN else f"{text} {unit}"


def metres(value: float) -> str:
    return measured(value, "m")


def seconds(value: float) -> str:
    return measured(value, "s")


def percent(share: float) -> str:
    return measured(100 * share, "%", 0 if abs(share) >= 0.0995 or share == 0 else 1)


def duration(value: float) -> str:
    """`12.3 s` or `5 min 12 s` or `1 h 5 min`."""
    if not math.isfinite(value) or value < 60:
        return seconds(value)
    whole = round(value)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def moment(utc: float) -> str:
    """A wall clock's time; a fast run has none."""
    if not math.isfinite(utc) or utc <= 0:
        return UNKNOWN
    return datetime.fromtimestamp(utc, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def counted(count: int, thing: str, things: str = "") -> str:
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
