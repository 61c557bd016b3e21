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
    lane,
    stands_at,
)
from movenv.behaviors.guards import GUARD, MOST_GUARDS, guard
from movenv.behaviors.half_planes import in_all, nearest_velocity
from movenv.behaviors.nearby import around
from movenv.behaviors.next_command import (
    BENT,
    FACING,
    FASTEST,
    SPEED_TO,
    STEER_TO,
    STEERED,
    WISH_SPEED,
    WISH_STEER,
    WISH_X,
    WISH_Y,
    Limits,
    command,
    led_past_walls,
    wish_keeps,
)
from movenv.behaviors.reserves import (
    ARC,
    BODY,
    BRAKE,
    FIRM,
    SHAPE,
    STEER,
    WHOLE,
    X,
    Y,
    edge_reserve,
    reserve,
    separation,
)
from movenv.behaviors.standing import mind_walls
from movenv.behaviors.velocity_obstacles import disc_half_plane
from movenv.world.columns import F8, Mask, Rows
from movenv.world.kernel import kernel

MOST_PLANES = 64


class Everyone(NamedTuple):
    """All vehicles that are known, as kernels take them."""

    body: F8
    place: F8
    """x, y, z; (3, vehicles)."""
    velocity: F8
    radius: F8
    pace: F8
    """How fast each is, or would go if nothing were in its way, m/s."""
    reach: F8
    """How far from its place a reserve and whatever it can become in a tick may extend, m."""
    grows: F8
    """How much farther a reserve can reach in any direction a tick later, m."""
    share: F8
    """What part of a change is left to those who meet it: 0.5, or 1 if it does not yield."""
    rank: F8
    """An order on which all agree."""
    unit: Rows
    """The unit each is of, a number; -1 for none."""
    rolls: Mask
    """Who is of a unit and under way: it need not keep room to turn free from others who are."""
    foreseen: F8
    """For how long one that does not yield is taken to go straight on, s; nan for others."""
    soils: F8
    """How far poor soils are and how each brakes on them, as `Holds` has it."""


class Manner(NamedTuple):
    """How vehicles keep clear."""

    horizon: float
    wall_horizon: float
    neighbors: int
    height: float
    margin: float
    creep: float
    step: float
    """Between the times at which braking vehicles are looked at, s."""


class Ground(NamedTuple):
    """What everyone claims: reserves, and places while braking."""

    shapes: F8
    """What each keeps to itself."""
    seen: F8
    """What others keep clear of: the same, but of one that does not yield the straight way on."""
    places: F8
    """(vehicles, 2, times, 2): braking as on poor soil that may be near, and as usual."""
    ways: Rows
    """Whether these two are the same (1) or not (2)."""
    stands: Rows
    """At which of the times each stands."""


@kernel
def everyones_ground(body, velocity, foreseen, step):  # type: ignore[no-untyped-def]
    """A row for each vehicle."""
    shapes = np.empty((len(body), SHAPE))
    seen = np.empty((len(body), SHAPE))
    places = np.empty((len(body), 2, TIMES, 2))
    ways = np.ones(len(body), np.int64)
    stands = np.full(len(body), TIMES)
    for i in range(len(body)):
        reserve(body[i], shapes[i])
        if math.isnan(foreseen[i]):
            seen[i] = shapes[i]
            stands[i] = stands_at(body[i], step)
            if stands[i] < TIMES - 1:
                braking_places(body[i], body[i, BRAKE], step, 0.0, TIMES - 1, places[i, 0])
                if body[i, BRAKE] < body[i, FIRM]:
                    ways[i] = 2
                    braking_places(body[i], body[i, FIRM], step, 0.0, TIMES - 1, places[i, 1])
        else:
            x, y, ahead = body[i, X], body[i, Y], foreseen[i]
            edge_reserve(x, y, x + velocity[0, i] * ahead, y + velocity[1, i] * ahead, seen[i])
    return Ground(shapes, seen, places, ways, stands)


