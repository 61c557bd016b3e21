"""What vehicles do each tick on their ways: look around, pass corners, find new ways."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from movenv.terrain.edge_grid import column_of
from movenv.terrain.walls import EPS, add, crossed, has, meets, nearest_on
from movenv.terrain.ways import plan
from movenv.world.columns import F8, Mask, Rows
from movenv.world.kernel import inline, kernel

GLANCE = 0.05
"""A vehicle looks around again when it has moved by this share of its sight, or a little less."""
CORNERS = 48
"""How many corners of a way are kept; a longer way is found again when they are passed."""
ON_WAY, NEW_GOAL, IDLE, SHUT_IN = 0, 1, 2, 3
"""States: on its way; has a goal and no way yet; has no goal; knows that there is no way."""


class Travellers(NamedTuple):
    """Vehicles under way on one chart, one row each, as kernels take them."""

    known: NDArray[np.uint64]
    """Chunks seen, one bit each."""
    seen: F8
    """The box around them (n, 4): west, south, east, north."""
    minded: NDArray[np.uint64]
    """Bodies that have stood in the way, one bit each."""
    sight: F8
    looked: F8
    """Where they last looked around (2, n)."""
    goal: F8
    way: F8
    """Corners of the way: x, y, length from there (n, 3, CORNERS)."""
    corners: NDArray[np.int64]
    """How many there are."""
    at: NDArray[np.int64]
    """Which one is next."""
    anchor: F8
    """From where the line to the next corner is known to be free (2, n)."""
    state: NDArray[np.int8]


def travellers(count: int, chunks: int, bodies: int, sight: F8) -> Travellers:
    """Vehicles that know nothing and want nothing."""
    return Travellers(
        np.zeros((count, chunks // 64 + 1), np.uint64),
        np.tile([np.inf, np.inf, -np.inf, -np.inf], (count, 1)),
        np.zeros((count, bodies // 64 + 1), np.uint64),
        sight,
        np.full((2, count), np.nan),
        np.full((2, count), np.nan),
        np.zeros((count, 3, CORNERS)),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.full((2, count), np.nan),
        np.full(count, IDLE, np.int8),
    )


def taken(them: Travellers, rows: Rows) -> Travellers:
    """Some of them, with all they know."""
    across = ("looked", "goal", "anchor")
    columns = them._asdict()
    return Travellers(
        **{
            name: np.ascontiguousarray(column[:, rows] if name in across else column[rows])
            for name, column in columns.items()
        }
    )


@inline
def _on_way(walls, chunk_edge, way, corners, at, x, y, chunk):  # type: ignore[no-untyped-def]
    """Whether a chunk lies across what is left of a way."""
    for e in range(chunk_edge[chunk], chunk_edge[chunk + 1]):
        px, py = x, y
        for k in range(at, corners):
            qx, qy = way[0, k], way[1, k]
            if meets(walls.ax[e], walls.ay[e], walls.bx[e], walls.by[e], px, py, qx, qy):
                return True
            px, py = qx, qy
    return False


@inline
def _within(views, walls, chunk_edge, chunk, x, y, sight):  # type: ignore[no-untyped-def]
    """Whether any part of a chunk is within sight."""
    dx = max(views.ax[chunk] - x, x - views.bx[chunk], 0.0)
    dy = max(views.ay[chunk] - y, y - views.by[chunk], 0.0)
    if dx * dx + dy * dy > sight * sight:
        return False
    for e in range(chunk_edge[chunk], chunk_edge[chunk + 1]):
        nx, ny = nearest_on(walls.ax[e], walls.ay[e], walls.bx[e], walls.by[e], x, y)
        if (nx - x) ** 2 + (ny - y) ** 2 <= sight * sight:
            return True
    return False


@kernel
def _look(views, walls, chunk_edge, known, seen, x, y, sight, way, corners, at):  # type: ignore[no-untyped-def]
    """Note what is within sight; returns whether something new lies across the way."""
    stale = False
    i0 = column_of(x - sight, views.west, views.cell, views.columns)
    i1 = column_of(x + sight, views.west, views.cell, views.columns)
    j0 = column_of(y - sight, views.south, views.cell, views.rows)
    j1 = column_of(y + sight, views.south, views.cell, views.rows)
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            c = j * views.columns + i
            for item in range(views.first[c], views.first[c + 1]):
                chunk = views.items[item]
                if has(known, chunk):
                    continue
                if _within(views, walls, chunk_edge, chunk, x, y, sight):
                    add(known, chunk)
                    seen[0], seen[1] = min(seen[0], views.ax[chunk]), min(seen[1], views.ay[chunk])
                    seen[2], seen[3] = max(seen[2], views.bx[chunk]), max(seen[3], views.by[chunk])
                    stale = stale or _on_way(walls, chunk_edge, way, corners, at, x, y, chunk)
    return stale


@inline
def _patience(x, y):  # type: ignore[no-untyped-def]
    """A number from 0.5 to 1 for a place: so not all who set out together look together."""
    mixed = 12.9898 * x + 78.233 * y
    return 0.5 + 0.5 * (mixed - math.floor(mixed))


@inline
def _off_line(ax, ay, bx, by, x, y):  # type: ignore[no-untyped-def]
    """The distance from the line a-b."""
    nx, ny = nearest_on(ax, ay, bx, by, x, y)
    return math.hypot(nx - x, ny - y)


@kernel
def _keep_to_way(  # type: ignore[no-untyped-def]
    walls, edge_chunk, chunk_body, clearance, known, seen, x, y, way, corners, at, ax, ay
):
    """The corner that is next now, -1 when another way is needed, and where its line begins."""
    near = 2.0 * clearance + 1.0
    while at < corners - 1:
        tx, ty = way[0, at], way[1, at]
        far = math.hypot(tx - x, ty - y)
        past = (x - tx) * (tx - ax) + (y - ty) * (ty - ay) >= 0.0
        if far > near and not past:
            break
        nx, ny = way[0, at + 1], way[1, at + 1]
        if far > EPS and crossed(walls, edge_chunk, chunk_body, known, seen, known, True,
                                 x, y, nx, ny):  # fmt: skip
            break
        at, ax, ay = at + 1, x, y
    tx, ty = way[0, at], way[1, at]
    if at == corners - 1 and way[2, at] > 0.0 and math.hypot(tx - x, ty - y) <= near:
        return -1, x, y  # the rest of a long way
    if _off_line(ax, ay, tx, ty, x, y) > max(clearance / 4.0, EPS):
        if crossed(walls, edge_chunk, chunk_body, known, seen, known, True, x, y, tx, ty):
            return -1, x, y
        ax, ay = x, y
    return at, ax, ay


@kernel
def watch(chart, them, x, y, to, after, left, no_way):  # type: ignore[no-untyped-def]
    """One tick of vehicles at these places: what is seen, what is passed, where they head now."""
    # Taken out of the tuples once, not for each vehicle: each time counts references.
    views, walls, chunk_edge = chart.views, chart.walls, chart.chunk_edge
    edge_chunk, chunk_body, clearance = chart.edge_chunk, chart.chunk_body, chart.clearance
    sights, looked, states = them.sight, them.looked, them.state
    ways, many, next_, anchor = them.way, them.corners, them.at, them.anchor
    all_known, all_seen = them.known, them.seen
    for v in range(len(x)):
        if not (math.isfinite(x[v]) and math.isfinite(y[v])):
            continue
        known, seen, way, sight = all_known[v], all_seen[v], ways[v], sights[v]
        moved = math.hypot(x[v] - looked[0, v], y[v] - looked[1, v])
        state = states[v]
        if not moved < GLANCE * sight * _patience(looked[0, v], looked[1, v]):
            looked[0, v], looked[1, v] = x[v], y[v]
            stale = _look(
                views, walls, chunk_edge, known, seen, x[v], y[v], sight, way, many[v], next_[v]
            )
            if state == SHUT_IN or (stale and state == ON_WAY):
                state = NEW_GOAL
        if state == ON_WAY:
            at, ax, ay = _keep_to_way(
                walls, edge_chunk, chunk_body, clearance, known, seen, x[v], y[v],
                way, many[v], next_[v], anchor[0, v], anchor[1, v],
            )  # fmt: skip
            next_[v], anchor[0, v], anchor[1, v] = at, ax, ay
            if at < 0:
                state = NEW_GOAL
        if state == NEW_GOAL:
            gx, gy = them.goal[0, v], them.goal[1, v]
            many[v] = plan(chart, known, seen, them.minded[v], x[v], y[v], gx, gy, way)
            next_[v], anchor[0, v], anchor[1, v] = 0, x[v], y[v]
            state = ON_WAY if many[v] > 0 else SHUT_IN
        states[v] = state
        no_way[v] = state == SHUT_IN
        to[0, v] = to[1, v] = after[0, v] = after[1, v] = math.nan
        left[v] = math.inf if state == SHUT_IN else 0.0
        if state == ON_WAY:
            at = next_[v]
            then = min(at + 1, many[v] - 1)
            to[0, v], to[1, v] = way[0, at], way[1, at]
            after[0, v], after[1, v] = way[0, then], way[1, then]
            left[v] = math.hypot(to[0, v] - x[v], to[1, v] - y[v]) + way[2, at]


def head_for(them: Travellers, rows: NDArray[np.intp], x: F8, y: F8) -> None:
    """Give some of these vehicles new goals, nan for none."""
    none: Mask = np.isnan(x) | np.isnan(y)
    them.goal[:, rows] = x, y
    them.corners[rows] = them.at[rows] = 0
    them.state[rows] = np.where(none, IDLE, NEW_GOAL)
