"""Virtual vehicles in a real scan: beams that would have met one are shortened to it.

What comes out for scans and poses that are not as they should be:

| what | result |
| --- | --- |
| a range of infinity, or beyond `range_max` | nothing was met so far: may be shortened |
| nan, minus infinity, zero, or below `range_min` | void: nothing was measured, untouched |
| a real thing nearer than the vehicle | hides it: untouched |
| a vehicle beyond `range_max` | not seen: untouched |
| a vehicle nearer than `range_min`, or on top of the sensor | `range_min` |
| a vehicle without a place (nan), or without length or width | not there |
| more or fewer ranges than the layout has beams | the very same scan: `reason_to_refuse` says so |
| a pose, velocity or layout with nan or infinity, or bounds without room | the same |
| a pose that jumps | each scan is taken from its own pose: nothing is remembered |
| nobody to inject, or nobody in the way | the very same scan, not a copy |
"""

import math

import numpy as np

from movenv.terrain.boxes import own_frame_hit
from movenv.world.columns import F8
from movenv.world.kernel import inline, kernel
from movenv.world.scan import MOST_BEAMS, Pose, Scan
from movenv.world.sensor import ScanLayout

MOST_ANGLE = 1e4
"""Beyond this an angle is no angle, rad."""


def inject(scan: Scan, pose: Pose, boxes: F8, velocities: F8 | None = None) -> Scan:
    """The scan as it had been, had these vehicles been there.

    `pose` is where the sensor was when it measured the first beam; its velocity and yaw rate take
    each later beam from where it was then. `boxes` is (n, BOX), in the same frame and at the same
    instant; with `velocities`, (n, 2), they go on meanwhile.

    Every beam that is not shortened keeps its bits. The ranges are float32, within `range_min` and
    `range_max`. Where nothing changes, for whatever reason, `scan` itself comes back.
    """
    if not len(boxes) or reason_to_refuse(scan, pose):
        return scan
    layout = scan.layout
    ranges = np.array(scan.ranges)  # a copy that keeps every bit
    moving = np.zeros((len(boxes), 2)) if velocities is None else velocities
    altered = _shorten(
        ranges,
        math.remainder(pose.yaw, math.tau) + layout.angle_min,
        _turn_a_beam(layout, pose),
        float(layout.time_increment),
        np.array([pose.x, pose.y, pose.vx, pose.vy], np.float64),
        np.ascontiguousarray(boxes, np.float64),
        np.ascontiguousarray(moving, np.float64),
        *_bounds(layout),
    )
    return scan.with_ranges(ranges) if altered else scan


def reason_to_refuse(scan: Scan, pose: Pose) -> str:
    """Why nothing can be injected, in a word to count by; empty where all is well."""
    layout, ranges = scan.layout, scan.ranges
    if ranges.ndim != 1 or ranges.dtype != np.float32 or len(ranges) != layout.beams:
        return "beams"
    if layout.beams > MOST_BEAMS:
        return "beams"
    if not _is_sound(layout):
        return "layout"
    if not pose.is_finite or not abs(_turn_a_beam(layout, pose)) <= MOST_ANGLE:
        return "pose"
    return ""


def _turn_a_beam(layout: ScanLayout, pose: Pose) -> float:
    """From one beam to the next, rad, seen from outside."""
    return layout.angle_increment + pose.yaw_rate * layout.time_increment


def _is_sound(layout: ScanLayout) -> bool:
    if not (abs(layout.angle_min) <= MOST_ANGLE and abs(layout.angle_increment) <= MOST_ANGLE):
        return False
    if not (math.isfinite(layout.time_increment) and 0.0 <= layout.range_min < layout.range_max):
        return False
    low, high = _bounds(layout)
    return bool(low <= high)


def _bounds(layout: ScanLayout) -> tuple[np.float32, np.float32]:
    """The least and greatest float32 within the layout's bounds."""
    with np.errstate(over="ignore"):
        low, high = np.float32(layout.range_min), np.float32(layout.range_max)
    if float(low) < layout.range_min:  # as it is, not as NumPy compares
        low = np.nextafter(low, np.float32(np.inf))
    if float(high) > layout.range_max:
        high = np.nextafter(high, np.float32(0.0))
    return low, high


@kernel
def _shorten(ranges, first, step, dt, sensor, boxes, moving, low, high):  # type: ignore[no-untyped-def]
    """Shorten beams to boxes; returns how many. Beam k points at first + k·step, k·dt later."""
    beams = len(ranges)
    cos, sin = np.empty(beams), np.empty(beams)
    known = np.zeros(beams, np.bool_)
    hit = np.zeros(beams, np.bool_)
    for i in range(len(boxes)):
        px, py = sensor[0] - boxes[i, 0], sensor[1] - boxes[i, 1]
        vx, vy = sensor[2] - moving[i, 0], sensor[3] - moving[i, 1]
        half_x, half_y = 0.5 * boxes[i, 3], 0.5 * boxes[i, 4]
        far = math.hypot(px, py)
        moved = math.hypot(vx, vy) * abs(dt) * (beams - 1)
        reach = math.hypot(half_x, half_y) + moved
        if not (half_x > 0.0 and half_y > 0.0 and reach < np.inf and far - reach <= high):
            continue
        c, s = math.cos(boxes[i, 2]), math.sin(boxes[i, 2])
        if not abs(c) <= 1.0:
            continue
        start, width, turn = _between(px, py, reach, first, step, beams)
        while start <= beams - 1.0:
            for k in range(max(0, int(start)), min(beams - 1, int(start + width)) + 1):
                if not known[k]:
                    angle = first + k * step
                    cos[k], sin[k], known[k] = math.cos(angle), math.sin(angle), True
                ox, oy = px + vx * (k * dt), py + vy * (k * dt)
                at = own_frame_hit(
                    ox * c + oy * s, oy * c - ox * s,
                    cos[k] * c + sin[k] * s, sin[k] * c - cos[k] * s, half_x, half_y,
                )  # fmt: skip
                if at <= high and ranges[k] >= low:
                    near = max(low, min(high, np.float32(at)))
                    if near < ranges[k]:
                        ranges[k] = near
                        hit[k] = True
            start += turn
    return np.sum(hit)


@inline
def _between(px, py, reach, first, step, beams):  # type: ignore[no-untyped-def]
    """The beams among which a box lies for the whole sweep: the first, how many more, and after
    how many it comes around again."""
    far = math.hypot(px, py)
    if far > reach and abs(step) > 1e-12:
        width = 2.0 * math.asin(reach / far) / abs(step) + 2.0
        turn = 2.0 * math.pi / abs(step)
        if width < turn:
            start = (math.atan2(-py, -px) - first) / step - 0.5 * width
            return start - math.floor(start / turn) * turn - turn, width, turn
    return 0.0, beams - 1.0, np.inf
