"""A fixed-wing aircraft: lift, drag, thrust, weight, and the bank without which it cannot turn.

With airspeed v, flight path angle gamma, yaw psi, bank phi (left positive), load factor n (lift
over weight), thrust T and drag D:

    m dv/dt = T - D - m g sin(gamma)
    v dgamma/dt = g (n cos(phi) - cos(gamma))
    v cos(gamma) dpsi/dt = g n sin(phi)
    D = q S (C_D0 + C_L² / (pi e A)),  C_L = n m g / (q S),  q = rho v² / 2,  A = span² / S

Bank follows what is wanted as a mass with inertia does, load factor and thrust after a delay. The
air is still, and as dense as at sea level. Commands are those of every vehicle: a steer angle asks
for the turn rate that the kinematic vehicle would have, as far as bank, lift and strength allow.
"""

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from movenv.parts.config import ModelConfig
from movenv.vehicles.airframes import AIRFRAMES
from movenv.world.columns import F8
from movenv.world.kernel import inline, kernel
from movenv.world.kinds import Kind
from movenv.world.model import COMMAND, MOTION, Model, stride
from movenv.world.rk4 import clip, rk4
from movenv.world.stride import Stride
from movenv.world.trig import sincos, wrap

G = 9.80665
DENSITY = 1.225
"""Of air at sea level, kg/m³."""
OSWALD = 0.85
"""Oswald's span efficiency e."""
STALL_MARGIN = 1.15
"""The slowest speed is so many times that at which level flight ends."""
LIFT_TIME, THRUST_TIME, SPEED_TIME, PATH_TIME = 0.3, 0.5, 2.0, 1.0
"""Time constants, s: of lift and thrust, and with which speed and path angle are sought."""
FLOOR_TIME = 4.0
"""Near its floor or ceiling it flattens its path so as to need this long to reach it, s."""
LOWEST_LOAD = 0.0
MOST_CLIMB = 0.5
"""No path is steeper than this, rad."""

STATE = ("x", "y", "z", "yaw", "speed", "climb", "bank", "roll_rate", "load", "thrust")
PARAMETERS = (
    "length",
    "min_speed",
    "max_speed",
    "max_pitch",
    "floor",
    "ceiling",
    "mass",
    "wing_area",
    "cd0",
    "induced",
    "cl_max",
    "max_thrust",
    "power",
    "max_bank",
    "max_load",
    "roll_time",
)


class FixedWingConfig(ModelConfig):
    """A fixed-wing aircraft. What is left out is taken from its airframe."""

    airframe: Literal["small", "hand", "trainer", "attack"] = Field(
        "small", description="a preset: an unmanned one of 13.5 kg or 2 kg, a trainer, a twin-jet"
    )
    length: float | None = Field(None, gt=0, le=200, description="m")
    mass: float | None = Field(None, gt=0, le=1e6, description="m, kg")
    wing_area: float | None = Field(None, gt=0, le=2_000, description="S, m²")
    span: float | None = Field(None, gt=0, le=200, description="of the wing, m")
    cd0: float | None = Field(None, gt=0, le=1, description="C_D0, drag without lift")
    cl_max: float | None = Field(None, gt=0, le=5, description="greatest C_L, where it stalls")
    max_thrust: float | None = Field(None, gt=0, le=1e7, description="when slow, N")
    power: float | None = Field(None, gt=0, le=1e9, description="at the propeller, W")
    speed: float | None = Field(None, gt=0, le=1000, description="cruising speed, m/s")
    max_speed: float | None = Field(None, gt=0, le=1000, description="fastest, m/s")
    max_bank_deg: float | None = Field(None, gt=0, le=80, description="steepest bank, degrees")
    max_load: float | None = Field(None, gt=1, le=15, description="greatest lift over weight, n")
    roll_time: float | None = Field(None, gt=0, le=10, description="how slowly it rolls, s")
    floor: float | None = Field(None, description="lowest z, m; default 0")
    ceiling: float | None = Field(None, description="highest z, m")


@inline
def _drag(speed, lift, parameters):  # type: ignore[no-untyped-def]
    """D for a lift, N."""
    wing_area, cd0, induced = parameters[7], parameters[8], parameters[9]
    pressure = 0.5 * DENSITY * speed * speed * wing_area
    return pressure * cd0 + induced * lift * lift / pressure


