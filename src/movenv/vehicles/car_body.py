"""The equations of the car: a body on four suspensions, four wheels that spin and touch the ground.

Along and across the body all its mass moves as one; upward the sprung mass moves by itself, and so
does each wheel. A suspension of spring k, damper c and anti-roll bar k_b pushes the body up and its
hub down with

    F = load at rest + k s + c ds/dt + k_b (s - s of the other side) + stops,

s being the hub's travel. A tyre pushes along the ground's normal n with

    N = k_t (free radius - distance of the hub to the ground) - c_t (hub's speed along n),  N >= 0,

and along the ground as `tyre` has it. How far a tyre is pressed in grows no faster than hub and
ground come nearer to each other: where the ground's tangent leaps, at the edge of a kerb, what the
map says is reached little by little, and the spring gives back no more than was put into it.

What a tyre does along and across acts on the body at the point of contact, what it does upward acts
on the wheel.

Brakes and rolling resistance are friction: up to their strength they take just the torque that
leaves a wheel to come to rest within milliseconds, so a braked wheel stands quite still.
"""

import math

from movenv.vehicles.car_columns import as_car, as_state
from movenv.vehicles.tyre import tyre_force
from movenv.world.kernel import inline
from movenv.world.rk4 import clip
from movenv.world.trig import sincos

G = 9.80665
DENSITY = 1.225
"""Of air at sea level, kg/m³."""
STILL = 2e-3
"""Time in which friction stops the rest of a wheel's spin, s."""
YIELDING = 0.3
"""Time in which a tyre is pressed in as far as the map says, s, where nothing pushed it there."""
LEAVING = 2e-3
"""The same where the map says that it is pressed in less."""
UPRIGHTING = 10.0
"""How fast the quaternion's length returns to 1, 1/s."""


@inline
def axes(qw, qx, qy, qz):  # type: ignore[no-untyped-def]
    """The body's axes in the world, one after the other: forward, left, up."""
    return (
        1.0 - 2.0 * (qy * qy + qz * qz),
        2.0 * (qx * qy + qw * qz),
        2.0 * (qx * qz - qw * qy),
        2.0 * (qx * qy - qw * qz),
        1.0 - 2.0 * (qx * qx + qz * qz),
        2.0 * (qy * qz + qw * qx),
        2.0 * (qx * qz + qw * qy),
        2.0 * (qy * qz - qw * qx),
        1.0 - 2.0 * (qx * qx + qy * qy),
    )


@inline
def steered(steer, car):  # type: ignore[no-untyped-def]
    """(sine, cosine) of the angles of the left and of the right front wheel."""
    sine, cosine = sincos(steer)
    inward = car.ackermann * car.half_front / (car.front + car.rear)
    left, right = cosine - inward * sine, cosine + inward * sine
    to_left = 1.0 / math.sqrt(sine * sine + left * left)
    to_right = 1.0 / math.sqrt(sine * sine + right * right)
    return sine * to_left, left * to_left, sine * to_right, right * to_right


