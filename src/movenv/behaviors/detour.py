"""Round obstacles to a place that moves: for behaviors whose vehicles keep to a leader."""

from dataclasses import dataclass, replace

import numpy as np

from movenv.behaviors.cornering import Corners, onward
from movenv.behaviors.footing import Footing
from movenv.behaviors.guidance import can_stop, circle_steer, still, turn_radius
from movenv.behaviors.travel import ROUND, usual_clearance
from movenv.parts import Own, Proposal, Setup
from movenv.terrain.guide import Guide
from movenv.terrain.sightlines import ROOM
from movenv.world.columns import F8, Mask, Rows

RENEW = 0.1
"""A new way is looked for when the goal has moved by this share of what is left of the old one."""
GROUND = -1
"""The level of those that do not fly."""


@dataclass(frozen=True)
class Led:
    """Where vehicles are led: columns are vehicles, places (2, vehicles)."""

    leader: F8
    ahead: F8
    """The unit vector of where the leader travels."""
    by: F8
    """How far ahead of its station each heads, m."""
    height: F8


@dataclass(frozen=True)
class Course:
    """How vehicles get to their stations where obstacles are about."""

    station: F8
    """Moved where there is no room for it, or no way to it along the leader's."""
    to: F8
    bends: Mask
    """Who must go round something; of the others all that follows means nothing."""
    left: F8
    """How long the way is, m."""
    via: F8
    """The next place on it, ..."""
    after: F8
    """... and the one after that."""
    shut: Mask
    """Who knows of no way."""


class _Level:
    """The guide of vehicles for which the same obstacles are high enough to be in the way."""

    def __init__(self, rows: Rows, guide: Guide, near: F8) -> None:
        self.rows = rows
        self._guide = guide
        self._near = near
        self._goal: F8 = np.full((2, len(rows)), np.nan)

    def look(self, here: F8, active: Mask, station: F8, to: F8, led: Led) -> Course | None:
        """Columns are those of all vehicles; who is not `active` neither looks nor goes."""
        guide, rows = self._guide, self.rows
        place = np.where(active[rows], here[:, rows], np.nan)
        some = np.flatnonzero(active[rows])
        shut = some[~guide.open(some, place[:, some], self._beyond(station, to, led)[:, some])]
        station, to, bends = station.copy(), to.copy(), np.zeros(len(active), np.bool_)
        if len(shut):
            who = rows[shut]
            room = guide.find_room(
                shut, led.leader[:, who], led.ahead[:, who], led.by[who], station[:, who]
            )
            station[:, who], to[:, who] = room
            bends[who] = ~guide.open(shut, place[:, shut], to[:, who])
        self._aim(bends[rows], to[:, rows])
        guide.look(*place)
        if not len(shut):
            return None
        left, no_way = np.zeros(len(active)), np.zeros(len(active), np.bool_)
        via, after = np.full((2, 2, len(active)), np.nan)
        left[rows], no_way[rows] = guide.left, guide.no_way
        via[:, rows], after[:, rows] = guide.to, guide.after
        return Course(station, to, bends, left, via, after, bends & no_way)

    def _beyond(self, station: F8, to: F8, led: Led) -> F8:
        """What each must see to go straight: where it heads, and not behind the leader room beyond.

        Behind the leader one follows it out of anywhere; before a wall nobody could turn any more.
        """
        rows = self.rows
        ahead = led.ahead[:, rows]
        aside = (station - led.leader)[:, rows]
        leads = (aside * ahead).sum(axis=0) > -0.1 * np.hypot(*aside)
        beyond: F8 = to[:, rows] + np.where(leads, ROOM * self._near, 0.0) * ahead
        return beyond

    def _aim(self, bends: Mask, to: F8) -> None:
        """Tell the guide of new goals, of those that have moved far, and of those that are none."""
        moved = np.hypot(*(to - self._goal))
        enough = np.maximum(RENEW * np.nan_to_num(self._guide.left, posinf=0.0), self._near)
        new = bends & ~(moved < enough)
        old = ~bends & np.isfinite(self._goal[0])
        self._goal = np.where(new, to, np.where(old, np.nan, self._goal))
        rows = np.flatnonzero(new | old)
        if len(rows):
            self._guide.head_for(rows, *self._goal[:, rows])


def detour(setup: Setup, sight: F8, clearance: F8) -> "Detour | None":
    """A way round for vehicles of these settings; None where nothing stands in anybody's way.

    `clearance` is nan for the usual one.
    """
    if not setup.terrain.obstacles:
        return None
    return Detour(setup, sight, np.where(np.isnan(clearance), usual_clearance(setup), clearance))