@kernel
def _keep_apart(i, j, ground, everyone, manner, limits, guarded, laned):  # type: ignore[no-untyped-def]
    """Keep i off j: i's reserve on its side of a line between it and j's; by a moving line if they
    go the same way in a unit, or are too near for one that stands. Returns how many of each."""
    needed = everyone.radius[i] + everyone.radius[j] + 2.0 * manner.margin
    last = max(ground.stands[i], ground.stands[j]) + 1
    together = everyone.unit[i] >= 0 and everyone.unit[i] == everyone.unit[j]
    if together and last < TIMES and go_alike(i, j, everyone.body, everyone.velocity):
        return guarded, lane(
            i, j, ground.places, ground.ways, last, needed, 0.5, limits.lanes, laned
        )
    before = everyone.rank[i] < everyone.rank[j]
    mine, theirs = ground.shapes[i], ground.seen[j]
    one, other = (mine, theirs) if before else (theirs, mine)
    # Well apart is good enough: the line is only to leave both room for a tick.
    grows = max(everyone.grows[i], everyone.grows[j])
    plenty = needed + 0.5 * grows
    turn = ARC if everyone.rolls[i] and everyone.rolls[j] else WHOLE
    cos, sin, gap = separation(one, other, turn, plenty)
    if gap < needed - manner.margin and turn == WHOLE:  # there is no room for circles
        turn = ARC
        cos, sin, gap = separation(one, other, turn, plenty)
    if gap < needed - manner.margin and last < TIMES:  # nor for arcs; braking must do
        return guarded, lane(
            i, j, ground.places, ground.ways, last, needed, 0.5, limits.lanes, laned
        )
    if gap >= needed + 2.0 * grows:
        return guarded, laned
    if not before:
        cos, sin = -cos, -sin
    room = everyone.share[j] * (gap - needed)
    return guard(limits.guards, guarded, mine, cos, sin, room, turn, manner.margin), laned


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
        if far > manner.horizon * (everyone.pace[i] + everyone.pace[j]) or far >= distance[-1]:
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
def decide(mine, everyone, ground, side, cells, walls, wishes, manner, period):  # type: ignore[no-untyped-def]
    """What each of `mine` (rows of everyone) is told, one row each."""
    first, member, stride = cells
    told = np.zeros((len(mine), 4))
    near = np.empty(len(everyone.body), np.int64)
    limits = Limits(
        np.empty((MOST_GUARDS, GUARD)), np.empty((MOST_LANES, LANE)),
        np.empty(BODY), np.empty(SHAPE), np.empty((TIMES, 2)), np.empty(everyone.soils.shape[1:]),
    )  # fmt: skip
    planes, slack = np.empty((MOST_PLANES, 3)), np.empty((MOST_PLANES, 3))
    nearest, distance = np.empty(manner.neighbors, np.int64), np.empty(manner.neighbors)
    wall = np.empty(SHAPE)
    stamps = (np.full(len(walls.ax), -1), np.full(len(walls.disc), -1))
    edges, edge_far = np.empty(len(walls.ax), np.int64), np.empty(len(walls.ax))
    for k in range(len(mine)):
        i, wish = mine[k], wishes[k]
        count = around(i, everyone.place, side, first, member, stride, side, near)
        walled, hard, free = mind_walls(
            i, everyone, ground.shapes, walls, stamps, edges, edge_far,
            manner, limits.guards, planes, wall,
        )  # fmt: skip
        guarded, laned, planned = _mind_others(
            i, everyone, ground, near, count, nearest, distance,
            manner, limits, walled, planes, hard,
        )  # fmt: skip
        body = everyone.body[i]
        limits.soils[:] = everyone.soils[i]
        # Whose way leads past the walls need only be able to stop.
        led = free and led_past_walls(body, wish, FACING)
        eased, first_plane = (walled, hard) if led else (0, 0)
        kept = wish[BENT] == 0.0 and in_all(
            planes, first_plane, planned, wish[WISH_X], wish[WISH_Y]
        )
        if kept and wish_keeps(body, wish, period, manner.step, limits, eased, guarded, laned):
            told[k, STEER_TO], told[k, SPEED_TO] = wish[WISH_STEER], wish[WISH_SPEED]
            told[k, STEERED] = limits.then[STEER]
            continue
        vx, vy = nearest_velocity(
            planes, hard, planned, wish[WISH_X], wish[WISH_Y], wish[FASTEST], slack
        )
        command(body, vx, vy, wish, free, manner, period, limits, walled, guarded, laned, told[k])
    return told
