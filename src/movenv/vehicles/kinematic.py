"""The kinematic vehicle of the first MoVE paper, in three dimensions.

With speed v_x, steer angle delta, pitch theta, yaw psi and length L:

    yaw rate  r = (v_x / L) * delta
    body velocity (v_x, b * r) with b = L / 2, turned into the inertial frame by psi
    v_z = v_x * sin(theta)

Speed, steer and pitch follow their commands at limited rates; within a step the rates are
constant, so the followers are integrated exactly.

Who walks or drives stands on the height map where the terrain has one: its height and attitude
are those of the slope, and its speed is that over the map. Where the map goes on below water, it
stops hulls.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from movenv.parts.config import ModelConfig
from movenv.terrain.features import Terrain
from movenv.terrain.heights import heights_of
from movenv.vehicles.hulls import AFLOAT, Hulls
from movenv.vehicles.standing import STANDING, Standing
from movenv.world.columns import F8, Rows
from movenv.world.kernel import inline, kernel
from movenv.world.kinds import Kind
from movenv.world.model import COMMAND, MOTION, Model, stride
from movenv.world.rk4 import clip, rk4
from movenv.world.stride import Stride
from movenv.world.trig import sincos, wrap

STATE = ("x", "y", "z", "yaw", "steer", "speed", "pitch")
PARAMETERS = (
    "length",
    "min_speed",
    "max_speed",
    "max_acceleration",
    "max_steer",
    "max_steer_rate",
    "max_pitch",
    "max_pitch_rate",
    "floor",
    "ceiling",
)
GROUND = ("draught", "stands", "floats", "dives")
"""Who touches the ground, and how; not for the kernels."""
FLOOR, CEILING, FASTEST = (PARAMETERS.index(name) for name in ("floor", "ceiling", "max_speed"))
SPEED = STATE.index("speed")
LEVEL_OFF_TIME = 1.0
"""Near its floor or ceiling a vehicle flattens its path so as to need this long to reach it, s."""
STEERAGE = 0.5
"""Who is stopped by the shore keeps this way on, m/s, by which it turns."""


class KinematicConfig(ModelConfig):
    """The kinematic model. What is left out is taken from the vehicle's kind."""

    length: float | None = Field(None, gt=0, le=1000, description="wheelbase L, m")
    speed: float | None = Field(None, ge=0, le=1000, description="cruising speed, m/s")
    min_speed: float | None = Field(None, ge=0, le=1000, description="slowest speed, m/s")
    max_speed: float | None = Field(None, gt=0, le=1000, description="fastest speed, m/s")
    max_acceleration: float | None = Field(None, gt=0, le=1000, description="of speed, m/s²")
    max_steer: float | None = Field(None, gt=0, le=math.pi / 2, description="steer angle, rad")
    max_steer_rate: float | None = Field(None, gt=0, le=100, description="of steer, rad/s")
    max_pitch: float | None = Field(None, ge=0, le=math.pi / 2, description="pitch angle, rad")
    max_pitch_rate: float | None = Field(None, gt=0, le=100, description="of pitch, rad/s")
    floor: float | None = Field(None, description="lowest z, m")
    ceiling: float | None = Field(None, description="highest z, m")
    draught: float | None = Field(
        None, ge=0, le=100, description="how far the keel is below z, m; boats: a tenth of length"
    )


_LEVEL = {"max_pitch": 0.0, "max_pitch_rate": 1.0, "floor": -math.inf, "ceiling": math.inf}
_AIR = {"max_pitch": 0.35, "max_pitch_rate": 0.7, "floor": 0.0, "ceiling": math.inf}

# Speeds here; min_speed and max_speed are multiples of the cruising speed.
DEFAULTS: dict[str, dict[str, float]] = {
    "pedestrian": _LEVEL
    | {"length": 0.5, "speed": 1.4, "min_speed": 0.0, "max_speed": 2.0}
    | {"max_acceleration": 1.5, "max_steer": 1.0, "max_steer_rate": 4.0},
    "ground": _LEVEL
    | {"length": 2.7, "speed": 10.0, "min_speed": 0.0, "max_speed": 2.0}
    | {"max_acceleration": 3.0, "max_steer": 0.6, "max_steer_rate": 1.0},
    "surface": _LEVEL
    | {"length": 6.0, "speed": 6.0, "min_speed": 0.0, "max_speed": 2.0}
    | {"max_acceleration": 1.0, "max_steer": 0.6, "max_steer_rate": 0.5},
    "underwater": _LEVEL
    | {"length": 3.0, "speed": 2.0, "min_speed": 0.0, "max_speed": 2.0}
    | {"max_acceleration": 0.5, "max_steer": 0.6, "max_steer_rate": 0.5}
    | {"max_pitch": 0.5, "max_pitch_rate": 0.3, "ceiling": 0.0},
    "aerial/fixedwing": _AIR
    | {"length": 2.0, "speed": 15.0, "min_speed": 0.6, "max_speed": 1.5}
    | {"max_acceleration": 3.0, "max_steer": 1.0, "max_steer_rate": 3.0},
    "aerial/rotorcraft": _AIR
    | {"length": 1.0, "speed": 5.0, "min_speed": 0.0, "max_speed": 2.0}
    | {"max_acceleration": 4.0, "max_steer": 1.0, "max_steer_rate": 4.0},
}


