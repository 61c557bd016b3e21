"""A satellite receiver: place and velocity, with coverage gaps and echoes from buildings."""

import math
from typing import ClassVar

import numpy as np

from movenv.parts import (
    AreaName,
    Field,
    Passage,
    Readings,
    Sensor,
    SensorConfig,
    SensorSetup,
    VehicleStates,
)
from movenv.sensors.buildings import Buildings
from movenv.sensors.draws import lost, normals, prepare
from movenv.sensors.drift import Drift
from movenv.world.accuracy import SIGMAS_IN_ACCURACY
from movenv.world.columns import F8, Mask
from movenv.world.frames import rotation
from movenv.world.sensor import PITCH, ROLL, VX, VZ, YAW, Z

FIELDS = (
    "east", "north", "up", "velocity_east", "velocity_north", "velocity_up",
    "accuracy", "satellites", "valid", "lat", "lon", "alt",
)  # fmt: skip
UPWARD = 1.7
"""Heights are so much worse than places: no satellite is below."""
HIDDEN = 0.5
"""The share of the satellites that a wall hides right beside it."""
TOWARD, SWAY, ASIDE = 0.6, 0.8, 0.4
"""How echoes shift a place, in shares of `multipath`: toward the wall, changing by so much, and
along it."""
ECHO_TIME = 8.0
"""How long echoes stay alike, s."""


class GnssConfig(SensorConfig):
    """How well it measures; the defaults are those of a good single-frequency receiver."""

    rate: float = Field(5.0, gt=0, le=10_000, description="measurements a second")
    noise: float = Field(0.5, ge=0, le=1000, description="white, standard deviation, m")
    drift: float = Field(1.5, ge=0, le=1000, description="slow error, standard deviation, m")
    drift_time: float = Field(60.0, gt=0, le=1e6, description="its time constant, s")
    velocity_noise: float = Field(0.05, ge=0, le=100, description="standard deviation, m/s")
    no_coverage: list[AreaName] = Field([], description="areas in which there is no fix")
    multipath: float = Field(
        6.0, ge=0, le=1000, description="error right beside a building, toward it, m"
    )
    multipath_range: float = Field(
        15.0, ge=0, le=10_000, description="from a building where that begins, m"
    )
    satellites: int = Field(12, ge=4, le=60, description="that are seen in the open")


class Gnss(Sensor):
    """Fields east, north, up (local m), velocity_east, _north, _up (m/s), accuracy (horizontal, m,
    as the receiver guesses it), satellites, valid (1 or 0), and lat, lon (degrees), alt (m).

    Without a fix, valid is 0 and all but satellites is nan; where a measurement is lost, all is.
    """

    Config: ClassVar[type[GnssConfig]] = GnssConfig

    def __init__(self, setup: SensorSetup) -> None:
        config = setup.config
        assert isinstance(config, GnssConfig)
        self._config, self._name, self._frame = config, setup.name, setup.frame
        mount = config.mount
        self._arm = np.array([mount.x, mount.y, mount.z])
        self._shut = [setup.areas[name] for name in config.no_coverage]
        self._buildings = Buildings(setup.terrain, config.multipath_range)
        prepare(setup)
        self._slow = Drift(setup.vids, f"{setup.name}.slow", 3, config.drift_time)
        self._echoes = Drift(setup.vids, f"{setup.name}.echo", 2, ECHO_TIME)
        self._hidden(np.empty((3, 0)))  # compiled, too

    def sense(self, passage: Passage, others: VehicleStates) -> Readings | None:
        numbers, stamps = passage.instants(self._config.rate)
        if not len(numbers):
            return None
        values = np.empty((len(passage.vids), len(numbers), len(FIELDS)))
        for k, (number, t) in enumerate(zip(numbers.tolist(), stamps.tolist(), strict=True)):
            values[:, k] = self._fix(passage, number, t).T
        gone = lost(passage.seed, passage.vids, self._name, numbers.tolist(), self._config.dropout)
        values[gone] = np.nan
        return Readings(self._name, passage.vids, numbers, stamps, values, FIELDS)

    def _fix(self, passage: Passage, number: int, t: float) -> F8:
        """(FIELDS, vehicles) of a sample."""
        config, seed, vids = self._config, passage.seed, passage.vids
        pose = passage.poses(t)
        place = pose[: Z + 1] + self._offset(pose)
        seconds = passage.end - passage.start
        share = (t - passage.start) / seconds
        ends = passage.before[VX : VZ + 1], passage.after[VX : VZ + 1]
        swing = (self._offset(passage.after) - self._offset(passage.before)) / seconds
        velocity = (1.0 - share) * ends[0] + share * ends[1] + swing
        near, toward, indoors = self._buildings.around(place)
        chance = normals(seed, vids, f"{self._name}.noise", number, 7)[0]
        error = config.noise * chance[:3] + config.drift * self._slow.at(seed, t)
        error[2] *= UPWARD
        error[:2] += config.multipath * near * _echo(toward, self._echoes.at(seed, t))
        found = np.empty((len(FIELDS), len(vids)))
        found[:3] = place + error
        found[3:6] = velocity + config.velocity_noise * chance[3:6]
        spread = np.sqrt(config.noise**2 + config.drift**2 + (config.multipath * near) ** 2)
        found[6] = SIGMAS_IN_ACCURACY * spread
        seen = config.satellites * (1.0 - HIDDEN * near) - np.minimum(np.abs(chance[6]), 2.0)
        found[7] = np.maximum(np.round(seen), 4.0)
        found[8] = 1.0
        found[9:] = self._geodetic(found[:3])
        nothing = indoors | self._hidden(place)
        found[:, nothing] = np.nan
        found[7:9, nothing] = 0.0
        return found

    def _offset(self, pose: F8) -> F8:
        """From the middle of each vehicle to its antenna, (3, vehicles)."""
        offset: F8 = (rotation(pose[YAW], pose[PITCH], pose[ROLL]) @ self._arm).T
        return offset

    def _geodetic(self, place: F8) -> F8:
        if self._frame is None:
            return np.full(place.shape, np.nan)
        east, north, up = np.ascontiguousarray(place)
        lat, lon, _ = self._frame.columns_to_geodetic(east, north)
        return np.array([lat, lon, up + self._frame.alt])

    def _hidden(self, place: F8) -> Mask:
        """Who is where there is no coverage."""
        x, y, z = np.ascontiguousarray(place)
        found = np.zeros(len(x), np.bool_)
        for area in self._shut:
            found |= (z >= area.floor) & (z <= area.ceiling) & area.contains(x, y)
        return found


def _echo(toward: F8, sway: F8) -> F8:
    """Shifts (2, vehicles) beside walls that lie in such directions."""
    ahead = TOWARD + SWAY * math.sqrt(0.5) * sway[0]
    aside = ASIDE * sway[1]
    shift: F8 = np.array([
        ahead * toward[0] - aside * toward[1], ahead * toward[1] + aside * toward[0]
    ])  # fmt: skip
    return shift
