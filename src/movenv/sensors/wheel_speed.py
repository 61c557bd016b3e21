"""Wheel speed and steering, as a vehicle's own encoders count them."""

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
from movenv.world.behavior import wrapped
from movenv.world.columns import F8, VidIndex
from movenv.world.sensor import SPEED, YAW

FIELDS = ("speed", "steer", "yaw_rate", "distance")
SLOW = 0.05
"""Below this, m/s, a turn tells nothing of the steering, which is given as straight ahead."""


class WheelSpeedConfig(SensorConfig):
    """How well wheels tell what their vehicle does."""

    rate: float = Field(50.0, gt=0, le=10_000, description="measurements a second")
    scale_error: float = Field(
        0.01, ge=0, le=0.3, description="standard deviation of a vehicle's constant error, a share"
    )
    ticks_per_metre: float | None = Field(
        1000.0, gt=0, le=1e6, description="of the encoder; null for one that is infinitely fine"
    )
    noise: float = Field(0.0, ge=0, le=100, description="standard deviation of a speed, m/s")
    steer_error: float = Field(
        0.005, ge=0, le=1, description="standard deviation of a vehicle's constant error, rad"
    )
    steer_noise: float = Field(
        0.002, ge=0, le=1, description="standard deviation of a steer angle, rad"
    )


class WheelSpeed(Sensor):
    """Fields speed (m/s, forward), steer (rad, left), yaw_rate (rad/s), distance (m).

    Speed is what the encoder counted since the sample before; distance is all that it counted;
    yaw_rate is speed · steer / length of what was measured. nan where a measurement is lost.
    """

    Config: ClassVar[type[WheelSpeedConfig]] = WheelSpeedConfig

    def __init__(self, setup: SensorSetup) -> None:
        config = setup.config
        assert isinstance(config, WheelSpeedConfig)
        self._config, self._name = config, setup.name
        rows = VidIndex(setup.roster.vids).rows(setup.vids)
        given = setup.roster.build.get("length", setup.roster.length)[rows]
        self._length = np.where(given > 0.0, given, setup.roster.length[rows])
        if not (self._length > 0.0).all():
            raise ValueError("needs a vehicle whose length is known")
        prepare(setup)
        self._gone = np.zeros(len(setup.vids))
        self._counted = np.zeros(len(setup.vids))

    def sense(self, passage: Passage, others: VehicleStates) -> Readings | None:
        numbers, stamps = passage.instants(self._config.rate)
        span = passage.end - passage.start
        scale = 1.0 + self._config.scale_error * self._own(passage, "scale")
        steer = self._steer(passage) + self._config.steer_error * self._own(passage, "steer")
        chance = normals(passage.seed, passage.vids, f"{self._name}.noise", numbers, 2)
        values = np.empty((len(passage.vids), len(numbers), len(FIELDS)))
        for k, t in enumerate(stamps.tolist()):
            way = scale * (self._gone + _way(passage, t - passage.start))
            values[:, k] = self._measured(way, steer, chance[k]).T
        self._gone += _way(passage, span)
        if not len(numbers):
            return None
        gone = lost(passage.seed, passage.vids, self._name, numbers.tolist(), self._config.dropout)
        values[gone] = np.nan
        return Readings(self._name, passage.vids, numbers, stamps, values, FIELDS)

    def _measured(self, way: F8, steer: F8, chance: F8) -> F8:
        """(FIELDS, vehicles) of a sample at which wheels have rolled so far."""
        config = self._config
        ticks = config.ticks_per_metre
        counted = way if ticks is None else np.floor(way * ticks) / ticks
        speed = (counted - self._counted) * config.rate + config.noise * chance[0]
        self._counted = counted
        steer = steer + config.steer_noise * chance[1]
        return np.array([speed, steer, speed * steer / self._length, counted])

    def _steer(self, passage: Passage) -> F8:
        """The steer angle with which a vehicle turns as these did."""
        rate = wrapped(passage.after[YAW] - passage.before[YAW]) / (passage.end - passage.start)
        speed = 0.5 * (passage.before[SPEED] + passage.after[SPEED])
        rolls = np.abs(speed) >= SLOW
        return np.where(rolls, rate * self._length / np.where(rolls, speed, 1.0), 0.0)

    def _own(self, passage: Passage, what: str) -> F8:
        """A number that each vehicle keeps for good."""
        kept: F8 = normals(passage.seed, passage.vids, f"{self._name}.{what}", 0, 1)[0, 0]
        return kept


def _way(passage: Passage, after: float) -> F8:
    """How far they have gone so long after the start of the tick, m."""
    gain = (passage.after[SPEED] - passage.before[SPEED]) / (passage.end - passage.start)
    way: F8 = after * (passage.before[SPEED] + 0.5 * after * gain)
    return way