@inline
def _rate(command, value, low, high, max_rate, h):  # type: ignore[no-untyped-def]
    return clip((clip(command, low, high) - value) * (1.0 / h), -max_rate, max_rate)


@inline
def _steepest(room, per_speed, per_fastest, max_pitch, pitch_rate):  # type: ignore[no-untyped-def]
    """The pitch toward a limit `room` metres away from which one can still level off.

    Turning level takes pitch² · speed / (2 · rate) metres; half of the room is kept in hand, and
    the speed may rise to the fastest on the way. Beyond the limit the result is negative: back.
    """
    gentle = room * per_speed / LEVEL_OFF_TIME
    in_time = math.sqrt(max(room, 0.0) * per_fastest * pitch_rate)
    return max(min(gentle, in_time if room > 0.0 else gentle, max_pitch), -max_pitch)


@inline
def _hold(state, command, parameters, h):  # type: ignore[no-untyped-def]
    _x, _y, z, _yaw, steer, speed, pitch = state
    steer_to, speed_to, pitch_to = command
    length, slowest, fastest, acceleration = parameters[:4]
    max_steer, steer_rate, max_pitch, pitch_rate, low, high = parameters[4:]
    per_speed = 1.0 / max(speed, 1e-3)
    per_fastest = 1.0 / fastest
    steepest_down = -_steepest(z - low, per_speed, per_fastest, max_pitch, pitch_rate)
    steepest_up = _steepest(high - z, per_speed, per_fastest, max_pitch, pitch_rate)
    return (
        _rate(steer_to, steer, -max_steer, max_steer, steer_rate, h),
        _rate(speed_to, speed, slowest, fastest, acceleration, h),
        _rate(pitch_to, pitch, steepest_down, steepest_up, pitch_rate, h),
        1.0 / length,
    )


@inline
def _derivative(state, inputs, parameters):  # type: ignore[no-untyped-def]
    _x, _y, _z, yaw, steer, speed, pitch = state
    steer_rate, acceleration, pitch_rate, per_length = inputs
    yaw_rate = speed * per_length * steer
    sideways = 0.5 * parameters[0] * yaw_rate
    sin_yaw, cos_yaw = sincos(yaw)
    sin_pitch, _ = sincos(pitch)
    return (
        speed * cos_yaw - sideways * sin_yaw,
        speed * sin_yaw + sideways * cos_yaw,
        speed * sin_pitch,
        yaw_rate,
        steer_rate,
        acceleration,
        pitch_rate,
    )


@inline
def _observe(state, parameters):  # type: ignore[no-untyped-def]
    x, y, z, yaw, _steer, speed, pitch = state
    rates = _derivative(state, (0.0, 0.0, 0.0, 1.0 / parameters[0]), parameters)
    return x, y, z, wrap(yaw), pitch, 0.0, speed, rates[0], rates[1], rates[2]


_integrate = rk4(
    _hold, _derivative, _observe, len(STATE), len(COMMAND), len(PARAMETERS), len(MOTION)
)


@kernel
def _advance(state, command, parameters, motion, h, steps):  # type: ignore[no-untyped-def]
    _integrate(state, command, parameters, motion, h, steps)


