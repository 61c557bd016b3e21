"""Sweeps of laser scanners: every beam from where its scanner is at that beam's own instant."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from movenv.sensors.draws import four_normals, four_units
from movenv.terrain.boxes import box_hit
from movenv.terrain.rays import cast_into
from movenv.world.columns import F8, U4
from movenv.world.kernel import inline, kernel
from movenv.world.sensor import PITCH, ROLL, VX, VY, VZ, YAW, X, Y, Z

FLAT = 1e-6
"""A beam that leaves the horizontal plane by almost a right angle meets nothing."""


class Optics(NamedTuple):
    """A scanner, as kernels take it."""

    angles: F8
    """Of the beams on the vehicle, rad."""
    beams: F8
    """(3, beams): their directions on the vehicle."""
    mount: F8
    """Where the scanner is on the vehicle: forward, left, up, m."""
    level: bool
    """Whether it is mounted without pitch and roll."""
    step: float
    """From beam to beam, s."""
    near: float
    far: float
    noise: float
    share: float
    lost: float
    """The chance that a beam is."""
    vertical: float


class Course(NamedTuple):
    """What scanners' vehicles lived through, as kernels take it."""

    start: float
    span: float
    vids: U4
    before: F8
    after: F8


class Sweeps(NamedTuple):
    """Which scans are due: of which vehicle, which sample, and when it ends."""

    row: NDArray[np.int64]
    sample: NDArray[np.int64]
    number: NDArray[np.int64]
    end: F8


@inline
def between(course, i, at, rate, s):  # type: ignore[no-untyped-def]
    """A coordinate at share s of the tick, on the cubic of `Passage.poses`."""
    rest = 1.0 - s
    a, b = course.before[at, i], course.after[at, i]
    slope_a, slope_b = course.before[rate, i] * course.span, course.after[rate, i] * course.span
    left = rest * rest * ((1.0 + 2.0 * s) * a + s * slope_a)
    return left + s * s * ((3.0 - 2.0 * s) * b - rest * slope_b)


@inline
def turn_of(course, i, at):  # type: ignore[no-untyped-def]
    """How far an angle turns in the tick, by the shorter way."""
    turn = course.after[at, i] - course.before[at, i]
    return turn - 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5)


@kernel
def _aim_level(optics, course, i, first, rays):  # type: ignore[no-untyped-def]
    """Where beams begin and point, of a scanner that stays level."""
    turn, mount = turn_of(course, i, YAW), optics.mount
    s, ds = (first - course.start) / course.span, optics.step / course.span
    yaw = course.before[YAW, i] + s * turn
    cos, sin = math.cos(yaw), math.sin(yaw)
    dcos, dsin = math.cos(ds * turn), math.sin(ds * turn)
    for b in range(len(optics.angles)):
        x = between(course, i, X, VX, s + b * ds)
        y = between(course, i, Y, VY, s + b * ds)
        rays[0, b] = x + cos * mount[0] - sin * mount[1]
        rays[1, b] = y + sin * mount[0] + cos * mount[1]
        rays[2, b] = yaw + b * ds * turn + optics.angles[b]
        rays[3, b] = cos * optics.beams[0, b] - sin * optics.beams[1, b]
        rays[4, b] = sin * optics.beams[0, b] + cos * optics.beams[1, b]
        rays[5, b] = 1.0
        cos, sin = cos * dcos - sin * dsin, sin * dcos + cos * dsin


@inline
def turned(cy, sy, cp, sp, cr, sr, x, y, z):  # type: ignore[no-untyped-def]
    """A vector of the vehicle in the world, as `frames.rotation` turns it."""
    east = cy * cp * x + (-sy * cr - cy * sp * sr) * y + (sy * sr - cy * sp * cr) * z
    north = sy * cp * x + (cy * cr - sy * sp * sr) * y + (-cy * sr - sy * sp * cr) * z
    return east, north, sp * x + cp * sr * y + cp * cr * z


@kernel
def _aim_tilted(optics, course, i, first, rays):  # type: ignore[no-untyped-def]
    """The same of one that does not; what is met is looked for in the horizontal plane."""
    yaw_turn, pitch_turn, roll_turn = (
        turn_of(course, i, YAW), turn_of(course, i, PITCH), turn_of(course, i, ROLL),
    )  # fmt: skip
    mount = optics.mount
    for b in range(len(optics.angles)):
        s = (first + b * optics.step - course.start) / course.span
        yaw = course.before[YAW, i] + s * yaw_turn
        pitch = course.before[PITCH, i] + s * pitch_turn
        roll = course.before[ROLL, i] + s * roll_turn
        cy, sy, cp, sp = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
        cr, sr = math.cos(roll), math.sin(roll)
        east, north, _ = turned(cy, sy, cp, sp, cr, sr, mount[0], mount[1], mount[2])
        rays[0, b] = between(course, i, X, VX, s) + east
        rays[1, b] = between(course, i, Y, VY, s) + north
        beam = optics.beams[:, b]
        east, north, _ = turned(cy, sy, cp, sp, cr, sr, beam[0], beam[1], beam[2])
        flat = math.hypot(east, north)
        rays[2, b] = math.atan2(north, east)
        rays[3, b], rays[4, b] = east / max(flat, FLAT), north / max(flat, FLAT)
        rays[5, b] = flat


