"""The points of a scan as its vehicle sees them, with what moving did to them taken out."""

import math

import numpy as np

from movenv.world.columns import F8, Rows
from movenv.world.kernel import kernel
from movenv.world.sensor import ScanLayout
from movenv.world.trig import sincos


@kernel
def _points(ranges, layout, every, motion, points, count):  # type: ignore[no-untyped-def]
    """Of each vehicle the points (x, y) of every so many-th beam at the end of the sweep."""
    first, step, dt, least, most, mount_x, mount_y, mount_yaw = layout
    beams = ranges.shape[1]
    for i in range(ranges.shape[0]):
        speed, sideways, turn = motion[0, i], motion[1, i], motion[2, i]
        found = 0
        for k in range(every // 2, beams, every):
            far = ranges[i, k]
            if not least <= far <= most:  # nothing there, or void
                continue
            sin, cos = sincos(mount_yaw + first + k * step)
            x, y = mount_x + far * cos, mount_y + far * sin
            # Where the vehicle was then, seen from where it is at the end.
            ago = -(beams - 1 - k) * dt
            sin, cos = sincos(turn * ago)
            points[i, found, 0] = speed * ago + cos * x - sin * y
            points[i, found, 1] = sideways * ago + sin * x + cos * y
            found += 1
        count[i] = found


def sweep_time(layout: ScanLayout) -> float:
    """From the first beam to the last, s."""
    return (layout.beams - 1) * layout.time_increment


def scan_points(ranges: F8, layout: ScanLayout, every: int, motion: F8) -> tuple[F8, Rows]:
    """The points (vehicles, n, 2) that beams of scans (vehicles, beams) met, and how many each has.

    They are seen from each vehicle's middle at the end of the sweep, with its `motion` (3,
    vehicles): forward and sideways speed, m/s, and yaw rate, rad/s. Beams that met nothing are
    left out, as are void ones: nan, or out of the scanner's bounds.
    """
    vehicles, beams = ranges.shape
    points = np.zeros((vehicles, math.ceil(beams / every), 2))
    count = np.zeros(vehicles, np.int64)
    sizes = (layout.angle_min, layout.angle_increment, layout.time_increment)
    bounds = (layout.range_min, layout.range_max)
    flat = np.array([*sizes, *bounds, *layout.mount])
    _points(np.ascontiguousarray(ranges, float), flat, every, motion, points, count)
    return points, count
