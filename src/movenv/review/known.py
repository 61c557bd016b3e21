"""Who was known when: heard, with a fix that is not too old, and not in a gap that is too long."""

from enum import IntEnum
from itertools import pairwise

import numpy as np

from movenv.world.columns import F8, U1, Mask
from movenv.world.kinds import Origin
from movenv.world.messages import Health, Roster, VehicleStates

SLACK = 1e-6
"""What rounding may add to a gap that is just as long as the limit, s."""


class Why(IntEnum):
    """Why a vehicle was not known at a tick."""

    KNOWN = 0
    UNHEARD = 1
    LOST = 2
    STALE = 3
    NOTHING = 4
    """Stands for a stretch of which the recording has no tick."""


WORDS = {
    Why.UNHEARD: "not heard yet",
    Why.LOST: "host lost",
    Why.STALE: "no fresh fix",
    Why.NOTHING: "nothing recorded",
}


class Judge:
    """Says of each vehicle of a snapshot whether it is known, and why not."""

    def __init__(self, roster: Roster, oldest: F8) -> None:
        """`oldest` is up to which age the fix of each real vehicle tells where it is, s."""
        self._real: Mask = roster.origin != Origin.VIRTUAL
        self._oldest = oldest
        self._codes = np.zeros(max(Health) + 1, np.uint8)
        for health in (Health.UNHEARD, Health.LOST, Health.STALE):
            self._codes[health] = Why[health.name]

    def why(self, vehicles: VehicleStates) -> U1:
        """Values of `Why`."""
        codes = self._codes[vehicles.health]
        old = self._real & (vehicles.age > self._oldest + SLACK) & (codes == Why.KNOWN)
        codes[old] = Why.STALE
        placed = np.isfinite(vehicles.x) & np.isfinite(vehicles.y) & np.isfinite(vehicles.z)
        codes[~placed & (codes == Why.KNOWN)] = Why.UNHEARD
        return codes


def short_stretches(t: F8, why: U1, limit: float) -> list[tuple[int, int]]:
    """Where one vehicle is not known between two ticks at which it is, `limit` apart at most.

    Each as the first row and the one behind the last; a stretch without ticks is never short.
    """
    found = []
    for start, end in runs(why != Why.KNOWN):
        inside = start > 0 and end < len(t)
        recorded = not (why[start:end] == Why.NOTHING).any()
        if inside and recorded and t[end] - t[start - 1] <= limit + SLACK:
            found.append((start, end))
    return found


def runs(mask: Mask) -> list[tuple[int, int]]:
    """Where a mask is true: first row and the one behind the last of each stretch."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def gaps(t: F8, why: U1) -> list[tuple[float, float, str]]:
    """When one vehicle was not known: from, to, why."""
    edges = np.flatnonzero(np.diff(why)) + 1
    bounds = [0, *edges.tolist(), len(why)]
    found = []
    for start, end in pairwise(bounds):
        code = Why(why[start]) if len(why) else Why.KNOWN
        if code == Why.KNOWN:
            continue
        since, until = max(start - 1, 0), min(end, len(t) - 1)
        if code != Why.NOTHING:
            if why[since] != Why.KNOWN:
                since = start
            if why[until] == Why.NOTHING:
                until = end - 1
        found.append((float(t[since]), float(t[until]), WORDS[code]))
    return found
