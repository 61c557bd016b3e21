"""Vehicles that go the same way: kept apart at each time while they brake, not by ground.

Whoever follows another needs not all of its own stopping way free, since the other also takes way
to stop. If both braked now, they would be apart at all times; between their places at each time
lies a line that moves along, and each keeps on its own side of it: at each time of what it does
for a tick and of braking after that.
"""

import math

from movenv.behaviors.guards import MOST_GUARDS
from movenv.behaviors.reserves import (
    BRAKE,
    FIRM,
    LENGTH,
    MIN_SPEED,
    SPEED,
    STEER,
    STRAIGHT,
    YAW,
    X,
    Y,
)
from movenv.world.kernel import kernel

TIMES = 14
"""At how many times braking vehicles are looked at."""
STEP = 0.4
"""Between those times, s, if a tick is not longer. From chord to arc that is b·STEP²/8 m."""
ALIKE = 0.5
"""Those whose velocities differ by less than this share of the greater one go the same way."""
# Columns of a lane: the direction across its moving line, how many times count, and then how far
# the vehicle may be in that direction at each of them.
COS, SIN, COUNT, FIRST = range(4)
LANE = FIRST + TIMES
MOST_LANES = MOST_GUARDS // 8


@kernel
def braking_places(body, brake, step, late, last, places):  # type: ignore[no-untyped-def]
    """Fill in where a vehicle is at the times k · step, if it began to brake at `late`."""
    speed, steer = body[SPEED], body[STEER]
    slant = math.sqrt(1.0 + 0.25 * steer * steer)
    bend = steer / (body[LENGTH] * slant)
    course = body[YAW] + math.atan(0.5 * steer)
    cos, sin = math.cos(course), math.sin(course)
    stands = speed / brake
    for k in range(last + 1):
        t = min(max(k * step - late, 0.0), stands)
        way = slant * t * (speed - 0.5 * brake * t)
        sweep = bend * way
        if abs(sweep) < STRAIGHT:
            ahead, left = way, 0.0
        else:
            ahead, left = math.sin(sweep) / bend, (1.0 - math.cos(sweep)) / bend
        places[k, 0] = body[X] + cos * ahead - sin * left
        places[k, 1] = body[Y] + sin * ahead + cos * left


@kernel
def stands_at(body, step):  # type: ignore[no-untyped-def]
    """At which of the times a vehicle that brakes now stands; TIMES if at none of them."""
    if body[MIN_SPEED] > 0.0:
        return TIMES
    return min(math.ceil(body[SPEED] / (body[BRAKE] * step)), TIMES)


@kernel
def go_alike(i, j, body, velocity):  # type: ignore[no-untyped-def]
    """Whether two go the same way, and would take more than half their lengths to stop."""
    east, north = velocity[0, i] - velocity[0, j], velocity[1, i] - velocity[1, j]
    fastest = max(body[i, SPEED], body[j, SPEED])
    if east * east + north * north > (ALIKE * fastest) ** 2:
        return False
    return fastest * fastest > 0.5 * (
        body[i, BRAKE] * body[i, LENGTH] + body[j, BRAKE] * body[j, LENGTH]
    )


@kernel
def lane(i, j, places, ways, last, needed, share, lanes, count):  # type: ignore[no-untyped-def]
    """Add the moving line between i and j, to the times `last`; where they would come too near,
    neither may be nearer than it is when it brakes.

    Who may come to poor soil has two `ways` of braking, and with each it is elsewhere.
    """
    if count >= len(lanes):
        return count + 1
    least, cos, sin = math.inf, 1.0, 0.0
    for k in range(last + 1):
        for a in range(ways[i]):
            for b in range(ways[j]):
                east = places[j, b, k, 0] - places[i, a, k, 0]
                north = places[j, b, k, 1] - places[i, a, k, 1]
                square = east * east + north * north
                if square < least:
                    least, cos, sin = square, east, north
    if least <= 0.0:
        return count
    far = math.sqrt(least)
    cos, sin = cos / far, sin / far
    lanes[count, COS], lanes[count, SIN], lanes[count, COUNT] = cos, sin, last
    for k in range(last + 1):
        reach = cos * places[i, 0, k, 0] + sin * places[i, 0, k, 1]
        if ways[i] > 1:
            reach = max(reach, cos * places[i, 1, k, 0] + sin * places[i, 1, k, 1])
        back = cos * places[j, 0, k, 0] + sin * places[j, 0, k, 1]
        if ways[j] > 1:
            back = min(back, cos * places[j, 1, k, 0] + sin * places[j, 1, k, 1])
        gap = back - reach
        lanes[count, FIRST + k] = reach + max(share * (gap - needed), 0.0)
    return count + 1


@kernel
def keeps_lanes(then, period, step, lanes, count, places):  # type: ignore[no-untyped-def]
    """Whether a vehicle that is so a tick later, and brakes then, keeps to its side of all."""
    if count > len(lanes):
        return False
    if then[BRAKE] < then[FIRM]:
        if stands_at(then, step) >= TIMES - 1:
            return False
        if not _keeps_lanes(then, then[FIRM], period, step, lanes, count, places):
            return False
    return _keeps_lanes(then, then[BRAKE], period, step, lanes, count, places)


@kernel
def _keeps_lanes(then, brake, period, step, lanes, count, places):  # type: ignore[no-untyped-def]
    # Who has gained speed stands later than both would have.
    last = TIMES - 1
    braking_places(then, brake, step, period, last, places)
    part = period / step
    for g in range(count):
        cos, sin = lanes[g, COS], lanes[g, SIN]
        limit = lanes[g, FIRST] + part * (lanes[g, FIRST + 1] - lanes[g, FIRST])
        if cos * then[X] + sin * then[Y] > limit + 1e-9:
            return False
        ends = int(lanes[g, COUNT])
        for k in range(1, last + 1):
            limit = lanes[g, FIRST + min(k, ends)]
            if cos * places[k, 0] + sin * places[k, 1] > limit + 1e-9:
                return False
    return True
