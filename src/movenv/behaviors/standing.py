"""What stands in the way of a vehicle: guards and half-planes against walls and pillars."""

import math
from typing import Any, NamedTuple

import numpy as np
import shapely

from movenv.behaviors.guards import guard
from movenv.behaviors.reserves import (
    ARC,
    BRAKE,
    LENGTH,
    MAX_STEER,
    SPEED,
    STEER,
    WHOLE,
    YAW,
    edge_reserve,
    separation,
    stopping,
    tight_radius,
)
from movenv.behaviors.velocity_obstacles import disc_half_plane, nearest_on_edge, wall_half_plane
from movenv.terrain.edge_grid import I4, column_of, edge_grid, polygon_edges
from movenv.terrain.features import Terrain
from movenv.terrain.walls import meets
from movenv.world.columns import F8, Rows
from movenv.world.kernel import kernel
from movenv.world.kinds import Kind

SMALL = 30.0
"""An obstacle in a circle of this radius is passed as if it were that circle, m."""
ROUND = 0.1
"""An obstacle whose corners all lie this near to that circle, as a share of it, is round."""
MANY_CORNERS = 6
"""Fewer do not make a round obstacle."""
CELL = 25.0
"""Side of the cells in which edges of obstacles are looked up, m."""


class Walls(NamedTuple):
    """What stands: the edges of an `EdgeGrid`, and of each edge its obstacle.

    A round obstacle, as a tree is, has a single edge without length, and is `thick` all round.
    """

    ax: F8
    ay: F8
    bx: F8
    by: F8
    west: float
    south: float
    cell: float
    columns: int
    rows: int
    first: I4
    items: I4
    thick: F8
    """How far each edge extends to all sides, m."""
    height: F8
    """To what z each edge reaches."""
    owner: Rows
    """The obstacle each edge is of."""
    disc: F8
    """Middle and radius of a circle round each obstacle; a radius of inf for a large one."""


def walls_of(terrain: Terrain, kind: Kind) -> Walls:
    """The edges of all that stops a kind of vehicle."""
    barriers = terrain.barriers(kind, -np.inf)
    edges, thick, owner, height, discs = [], [], [], [], []
    for number, (obstacle, ground) in enumerate(barriers):
        middle, size = _circle(ground)
        discs.append((*middle, size if size <= SMALL else np.inf))
        places, around = _edges(ground, middle, size)
        edges.append(places)
        thick.append(np.full(len(places), around))
        owner.append(np.full(len(places), number))
        height.append(np.full(len(places), obstacle.height))
    every = np.vstack(edges) if edges else np.empty((0, 4))
    wide = _joined(thick, np.float64)[:, None] * [-1.0, -1.0, 1.0, 1.0]
    grid = edge_grid(every + wide, CELL)
    ends = np.ascontiguousarray(every.T)
    each = (_joined(thick, np.float64), _joined(height, np.float64), _joined(owner, np.int64))
    return Walls._make((*ends, *grid[4:], *each, np.array(discs, float).reshape(-1, 3)))


def _circle(ground: shapely.Polygon) -> tuple[tuple[float, float], float]:
    """Middle and radius of the smallest circle round an obstacle."""
    middle = shapely.minimum_bounding_circle(ground).centroid
    return (middle.x, middle.y), float(shapely.minimum_bounding_radius(ground))


def _edges(ground: shapely.Polygon, middle: tuple[float, float], size: float) -> tuple[F8, float]:
    """The edges of an obstacle, (n, 4), and how far they extend to all sides."""
    corners = shapely.get_coordinates(ground.exterior)
    inner = np.hypot(*(0.5 * (corners[1:] + corners[:-1]) - middle).T).min()
    if size <= SMALL and inner > (1.0 - ROUND) * size and len(corners) > MANY_CORNERS:
        return np.array([[*middle, *middle]]), size
    return polygon_edges([ground])[0], 0.0


def _joined(parts: list[Any], dtype: Any) -> Any:
    return np.concatenate(parts).astype(dtype) if parts else np.empty(0, dtype)


@kernel
def edges_near(i, x, y, z, near, walls, stamp, found, distance):  # type: ignore[no-untyped-def]
    """Fill in the edges within `near` of vehicle i and how far they are; returns how many."""
    count = 0
    low_i = column_of(x - near, walls.west, walls.cell, walls.columns)
    high_i = column_of(x + near, walls.west, walls.cell, walls.columns)
    low_j = column_of(y - near, walls.south, walls.cell, walls.rows)
    high_j = column_of(y + near, walls.south, walls.cell, walls.rows)
    for row in range(low_j, high_j + 1):
        for column in range(low_i, high_i + 1):
            c = row * walls.columns + column
            for at in range(walls.first[c], walls.first[c + 1]):
                e = walls.items[at]
                if stamp[e] == i or z >= walls.height[e]:
                    continue
                stamp[e] = i
                to_x, to_y = nearest_on_edge(
                    x, y, walls.ax[e], walls.ay[e], walls.bx[e], walls.by[e]
                )
                limit = near + walls.thick[e]
                square = (to_x - x) ** 2 + (to_y - y) ** 2
                if square <= limit * limit:
                    found[count], distance[count] = e, math.sqrt(square) - walls.thick[e]
                    count += 1
    return count


