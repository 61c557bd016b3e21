"""Rays against vehicles, which are oriented boxes."""

import math

import numpy as np

from movenv.terrain.cell_walk import STEEPEST, direction, is_known
from movenv.world.kernel import inline, kernel
from movenv.world.trig import sincos

BOX = ("x", "y", "yaw", "length", "width")
"""The columns of a box: its middle, m, its yaw, rad, and its sides, m."""


@inline
def _side_met(o, d, half, enter, leave):  # type: ignore[no-untyped-def]
    """What is left of a ray between two parallel sides of a box."""
    if d == 0.0:
        return (enter, leave) if abs(o) <= half else (math.inf, -math.inf)
    near, far = (-half - o) / d, (half - o) / d
    return max(enter, min(near, far)), min(leave, max(near, far))


@inline
def own_frame_hit(ox, oy, dx, dy, half_length, half_width):  # type: ignore[no-untyped-def]
    """How far a ray in a box's own frame goes until it meets it; inf where it does not."""
    enter, leave = _side_met(ox, dx, half_length, 0.0, math.inf)
    enter, leave = _side_met(oy, dy, half_width, enter, leave)
    return enter if enter <= leave else math.inf


@inline
def solid_hit(ox, oy, oz, dx, dy, dz, half_length, half_width, half_height):  # type: ignore[no-untyped-def]
    """The same in three dimensions, from the middle of the box."""
    enter, leave = _side_met(ox, dx, half_length, 0.0, math.inf)
    enter, leave = _side_met(oy, dy, half_width, enter, leave)
    enter, leave = _side_met(oz, dz, half_height, enter, leave)
    return enter if enter <= leave else math.inf


@inline
def is_box(box):  # type: ignore[no-untyped-def]
    """Whether a box is somewhere."""
    return is_known(box[0] + box[1], box[3] + box[4], box[2])


@kernel
def box_hit(x, y, cos, sin, box):  # type: ignore[no-untyped-def]
    """How far a ray goes until it meets a box (BOX); inf where it does not, 0 from inside.

    inf where anything is nan or infinite.
    """
    px, py = x - box[0], y - box[1]
    if not (is_known(px, py, cos + sin) and is_box(box)):
        return math.inf
    s, c = sincos(box[2])
    return own_frame_hit(
        px * c + py * s, py * c - px * s, cos * c + sin * s, sin * c - cos * s,
        0.5 * box[3], 0.5 * box[4],
    )  # fmt: skip


@inline
def _shorten(ranges, first, last, x, y, cos, sin, box, most):  # type: ignore[no-untyped-def]
    """Beams from `first` to `last` end at a box where it is nearer; not those whose cos is nan."""
    s, c = sincos(box[2])
    half_length, half_width = 0.5 * box[3], 0.5 * box[4]
    for k in range(first, last + 1):
        px, py = x[k] - box[0], y[k] - box[1]
        far = own_frame_hit(
            px * c + py * s, py * c - px * s, cos[k] * c + sin[k] * s, sin[k] * c - cos[k] * s,
            half_length, half_width,
        )  # fmt: skip
        if far < ranges[k] and far <= most and cos[k] == cos[k]:
            ranges[k] = far


@kernel
def meet_boxes(ranges, angles, x, y, boxes, most=math.inf):  # type: ignore[no-untyped-def]
    """Beams end at the nearest box where that is nearer than what they measured, in place.

    Beam k begins at (x[k], y[k]) in direction `angles[k]` of the world: a sensor that moves and
    turns during a scan has other places from beam to beam. `boxes` is (n, BOX). Nothing farther
    than `most` is met. A beam that begins inside a box becomes 0. Every other range stays as it is
    to the bit, also nan; and a beam or box that is nan meets nothing.
    """
    beams = len(ranges)
    if beams == 0:
        return
    cos, sin = np.empty(beams), np.empty(beams)
    for k in range(beams):
        sin[k], cos[k] = direction(angles[k])
        cos[k] = cos[k] if is_known(x[k], y[k], angles[k]) else math.nan
    mid, step, stray = _fan(angles)
    mx, my, roam = _ground(x, y)
    for b in range(len(boxes)):
        box = boxes[b]
        away = math.hypot(box[0] - mx, box[1] - my)
        reach = 0.5 * math.hypot(box[3], box[4]) + roam
        if not is_box(box) or away - reach > most:
            continue
        half = math.asin(min(reach / away, 1.0)) + stray + 1e-9
        span = 0.5 * (beams - 1) * abs(step) + half
        if not (away > 1.001 * reach and abs(step) > 0.0 and span + abs(mid) < STEEPEST):
            _shorten(ranges, 0, beams - 1, x, y, cos, sin, box, most)  # also where it is nan
            continue
        bearing = math.atan2(box[1] - my, box[0] - mx) - mid
        turn = math.ceil((-span - bearing) / math.tau)
        while bearing + turn * math.tau <= span:
            at, wide = (bearing + turn * math.tau) / step + 0.5 * (beams - 1), half / abs(step)
            first, last = max(at - wide, 0.0), min(at + wide, beams - 1.0)
            if first <= last:
                _shorten(ranges, math.ceil(first), math.floor(last), x, y, cos, sin, box, most)
            turn += 1


@inline
def _fan(angles):  # type: ignore[no-untyped-def]
    """The middle of beams' directions, the mean step between two, and how far any strays from
    where such steps would have it."""
    last = len(angles) - 1
    mid, step = 0.5 * (angles[0] + angles[last]), (angles[last] - angles[0]) / max(last, 1)
    stray = 0.0
    for k in range(len(angles)):
        stray = max(stray, abs(angles[k] - (mid + (k - 0.5 * last) * step)))
    return mid, step, stray


@inline
def _ground(x, y):  # type: ignore[no-untyped-def]
    """The first place of a sensor, and how far it comes away from it."""
    roam = 0.0
    for k in range(len(x)):
        roam = max(roam, abs(x[k] - x[0]) + abs(y[k] - y[0]))
    return x[0], y[0], roam


@kernel
def meet_boxes_from(ranges, angle_min, angle_increment, x, y, yaw, boxes, most=math.inf):  # type: ignore[no-untyped-def]
    """The same for a sensor that stands still: beam k points at yaw + angle_min +
    k·angle_increment."""
    beams = len(ranges)
    angles = yaw + angle_min + angle_increment * np.arange(beams)
    meet_boxes(ranges, angles, np.full(beams, x), np.full(beams, y), boxes, most)
