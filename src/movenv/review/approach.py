"""Kernels for the distances of pairs in one block of time; see `separation` for how they are used.

Vehicles move on straight lines between ticks, so the distance of two has a closed form: the
square of it is a parabola in time.
"""

import math

import numpy as np

from movenv.world.kernel import inline, kernel

# Columns of what the samples tell of a pair.
SECONDS, SUM, SQUARES, REFERENCE, NEAR, FAR = range(6)
SAMPLED = 6
# Columns of what the lines tell.
CLOSEST2, CLOSEST_T, KNOWN = range(3)
EXACT = 3


MARGIN = 1.0 + 1e-9
"""What rounding may do to a square."""
TILE = 64
"""Vehicles that are held side by side, to be gone through many at a time."""


@kernel
def survey(place, dt, low, high, longest, whole, known, travelled):  # type: ignore[no-untyped-def]
    """Of each vehicle in a block: its box, its longest step, whether it was known throughout.

    Adds to how long each was known and how far it went.
    """
    ticks = place.shape[2]
    for i in range(place.shape[0]):
        low[:, i], high[:, i] = np.inf, -np.inf
        whole[i], longest[i] = True, 0.0
        for k in range(ticks):
            x, y, z = place[i, 0, k], place[i, 1, k], place[i, 2, k]
            if x != x:
                whole[i] = False
                continue
            low[0, i], high[0, i] = min(low[0, i], x), max(high[0, i], x)
            low[1, i], high[1, i] = min(low[1, i], y), max(high[1, i], y)
            low[2, i], high[2, i] = min(low[2, i], z), max(high[2, i], z)
            if k + 1 < ticks and place[i, 0, k + 1] == place[i, 0, k + 1]:
                vx, vy = place[i, 0, k + 1] - x, place[i, 1, k + 1] - y
                vz = place[i, 2, k + 1] - z
                step = math.sqrt(vx * vx + vy * vy + vz * vz)
                longest[i] = max(longest[i], step)
                known[i] += dt[k]
                travelled[i] += step


@inline
def _turned(place, first, picked, tile):  # type: ignore[no-untyped-def]
    """Put the vehicles from `first` on side by side, tick for tick; nan behind the last."""
    for k in range(len(picked)):
        for axis in range(3):
            for j in range(TILE):
                known = first + j < place.shape[0]
                tile[k, axis, j] = place[first + j, axis, picked[k]] if known else np.nan


# Each of these goes through few columns at a time: with more the compiler gives up vectorising.
# Whoever is not known has nan for a place, and nan is neither larger nor smaller than anything.


@inline
def _distances(east, north, up, x, y, z, distance):  # type: ignore[no-untyped-def]
    for j in range(TILE):
        dx, dy, dz = east[j] - x, north[j] - y, up[j] - z
        distance[j] = math.sqrt(dx * dx + dy * dy + dz * dz)


@inline
def _extremes(distance, near, far):  # type: ignore[no-untyped-def]
    for j in range(TILE):
        d = distance[j]
        near[j] = d if d < near[j] else near[j]
        far[j] = d if d > far[j] else far[j]


@inline
def _from_reference(distance, reference):  # type: ignore[no-untyped-def]
    """Distances less the first there was: sums of small numbers stay exact."""
    for j in range(TILE):
        r = distance[j] if reference[j] != reference[j] else reference[j]
        reference[j] = r
        distance[j] -= r


@inline
def _sums(off, past, dt, seconds, total, squares):  # type: ignore[no-untyped-def]
    """Add the trapezoid between a sample and the one before."""
    for j in range(TILE):
        one, two = off[j], past[j]
        both = one + two == one + two
        seconds[j] += dt if both else 0.0
        total[j] += 0.5 * dt * (one + two) if both else 0.0
        squares[j] += 0.5 * dt * (one * one + two * two) if both else 0.0
        past[j] = one


@kernel
def sample(rows, place, picked, dt, found):  # type: ignore[no-untyped-def]
    """Take in the samples of one block, at the ticks `picked` of it.

    `dt` is the time since the pick before. `found` has for each of
    `rows` and each column of SAMPLED a place for every vehicle.
    """
    tile = np.empty((len(picked), 3, TILE))
    distance, past = np.empty(TILE), np.empty(TILE)
    for first in range(0, place.shape[0], TILE):
        _turned(place, first, picked, tile)
        behind = first + TILE
        for r in range(len(rows)):
            i = rows[r]
            if i >= behind:
                continue
            near, far = found[r, NEAR, first:behind], found[r, FAR, first:behind]
            reference = found[r, REFERENCE, first:behind]
            seconds, total = found[r, SECONDS, first:behind], found[r, SUM, first:behind]
            squares = found[r, SQUARES, first:behind]
            past[:] = np.nan
            for k in range(len(picked)):
                x, y, z = place[i, 0, picked[k]], place[i, 1, picked[k]], place[i, 2, picked[k]]
                _distances(tile[k, 0], tile[k, 1], tile[k, 2], x, y, z, distance)
                _extremes(distance, near, far)
                _from_reference(distance, reference)
                _sums(distance, past, dt[k], seconds, total, squares)


