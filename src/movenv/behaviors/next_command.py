"""What a vehicle is told next: its wish, or the briskest command that keeps to all limits."""

import math
from typing import NamedTuple

import numpy as np

from movenv.behaviors.braking import keeps_lanes
from movenv.behaviors.guards import COS, LIMIT, SIN, cannot_stop, stays_behind
from movenv.behaviors.reserves import (
    BRAKE,
    FIRM,
    GRIP,
    LATERAL,
    LENGTH,
    MAX_STEER,
    POOR,
    SPEED,
    STEER,
    YAW,
    X,
    Y,
    foresee,
)
from movenv.behaviors.sure_braking import braking_after
from movenv.world.columns import F8
from movenv.world.kernel import kernel

FACING, HALFWAY = 0.94, 0.5
"""Cosines of the angle between where one looks and its way, up to which it faces that."""
WHEELS_TURNED = 0.01
"""This near to the stop they are turned fully, rad."""
# What a vehicle is told: whether to leave its wish, steer, speed, and the steer it will have.
ACTS, STEER_TO, SPEED_TO, STEERED = range(4)
# Columns of what is wished of a vehicle and what it may.
WISH_X, WISH_Y, WISH_STEER, WISH_SPEED, GAIN, FASTEST, WAITS, BENT, GUIDED = range(9)
# How long it waits: not yet too long, so long that it need not keep room to turn free from walls,
# and from nobody.
PATIENT, TIRED, FED_UP = range(3)


class Limits(NamedTuple):
    """Room for what one vehicle must keep to, and for what it is tried on."""

    guards: F8
    lanes: F8
    then: F8
    shape: F8
    places: F8
    soils: F8
    """Poor soils, as `Holds` has them."""


@kernel
def _keeps(  # type: ignore[no-untyped-def]
    body, steer, speed, gain, grip, brake, period, step, limits, eased, guarded, laned
):
    """Whether a vehicle keeps to all limits if it is told so for a tick, and brakes then.

    Behind the first `eased` guards it need only come to a stop, not have room to turn.
    """
    then = limits.then
    half_x, half_y = foresee(body, steer, speed, gain, grip, brake, period, then)
    then[BRAKE] = braking_after(body, then, limits.soils)
    if not stays_behind(then, half_x, half_y, limits.guards, eased, guarded, limits.shape):
        return False
    return laned == 0 or keeps_lanes(then, period, step, limits.lanes, laned, limits.places)


@kernel
def led_past_walls(body, wish, least):  # type: ignore[no-untyped-def]
    """Whether a wish leads past all walls, and the vehicle faces its way; `least` is the cosine.

    Who has been pushed aside may have to turn first, for which there must be room.
    """
    ahead = math.cos(body[YAW]) * wish[WISH_X] + math.sin(body[YAW]) * wish[WISH_Y]
    return wish[GUIDED] > 0.0 and ahead > least * math.hypot(wish[WISH_X], wish[WISH_Y])


@kernel
def wish_keeps(body, wish, period, step, limits, eased, guarded, laned):  # type: ignore[no-untyped-def]
    """Whether what is wished may be done as it is."""
    steer, speed, gain = wish[WISH_STEER], wish[WISH_SPEED], wish[GAIN]
    sure = body[BRAKE]
    if not _keeps(body, steer, speed, gain, 1.0, sure, period, step, limits, eased, guarded, laned):
        return False
    if not body[LATERAL] < np.inf or guarded + laned == 0:
        return True
    # Brakes may be better than thought: not with one behind who counts on what is sure.
    if laned > 0 and speed < body[SPEED] - body[FIRM] * period:
        return False
    # So may be the grip in a bend: then both ends of what may come of it must keep.
    held = body[LATERAL] * body[LENGTH] / max(body[SPEED] ** 2, 1e-6)
    surely = abs(steer) <= held and (sure == body[FIRM] or speed >= body[SPEED] - sure * period)
    better = 1.0 / body[GRIP]
    return surely or _keeps(
        body, steer, speed, gain, better, body[FIRM], period, step, limits, eased, guarded, laned
    )


