"""Orders: what an operator tells vehicles to do while a run goes on."""

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from movenv.world.columns import F8, U4
from movenv.world.legs import heading_for

Deed = Literal["go", "form", "hold", "resume"]
Roads = Literal["off", "prefer", "only"]
LEVEL = 20.0
"""A height that differs by more from one's own is meant as one, m."""
ARRIVED = "arrived"
"""What a vehicle remarks that has come to the last place of its order."""


@dataclass(frozen=True)
class Order:
    """What some vehicles are told. Of two orders to one vehicle the later one holds.

    `go`: to `points` in turn, several to places of their own round the last; with a `formation`
    only the leader goes, the others keep to it.
    `form`: the others keep to the leader, wherever it goes. `hold`: stop, or circle where one
    cannot. `resume`: back to what they did before orders.
    """

    number: int
    """Rises from order to order."""
    what: Deed
    vids: U4
    """Where they go without a formation, in the order in which they get places at the end."""
    points: F8 = field(default_factory=lambda: np.empty((0, 3)))
    """(n, 3), local metres; z is nan where a vehicle keeps its height."""
    speed: float = float("nan")
    """m/s; nan for each one's cruising speed."""
    roads: Roads = "off"
    formation: str = ""
    """The name of a formation; empty for none."""
    spacing: float = float("nan")
    """Between neighbours in the formation, m; nan for the behavior's own."""
    leader: int = 0
    """The vid that leads the formation; 0 for the first of `vids`."""
    who: str = ""
    """Who gave it."""
    unit: str = ""
    """The unit it was given to; empty where vehicles were named."""
    company: U4 = field(default_factory=lambda: np.empty(0, np.uint32))
    """Everybody it was given to, where `vids` are only some of them; else empty."""

    @property
    def everybody(self) -> U4:
        """All it was given to, in order: by it each has a place of its own at the end."""
        return self.company if len(self.company) else self.vids


def place_words(x: float, y: float) -> str:
    """A place for people, to a tenth of a metre."""
    east, north = (round(float(number), 1) + 0.0 for number in (x, y))  # no -0
    return f"({east:.10g}, {north:.10g})"


def places_ahead(points: F8, x: float, y: float, yaw: float) -> F8:
    """What is left of places for somebody between them who points to `yaw`."""
    return points[heading_for(points, x, y, yaw) :]


def taken_up(order: Order, vids: U4, x: F8, y: F8, yaw: F8) -> list[Order]:
    """An order as vehicles take it up that have carried out a part of it before.

    Those who are going somewhere do not go back to places they have passed. Some of `vids`, who
    are at (x, y), need not be told by it.
    """
    if order.what != "go" or len(order.points) < 2:
        return [order]
    goes = order.vids if not order.formation else np.array([order.leader], np.uint32)
    rest: dict[int, list[int]] = {}
    for vid in np.intersect1d(goes, vids).tolist():
        row = int(np.flatnonzero(vids == vid)[0])
        left = len(places_ahead(order.points, float(x[row]), float(y[row]), float(yaw[row])))
        rest.setdefault(left, []).append(vid)
    if order.formation:
        return [replace(order, points=order.points[-left:]) for left in rest] or [order]
    return [
        replace(
            order,
            points=order.points[-left:],
            vids=np.array(mine, np.uint32),
            company=order.everybody,
        )
        for left, mine in rest.items()
    ]
