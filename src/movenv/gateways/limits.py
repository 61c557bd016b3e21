"""What a kind of vehicle can do, so that a wrong fix can be told from a fast one."""

import math
from dataclasses import dataclass
from typing import Literal

from movenv.world.kinds import Kind


@dataclass(frozen=True)
class Limits:
    """Speeds in m/s. The first is a bound, the others say what to expect."""

    max_speed: float
    """Faster is not believed."""
    usual_speed: float
    """What to expect of one of whom nothing is known yet, on each axis."""
    acceleration: float
    """By how much its velocity changes within a second, m/s² on each axis, root mean square."""
    height: Literal["ground", "fix"]
    """Where z comes from unless the scenario says."""
    fading: float = math.inf
    """How long it goes on as it goes, s: people turn and stop, ships do not."""


_LIMITS = {
    "pedestrian": Limits(12.0, 1.0, 0.35, "ground", fading=40.0),
    "ground": Limits(70.0, 10.0, 1.5, "ground"),
    "surface": Limits(40.0, 5.0, 0.5, "ground"),
    "underwater": Limits(15.0, 2.0, 0.3, "fix"),
    "aerial/rotorcraft": Limits(80.0, 10.0, 2.0, "fix"),
    "aerial/fixedwing": Limits(350.0, 40.0, 4.0, "fix"),
}


def limits_of(kind: Kind) -> Limits:
    """The limits of a kind; a subkind without its own has those of its kind."""
    return _LIMITS.get(str(kind)) or _LIMITS[kind.name]
