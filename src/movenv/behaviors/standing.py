"""What stands in the way of a vehicle: guards and half-planes against walls and pillars."""

import math
from typing import Any, NamedTuple

import numpy as np
import shapely

from movenv.behaviors.guards import guard
from movenv.behaviors.reserves import ARC, WHOLE, edge_reserve, separation
from movenv.behaviors.velocity_obstacles import disc_half_plane, nearest_on_edge, wall_half_plane
from movenv.terrain.edge_grid import I4, column_of, edge_grid
from movenv.terrain.features import Terrain
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
    rings = [shapely.get_coordinates(ring) for ring in (ground.exterior, *ground.interiors)]
    return np.vstack([np.hstack([ring[:-1], ring[1:]]) for ring in rings]), 0.0


def _joined(parts: list[Any], dtype: Any) -> Any:
    return np.concatenate(parts).astype(dtype) if parts else np.empty(0, dtype)


@kernel
def _edges_near(i, x, y, z, near, walls, stamp, found, distance):  # type: ignore[no-untyped-def]
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
    """Guards and half-planes against what stands near vehicle i; returns how many of each.

    `stamps` of edges and of obstacles note who looked at them last; `edges`, their `distance` and
    the reserve `wall` are room for finds.
    """
    guarded, planned = 0, 0
    if not len(walls.ax):
        return guarded, planned
    x, y, z = everyone.place[0, i], everyone.place[1, i], everyone.place[2, i]
    vx, vy = everyone.velocity[0, i], everyone.velocity[1, i]
    radius = everyone.radius[i] + manner.margin
    safe = everyone.reach[i] + manner.margin
    near = max(safe, 6.0 * radius + 1.5 * manner.wall_horizon * math.sqrt(vx * vx + vy * vy))
    for k in range(_edges_near(i, x, y, z, near, walls, stamps[0], edges, distance)):
        e = edges[k]
        if distance[k] <= safe:
            guarded = _guard_wall(
                shapes[i], radius, everyone.grows[i], walls, e, manner, wall, guards, guarded
            )
        planned = _plan_wall(x, y, vx, vy, radius, walls, e, stamps[1], i, manner, planes, planned)
    return guarded, planned


@kernel
def _guard_wall(shape, radius, grows, walls, e, manner, wall, guards, count):  # type: ignore[no-untyped-def]
    """Keep a reserve off an edge, if it can come there within a tick."""
    needed = radius + walls.thick[e]
    edge_reserve(walls.ax[e], walls.ay[e], walls.bx[e], walls.by[e], wall)
    turn = WHOLE
    enough = needed + grows
    cos, sin, gap = separation(shape, wall, WHOLE, enough)
    if gap >= enough:
        return count
    if gap < needed - 0.5 * manner.margin:  # there is no room for a circle
        turn = ARC
        cos, sin, gap = separation(shape, wall, ARC, enough)
    return guard(guards, count, shape, cos, sin, gap - needed, turn)


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
