"""The ground a vehicle reserves: where it stops if it brakes now, and a full turn from there.

Braking with the wheel held still drives an arc; from where it ends a vehicle can circle to the
right at a crawl and so turn to any heading. Whoever brakes stays within what it has reserved, so
vehicles that keep their reserves apart never meet, and none is stuck nose to nose with another.

A reserve is a row of numbers (see `SHAPE`), taken as the convex hull of its arc and its circle.
"""

import math

from movenv.world.kernel import inline, kernel

# Columns of a body: how a vehicle moves, and what it can.
X, Y, YAW, SPEED, STEER, LENGTH, BRAKE, MAX_STEER, STEER_RATE, MIN_SPEED = range(10)
BODY = 10
# Columns of a reserve: both ends of the arc, its middle and radius (0: straight), the direction
# of its first point from the middle, its signed sweep, and middle and radius of the circle.
START_X, START_Y, END_X, END_Y, ARC_X, ARC_Y, ARC_R, ARC_FROM, ARC_SWEEP, TURN_X, TURN_Y, TURN_R = (
    range(12)
)
SHAPE = 12
STRAIGHT = 1e-6
"""An arc that sweeps less than this counts as straight, rad."""
HALVINGS = 26
"""How often the angle of a separating line is halved: to 5e-8 rad."""
SUBSTEPS = 4
"""A tick is foreseen in so many steps."""
STANDING = 1e-3
"""Below this speed the wheels cannot be seen from the motion, m/s."""


@inline
def stopping(speed, steer, brake):  # type: ignore[no-untyped-def]
    """The way over ground until a vehicle stands, m."""
    return speed * speed / (2.0 * brake) * math.sqrt(1.0 + 0.25 * steer * steer)


@inline
def tight_radius(length, max_steer):  # type: ignore[no-untyped-def]
    return length / max_steer * math.sqrt(1.0 + 0.25 * max_steer * max_steer)


@kernel
def reserve(body, shape):  # type: ignore[no-untyped-def]
    """Fill in the reserve of a vehicle.

    One that cannot stop reserves the arc on which it comes to steer fully right, and the circle
    it then drives.
    """
    x, y, yaw, speed, steer = body[X], body[Y], body[YAW], body[SPEED], body[STEER]
    length, most = body[LENGTH], body[MAX_STEER]
    if body[MIN_SPEED] > 0.0:
        lag = (steer + most) / body[STEER_RATE]
        steer = 0.5 * (steer - most)
        way = speed * lag * math.sqrt(1.0 + 0.25 * steer * steer)
    else:
        way = stopping(speed, steer, body[BRAKE])
    slip = math.atan(0.5 * steer)
    course = yaw + slip
    bend = steer / (length * math.sqrt(1.0 + 0.25 * steer * steer))
    sweep = bend * way
    shape[START_X], shape[START_Y] = x, y
    if abs(sweep) < STRAIGHT:
        end_x, end_y = x + way * math.cos(course), y + way * math.sin(course)
        shape[ARC_X], shape[ARC_Y], shape[ARC_R], shape[ARC_FROM] = x, y, 0.0, 0.0
    else:
        middle_x, middle_y = x - math.sin(course) / bend, y + math.cos(course) / bend
        end_x = middle_x + math.sin(course + sweep) / bend
        end_y = middle_y - math.cos(course + sweep) / bend
        shape[ARC_X], shape[ARC_Y], shape[ARC_R] = middle_x, middle_y, 1.0 / abs(bend)
        shape[ARC_FROM] = course - 0.5 * math.pi if bend > 0.0 else course + 0.5 * math.pi
    shape[ARC_SWEEP] = sweep
    shape[END_X], shape[END_Y] = end_x, end_y
    right = yaw + sweep - math.atan(0.5 * most)
    radius = tight_radius(length, most)
    shape[TURN_X], shape[TURN_Y] = end_x + radius * math.sin(right), end_y - radius * math.cos(right)
    shape[TURN_R] = radius


@kernel
def edge_reserve(ax, ay, bx, by, shape):  # type: ignore[no-untyped-def]
    """An edge of an obstacle as if it were a vehicle's."""
    shape[:] = 0.0
    shape[START_X], shape[START_Y], shape[END_X], shape[END_Y] = ax, ay, bx, by


