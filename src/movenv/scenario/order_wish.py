"""An order as somebody says it, and why it cannot be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from movenv.parts.config import Point

if TYPE_CHECKING:
    from movenv.scenario.order_schema import Order as OrderSpec


class OrderRefused(ValueError):
    """An order that cannot be carried out; the message is for the user."""

    def __init__(self, about: str, message: str) -> None:
        """`about` is the key of the order that is wrong."""
        super().__init__(message)
        self.about = about


@dataclass(frozen=True)
class OrderWish:
    """An order as somebody says it: names for vehicles, any kind of place."""

    what: str
    vehicles: Sequence[str] = ()
    """Names, or patterns such as tank-*: a pattern picks those that take orders."""
    unit: str = ""
    to: Sequence[Point] = ()
    route: str = ""
    speed: float | None = None
    roads: str = "off"
    formation: str = ""
    spacing: float | None = None
    leader: str = ""

    @classmethod
    def of(cls, spec: "OrderSpec") -> "OrderWish":
        return cls(
            what=spec.what,
            vehicles=spec.vehicles,
            unit=spec.unit or "",
            to=spec.to if isinstance(spec.to, list) else (),
            route=spec.to if isinstance(spec.to, str) else "",
            speed=spec.speed,
            roads=spec.roads,
            formation=spec.formation or "",
            spacing=spec.spacing,
            leader=spec.leader or "",
        )
