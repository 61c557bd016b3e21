"""Where the paths of two vehicles cross, and when each gets there.

A path is a straight line, or the circle that the present turn leads round. Two of them have up to
two points in common.
"""

import math
from typing import NamedTuple

import numpy as np

from movenv.behaviors.cells import Cells, span
from movenv.world.columns import F8, Rows
from movenv.world.kernel import inline, kernel

MINE = ("x", "y", "z", "east", "north", "speed", "rate",
        "p_max", "room", "share", "t_max", "dt_min", "vid")  # fmt: skip
"""Of those who look out: their place, the unit vector of their course, their turn rate, and the
settings; `room` and `share` of the other's `size` make the height that parts two."""
THEIRS = ("x", "y", "z", "east", "north", "speed", "rate", "size", "vid")
STRAIGHT = 0.01
"""Who turns more slowly than this goes straight on, rad/s."""
LEAST_SPEED = 0.1
"""Who goes more slowly than this has no path, m/s."""
FOUND = 5


class Crossings(NamedTuple):
    """Paths that cross too closely in time; one row a pair, sorted by vehicle and other's vid."""

    row: Rows
    other: Rows
    t_a: F8
    """Until the vehicle is there, s."""
    t_b: F8
    """Until the other is there, s."""


@inline
def _center(x, y, east, north, speed, rate):  # type: ignore[no-untyped-def]
    """The middle of the circle that a turn leads round, and its radius."""
    radius = speed / rate
    return x - north * radius, y + east * radius, abs(radius)


@inline
def _lines(x, y, east, north, bx, by, b_east, b_north):  # type: ignore[no-untyped-def]
    """Where two lines cross; nan where they do not."""
    turn = east * b_north - north * b_east
    if abs(turn) < 1e-9:
        return math.nan, math.nan
    way = ((bx - x) * b_north - (by - y) * b_east) / turn
    return x + way * east, y + way * north


@inline
def _line_and_circle(x, y, east, north, cx, cy, radius):  # type: ignore[no-untyped-def]
    """The two points of a line on a circle; nan where there are none."""
    middle = (cx - x) * east + (cy - y) * north
    aside = (cx - x) * north - (cy - y) * east
    square = radius * radius - aside * aside
    half = math.sqrt(square) if square >= 0.0 else math.nan
    first, second = middle - half, middle + half
    return x + first * east, y + first * north, x + second * east, y + second * north


@inline
def _circles(ax, ay, a_radius, bx, by, b_radius):  # type: ignore[no-untyped-def]
    """The two points that two circles share; nan where there are none."""
    east, north = bx - ax, by - ay
    square = east * east + north * north
    if square < 1e-12:
        return math.nan, math.nan, math.nan, math.nan
    share = 0.5 + (a_radius * a_radius - b_radius * b_radius) / (2.0 * square)
    rest = a_radius * a_radius / square - share * share
    aside = math.sqrt(rest) if rest >= 0.0 else math.nan
    x, y = ax + share * east, ay + share * north
    return x - aside * north, y + aside * east, x + aside * north, y - aside * east


@inline
def _time(x, y, east, north, speed, rate, px, py):  # type: ignore[no-untyped-def]
    """When one comes to a point of its path; nan for never."""
    if abs(rate) < STRAIGHT:
        way = (px - x) * east + (py - y) * north
        return way / speed if way >= 0.0 else math.nan
    cx, cy, _ = _center(x, y, east, north, speed, rate)
    fx, fy, tx, ty = x - cx, y - cy, px - cx, py - cy
    angle = math.atan2(fx * ty - fy * tx, fx * tx + fy * ty)
    if rate < 0.0:
        angle = -angle
    if angle < 0.0:
        angle += 2.0 * math.pi
    return angle / abs(rate)


