"""A car as one front and one rear wheel that slip sideways: the car's relative for large numbers.

With forward speed u, sideways speed v and turn rate r at the centre of gravity, steer d and the
distances a and b of the axles from it:

    m (dv/dt + r u) = F_f cos(d) + F_r
    I dr/dt = a F_f cos(d) - b F_r
    slip of the front (v + a r) / |u| - d, of the rear (v - b r) / |u|

A side force follows slip s as the car's tyre does, F = load mu f(s / extremum slip) with
f(q) = 2 q - q² up to the extremum and 1 beyond, less by what pull or brakes take of the
friction. Below walking pace it turns as the geometry of its wheels says. Engine, brakes, soil and
slope are those of the ground vehicle.
"""

import math
from collections.abc import Callable
from typing import Any, ClassVar, Literal

from pydantic import Field

from movenv.parts.config import ModelConfig
from movenv.vehicles.car_complete import complete_car
from movenv.vehicles.car_config import CarConfig
from movenv.vehicles.ground import SLOWEST, UNDERFOOT, G, Ground
from movenv.world.columns import F8
from movenv.world.kernel import inline, kernel
from movenv.world.kinds import Kind
from movenv.world.lanes import named
from movenv.world.model import COMMAND, MOTION
from movenv.world.rk4 import clip, rk4
from movenv.world.trig import sincos, wrap

SLOW, BRISK = 1.0, 3.0
"""Up to the first speed it turns by geometry, from the second on by forces, m/s."""
FALLING_IN = 0.1
"""Time in which it comes to turn by geometry, s."""

STATE = ("x", "y", "yaw", "steer", "speed", "sideways", "turn")
BUILD = (
    *("front", "rear", "mass", "inertia_z", "friction_y", "stiff_y"),
    *("max_speed", "max_acceleration", "max_braking", "specific_power", "rolling"),
    *("max_steer", "max_steer_rate"),
)
as_state = named(STATE)
as_car = named((*BUILD, *UNDERFOOT))


class SingleTrackConfig(ModelConfig):
    """A car of one track. What is left out is taken from its build."""

    build: Literal["navigator", "compact", "truck", "f110"] = Field(
        "compact", description="a preset, the same as those of `car`"
    )
    length: float | None = Field(None, gt=0, le=20, description="wheelbase L, m")
    mass: float | None = Field(None, gt=0, le=1e5, description="kg")
    front_share: float | None = Field(None, gt=0, lt=1, description="of the mass, on the front")
    inertia_z: float | None = Field(None, gt=0, le=1e7, description="in yaw, kg m²")
    extremum_slip: float | None = Field(None, gt=0, lt=1, description="where a tyre pulls most")
    extremum_value: float | None = Field(None, gt=0, le=5, description="that over its load")
    rolling: float | None = Field(None, ge=0, le=0.5, description="rolling resistance c_r")
    power: float | None = Field(None, gt=0, le=1e7, description="at the wheels, W")
    drive_torque: float | None = Field(None, gt=0, le=1e6, description="at the wheels, N m")
    brake_torque: float | None = Field(None, gt=0, le=1e6, description="of all brakes, N m")
    max_steer: float | None = Field(None, gt=0, lt=math.pi / 2, description="steer angle, rad")
    max_steer_rate: float | None = Field(None, gt=0, le=100, description="of steer, rad/s")
    speed: float | None = Field(None, gt=0, le=200, description="cruising speed, m/s")
    max_speed: float | None = Field(None, gt=0, le=200, description="m/s")


@inline
def _hold(state, command, parameters, h):  # type: ignore[no-untyped-def]
    """Rate of steer, and acceleration by engine, brakes and slope."""
    s, car = as_state(state), as_car(parameters)
    steer_to, speed_to, _pitch_to = command
    fastest = car.max_speed * car.mobility
    wanted = (clip(speed_to, -fastest, fastest) - s.speed) / h
    onward = 1.0 if s.speed > 0.0 or (s.speed == 0.0 and wanted > 0.0) else -1.0
    resistance = G * car.rolling * car.cos_slope
    downhill = -G * car.sin_slope
    held = car.max_braking * car.grip * car.cos_slope + resistance
    power = car.specific_power / max(abs(s.speed), SLOWEST)
    pull = min(car.max_acceleration, power) * car.mobility - resistance
    ahead = pull if onward > 0.0 else held
    back = held if onward > 0.0 else pull
    acceleration = clip(wanted, downhill - back, max(downhill + ahead, downhill - back))
    # Brakes hold at a standstill: whoever slows down does not begin to roll the other way.
    still = -s.speed / h
    slowing = wanted * onward < 0.0 and speed_to * onward >= 0.0
    held_ahead, held_back = max(acceleration, still), min(acceleration, still)
    braked = held_ahead if onward > 0.0 else held_back
    acceleration = braked if slowing else acceleration
    steer_to = clip(steer_to, -car.max_steer, car.max_steer)
    turn = clip((steer_to - s.steer) / h, -car.max_steer_rate, car.max_steer_rate)
    return turn, acceleration


