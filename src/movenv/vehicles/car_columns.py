"""The columns of the car: its state, its build, and what it feels of the ground.

Wheels come in the order front left, front right, rear left, rear right. Body axes point forward,
left and up from the centre of gravity of the sprung mass.
"""

from movenv.world.lanes import named

LONGEST_STEP = 1e-3
"""Of a car, s."""
WHEELS = ("fl", "fr", "rl", "rr")


def _each(name: str) -> tuple[str, ...]:
    return tuple(f"{name}_{wheel}" for wheel in WHEELS)


STATE = (
    *("x", "y", "z"),  # of the centre of gravity
    *("qw", "qx", "qy", "qz"),  # attitude: turns body axes into those of the world
    *("u", "v", "w"),  # velocity along the body's axes
    *("p", "q", "r"),  # turn rates about them
    *_each("travel"),  # of a hub upward from where it is at rest, m
    *_each("rise"),  # speed of a hub along the body's upward axis, m/s
    *_each("spin"),  # of a wheel, rad/s
    *_each("stretch"),  # how far the tread lags behind along its way, m
    *_each("lean"),  # and to the left, m
    *_each("pressed"),  # how far a tyre was pressed in, m; negative while it is in the air
    "steer",  # mean angle of the front wheels, rad
    "sought",  # speed that the driver seeks by now, m/s
    "trim",  # force that the driver found to be missing, N
)

BODY = (
    *("mass", "sprung", "inertia_x", "inertia_y", "inertia_z"),
    *("front", "rear", "half_front", "half_rear", "cg_height", "radius"),
    "drag_area",
)
SUSPENSION = (
    *("spring_front", "spring_rear", "damper_front", "damper_rear"),
    *("bar_front", "bar_rear", "load_front", "load_rear"),
    *("bump", "rebound", "stop"),
    *("wheel_front", "wheel_rear", "free_front", "free_rear", "tyre_spring", "tyre_damper"),
    "wheel_inertia",
)
TYRE = (
    *("relaxation", "magic", "usual_load", "load_sensitivity"),
    *("camber_stiffness", "camber_front", "camber_rear", "sway"),
    *("friction_x", "friction_y", "stiff_x", "stiff_y"),
    *("shape_x", "shape_y", "tail_x", "tail_y"),
)
DRIVE = (
    *("drive_torque", "power", "drive_front", "brake_torque", "brake_front", "rolling"),
    *("max_steer", "max_steer_rate", "ackermann", "max_speed"),
)
HULL = ("body_length", "body_width", "body_height", "clearance")
BUILD = (*BODY, *SUSPENSION, *TYRE, *DRIVE, *HULL)
"""What a car is made of."""

GRIP = _each("grip")
"""The ground's grip under each wheel, looked up every few steps."""

PLANES = tuple(f"{part}_{wheel}" for wheel in WHEELS for part in ("nx", "ny", "nz", "offset"))
"""The tangent plane of the ground under each wheel: its upward normal n, and n · place on it."""
BLOW = ("blow_x", "blow_y", "blow_z", "blow_roll", "blow_pitch", "blow_yaw")
"""Force and moment on the body where it touches the ground, along its own axes."""
FELT = (*PLANES, *BLOW)

as_state = named(STATE)
as_build = named((*BUILD, *GRIP))
as_car = named((*BUILD, *GRIP, *FELT))
"""Names for the columns in kernels: `as_build` where nothing is felt yet, `as_car` elsewhere."""
