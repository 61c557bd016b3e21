"""The injection layer: what it costs to put vehicles into a scan, and to pass scans through it."""

import math

import numpy as np

from movenv.bench.injection_relay import added_delays
from movenv.bench.measure import Row, best_time
from movenv.sensors.injection import inject
from movenv.world.columns import F4, F8
from movenv.world.scan import Pose, Scan
from movenv.world.sensor import ScanLayout

VEHICLES = 50
HOKUYO = ScanLayout(
    1080, math.radians(-135.0), math.radians(0.25), 0.025 * 0.75 / 1080, 0.025, 0.06, 30.0
)
"""As a UST-10LX, with beams that go farther, so that all the vehicles are within its range."""
MICRO = 1e6


def measure(quick: bool) -> list[Row]:
    scan, pose, boxes, moving = crowd()
    repeats = 200 if quick else 2000
    ours = best_time(lambda: inject(scan, pose, boxes, moving), repeats)
    plain = best_time(lambda: plain_numpy(scan, pose, boxes, moving), max(5, repeats // 20))
    said = f"{VEHICLES} vehicles into a scan of {HOKUYO.beams} beams"
    return [
        Row(said, MICRO * ours, "µs", 200.0, "lower", "plain NumPy, all at once", MICRO * plain),
        *(_delay(way, scan, boxes, 5.0 if quick else 60.0) for way in ("udp", "bus")),
    ]


def _delay(way: str, scan: Scan, boxes: F8, seconds: float) -> Row:
    """What the layer adds to the way of a scan, with everyone injected."""
    on, off = added_delays(way, scan, boxes, seconds)
    said = f"{VEHICLES} vehicles into scans at 40 Hz over {way}: delay added, p99"
    p99, relayed = float(np.percentile(on, 99)), float(np.percentile(off, 99))
    return Row(said, p99, "ms", 2.0, "lower", "the layer switched off", relayed)


def crowd() -> tuple[Scan, Pose, F8, F8]:
    """A driving scanner with walls around, and vehicles between it and them."""
    draw = np.random.default_rng(8)
    angle, far = draw.uniform(-math.pi, math.pi, VEHICLES), draw.uniform(2.0, 28.0, VEHICLES)
    boxes = np.column_stack(
        [far * np.cos(angle), far * np.sin(angle), draw.uniform(-3.0, 3.0, VEHICLES),
         np.full(VEHICLES, 4.5), np.full(VEHICLES, 1.8)]
    )  # fmt: skip
    ranges = draw.uniform(5.0, 30.0, HOKUYO.beams).astype(np.float32)
    moving = draw.uniform(-5.0, 5.0, (VEHICLES, 2))
    return Scan(1, 0.0, HOKUYO, ranges), Pose(0.0, 0.0, 0.3, 5.0, 1.0, 0.5), boxes, moving


def plain_numpy(scan: Scan, pose: Pose, boxes: F8, moving: F8) -> F4:
    """The same in arrays of all beams and all boxes."""
    layout = scan.layout
    k = np.arange(layout.beams)[:, None]
    t = k * layout.time_increment
    angle = pose.yaw + layout.angle_min + k * layout.angle_increment + pose.yaw_rate * t
    x = pose.x - boxes[:, 0] + (pose.vx - moving[:, 0]) * t
    y = pose.y - boxes[:, 1] + (pose.vy - moving[:, 1]) * t
    turned = angle - boxes[:, 2]
    c, s = np.cos(boxes[:, 2]), np.sin(boxes[:, 2])
    with np.errstate(divide="ignore"):
        over_x, over_y = 1.0 / np.cos(turned), 1.0 / np.sin(turned)
    mid_x, half_x = -(x * c + y * s) * over_x, np.abs(0.5 * boxes[:, 3] * over_x)
    mid_y, half_y = -(y * c - x * s) * over_y, np.abs(0.5 * boxes[:, 4] * over_y)
    enter = np.maximum(np.maximum(mid_x - half_x, mid_y - half_y), 0.0)
    leave = np.minimum(mid_x + half_x, mid_y + half_y)
    nearest = np.where(enter <= leave, enter, np.inf).min(axis=1)
    near = np.maximum(nearest, layout.range_min).astype(np.float32)
    nearer = (nearest <= layout.range_max) & (scan.ranges >= layout.range_min)
    return np.where(nearer & (near < scan.ranges), near, scan.ranges)
