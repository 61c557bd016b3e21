"""The shortest way round what a vehicle knows, and whether there is one; for kernels.

The visibility graph is never built as a whole. A search minds only the bodies that stood in the
way of a shorter way before, and what its result runs into is minded in the next search: a way that
is shortest past some of the walls and crosses none of the others is shortest past all.
"""

import math

import numpy as np

from movenv.terrain.walls import (
    EPS,
    crossed,
    doors,
    has,
    inside,
    meets_any,
    mind_crossed,
    nearest_door,
)
from movenv.world.kernel import inline, kernel

DOORS = 8
"""How many ways out of the zone around obstacles are tried."""
SLACK = 1e-3
"""A way may turn the wrong way round a corner by this angle: corners lie a little outside."""


@kernel
def _active(chart, known, minded):  # type: ignore[no-untyped-def]
    """The corners of minded bodies that count with this knowledge."""
    corners, first = chart.corners, chart.body_corner
    count = 0
    found = np.empty(64, np.int32)
    for word in range(len(minded)):
        if minded[word] == np.uint64(0):
            continue
        for body in range(word * 64, min(word * 64 + 64, len(first) - 1)):
            if not has(minded, body):
                continue
            for c in range(first[body], first[body + 1]):
                if not (has(known, corners.need[c]) or has(known, corners.other[c])):
                    continue
                if corners.lack[c] >= 0 and has(known, corners.lack[c]):
                    continue
                if count == len(found):
                    more = np.empty(2 * count, np.int32)
                    more[:count] = found
                    found = more
                found[count] = c
                count += 1
    return found[:count]


@inline
def _side(corners, c, dx, dy, slack):  # type: ignore[no-untyped-def]
    """On which side of a line through a corner its body lies: 1 left, -1 right, 0 either.

    2 when the line cuts into the body: then it leads nowhere.
    """
    back = -(dx * corners.iny[c] - dy * corners.inx[c])
    ahead = dx * corners.outy[c] - dy * corners.outx[c]
    if back >= -slack and ahead >= -slack:
        return 0 if back <= slack and ahead <= slack else 1
    if back <= slack and ahead <= slack:
        return -1
    return 2


@kernel
def _search(chart, known, seen, minded, active, start, end, gx, gy):  # type: ignore[no-untyped-def]
    """A* from any of the start places to any of the end places: (x, y, length) each.

    Returns parents, places and which end was reached, -1 for none.
    """
    corners = chart.corners
    walls, edge_chunk, chunk_body = chart.walls, chart.edge_chunk, chart.chunk_body
    ns, ne = start.shape[1], end.shape[1]
    first = ns + ne
    n = first + len(active)
    x, y, cost = np.empty(n), np.empty(n), np.full(n, math.inf)
    guess, parent, side = np.empty(n), np.full(n, -1, np.int32), np.zeros(n, np.int8)
    done = np.zeros(n, np.bool_)
    for k in range(n):
        if k < ns:
            x[k], y[k], cost[k] = start[0, k], start[1, k], start[2, k]
        elif k < first:
            x[k], y[k] = end[0, k - ns], end[1, k - ns]
        else:
            x[k], y[k] = corners.x[active[k - first]], corners.y[active[k - first]]
        guess[k] = math.hypot(x[k] - gx, y[k] - gy)
    while True:
        p, least = -1, math.inf
        for k in range(n):
            if not done[k] and cost[k] + guess[k] < least:
                p, least = k, cost[k] + guess[k]
        if p < 0:
            return x, y, cost, parent, -1
        done[p] = True
        if ns <= p < first:
            return x, y, cost, parent, p
        for k in range(ns, n):
            if done[k]:
                continue
            dx, dy = x[k] - x[p], y[k] - y[p]
            far = math.hypot(dx, dy)
            if cost[p] + far >= cost[k]:
                continue
            slack, turn = SLACK * far + 4 * EPS, 0
            if k >= first:
                turn = _side(corners, active[k - first], dx, dy, slack)
                if turn == 2:
                    continue
            if p >= first and side[p] != 0:
                q = parent[p]
                long = max(math.hypot(x[p] - x[q], y[p] - y[q]), 1e-12)
                bend = ((x[p] - x[q]) * dy - (y[p] - y[q]) * dx) / long
                if bend * side[p] < -slack:
                    continue
            if crossed(walls, edge_chunk, chunk_body, known, seen, minded, False,
                       x[p], y[p], x[k], y[k]):  # fmt: skip
                continue
            cost[k], parent[k], side[k] = cost[p] + far, p, turn


