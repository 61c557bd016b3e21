"""Avoid by the constant-velocity rule: bend the wished velocity so that all pass at a distance.

Of each threat (see `threats`) the wished velocity is changed by

    sgn(d) · G · (d_min − |d|) / max(t, t_min) · n

with n the unit vector of v_r turned clockwise by 90°. The remedies for what the rule alone leaves
open are told in docs/explanation/avoidance.md.
"""

import numpy as np
import shapely

from movenv.behaviors.ahead import first_of_each
from movenv.behaviors.bending import AGAIN, TURNED, WISHED, Bend, held
from movenv.behaviors.cells import Cells, cell_width, in_cells
from movenv.behaviors.guidance import numbers
from movenv.behaviors.leeway import INSIDE, Leeway
from movenv.behaviors.sides import Sides
from movenv.behaviors.threats import Threats, fixed_threats, joined, sights, threats
from movenv.parts import (
    Moment,
    Notices,
    Own,
    Proposal,
    Setup,
    VehicleStates,
    Wish,
    steer_toward,
    wrapped,
)
from movenv.terrain.features import STOPS
from movenv.world.behavior import SETTLE_TIME
from movenv.world.columns import F8, Mask, Rows, VidIndex
from movenv.world.random_streams import uniform

POINTS = ("tree", "tower")
"""Obstacles that are points with a radius."""
LOOK_AHEAD = 10.0
"""How far vehicles see if nothing is said: what they can drive in so many seconds."""
DIFFERENT = 0.05
"""By this share at most the gains of two vehicles differ from what was set."""
SLOWER = 0.5
"""How much slower, as a share, those are who have not agreed on a side at all."""


