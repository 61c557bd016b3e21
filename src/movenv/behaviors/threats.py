"""Whom one would come too close to if both held their velocities: the constant-velocity test.

With the other's place p_r as seen from here and the own velocity v_r as the other sees it, the two
pass each other at the distance d = v_r × p_r / |v_r| after the time t = p_r · v_r / |v_r|².
"""

import math
from typing import NamedTuple

import numpy as np

from movenv.behaviors.cells import Cells, by_pair, disc, in_cells, like, span, with_room
from movenv.behaviors.guidance import numbers
from movenv.parts import Setup
from movenv.world.columns import F8, Mask, Rows
from movenv.world.kernel import inline, kernel

MINE = ("x", "y", "z", "vx", "vy", "p_max", "room", "share", "vid")
"""What is to be known of those who look out; `room` and `share` make d_min, see `Threats`."""
THEIRS = ("x", "y", "low", "high", "vx", "vy", "size", "vid")
"""What is to be known of the others, who reach from height `low` to `high`."""
FOUND = 7
NEARLY, TINY = 1.0 + 1e-9, 1e-6
"""What is left out before a threat is looked at closely is beyond rounding."""
LEAST_SIGHT, MOST_SIGHT = 100.0, 500.0
"""Within these limits vehicles see if nothing is said, m; the latter is how far they are told of
others if nothing is said."""


def sights(setup: Setup, seconds: F8 | float) -> F8:
    """How far each looks, p_max, m: what is set, else so many seconds at its greatest speed, but no
    farther than it is told of others."""
    given = numbers(setup, "p_max")
    able = np.clip(seconds * setup.abilities["max_speed"], LEAST_SIGHT, MOST_SIGHT)
    return np.where(np.isnan(given), np.minimum(able, setup.awareness), given)


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


@inline
def _sift(mine, i, theirs, low, high, near):  # type: ignore[no-untyped-def]
    """Mark which of the others from low up to before high may be threats; returns how many.

    Without roots and branches, which a processor does for several at once; hardly one too many.
    """
    x, y, vx, vy = mine[0, i], mine[1, i], mine[3, i], mine[4, i]
    p_max, room, share = mine[5, i], mine[6, i], mine[7, i]
    count = 0
    for k in range(high - low):
        at = low + k
        east, north = theirs[0, at] - x, theirs[1, at] - y
        rx, ry = vx - theirs[4, at], vy - theirs[5, at]
        d_min = room + share * theirs[6, at]
        across = rx * north - ry * east
        hit = (east * east + north * north <= p_max * p_max) & (east * rx + north * ry > 0.0)
        hit &= across * across <= NEARLY * (d_min * d_min) * (rx * rx + ry * ry)
        near[k] = hit
        count += hit
    return count


@inline
def _enter(mine, i, theirs, at, row_of, found, count):  # type: ignore[no-untyped-def]
    """Write down the other `at` if it is a threat to i; returns how many there are then."""
    x, y, z, vx, vy = mine[0, i], mine[1, i], mine[2, i], mine[3, i], mine[4, i]
    p_max, room, share, vid = mine[5, i], mine[6, i], mine[7, i], mine[8, i]
    east, north = theirs[0, at] - x, theirs[1, at] - y
    square = east * east + north * north
    if square > p_max * p_max or theirs[7, at] == vid:
        return count
    rx, ry = vx - theirs[4, at], vy - theirs[5, at]
    closing = east * rx + north * ry
    if not closing > 0.0:
        return count
    speed = math.sqrt(rx * rx + ry * ry)
    d = (rx * north - ry * east) / speed
    d_min = room + share * theirs[6, at]
    if abs(d) > d_min or z < theirs[2, at] - d_min or z > theirs[3, at] + d_min:
        return count
    found[count, 0], found[count, 1] = i, row_of[at]
    found[count, 2], found[count, 3] = d, closing / (speed * speed)
    found[count, 4] = d_min
    found[count, 5], found[count, 6] = rx / speed, ry / speed
    return count + 1