@kernel
def _places(chart, x, y, in_core, leaving):  # type: ignore[no-untyped-def]
    """Where a place in the zone around obstacles is left or entered; itself where it is free."""
    if not inside(chart.rim, x, y):
        own = np.zeros((3, 1))
        own[0, 0], own[1, 0] = x, y
        return own, False
    found = np.empty((3, DOORS))
    count = 0
    if not in_core:
        reach = 4.0 * chart.clearance + 1.0
        count = doors(chart.rim, chart.core, x, y, reach, found[0], found[1], found[2])
    if count == 0:
        count = 1
        if leaving:
            found[0, 0], found[1, 0], found[2, 0] = nearest_door(chart.rim, x, y)
        else:
            found[0, 0], found[1, 0], found[2, 0] = x, y, 0.0
    return found[:, :count].copy(), True


@kernel
def _free_start(chart, known, seen, x, y, start, px, py):  # type: ignore[no-untyped-def]
    """Whether one may head from inside the zone for a place right away.

    Not through anything solid, and out of the zone soon: within four times the way out.
    """
    depth = start[2].min()
    if depth > 0.5 * chart.clearance or meets_any(chart.core, x, y, px, py):
        return False
    far = math.hypot(px - x, py - y)
    if far <= 4.0 * depth:
        return True
    share = 4.0 * depth / far
    sx, sy = x + share * (px - x), y + share * (py - y)
    return not crossed(chart.walls, chart.edge_chunk, chart.chunk_body, known, seen, known, True,
                       sx, sy, px, py)  # fmt: skip


@kernel
def plan(chart, known, seen, minded, x, y, gx, gy, way):  # type: ignore[no-untyped-def]
    """The corners of the shortest way to a goal: into `way` (x, y, length from there).

    Returns how many, 0 when there is no way past what is known. Where there are more than fit,
    the first ones are given and the goal is not among them.
    """
    walls, edge_chunk, chunk_body = chart.walls, chart.edge_chunk, chart.chunk_body
    start, within = _places(chart, x, y, inside(chart.core, x, y), True)
    end, tight = _places(chart, gx, gy, inside(chart.core, gx, gy), False)
    way[0, 0], way[1, 0], way[2, 0] = gx, gy, 0.0
    if within or tight:
        near = math.hypot(gx - x, gy - y) <= 2.0 * chart.clearance + 4 * EPS
        if near and not meets_any(chart.core, x, y, gx, gy):
            return 1
    elif not crossed(walls, edge_chunk, chunk_body, known, seen, known, True, x, y, gx, gy):
        return 1
    while True:
        active = _active(chart, known, minded)
        nx, ny, cost, parent, k = _search(chart, known, seen, minded, active, start, end, gx, gy)
        if k < 0:
            return 0
        new, j = 0, k
        while parent[j] >= 0:
            q = parent[j]
            new += mind_crossed(walls, edge_chunk, chunk_body, known, seen, minded,
                                nx[q], ny[q], nx[j], ny[j])  # fmt: skip
            j = q
        if new == 0:
            break
    last = end[2, k - start.shape[1]]
    return _written(
        chart, known, seen, x, y, gx, gy, start, within, nx, ny, cost, parent, k, last, way
    )


@kernel
def _written(  # type: ignore[no-untyped-def]
    chart, known, seen, x, y, gx, gy, start, within, nx, ny, cost, parent, k, last, way
):
    """Write a way down, from its start; `last` is the length from its end k to the goal."""
    count, j = 0, k
    while parent[j] >= 0:
        count += 1
        j = parent[j]
    chain = np.empty(count + 1, np.int32)
    j = k
    for c in range(count, -1, -1):
        chain[c] = j
        j = parent[j]
    begin = 1
    if within and not (
        count > 0 and _free_start(chart, known, seen, x, y, start, nx[chain[1]], ny[chain[1]])
    ):
        begin = 0
    total, n = cost[k] + last, 0
    for c in range(begin, count + 1):
        if n == way.shape[1]:
            return n
        j = chain[c]
        way[0, n], way[1, n], way[2, n] = nx[j], ny[j], total - cost[j]
        n += 1
    if last > 0.0 and n < way.shape[1]:
        way[0, n], way[1, n], way[2, n] = gx, gy, 0.0
        n += 1
    return n
