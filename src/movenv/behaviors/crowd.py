"""What each vehicle of a crowd does next: a velocity off everyone's way, and never off its reserve.

The kernels behind `Reciprocal`. For each vehicle: who and what is near; half-planes of velocities
that part in time, and the nearest velocity in them; then the command toward it, as brisk as its
reserve stays on its own side of a line between it and each other's reserve. Both sides work out
the same line from what both know, so whatever the two do at the same time, they stay apart.
"""

import math
from typing import NamedTuple

import numpy as np

from movenv.behaviors.half_planes import nearest_velocity
from movenv.behaviors.reserves import (
    BODY,
    LENGTH,
    MAX_STEER,
    SHAPE,
    SPEED,
    STEER,
    YAW,
    X,
    Y,
    edge_reserve,
    farthest,
    foresee,
    reserve,
    separation,
)
from movenv.behaviors.velocity_obstacles import disc_half_plane, nearest_on_edge, wall_half_plane
from movenv.terrain.edge_grid import column_of
from movenv.world.columns import F8
from movenv.world.kernel import kernel
from movenv.world.proximity import bucket, cell_of

MOST_GUARDS = 512
"""Lines one reserve is kept behind; with more of them a vehicle only brakes."""
MOST_PLANES = 64
WHEELS_TURNED = 0.01
"""This near to the stop they are turned fully, rad."""
# Columns of a guard: the direction of the line, how far the reserve may reach in it, and whether
# its circle counts.
COS, SIN, LIMIT, TURN = range(4)
# What a vehicle is told: whether to leave its wish, steer, speed, and the steer it will have.
ACTS, STEER_TO, SPEED_TO, STEERED = range(4)
# Columns of what is wished of a vehicle and what it may.
WISH_X, WISH_Y, WISH_STEER, WISH_SPEED, GAIN, FASTEST, PATIENT, BENT = range(8)


class Everyone(NamedTuple):
    """All vehicles that are known, as kernels take them."""

    body: F8
    place: F8
    """x, y, z; (3, vehicles)."""
    velocity: F8
    radius: F8
    reach: F8
    """How far from its place a reserve and whatever it can become in a tick may extend, m."""
    share: F8
    """What part of a change is left to those who meet it: 0.5, or 1 if it does not yield."""
    rank: F8
    """An order on which all agree."""
    foreseen: F8
    """For how long one that does not yield is taken to go straight on, s; nan for others."""


class Manner(NamedTuple):
    """How vehicles keep clear."""

    horizon: float
    wall_horizon: float
    sight: float
    neighbors: int
    height: float
    margin: float
    creep: float


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
    first: F8
    items: F8
    height: F8
    """To what z each edge reaches."""
    owner: F8
    disc: F8
    """Middle and radius of a circle round each obstacle; a radius of inf for a large one."""


@kernel
def everyones_reserves(body, velocity, foreseen):  # type: ignore[no-untyped-def]
    """A row for each vehicle; one that does not yield is taken to go straight on."""
    shapes = np.empty((len(body), SHAPE))
    for i in range(len(body)):
        if math.isnan(foreseen[i]):
            reserve(body[i], shapes[i])
        else:
            x, y, ahead = body[i, X], body[i, Y], foreseen[i]
            edge_reserve(x, y, x + velocity[0, i] * ahead, y + velocity[1, i] * ahead, shapes[i])
    return shapes


@kernel
def sorted_into_cells(place, side):  # type: ignore[no-untyped-def]
    """Members by bucket of a hashed grid: those of b are member[first[b]:first[b + 1]]."""
    count = place.shape[1]
    buckets = 64
    while buckets < 2 * count:
        buckets *= 2
    width = place[0].max() - place[0].min() if count else 0.0
    stride = 2 * np.int64(width / side / 2.0) + 3
    first = np.zeros(buckets + 1, np.int64)
    member = np.empty(count, np.int64)
    for i in range(count):
        x, y = cell_of(place, i, 1.0 / side)
        first[bucket(x, y, stride, buckets - 1)] += 1
    for b in range(1, buckets + 1):
        first[b] += first[b - 1]
    for i in range(count - 1, -1, -1):
        x, y = cell_of(place, i, 1.0 / side)
        b = bucket(x, y, stride, buckets - 1)
        first[b] -= 1
        member[first[b]] = i
    return first, member, stride