@kernel
def _moving_threats(mine, my_key, my_row, theirs, key, row_of, per_metre):  # type: ignore[no-untyped-def]
    """`theirs` in the order of `key`; who is in one cell looks at the same others."""
    found = np.empty((2 * mine.shape[1] + 64, FOUND))
    near = np.empty(theirs.shape[1], np.bool_)
    spans = np.empty((64, 2), np.int64)
    count = begin = 0
    while begin < len(my_key):
        end = like(my_key, begin)
        sight = 0.0
        for k in range(begin, end):
            sight = max(sight, mine[5, my_row[k]])
        lines = disc(key, my_key[begin], sight, per_metre, spans)
        if lines < 0:
            spans = np.empty((2 * int(sight * per_metre) + 8, 2), np.int64)
            continue
        for k in range(begin, end):
            i = my_row[k]
            for line in range(lines):
                low, high = spans[line, 0], spans[line, 1]
                if not _sift(mine, i, theirs, low, high, near):
                    continue
                found = with_room(found, count, high - low)
                for at in range(low, high):
                    if near[at - low]:
                        count = _enter(mine, i, theirs, at, row_of, found, count)
        begin = end
    return found[:count]


@inline
def _strip(x, y, east, north, long, wide, south, high):  # type: ignore[no-untyped-def]
    """From where to where a corridor leads through a strip: its least and its greatest x.

    The corridor begins at x, y and is `wide` to each side and `long`.
    """
    begin, end = 0.0, long
    if abs(north) > 1e-9:
        one, other = (south - wide - y) / north, (south + high + wide - y) / north
        begin, end = max(min(one, other), 0.0), min(max(one, other), long)
    west, far = x + begin * east, x + end * east
    return min(west, far) - wide, max(west, far) + wide


@kernel
def _fixed_threats(mine, theirs, key, row_of, per_metre, largest):  # type: ignore[no-untyped-def]
    """As `_moving_threats` for what stands still and is no larger than `largest`.

    That can only be in a corridor before each.
    """
    found = np.empty((2 * mine.shape[1] + 64, FOUND))
    count = 0
    for i in range(mine.shape[1]):
        x, y, p_max = mine[0, i], mine[1, i], mine[5, i]
        speed = math.sqrt(mine[3, i] ** 2 + mine[4, i] ** 2)
        if not (speed > 0.0 and math.isfinite(x) and math.isfinite(y)):
            continue
        east, north = mine[3, i] / speed, mine[4, i] / speed
        wide = mine[6, i] + mine[7, i] * largest
        wide, long = NEARLY * wide + TINY, NEARLY * p_max + TINY
        bottom = math.floor((min(y, y + long * north) - wide) * per_metre)
        top = math.floor((max(y, y + long * north) + wide) * per_metre)
        for line in range(bottom, top + 1):
            high = 1.0 / per_metre
            west, far = _strip(x, y, east, north, long, wide, line * high, high)
            first = np.int64(math.floor(west * per_metre))
            last = np.int64(math.floor(far * per_metre))
            begin, end = span(key, line, first, last)
            found = with_room(found, count, end - begin)
            for at in range(begin, end):
                count = _enter(mine, i, theirs, at, row_of, found, count)
    return found[:count]


def threats(mine: F8, theirs: F8, cells: Cells) -> Threats:
    """Everyone's threats: `mine` and `theirs` have the columns MINE and THEIRS as rows.

    Of one vehicle they come in the order of the others, whatever the cells.
    """
    own = in_cells(mine[0], mine[1], cells.width)
    # In the order of the cells, neighbours lie beside each other in memory.
    sorted_ = np.ascontiguousarray(theirs[:, cells.row])
    found = _moving_threats(mine, own.key, own.row, sorted_, *cells.by_key)
    return _in_order(found, mine, theirs)


def fixed_threats(mine: F8, theirs: F8, cells: Cells) -> Threats:
    """The same where all others stand still."""
    sorted_ = np.ascontiguousarray(theirs[:, cells.row])
    found = _fixed_threats(mine, sorted_, *cells.by_key, float(theirs[6].max(initial=0.0)))
    return _in_order(found, mine, theirs)


def _in_order(found: F8, mine: F8, theirs: F8) -> Threats:
    columns = by_pair(found, mine.shape[1], theirs.shape[1])
    return Threats(columns[0].astype(np.intp), columns[1].astype(np.intp), *columns[2:])


def joined(parts: list[Threats]) -> Threats:
    """All of these, one after the other."""
    nobody = np.empty(0, np.intp)
    none = Threats(nobody, nobody, *np.empty((5, 0)))
    return Threats(*(np.concatenate(columns) for columns in zip(none, *parts, strict=True)))
