"""Orders: what an operator tells vehicles to do while a run goes on."""

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from movenv.world.columns import F8, U4

Deed = Literal["go", "form", "hold", "resume"]
Roads = Literal["off", "prefer", "only"]
ARRIVED = "arrived"
"""What a vehicle remarks that has come to the last place of its order."""


@dataclass(frozen=True)
class Order:
    """What some vehicles are told. Of two orders to one vehicle the later one holds.

    `go`: to `points` in turn; with a `formation` only the leader goes, the others keep to it.
    `form`: the others keep to the leader, wherever it goes. `hold`: stop, or circle where one
    cannot. `resume`: back to what they did before orders.
    """

    number: int
    """Rises from order to order."""
    what: Deed
    vids: U4
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


def places_ahead(points: F8, x: float, y: float) -> F8:
    """What is left of places for somebody between them: those beyond the leg it is nearest to."""
    here, first, last = np.array([x, y]), points[:-1, :2], points[1:, :2]
    if not len(last):
        return points
    leg = last - first
    square = np.maximum((leg**2).sum(axis=1), 1e-12)
    share = np.clip(((here - first) * leg).sum(axis=1) / square, 0.0, 1.0)
    far = np.hypot(*(first + share[:, None] * leg - here).T)
    nearest = int(far.argmin())
    before = nearest == 0 and share[0] == 0.0
    return points if before else points[nearest + 1 :]


def taken_up(order: Order, vids: U4, x: F8, y: F8) -> list[Order]:
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
        left = len(places_ahead(order.points, float(x[row]), float(y[row])))
        rest.setdefault(left, []).append(vid)
    if order.formation:
        return [replace(order, points=order.points[-left:]) for left in rest] or [order]
    return [
        replace(order, points=order.points[-left:], vids=np.array(mine, np.uint32))
        for left, mine in rest.items()
    ]
