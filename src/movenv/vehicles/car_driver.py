"""What a car is told: by pedals, or by a small driver who seeks a speed.

The driver lets the speed sought grow evenly to what is asked for the end of the tick, and asks for
the force that this acceleration needs, with what rolling, air and slope take and what was found to
be missing so far. It goes to engine or brakes, no harder than the ground is likely to hold. At rest
with nowhere to go the brakes hold.
"""

from movenv.vehicles.car_body import DENSITY, G
from movenv.vehicles.car_columns import as_car, as_state
from movenv.world.kernel import inline
from movenv.world.rk4 import clip

EAGERNESS = 20.0
"""Acceleration for each m/s that the car is slower than sought, 1/s."""
MOST_LEAD = 0.5
"""The speed sought is never further from the car's, m/s: more than any ground holds."""
PATIENCE = 1.0
"""How fast the acceleration that is missing is learned, 1/s."""
MOST_TRIM = 1.0
"""The most that is learned, m/s²."""
CARE = 0.9
"""Share of the ground's grip that the driver dares to use."""
RACING = 1.2
"""Above so many times the top speed the engine gives nothing."""
AT_REST = 0.3
"""Slower than this a car may change between forward and reverse, m/s."""


@inline
def hold(state, command, parameters, h):  # type: ignore[no-untyped-def]
    """Rates of steer, speed sought and trim; the engine's torque on a front and a rear wheel, and
    friction there.
    """
    s, car = as_state(state), as_car(parameters)
    steer_to, speed_to, _pitch_to, throttle, brake, gear, urge = command
    steer_to = clip(steer_to, -car.max_steer, car.max_steer)
    steer_rate = clip((steer_to - s.steer) / h, -car.max_steer_rate, car.max_steer_rate)
    rising = 2.0 * (s.qx * s.qz - s.qw * s.qy)
    speed_to = clip(speed_to, -car.max_speed, car.max_speed)
    speed = s.u - s.q * car.cg_height  # over the ground, as others see it
    missing = EAGERNESS * (s.sought - speed)
    driven = throttle + brake + gear
    by_pedals = driven == driven
    sought_rate = (speed - s.sought) / h if by_pedals else urge
    trim_rate = car.mass * PATIENCE * clip(missing, -MOST_TRIM, MOST_TRIM)
    most = MOST_TRIM * car.mass
    trim_rate = clip(trim_rate, (-most - s.trim) / h, (most - s.trim) / h)
    parked = speed_to == 0.0 and abs(s.u) < AT_REST
    trim_rate = -s.trim / h if by_pedals or parked else trim_rate
    engine, braking = _seek(s, car, urge + missing, speed_to, rising)
    available = _available(s, car)
    braking = car.brake_torque if parked else min(braking, car.brake_torque)
    engine = 0.0 if parked else clip(engine, -available, available)
    engine = clip(throttle, 0.0, 1.0) * clip(gear, -1.0, 1.0) * available if by_pedals else engine
    braking = clip(brake, 0.0, 1.0) * car.brake_torque if by_pedals else braking
    front, rear = 0.5 * engine * car.drive_front, 0.5 * engine * (1.0 - car.drive_front)
    friction_front = 0.5 * braking * car.brake_front
    friction_rear = 0.5 * braking * (1.0 - car.brake_front)
    rolling = car.rolling * car.radius
    friction_front += rolling * (car.load_front + car.wheel_front * G)
    friction_rear += rolling * (car.load_rear + car.wheel_rear * G)
    return steer_rate, sought_rate, trim_rate, front, rear, friction_front, friction_rear


@inline
def _available(s, car):  # type: ignore[no-untyped-def]
    """The most torque the engine gives, N m: less by power, none where its wheels race."""
    front, rear = 0.5 * (s.spin_fl + s.spin_fr), 0.5 * (s.spin_rl + s.spin_rr)
    tread = car.radius * abs(rear + car.drive_front * (front - rear))
    torque = min(car.drive_torque, car.power * car.radius / max(tread, 0.1))
    return torque if tread < RACING * car.max_speed else 0.0


@inline
def _seek(s, car, wanted, speed_to, rising):  # type: ignore[no-untyped-def]
    """Torques of engine and brakes (N m, all wheels together) for an acceleration."""
    grip = 0.25 * (car.grip_fl + car.grip_fr + car.grip_rl + car.grip_rr)
    hardest = CARE * grip * car.friction_x * G
    wanted = clip(wanted, -hardest, hardest)
    inertia = car.mass + 4.0 * car.wheel_inertia / (car.radius * car.radius)
    air = 0.5 * DENSITY * car.drag_area * s.u * abs(s.u)
    rolls = clip(s.u / AT_REST, -1.0, 1.0)
    force = inertia * wanted + car.mass * G * (rising + car.rolling * rolls) + air + s.trim
    slow = abs(s.u) < AT_REST
    ahead = speed_to >= 0.0 if slow else s.u > 0.0
    onward = force if ahead else -force
    pull = max(onward, 0.0) * car.radius
    return (pull if ahead else -pull), max(-onward, 0.0) * car.radius
