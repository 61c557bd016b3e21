"""What each vehicle of a crowd does next: a velocity off everyone's way, and never off its reserve.

The kernels behind `Reciprocal`. For each vehicle: who and what is near; half-planes of velocities
that part in time, and the nearest velocity in them; then the command toward it, as brisk as its
reserve stays on its own side of a line between it and each other's reserve. Both sides work out
the same line from what both know, so whatever the two do at the same time, they stay apart.
"""

import math
from typing import NamedTuple

import numpy as np

from movenv.behaviors.braking import (
    LANE,
    MOST_LANES,
    TIMES,
    braking_places,
    go_alike,
    keeps_lanes,
    lane,
    stands_at,
)
from movenv.behaviors.guards import MOST_GUARDS, guard, stays_behind
from movenv.behaviors.half_planes import nearest_velocity
from movenv.behaviors.nearby import around
from movenv.behaviors.reserves import (
    ARC,
    BODY,
    BRAKE,
    END,
    GRIP,
    LATERAL,
    LENGTH,
    MAX_STEER,
    SHAPE,
    SPEED,
    STEER,
    WHOLE,
    YAW,
    X,
    Y,
    edge_reserve,
    foresee,
    reserve,
    separation,
)
from movenv.behaviors.standing import mind_walls
from movenv.behaviors.velocity_obstacles import disc_half_plane
from movenv.world.columns import F8, Rows
from movenv.world.kernel import kernel

MOST_PLANES = 64
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
    grows: F8
    """How much farther a reserve can reach in any direction a tick later, m."""
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
    step: float
    """Between the times at which braking vehicles are looked at, s."""


class Ground(NamedTuple):
    """What everyone claims: reserves, and places while braking."""

    shapes: F8
    places: F8
    """(vehicles, times, 2)."""
    stands: Rows
    """At which of the times each stands."""


class Limits(NamedTuple):
    """Room for what one vehicle must keep to, and for what it is tried on."""

    guards: F8
    lanes: F8
    then: F8
    shape: F8
    places: F8


@kernel
def everyones_ground(body, velocity, foreseen, step):  # type: ignore[no-untyped-def]
    """A row for each vehicle; one that does not yield is taken to go straight on."""
    shapes = np.empty((len(body), SHAPE))
    places = np.empty((len(body), TIMES, 2))
    stands = np.full(len(body), TIMES)
    for i in range(len(body)):
        if math.isnan(foreseen[i]):
            reserve(body[i], shapes[i])
            stands[i] = stands_at(body[i], step)
            if stands[i] < TIMES - 1:
                braking_places(body[i], step, 0.0, TIMES - 1, places[i])
        else:
            x, y, ahead = body[i, X], body[i, Y], foreseen[i]
            edge_reserve(x, y, x + velocity[0, i] * ahead, y + velocity[1, i] * ahead, shapes[i])
    return Ground(shapes, places, stands)


@kernel
def _keep_apart(i, j, ground, everyone, manner, limits, guarded, laned):  # type: ignore[no-untyped-def]
    """Keep i off j: i's reserve on its side of a line between it and j's; if they go the same way
    or are too near for that, by a moving line, and only the circles at the ends of their reserves
    by one that stands. Returns how many of each there are."""
    needed = everyone.radius[i] + everyone.radius[j] + 2.0 * manner.margin
    before = everyone.rank[i] < everyone.rank[j]
    a, b = (i, j) if before else (j, i)
    one, other = ground.shapes[a], ground.shapes[b]
    # Well apart is good enough: the line is only to leave both room for a tick.
    enough = needed + 2.0 * max(everyone.grows[i], everyone.grows[j])
    last = max(ground.stands[i], ground.stands[j]) + 1
    timed = last < TIMES and go_alike(i, j, everyone.body, everyone.velocity)
    turn, cos, sin, gap = WHOLE, 1.0, 0.0, 0.0
    if not timed:
        cos, sin, gap = separation(one, other, turn, enough)
        if gap < needed - manner.margin:  # there is no room for circles; braking must do
            turn = ARC
            cos, sin, gap = separation(one, other, turn, enough)
            timed = gap < needed - manner.margin and last < TIMES
    if timed:
        laned = lane(i, j, ground.places, last, needed, 0.5, limits.lanes, laned)
        turn = END
        cos, sin, gap = separation(one, other, turn, enough)
        if gap < needed - manner.margin:
            return guarded, laned
    if gap >= enough:
        return guarded, laned
    if not before:
        cos, sin = -cos, -sin
    room = everyone.share[j] * (gap - needed)
    return guard(limits.guards, guarded, ground.shapes[i], cos, sin, room, turn), laned


@kernel
def _mind_others(  # type: ignore[no-untyped-def]
    i, everyone, ground, near, count, nearest, distance, manner, limits, guarded, planes, planned
):
    """Limits against everyone near, half-planes against the nearest; returns how many."""
    distance[:] = np.inf
    laned = 0
    place, velocity = everyone.place, everyone.velocity
    for k in range(count):
        j = near[k]
        if abs(place[2, j] - place[2, i]) > manner.height:
            continue
        east, north = place[0, j] - place[0, i], place[1, j] - place[1, i]
        far = math.sqrt(east * east + north * north)
        if far <= everyone.reach[i] + everyone.reach[j] + 2.0 * manner.margin:
            guarded, laned = _keep_apart(i, j, ground, everyone, manner, limits, guarded, laned)
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
    return guarded, laned, planned


