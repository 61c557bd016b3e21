"""What a sensor is: it turns where vehicles truly were into what they measure of it.

Models know the truth, behaviors that live on sensors know only readings: truth stays behind them.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from movenv.world.columns import F8, U4, Rows
from movenv.world.messages import VehicleStates
from movenv.world.model import MOTION

POSE = ("x", "y", "z", "yaw", "pitch", "roll")
X, Y, Z, YAW, PITCH, ROLL, SPEED, VX, VY, VZ = range(len(MOTION))
SLIVER = 1e-9
"""An instant this much beyond the end of a tick belongs to it, in ticks."""


@dataclass(frozen=True)
class Passage:
    """The tick that some vehicles just lived through; one column a vehicle."""

    tick: int
    """The one that ended."""
    start: float
    end: float
    seed: int
    vids: U4
    before: F8
    """(MOTION, vehicles) at the start."""
    after: F8
    """The same at the end."""

    def some(self, rows: Rows | None) -> "Passage":
        """Some of these; None for all."""
        if rows is None:
            return self
        columns = self.vids[rows], self.before[:, rows], self.after[:, rows]
        return Passage(self.tick, self.start, self.end, self.seed, *columns)

    def instants(self, rate: float) -> tuple[NDArray[np.int64], F8]:
        """The numbers and times of what happens `rate` times a second, in this tick.

        Number k is at k / rate, whatever the ticks are; those at the start belong to the tick
        before.
        """
        first = math.floor(self.start * rate + SLIVER) + 1
        last = math.floor(self.end * rate + SLIVER)
        numbers = np.arange(first, last + 1)
        return numbers, numbers / rate

    def poses(self, t: float) -> F8:
        """Where they were at a time of this tick, or shortly before it: (POSE, vehicles).

        On a cubic through both ends that has the velocities there; angles by the shorter way.
        """
        span = self.end - self.start
        s = (t - self.start) / span
        place = np.empty((len(POSE), len(self.vids)))
        for at, rate in ((X, VX), (Y, VY), (Z, VZ)):
            place[at] = hermite(
                s, self.before[at], self.after[at],
                self.before[rate] * span, self.after[rate] * span,
            )  # fmt: skip
        for angle in (YAW, PITCH, ROLL):
            turn = self.after[angle] - self.before[angle]
            turn -= 2 * np.pi * np.floor(turn / (2 * np.pi) + 0.5)
            place[angle] = self.before[angle] + s * turn
        return place


def hermite(s: float, a: F8, b: F8, slope_a: F8, slope_b: F8) -> F8:
    """A cubic from a to b as s goes from 0 to 1, with these slopes at the ends."""
    rest = 1.0 - s
    value: F8 = rest * rest * ((1.0 + 2.0 * s) * a + s * slope_a)
    value += s * s * ((3.0 - 2.0 * s) * b - rest * slope_b)
    return value


@dataclass(frozen=True)
class ScanLayout:
    """What the ranges of a 2D scan mean: beam k points at angle_min + k·angle_increment.

    Angles are counter-clockwise from the sensor's forward axis, in radians, as in ROS.
    """

    beams: int
    angle_min: float
    angle_increment: float
    time_increment: float
    """Between two beams, s."""
    scan_time: float
    """Between two scans, s."""
    range_min: float
    range_max: float
    mount: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where the sensor is on its vehicle: x forward, y left, m, and yaw, rad."""


PIXEL = np.dtype([("colour", "u1", (3,)), ("seen", "u1"), ("depth", "<f4")])
"""What a camera tells of a pixel: red, green and blue; its class; and how far what is seen lies
along the camera's axis, m: infinity in the sky, nan where the picture is lost."""


@dataclass(frozen=True)
class ImageLayout:
    """What the pixels of a picture mean: row 0 is the uppermost, column 0 the leftmost.

    A pinhole: what is met in pixel (row, column) at depth 1 lies (width / 2 - column - 0.5) / focal
    to the left of the axis and (height / 2 - row - 0.5) / focal above it.
    """

    width: int
    height: int
    focal: float
    """Pixels that something of 1 m spans at 1 m."""


@dataclass(frozen=True)
class Readings:
    """What a sensor of some vehicles measured during a tick."""

    sensor: str
    """What it is called on its vehicles."""
    vids: U4
    numbers: NDArray[np.int64]
    """Of the samples, counted since the beginning of the run."""
    stamps: F8
    """When each sample was taken, s; of a scan, its first beam."""
    values: NDArray[Any]
    """(vehicles, samples, fields); of a camera (vehicles, samples, height, width) of PIXEL."""
    fields: tuple[str, ...] = ()
    """What the values are; empty for a scan, whose values are ranges in m, and for pictures."""
    scan: ScanLayout | None = None
    image: ImageLayout | None = None

    def problem(self, vids: U4) -> str:
        """What does not fit together in readings of these vehicles; empty where all does."""
        sample: tuple[int, ...] = (len(self.fields) or self.values.shape[-1],)
        if self.image is not None:
            sample = self.image.height, self.image.width
        shape = len(vids), len(self.numbers), *sample
        if self.values.shape != shape:
            return f"values of shape {self.values.shape} where {shape} is right"
        if len(self.stamps) != len(self.numbers):
            return f"{len(self.stamps)} stamps for {len(self.numbers)} samples"
        if not np.array_equal(self.vids, vids):
            return "readings of other vehicles"
        return ""


class Sensor(ABC):
    """One sensor as a group of vehicles carries it, all with the same settings.

    A subclass names its `Config`, takes a `SensorSetup`, and overrides `sense`.
    """

    Config: ClassVar[type[Any]]
    on_demand: ClassVar[bool] = False
    """Whether it need not measure while nobody looks, for it remembers nothing."""

    @abstractmethod
    def __init__(self, setup: Any) -> None:
        """`setup` is a `SensorSetup`."""

    @abstractmethod
    def sense(self, passage: Passage, others: VehicleStates) -> Readings | None:
        """What was measured in a tick; None where no sample fell into it.

        `others` is what the Core sent at its start: everybody, also those of the passage.
        Random numbers come from `world.random_streams`, keyed by vid, stream and tick.
        """


@dataclass(frozen=True)
class Carried:
    """A sensor of some vehicles of a host."""

    name: str
    sensor: Sensor
    rows: Rows | None
    """None for all."""
