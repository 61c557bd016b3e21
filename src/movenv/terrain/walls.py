"""Lines among walls: what crosses what, what lies inside, and the way out; for kernels."""

import math

import numpy as np

from movenv.terrain.edge_grid import column_of
from movenv.world.kernel import inline, kernel

EPS = 2e-3
"""Corners of ways lie this far outside of what they go round, m."""
TOUCH = 1e-5
"""Lines that come nearer to each other than this touch, m."""


@inline
def has(bits, item):  # type: ignore[no-untyped-def]
    return (bits[item >> 6] >> np.uint64(item & 63)) & np.uint64(1) != np.uint64(0)


@inline
def add(bits, item):  # type: ignore[no-untyped-def]
    bits[item >> 6] |= np.uint64(1) << np.uint64(item & 63)


@inline
def _apart_along(ux, uy, ax, ay, bx, by, px, py, qx, qy):  # type: ignore[no-untyped-def]
    """Whether two lines are apart when looked at along one direction (a unit vector)."""
    a, b = ux * ax + uy * ay, ux * bx + uy * by
    p, q = ux * px + uy * py, ux * qx + uy * qy
    return min(a, b) > max(p, q) + TOUCH or min(p, q) > max(a, b) + TOUCH


@inline
def meets(ax, ay, bx, by, px, py, qx, qy):  # type: ignore[no-untyped-def]
    """Whether the lines a-b and p-q cross or touch.

    Two straight lines that do not touch are apart along the normal of one of them, or, when
    they are parallel, along their own direction.
    """
    if min(ax, bx) > max(px, qx) + TOUCH or min(px, qx) > max(ax, bx) + TOUCH:
        return False
    if min(ay, by) > max(py, qy) + TOUCH or min(py, qy) > max(ay, by) + TOUCH:
        return False
    for which in range(2):
        ux, uy = (bx - ax, by - ay) if which == 0 else (qx - px, qy - py)
        long = math.sqrt(ux * ux + uy * uy)
        if long > 0.0:
            ux, uy = ux / long, uy / long
            if _apart_along(-uy, ux, ax, ay, bx, by, px, py, qx, qy):
                return False
            if _apart_along(ux, uy, ax, ay, bx, by, px, py, qx, qy):
                return False
    return True


@inline
def rows_within(grid, i, px, py, qx, qy):  # type: ignore[no-untyped-def]
    """First and last row of the cells of column i that the line p-q touches."""
    low, high = grid.west + i * grid.cell, grid.west + (i + 1) * grid.cell
    ya, yb = py, qy
    if abs(qx - px) > 1e-9:
        slope = (qy - py) / (qx - px)
        if px < low and i > 0:
            ya = py + (low - px) * slope
        elif px > high and i < grid.columns - 1:
            ya = py + (high - px) * slope
        if qx < low and i > 0:
            yb = py + (low - px) * slope
        elif qx > high and i < grid.columns - 1:
            yb = py + (high - px) * slope
    j0 = column_of(min(ya, yb) - TOUCH, grid.south, grid.cell, grid.rows)
    j1 = column_of(max(ya, yb) + TOUCH, grid.south, grid.cell, grid.rows)
    return j0, j1


@inline
def _columns_within(grid, box, px, qx):  # type: ignore[no-untyped-def]
    """First and last column of the cells in a box that the line p-q touches; west, south, east,
    north."""
    i0 = column_of(max(min(px, qx) - TOUCH, box[0]), grid.west, grid.cell, grid.columns)
    i1 = column_of(min(max(px, qx) + TOUCH, box[2]), grid.west, grid.cell, grid.columns)
    return i0, i1


@inline
def _apart(box, px, py, qx, qy):  # type: ignore[no-untyped-def]
    """Whether the line p-q passes a box by far, or the box is empty."""
    if max(px, qx) + TOUCH < box[0] or min(px, qx) - TOUCH > box[2]:
        return True
    return max(py, qy) + TOUCH < box[1] or min(py, qy) - TOUCH > box[3]


@kernel
def crossed(grid, edge_chunk, chunk_body, known, seen, minded, every, px, py, qx, qy):  # type: ignore[no-untyped-def]
    """Whether the line p-q meets a known edge, of a minded body unless `every` counts.

    All known edges are in the box `seen`. It takes the parts of a chart that it needs, for taking
    them out of the chart counts references each time.
    """
    if _apart(seen, px, py, qx, qy):
        return False
    back = qx < px
    i0, i1 = _columns_within(grid, seen, px, qx)
    for step in range(i1 - i0 + 1):
        i = i1 - step if back else i0 + step
        j0, j1 = rows_within(grid, i, px, py, qx, qy)
        for j in range(j0, j1 + 1):
            c = j * grid.columns + i
            for at in range(grid.first[c], grid.first[c + 1]):
                e = grid.items[at]
                chunk = edge_chunk[e]
                if not has(known, chunk) or not (every or has(minded, chunk_body[chunk])):
                    continue
                if meets(grid.ax[e], grid.ay[e], grid.bx[e], grid.by[e], px, py, qx, qy):
                    return True
    return False