@inline
def _points(x, y, east, north, speed, rate, bx, by, b_east, b_north, b_speed, b_rate):  # type: ignore[no-untyped-def]
    """The points that two paths share: x and y of each, nan where there is none."""
    if abs(rate) < STRAIGHT and abs(b_rate) < STRAIGHT:
        px, py = _lines(x, y, east, north, bx, by, b_east, b_north)
        return px, py, math.nan, math.nan
    if abs(rate) < STRAIGHT:
        cx, cy, radius = _center(bx, by, b_east, b_north, b_speed, b_rate)
        return _line_and_circle(x, y, east, north, cx, cy, radius)
    cx, cy, radius = _center(x, y, east, north, speed, rate)
    if abs(b_rate) < STRAIGHT:
        return _line_and_circle(bx, by, b_east, b_north, cx, cy, radius)
    ox, oy, o_radius = _center(bx, by, b_east, b_north, b_speed, b_rate)
    return _circles(cx, cy, radius, ox, oy, o_radius)


@inline
def _meeting(a, i, b, j):  # type: ignore[no-untyped-def]
    """Of the crossings that are too close in time the sooner one: when each is there, or nan."""
    x, y, east, north, speed, rate = a[0, i], a[1, i], a[3, i], a[4, i], a[5, i], a[6, i]
    bx, by, b_east, b_north = b[0, j], b[1, j], b[3, j], b[4, j]
    b_speed, b_rate = b[5, j], b[6, j]
    px, py, qx, qy = _points(
        x, y, east, north, speed, rate, bx, by, b_east, b_north, b_speed, b_rate
    )
    latest = a[10, i] + 0.5 * a[11, i]
    best_a, best_b = math.nan, math.nan
    for k in range(2):
        tx, ty = (px, py) if k == 0 else (qx, qy)
        # Nobody is there sooner than by the straight way; most points are left out by this.
        near_a = (tx - x) ** 2 + (ty - y) ** 2 <= (speed * latest) ** 2
        if not (near_a and (tx - bx) ** 2 + (ty - by) ** 2 <= (b_speed * latest) ** 2):
            continue
        t_a = _time(x, y, east, north, speed, rate, tx, ty)
        t_b = _time(bx, by, b_east, b_north, b_speed, b_rate, tx, ty)
        counts = 0.5 * (t_a + t_b) < a[10, i] and abs(t_a - t_b) < a[11, i]
        if counts and not best_a + best_b <= t_a + t_b:
            best_a, best_b = t_a, t_b
    return best_a, best_b


@kernel
def _crossings(mine, theirs, key, row_of, per_metre, capacity):  # type: ignore[no-untyped-def]
    """`theirs` in the order of `key`."""
    found = np.empty((FOUND, capacity))
    count = 0
    for i in range(mine.shape[1]):
        x, y, z, p_max = mine[0, i], mine[1, i], mine[2, i], mine[7, i]
        if not mine[5, i] > LEAST_SPEED:
            continue
        first = np.int64(math.floor((x - p_max) * per_metre))
        last = np.int64(math.floor((x + p_max) * per_metre))
        bottom = np.int64(math.floor((y - p_max) * per_metre))
        top = np.int64(math.floor((y + p_max) * per_metre))
        for line in range(bottom, top + 1):
            low, high = span(key, line, first, last)
            for at in range(low, high):
                if theirs[8, at] == mine[12, i] or not theirs[5, at] > LEAST_SPEED:
                    continue
                if (theirs[0, at] - x) ** 2 + (theirs[1, at] - y) ** 2 > p_max * p_max:
                    continue
                if not abs(theirs[2, at] - z) <= mine[8, i] + mine[9, i] * theirs[7, at]:
                    continue
                t_a, t_b = _meeting(mine, i, theirs, at)
                if math.isnan(t_a):
                    continue
                if count == found.shape[1]:
                    more = np.empty((FOUND, 2 * count))
                    more[:, :count] = found
                    found = more
                found[0, count], found[1, count], found[2, count] = i, row_of[at], t_a
                found[3, count], found[4, count] = t_b, theirs[8, at]
                count += 1
    return found[:, :count]


def crossings(mine: F8, theirs: F8, cells: Cells) -> Crossings:
    """Whose paths cross too closely in time: `mine` and `theirs` have MINE and THEIRS as rows."""
    theirs = np.ascontiguousarray(theirs[:, cells.row])
    found = _crossings(mine, theirs, *cells.by_key, mine.shape[1] + 64)
    found = found[:, np.lexsort((found[4], found[0]))]
    row, other = found[0].astype(np.intp), found[1].astype(np.intp)
    return Crossings(row, other, found[2], found[3])
