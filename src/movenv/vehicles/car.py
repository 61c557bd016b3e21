"""A car: six degrees of freedom on four suspensions, with wheels that spin, grip and slide.

Its equations are in `car_body` and `tyre`, how it meets the ground in `car_ground`, what drives it
in `car_driver`. It takes steps of its own of at most 1 ms within those of the scenario, because
wheels between springs and tyres move that fast.
"""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from movenv.terrain.features import NO_TERRAIN, Terrain
from movenv.terrain.heights import heights_of
from movenv.terrain.soil import soil_of
from movenv.vehicles.car_body import derivative, observe
from movenv.vehicles.car_columns import BUILD, FELT, GRIP, LONGEST_STEP, STATE, WHEELS
from movenv.vehicles.car_complete import complete_car
from movenv.vehicles.car_config import CarConfig
from movenv.vehicles.car_driver import MOST_LEAD, hold
from movenv.vehicles.car_ground import feel
from movenv.world.columns import F8, Mask
from movenv.world.kernel import kernel
from movenv.world.kinds import Kind
from movenv.world.model import COMMAND, MOTION, PEDALS, Model, stride
from movenv.world.rk4_staged import Widths, rk4_staged
from movenv.world.stride import Stride

STEPS_A_LOOK = 10
"""Grip under the wheels is looked up once in so many steps."""
LEAST_GRIP = 0.01
OVER = math.cos(math.radians(70))
"""Whose upward axis leans further than that from the ground's normal has rolled over."""
U, Q, SOUGHT = (STATE.index(name) for name in ("u", "q", "sought"))
SPEED_TO = COMMAND.index("speed")
WIDTHS = Widths(
    state=len(STATE),
    command=len(COMMAND) + len(PEDALS) + 1,  # how fast the speed sought grows
    parameters=len(BUILD) + len(GRIP),
    felt=len(FELT),
    inputs=7,
    seen=len(MOTION),
)

_integrate_all = rk4_staged(feel, hold, derivative, observe, WIDTHS)


@kernel
def _advance(state, command, parameters, motion, h, steps, relief):  # type: ignore[no-untyped-def]
    _integrate_all(state, command, parameters, motion, h, steps, relief)


