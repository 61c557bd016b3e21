"""A 2D laser scanner: how far it is to what stands around and to the others."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from movenv.parts import (
    Field,
    Passage,
    Readings,
    ScanLayout,
    Sensor,
    SensorConfig,
    SensorSetup,
    VehicleStates,
)
from movenv.sensors.crowd import Bodies, Place
from movenv.sensors.draws import lost
from movenv.sensors.ground_sweep import ground_sweep, surroundings_of
from movenv.sensors.heights import Levels
from movenv.sensors.sweep import Course, Optics, Sweeps, sweep
from movenv.sensors.threads import THREADS, in_threads
from movenv.terrain.relief_rays import ground_of, is_plain
from movenv.world.columns import F4, F8, Rows, read_only
from movenv.world.frames import rotation
from movenv.world.random_streams import stream_number
from movenv.world.sensor import VX, VY, X, Y, Z

PRESETS: Mapping[str, Mapping[str, float]] = MappingProxyType({
    "hokuyo-ust-10lx": {
        "field_of_view_deg": 270.0, "resolution_deg": 0.25, "rate": 40.0, "sweep": 0.75,
        "range_min": 0.06, "range_max": 10.0, "noise": 0.01,
    },
    "sick-lms-291-90": {
        "field_of_view_deg": 90.0, "resolution_deg": 0.5, "rate": 75.0, "sweep": 0.25,
        "range_min": 0.1, "range_max": 80.0, "noise": 0.01,
    },
    "sick-lms-291-180": {
        "field_of_view_deg": 180.0, "resolution_deg": 0.5, "rate": 37.5, "sweep": 0.5,
        "range_min": 0.1, "range_max": 80.0, "noise": 0.01,
    },
})  # fmt: skip
"""What makers say of their scanners; the noise of the first is below the 30 mm that are granted."""
MOST_BEAMS = 20_000
WORTH_SHARING = 40_000
"""So many beams are cast by more than one thread."""


class LidarConfig(SensorConfig):
    """What a laser scanner is like: a preset, and what differs from it."""

    preset: Literal["hokuyo-ust-10lx", "sick-lms-291-90", "sick-lms-291-180"] = Field(
        "hokuyo-ust-10lx", description="a scanner that can be bought; what is given besides counts"
    )
    field_of_view_deg: float = Field(270.0, gt=0, le=360, description="from first to last beam")
    resolution_deg: float = Field(0.25, gt=0, le=180, description="from beam to beam, degrees")
    rate: float = Field(40.0, gt=0, le=10_000, description="scans a second")
    sweep: float = Field(
        0.75, ge=0, le=1, description="share of the time between scans in which it sweeps"
    )
    range_min: float = Field(0.06, ge=0, le=1000, description="what is nearer is told as 0, m")
    range_max: float = Field(10.0, gt=0, le=100_000, description="what is farther is not met, m")
    noise: float = Field(0.01, ge=0, le=100, description="standard deviation of a range, m")
    noise_share: float = Field(0.0, ge=0, le=1, description="the same in shares of the range")
    beam_dropout: float = Field(0.0, ge=0, le=1, description="chance that a beam is lost: nan")
    vertical: float = Field(
        2.0, ge=0, le=100_000,
        description="on level ground others are met whose place is at most so far above or below "
        "its vehicle's, m",
    )  # fmt: skip

    @model_validator(mode="before")
    @classmethod
    def _as_preset(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        preset = PRESETS.get(str(given.get("preset", "hokuyo-ust-10lx")), {})
        return {**preset, **given}

    @model_validator(mode="after")
    def _possible(self) -> "LidarConfig":
        if self.range_min >= self.range_max:
            raise ValueError(
                f"range_min, {self.range_min:g} m, is not below range_max, {self.range_max:g} m"
            )
        if self.resolution_deg > self.field_of_view_deg:
            raise ValueError(
                f"a resolution of {self.resolution_deg:g} degrees does not fit into a field of "
                f"view of {self.field_of_view_deg:g}"
            )
        if self.beams > MOST_BEAMS:
            raise ValueError(f"{self.beams:,} beams are more than {MOST_BEAMS:,}")
        return self

    @property
    def beams(self) -> int:
        """Both edges of the field have one: 1,081 for 270° by 0.25°. In a full circle the last
        would be the first again, and is left out."""
        steps = int(self.field_of_view_deg / self.resolution_deg + 1e-6)
        return steps if steps * self.resolution_deg > 360.0 - 1e-6 else steps + 1

    @property
    def layout(self) -> ScanLayout:
        """Beams from right to left, as many to the right as to the left."""
        increment = math.radians(self.resolution_deg)
        steps = int(self.field_of_view_deg / self.resolution_deg + 1e-6)
        return ScanLayout(
            beams=self.beams,
            angle_min=-0.5 * steps * increment,
            angle_increment=increment,
            time_increment=self.sweep / self.rate / steps,
            scan_time=1.0 / self.rate,
            range_min=self.range_min,
            range_max=self.range_max,
            mount=(self.mount.x, self.mount.y, math.radians(self.mount.yaw_deg)),
        )


class Lidar(Sensor):
    """Laser scanners. A scan ends at its instant and began before; its stamp is the first beam's.

    Ranges are float32: infinity where nothing is met, 0 where something is nearer than
    `range_min`, nan where a beam is lost, and nan all over where the scan is.
    """

    Config: ClassVar[type[LidarConfig]] = LidarConfig
    on_demand: ClassVar[bool] = True

    def __init__(self, setup: SensorSetup) -> None:
        config = setup.config
        assert isinstance(config, LidarConfig)
        self._config = config
        self._name = setup.name
        self._layout = config.layout
        self._optics = _optics(config)
        self._bodies = Bodies(setup.roster)
        level = is_plain(ground_of(setup.terrain))
        self._uneven = None if level else surroundings_of(setup.terrain)
        self._levels = Levels(setup.terrain, config.mount.z)
        self._stream = np.uint64(stream_number(setup.name))
        # Compiled before anything moves: that takes time, which no tick has.
        nobody = np.empty((10, 0))
        none = Passage(1, 0.0, 1.0, 0, setup.vids[:0], nobody, nobody)
        self._scan(none, VehicleStates.empty(), np.empty(0, np.int64), np.empty(0))

    def sense(self, passage: Passage, others: VehicleStates) -> Readings | None:
        numbers, ends = passage.instants(self._config.rate)
        if not len(numbers):
            return None
        ranges = self._scan(passage, others, numbers, ends)
        gone = lost(passage.seed, passage.vids, self._name, numbers.tolist(), self._config.dropout)
        ranges[gone] = np.nan
        began = ends - (self._layout.beams - 1) * self._layout.time_increment
        return Readings(self._name, passage.vids, numbers, began, ranges, scan=self._layout)

    def _scan(self, passage: Passage, others: VehicleStates, numbers: Rows, ends: F8) -> F4:
        vehicles, samples = len(passage.vids), len(numbers)
        out = np.empty((vehicles, samples, self._layout.beams), np.float32)
        before, after = (
            read_only(np.ascontiguousarray(m)) for m in (passage.before, passage.after)
        )
        span = passage.end - passage.start
        course = Course(passage.start, span, read_only(passage.vids), before, after)
        near = self._around(before, after, others, span)
        chance = np.uint64(passage.seed), self._stream
        if self._uneven is None:
            crowd = self._bodies.crowd(others, near)
            for scenery, rows in self._levels.of(after[Z] + self._config.mount.z):
                due = _due(rows, numbers, ends)
                level = scenery, self._optics, crowd, course, due
                self._in_threads(sweep, level, len(due.row), (*chance, out))
        else:
            solids = self._bodies.solids(others, near)
            due = _due(np.arange(vehicles), numbers, ends)
            uneven = self._uneven, self._optics, solids, course, due
            self._in_threads(ground_sweep, uneven, len(due.row), (*chance, out))
        return out

    def _in_threads(
        self, take: Callable[..., None], given: tuple[Any, ...], count: int, rest: tuple[Any, ...]
    ) -> None:
        """Take all scans that are due, many of them in several threads."""

        def part(low: int, high: int) -> None:
            take(*given, low, high, *rest)

        shared = count * self._layout.beams >= WORTH_SHARING
        in_threads(part, count, -(-count // THREADS) if shared else count)

    def _around(self, before: F8, after: F8, others: VehicleStates, span: float) -> Place:
        """Who is outside of this is out of everyone's range, by a wide margin."""
        known = np.isfinite(before).all(axis=0) & np.isfinite(after).all(axis=0)
        if not known.any():
            return (0.0, 0.0, 0.0, 0.0)
        before, after = before[:, known], after[:, known]
        fast = np.hypot(others.vx, others.vy)
        fastest = float(fast[np.isfinite(fast)].max(initial=0.0))
        mount = math.hypot(*self._optics.mount)
        time = span + self._layout.scan_time
        moved = np.abs(after[: Y + 1] - before[: Y + 1]).max()
        moved += span * max(np.abs(m[VX : VY + 1]).max() for m in (before, after))
        # Before the tick the cubic goes on, and may bend the more the longer that is.
        moved *= (1.0 + time / span) ** 3
        reach = self._config.range_max + fastest * time + mount + moved + self._bodies.widest
        both = np.concatenate([before[: Y + 1], after[: Y + 1]], axis=1)
        low, high = both.min(axis=1) - reach, both.max(axis=1) + reach
        return float(low[X]), float(low[Y]), float(high[X]), float(high[Y])


def _due(rows: Rows, numbers: Rows, ends: F8) -> Sweeps:
    """Every sample of some vehicles."""
    samples = len(numbers)
    return Sweeps(
        np.repeat(rows, samples),
        np.tile(np.arange(samples), len(rows)),
        np.tile(numbers, len(rows)),
        np.tile(ends, len(rows)),
    )


def _optics(config: LidarConfig) -> Optics:
    layout, mount = config.layout, config.mount
    own = layout.angle_min + layout.angle_increment * np.arange(layout.beams)
    yaw, pitch, roll = np.radians([mount.yaw_deg, mount.pitch_deg, mount.roll_deg])
    flat = np.array([np.cos(own), np.sin(own), np.zeros(len(own))])
    return Optics(
        angles=own + yaw,
        beams=np.ascontiguousarray(rotation(yaw, pitch, roll) @ flat),
        mount=np.array([mount.x, mount.y, mount.z]),
        level=mount.pitch_deg == 0.0 and mount.roll_deg == 0.0,
        step=layout.time_increment,
        near=config.range_min,
        far=config.range_max,
        noise=config.noise,
        share=config.noise_share,
        lost=config.beam_dropout,
        vertical=config.vertical,
    )