@kernel
def _keeps(body, steer, speed, gain, grip, period, step, limits, guarded, laned):  # type: ignore[no-untyped-def]
    """Whether a vehicle keeps to all limits if it is told so for a tick, and brakes then."""
    half_x, half_y = foresee(body, steer, speed, gain, grip, period, limits.then)
    if not stays_behind(limits.then, half_x, half_y, limits.guards, guarded, limits.shape):
        return False
    return laned == 0 or keeps_lanes(limits.then, period, step, limits.lanes, laned, limits.places)


@kernel
def _wish_keeps(body, wish, period, step, limits, guarded, laned):  # type: ignore[no-untyped-def]
    """Whether what is wished may be done as it is."""
    steer, speed, gain = wish[WISH_STEER], wish[WISH_SPEED], wish[GAIN]
    if not _keeps(body, steer, speed, gain, 1.0, period, step, limits, guarded, laned):
        return False
    if not body[LATERAL] < np.inf or guarded + laned == 0:
        return True
    # Brakes may be better than thought: not with one behind who counts on what is sure.
    if laned > 0 and speed < body[SPEED] - body[BRAKE] * period:
        return False
    # So may be the grip in a bend: then both ends of what may come of it must keep.
    held = body[LATERAL] * body[LENGTH] / max(body[SPEED] ** 2, 1e-6)
    return abs(steer) <= held or _keeps(
        body, steer, speed, gain, 1.0 / body[GRIP], period, step, limits, guarded, laned
    )


@kernel
def _command(body, vx, vy, wish, manner, period, limits, guarded, laned, told):  # type: ignore[no-untyped-def]
    """The briskest command toward velocity v that keeps to all limits; else brake."""
    gain, most = wish[GAIN], body[MAX_STEER]
    speed = math.sqrt(vx * vx + vy * vy)
    creep = manner.creep * wish[FASTEST]
    slowest = max(body[SPEED] - body[BRAKE] * period, 0.0)
    held = min(most, body[LATERAL] * body[LENGTH] / max(body[SPEED] ** 2, 1e-6))
    turn = math.atan2(vy, vx) - body[YAW] - math.atan(0.5 * body[STEER])
    turn -= 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5)
    told[ACTS] = 1.0
    if speed > 0.02 * wish[FASTEST]:
        steer = turn * body[LENGTH] / (max(body[SPEED], creep, 0.1) * 0.5)
        steer = min(max(steer, -held), held)
        wanted = max(speed * max(math.cos(turn), 0.0), min(speed, creep))
        for k in range(8):
            slower = max(wanted * (1.0 - 0.25 * (k % 4)), slowest)
            aside = steer if k < 4 else -held
            if _keeps(body, aside, slower, gain, 1.0, period, manner.step, limits, guarded, laned):
                told[STEER_TO], told[SPEED_TO], told[STEERED] = aside, slower, limits.then[STEER]
                return
    if wish[PATIENT] <= 0.0:
        # Round to the right, for which there is mostly room; the wheels turn before the vehicle.
        around = max(creep if body[STEER] < -most + WHEELS_TURNED else 0.0, slowest)
        if _keeps(body, -held, around, gain, 1.0, period, manner.step, limits, guarded, laned):
            told[STEER_TO], told[SPEED_TO], told[STEERED] = -held, around, limits.then[STEER]
            return
    told[STEER_TO], told[SPEED_TO], told[STEERED] = body[STEER], slowest, body[STEER]


@kernel
def decide(mine, everyone, ground, side, cells, walls, wishes, manner, period):  # type: ignore[no-untyped-def]
    """What each of `mine` (rows of everyone) is told, one row each."""
    first, member, stride = cells
    told = np.zeros((len(mine), 4))
    near = np.empty(len(everyone.body), np.int64)
    limits = Limits(
        np.empty((MOST_GUARDS, 4)), np.empty((MOST_LANES, LANE)),
        np.empty(BODY), np.empty(SHAPE), np.empty((TIMES, 2)),
    )  # fmt: skip
    planes, eased = np.empty((MOST_PLANES, 3)), np.empty((MOST_PLANES, 3))
    nearest, distance = np.empty(manner.neighbors, np.int64), np.empty(manner.neighbors)
    wall = np.empty(SHAPE)
    stamps = (np.full(len(walls.ax), -1), np.full(len(walls.disc), -1))
    edges, edge_far = np.empty(len(walls.ax), np.int64), np.empty(len(walls.ax))
    for k in range(len(mine)):
        i, wish = mine[k], wishes[k]
        count = around(i, everyone.place, side, first, member, stride, side, near)
        guarded, hard = mind_walls(
            i, everyone, ground.shapes, walls, stamps, edges, edge_far, manner,
            limits.guards, planes, wall,
        )  # fmt: skip
        guarded, laned, planned = _mind_others(
            i, everyone, ground, near, count, nearest, distance,
            manner, limits, guarded, planes, hard,
        )  # fmt: skip
        body = everyone.body[i]
        vx, vy = nearest_velocity(
            planes, hard, planned, wish[WISH_X], wish[WISH_Y], wish[FASTEST], eased
        )
        kept = abs(vx - wish[WISH_X]) + abs(vy - wish[WISH_Y]) < 1e-6 and wish[BENT] == 0.0
        if kept and _wish_keeps(body, wish, period, manner.step, limits, guarded, laned):
            told[k, STEER_TO], told[k, SPEED_TO] = wish[WISH_STEER], wish[WISH_SPEED]
            told[k, STEERED] = limits.then[STEER]
            continue
        _command(body, vx, vy, wish, manner, period, limits, guarded, laned, told[k])
    return told
