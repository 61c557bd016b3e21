"""A scan on the map: the points that its beams met."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from movenv.world.columns import F4, F8, Mask
from movenv.world.frames import Frame
from movenv.world.scan import Pose, Scan


@dataclass(frozen=True, eq=False)
class PlacedScan:
    """Places are offsets to the run's origin in Web Mercator: see docs/reference/console.md."""

    row: int
    t: float
    sensor: F4
    """(2,): where it was measured."""
    own: F4
    """(n, 2): what beams met that are as they were measured."""
    altered: F4
    """(n, 2): where a virtual vehicle was put into them."""


def place_scan(row: int, scan: Scan, altered: Mask, vehicle: Pose, frame: Frame) -> PlacedScan:
    """`vehicle` is where it was when the first beam was measured; it goes on during the sweep."""
    layout, ranges = scan.layout, scan.ranges.astype(np.float64)
    sensor = vehicle.mounted(layout.mount)
    met = (ranges >= layout.range_min) & (ranges <= layout.range_max)
    beams = np.flatnonzero(met)
    after = beams * layout.time_increment
    angle = sensor.yaw + layout.angle_min + beams * layout.angle_increment
    angle += sensor.yaw_rate * after
    x = sensor.x + sensor.vx * after + ranges[met] * np.cos(angle)
    y = sensor.y + sensor.vy * after + ranges[met] * np.sin(angle)
    points = _offsets(np.append(x, sensor.x), np.append(y, sensor.y), frame)
    put = altered[met]
    return PlacedScan(row, scan.stamp, points[-1], points[:-1][~put], points[:-1][put])


def _offsets(x: F8, y: F8, frame: Frame) -> F4:
    lat, lon, _ = frame.to_geodetic(x, y)
    east = lon - frame.lon
    east -= 360.0 * np.round(east / 360.0)
    south = (_isometric(np.array(frame.lat)) - _isometric(lat)) / math.tau
    return np.column_stack([east / 360.0, south]).astype(np.float32)


def _isometric(lat: NDArray[np.float64]) -> NDArray[np.float64]:
    """The northing of a latitude in Mercator's map of a globe of radius 1."""
    return np.arcsinh(np.tan(np.radians(lat)))
