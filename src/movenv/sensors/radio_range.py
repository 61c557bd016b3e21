"""Ranging by radio: how far it is to the nearest beacons, and how strong they are."""

from typing import ClassVar

import numpy as np
import scipy
from pydantic import model_validator

from movenv.parts import (
    Field,
    Name,
    Passage,
    Readings,
    Sensor,
    SensorConfig,
    SensorSetup,
    VehicleStates,
)
from movenv.sensors.draws import lost
from movenv.sensors.heights import Levels
from movenv.terrain.rays import cast
from movenv.world.columns import F8, U4, Mask, Rows
from movenv.world.frames import rotation
from movenv.world.kernel import kernel
from movenv.world.messages import Health
from movenv.world.random_streams import uniform_pairs
from movenv.world.sensor import PITCH, ROLL, YAW, Z


class RadioRangeConfig(SensorConfig):
    """Whom it ranges, and how well."""

    rate: float = Field(10.0, gt=0, le=10_000, description="measurements a second")
    range_min: float = Field(0.0, ge=0, le=1e6, description="who is nearer is not ranged, m")
    range_max: float = Field(100.0, gt=0, le=1e6, description="who is farther is not ranged, m")
    nearest: int = Field(4, ge=1, le=64, description="how many are told, the nearest first")
    unit: Name | None = Field(None, description="only who is of this unit has a beacon")
    noise: float = Field(0.1, ge=0, le=1000, description="standard deviation of a distance, m")
    line_of_sight: bool = Field(False, description="whether buildings and the map hide beacons")
    power: float = Field(-40.0, ge=-200, le=100, description="strength at a distance of 1 m, dBm")
    fading: float = Field(
        2.0, ge=0.5, le=8, description="exponent by which it fades; 2 in the open"
    )
    strength_noise: float = Field(2.0, ge=0, le=50, description="standard deviation, dB")

    @model_validator(mode="after")
    def _possible(self) -> "RadioRangeConfig":
        if self.range_min >= self.range_max:
            raise ValueError(
                f"range_min, {self.range_min:g} m, is not below range_max, {self.range_max:g} m"
            )
        return self