class Detour:
    """Takes vehicles round what stands between them and their stations; one column a vehicle."""

    def __init__(self, setup: Setup, sight: F8, clearance: F8) -> None:
        """`sight` is how far each sees, `clearance` the radius of the circle round it, m."""
        roster, self._terrain = setup.roster, setup.terrain
        rows = np.searchsorted(roster.vids, setup.vids)
        self._kinds = [roster.kinds[k] for k in roster.kind[rows]]
        self._flies = np.array([kind.name == "aerial" for kind in self._kinds], np.bool_)
        self._clearance, self._sight = clearance, sight
        self._heights = np.unique([obstacle.height for obstacle in self._terrain.obstacles])
        level = np.where(self._flies, self._over(setup.began[2]), GROUND)
        # Drawn now as far as is known: in a large world that takes seconds, which no tick has.
        self._levels = {number: self._drawn(number) for number in self._low(level)}
        self._corners = Corners(clearance, Footing(setup))
        self._bends: Mask = np.zeros(len(rows), np.bool_)
        self._halt: F8 = np.full((2, len(rows)), np.nan)

    def look(self, own: Own, active: Mask, station: F8, to: F8, led: Led) -> Course | None:
        """How everyone gets to the place `to` ahead of its station; None where all see theirs.

        Whoever sees its place `to` past all obstacles goes there. For the others the station
        moves to where the leader sees it, so that a formation becomes a column where the leader
        squeezes through. What a vehicle learns depends on where it was active, on nobody else.
        """
        here: F8 = np.array([own.x, own.y])
        level = np.where(self._flies, self._over(np.minimum(own.z, led.height)), GROUND)
        for number in self._low(level[active]):
            if number not in self._levels:
                self._levels[number] = self._drawn(number)
        found: Course | None = None
        for number, obstacles in self._levels.items():
            mine = active & (level == number)
            course = obstacles.look(here, mine, station, to, led)
            if course is not None:
                found = course if found is None else _merged(found, course, mine)
        nobody = np.zeros(len(own), np.bool_)
        bends, shut = (nobody, nobody) if found is None else (found.bends, found.shut)
        self._corners.begin(bends & ~self._bends)
        self._bends = bends
        self._halt = np.where(shut, np.where(np.isnan(self._halt), here, self._halt), np.nan)
        return found

    def _over(self, z: F8) -> Rows:
        """How many of the heights of obstacles are no higher than z."""
        over: Rows = np.searchsorted(self._heights, z, "right")
        return over

    def _low(self, level: Rows) -> list[int]:
        """The levels at which anything stands in the way."""
        return [number for number in np.unique(level).tolist() if number != len(self._heights)]

    def _drawn(self, number: int) -> _Level:
        rows = np.flatnonzero(self._flies != (number == GROUND))
        z = 0.0 if number == GROUND else float(np.append(-np.inf, self._heights)[number])
        kinds, sizes = [self._kinds[row] for row in rows], (self._clearance, self._sight)
        guide = Guide(self._terrain, kinds, np.full(len(rows), z), *(s[rows] for s in sizes))
        guide.compile()
        return _Level(rows, guide, self._clearance[rows])

    def bent(self, own: Own, course: Course, straight: Proposal) -> Proposal:
        """A proposal with those who must go round something on their way."""
        assert straight.steer is not None
        assert straight.speed is not None
        assert straight.to is not None
        bends = course.bends
        steer, allowed = self._corners.toward(own, course.via, course.after)
        speed = np.maximum(np.minimum(straight.speed, allowed), own.min_speed)
        stands = course.shut & can_stop(own)
        circles = course.shut & ~stands
        radius = ROUND * turn_radius(own)
        turning = circle_steer(own, self._halt, still(len(own)), radius, np.ones(len(own)))
        steer = np.where(circles, turning, np.where(stands, 0.0, steer))
        speed = np.where(stands, 0.0, speed)
        return replace(
            straight,
            steer=np.where(bends, steer, straight.steer),
            speed=np.where(bends, speed, straight.speed),
            to=np.where(bends, onward(own, course.via, course.after, self._clearance), straight.to),
        )


def _merged(one: Course, other: Course, of_other: Mask) -> Course:
    names = ("station", "to", "bends", "left", "via", "after", "shut")
    return Course(*(np.where(of_other, getattr(other, n), getattr(one, n)) for n in names))
