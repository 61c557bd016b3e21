"""Rays against maps of occupied cells: many at once, so that none waits for another's memory."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from movenv.terrain.cell_walk import direction, entry, leap
from movenv.world.columns import F8, U4
from movenv.world.kernel import inline, kernel

LANES = 256
"""Rays under way at once. What they look up is somewhere in a large table each time; one ray alone
would wait for most of its steps."""

I4 = NDArray[np.int32]


class Lanes(NamedTuple):
    """Rays under way, one a place in these columns: as in `cell_walk`."""

    u: F8
    v: F8
    du: F8
    dv: F8
    per_u: F8
    per_v: F8
    far: F8
    end: F8
    table: I4
    """Where the quadrant's table begins."""
    i: I4
    j: I4
    size: I4
    done: I4
    ray: U4
    """Which ray it is."""


@kernel
def new_lanes():  # type: ignore[no-untyped-def]
    return Lanes(
        np.zeros(LANES), np.zeros(LANES), np.zeros(LANES), np.zeros(LANES),
        np.zeros(LANES), np.zeros(LANES), np.zeros(LANES), np.zeros(LANES),
        np.zeros(LANES, np.int32), np.zeros(LANES, np.int32), np.zeros(LANES, np.int32),
        np.zeros(LANES, np.int32), np.zeros(LANES, np.int32), np.zeros(LANES, np.uint32),
    )  # fmt: skip


@inline
def _place(lanes, low, high, rays, west, south, per):  # type: ignore[no-untyped-def]
    """Some rays (x, y, angle) go into lanes: their places in cells, and in `far` their angle."""
    x, y, angle = rays
    for k in range(high - low):
        lanes.u[k] = (x[low + k] - west) * per
        lanes.v[k] = (y[low + k] - south) * per
        lanes.far[k] = angle[low + k]
        lanes.ray[k] = low + k


@inline
def _begin(lanes, n, columns, rows, most):  # type: ignore[no-untyped-def]
    """Rays that were just placed come into the map."""
    for k in range(n):
        sin, cos = direction(lanes.far[k])
        u, v, du, dv, per_u, per_v, quadrant, begin, i, j, end = entry(
            lanes.u[k], lanes.v[k], cos, sin, columns, rows, most
        )
        lanes.u[k], lanes.v[k], lanes.du[k], lanes.dv[k] = u, v, du, dv
        lanes.per_u[k], lanes.per_v[k] = per_u, per_v
        lanes.i[k], lanes.j[k], lanes.table[k] = i, j, quadrant * (columns * rows)
        lanes.end[k] = end
        lanes.far[k] = begin if end >= 0.0 else math.inf


@inline
def _copy(lanes, k, source, n):  # type: ignore[no-untyped-def]
    """Lane n of a source goes on as lane k."""
    lanes.u[k], lanes.v[k] = source.u[n], source.v[n]
    lanes.du[k], lanes.dv[k] = source.du[n], source.dv[n]
    lanes.per_u[k], lanes.per_v[k] = source.per_u[n], source.per_v[n]
    lanes.i[k], lanes.j[k], lanes.table[k] = source.i[n], source.j[n], source.table[n]
    lanes.end[k], lanes.far[k], lanes.ray[k] = source.end[n], source.far[n], source.ray[n]


@inline
def _advance(lanes, n, squares, columns):  # type: ignore[no-untyped-def]
    """All go on to where their square of open cells ends; `done` are those that met something, or
    have come to their end.

    Two loops, for one of them can then be vectorised, and the other asks for much memory at once.
    """
    for k in range(n):
        lanes.size[k] = squares[np.uint32(lanes.table[k] + lanes.j[k] * columns + lanes.i[k])]
    for k in range(n):
        size = lanes.size[k]
        i, j, far = leap(
            lanes.i[k], lanes.j[k], size, lanes.u[k], lanes.v[k], lanes.du[k], lanes.dv[k],
            lanes.per_u[k], lanes.per_v[k],
        )  # fmt: skip
        lanes.i[k], lanes.j[k] = i, j
        past = not (far < lanes.end[k])  # also where it is nan
        met = size == 0
        beyond = math.inf if past else far
        lanes.far[k] = lanes.far[k] if met else beyond
        lanes.done[k] = np.int32(met | past)


@kernel
def cells_met(squares, west, south, resolution, x, y, angle, most, far):  # type: ignore[no-untyped-def]
    """How far each ray goes until it comes into an occupied cell, into `far`; inf beyond `most`.

    `squares` as of `open_squares`. What is nan comes out as inf. Rays that are done make room for
    others, which were made ready many at a time; indices are unsigned where it saves a check.
    """
    rows, columns = np.int32(squares.shape[1]), np.int32(squares.shape[2])
    flat = squares.reshape(-1)
    per = 1.0 / resolution
    lanes, waiting = new_lanes(), new_lanes()
    done = np.arange(LANES).astype(np.uint32)
    n = finished = LANES
    begun = low = high = 0
    while True:
        for q in range(finished - 1, -1, -1):
            k = done[q]
            if begun == high and high < len(x):
                low, high = high, min(high + LANES, len(x))
                _place(waiting, low, high, (x, y, angle), west, south, per)
                _begin(waiting, high - low, columns, rows, most * per)
            if begun < high:
                _copy(lanes, k, waiting, np.uint32(begun - low))
                begun += 1
            else:
                n -= 1
                _copy(lanes, k, lanes, np.uint32(n))
        if n == 0:
            break
        _advance(lanes, n, flat, columns)
        finished = 0
        for k in range(n):
            done[np.uint32(finished)] = k
            finished += lanes.done[k]
        for q in range(finished):
            far[lanes.ray[done[q]]] = lanes.far[done[q]] * resolution


@inline
def cell_met(squares, west, south, resolution, x, y, cos, sin, most):  # type: ignore[no-untyped-def]
    """The same for one ray."""
    rows, columns = np.int32(squares.shape[1]), np.int32(squares.shape[2])
    per = 1.0 / resolution
    u, v, du, dv, per_u, per_v, quadrant, far, i, j, end = entry(
        (x - west) * per, (y - south) * per, cos, sin, columns, rows, most * per
    )
    while far < end:
        size = np.int32(squares[quadrant, j, i])
        if size == 0:
            return far * resolution
        i, j, far = leap(i, j, size, u, v, du, dv, per_u, per_v)
    return math.inf