@kernel
def mind_walls(  # type: ignore[no-untyped-def]
    i, everyone, shapes, walls, stamps, edges, distance, manner, guards, planes, wall
):
    """Guards and half-planes against what stands near vehicle i; returns how many of each, and
    whether the way straight on is free for as far as a turn would take.

    `stamps` of edges and of obstacles note who looked at them last; `edges`, their `distance` and
    the reserve `wall` are room for finds.
    """
    guarded, planned, free = 0, 0, True
    if not len(walls.ax):
        return guarded, planned, free
    x, y, z = everyone.place[0, i], everyone.place[1, i], everyone.place[2, i]
    vx, vy = everyone.velocity[0, i], everyone.velocity[1, i]
    radius = everyone.radius[i] + manner.margin
    safe = everyone.reach[i] + manner.margin
    body = everyone.body[i]
    ahead = stopping(body[SPEED], body[STEER], body[BRAKE])
    ahead += 2.0 * tight_radius(body[LENGTH], body[MAX_STEER])
    to_x, to_y = x + ahead * math.cos(body[YAW]), y + ahead * math.sin(body[YAW])
    near = max(safe, 6.0 * radius + 1.5 * manner.wall_horizon * math.sqrt(vx * vx + vy * vy))
    count = edges_near(i, x, y, z, near, walls, stamps[0], edges, distance)
    if count > len(planes) // 2:  # then the nearest have precedence
        order = np.argsort(distance[:count])
        edges[:count], distance[:count] = edges[order], distance[order]
    for k in range(count):
        e = edges[k]
        if distance[k] <= safe:
            guarded = _guard_wall(
                shapes[i], radius, everyone.grows[i], walls, e, manner, wall, guards, guarded
            )
        planned = _plan_wall(x, y, vx, vy, radius, walls, e, stamps[1], i, manner, planes, planned)
        free = free and _passes(x, y, to_x, to_y, 0.1 * radius, walls, e)
    return guarded, planned, free


@kernel
def _passes(x, y, to_x, to_y, near, walls, e):  # type: ignore[no-untyped-def]
    """Whether a straight way keeps off an edge by more than `near`."""
    ax, ay, bx, by = walls.ax[e], walls.ay[e], walls.bx[e], walls.by[e]
    if meets(ax, ay, bx, by, x, y, to_x, to_y):
        return False
    limit = (walls.thick[e] + near) ** 2
    for px, py, qx, qy, rx, ry in (
        (ax, ay, x, y, to_x, to_y), (bx, by, x, y, to_x, to_y), (to_x, to_y, ax, ay, bx, by)
    ):  # fmt: skip
        near_x, near_y = nearest_on_edge(px, py, qx, qy, rx, ry)
        if (near_x - px) ** 2 + (near_y - py) ** 2 < limit:
            return False
    return True


@kernel
def _guard_wall(shape, radius, grows, walls, e, manner, wall, guards, count):  # type: ignore[no-untyped-def]
    """Keep a reserve off an edge, if it can come there within a tick."""
    needed = radius + walls.thick[e]
    edge_reserve(walls.ax[e], walls.ay[e], walls.bx[e], walls.by[e], wall)
    turn = WHOLE
    plenty = needed + 0.5 * grows
    cos, sin, gap = separation(shape, wall, WHOLE, plenty)
    if gap >= needed + grows:
        return count
    if gap < needed - 0.5 * manner.margin:  # there is no room for a circle
        turn = ARC
        cos, sin, gap = separation(shape, wall, ARC, plenty)
    return guard(guards, count, shape, cos, sin, gap - needed, turn, manner.margin)


@kernel
def _plan_wall(x, y, vx, vy, radius, walls, e, owner_stamp, i, manner, planes, count):  # type: ignore[no-untyped-def]
    """Add the half-plane of a small obstacle as a disc, or of one edge of a large one."""
    if count >= len(planes) // 2:
        return count
    owner = walls.owner[e]
    px, py, size = walls.disc[owner, 0] - x, walls.disc[owner, 1] - y, walls.disc[owner, 2]
    if math.hypot(px, py) > size + radius:
        if owner_stamp[owner] == i:
            return count
        owner_stamp[owner] = i
        a, b, c = disc_half_plane(px, py, vx, vy, vx, vy, size + radius, manner.horizon, 1.0)
        c = min(c, 0.0)  # standing still is never wrong
    else:
        a, b, c = wall_half_plane(
            x, y, radius, walls.ax[e], walls.ay[e], walls.bx[e], walls.by[e], manner.wall_horizon
        )
    planes[count, 0], planes[count, 1], planes[count, 2] = a, b, c
    return count + 1
