"""Orders: what an operator tells vehicles to do while a run goes on."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from movenv.world.columns import F8, U4

Deed = Literal["go", "form", "hold", "resume"]
Roads = Literal["off", "prefer", "only"]


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