@inline
def _try(optics, crowd, c, since, rays, best, low, high):  # type: ignore[no-untyped-def]
    """Shorten beams low to high to where they meet box c, which moves on from beam to beam."""
    for b in range(max(low, 0), min(high, best.size - 1) + 1):
        # The box stands and the beam's beginning moves instead: it is the same.
        gone = since + b * optics.step
        x, y = rays[0, b] - gone * crowd.vx[c], rays[1, b] - gone * crowd.vy[c]
        # Whoever passes by the circle around a box passes by the box.
        dx, dy = crowd.boxes[c, 0] - x, crowd.boxes[c, 1] - y
        if abs(rays[3, b] * dy - rays[4, b] * dx) <= crowd.radius[c] + 1e-9:
            best[b] = min(best[b], box_hit(x, y, rays[3, b], rays[4, b], crowd.boxes[c]))


@kernel
def _meet(optics, crowd, vid, z, since, level, rays, best):  # type: ignore[no-untyped-def]
    """Shorten beams to where they meet others; `since` the others' instant the first beam is."""
    last = best.size - 1
    mid = last // 2
    x, y, yaw = rays[0, mid], rays[1, mid], rays[2, mid] - optics.angles[mid]
    half = 0.5 * last * optics.step
    strays = 0.0
    for b in range(best.size):
        strays = max(strays, (rays[0, b] - x) ** 2 + (rays[1, b] - y) ** 2)
    strays = math.sqrt(strays)
    swing = abs(rays[2, last] - optics.angles[last] - (rays[2, 0] - optics.angles[0]))
    increment = (optics.angles[last] - optics.angles[0]) / max(last, 1)
    gone = since + mid * optics.step
    reach = optics.far + crowd.widest + strays + crowd.fastest * (abs(gone) + half)
    first = np.searchsorted(crowd.west, x - reach)
    for c in range(first, crowd.west.size):
        if crowd.west[c] > x + reach:
            break
        if crowd.vid[c] == vid or abs(crowd.z[c] + gone * crowd.vz[c] - z) > optics.vertical:
            continue
        dx = crowd.boxes[c, 0] + gone * crowd.vx[c] - x
        dy = crowd.boxes[c, 1] + gone * crowd.vy[c] - y
        moves = math.hypot(crowd.vx[c], crowd.vy[c]) * (half + optics.step)
        radius, away = crowd.radius[c] + moves + strays, math.hypot(dx, dy)
        if away > optics.far + radius:
            continue
        if not level or away <= radius or last == 0:
            _try(optics, crowd, c, since, rays, best, 0, last)
            continue
        wide = math.asin(radius / away) + swing + increment
        bearing = math.atan2(dy, dx) - yaw - optics.angles[0]
        bearing -= 2.0 * math.pi * math.floor(bearing / (2.0 * math.pi))
        for around in (-2.0 * math.pi, 0.0, 2.0 * math.pi):
            low = math.floor((bearing + around - wide) / increment)
            high = math.ceil((bearing + around + wide) / increment)
            _try(optics, crowd, c, since, rays, best, low, high)


@kernel
def disturb(optics, seed, vid, stream, number, ranges):  # type: ignore[no-untyped-def]
    """Make true ranges those that are measured."""
    noisy = optics.noise > 0.0 or optics.share > 0.0
    noise, chance = (0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0)
    blocks = (ranges.size + 3) // 4
    for block in range(blocks):
        if noisy:
            noise = four_normals(seed, vid, stream, number, block)
        if optics.lost > 0.0:
            chance = four_units(seed, vid, stream, number, blocks + block)
        for k in range(min(4, ranges.size - 4 * block)):
            b = 4 * block + k
            far = np.float64(ranges[b])
            if chance[k] < optics.lost:
                ranges[b] = np.nan
            elif far < optics.near:
                ranges[b] = 0.0
            elif far < np.inf:
                far += noise[k] * (optics.noise + optics.share * far)
                ranges[b] = min(max(far, optics.near), optics.far)


@kernel
def sweep(scenery, optics, crowd, course, sweeps, first, last, seed, stream, out):  # type: ignore[no-untyped-def]
    """Take scans `first` to `last` - 1; `out` is (vehicles, samples, beams)."""
    beams = len(optics.angles)
    rays, best, walls = np.empty((6, beams)), np.empty(beams), np.empty(beams)
    for j in range(first, last):
        i, ranges = sweeps.row[j], out[sweeps.row[j], sweeps.sample[j]]
        began = sweeps.end[j] - (beams - 1) * optics.step
        level = optics.level and (
            course.before[PITCH, i] == 0.0 and course.before[ROLL, i] == 0.0
            and course.after[PITCH, i] == 0.0 and course.after[ROLL, i] == 0.0
        )  # fmt: skip
        if level:
            _aim_level(optics, course, i, began, rays)
        else:
            _aim_tilted(optics, course, i, began, rays)
        if not math.isfinite(rays[0, 0] + rays[1, 0] + rays[2, 0] + rays[0, -1] + rays[1, -1]):
            ranges[:] = np.nan
            continue
        s = (0.5 * (began + sweeps.end[j]) - course.start) / course.span
        z = between(course, i, Z, VZ, s)
        best[:] = np.inf
        _meet(optics, crowd, course.vids[i], z, began - course.start, level, rays, best)
        cast_into(scenery, rays[0], rays[1], rays[2], optics.far, walls)
        for b in range(beams):
            flat, far = rays[5, b], min(best[b], walls[b])
            ranges[b] = far / flat if far <= optics.far * flat and flat >= FLAT else np.inf
        disturb(optics, seed, course.vids[i], stream, sweeps.number[j], ranges)