class Car(Model):
    """Cars on the relief and the soil of the terrain."""

    Config: ClassVar[type[CarConfig]] = CarConfig
    parameter_names: ClassVar[tuple[str, ...]] = BUILD
    takes_pedals: ClassVar[bool] = True

    @classmethod
    def complete(cls, config: Any, kind: Kind) -> dict[str, float]:
        if kind.name != "ground":
            raise ValueError(f"model car is for kind ground, found {kind}")
        return complete_car(config)

    def __init__(self, parameters: F8, start: F8) -> None:
        vehicles = start.shape[1]
        super().__init__(np.vstack([parameters, np.ones((len(GRIP), vehicles))]), start)
        self.pedals: F8 = np.full((len(PEDALS), vehicles), np.nan)
        self._start: F8 = self.motion.copy()
        self._over: Mask = np.zeros(vehicles, np.bool_)
        self.stand_on(NO_TERRAIN)

    def stand_on(self, terrain: Terrain) -> None:
        self._soil = soil_of(terrain)
        self._heights = heights_of(terrain)
        self.state: F8 = self._placed()
        self._feel_grip(self.state, self.parameters)
        still = np.zeros((WIDTHS.command, self.motion.shape[1]))
        tables = (self.state, still, self.parameters, self.motion)
        _advance(*tables, LONGEST_STEP, 0, self._heights.relief)

    def advance(self, command: F8, h: float, steps: int) -> None:
        told = np.vstack([command, self.pedals])
        self._integrate(self.state, told, self.parameters, self.motion, h, steps)

    def advance_by(self, command: F8, strides: Sequence[Stride]) -> None:
        told = np.vstack([command, self.pedals])
        stride(self._integrate, (self.state, told, self.parameters, self.motion), strides)

    def befallen(self) -> list[tuple[int, str]]:
        upright = np.zeros((3, self.motion.shape[1]))
        upright[2] = 1.0
        leaning = _turned(self.state[3:7], upright) * self._heights.normals(*self.state[:2])
        over: Mask = leaning.sum(axis=0) < OVER
        fallen, risen = np.flatnonzero(over & ~self._over), np.flatnonzero(self._over & ~over)
        self._over = over
        return [
            *((row, "has rolled over") for row in fallen.tolist()),
            *((row, "is back on its wheels") for row in risen.tolist()),
        ]

    def _integrate(
        self, state: F8, told: F8, parameters: F8, motion: F8, h: float, steps: int
    ) -> None:
        """Take steps short enough, and look at the soil every few of them where it differs."""
        each = max(1, math.ceil(h / LONGEST_STEP - 1e-9))
        left = steps * each
        told = np.vstack([told, self._urge(state, told, parameters, h * steps)])
        while left:
            some = left
            if not self._soil.uniform:
                self._feel_grip(state, parameters)
                some = min(left, STEPS_A_LOOK)
            _advance(state, told, parameters, motion, h / each, some, self._heights.relief)
            left -= some

    @staticmethod
    def _urge(state: F8, told: F8, parameters: F8, span: float) -> F8:
        """How fast the speed sought has to grow, to be what is asked for when the span is over."""
        top = parameters[BUILD.index("max_speed")]
        speed = state[U] - state[Q] * parameters[BUILD.index("cg_height")]
        sought = state[SOUGHT] = np.clip(state[SOUGHT], speed - MOST_LEAD, speed + MOST_LEAD)
        urge: F8 = (np.clip(told[SPEED_TO], -top, top) - sought) / span
        return urge

    def _feel_grip(self, state: F8, parameters: F8) -> None:
        """Look up how well each wheel holds."""
        x, y = _wheel_places(parameters, state[0], state[1], _heading(state))
        _, grip = self._soil.at(x.ravel(), y.ravel())
        parameters[len(BUILD) :] = np.maximum(grip, LEAST_GRIP).reshape(len(GRIP), -1)

    def _placed(self) -> F8:
        """State of cars that roll freely as they start, level with the ground under their wheels.

        Whoever was placed without thought of hills stands on them, not in them.
        """
        car = dict(zip(BUILD, self.parameters, strict=False))
        start = dict(zip(MOTION, self._start, strict=True))
        yaw, ahead = start["yaw"], 0.5 * (car["front"] - car["rear"])
        x, y = start["x"] - ahead * np.cos(yaw), start["y"] - ahead * np.sin(yaw)
        wheel_x, wheel_y = _wheel_places(self.parameters, x, y, yaw)
        fl, fr, rl, rr = self._heights.at(wheel_x.ravel(), wheel_y.ravel()).reshape(4, -1)
        pitch = np.arctan2(fl + fr - rl - rr, 2.0 * (car["front"] + car["rear"]))
        roll = np.arctan2(fl + rl - fr - rr, 2.0 * (car["half_front"] + car["half_rear"]))
        turn = _quaternion(yaw, pitch, roll)
        # From the middle of the wheelbase on the ground to the centre of gravity.
        offset = _turned(turn, np.array([-ahead, 0.0 * ahead, car["cg_height"]]))
        ground = np.maximum(0.25 * (fl + fr + rl + rr), start["z"])
        state = dict.fromkeys(STATE, np.zeros(len(yaw)))
        state |= zip(STATE[:3], np.array([start["x"], start["y"], ground]) + offset, strict=True)
        state |= zip(STATE[3:7], turn, strict=True)
        state["u"] = state["sought"] = start["speed"]
        state |= {name: start["speed"] / car["radius"] for name in STATE if name.startswith("spin")}
        for wheel in WHEELS:
            axle = "front" if wheel.startswith("f") else "rear"
            state[f"pressed_{wheel}"] = car[f"free_{axle}"] - car["radius"]
        return np.array([state[name] for name in STATE])


def _heading(state: F8) -> F8:
    qw, qx, qy, qz = state[3:7]
    heading: F8 = np.arctan2(2 * (qx * qy + qw * qz), 1 - 2 * (qy * qy + qz * qz))
    return heading


def _wheel_places(parameters: F8, x: F8, y: F8, yaw: F8) -> tuple[F8, F8]:
    """(wheels, vehicles) around a centre of gravity on level ground."""
    car = dict(zip(BUILD, parameters, strict=False))
    front, rear = car["half_front"], car["half_rear"]
    ahead = np.array([car["front"], car["front"], -car["rear"], -car["rear"]])
    left = np.array([front, -front, rear, -rear])
    cosine, sine = np.cos(yaw), np.sin(yaw)
    return x + ahead * cosine - left * sine, y + ahead * sine + left * cosine


def _quaternion(yaw: F8, pitch: F8, roll: F8) -> F8:
    """First yaw, then the nose up, then the left side up."""
    cy, sy = np.cos(yaw / 2), np.sin(yaw / 2)
    cp, sp = np.cos(pitch / 2), -np.sin(pitch / 2)
    cr, sr = np.cos(roll / 2), np.sin(roll / 2)
    return np.array(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ]
    )


def _turned(turn: F8, place: F8) -> F8:
    """Places (3, vehicles) along the body's axes, along those of the world."""
    scalar, vector = turn[0], turn[1:]
    across = 2.0 * np.cross(vector, place, axis=0)
    turned: F8 = place + scalar * across + np.cross(vector, across, axis=0)
    return turned