@inline
def _touch(hub, wheel, plane, s, turned, car):  # type: ignore[no-untyped-def]
    """What the ground does to a wheel, and that to its tread.

    Returns the force along the body's axes, the place of contact, the pull along the way, and the
    rates of the tread's lag and of how far the tyre is pressed in.
    """
    x, y, free, sine, cosine, camber, grip = hub
    travel, rise, spin, stretch, lean, pressed = wheel
    nx, ny, nz, offset = plane
    xx, xy, xz, yx, yy, yz, zx, zy, zz = turned
    # The ground's normal along the body's axes; place and velocity of the hub.
    a = nx * xx + ny * xy + nz * xz
    b = nx * yx + ny * yy + nz * yz
    c = nx * zx + ny * zy + nz * zz
    z = car.radius - car.cg_height + travel
    away = nx * s.x + ny * s.y + nz * s.z - offset + a * x + b * y + c * z
    hub_x, hub_y = s.u + s.q * z - s.r * y, s.v + s.r * x - s.p * z
    approach = -(a * hub_x + b * hub_y + c * rise)
    # Forward and left along the ground; the axle is (-sine, cosine, 0).
    tilt = b * cosine - a * sine
    level = math.sqrt(max(1.0 - tilt * tilt, 1e-6))
    behind = free - away - pressed
    pressed_rate = approach + behind / (YIELDING if behind > 0.0 else LEAVING)
    squeeze = pressed - car.radius * (1.0 - level)
    push = max(car.tyre_spring * squeeze + car.tyre_damper * approach, 0.0)
    # A wheel that came through a wall is not lifted to the roof behind it.
    load = push if squeeze > 0.0 and free - away < 2.0 * car.radius else 0.0
    tx, ty, tz = cosine * c / level, sine * c / level, -(cosine * a + sine * b) / level
    lx, ly, lz = b * tz - c * ty, c * tx - a * tz, a * ty - b * tx
    # The body's own point at the contact, which the spin does not move.
    at_x, at_y, at_z = x - away * a, y - away * b, z - away * c
    vx, vy = s.u + s.q * at_z - s.r * at_y, s.v + s.r * at_x - car.sway * s.p * at_z
    forward, aside = tx * vx + ty * vy + tz * rise, lx * vx + ly * vy + lz * rise
    along, across, stretch_rate, lean_rate = tyre_force(
        forward, car.radius * spin, aside, stretch, lean, load, grip, car
    )
    # A wheel leans with the body, and in the suspension with its travel.
    across += car.camber_stiffness * load * (camber * travel - tilt)
    fx = load * a + along * tx + across * lx
    fy = load * b + along * ty + across * ly
    fz = load * c + along * tz + across * lz
    return fx, fy, fz, at_x, at_y, at_z, along, stretch_rate, lean_rate, pressed_rate


@inline
def touches(s, car, turned):  # type: ignore[no-untyped-def]
    """The same for the four wheels."""
    ls, lc, rs, rc = steered(s.steer, car)
    return (
        _touch(
            (car.front, car.half_front, car.free_front, ls, lc, -car.camber_front, car.grip_fl),
            (s.travel_fl, s.rise_fl, s.spin_fl, s.stretch_fl, s.lean_fl, s.pressed_fl),
            (car.nx_fl, car.ny_fl, car.nz_fl, car.offset_fl),
            *(s, turned, car),
        ),
        _touch(
            (car.front, -car.half_front, car.free_front, rs, rc, car.camber_front, car.grip_fr),
            (s.travel_fr, s.rise_fr, s.spin_fr, s.stretch_fr, s.lean_fr, s.pressed_fr),
            (car.nx_fr, car.ny_fr, car.nz_fr, car.offset_fr),
            *(s, turned, car),
        ),
        _touch(
            (-car.rear, car.half_rear, car.free_rear, 0.0, 1.0, -car.camber_rear, car.grip_rl),
            (s.travel_rl, s.rise_rl, s.spin_rl, s.stretch_rl, s.lean_rl, s.pressed_rl),
            (car.nx_rl, car.ny_rl, car.nz_rl, car.offset_rl),
            *(s, turned, car),
        ),
        _touch(
            (-car.rear, -car.half_rear, car.free_rear, 0.0, 1.0, car.camber_rear, car.grip_rr),
            (s.travel_rr, s.rise_rr, s.spin_rr, s.stretch_rr, s.lean_rr, s.pressed_rr),
            (car.nx_rr, car.ny_rr, car.nz_rr, car.offset_rr),
            *(s, turned, car),
        ),
    )


@inline
def _suspension(travel, other, rate, load, spring, damper, bar, car):  # type: ignore[no-untyped-def]
    """How hard it pushes the body up, N; `other` is the travel of the axle's other wheel."""
    stops = max(travel - car.bump, 0.0) + min(travel + car.rebound, 0.0)
    return load + spring * travel + damper * rate + bar * (travel - other) + car.stop * stops


