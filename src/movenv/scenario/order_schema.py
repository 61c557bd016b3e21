"""Orders as a scenario's script says them."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from movenv.behaviors.stations import SHAPES
from movenv.parts.config import GeoPoint, Name, Point, Strict

MOST_PLACES = 1000
MOST_NAMES = 10_000
MOST_PATTERNS = 50
"""Each is compared with everybody's name."""
LONGEST_NAME = 80
FASTEST = 1000.0
WIDEST = 10_000.0


def _places_form(value: Any) -> str:
    if isinstance(value, str):
        return "route"
    of_numbers = (
        isinstance(value, list | tuple) and len(value) and isinstance(value[0], int | float)
    )
    return "place" if of_numbers or isinstance(value, dict | GeoPoint) else "places"


def _listed(place: Point) -> list[Point]:
    return [place]


Places = Annotated[
    Annotated[Name, Tag("route")]
    | Annotated[Point, AfterValidator(_listed), Tag("place")]
    | Annotated[list[Point], Field(min_length=1, max_length=MOST_PLACES), Tag("places")],
    Discriminator(_places_form),
]
"""Where to go: places, a single one, or the name of a route."""


class Order(Strict):
    """What vehicles are told to do at some time, as an operator would tell them."""

    at: float = Field(ge=0, le=1e7, description="when, s; it takes effect with the next tick")
    what: Literal["go", "form", "hold", "resume"] = Field(
        description="go to places, form up, hold where they are, or resume what they did before"
    )
    vehicles: list[Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]] = Field(
        default_factory=list,
        max_length=MOST_NAMES,
        description="who: names, or patterns such as tank-*",
    )
    unit: Name | None = Field(None, description="who: all of a unit that take orders")
    to: Places | None = Field(None, description="where to: a place, places in turn, or a route")
    speed: float | None = Field(
        None, gt=0, le=FASTEST, description="m/s; default: each one's cruising speed"
    )
    roads: Literal["off", "prefer", "only"] = Field("off", description="whether to keep to roads")
    formation: str | None = Field(None, description=f"one of {', '.join(SHAPES)}")
    spacing: float | None = Field(
        None, gt=0, le=WIDEST, description="between neighbours, m; default: that of `obey`"
    )
    leader: Name | None = Field(None, description="who leads; default: the first")
