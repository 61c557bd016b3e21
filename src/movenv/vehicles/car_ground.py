"""How a car meets the ground: the plane under each wheel, and the body when it comes down itself.

The body is a box. Each of its corners that is below the ground, and each place of the bumper that
goes first, is pushed out by a spring and a damper, and held by friction while it slides. One that
broke through a wall is far below the roof behind it: it is held where it is, and not lifted. That
force is worked out once a step, place by place: each finds the body as those before it leave it at
the end of the step, so that together they never push it back harder than it came.
"""

import math

from movenv.terrain.relief import surface
from movenv.vehicles.car_body import G, axes
from movenv.vehicles.car_columns import LONGEST_STEP, as_build, as_state
from movenv.world.kernel import inline

SINKING = 0.02
"""How deep the weight of a car presses one corner into the ground, m."""
SCRAPING = 0.5
"""Friction of the body on the ground."""
SLIDING_SPEED = 0.1
"""Below it, m/s, that friction is in proportion to the speed."""
SLOWEST = 1e-9
"""Below it nothing slides, m/s."""
HARSHNESS = 4.0
"""Damper of a corner over √(stiffness · mass): a wall stops a car within its own width."""
FINEST = 20.0
"""The most places between which a bumper is felt, however fine the map is."""
BURIED = 1.0
"""A corner so deep, m, came through a wall."""


@inline
def _plane(relief, x, y):  # type: ignore[no-untyped-def]
    """Normal of the ground at a place, and its product with any place on the tangent plane."""
    z, toward_x, toward_y = surface(relief, x, y)
    nz = 1.0 / math.sqrt(1.0 + toward_x * toward_x + toward_y * toward_y)
    nx, ny = -toward_x * nz, -toward_y * nz
    return nx, ny, nz, nx * x + ny * y + nz * z


@inline
def feel(state, parameters, relief):  # type: ignore[no-untyped-def]
    """FELT: the planes under the wheels, and the blow that the body takes."""
    s, car = as_state(state), as_build(parameters)
    turned = axes(s.qw, s.qx, s.qy, s.qz)
    xx, xy, _xz, yx, yy, _yz, zx, zy, _zz = turned
    down = car.radius - car.cg_height
    low_x, low_y = s.x + down * zx, s.y + down * zy
    before_x, before_y = low_x + car.front * xx, low_y + car.front * xy
    behind_x, behind_y = low_x - car.rear * xx, low_y - car.rear * xy
    front, rear = car.half_front, car.half_rear
    return (
        *_plane(relief, before_x + front * yx, before_y + front * yy),
        *_plane(relief, before_x - front * yx, before_y - front * yy),
        *_plane(relief, behind_x + rear * yx, behind_y + rear * yy),
        *_plane(relief, behind_x - rear * yx, behind_y - rear * yy),
        *_blow(s, car, turned, relief),
    )


@inline
def _yields(along, place, car):  # type: ignore[no-untyped-def]
    """How much faster a place moves along a direction for a push there, m/s for each N s."""
    a, b, c = along
    x, y, z = place
    roll, pitch, yaw = y * c - z * b, z * a - x * c, x * b - y * a
    straight = (a * a + b * b) / car.mass + c * c / car.sprung
    turning = roll * roll / car.inertia_x + pitch * pitch / car.inertia_y
    return straight + turning + yaw * yaw / car.inertia_z


@inline
def _push(depth, normal, place, velocity, car):  # type: ignore[no-untyped-def]
    """What a place of the body is pushed with that moves so, along the body's axes.

    No damper or friction is stronger than what stops the place within the step.
    """
    a, b, c = normal
    along, aside, up = velocity
    stiffness = car.mass * G / SINKING
    damper = HARSHNESS * math.sqrt(stiffness * car.mass)
    buried = depth > BURIED
    out = a * along + b * aside + c * up
    damping = min(damper, 1.0 / (LONGEST_STEP * _yields(normal, place, car)))
    load = 0.0 if buried else max(stiffness * depth - damping * out, 0.0)
    out = 0.0 if buried else out
    along, aside, up = along - out * a, aside - out * b, up - out * c
    sliding = max(math.sqrt(along * along + aside * aside + up * up), SLOWEST)
    yields = _yields((along / sliding, aside / sliding, up / sliding), place, car)
    most = damper / max(1.0, damper * LONGEST_STEP * yields)
    rub = most if buried else min(SCRAPING * load / max(sliding, SLIDING_SPEED), most)
    return load * a - rub * along, load * b - rub * aside, load * c - rub * up


@inline
def _blow(s, car, turned, relief):  # type: ignore[no-untyped-def]
    """Force and moment from the corners of the body, along its own axes."""
    fx = fy = fz = roll = pitch = yaw = 0.0
    u, v, w, p, q, r = s.u, s.v, s.w, s.p, s.q, s.r
    xx, xy, xz, yx, yy, yz, zx, zy, zz = turned
    middle = 0.5 * (car.front - car.rear)
    # The bumper that goes first is felt all along: no post slips between its corners. What it
    # meets is taken to push at the height of the centre of gravity.
    gaps = int(min(max(car.body_width / relief.cell, 1.0), FINEST))
    for point in range(1 - gaps, 8):
        ahead = point & 1 if point >= 0 else s.u >= 0.0
        side = 0.5 * (point & 2) if point >= 0 else -point / gaps
        x = middle + (0.5 if ahead else -0.5) * car.body_length
        y = (side - 0.5) * car.body_width
        z = (car.body_height if point >= 4 else car.clearance) - car.cg_height
        at_x = s.x + x * xx + y * yx + z * zx
        at_y = s.y + x * xy + y * yy + z * zy
        at_z = s.z + x * xz + y * yz + z * zz
        nx, ny, nz, offset = _plane(relief, at_x, at_y)
        depth = offset - (nx * at_x + ny * at_y + nz * at_z)
        if depth > 0.0:
            a = nx * xx + ny * xy + nz * xz
            b = nx * yx + ny * yy + nz * yz
            c = nx * zx + ny * zy + nz * zz
            z = z if point >= 0 else 0.0
            velocity = (u + q * z - r * y, v + r * x - p * z, w + p * y - q * x)
            push_x, push_y, push_z = _push(depth, (a, b, c), (x, y, z), velocity, car)
            by_x, by_y = y * push_z - z * push_y, z * push_x - x * push_z
            by_z = x * push_y - y * push_x
            fx, fy, fz = fx + push_x, fy + push_y, fz + push_z
            roll, pitch, yaw = roll + by_x, pitch + by_y, yaw + by_z
            u, v = u + LONGEST_STEP * push_x / car.mass, v + LONGEST_STEP * push_y / car.mass
            w, p = w + LONGEST_STEP * push_z / car.sprung, p + LONGEST_STEP * by_x / car.inertia_x
            q += LONGEST_STEP * by_y / car.inertia_y
            r += LONGEST_STEP * by_z / car.inertia_z
    return fx, fy, fz, roll, pitch, yaw