@inline
def _travel_rates(s, car):  # type: ignore[no-untyped-def]
    ahead, behind = s.w - s.q * car.front, s.w + s.q * car.rear
    return (
        s.rise_fl - ahead - s.p * car.half_front,
        s.rise_fr - ahead + s.p * car.half_front,
        s.rise_rl - behind - s.p * car.half_rear,
        s.rise_rr - behind + s.p * car.half_rear,
    )


@inline
def _suspensions(s, rates, car):  # type: ignore[no-untyped-def]
    front = (car.load_front, car.spring_front, car.damper_front, car.bar_front)
    rear = (car.load_rear, car.spring_rear, car.damper_rear, car.bar_rear)
    return (
        _suspension(s.travel_fl, s.travel_fr, rates[0], *front, car),
        _suspension(s.travel_fr, s.travel_fl, rates[1], *front, car),
        _suspension(s.travel_rl, s.travel_rr, rates[2], *rear, car),
        _suspension(s.travel_rr, s.travel_rl, rates[3], *rear, car),
    )


@inline
def _moment(touch):  # type: ignore[no-untyped-def]
    """Of the forces along and across that act on the body where a wheel touches the ground."""
    fx, fy, _fz, x, y, z = touch[:6]
    return -z * fy, z * fx, x * fy - y * fx


@inline
def _spun(torque, friction, spin, car):  # type: ignore[no-untyped-def]
    """Torque that is left on a wheel when friction has held against it as far as it can."""
    return torque - clip(torque + car.wheel_inertia * spin / STILL, -friction, friction)


@inline
def derivative(state, inputs, parameters):  # type: ignore[no-untyped-def]
    """The rates of STATE; inputs are what `car_driver.hold` gives."""
    s, car = as_state(state), as_car(parameters)
    steer_rate, sought_rate, trim_rate = inputs[:3]
    drive_front, drive_rear, friction_front, friction_rear = inputs[3:]
    turned = axes(s.qw, s.qx, s.qy, s.qz)
    xx, xy, xz, yx, yy, yz, zx, zy, zz = turned
    fl, fr, rl, rr = touches(s, car, turned)
    by_fl, by_fr, by_rl, by_rr = _moment(fl), _moment(fr), _moment(rl), _moment(rr)
    rates = _travel_rates(s, car)
    push_fl, push_fr, push_rl, push_rr = _suspensions(s, rates, car)
    left, right = push_fl * car.half_front, push_fr * car.half_front
    left, right = left + push_rl * car.half_rear, right + push_rr * car.half_rear
    before, behind = push_fl + push_fr, push_rl + push_rr
    # Torques turn the wheels, and what they are held against turns the body back.
    spun_fl = _spun(drive_front - car.radius * fl[6], friction_front, s.spin_fl, car)
    spun_fr = _spun(drive_front - car.radius * fr[6], friction_front, s.spin_fr, car)
    spun_rl = _spun(drive_rear - car.radius * rl[6], friction_rear, s.spin_rl, car)
    spun_rr = _spun(drive_rear - car.radius * rr[6], friction_rear, s.spin_rr, car)
    drag = 0.5 * DENSITY * car.drag_area * math.sqrt(s.u * s.u + s.v * s.v + s.w * s.w)
    fx = fl[0] + fr[0] + rl[0] + rr[0] - drag * s.u + car.blow_x
    fy = fl[1] + fr[1] + rl[1] + rr[1] - drag * s.v + car.blow_y
    roll = by_fl[0] + by_fr[0] + by_rl[0] + by_rr[0] + car.blow_roll + left - right
    pitch = by_fl[1] + by_fr[1] + by_rl[1] + by_rr[1] + car.blow_pitch
    # The wheels' weight acts where they are, also on a body that leans.
    ahead = 2.0 * (car.wheel_front * car.front - car.wheel_rear * car.rear)
    yaw = by_fl[2] + by_fr[2] + by_rl[2] + by_rr[2] + car.blow_yaw - G * yz * ahead
    pitch += car.rear * behind - car.front * before - (spun_fl + spun_fr + spun_rl + spun_rr)
    # So does what sets them in motion: the body does not carry that.
    low = 2.0 * (car.wheel_front + car.wheel_rear) * (car.radius - car.cg_height) / car.mass
    roll, pitch = roll + low * fy, pitch - low * fx
    p_rate = (roll - (car.inertia_z - car.inertia_y) * s.q * s.r) / car.inertia_x
    q_rate = (pitch - (car.inertia_x - car.inertia_z) * s.r * s.p) / car.inertia_y
    r_rate = (yaw - (car.inertia_y - car.inertia_x) * s.p * s.q) / car.inertia_z
    rising = car.wheel_front * (s.rise_fl + s.rise_fr) + car.wheel_rear * (s.rise_rl + s.rise_rr)
    w_all = (car.sprung * s.w + rising) / car.mass
    # What turning adds to the upward acceleration along the body's axes.
    upward = -G * zz - (s.p * s.v - s.q * s.u)
    return (
        s.u * xx + s.v * yx + s.w * zx,
        s.u * xy + s.v * yy + s.w * zy,
        s.u * xz + s.v * yz + s.w * zz,
        *_attitude_rate(s),
        fx / car.mass - G * xz - (s.q * w_all - s.r * s.v),
        fy / car.mass - G * yz - (s.r * s.u - s.p * w_all),
        (before + behind - drag * s.w + car.blow_z) / car.sprung + upward,
        *(p_rate, q_rate, r_rate),
        *rates,
        (fl[2] - push_fl) / car.wheel_front + upward,
        (fr[2] - push_fr) / car.wheel_front + upward,
        (rl[2] - push_rl) / car.wheel_rear + upward,
        (rr[2] - push_rr) / car.wheel_rear + upward,
        spun_fl / car.wheel_inertia - q_rate,
        spun_fr / car.wheel_inertia - q_rate,
        spun_rl / car.wheel_inertia - q_rate,
        spun_rr / car.wheel_inertia - q_rate,
        *(fl[7], fr[7], rl[7], rr[7]),
        *(fl[8], fr[8], rl[8], rr[8]),
        *(fl[9], fr[9], rl[9], rr[9]),
        *(steer_rate, sought_rate, trim_rate),
    )


