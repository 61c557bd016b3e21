"""An inertial measurement unit: specific force and angular rate, on the axes of its mount."""

import math
from typing import ClassVar

import numpy as np

from movenv.parts import (
    Field,
    Passage,
    Readings,
    Sensor,
    SensorConfig,
    SensorSetup,
    VehicleStates,
)
from movenv.sensors.draws import lost, normals, prepare
from movenv.sensors.drift import Drift
from movenv.world.behavior import wrapped
from movenv.world.columns import F8, Rows
from movenv.world.frames import rotation
from movenv.world.sensor import PITCH, ROLL, VX, VZ, YAW

GRAVITY = 9.80665
FIELDS = ("ax", "ay", "az", "wx", "wy", "wz")


class ImuConfig(SensorConfig):
    """How well it measures; the defaults are those of a good part of a few euros."""

    rate: float = Field(100.0, gt=0, le=10_000, description="measurements a second")
    acceleration_noise: float = Field(
        0.002, ge=0, le=100, description="noise density of accelerations, m/s²/√Hz"
    )
    rate_noise: float = Field(
        0.0002, ge=0, le=100, description="noise density of angular rates, rad/s/√Hz"
    )
    acceleration_bias: float = Field(
        0.05, ge=0, le=100, description="standard deviation of each axis' constant error, m/s²"
    )
    rate_bias: float = Field(
        0.002, ge=0, le=100, description="standard deviation of each axis' constant error, rad/s"
    )
    acceleration_walk: float = Field(
        0.0002, ge=0, le=100, description="by which that wanders within a second, m/s²"
    )
    rate_walk: float = Field(
        0.00001, ge=0, le=100, description="by which that wanders within a second, rad/s"
    )


class Imu(Sensor):
    """Fields ax, ay, az (m/s², gravity included: az is 9.81 at rest) and wx, wy, wz (rad/s).

    x is forward, y left, z up, as the unit is mounted. nan where a measurement is lost.
    """

    Config: ClassVar[type[ImuConfig]] = ImuConfig

    def __init__(self, setup: SensorSetup) -> None:
        config = setup.config
        assert isinstance(config, ImuConfig)
        self._config, self._name = config, setup.name
        mount = config.mount
        self._arm = np.array([mount.x, mount.y, mount.z])
        self._mount = rotation(*np.radians([mount.yaw_deg, mount.pitch_deg, mount.roll_deg]))
        prepare(setup)
        self._walk = Drift(setup.vids, f"{setup.name}.walk", len(FIELDS))

    def sense(self, passage: Passage, others: VehicleStates) -> Readings | None:
        numbers, stamps = passage.instants(self._config.rate)
        if not len(numbers):
            return None
        values = self._true(passage, stamps) + self._errors(passage, numbers, stamps)
        gone = lost(passage.seed, passage.vids, self._name, numbers.tolist(), self._config.dropout)
        values[gone] = np.nan
        return Readings(self._name, passage.vids, numbers, stamps, values, FIELDS)

    def _true(self, passage: Passage, stamps: F8) -> F8:
        """Without errors, (vehicles, samples, FIELDS).

        The velocity on the vehicle's axes goes straight from one end of the tick to the other and
        the vehicle turns evenly, so a steady turn and a steady start are exact.
        """
        span = passage.end - passage.start
        first, last = (rotation(m[YAW], m[PITCH], m[ROLL]) for m in (passage.before, passage.after))
        turns = turning(first, last) / span
        own = [
            np.einsum("nji,jn->ni", turn, m[VX : VZ + 1])
            for turn, m in ((first, passage.before), (last, passage.after))
        ]
        share = ((stamps - passage.start) / span)[:, None]
        velocity = own[0][:, None] + share * (own[1] - own[0])[:, None]
        force = np.cross(turns[:, None], velocity) + GRAVITY * _up(passage, share[:, 0])
        force += ((own[1] - own[0]) / span + _pull(turns, self._arm))[:, None]
        rates = np.broadcast_to(turns[:, None], force.shape)
        return np.concatenate([force @ self._mount, rates @ self._mount], axis=2)

    def _errors(self, passage: Passage, numbers: Rows, stamps: F8) -> F8:
        """(vehicles, samples, FIELDS)."""
        config, seed, vids = self._config, passage.seed, passage.vids
        root = math.sqrt(config.rate)
        noise, bias, walk = np.repeat(
            [[config.acceleration_noise * root, config.rate_noise * root],
             [config.acceleration_bias, config.rate_bias],
             [config.acceleration_walk, config.rate_walk]], 3, axis=1,
        )[:, :, None]  # fmt: skip
        errors: F8 = noise * normals(seed, vids, f"{self._name}.noise", numbers, len(FIELDS))
        errors += bias * normals(seed, vids, f"{self._name}.bias", 0, len(FIELDS))
        errors += walk * np.stack([self._walk.at(seed, t) for t in stamps.tolist()])
        return errors.transpose(2, 0, 1)


def _pull(turns: F8, arm: F8) -> F8:
    """What is felt of a turn off the middle, (vehicles, 3)."""
    return np.cross(turns, np.cross(turns, arm))


def _up(passage: Passage, share: F8) -> F8:
    """Which way is up on vehicles' axes at shares of the tick, (vehicles, samples, 3)."""
    pitch, roll = (
        passage.before[angle][:, None]
        + share * wrapped(passage.after[angle] - passage.before[angle])[:, None]
        for angle in (PITCH, ROLL)
    )
    flat = np.cos(pitch)
    return np.stack([np.sin(pitch), flat * np.sin(roll), flat * np.cos(roll)], axis=2)


def turning(first: F8, last: F8) -> F8:
    """The turn, rad around each of the vehicle's axes, that takes one attitude to another; (n, 3)
    for attitudes (n, 3, 3)."""
    between = np.swapaxes(first, -1, -2) @ last
    axis = 0.5 * np.stack([
        between[:, 2, 1] - between[:, 1, 2], between[:, 0, 2] - between[:, 2, 0],
        between[:, 1, 0] - between[:, 0, 1],
    ], axis=1)  # fmt: skip
    sine = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(sine, 0.5 * (np.trace(between, axis1=1, axis2=2) - 1.0))
    return axis * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 1.0)[:, None]