@inline
def farthest(shape, angle, cos, sin, turn):  # type: ignore[no-untyped-def]
    """The place of a reserve that lies farthest in a direction; `turn`: its circle counts too."""
    x, y = shape[START_X], shape[START_Y]
    best = x * cos + y * sin
    far = shape[END_X] * cos + shape[END_Y] * sin
    if far > best:
        best, x, y = far, shape[END_X], shape[END_Y]
    if shape[ARC_R] > 0.0:
        sweep = shape[ARC_SWEEP]
        past = (angle - shape[ARC_FROM]) * (1.0 if sweep > 0.0 else -1.0)
        past -= 2.0 * math.pi * math.floor(past / (2.0 * math.pi))
        if past <= abs(sweep):
            to_x, to_y = shape[ARC_X] + shape[ARC_R] * cos, shape[ARC_Y] + shape[ARC_R] * sin
            far = to_x * cos + to_y * sin
            if far > best:
                best, x, y = far, to_x, to_y
    if turn and shape[TURN_R] > 0.0:
        to_x, to_y = shape[TURN_X] + shape[TURN_R] * cos, shape[TURN_Y] + shape[TURN_R] * sin
        far = to_x * cos + to_y * sin
        if far > best:
            best, x, y = far, to_x, to_y
    return best, x, y


@kernel
def separation(one, other, turn):  # type: ignore[no-untyped-def]
    """The direction from one reserve to the other in which they lie farthest apart, and how far.

    Returns the angle and the gap, negative where they overlap. Reserves that are apart lie apart
    in a direction less than a right angle off the line between any two of their places; on either
    side of the best one the nearest places tell to which side it lies, so halving finds it.
    """
    east = other[START_X] + other[END_X] - one[START_X] - one[END_X]
    north = other[START_Y] + other[END_Y] - one[START_Y] - one[END_Y]
    angle = math.atan2(north, east)
    step = 0.25 * math.pi
    for _ in range(HALVINGS):
        cos, sin = math.cos(angle), math.sin(angle)
        _, x, y = farthest(one, angle, cos, sin, turn)
        _, to_x, to_y = farthest(other, angle + math.pi, -cos, -sin, turn)
        aside = cos * (to_y - y) - sin * (to_x - x)
        angle += step if aside > 0.0 else -step
        step *= 0.5
    cos, sin = math.cos(angle), math.sin(angle)
    reach, _, _ = farthest(one, angle, cos, sin, turn)
    back, _, _ = farthest(other, angle + math.pi, -cos, -sin, turn)
    return angle, -back - reach


@kernel
def foresee(body, steer_to, speed_to, gain, period, then):  # type: ignore[no-untyped-def]
    """Fill in `then`: the vehicle a tick later, told a steer and a speed; `gain` is its most
    acceleration, m/s². Returns where it is halfway."""
    then[:] = body
    most = body[MAX_STEER]
    steer_to = min(max(steer_to, -most), most)
    speed_to = max(speed_to, body[MIN_SPEED])
    dt = period / SUBSTEPS
    half_x, half_y = body[X], body[Y]
    for k in range(SUBSTEPS):
        turned = min(max(steer_to - then[STEER], -body[STEER_RATE] * dt), body[STEER_RATE] * dt)
        gained = min(max(speed_to - then[SPEED], -body[BRAKE] * dt), gain * dt)
        steer, speed = then[STEER] + 0.5 * turned, then[SPEED] + 0.5 * gained
        yaw_rate = speed * steer / body[LENGTH]
        course = then[YAW] + 0.5 * yaw_rate * dt + math.atan(0.5 * steer)
        way = speed * dt * math.sqrt(1.0 + 0.25 * steer * steer)
        then[X] += way * math.cos(course)
        then[Y] += way * math.sin(course)
        then[YAW] += yaw_rate * dt
        then[STEER] += turned
        then[SPEED] += gained
        if 2 * (k + 1) == SUBSTEPS:
            half_x, half_y = then[X], then[Y]
    return half_x, half_y
