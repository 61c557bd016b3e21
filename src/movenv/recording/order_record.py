"""Orders as they stand in a recording and travel between processes, and in words."""

import math
from typing import Annotated

import msgspec
import numpy as np

from movenv.world.columns import F8
from movenv.world.frames import Frame
from movenv.world.messages import Roster
from movenv.world.orders import Deed, Order, Roads

ORDER = "order"
"""The kind of the events that tell of orders."""
LAST = 2**53
"""No order has a higher number."""
NAMED = 3
"""Vehicles that are told by name; of more only how many there are."""

Vid = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]


class OrderRecord(msgspec.Struct):
    """What vehicles were told to do at time t (s). None: not said."""

    t: float
    utc: float
    number: Annotated[int, msgspec.Meta(ge=1, le=LAST)]
    what: Deed
    vids: list[Vid]
    points: list[tuple[float, float, float | None]] = msgspec.field(default_factory=list)
    """Local metres."""
    places: list[tuple[float, float]] = msgspec.field(default_factory=list)
    """The same as latitude and longitude."""
    speed: float | None = None
    roads: Roads = "off"
    formation: str = ""
    spacing: float | None = None
    leader: Vid = 0
    who: str = ""
    unit: str = ""

    @classmethod
    def of(cls, order: Order, t: float, utc: float, frame: Frame) -> "OrderRecord":
        lat, lon, _ = frame.to_geodetic(order.points[:, 0], order.points[:, 1])
        return cls(
            t=t,
            utc=utc,
            number=order.number,
            what=order.what,
            vids=order.vids.tolist(),
            points=[(x, y, None if math.isnan(z) else z) for x, y, z in order.points.tolist()],
            places=list(zip(np.ravel(lat).tolist(), np.ravel(lon).tolist(), strict=True)),
            speed=_said(order.speed),
            roads=order.roads,
            formation=order.formation,
            spacing=_said(order.spacing),
            leader=order.leader,
            who=order.who,
            unit=order.unit,
        )

    @property
    def order(self) -> Order:
        """Raises ValueError for one that says nothing."""
        points = [(x, y, math.nan if z is None else z) for x, y, z in self.points]
        where: F8 = np.array(points, float).reshape(-1, 3)
        if not np.isfinite(where[:, :2]).all() or (self.what == "go" and not len(where)):
            raise ValueError("an order that leads nowhere")
        return Order(
            number=self.number,
            what=self.what,
            vids=np.array(self.vids, np.uint32),
            points=where,
            speed=math.nan if self.speed is None else self.speed,
            roads=self.roads,
            formation=self.formation,
            spacing=math.nan if self.spacing is None else self.spacing,
            leader=self.leader,
            who=self.who,
            unit=self.unit,
        )


def order_words(order: Order, roster: Roster) -> str:
    """An order as a sentence: 'unit alpha (12 vehicles): go to 2 places in wedge'."""
    count = len(order.vids)
    if order.unit:
        many = "1 vehicle" if count == 1 else f"{count:,} vehicles"
        whom = f"unit {order.unit} ({many})"
    elif count > NAMED:
        whom = f"{count:,} vehicles"
    else:
        whom = ", ".join(_name(roster, vid) for vid in np.sort(order.vids).tolist())
    return f"{whom}: {_deed(order, roster)}"


def _deed(order: Order, roster: Roster) -> str:
    if order.what in ("hold", "resume"):
        return order.what
    said = f"form {order.formation}"
    if order.what == "go":
        count = len(order.points)
        said = "go to 1 place" if count == 1 else f"go to {count:,} places"
        said += f" in {order.formation}" if order.formation else ""
    if order.formation:
        said += f" behind {_name(roster, order.leader)}"
    if not math.isnan(order.speed):
        said += f" at {order.speed:g} m/s"
    if order.roads != "off":
        said += ", by roads where it can" if order.roads == "prefer" else ", by roads only"
    return said


def _name(roster: Roster, vid: int) -> str:
    row = int(np.searchsorted(roster.vids, vid))
    known = row < len(roster.vids) and roster.vids[row] == vid
    return roster.names[row] if known else f"vid {vid}"


def _said(number: float) -> float | None:
    return None if math.isnan(number) else number
