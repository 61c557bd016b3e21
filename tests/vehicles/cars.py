"""Cars for tests: made, placed, driven, and looked at by the names of their columns."""

from typing import Any

import numpy as np

from movenv.terrain.features import Terrain
from movenv.vehicles.car import Car
from movenv.vehicles.car_columns import BUILD, STATE, WHEELS
from movenv.vehicles.car_config import CarConfig
from movenv.world.kinds import Kind
from movenv.world.model import MOTION

G = 9.80665
NO_PEDALS = (0.0, 0.0, 0.0)
FREE = {"rolling": 0.0, "drag_area": 0.0}
"""A car that nothing holds back."""


def whole_of(**settings: Any) -> dict[str, float]:
    return Car.complete(CarConfig(**settings), Kind("ground"))


def car(
    terrain: Terrain | None = None, start: dict[str, Any] | None = None, **settings: Any
) -> Car:
    return cars([settings], terrain, start)


def cars(
    each: list[dict[str, Any]], terrain: Terrain | None = None, start: dict[str, Any] | None = None
) -> Car:
    motion = np.zeros((len(MOTION), len(each)))
    for name, value in (start or {}).items():
        motion[MOTION.index(name)] = value
    wholes = [whole_of(**settings) for settings in each]
    model = Car(np.array([[whole[name] for whole in wholes] for name in BUILD]), motion)
    if terrain is not None:
        model.stand_on(terrain)
    return model


def drive(
    model: Car, time: float, speed: float = 0.0, steer: float = 0.0, every: float = 0.01
) -> np.ndarray:
    """What the first is seen to do, (ticks, MOTION)."""
    vehicles = model.motion.shape[1]
    command = np.repeat([[steer], [speed], [0.0]], vehicles, axis=1)
    seen = []
    for _ in range(round(time / every)):
        model.advance(command, 1e-3, round(every / 1e-3))
        seen.append(model.motion[:, 0].copy())
    return np.array(seen)


def column(seen: np.ndarray, name: str) -> np.ndarray:
    return seen[..., MOTION.index(name)]


def state(model: Car, name: str) -> np.ndarray:
    return model.state[STATE.index(name)]


def part(model: Car, name: str) -> np.ndarray:
    return model.parameters[BUILD.index(name)]


def sprung_loads(model: Car) -> np.ndarray:
    """What each suspension bears while nothing moves up or down, (wheels, cars)."""
    pressed = []
    for k, wheel in enumerate(WHEELS):
        axle = ("front", "rear")[k // 2]
        other = WHEELS[k ^ 1]
        travel, across = state(model, f"travel_{wheel}"), state(model, f"travel_{other}")
        force = part(model, f"load_{axle}") + part(model, f"spring_{axle}") * travel
        force = force + part(model, f"bar_{axle}") * (travel - across)
        pressed.append(force)
    return np.array(pressed)


def loads(model: Car) -> np.ndarray:
    """What each wheel presses on level ground."""
    front, rear = part(model, "wheel_front") * G, part(model, "wheel_rear") * G
    return sprung_loads(model) + np.array([front, front, rear, rear])
