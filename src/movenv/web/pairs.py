"""The closest pairs at one instant."""

from dataclasses import dataclass

import numpy as np
import scipy

from movenv.web.feed import Moment
from movenv.world.columns import VidIndex

SHOWN = 10


@dataclass(frozen=True)
class Pair:
    """Two vehicles, by row of the roster."""

    row: int
    other: int
    distance: float
    level: int
    """Of their notice; 0 without one."""


def closest_pairs(moment: Moment, count: int = SHOWN) -> list[Pair]:
    """The `count` closest pairs, nearest first, in three dimensions.

    None of them can have a side with `count` nearer neighbours, so as many neighbours of each
    are enough to look at.
    """
    vehicles = moment.vehicles
    known = np.flatnonzero(np.isfinite(vehicles.x + vehicles.y + vehicles.z))
    if len(known) < 2:
        return []
    places = np.column_stack([vehicles.x, vehicles.y, vehicles.z])[known]
    near = min(count + 1, len(known))
    distance, neighbour = scipy.spatial.cKDTree(places).query(places, k=near)
    one = np.repeat(np.arange(len(known)), near)
    other, distance = neighbour.ravel(), distance.ravel()
    kept = one < other
    missing = one > other  # a pair may stand only in the list of its later side
    low = np.concatenate([one[kept], other[missing]])
    high = np.concatenate([other[kept], one[missing]])
    apart = np.concatenate([distance[kept], distance[missing]])
    _, first = np.unique(low * len(known) + high, return_index=True)
    first = first[np.argsort(apart[first], kind="stable")][:count]
    levels = _levels(moment)
    return [
        Pair(int(a), int(b), float(apart[i]), levels.get((int(a), int(b)), 0))
        for i in first
        for a, b in [(known[low[i]], known[high[i]])]
    ]


def _levels(moment: Moment) -> dict[tuple[int, int], int]:
    index = VidIndex(moment.vehicles.vid)
    rows = index.rows(moment.encounters.vid), index.rows(moment.encounters.other)
    low, high = np.minimum(*rows).tolist(), np.maximum(*rows).tolist()
    return dict(zip(zip(low, high, strict=True), moment.encounters.level.tolist(), strict=True))
