"""What each vehicle of a crowd does next: a velocity off everyone's way, and never off its reserve.

The kernels behind `Reciprocal`. For each vehicle: who and what is near; half-planes of velocities
that part in time, and the nearest velocity in them; then the command toward it, as brisk as its
reserve stays on its own side of a line between it and each other's reserve. Both sides work out
the same line from what both know, so whatever the two do at the same time, they stay apart.
"""

import math
from typing import NamedTuple

import numpy as np

from movenv.behaviors.guards import MOST_GUARDS, guard, stays
from movenv.behaviors.half_planes import nearest_velocity
from movenv.behaviors.nearby import around
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
    reserve,
    separation,
)
from movenv.behaviors.standing import mind_walls
from movenv.behaviors.velocity_obstacles import disc_half_plane
from movenv.world.columns import F8
from movenv.world.kernel import kernel

MOST_PLANES = 64
COMFORT = 0.25
"""Reserves this far apart, as a share of how far they reach, need no better line."""
WHEELS_TURNED = 0.01
"""This near to the stop they are turned fully, rad."""
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
def _guard_against(i, j, shapes, everyone, margin, guards, count):  # type: ignore[no-untyped-def]
    """Keep i's reserve on its side of the line between it and j's."""
    needed = everyone.radius[i] + everyone.radius[j] + 2.0 * margin
    before = everyone.rank[i] < everyone.rank[j]
    one, other = (i, j) if before else (j, i)
    # Well apart is good enough: the line is only to leave both room for a while.
    enough = needed + COMFORT * (everyone.reach[i] + everyone.reach[j])
    turn = True
    cos, sin, gap = separation(shapes[one], shapes[other], True, enough)
    if gap < needed - margin:  # there is no room for circles; braking must do
        turn = False
        cos, sin, gap = separation(shapes[one], shapes[other], False, enough)
    if not before:
        cos, sin = -cos, -sin
    room = everyone.share[j] * (gap - needed)
    return guard(guards, count, shapes[i], cos, sin, room, turn)


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
            if stays(body, aside, slower, gain, period, guards, guarded, then, shape):
                told[STEER_TO], told[SPEED_TO], told[STEERED] = aside, slower, then[STEER]
                return
    if wish[PATIENT] <= 0.0:
        # Round to the right, for which there is always room; the wheels turn before the vehicle.
        around = creep if body[STEER] < -most + WHEELS_TURNED else 0.0
        if stays(body, -most, around, gain, period, guards, guarded, then, shape):
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
    stamps = (np.full(len(walls.ax), -1), np.full(len(walls.disc), -1))
    edges = np.empty(len(walls.ax), np.int64)
    for k in range(len(mine)):
        i, wish = mine[k], wishes[k]
        count = around(i, everyone.place, side, first, member, stride, side, near)
        guarded, hard = mind_walls(
            i, everyone, shapes, walls, stamps, edges, manner, guards, planes
        )
        guarded, planned = _mind_others(
            i, everyone, shapes, near, count, nearest, distance,
            manner, guards, guarded, planes, hard,
        )  # fmt: skip
        body = everyone.body[i]
        vx, vy = nearest_velocity(planes, hard, planned, wish[WISH_X], wish[WISH_Y], wish[FASTEST])
        kept = abs(vx - wish[WISH_X]) + abs(vy - wish[WISH_Y]) < 1e-6 and wish[BENT] == 0.0
        steer, speed = wish[WISH_STEER], wish[WISH_SPEED]
        if kept and stays(body, steer, speed, wish[GAIN], period, guards, guarded, then, shape):
            told[k, STEER_TO], told[k, SPEED_TO], told[k, STEERED] = steer, speed, then[STEER]
            continue
        _command(body, vx, vy, wish, manner, period, guards, guarded, told[k])
    return told