@inline
def _share_within(a, toward, near2, radius2):  # type: ignore[no-untyped-def]
    """The share of a step spent within a radius.

    `a` is the square of the step's length, `toward` the share of it at which the line is closest,
    `near2` the square of that distance.
    """
    if near2 > radius2:
        return 0.0
    half = math.sqrt((radius2 - near2) / a)
    return max(0.0, min(1.0, toward + half) - max(0.0, toward - half))


@inline
def _step(px, py, pz, vx, vy, vz, t, dt, radius2, pair, below):  # type: ignore[no-untyped-def]
    """One straight step of a pair: from `p` on by `v`, relative to each other."""
    a = vx * vx + vy * vy + vz * vz
    square = px * px + py * py + pz * pz
    pair[KNOWN] += dt
    if a == 0.0:
        for level in range(len(radius2)):
            if square <= radius2[level]:
                below[level] += dt
        return
    toward = -(px * vx + py * vy + pz * vz) / a
    nx, ny, nz = px + vx * toward, py + vy * toward, pz + vz * toward
    near2 = nx * nx + ny * ny + nz * nz
    if 0.0 < toward < 1.0 and near2 < pair[CLOSEST2]:
        pair[CLOSEST2], pair[CLOSEST_T] = near2, t + toward * dt
    for level in range(len(radius2)):
        below[level] += dt * _share_within(a, toward, near2, radius2[level])


@inline
def _follow(place, t, i, j, radius2, pair, below):  # type: ignore[no-untyped-def]
    """All steps of a pair in a block, and the ticks at which both were known."""
    ticks = place.shape[2]
    for k in range(ticks):
        px = place[j, 0, k] - place[i, 0, k]
        if px != px:
            continue
        py, pz = place[j, 1, k] - place[i, 1, k], place[j, 2, k] - place[i, 2, k]
        square = px * px + py * py + pz * pz
        if square < pair[CLOSEST2]:
            pair[CLOSEST2], pair[CLOSEST_T] = square, t[k]
        if k + 1 < ticks:
            vx = place[j, 0, k + 1] - place[i, 0, k + 1] - px
            if vx == vx:
                vy = place[j, 1, k + 1] - place[i, 1, k + 1] - py
                vz = place[j, 2, k + 1] - place[i, 2, k + 1] - pz
                _step(px, py, pz, vx, vy, vz, t[k], t[k + 1] - t[k], radius2, pair, below)


@inline
def _ever_within(place, i, j, reach2):  # type: ignore[no-untyped-def]
    """Whether the distance at any tick of a block is within reach; counted, so as to be fast."""
    within = 0
    for k in range(place.shape[2]):
        x = place[j, 0, k] - place[i, 0, k]
        y = place[j, 1, k] - place[i, 1, k]
        z = place[j, 2, k] - place[i, 2, k]
        within += x * x + y * y + z * z <= reach2
    return within > 0


@inline
def _boxes_apart2(low, high, i, j):  # type: ignore[no-untyped-def]
    """The square of the smallest distance that two vehicles can have had in a block."""
    square = 0.0
    for axis in range(3):
        apart = max(low[axis, j] - high[axis, i], low[axis, i] - high[axis, j], 0.0)
        square += apart * apart
    return square


@kernel
def approach(  # type: ignore[no-untyped-def]
    rows, begin, place, t, low, high, longest, whole, length, multiples, bound2, prune, found, below
):
    """Take in a block's lines of the pairs of `rows` with all behind them.

    A pair is followed tick by tick only where it may have been closer than it ever was, or within
    the outermost level; `bound2` is the square of a distance each is known to have had. Without
    `prune` every pair is followed.
    """
    count = place.shape[0]
    span = t[-1] - t[0]
    radius2 = np.empty(len(multiples))
    for r in range(len(rows)):
        i = rows[r]
        for j in range(i + 1, count):
            p = begin[r] + j - i - 1
            pair = found[p]
            apart2 = _boxes_apart2(low, high, i, j)
            if apart2 == np.inf:
                continue  # one of them was never known here
            size = max(length[i], length[j])
            for level in range(len(multiples)):
                radius2[level] = (size * multiples[level]) ** 2
            near = len(multiples) > 0 and apart2 <= radius2[0]
            both = whole[i] and whole[j]
            if prune and both and not near:
                least2 = min(bound2[p], pair[CLOSEST2])
                hopeless = apart2 > least2 or apart2 >= pair[CLOSEST2]
                if not hopeless:
                    # Between two ticks they come closer by no more than half of both their steps.
                    reach = math.sqrt(least2) + 0.5 * (longest[i] + longest[j])
                    hopeless = not _ever_within(place, i, j, reach * reach * MARGIN)
                if hopeless:
                    pair[KNOWN] += span
                    continue
            _follow(place, t, i, j, radius2, pair, below[p])