@inline
def _side_force(slip, load, hold, car):  # type: ignore[no-untyped-def]
    """Of an axle, N; `hold` is the share of friction that is left for it."""
    q = min(abs(slip) * car.stiff_y / hold, 1.0)
    size = load * car.friction_y * hold * q * (2.0 - q)
    return -size if slip > 0.0 else size


@inline
def _derivative(state, inputs, parameters):  # type: ignore[no-untyped-def]
    s, car = as_state(state), as_car(parameters)
    steer_rate, acceleration = inputs
    u, v, r = s.speed, s.sideways, s.turn
    sin_steer, cos_steer = sincos(s.steer)
    sin_yaw, cos_yaw = sincos(s.yaw)
    length = car.front + car.rear
    # Slope helps or takes by weight, engine and brakes by the friction of the tyres.
    taken = (acceleration + G * car.sin_slope) / (car.friction_y * car.grip * G)
    hold = car.grip * math.sqrt(max(1.0 - taken * taken, 0.01))
    pace = max(abs(u), SLOW)
    steered = s.steer if u >= 0.0 else -s.steer
    weight = car.mass * G * car.cos_slope / length
    front = _side_force((v + car.front * r) / pace - steered, weight * car.rear, hold, car)
    rear = _side_force((v - car.rear * r) / pace, weight * car.front, hold, car)
    turned = u * sin_steer / (cos_steer * length)
    forces = clip((abs(u) - SLOW) / (BRISK - SLOW), 0.0, 1.0)
    geometry = (1.0 - forces) / FALLING_IN
    side = (front * cos_steer + rear) / car.mass - r * u
    spin = (car.front * front * cos_steer - car.rear * rear) / car.inertia_z
    middle = v + 0.5 * (car.front - car.rear) * r
    return (
        car.cos_slope * (u * cos_yaw - middle * sin_yaw),
        car.cos_slope * (u * sin_yaw + middle * cos_yaw),
        r,
        steer_rate,
        acceleration + forces * (r * v - front * sin_steer / car.mass),
        forces * side + geometry * (car.rear * turned - v),
        forces * spin + geometry * (turned - r),
    )


@inline
def _observe(state, parameters):  # type: ignore[no-untyped-def]
    x, y, yaw, _steer, speed, _sideways, _turn = state
    rates = _derivative(state, (0.0, 0.0), parameters)
    return x, y, 0.0, wrap(yaw), 0.0, 0.0, speed, rates[0], rates[1], 0.0


_integrate = rk4(
    _hold, _derivative, _observe, len(STATE), len(COMMAND), len(BUILD) + len(UNDERFOOT), len(MOTION)
)


@kernel
def _advance(state, command, parameters, motion, h, steps):  # type: ignore[no-untyped-def]
    _integrate(state, command, parameters, motion, h, steps)


class SingleTrack(Ground):
    """Cars of one track, on the soil and the slopes of the terrain."""

    Config: ClassVar[type[Any]] = SingleTrackConfig
    parameter_names: ClassVar[tuple[str, ...]] = BUILD
    state_names: ClassVar[tuple[str, ...]] = STATE
    integrate: ClassVar[Callable[..., None]] = staticmethod(_advance)

    @classmethod
    def complete(cls, config: Any, kind: Kind) -> dict[str, float]:
        if kind.name != "ground":
            raise ValueError(f"model single_track is for kind ground, found {kind}")
        given = config.model_dump(exclude={"type"}, exclude_none=True)
        whole = complete_car(CarConfig(**given))
        whole["specific_power"] = whole["power"] / whole["mass"]
        return whole

    @staticmethod
    def wheelbase(parameters: F8) -> F8:
        length: F8 = parameters[BUILD.index("front")] + parameters[BUILD.index("rear")]
        return length