@kernel
def _around(i, place, side, first, member, stride, limit, found):  # type: ignore[no-untyped-def]
    """Fill in who is within `limit` of i; returns how many."""
    count = 0
    mask = len(first) - 2
    cell_x, cell_y = cell_of(place, i, 1.0 / side)
    for y in range(cell_y - 1, cell_y + 2):
        for x in range(cell_x - 1, cell_x + 2):
            b = bucket(x, y, stride, mask)
            for at in range(first[b], first[b + 1]):
                j = member[at]
                if j == i:
                    continue
                east, north = place[0, j] - place[0, i], place[1, j] - place[1, i]
                if east * east + north * north > limit * limit:
                    continue
                to_x, to_y = cell_of(place, j, 1.0 / side)
                if to_x == x and to_y == y:  # else a far cell in the same bucket
                    found[count] = j
                    count += 1
    return count


@kernel
def _guard(guards, count, shape, cos, sin, room, turn):  # type: ignore[no-untyped-def]
    """Add a line: the reserve may reach `room` farther in a direction than it does."""
    if count < len(guards):
        reach, _, _ = farthest(shape, cos, sin, turn)
        guards[count, COS], guards[count, SIN] = cos, sin
        guards[count, LIMIT], guards[count, TURN] = reach + max(room, 0.0), 1.0 if turn else 0.0
    return count + 1


@kernel
def _guard_against(i, j, shapes, everyone, margin, guards, count):  # type: ignore[no-untyped-def]
    """Keep i's reserve on its side of the line between it and j's."""
    needed = everyone.radius[i] + everyone.radius[j] + 2.0 * margin
    before = everyone.rank[i] < everyone.rank[j]
    one, other = (i, j) if before else (j, i)
    turn = True
    cos, sin, gap = separation(shapes[one], shapes[other], True)
    if gap < needed - margin:  # there is no room for circles; braking must do
        turn = False
        cos, sin, gap = separation(shapes[one], shapes[other], False)
    if not before:
        cos, sin = -cos, -sin
    room = everyone.share[j] * (gap - needed)
    return _guard(guards, count, shapes[i], cos, sin, room, turn)


@kernel
def _mind_walls(i, everyone, shapes, walls, stamp, owner_stamp, manner, guards, planes):  # type: ignore[no-untyped-def]
    """Guards and half-planes against what stands near i; returns how many of each."""
    guarded, planned = 0, 0
    if not len(walls.ax):
        return guarded, planned
    x, y, z = everyone.place[0, i], everyone.place[1, i], everyone.place[2, i]
    vx, vy = everyone.velocity[0, i], everyone.velocity[1, i]
    radius = everyone.radius[i] + manner.margin
    safe = everyone.reach[i] + manner.margin
    near = max(safe, radius + 2.0 * manner.wall_horizon * math.hypot(vx, vy) + 5.0 * radius)
    wall = np.empty(SHAPE)
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
                ax, ay, bx, by = walls.ax[e], walls.ay[e], walls.bx[e], walls.by[e]
                to_x, to_y = nearest_on_edge(x, y, ax, ay, bx, by)
                far = math.hypot(to_x - x, to_y - y)
                if far > near:
                    continue
                if far <= safe:
                    edge_reserve(ax, ay, bx, by, wall)
                    turn = True
                    cos, sin, gap = separation(shapes[i], wall, True)
                    if gap < radius - 0.5 * manner.margin:
                        turn = False
                        cos, sin, gap = separation(shapes[i], wall, False)
                    guarded = _guard(guards, guarded, shapes[i], cos, sin, gap - radius, turn)
                planned = _plan_wall(
                    x, y, vx, vy, radius, walls, e, owner_stamp, i, manner, planes, planned
                )
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


@kernel
def _mind_others(  # type: ignore[no-untyped-def]
    i, everyone, shapes, near, count, nearest, distance, manner, guards, guarded, planes, planned
):
    """Guards against everyone near, half-planes against the nearest; returns how many."""
    distance[:] = np.inf
    place, velocity = everyone.place, everyone.velocity
    for k in range(count):
        j = near[k]
        if abs(place[2, j] - place[2, i]) > manner.height:
            continue
        east, north = place[0, j] - place[0, i], place[1, j] - place[1, i]
        far = math.sqrt(east * east + north * north)
        if far <= everyone.reach[i] + everyone.reach[j] + 2.0 * manner.margin:
            guarded = _guard_against(i, j, shapes, everyone, manner.margin, guards, guarded)
        if far > manner.sight or far >= distance[-1]:
            continue
        at = manner.neighbors - 1
        while at > 0 and distance[at - 1] > far:
            distance[at], nearest[at] = distance[at - 1], nearest[at - 1]
            at -= 1
        distance[at], nearest[at] = far, j
    for k in range(manner.neighbors):
        if not distance[k] < np.inf or planned >= len(planes):
            break
        j = nearest[k]
        apart = everyone.radius[i] + everyone.radius[j] + 2.0 * manner.margin
        a, b, c = disc_half_plane(
            place[0, j] - place[0, i], place[1, j] - place[1, i],
            velocity[0, i], velocity[1, i],
            velocity[0, i] - velocity[0, j], velocity[1, i] - velocity[1, j],
            apart, manner.horizon, everyone.share[j],
        )  # fmt: skip
        planes[planned, 0], planes[planned, 1], planes[planned, 2] = a, b, c
        planned += 1
    return guarded, planned


