"""Whom one would come too close to if both held their velocities: the constant-velocity test.

With the other's place p_r as seen from here and the own velocity v_r as the other sees it, the two
pass each other at the distance d = v_r × p_r / |v_r| after the time t = p_r · v_r / |v_r|².
"""

import math
from typing import NamedTuple

import numpy as np

from movenv.behaviors.cells import Cells, span
from movenv.behaviors.guidance import numbers
from movenv.parts import Setup
from movenv.world.columns import F8, Mask, Rows
from movenv.world.kernel import kernel

MINE = ("x", "y", "z", "vx", "vy", "p_max", "room", "share", "vid")
"""What is to be known of those who look out; `room` and `share` make d_min, see `Threats`."""
THEIRS = ("x", "y", "low", "high", "vx", "vy", "size", "vid")
"""What is to be known of the others, who reach from height `low` to `high`."""
FOUND = 8
LEAST_SIGHT, MOST_SIGHT = 100.0, 500.0
"""Within these limits vehicles see if nothing is said, m; the latter is how far they are told of
others if nothing is said."""


def sights(setup: Setup, seconds: F8 | float) -> F8:
    """How far each looks, p_max, m: what is set, else so many seconds at its greatest speed."""
    given = numbers(setup, "p_max")
    able = np.clip(seconds * setup.abilities["max_speed"], LEAST_SIGHT, MOST_SIGHT)
    return np.where(np.isnan(given), able, given)


class Threats(NamedTuple):
    """Vehicles and others they would come too close to; one row a pair, sorted by vehicle."""

    row: Rows
    other: Rows
    d: F8
    """Signed distance at which they pass, m; above 0 the other lies to the left of v_r."""
    t: F8
    """Time until then, s."""
    d_min: F8
    """Wanted distance, m: the vehicle's `room` and its `share` of the other's `size`."""
    east: F8
    north: F8
    """The unit vector of v_r."""

    def some(self, which: Mask) -> "Threats":
        rest = [column[which] for column in self[2:]]
        return Threats(self.row[which], self.other[which], *rest)


@kernel
def _threats(mine, theirs, key, row_of, per_metre, capacity):  # type: ignore[no-untyped-def]
    """`theirs` in the order of `key`."""
    found = np.empty((FOUND, capacity))
    count = 0
    for i in range(mine.shape[1]):
        x, y, z, vx, vy = mine[0, i], mine[1, i], mine[2, i], mine[3, i], mine[4, i]
        p_max, room, share, vid = mine[5, i], mine[6, i], mine[7, i], mine[8, i]
        first = np.int64(math.floor((x - p_max) * per_metre))
        last = np.int64(math.floor((x + p_max) * per_metre))
        bottom = np.int64(math.floor((y - p_max) * per_metre))
        top = np.int64(math.floor((y + p_max) * per_metre))
        for line in range(bottom, top + 1):
            low, high = span(key, line, first, last)
            for at in range(low, high):
                east, north = theirs[0, at] - x, theirs[1, at] - y
                square = east * east + north * north
                if square > p_max * p_max or theirs[7, at] == vid:
                    continue
                rx, ry = vx - theirs[4, at], vy - theirs[5, at]
                closing = east * rx + north * ry
                if not closing > 0.0:
                    continue
                speed = math.sqrt(rx * rx + ry * ry)
                d = (rx * north - ry * east) / speed
                d_min = room + share * theirs[6, at]
                if abs(d) > d_min or z < theirs[2, at] - d_min or z > theirs[3, at] + d_min:
                    continue
                if count == found.shape[1]:
                    more = np.empty((FOUND, 2 * count))
                    more[:, :count] = found
                    found = more
                found[0, count], found[1, count] = i, row_of[at]
                found[2, count], found[3, count] = d, closing / (speed * speed)
                found[4, count] = d_min
                found[5, count], found[6, count] = rx / speed, ry / speed
                found[7, count] = theirs[7, at]
                count += 1
    return found[:, :count]


def threats(mine: F8, theirs: F8, cells: Cells) -> Threats:
    """Everyone's threats: `mine` and `theirs` have the columns MINE and THEIRS as rows.

    Of one vehicle they come in the order of the others' vids, whatever the cells.
    """
    # In the order of the cells, neighbours lie beside each other in memory.
    theirs = np.ascontiguousarray(theirs[:, cells.row])
    found = _threats(mine, theirs, cells.key, cells.row, cells.per_metre, mine.shape[1] + 64)
    found = found[:, np.lexsort((found[7], found[0]))]
    row, other = found[0].astype(np.intp), found[1].astype(np.intp)
    return Threats(row, other, *found[2:7])


def joined(parts: list[Threats]) -> Threats:
    """All of these, one after the other."""
    nobody = np.empty(0, np.intp)
    none = Threats(nobody, nobody, *np.empty((5, 0)))
    return Threats(*(np.concatenate(columns) for columns in zip(none, *parts, strict=True)))