class Kinematic(Model):
    """Vehicles that obey steer, speed and pitch within limits."""

    Config: ClassVar[type[KinematicConfig]] = KinematicConfig
    parameter_names: ClassVar[tuple[str, ...]] = (*PARAMETERS, *GROUND)

    @classmethod
    def complete(cls, config: Any, kind: Kind) -> dict[str, float]:
        """Every parameter and the cruising speed, with the kind's defaults filled in."""
        defaults = DEFAULTS[str(kind)] if str(kind) in DEFAULTS else DEFAULTS[kind.name]
        given = {k: v for k, v in config.model_dump(exclude={"type"}).items() if v is not None}
        speed = given.get("speed", defaults["speed"])
        limits = {name: defaults[name] * speed for name in ("min_speed", "max_speed")}
        limits["max_speed"] = max(limits["max_speed"], given.get("min_speed", 0.0), 1e-3)
        complete = defaults | limits | given
        complete.setdefault("draught", 0.1 * complete["length"] * (kind.name == "surface"))
        if not complete["min_speed"] <= complete["speed"] <= complete["max_speed"]:
            raise ValueError(
                f"speed {complete['speed']:g} is outside min_speed {complete['min_speed']:g} "
                f"to max_speed {complete['max_speed']:g}"
            )
        if complete["floor"] >= complete["ceiling"]:
            raise ValueError(
                f"floor {complete['floor']:g} is not below ceiling {complete['ceiling']:g}"
            )
        return complete | {
            "stands": float(kind.name in STANDING),
            "floats": float(kind.name in AFLOAT),
            "dives": float(kind.name == "underwater"),
        }

    def __init__(self, parameters: F8, start: F8) -> None:
        super().__init__(parameters[: len(PARAMETERS)], start)
        nobody = np.zeros(start.shape[1])
        self._touching = dict.fromkeys(GROUND, nobody)
        self._touching |= zip(GROUND, parameters[len(PARAMETERS) :], strict=False)
        self._standing: Standing | None = None
        self._hulls: _Afloat | None = None
        placed = dict(zip(MOTION, start, strict=True))
        at_rest = np.zeros(start.shape[1])
        self.state: F8 = np.array([placed.get(name, at_rest) for name in STATE])

    def stand_on(self, terrain: Terrain) -> None:
        if terrain.relief is None:
            return
        stands, floats = (np.flatnonzero(self._touching[name]) for name in ("stands", "floats"))
        heights, length = heights_of(terrain), self.parameters[PARAMETERS.index("length")]
        if len(stands):
            began_z = self.state[STATE.index("z"), stands]
            self._standing = Standing(heights, self.motion, began_z, length[stands], stands)
        if len(floats) and terrain.relief.has_bed:
            draught, dives = (self._touching[name][floats] for name in ("draught", "dives"))
            hulls = Hulls(heights, length[floats], draught, dives > 0)
            self._hulls = _Afloat(hulls, floats, self.state, self.motion, self.parameters)

    def advance(self, command: F8, h: float, steps: int) -> None:
        with self._on_ground(h * steps):
            _advance(self.state, command, self.parameters, self.motion, h, steps)

    def advance_by(self, command: F8, strides: Sequence[Stride]) -> None:
        with self._on_ground(max(h * steps for _, h, steps in strides)):
            stride(_advance, (self.state, command, self.parameters, self.motion), strides)

    @contextmanager
    def _on_ground(self, span: float) -> Iterator[None]:
        """Whoever moves in here for that long comes to terms with the ground."""
        if self._hulls is not None:
            self._hulls.set_out()
        yield
        if self._standing is not None:
            self._standing.follow()
        if self._hulls is not None:
            self._hulls.arrive(span)

    def befallen(self) -> list[tuple[int, str]]:
        return [] if self._hulls is None else self._hulls.befallen()


class _Afloat:
    """The hulls among the vehicles of the model, in the tables of all."""

    def __init__(self, hulls: Hulls, rows: Rows, state: F8, motion: F8, parameters: F8) -> None:
        self._hulls, self._rows = hulls, rows
        self._state, self._motion, self._parameters = state, motion, parameters
        self._floor: F8 = parameters[FLOOR, rows].copy()
        self._start: F8 = state[:3, rows].copy()
        self._aground: Rows = rows[:0]

    def set_out(self) -> None:
        x, y, _z, yaw, _steer, speed, _pitch = self._state[:, self._rows]
        self._start = self._state[:3, self._rows].copy()
        bed = self._hulls.bed_ahead(x, y, yaw, speed)
        self._parameters[FLOOR, self._rows] = np.maximum(self._floor, bed)

    def arrive(self, span: float) -> None:
        """Take everyone back who has gone into the bed, and tell how it really went."""
        end, yaw = self._state[:3, self._rows], self._state[STATE.index("yaw"), self._rows]
        way = self._hulls.go(self._start, end, yaw, self._parameters[CEILING, self._rows])
        off = way.stopped | (way.z != end[2])
        self._aground = self._rows[self._hulls.newly_stopped(way.stopped, span)]
        if not off.any():
            return
        rows, came = self._rows[off], np.array(way[:3])[:, off]
        vx, vy, vz = (came - self._start[:, off]) / span
        along = vx * np.cos(yaw[off]) + vy * np.sin(yaw[off])
        seen = dict(zip(MOTION, self._motion[:, rows], strict=True))
        seen |= {"x": came[0], "y": came[1], "z": came[2], "vx": vx, "vy": vy, "vz": vz}
        self._motion[:, rows] = [*(seen | {"speed": np.maximum(along, 0.0)}).values()]
        self._state[:3, rows] = came
        held = np.maximum(along, np.minimum(STEERAGE, self._parameters[FASTEST, rows]))
        speed = self._state[SPEED, rows]
        self._state[SPEED, rows] = np.where(way.stopped[off], np.minimum(speed, held), speed)

    def befallen(self) -> list[tuple[int, str]]:
        return [(row, "has run aground") for row in self._aground.tolist()]
