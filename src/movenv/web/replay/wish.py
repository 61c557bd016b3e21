"""What a viewer may wish of a replay."""

from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any, Literal

import msgspec

from movenv.web.feed import FeedRefused

SLOWEST, FASTEST = 0.1, 100.0
FURTHEST_STEP = 1_000_000

_FIELDS: dict[str, tuple[Any, str]] = {
    "t": (float, "t must be a number of seconds"),
    "playing": (bool, "playing must be true or false"),
    "rate": (
        Annotated[float, msgspec.Meta(ge=SLOWEST, le=FASTEST)],
        f"rate must be between {SLOWEST:g} and {FASTEST:g}",
    ),
    "direction": (Literal[1, -1], "direction must be 1 or -1"),
    "step": (
        Annotated[int, msgspec.Meta(ge=-FURTHEST_STEP, le=FURTHEST_STEP)],
        "step must be a whole number of ticks",
    ),
    "jump": (Literal["notice", "mark", "event"], "jump must be to a notice, a mark or an event"),
}
_PLACES = ("t", "step", "jump")


@dataclass(frozen=True)
class Wish:
    """None means: as it is."""

    t: float | None = None
    playing: bool | None = None
    rate: float | None = None
    direction: int | None = None
    """Of playing; with `jump` only of that."""
    step: int | None = None
    jump: str | None = None

    @classmethod
    def parse(cls, wish: dict[str, Any]) -> "Wish":
        """Raises FeedRefused with words for the user."""
        if not wish:
            raise FeedRefused("nothing was wished for")
        if sum(name in wish for name in _PLACES) > 1:
            raise FeedRefused("a replay can go to one place at a time: t, step or jump")
        return cls(**{str(name): _value(name, value) for name, value in wish.items()})


def _value(name: str, value: Any) -> Any:
    if name not in _FIELDS:
        raise FeedRefused(f"a replay knows no '{name}'; it knows {', '.join(_FIELDS)}")
    kind, words = _FIELDS[name]
    try:
        read = msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise FeedRefused(words) from None
    if isinstance(read, float) and not isfinite(read):
        raise FeedRefused(words)
    return read