@kernel
def _stays(body, steer, speed, gain, period, guards, count, then, shape):  # type: ignore[no-untyped-def]
    """Whether the reserve stays behind all its lines if a vehicle is told so for a tick."""
    half_x, half_y = foresee(body, steer, speed, gain, period, then)
    if count > len(guards):
        return False
    reserve(then, shape)
    for g in range(count):
        cos, sin, limit = guards[g, COS], guards[g, SIN], guards[g, LIMIT]
        reach, _, _ = farthest(shape, cos, sin, guards[g, TURN] > 0.0)
        if max(reach, half_x * cos + half_y * sin) > limit:
            return False
    return True


@kernel
def _command(body, vx, vy, wish, manner, period, guards, guarded, told):  # type: ignore[no-untyped-def]
    """The briskest command toward velocity v that keeps the reserve; else brake."""
    then, shape = np.empty(BODY), np.empty(SHAPE)
    gain, most = wish[GAIN], body[MAX_STEER]
    speed = math.hypot(vx, vy)
    creep = manner.creep * wish[FASTEST]
    turn = math.atan2(vy, vx) - body[YAW] - math.atan(0.5 * body[STEER])
    turn -= 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5)
    told[ACTS] = 1.0
    if speed > 0.02 * wish[FASTEST]:
        steer = turn * body[LENGTH] / (max(body[SPEED], creep, 0.1) * 0.5)
        steer = min(max(steer, -most), most)
        wanted = max(speed * max(math.cos(turn), 0.0), min(speed, creep))
        for k in range(8):
            slower = wanted * (1.0 - 0.25 * (k % 4))
            aside = steer if k < 4 else -most
            if _stays(body, aside, slower, gain, period, guards, guarded, then, shape):
                told[STEER_TO], told[SPEED_TO], told[STEERED] = aside, slower, then[STEER]
                return
    if wish[PATIENT] <= 0.0:
        # Round to the right, for which there is always room; the wheels turn before the vehicle.
        around = creep if body[STEER] < -most + WHEELS_TURNED else 0.0
        if _stays(body, -most, around, gain, period, guards, guarded, then, shape):
            told[STEER_TO], told[SPEED_TO], told[STEERED] = -most, around, then[STEER]
            return
    told[STEER_TO], told[SPEED_TO], told[STEERED] = body[STEER], 0.0, body[STEER]


@kernel
def decide(mine, everyone, shapes, side, cells, walls, wishes, manner, period):  # type: ignore[no-untyped-def]
    """What each of `mine` (rows of everyone) is told, one row each."""
    first, member, stride = cells
    told = np.zeros((len(mine), 4))
    near = np.empty(len(everyone.body), np.int64)
    guards = np.empty((MOST_GUARDS, 4))
    planes = np.empty((MOST_PLANES, 3))
    nearest, distance = np.empty(manner.neighbors, np.int64), np.empty(manner.neighbors)
    then, shape = np.empty(BODY), np.empty(SHAPE)
    stamp, owner_stamp = np.full(len(walls.ax), -1), np.full(len(walls.disc), -1)
    for k in range(len(mine)):
        i, wish = mine[k], wishes[k]
        count = _around(i, everyone.place, side, first, member, stride, side, near)
        guarded, hard = _mind_walls(
            i, everyone, shapes, walls, stamp, owner_stamp, manner, guards, planes
        )
        guarded, planned = _mind_others(
            i, everyone, shapes, near, count, nearest, distance,
            manner, guards, guarded, planes, hard,
        )  # fmt: skip
        body = everyone.body[i]
        vx, vy = nearest_velocity(planes, hard, planned, wish[WISH_X], wish[WISH_Y], wish[FASTEST])
        kept = abs(vx - wish[WISH_X]) + abs(vy - wish[WISH_Y]) < 1e-6 and wish[BENT] == 0.0
        steer, speed = wish[WISH_STEER], wish[WISH_SPEED]
        if kept and _stays(body, steer, speed, wish[GAIN], period, guards, guarded, then, shape):
            told[k, STEER_TO], told[k, SPEED_TO], told[k, STEERED] = steer, speed, then[STEER]
            continue
        _command(body, vx, vy, wish, manner, period, guards, guarded, told[k])
    return told
