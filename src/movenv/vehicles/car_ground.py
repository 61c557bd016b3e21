"""How a car meets the ground: the plane under each wheel, and the body when it comes down itself.

The body is a box. Each of its corners that is below the ground, and each place of the bumper that
goes first, is pushed out by a spring and a damper, and held by friction while it slides. One that
broke through a wall is far below the roof behind it: it is held where it is, and not lifted. That
force is worked out once a step.
"""

import math

from movenv.terrain.relief import surface
from movenv.vehicles.car_body import G, axes
from movenv.vehicles.car_columns import as_build, as_state
from movenv.world.kernel import inline

SINKING = 0.02
"""How deep the weight of a car presses one corner into the ground, m."""
SCRAPING = 0.5
"""Friction of the body on the ground."""
SLIDING_SPEED = 0.1
"""Below it, m/s, that friction is in proportion to the speed."""
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
def _blow(s, car, turned, relief):  # type: ignore[no-untyped-def]
    """Force and moment from the corners of the body, along its own axes."""
    fx = fy = fz = roll = pitch = yaw = 0.0
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
            u, v, w = s.u + s.q * z - s.r * y, s.v + s.r * x - s.p * z, s.w + s.p * y - s.q * x
            out = a * u + b * v + c * w
            stiffness = car.mass * G / SINKING
            damping = HARSHNESS * math.sqrt(stiffness * car.mass)
            buried = depth > BURIED
            load = 0.0 if buried else max(stiffness * depth - damping * out, 0.0)
            out = 0.0 if buried else out
            u, v, w = u - out * a, v - out * b, w - out * c
            sliding = math.sqrt(u * u + v * v + w * w)
            # No stronger than a step can follow.
            rub = min(SCRAPING * load / max(sliding, SLIDING_SPEED), damping)
            rub = damping if buried else rub
            push_x, push_y, push_z = load * a - rub * u, load * b - rub * v, load * c - rub * w
            fx, fy, fz = fx + push_x, fy + push_y, fz + push_z
            roll += y * push_z - z * push_y
            pitch += z * push_x - x * push_z
            yaw += x * push_y - y * push_x
    return fx, fy, fz, roll, pitch, yaw
