"""Sweeps of laser scanners where the ground is uneven: every beam in three dimensions."""

import math
from typing import NamedTuple

import numpy as np

from movenv.sensors.crowd import Solids, solid_met
from movenv.sensors.sweep import Course, Optics, Sweeps, between, disturb, turn_of, turned
from movenv.terrain.features import Terrain
from movenv.terrain.relief_rays import Ground, ground_of, meet_ground
from movenv.terrain.seen import Seen
from movenv.terrain.storeys import Storey, meet_storey, storeys_of
from movenv.world.columns import F4
from movenv.world.kernel import kernel
from movenv.world.sensor import PITCH, ROLL, VX, VY, VZ, YAW, X, Y, Z

TOGETHER = 64
"""Scans whose beams are kept at a time."""


class Surroundings(NamedTuple):
    """All that stays where it is."""

    ground: Ground
    storeys: list[Storey]


def surroundings_of(terrain: Terrain) -> Surroundings:
    """Made once for a terrain."""
    return Surroundings(ground_of(terrain), storeys_of(terrain))


def ground_sweep(
    around: Surroundings, optics: Optics, solids: Solids, course: Course, due: Sweeps,
    first: int, last: int, seed: np.uint64, stream: np.uint64, out: F4,
) -> None:  # fmt: skip
    """Take scans `first` to `last` - 1; `out` is (vehicles, samples, beams).

    Where there are none, everything is compiled nevertheless.
    """
    beams = len(optics.angles)
    for low in range(first, max(last, first + 1), TOGETHER):
        high = min(low + TOGETHER, last)
        rays = np.empty(((high - low) * beams, 6))
        _aim(optics, course, due, low, high, rays)
        far = np.full(len(rays), np.nextafter(optics.far, np.inf))
        met = np.zeros(len(rays), np.uint8)
        for storey in around.storeys:
            meet_storey(storey.scenery, storey.low, storey.high, int(storey.seen), rays, far, met)
        meet_ground(around.ground, int(Seen.GROUND), rays, far, met)
        _finish(optics, solids, course, due, low, high, rays, far, seed, stream, out)


@kernel
def _aim(optics, course, due, first, last, rays):  # type: ignore[no-untyped-def]
    """Where each beam begins and points at its own instant."""
    beams, mount = len(optics.angles), optics.mount
    for k in range(first, last):
        i, began = due.row[k], due.end[k] - (beams - 1) * optics.step
        yaw_turn, pitch_turn, roll_turn = (
            turn_of(course, i, YAW), turn_of(course, i, PITCH), turn_of(course, i, ROLL),
        )  # fmt: skip
        for b in range(beams):
            at = (k - first) * beams + b
            s = (began + b * optics.step - course.start) / course.span
            yaw = course.before[YAW, i] + s * yaw_turn
            pitch = course.before[PITCH, i] + s * pitch_turn
            roll = course.before[ROLL, i] + s * roll_turn
            cy, sy, cp, sp = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
            cr, sr = math.cos(roll), math.sin(roll)
            east, north, up = turned(cy, sy, cp, sp, cr, sr, mount[0], mount[1], mount[2])
            rays[at, 0] = between(course, i, X, VX, s) + east
            rays[at, 1] = between(course, i, Y, VY, s) + north
            rays[at, 2] = between(course, i, Z, VZ, s) + up
            rays[at, 3], rays[at, 4], rays[at, 5] = turned(
                cy, sy, cp, sp, cr, sr,
                optics.beams[0, b], optics.beams[1, b], optics.beams[2, b],
            )  # fmt: skip


@kernel
def _finish(optics, solids, course, due, first, last, rays, far, seed, stream, out):  # type: ignore[no-untyped-def]
    """Shorten beams to the others, and make ranges of them."""
    beams = len(optics.angles)
    for k in range(first, last):
        i, begin = due.row[k], (k - first) * beams
        since = due.end[k] - (beams - 1) * optics.step - course.start
        x, y = rays[begin, 0], rays[begin, 1]
        latest = max(abs(since), abs(since + (beams - 1) * optics.step))
        strays = math.hypot(rays[begin + beams - 1, 0] - x, rays[begin + beams - 1, 1] - y)
        reach = optics.far + solids.widest + solids.fastest * latest + 2.0 * strays
        for c in range(np.searchsorted(solids.west, x - reach), solids.west.size):
            if solids.west[c] > x + reach:
                break
            if solids.vid[c] == course.vids[i] or abs(solids.middle[c, 1] - y) > reach:
                continue
            for b in range(beams):
                at = begin + b
                met = solid_met(
                    solids, c, since + b * optics.step, rays[at, 0], rays[at, 1], rays[at, 2],
                    rays[at, 3], rays[at, 4], rays[at, 5],
                )  # fmt: skip
                far[at] = min(far[at], met)
        ranges = out[i, due.sample[k]]
        for b in range(beams):
            reached = far[begin + b]
            ranges[b] = np.inf if reached > optics.far else reached
        disturb(optics, seed, course.vids[i], stream, due.number[k], ranges)
