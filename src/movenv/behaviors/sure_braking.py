"""How hard vehicles can be counted on to brake where they are.

On soil that holds worse than usual a vehicle takes longer to stop. Such soil counts for whoever
would come to it if it braked as it can there: within the stopping way on that soil at its speed,
and what its turning circle takes. Who brakes comes nearer to it by no more than that way gets
shorter, so soil that does not count yet never begins to count while one brakes.
"""

import math
from typing import NamedTuple

import numpy as np

from movenv.behaviors.reserves import FIRM, MAX_STEER, SPEED, X, Y
from movenv.parts import Setup
from movenv.terrain.features import Terrain
from movenv.terrain.poor_soil import poor_soil_of
from movenv.world.columns import F8, Mask, Rows
from movenv.world.kernel import kernel

G = 9.80665
LEAST_BRAKING = 0.2
"""Share of its acceleration that one is taken to brake with in the worst terrain."""
HAIR = 0.01
"""Soil that is farther than what is counted on by less than this may count after a tick, m."""


class Holds(NamedTuple):
    """What the ground about vehicles lets them do; a row for each."""

    brake: F8
    """With what each can surely brake until it stands, m/s²."""
    firm: F8
    """With what it can where no poor soil is near, m/s²."""
    later: F8
    """The least that `brake` can be a tick later, m/s²."""
    under: F8
    """Grip where it is; at most the usual one."""
    around: F8
    """The poorest grip that counts."""
    soils: F8
    """(vehicles, 2, grips): how much farther than its circle each poor soil is, m, and how one
    brakes on it, m/s²; the poorest first."""


@kernel
def braking_after(body, then, soils):  # type: ignore[no-untyped-def]
    """The least that a vehicle which is so a tick later may be counted on to brake with, m/s².

    `soils` are those of its `Holds`.
    """
    if soils.shape[1] == 0:
        return body[FIRM]
    gone = math.sqrt((then[X] - body[X]) ** 2 + (then[Y] - body[Y]) ** 2) + HAIR
    way = 0.5 * math.sqrt(1.0 + 0.25 * body[MAX_STEER] ** 2) * then[SPEED] ** 2
    for k in range(soils.shape[1]):
        if soils[0, k] - gone <= way / soils[1, k]:
            return soils[1, k]
    return body[FIRM]


class SureBraking:
    """How hard everyone can brake; by rows of the roster."""

    def __init__(self, setup: Setup) -> None:
        roster, terrain = setup.roster, setup.terrain
        build = roster.build
        self._usual = terrain.grip
        self._poor = poor_soil_of(terrain)
        self.firm = _braking(setup, terrain.grip)
        self._on = np.array([_braking(setup, grip) for grip in self._poor.grips])
        self._on = self._on.reshape(-1, len(roster)).T
        most = np.where(build["max_steer"] > 0, build["max_steer"], 0.5)
        length = np.where(build["length"] > 0, build["length"], roster.length)
        self._slant = np.sqrt(1.0 + most**2 / 4)
        self._circle = 2.0 * self._slant * length / most
        pull = build["max_acceleration"]
        self._gain = np.where(pull > 0, pull, 1.0)
        unsaid = np.zeros(len(roster))
        # A model that does not say how it brakes obeys whatever the ground is like.
        self._minds = build.get("max_braking", unsaid) > 0

    def about(self, x: F8, y: F8, speed: F8, rows: Rows, period: float) -> Holds:
        """For vehicles of these rows of the roster, at places and speeds."""
        firm, on, slant = self.firm[rows], self._on[rows], self._slant[rows]
        count, grips = len(rows), len(self._poor.grips)
        if grips == 0 or not self._minds[rows].any():
            usual = np.full(count, self._usual)
            return Holds(firm, firm, firm, usual, usual, np.empty((count, 2, 0)))
        faster = speed + self._gain[rows] * period
        ways = (slant * faster**2)[:, None] / (2.0 * on) + (slant * faster * period)[:, None]
        ways += self._circle[rows][:, None] + HAIR
        within = np.where(self._minds[rows], ways.max(axis=1), 0.0)
        far = self._poor.far(x, y, np.nan_to_num(within))
        after = _poorest(far <= ways, on, firm)
        beyond = far - self._circle[rows][:, None]
        counts = beyond <= (slant * speed**2)[:, None] / (2.0 * on)
        brake = _poorest(counts, on, firm)
        around = _poorest(counts, np.broadcast_to(self._poor.grips, on.shape), self._usual)
        under = np.where(far == 0.0, self._poor.grips, self._usual).min(axis=1)
        soils = np.ascontiguousarray(np.stack([beyond, on], axis=1))
        return Holds(brake, firm, after, under, around, soils)


def _poorest(counts: Mask, values: F8, usual: F8 | float) -> F8:
    """Of each row the first value that counts, or the usual one."""
    first = counts.argmax(axis=1)
    some = counts[np.arange(len(counts)), first]
    found: F8 = np.where(some, values[np.arange(len(counts)), first], usual)
    return found


def _braking(setup: Setup, grip: float) -> F8:
    """How hard everyone can brake on soil of a grip, down the steepest slope there is, m/s²."""
    build = setup.roster.build
    slope = steepest(setup.terrain)
    downhill = G * slope / np.hypot(1.0, slope)
    none = np.zeros(len(setup.roster))
    pull = np.where(build["max_acceleration"] > 0, build["max_acceleration"], 1.0)
    braking = build.get("max_braking", none)
    sure = (grip * braking + G * build.get("rolling", none)) / np.hypot(1.0, slope) - downhill
    return np.where(braking > 0, np.maximum(sure, LEAST_BRAKING * pull), pull)


def steepest(terrain: Terrain) -> float:
    """The steepest slope that there may be."""
    # Of a hill height · (1 + cos(π r / R)) / 2; slopes of hills that overlap, and of the map
    # below them, may add up.
    of_map = 0.0 if terrain.relief is None else terrain.relief.steepest
    return of_map + sum(0.5 * np.pi * abs(hill.height) / hill.radius for hill in terrain.hills)
