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
# Its most sideways acceleration where it is, m/s² (inf: any), and the grip there; how it brakes
# where no poor soil is near, m/s², and the poorest grip it may come to as a share of that here.
LATERAL, GRIP, FIRM, POOR = range(10, 14)
BODY = 14
# Columns of a reserve: both ends of the arc, its middle and radius (0: straight), the direction
# from the middle to halfway along it and the cosine of half its sweep, and middle and radius of
# the circle.
START_X, START_Y, END_X, END_Y, ARC_X, ARC_Y, ARC_R, HALF_X, HALF_Y, SPREAD = range(10)
TURN_X, TURN_Y, TURN_R = range(10, 13)
SHAPE = 13
# What of a reserve counts: its arc, or all of it.
ARC, WHOLE = range(2)
STRAIGHT = 1e-6
"""An arc that sweeps less than this counts as straight, rad."""
HALVINGS = 13
"""How often the angle in which a separating line may lie is halved: to 4e-4 rad."""
SMALL = 0.3
"""Up to this angle a series stands for sine and cosine, rad."""
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
    # Without angles where it can be done: the course is the yaw, turned by the slip.
    slant = math.sqrt(1.0 + 0.25 * steer * steer)
    ahead_x, ahead_y = math.cos(yaw), math.sin(yaw)
    cos = (ahead_x - 0.5 * steer * ahead_y) / slant
    sin = (ahead_y + 0.5 * steer * ahead_x) / slant
    bend = steer / (length * slant)
    sweep = bend * way
    half_cos, half_sin = math.cos(0.5 * sweep), math.sin(0.5 * sweep)
    mid_cos, mid_sin = cos * half_cos - sin * half_sin, sin * half_cos + cos * half_sin
    shape[START_X], shape[START_Y] = x, y
    if abs(sweep) < STRAIGHT:
        chord = way
        shape[ARC_X], shape[ARC_Y], shape[ARC_R] = x, y, 0.0
        shape[HALF_X], shape[HALF_Y], shape[SPREAD] = 1.0, 0.0, 1.0
    else:
        chord = 2.0 * half_sin / bend
        shape[ARC_X], shape[ARC_Y] = x - sin / bend, y + cos / bend
        shape[ARC_R] = 1.0 / abs(bend)
        side = 1.0 if bend > 0.0 else -1.0
        shape[HALF_X], shape[HALF_Y] = side * mid_sin, -side * mid_cos
        shape[SPREAD] = half_cos if abs(sweep) < 2.0 * math.pi else -1.0
    end_x, end_y = x + chord * mid_cos, y + chord * mid_sin
    shape[END_X], shape[END_Y] = end_x, end_y
    turned_cos, turned_sin = half_cos**2 - half_sin**2, 2.0 * half_sin * half_cos
    ahead_x, ahead_y = (
        ahead_x * turned_cos - ahead_y * turned_sin,
        ahead_y * turned_cos + ahead_x * turned_sin,
    )
    # The radius times the slanting course: the slant of both cancels.
    tight = length / most
    shape[TURN_X] = end_x + tight * (ahead_y - 0.5 * most * ahead_x)
    shape[TURN_Y] = end_y - tight * (ahead_x + 0.5 * most * ahead_y)
    shape[TURN_R] = tight_radius(length, most)


@kernel
def edge_reserve(ax, ay, bx, by, shape):  # type: ignore[no-untyped-def]
    """An edge of an obstacle as if it were a vehicle's."""
    shape[:] = 0.0
    shape[START_X], shape[START_Y], shape[END_X], shape[END_Y] = ax, ay, bx, by


@kernel
def farthest(shape, cos, sin, turn):  # type: ignore[no-untyped-def]
    """The place of a reserve that lies farthest in a direction; `turn` says what of it counts.

    Returns how far that is, and the place.
    """
    x, y = shape[END_X], shape[END_Y]
    best = x * cos + y * sin
    far = shape[START_X] * cos + shape[START_Y] * sin
    if far > best:
        best, x, y = far, shape[START_X], shape[START_Y]
    if shape[ARC_R] > 0.0 and shape[HALF_X] * cos + shape[HALF_Y] * sin >= shape[SPREAD]:
        far = shape[ARC_X] * cos + shape[ARC_Y] * sin + shape[ARC_R]
        if far > best:
            best, x, y = far, shape[ARC_X] + shape[ARC_R] * cos, shape[ARC_Y] + shape[ARC_R] * sin
    if turn != ARC and shape[TURN_R] > 0.0:
        far = shape[TURN_X] * cos + shape[TURN_Y] * sin + shape[TURN_R]
        if far > best:
            best = far
            x, y = shape[TURN_X] + shape[TURN_R] * cos, shape[TURN_Y] + shape[TURN_R] * sin
    return best, x, y