@inline
def _attitude_rate(s):  # type: ignore[no-untyped-def]
    length = s.qw * s.qw + s.qx * s.qx + s.qy * s.qy + s.qz * s.qz
    back = UPRIGHTING * (1.0 - length)
    return (
        0.5 * (-s.qx * s.p - s.qy * s.q - s.qz * s.r) + back * s.qw,
        0.5 * (s.qw * s.p + s.qy * s.r - s.qz * s.q) + back * s.qx,
        0.5 * (s.qw * s.q + s.qz * s.p - s.qx * s.r) + back * s.qy,
        0.5 * (s.qw * s.r + s.qx * s.q - s.qy * s.p) + back * s.qz,
    )


@inline
def observe(state, parameters):  # type: ignore[no-untyped-def]
    """MOTION of the point on the ground below the middle of the wheelbase."""
    s, car = as_state(state), as_car(parameters)
    xx, xy, xz, yx, yy, yz, zx, zy, zz = axes(s.qw, s.qx, s.qy, s.qz)
    ahead, above = 0.5 * (car.front - car.rear), -car.cg_height
    u, v, w = s.u + s.q * above, s.v + s.r * ahead - s.p * above, s.w - s.q * ahead
    return (
        s.x + ahead * xx + above * zx,
        s.y + ahead * xy + above * zy,
        s.z + ahead * xz + above * zz,
        math.atan2(xy, xx),
        math.asin(clip(xz, -1.0, 1.0)),
        math.atan2(yz, zz),
        u,
        u * xx + v * yx + w * zx,
        u * xy + v * yy + w * zy,
        u * xz + v * yz + w * zz,
    )