class RadioRange(Sensor):
    """Fields vid_1, range_1 (m), strength_1 (dBm), vid_2, ... of the nearest beacons in range.

    nan where there are fewer, and all over where a measurement is lost.
    """

    Config: ClassVar[type[RadioRangeConfig]] = RadioRangeConfig

    def __init__(self, setup: SensorSetup) -> None:
        config = setup.config
        assert isinstance(config, RadioRangeConfig)
        self._config, self._name = config, setup.name
        roster = setup.roster
        if config.unit is not None and config.unit not in roster.units:
            raise ValueError(
                f"there is no unit '{config.unit}'; units are {', '.join(roster.units) or 'none'}"
            )
        rows = slice(None) if config.unit is None else roster.members(config.unit)
        self._beacons = np.sort(roster.vids[rows])
        self._arm = np.array([config.mount.x, config.mount.y, config.mount.z])
        self._levels = Levels(setup.terrain, config.mount.z) if config.line_of_sight else None
        self._fields = tuple(
            f"{what}_{k + 1}"
            for k in range(config.nearest)
            for what in ("vid", "range", "strength")
        )
        # Compiled before anything moves: that takes time, which no tick has.
        none = setup.vids[:0]
        uniform_pairs(0, none, none, setup.name, 0, none)
        lost(0, none, setup.name, [0], config.dropout)
        if self._levels is not None:
            self._open(np.empty((0, 3)), np.empty((0, 3)))

    def sense(self, passage: Passage, others: VehicleStates) -> Readings | None:
        numbers, stamps = passage.instants(self._config.rate)
        if not len(numbers):
            return None
        values = np.empty((len(passage.vids), len(numbers), len(self._fields)))
        heard = others.take(np.isin(others.vid, self._beacons) & _placed(others))
        for k, (number, t) in enumerate(zip(numbers.tolist(), stamps.tolist(), strict=True)):
            values[:, k] = self._ranged(passage, heard, number, t)
        gone = lost(passage.seed, passage.vids, self._name, numbers.tolist(), self._config.dropout)
        values[gone] = np.nan
        return Readings(self._name, passage.vids, numbers, stamps, values, self._fields)

    def _ranged(self, passage: Passage, heard: VehicleStates, number: int, t: float) -> F8:
        """(vehicles, fields) of a sample."""
        config = self._config
        pose = passage.poses(t)
        own = (pose[: Z + 1] + (rotation(pose[YAW], pose[PITCH], pose[ROLL]) @ self._arm).T).T
        there = _carried(heard, t - passage.start)
        me, other, far = self._near(own, passage.vids, there, heard.vid)
        order = np.lexsort((heard.vid[other], far, me))
        me, other, far = me[order], other[order], far[order]
        place = np.arange(len(me)) - np.searchsorted(me, me)
        first = place < config.nearest
        found = np.full((len(passage.vids), config.nearest, 3), np.nan)
        told = self._told(passage, number, me[first], heard.vid[other[first]], far[first])
        found[me[first], place[first]] = told
        return found.reshape(len(passage.vids), -1)

    def _near(self, own: F8, vids: U4, there: F8, beacons: U4) -> tuple[Rows, Rows, F8]:
        """Who receives whom and how far away: of each at least the nearest, if there are any."""
        known = np.flatnonzero(np.isfinite(own).all(axis=1))
        if not len(known) or not len(there):
            return known[:0], known[:0], np.empty(0)
        tree = scipy.spatial.cKDTree(there)
        most = np.nextafter(self._config.range_max, np.inf)
        asked = self._config.nearest + 1  # oneself is among them
        while True:
            far, other = tree.query(own[known], np.arange(1, asked + 1), distance_upper_bound=most)
            there_is = np.isfinite(far)
            me, other, far = np.repeat(known, there_is.sum(axis=1)), other[there_is], far[there_is]
            kept = (vids[me] != beacons[other]) & (far >= self._config.range_min)
            if self._levels is not None:
                kept[kept] = self._open(own[me[kept]], there[other[kept]])
            got = np.bincount(me[kept], minlength=len(own))[known]
            # Who was given all that were asked for, and can use too few of them, asks for more.
            wanting = there_is.all(axis=1) & (got < self._config.nearest)
            if asked >= len(there) or not wanting.any():
                return me[kept], other[kept], far[kept]
            asked = min(2 * asked, len(there))

    def _told(self, passage: Passage, number: int, me: Rows, vids: U4, far: F8) -> F8:
        """Vid, distance and strength of each pair, with noise."""
        config = self._config
        first = passage.vids[me]
        one, two = uniform_pairs(
            passage.seed, first, vids, f"{self._name}.noise", number, np.zeros_like(first)
        )
        length, turn = np.sqrt(-2.0 * np.log(1.0 - one)), 2.0 * np.pi * two
        measured = np.maximum(far + config.noise * length * np.cos(turn), 0.0)
        strength = config.power - 10.0 * config.fading * np.log10(np.maximum(far, 0.01))
        strength += config.strength_noise * length * np.sin(turn)
        return np.column_stack([vids, measured, strength])

    def _open(self, here: F8, there: F8) -> Mask:
        """Which of these lines meet no wall at the height of their middles."""
        assert self._levels is not None
        found = np.ones(len(here), np.bool_)
        for scenery, rows in self._levels.of(0.5 * (here[:, 2] + there[:, 2])):
            found[rows] = _free(scenery, here[rows], there[rows])
        return found


@kernel
def _free(scenery, here, there):  # type: ignore[no-untyped-def]
    found = np.empty(len(here), np.bool_)
    for k in range(len(here)):
        dx, dy = there[k, 0] - here[k, 0], there[k, 1] - here[k, 1]
        far = np.hypot(dx, dy)
        found[k] = far == 0.0 or not (
            cast(scenery, here[k, 0], here[k, 1], np.arctan2(dy, dx), far) < far
        )
    return found


def _placed(others: VehicleStates) -> Mask:
    """Who is at a known place."""
    known: Mask = others.health != Health.UNHEARD
    for name in ("x", "y", "z", "vx", "vy", "vz"):
        known &= np.isfinite(getattr(others, name))
    return known


def _carried(heard: VehicleStates, since: float) -> F8:
    """Where they are so long after their instant, (n, 3); one whose host is gone stands."""
    since_each = np.where(heard.health == Health.LOST, 0.0, since)
    return np.column_stack([
        getattr(heard, at) + since_each * getattr(heard, rate)
        for at, rate in (("x", "vx"), ("y", "vy"), ("z", "vz"))
    ])  # fmt: skip
