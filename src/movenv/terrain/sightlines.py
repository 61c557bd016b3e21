"""Lines past walls: whether they are open, how far they reach, and where followers find room."""

import math

from movenv.terrain.edge_grid import column_of
from movenv.terrain.walls import EPS, crossed, has, inside, meets, nearest_door, rows_within
from movenv.world.kernel import inline, kernel

TURNS = 6
"""In so many steps a station is swung round its leader until it comes to lie behind it."""
OFF = 0.25
"""Who stops before a wall stays away from it by this share of the clearance."""

ROOM = 7.0
"""Beside or ahead of a leader it takes so many clearances of open way beyond where one heads."""


@inline
def _share(ax, ay, bx, by, px, py, qx, qy):  # type: ignore[no-untyped-def]
    """How much of the line p-q lies before the wall a-b that it meets."""
    ex, ey, dx, dy = bx - ax, by - ay, qx - px, qy - py
    turn = dx * ey - dy * ex
    if abs(turn) > 1e-12:
        return min(max(((ax - px) * ey - (ay - py) * ex) / turn, 0.0), 1.0)
    square = max(dx * dx + dy * dy, 1e-12)
    near = min((ax - px) * dx + (ay - py) * dy, (bx - px) * dx + (by - py) * dy)
    return min(max(near / square, 0.0), 1.0)


@kernel
def _free(chart, known, px, py, qx, qy):  # type: ignore[no-untyped-def]
    """The share of the line p-q that lies before the first known wall; 1 where there is none."""
    grid, least = chart.walls, 1.0
    i0 = column_of(min(px, qx), grid.west, grid.cell, grid.columns)
    i1 = column_of(max(px, qx), grid.west, grid.cell, grid.columns)
    for i in range(i0, i1 + 1):
        j0, j1 = rows_within(grid, i, px, py, qx, qy)
        for j in range(j0, j1 + 1):
            c = j * grid.columns + i
            for at in range(grid.first[c], grid.first[c + 1]):
                e = grid.items[at]
                if not has(known, chart.edge_chunk[e]):
                    continue
                ax, ay, bx, by = grid.ax[e], grid.ay[e], grid.bx[e], grid.by[e]
                if meets(ax, ay, bx, by, px, py, qx, qy):
                    least = min(least, _share(ax, ay, bx, by, px, py, qx, qy))
    return least


@kernel
def open_lines(chart, them, rows, x, y, to_x, to_y, found):  # type: ignore[no-untyped-def]
    """Whether vehicles may go straight to places: past all that they know, to where there is room.

    A line that meets no wall is shut all the same where both of its ends are too near to one.
    """
    for k in range(len(rows)):
        known, seen = them.known[rows[k]], them.seen[rows[k]]
        found[k] = not crossed(chart.walls, chart.edge_chunk, chart.chunk_body, known, seen, known,
                               True, x[k], y[k], to_x[k], to_y[k]) and not inside(
            chart.rim, to_x[k], to_y[k])  # fmt: skip


@inline
def _clipped(chart, known, px, py, qx, qy):  # type: ignore[no-untyped-def]
    """The end of the line p-q, or a place before the first wall on it; the share up to there."""
    share = _free(chart, known, px, py, qx, qy)
    if share < 1.0:
        far = max(math.hypot(qx - px, qy - py), 1e-9)
        share = max(share - (OFF * chart.clearance + EPS) / far, 0.0)
    x, y = px + share * (qx - px), py + share * (qy - py)
    if share > 0.0 and inside(chart.rim, x, y):
        return px, py, 0.0
    return x, y, share


@kernel
def find_room(chart, them, rows, leader, ahead, by, station, to):  # type: ignore[no-untyped-def]
    """Move stations to where their leaders see them; `to` becomes the place `by` m ahead of them.

    A station is swung round its leader toward the place right behind it, as far as it must; where
    that does not help, it comes nearer. One not behind it is swung to where the way on is
    open, too: before a wall nobody could turn any more. All are (2, rows), or one value a row.
    """
    for k in range(len(rows)):
        known = them.known[rows[k]]
        lx, ly = leader[0, k], leader[1, k]
        best, best_x, best_y = -1.0, lx, ly
        if inside(chart.core, lx, ly):  # it stands where these cannot
            best_x, best_y, _ = nearest_door(chart.rim, lx, ly)
        elif not inside(chart.rim, lx, ly):
            east, north = station[0, k] - lx, station[1, k] - ly
            far = math.hypot(east, north)
            back = math.atan2(-ahead[1, k], -ahead[0, k])
            aside = math.atan2(north, east) - back
            aside -= 2.0 * math.pi * math.floor(aside / (2.0 * math.pi) + 0.5)
            leads = math.cos(aside) < 0.1
            on = by[k] + ROOM * chart.clearance
            for step in range(TURNS + 1):
                angle = back + aside * (1.0 - step / TURNS)
                qx, qy = lx + far * math.cos(angle), ly + far * math.sin(angle)
                qx, qy, share = _clipped(chart, known, lx, ly, qx, qy)
                if leads and step < TURNS:
                    on_x, on_y = qx + on * ahead[0, k], qy + on * ahead[1, k]
                    share = min(share, _free(chart, known, qx, qy, on_x, on_y))
                if share > best:
                    best, best_x, best_y = share, qx, qy
                if share == 1.0:
                    break
        station[0, k], station[1, k] = best_x, best_y
        on_x, on_y = best_x + by[k] * ahead[0, k], best_y + by[k] * ahead[1, k]
        to[0, k], to[1, k], _ = _clipped(chart, known, best_x, best_y, on_x, on_y)
