"""A ground vehicle that is as strong as its engine and holds as well as the ground lets it.

It steers as the kinematic vehicle does. Its acceleration lies between what brakes and engine can
do; with mobility mu_m and grip mu_g of the soil, slope theta along the way, rolling resistance
c_r, and power p for each kilogram:

    least    -(b mu_g + g c_r) cos(theta) - g sin(theta)
    greatest  min(a, p / v) mu_m - g c_r cos(theta) - g sin(theta)

Where even the greatest is below zero a climb ends at a standstill; brakes then hold it, or where
they cannot it slides. Soft soil also lowers the top speed, and grip limits how hard it turns.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from movenv.parts.config import ModelConfig
from movenv.terrain.features import NO_TERRAIN, Terrain
from movenv.terrain.heights import heights_of
from movenv.terrain.soil import SoilMap
from movenv.vehicles.builds import BUILDS
from movenv.vehicles.standing import Standing
from movenv.world.columns import F8
from movenv.world.kernel import inline, kernel
from movenv.world.kinds import Kind
from movenv.world.model import COMMAND, MOTION, Model, stride
from movenv.world.rk4 import clip, rk4
from movenv.world.stride import Stride
from movenv.world.trig import sincos, wrap

G = 9.80665
STATE = ("x", "y", "yaw", "steer", "speed")
BUILD = (
    "length",
    "max_speed",
    "max_acceleration",
    "max_braking",
    "power",
    "rolling",
    "max_lateral",
    "max_steer",
    "max_steer_rate",
)
UNDERFOOT = ("mobility", "grip", "sin_slope", "cos_slope")
"""What the ground beneath each is like, looked up once a tick; the slope is that ahead."""
SLOWEST = 1.0
"""Below this speed power no longer limits the pull, m/s."""


class GroundConfig(ModelConfig):
    """A ground vehicle with limits. What is left out is taken from its build."""

    build: Literal["tank", "carrier", "truck", "jeep", "car", "f110"] = Field(
        "car", description="a preset: a main battle tank, a tracked carrier, a loaded truck, ..."
    )
    length: float | None = Field(None, gt=0, le=100, description="wheelbase L, m")
    speed: float | None = Field(None, gt=0, le=200, description="cruising speed, m/s")
    max_speed: float | None = Field(None, gt=0, le=200, description="on hard ground, m/s")
    max_acceleration: float | None = Field(None, gt=0, le=50, description="a, m/s²")
    max_braking: float | None = Field(None, gt=0, le=50, description="b, m/s²")
    power: float | None = Field(None, gt=0, le=10_000, description="p at the wheels, W/kg")
    rolling: float | None = Field(None, ge=0, le=0.5, description="rolling resistance c_r")
    max_lateral: float | None = Field(None, gt=0, le=50, description="in a bend, m/s²")
    max_steer: float | None = Field(None, gt=0, le=math.pi / 2, description="steer angle, rad")
    max_steer_rate: float | None = Field(None, gt=0, le=100, description="of steer, rad/s")


@inline
def _hold(state, command, parameters, h):  # type: ignore[no-untyped-def]
    _x, _y, _yaw, steer, v = state
    steer_to, speed_to, _pitch_to = command
    length, fastest, pull, braking, power, rolling, lateral, max_steer, steer_rate = parameters[:9]
    mobility, grip, sin_slope, cos_slope = parameters[9:]
    resistance = G * rolling * cos_slope
    downhill = -G * sin_slope
    least = downhill - resistance - braking * grip * cos_slope
    greatest = min(pull, power / max(v, SLOWEST)) * mobility - resistance + downhill
    wanted = (clip(speed_to, 0.0, fastest * mobility) - v) / h
    acceleration = clip(wanted, least, max(greatest, least))
    # Nobody rolls backwards: at a standstill brakes hold.
    acceleration = max(acceleration, -v / h)
    tightest = min(max_steer, lateral * grip * length / max(v * v, 1e-6))
    turn = clip((clip(steer_to, -tightest, tightest) - steer) / h, -steer_rate, steer_rate)
    return turn, acceleration, cos_slope


@inline
def _derivative(state, inputs, parameters):  # type: ignore[no-untyped-def]
    _x, _y, yaw, steer, v = state
    steer_rate, acceleration, cos_slope = inputs
    length = parameters[0]
    yaw_rate = v / length * steer
    sideways = 0.5 * length * yaw_rate
    sin_yaw, cos_yaw = sincos(yaw)
    return (
        cos_slope * (v * cos_yaw - sideways * sin_yaw),
        cos_slope * (v * sin_yaw + sideways * cos_yaw),
        yaw_rate,
        steer_rate,
        acceleration,
    )


@inline
def _observe(state, parameters):  # type: ignore[no-untyped-def]
    x, y, yaw, _steer, v = state
    rates = _derivative(state, (0.0, 0.0, parameters[12]), parameters)
    return x, y, 0.0, wrap(yaw), 0.0, 0.0, v, rates[0], rates[1], 0.0


_integrate = rk4(
    _hold, _derivative, _observe, len(STATE), len(COMMAND), len(BUILD) + len(UNDERFOOT), len(MOTION)
)


@kernel
def _advance(state, command, parameters, motion, h, steps):  # type: ignore[no-untyped-def]
    _integrate(state, command, parameters, motion, h, steps)


class Ground(Model):
    """Vehicles on wheels or tracks, on the soil and the slopes of the terrain."""

    Config: ClassVar[type[GroundConfig]] = GroundConfig
    parameter_names: ClassVar[tuple[str, ...]] = BUILD
    state_names: ClassVar[tuple[str, ...]] = STATE
    integrate: ClassVar[Callable[..., None]] = staticmethod(_advance)

    @classmethod
    def complete(cls, config: Any, kind: Kind) -> dict[str, float]:
        if kind.name != "ground":
            raise ValueError(f"model ground is for kind ground, found {kind}")
        given = config.model_dump(exclude={"type", "build"}, exclude_none=True)
        unlimited = {"floor": -math.inf, "ceiling": math.inf, "min_speed": 0.0, "max_pitch": 0.0}
        whole: dict[str, float] = unlimited | dict(BUILDS[config.build])
        whole |= given
        if whole["speed"] > whole["max_speed"]:
            raise ValueError(f"speed {whole['speed']:g} is above max_speed {whole['max_speed']:g}")
        if whole["max_acceleration"] <= G * whole["rolling"]:
            raise ValueError(
                f"it cannot set off: rolling resistance takes {G * whole['rolling']:.3g} m/s² of "
                f"the {whole['max_acceleration']:g} that max_acceleration gives"
            )
        return whole

    def __init__(self, parameters: F8, start: F8) -> None:
        super().__init__(np.vstack([parameters, np.zeros((len(UNDERFOOT), start.shape[1]))]), start)
        placed = dict.fromkeys(self.state_names, np.zeros(start.shape[1]))
        placed |= zip(MOTION, start, strict=True)
        self.state: F8 = np.array([placed[name] for name in self.state_names])
        self._began_z = placed["z"].copy()
        self.stand_on(NO_TERRAIN)

    def stand_on(self, terrain: Terrain) -> None:
        self._soil = SoilMap(terrain)
        wheelbase = self.wheelbase(self.parameters)
        self._standing = Standing(heights_of(terrain), self.motion, self._began_z, wheelbase)

    def advance(self, command: F8, h: float, steps: int) -> None:
        self._feel_ground()
        self.integrate(self.state, command, self.parameters, self.motion, h, steps)
        self._standing.follow()

    def advance_by(self, command: F8, strides: Sequence[Stride]) -> None:
        self._feel_ground()
        stride(self.integrate, (self.state, command, self.parameters, self.motion), strides)
        self._standing.follow()

    def _feel_ground(self) -> None:
        """Look up what the ground is like, once a tick."""
        soil = self._soil.at(self.state[0], self.state[1])
        pitch = self.motion[MOTION.index("pitch")]
        self.parameters[len(self.parameter_names) :] = [*soil, np.sin(pitch), np.cos(pitch)]

    @staticmethod
    def wheelbase(parameters: F8) -> F8:
        """From the front wheels to the rear ones, m."""
        length: F8 = parameters[BUILD.index("length")]
        return length