@inline
def _most_load(speed, parameters):  # type: ignore[no-untyped-def]
    """What the wing can lift before it stalls, and what it can bear."""
    mass, wing_area, cl_max, strength = (
        parameters[6],
        parameters[7],
        parameters[10],
        parameters[14],
    )
    return min(0.5 * DENSITY * speed * speed * wing_area * cl_max / (mass * G), strength)


@inline
def _hold(state, command, parameters, h):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """What bank, load and thrust the pilot wants during a step."""
    _x, _y, z, _yaw, v, climb, bank, _roll_rate, lifted, _thrust = state
    steer_to, speed_to, pitch_to = command
    length, slowest, fastest, max_pitch, low, high, mass = parameters[:7]
    max_thrust, power, max_bank = parameters[11], parameters[12], parameters[13]
    most = _most_load(v, parameters)
    # A level turn of load n needs cos(bank) = 1/n: no steeper than the wing can hold.
    level = math.acos(1.0 / max(most, 1.0 + 1e-9))
    steepest = min(max_bank, level)
    bank_to = clip(math.atan(v * v * steer_to / (length * G)), -steepest, steepest)
    down = -clip((z - low) / (v * FLOOR_TIME), -max_pitch, max_pitch)
    up = clip((high - z) / (v * FLOOR_TIME), -max_pitch, max_pitch)
    climb_to = clip(clip(pitch_to, -max_pitch, max_pitch), down, up)
    # Too slow to climb: height is given away before the wing stalls.
    climb_to = min(climb_to, max_pitch * (v - slowest) / (0.05 * slowest) + max_pitch)
    rate_to = (climb_to - climb) / PATH_TIME
    sin_climb, cos_climb = sincos(climb)
    _, cos_bank = sincos(bank)
    load_to = (cos_climb + v * rate_to / G) / max(cos_bank, 0.1)
    load_to = clip(load_to, LOWEST_LOAD, most)
    gain = (clip(speed_to, slowest, fastest) - v) / SPEED_TIME
    thrust_to = _drag(v, lifted * mass * G, parameters) + mass * (G * sin_climb + gain)
    thrust_to = clip(thrust_to, 0.0, min(max_thrust, power / v))
    return bank_to, load_to, thrust_to


@inline
def _derivative(state, inputs, parameters):  # type: ignore[no-untyped-def]
    _x, _y, _z, yaw, v, climb, bank, roll_rate, lifted, thrust = state
    bank_to, load_to, thrust_to = inputs
    mass, roll_time = parameters[6], parameters[15]
    v = max(v, 1.0)  # the equations end where flying does
    sin_yaw, cos_yaw = sincos(yaw)
    sin_climb, cos_climb = sincos(climb)
    sin_bank, cos_bank = sincos(bank)
    drag = _drag(v, lifted * mass * G, parameters)
    # Critically damped: the aircraft's inertia in roll and the pilot's hand on it.
    roll_acceleration = ((bank_to - bank) / roll_time - 2.0 * roll_rate) / roll_time
    return (
        v * cos_climb * cos_yaw,
        v * cos_climb * sin_yaw,
        v * sin_climb,
        G * lifted * sin_bank / (v * cos_climb),
        (thrust - drag) / mass - G * sin_climb,
        G * (lifted * cos_bank - cos_climb) / v,
        roll_rate,
        roll_acceleration,
        (load_to - lifted) / LIFT_TIME,
        (thrust_to - thrust) / THRUST_TIME,
    )


@inline
def _observe(state, parameters):  # type: ignore[no-untyped-def]  # noqa: ARG001
    x, y, z, yaw, speed, climb, bank = state[:7]
    sin_yaw, cos_yaw = sincos(yaw)
    sin_climb, cos_climb = sincos(climb)
    level = speed * cos_climb
    # Roll is about the forward axis: positive lifts the left wing, which is a bank to the right.
    return (
        *(x, y, z, wrap(yaw), climb, -bank, speed),
        *(level * cos_yaw, level * sin_yaw, speed * sin_climb),
    )


_integrate = rk4(
    _hold, _derivative, _observe, len(STATE), len(COMMAND), len(PARAMETERS), len(MOTION)
)


@kernel
def _advance(state, command, parameters, motion, h, steps):  # type: ignore[no-untyped-def]
    _integrate(state, command, parameters, motion, h, steps)