class ConstantVelocity:
    """The rule for all vehicles that chose it; `setup` has only those."""

    def __init__(self, setup: Setup) -> None:
        roster = setup.roster
        rows = np.searchsorted(roster.vids, setup.vids)
        self._index = VidIndex(roster.vids)
        self._length = roster.length
        units = np.array(roster.unit or [-1] * len(roster))
        self._units, self._unit = units, units[rows]
        self._p_max = sights(setup, LOOK_AHEAD)
        self._width = cell_width(self._p_max)
        d_min = numbers(setup, "d_min")
        self._given = ~np.isnan(d_min)
        self._room = np.where(self._given, d_min, roster.length[rows])
        vary = 2.0 * uniform(0, setup.vids, "avoid gain", 0) - 1.0
        self._gain = setup.config.gain * (1.0 + DIFFERENT * vary)
        self._t_min = setup.config.t_min
        self._sides = Sides()
        self._fixed = _fixed_points(setup, rows, self._width / 2)
        self._leeway = Leeway(setup)
        self._back: F8 = np.full(len(rows), np.nan)
        """The course of the way back that was found for each; nan where none was needed."""

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        self._sides.forget(own.vid[begins])
        self._back = np.where(begins, np.nan, self._back)

    def refine(
        self, own: Own, wish: Wish, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        velocity = _able(own, wish.velocity(own))
        moving = self._vehicles(own, wish, velocity, others)
        still = self._obstacles(own, wish, velocity)
        side, agreed = self._sides.of(own, velocity, others, moving)
        side = np.concatenate([side, np.where(still.d < 0.0, -1.0, 1.0)])
        both = joined([moving, still])
        slow = np.ones(len(own))
        np.minimum.at(slow, moving.row, 1.0 - SLOWER * (1.0 - agreed))
        active = np.zeros(len(own), np.bool_)
        active[both.row] = True
        least = held(own, others, moving, side[: len(moving.row)])
        bend = Bend(velocity, self._change(both, side, len(own)), slow, least)
        course, speed = bend.by(own)
        if self._leeway.needed:
            self._keep_out(own, wish, bend, moment, active, course, speed)
        return Proposal(active, steer_toward(own, course), speed, None)

    def _keep_out(
        self, own: Own, wish: Wish, bend: Bend, moment: Moment, active: Mask, course: F8, speed: F8
    ) -> None:
        """Change what is asked of those whom it would lead into walls.

        Who has yet to turn to its way is looked after even where nobody is in it, for it may have
        been led off it.
        """
        aside = wish.wished & (np.abs(wrapped(bend.course - own.yaw)) > TURNED)
        rows = np.flatnonzero(active | aside)
        some, lone = own.some(rows), ~active[rows]
        home, back = bend.course[rows], self._back[rows]
        back = np.where(np.isnan(back), home, back)
        courses, speeds = bend.some(rows).choices(some, back)
        turn = wish.steer[rows] * np.maximum(some.speed, 0.1) * SETTLE_TIME / some.length
        courses[0] = np.where(lone, some.yaw + turn, courses[0])
        speeds[0] = np.where(lone, wish.speed[rows], speeds[0])
        far = np.hypot(wish.to[0] - own.x, wish.to[1] - own.y)[rows]
        far = np.where(np.isnan(far), np.inf, far)
        choice = self._leeway.choose(own, rows, courses, speeds, WISHED, far, moment.period)
        self._back[:] = np.nan
        self._back[rows] = np.where(choice < 0, np.nan, np.where(choice < AGAIN, home, back))
        bound = np.flatnonzero(choice >= 0)
        picked = choice[bound], bound
        course[rows[bound]], speed[rows[bound]] = courses[picked], speeds[picked]
        # Who is in nobody's way is left alone as long as it can go as is wished.
        active[rows] = np.where(lone, choice > 0, choice != INSIDE)

    def _change(self, found: Threats, side: F8, count: int) -> F8:
        """By what everyone's velocity is to change, (2, vehicles): what its worst threat asks for.

        In crowds that comes out better than the sum, in which threats from both sides cancel.
        """
        soon = np.maximum(found.t, self._t_min[found.row])
        short = np.maximum(found.d_min - side * found.d, 0.0)
        asked = side * self._gain[found.row] * short / soon
        # n is (north, -east) of v_r.
        along = [asked * found.north, -asked * found.east]
        row, worst = first_of_each(found.row, -np.abs(asked), *along)
        change = np.zeros((2, count))
        change[:, row] = worst
        return change

    def _vehicles(self, own: Own, wish: Wish, velocity: F8, others: VehicleStates) -> Threats:
        """Threats by other vehicles, less the unit that one is on its way back to."""
        known = self._index.rows(others.vid)
        size = np.where(known < 0, 0.0, self._length[known])
        share = np.where(self._given, 0.0, 1.0)
        found = threats(
            np.array([own.x, own.y, own.z, *velocity, self._p_max, self._room, share, own.vid]),
            np.array([others.x, others.y, others.z, others.z, others.vx, others.vy, size,
                      others.vid]),
            in_cells(others.x, others.y, self._width),
        )  # fmt: skip
        unit = self._unit[found.row]
        returns = wish.rejoins[found.row] & (unit >= 0)
        away = ~(returns & (unit == self._units[known[found.other]]))
        return found.some(away & _before_goal(own, wish, velocity, found))

    def _obstacles(self, own: Own, wish: Wish, velocity: F8) -> Threats:
        """Threats by trees and towers, beside which half of d_min is left."""
        room = np.where(self._given, self._room / 2, self._room)
        one, nobody = np.ones(len(own)), np.zeros(len(own))
        mine = np.array([own.x, own.y, own.z, *velocity, self._p_max, room, one, nobody])
        parts = []
        for rows, theirs, cells in self._fixed:
            found = fixed_threats(np.ascontiguousarray(mine[:, rows]), theirs, cells)
            parts.append(found._replace(row=rows[found.row]))
        found = joined(parts)
        return found.some(_before_goal(own, wish, velocity, found))


def _able(own: Own, velocity: F8) -> F8:
    """The same direction at a speed that the vehicle can go."""
    speed = np.hypot(*velocity)
    still = speed < 1e-9
    direction = np.where(still, [np.cos(own.yaw), np.sin(own.yaw)], velocity)
    direction = direction / np.where(still, 1.0, speed)
    able: F8 = direction * np.clip(speed, own.min_speed, own.max_speed)
    return able


def _before_goal(own: Own, wish: Wish, velocity: F8, found: Threats) -> Mask:
    """Which threats one meets before the place it is heading for."""
    far = np.hypot(wish.to[0] - own.x, wish.to[1] - own.y)[found.row]
    way = np.hypot(*velocity)[found.row] * found.t
    before: Mask = ~(way > far)
    return before


def _fixed_points(setup: Setup, rows: Rows, width: float) -> list[tuple[Rows, F8, Cells]]:
    """The points that stop vehicles, by kind of vehicle: whom they stop, and they themselves."""
    roster = setup.roster
    names = np.array([kind.name for kind in roster.kinds])[roster.kind[rows]]
    found = []
    for name in np.unique(names):
        stop = STOPS[name]
        there = [o for o in setup.terrain.obstacles if o.kind in POINTS and o.kind in stop][::-1]
        if not there:
            continue
        middle = shapely.get_coordinates(shapely.centroid([o.ground for o in there])).T
        radius = np.sqrt(shapely.area([o.ground for o in there]) / np.pi)
        nothing = np.zeros(len(there))
        height = np.array([o.height for o in there])
        nobody = nothing - 1.0
        theirs = np.array([*middle, nothing - np.inf, height, nothing, nothing, radius, nobody])
        cells = in_cells(middle[0], middle[1], width)
        found.append((np.flatnonzero(names == name), theirs, cells))
    return found