@kernel
def separation(one, other, turn, enough):  # type: ignore[no-untyped-def]
    """A direction from one reserve to the other in which they lie apart, and how far.

    Returns its cosine and sine, and the gap, negative where they overlap. Reserves that are apart
    lie apart in a direction less than a right angle off the line between any two of their places;
    in any other direction the nearest places tell to which side the best one lies, so halving
    finds it. A direction in which they are `enough` apart ends the search.
    """
    east = other[START_X] + other[END_X] - one[START_X] - one[END_X]
    north = other[START_Y] + other[END_Y] - one[START_Y] - one[END_Y]
    length = math.sqrt(east * east + north * north)
    cos, sin = (east / length, north / length) if length > 0.0 else (1.0, 0.0)
    right_x, right_y, left_x, left_y = sin, -cos, -sin, cos
    for _ in range(HALVINGS):
        _, x, y = farthest(one, cos, sin, turn)
        _, to_x, to_y = farthest(other, -cos, -sin, turn)
        to_x, to_y = to_x - x, to_y - y
        gap = cos * to_x + sin * to_y
        if gap >= enough:
            return cos, sin, gap
        if cos * to_y > sin * to_x:
            right_x, right_y = cos, sin
        else:
            left_x, left_y = cos, sin
        cos, sin = right_x + left_x, right_y + left_y
        length = math.sqrt(cos * cos + sin * sin)
        cos, sin = cos / length, sin / length
    reach, _, _ = farthest(one, cos, sin, turn)
    back, _, _ = farthest(other, -cos, -sin, turn)
    return cos, sin, -back - reach


@inline
def turned_by(cos, sin, angle):  # type: ignore[no-untyped-def]
    """A direction turned by a mostly small angle: by a series, for it is done often."""
    if abs(angle) > SMALL:
        c, s = math.cos(angle), math.sin(angle)
        return cos * c - sin * s, sin * c + cos * s
    square = angle * angle
    c = 1.0 - square * (0.5 - square / 24.0)
    s = angle * (1.0 - square * (1.0 / 6.0 - square / 120.0))
    return cos * c - sin * s, sin * c + cos * s


@kernel
def foresee(body, steer_to, speed_to, gain, grip, brake, period, then):  # type: ignore[no-untyped-def]
    """Fill in `then`: the vehicle a tick later, told a steer and a speed; `gain` and `brake` are
    its most acceleration and braking, m/s², `grip` how much better than is sure it holds. Returns
    its place halfway."""
    then[:] = body
    hold = grip * body[LATERAL] * body[LENGTH]
    most = min(body[MAX_STEER], hold / max(body[SPEED] * body[SPEED], 1e-6))
    steer_to = min(max(steer_to, -most), most)
    speed_to = max(speed_to, body[MIN_SPEED])
    dt = period / SUBSTEPS
    half_x, half_y = body[X], body[Y]
    cos, sin = math.cos(body[YAW]), math.sin(body[YAW])
    for k in range(SUBSTEPS):
        turned = min(max(steer_to - then[STEER], -body[STEER_RATE] * dt), body[STEER_RATE] * dt)
        gained = min(max(speed_to - then[SPEED], -brake * dt), gain * dt)
        steer, speed = then[STEER] + 0.5 * turned, then[SPEED] + 0.5 * gained
        turn = speed * steer / body[LENGTH] * dt
        cos, sin = turned_by(cos, sin, 0.5 * turn)
        then[X] += speed * dt * (cos - 0.5 * steer * sin)
        then[Y] += speed * dt * (sin + 0.5 * steer * cos)
        cos, sin = turned_by(cos, sin, 0.5 * turn)
        then[YAW] += turn
        then[STEER] += turned
        then[SPEED] += gained
        if 2 * (k + 1) == SUBSTEPS:
            half_x, half_y = then[X], then[Y]
    return half_x, half_y