class FixedWing(Model):
    """Aircraft that must bank to turn and keep their speed to fly."""

    Config: ClassVar[type[FixedWingConfig]] = FixedWingConfig
    parameter_names: ClassVar[tuple[str, ...]] = PARAMETERS

    @classmethod
    def complete(cls, config: Any, kind: Kind) -> dict[str, float]:
        """Every parameter, and from them what behaviors may know: how steep, how tight."""
        if str(kind) != "aerial/fixedwing":
            raise ValueError(f"model fixedwing is for kind aerial/fixedwing, found {kind}")
        given = config.model_dump(exclude={"type", "airframe"}, exclude_none=True)
        whole: dict[str, float] = {"floor": 0.0, "ceiling": math.inf}
        whole |= dict(AIRFRAMES[config.airframe]) | given
        whole["max_bank"] = math.radians(whole.pop("max_bank_deg"))
        whole["induced"] = whole["wing_area"] / (math.pi * OSWALD * whole["span"] ** 2)
        weight = whole["mass"] * G
        whole["min_speed"] = STALL_MARGIN * stall_speed(whole)
        if not whole["min_speed"] <= whole["speed"] <= whole["max_speed"]:
            raise ValueError(
                f"speed {whole['speed']:g} is outside {whole['min_speed']:.3g} (just above the "
                f"stall) to max_speed {whole['max_speed']:g}"
            )
        if whole["floor"] >= whole["ceiling"]:
            raise ValueError(f"floor {whole['floor']:g} is not below ceiling {whole['ceiling']:g}")
        spare = thrust_at(whole, whole["speed"]) - drag_at(whole, whole["speed"], 1.0)
        if spare <= 0:
            raise ValueError(
                f"it cannot fly level at {whole['speed']:g} m/s: its engine gives "
                f"{thrust_at(whole, whole['speed']):.4g} N there, and drag is {-spare:.4g} N more"
            )
        whole["max_pitch"] = min(math.asin(min(spare / weight, 1.0)), MOST_CLIMB)
        whole["max_acceleration"] = spare / whole["mass"]
        most = min(float(_most_load_of(whole)), whole["max_load"])
        bank = min(whole["max_bank"], math.acos(1.0 / most))
        # So that behaviors' turning radius, length over steer, is that of the steepest turn.
        whole["max_steer"] = whole["length"] * G * math.tan(bank) / whole["speed"] ** 2
        return whole

    def __init__(self, parameters: F8, start: F8) -> None:
        super().__init__(parameters, start)
        placed = dict(zip(MOTION, start, strict=True))
        named = dict(zip(PARAMETERS, self.parameters, strict=True))
        speed, bank = placed["speed"], -placed["roll"]
        lifted = np.cos(placed["pitch"]) / np.cos(bank)
        held = {
            "climb": placed["pitch"],
            "bank": bank,
            "roll_rate": np.zeros(len(speed)),
            "load": lifted,
            "thrust": drag_at(named, np.maximum(speed, 1.0), lifted),
        }
        self.state: F8 = np.array([(placed | held)[name] for name in STATE])

    def advance(self, command: F8, h: float, steps: int) -> None:
        _advance(self.state, command, self.parameters, self.motion, h, steps)

    def advance_by(self, command: F8, strides: Sequence[Stride]) -> None:
        stride(_advance, (self.state, command, self.parameters, self.motion), strides)


def stall_speed(whole: dict[str, Any]) -> float:
    """Below it the wing cannot carry the weight, m/s."""
    lift = 0.5 * DENSITY * whole["wing_area"] * whole["cl_max"]
    return math.sqrt(whole["mass"] * G / lift)


def drag_at(whole: dict[str, Any], speed: Any, lifted: Any) -> Any:
    """D at a speed and load factor, N."""
    pressure = 0.5 * DENSITY * speed**2 * whole["wing_area"]
    lift = lifted * whole["mass"] * G
    return pressure * whole["cd0"] + whole["induced"] * lift**2 / pressure


def thrust_at(whole: dict[str, float], speed: float) -> float:
    """The most the engine gives, N."""
    return min(whole["max_thrust"], whole["power"] / speed)


def _most_load_of(whole: dict[str, Any]) -> float:
    """What the wing can lift at cruising speed."""
    return float((whole["speed"] / stall_speed(whole)) ** 2)
