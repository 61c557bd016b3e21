"""What stands in the way of a vehicle: guards and half-planes against walls and pillars."""

import math
from typing import Any, NamedTuple

import numpy as np
import shapely

from movenv.behaviors.guards import guard
from movenv.behaviors.reserves import SHAPE, edge_reserve, separation
from movenv.behaviors.velocity_obstacles import disc_half_plane, nearest_on_edge, wall_half_plane
from movenv.terrain.edge_grid import I4, column_of, edge_grid
from movenv.terrain.features import Terrain
from movenv.world.columns import F8, Rows
from movenv.world.kernel import kernel
from movenv.world.kinds import Kind

SMALL = 30.0
"""An obstacle in a circle of this radius is passed as if it were that circle, m."""
CELL = 50.0
"""Side of the cells in which edges of obstacles are looked up, m."""


class Walls(NamedTuple):
    """What stands: the edges of an `EdgeGrid`, and of each edge its obstacle."""

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
    height: F8
    """To what z each edge reaches."""
    owner: Rows
    """The obstacle each edge is of."""
    disc: F8
    """Middle and radius of a circle round each obstacle; a radius of inf for a large one."""


def walls_of(terrain: Terrain, kind: Kind) -> Walls:
    """The edges of all that stops a kind of vehicle."""
    barriers = terrain.barriers(kind, -np.inf)
    edges, owner, height, discs = [], [], [], []
    for number, (obstacle, ground) in enumerate(barriers):
        circle = shapely.minimum_bounding_circle(ground)
        middle = circle.centroid
        size = shapely.minimum_bounding_radius(ground)
        discs.append((middle.x, middle.y, size if size <= SMALL else np.inf))
        for ring in (ground.exterior, *ground.interiors):
            places = shapely.get_coordinates(ring)
            edges.append(np.hstack([places[:-1], places[1:]]))
            owner.append(np.full(len(places) - 1, number))
            height.append(np.full(len(places) - 1, obstacle.height))
    grid = edge_grid(np.vstack(edges) if edges else np.empty((0, 4)), CELL)
    return Walls(
        *grid,
        _joined(height, np.float64),
        _joined(owner, np.int64),
        np.array(discs, float).reshape(-1, 3),
    )


def _joined(parts: list[Any], dtype: Any) -> Any:
    return np.concatenate(parts).astype(dtype) if parts else np.empty(0, dtype)


@kernel
def _edges_near(i, x, y, z, near, walls, stamp, found):  # type: ignore[no-untyped-def]
    """Fill in the edges within `near` of vehicle i; returns how many."""
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
                if (to_x - x) ** 2 + (to_y - y) ** 2 <= near * near:
                    found[count] = e
                    count += 1
    return count


@kernel
def mind_walls(i, everyone, shapes, walls, stamps, edges, manner, guards, planes):  # type: ignore[no-untyped-def]
    """Guards and half-planes against what stands near vehicle i; returns how many of each.

    `stamps` of edges and of obstacles note who looked at them last; `edges` is room for finds.
    """
    guarded, planned = 0, 0
    if not len(walls.ax):
        return guarded, planned
    x, y, z = everyone.place[0, i], everyone.place[1, i], everyone.place[2, i]
    vx, vy = everyone.velocity[0, i], everyone.velocity[1, i]
    radius = everyone.radius[i] + manner.margin
    safe = everyone.reach[i] + manner.margin
    near = max(safe, 6.0 * radius + 2.0 * manner.wall_horizon * math.sqrt(vx * vx + vy * vy))
    wall = np.empty(SHAPE)
    for k in range(_edges_near(i, x, y, z, near, walls, stamps[0], edges)):
        e = edges[k]
        edge_reserve(walls.ax[e], walls.ay[e], walls.bx[e], walls.by[e], wall)
        turn = True
        cos, sin, gap = separation(shapes[i], wall, True, 2.0 * safe)
        if gap < radius - 0.5 * manner.margin:  # there is no room for a circle
            turn = False
            cos, sin, gap = separation(shapes[i], wall, False, 2.0 * safe)
        guarded = guard(guards, guarded, shapes[i], cos, sin, gap - radius, turn)
        planned = _plan_wall(x, y, vx, vy, radius, walls, e, stamps[1], i, manner, planes, planned)
    return guarded, planned


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