@kernel
def command(  # type: ignore[no-untyped-def]
    body, vx, vy, wish, free, manner, period, limits, walled, guarded, laned, told
):
    """The briskest command toward velocity v that keeps to all limits; else brake.

    The first `walled` of the guards are those against walls.
    """
    step = manner.step
    speed = math.sqrt(vx * vx + vy * vy)
    creep = manner.creep * wish[FASTEST]
    slowest = max(body[SPEED] - body[BRAKE] * period, 0.0)
    # Where poor soil is near it turns no harder than it could there.
    lateral = body[POOR] * body[LATERAL]
    held = min(body[MAX_STEER], lateral * body[LENGTH] / max(body[SPEED] ** 2, 1e-6))
    turn = math.atan2(vy, vx) - body[YAW] - math.atan(0.5 * body[STEER])
    turn -= 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5)
    steer = turn * body[LENGTH] / (max(body[SPEED], creep, 0.1) * 0.5)
    steer = min(max(steer, -held), held)
    aside = -held * _free_side(body, limits.guards, walled)
    if speed > 0.02 * wish[FASTEST]:
        wanted = max(speed * max(math.cos(turn), 0.0), min(speed, creep))
        for k in range(12 if walled > 0 else 8):
            slower = max(wanted * (1.0 - 0.25 * (k % 4)), slowest)
            wheel = steer if k < 4 else (aside if k < 8 else -aside)
            if _told(body, wheel, slower, wish, period, step, limits, 0, guarded, laned, told):
                return
    if wish[WAITS] > PATIENT:
        # Whoever has no room to turn may still go on, if it can stop, but not nose to a wall.
        eased = guarded if wish[WAITS] == FED_UP else walled
        if walled > 0 and not (free and led_past_walls(body, wish, HALFWAY)):
            eased = 0
        slow = max(creep, slowest)
        if eased > 0:
            for wheel in (wish[WISH_STEER], steer, 0.0, aside, -aside):
                if _told(
                    body, wheel, slow, wish, period, step, limits, eased, guarded, laned, told
                ):
                    return
        # Round to the right, for which there is mostly room; the wheels turn before the vehicle.
        turned = body[STEER] < -body[MAX_STEER] + WHEELS_TURNED
        around = max(creep if turned else 0.0, slowest)
        if _told(body, -held, around, wish, period, step, limits, 0, guarded, laned, told):
            return
    told[ACTS] = 1.0
    if cannot_stop(limits.guards, guarded, manner.margin):
        # As hard as the ground lets it; whoever follows counts on no more than is usual.
        slowest = max(body[SPEED] - body[FIRM] * period, 0.0) if laned > 0 else 0.0
    told[STEER_TO], told[SPEED_TO], told[STEERED] = body[STEER], slowest, body[STEER]


@kernel
def _told(body, steer, speed, wish, period, step, limits, eased, guarded, laned, told):  # type: ignore[no-untyped-def]
    """Tell a vehicle so, if it keeps to all limits then; returns whether it does."""
    gain, sure = wish[GAIN], body[BRAKE]
    if not _keeps(body, steer, speed, gain, 1.0, sure, period, step, limits, eased, guarded, laned):
        return False
    told[ACTS] = 1.0
    told[STEER_TO], told[SPEED_TO], told[STEERED] = steer, speed, limits.then[STEER]
    return True


@kernel
def _free_side(body, guards, walled):  # type: ignore[no-untyped-def]
    """To which side the nearest wall is not: -1 left, 1 right, which it is without walls."""
    side, nearest = 1.0, math.inf
    ahead_x, ahead_y = math.cos(body[YAW]), math.sin(body[YAW])
    for g in range(min(walled, len(guards))):
        cos, sin = guards[g, COS], guards[g, SIN]
        room = guards[g, LIMIT] - cos * body[X] - sin * body[Y]
        if room < nearest:
            nearest = room
            side = -1.0 if ahead_x * sin - ahead_y * cos < 0.0 else 1.0
    return side