@kernel
def mind_crossed(grid, edge_chunk, chunk_body, known, seen, minded, px, py, qx, qy):  # type: ignore[no-untyped-def]
    """Mind every body of which a known edge meets the line p-q; returns how many are new."""
    new = 0
    if _apart(seen, px, py, qx, qy):
        return new
    i0, i1 = _columns_within(grid, seen, px, qx)
    for i in range(i0, i1 + 1):
        j0, j1 = rows_within(grid, i, px, py, qx, qy)
        for j in range(j0, j1 + 1):
            c = j * grid.columns + i
            for at in range(grid.first[c], grid.first[c + 1]):
                e = grid.items[at]
                chunk = edge_chunk[e]
                if has(minded, chunk_body[chunk]) or not has(known, chunk):
                    continue
                if meets(grid.ax[e], grid.ay[e], grid.bx[e], grid.by[e], px, py, qx, qy):
                    add(minded, chunk_body[chunk])
                    new += 1
    return new


@kernel
def meets_any(grid, px, py, qx, qy):  # type: ignore[no-untyped-def]
    """Whether the line p-q meets any edge."""
    i0 = column_of(min(px, qx) - TOUCH, grid.west, grid.cell, grid.columns)
    i1 = column_of(max(px, qx) + TOUCH, grid.west, grid.cell, grid.columns)
    for i in range(i0, i1 + 1):
        j0, j1 = rows_within(grid, i, px, py, qx, qy)
        for j in range(j0, j1 + 1):
            c = j * grid.columns + i
            for at in range(grid.first[c], grid.first[c + 1]):
                e = grid.items[at]
                if meets(grid.ax[e], grid.ay[e], grid.bx[e], grid.by[e], px, py, qx, qy):
                    return True
    return False


@kernel
def inside(grid, x, y):  # type: ignore[no-untyped-def]
    """Whether a place is inside outlines that do not overlap: edges to its west, odd or even."""
    within = False
    j = column_of(y, grid.south, grid.cell, grid.rows)
    for i in range(column_of(x, grid.west, grid.cell, grid.columns) + 1):
        c = j * grid.columns + i
        for at in range(grid.first[c], grid.first[c + 1]):
            e = grid.items[at]
            ay, by = grid.ay[e], grid.by[e]
            if (ay > y) == (by > y):
                continue
            ax, bx = grid.ax[e], grid.bx[e]
            cut = ax + (bx - ax) * (y - ay) / (by - ay)
            cut = min(max(cut, min(ax, bx)), max(ax, bx))
            if cut < x and column_of(cut, grid.west, grid.cell, grid.columns) == i:
                within = not within
    return within


@inline
def nearest_on(ax, ay, bx, by, x, y):  # type: ignore[no-untyped-def]
    """The place of the line a-b that is nearest to x, y."""
    ex, ey = bx - ax, by - ay
    square = ex * ex + ey * ey
    along = ((x - ax) * ex + (y - ay) * ey) / square if square > 0.0 else 0.0
    along = min(max(along, 0.0), 1.0)
    return ax + along * ex, ay + along * ey


@kernel
def doors(rim, core, x, y, reach, door_x, door_y, door_far):  # type: ignore[no-untyped-def]
    """The nearest places of the rim that can be seen past the core; returns how many.

    One for each edge of the rim within reach, the nearest first, as many as there is room for.
    """
    count, room = 0, len(door_x)
    i0 = column_of(x - reach, rim.west, rim.cell, rim.columns)
    i1 = column_of(x + reach, rim.west, rim.cell, rim.columns)
    j0 = column_of(y - reach, rim.south, rim.cell, rim.rows)
    j1 = column_of(y + reach, rim.south, rim.cell, rim.rows)
    for i in range(i0, i1 + 1):
        for j in range(j0, j1 + 1):
            c = j * rim.columns + i
            for at in range(rim.first[c], rim.first[c + 1]):
                e = rim.items[at]
                nx, ny = nearest_on(rim.ax[e], rim.ay[e], rim.bx[e], rim.by[e], x, y)
                far = math.hypot(nx - x, ny - y)
                if far > reach or (count == room and far >= door_far[room - 1]):
                    continue
                if column_of(nx, rim.west, rim.cell, rim.columns) != i:
                    continue  # seen again from another cell
                if column_of(ny, rim.south, rim.cell, rim.rows) != j:
                    continue
                if meets_any(core, x, y, nx, ny):
                    continue
                k = count if count < room else room - 1
                while k > 0 and door_far[k - 1] > far:
                    door_x[k], door_y[k], door_far[k] = (
                        door_x[k - 1],
                        door_y[k - 1],
                        door_far[k - 1],
                    )
                    k -= 1
                door_x[k], door_y[k], door_far[k] = nx, ny, far
                count = min(count + 1, room)
    return count


@kernel
def nearest_door(rim, x, y):  # type: ignore[no-untyped-def]
    """The nearest place of the rim, whatever lies between."""
    best, best_x, best_y = math.inf, x, y
    for e in range(len(rim.ax)):
        nx, ny = nearest_on(rim.ax[e], rim.ay[e], rim.bx[e], rim.by[e], x, y)
        far = math.hypot(nx - x, ny - y)
        if far < best:
            best, best_x, best_y = far, nx, ny
    return best_x, best_y, best
