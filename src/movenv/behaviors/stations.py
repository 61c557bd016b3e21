"""Keeping a place in a formation: for behaviors whose vehicles follow a leader."""

from dataclasses import dataclass, replace

import numpy as np

from movenv.behaviors.detour import Course, Detour, Led
from movenv.behaviors.guidance import Approach, circle_steer, slowing, turn_radius
from movenv.behaviors.muster import Formation, Muster, direction
from movenv.behaviors.shapes import SHAPES, Side
from movenv.parts import Moment, Own, Proposal, Setup, VehicleStates, pitch_toward, steer_toward
from movenv.world.columns import F8, U4, Mask, Rows

__all__ = ["SHAPES", "Keeping", "Stations"]

SPACING = 4.0
"""Between neighbours, where nobody says, in lengths of the longest vehicle."""
AHEAD = 2.0
"""The fixed part of the projection, where nobody says, in lengths."""
WAITS = 2.0
"""How near counts as close, where nobody says, in spacings."""
STRAGGLES = 8.0
"""How far off is a straggler, where nobody says, in spacings."""
CLOSES = 0.3
"""Share of the cruising speed with which followers close up to a leader that stands."""
STILL = 0.1
"""A leader slower than this stands, m/s."""
THERE = 0.5
"""Who is within so many lengths of its station while the leader stands stays where it is."""
SLOWER = 0.95
"""Below this share of its lowest speed a follower cannot stay with a leader."""
ROUND = 2.0
"""Who cannot go as slowly as the leader circles with so many times the turning radius."""
WEAVE = 0.5
"""Who weaves goes ahead with no less than this share of its speed."""


@dataclass(frozen=True)
class Keeping:
    """How followers keep their stations; nan for what suits the vehicle."""

    p_s: float = 1.5
    """Stations are projected by so many seconds of the leader's way, s, ..."""
    p_o: float = np.nan
    """... and so many metres, m."""
    e_max: float = np.nan
    """Who is ahead of the projected station by less waits for it, m."""
    straggler: float = np.nan
    """Who is farther from its station hurries back to it, m."""
    speed: float = np.nan
    """Limit, m/s; nan for what the vehicle can do."""
    side: Side = "right"
    """Where an echelon trails."""
    points: tuple[tuple[float, float], ...] = ()
    """Stations in place of a shape: ahead and to the left of the leader, m."""


USUAL = Keeping()


@dataclass(frozen=True)
class _Led:
    """Of each vehicle its leader and its station; its own self where it follows nobody."""

    leader: F8
    """Where it is, (2, vehicles)."""
    station: F8
    """s, (2, vehicles)."""
    velocity: F8
    """(2, vehicles)."""
    speed: F8
    """|v_l|."""
    ahead: F8
    """The unit vector d_l of where the leader travels, (2, vehicles)."""
    height: F8


class Stations:
    """The stations that vehicles keep; one column a vehicle."""

    def __init__(self, setup: Setup, detour: Detour | None = None) -> None:
        """Without `detour` everyone goes straight to its station."""
        count = len(setup.vids)
        self._vids = setup.vids
        self._detour = detour
        self._roster = setup.roster
        self._length = setup.abilities["length"]
        kinds = np.array([kind.name for kind in setup.roster.kinds])
        self._medium = kinds[setup.roster.kind]
        """Of each row of the roster what it is: ground, aerial, ..."""
        self._own_medium = self._medium[np.searchsorted(setup.roster.vids, setup.vids)]
        self._formation = np.full(count, -1)
        """Of each the place in `_formations`, -1 for none."""
        self._formations: list[Formation] = []
        self._muster: Muster | None = None
        self._column = np.full(count, -1)
        """Of each the column in the muster, -1 for a leader."""
        self._approach = Approach(count)
        self._height = np.full(count, np.nan)
        names = ("p_s", "p_o", "e_max", "straggler", "speed")
        self._how = {name: np.full(count, np.nan) for name in names}

    def form(
        self,
        rows: Rows,
        leader: int,
        members: U4,
        shape: str,
        spacing: float,
        how: Keeping = USUAL,
    ) -> None:
        """Have some vehicles keep to a leader in a formation of all `members`, leader included.

        `spacing` may be nan for some lengths of the longest of them. While the leader is not
        heard, the lowest of the other members that is leads in its place.
        """
        followers = np.unique(members[members != leader])
        strangers = np.setdiff1d(self._vids[rows], members)
        if len(strangers):
            raise ValueError(f"vid {strangers[0]} is no member of its formation")
        if how.points and len(how.points) < len(followers):
            raise ValueError(f"{len(followers)} followers but {len(how.points)} stations")
        length = self._roster.length[np.searchsorted(self._roster.vids, members)].max()
        spacing = float(SPACING * length if np.isnan(spacing) else spacing)
        vids = tuple(followers.tolist())
        made = Formation(int(leader), vids, shape, spacing, how.side, how.points)
        made.stations(len(followers))
        self.leave(rows)
        if not vids:
            return
        if made not in self._formations:
            self._formations.append(made)
        self._formation[rows] = self._formations.index(made)
        self._take_up(rows, spacing, how)

    def _take_up(self, rows: Rows, spacing: float, how: Keeping) -> None:
        """Keep to these numbers from now on."""
        usual = {"p_o": AHEAD * self._length[rows], "e_max": WAITS * spacing}
        usual |= {"straggler": STRAGGLES * spacing}
        for name, column in self._how.items():
            given = getattr(how, name)
            column[rows] = usual.get(name, given) if np.isnan(given) else given
        self._height[rows] = np.nan
        begins = np.zeros(len(self._vids), np.bool_)
        begins[rows] = True
        self._approach.begin(begins)

    def leave(self, rows: Rows) -> None:
        """These keep no station any more."""
        self._formation[rows] = -1
        self._muster = None

    def keep(self, own: Own, others: VehicleStates, moment: Moment) -> Proposal:
        """What takes everyone to their stations; active for those in a formation who follow."""
        active = np.zeros(len(own), np.bool_)
        muster = self._mustered()
        if muster is None:
            return Proposal(active, None, None, None)
        muster.look(others)
        active = (self._column >= 0) & muster.follows[self._column]
        return self._follow(own, active, self._led(own, active, muster, others))

    def _mustered(self) -> Muster | None:
        """The formations that anybody here is in."""
        if self._muster is None and (self._formation >= 0).any():
            used, place = np.unique(self._formation, return_inverse=True)
            kept = [self._formations[i] for i in used if i >= 0]
            self._formations = kept
            self._formation = place - (len(used) - len(kept))
            self._muster = Muster(kept)
            flat = zip(self._muster.formation.tolist(), self._muster.vid.tolist(), strict=True)
            where = {pair: i for i, pair in enumerate(flat)}
            pairs = zip(self._formation.tolist(), self._vids.tolist(), strict=True)
            self._column = np.array([where.get(pair, -1) for pair in pairs], np.intp)
        return self._muster

    def _led(self, own: Own, active: Mask, muster: Muster, others: VehicleStates) -> _Led:
        """Where each one's leader and station are."""
        row = muster.leader[self._formation[active]]
        ahead: F8 = np.array([np.cos(own.yaw), np.sin(own.yaw)])
        station: F8 = np.array([own.x, own.y])
        leader, velocity, height = station.copy(), np.zeros((2, len(own))), own.z.copy()
        cos, sin = direction(others, row)
        leader[:, active] = others.x[row], others.y[row]
        ahead[:, active] = cos, sin
        forward, left = muster.stations[:, self._column[active]]
        station[0, active] = others.x[row] + cos * forward - sin * left
        station[1, active] = others.y[row] + sin * forward + cos * left
        velocity[:, active] = others.vx[row], others.vy[row]
        self._height = np.where(np.isnan(self._height), own.z, self._height)
        medium = self._medium[np.searchsorted(self._roster.vids, others.vid[row])]
        alike = medium == self._own_medium[active]
        height[active] = np.where(alike, others.z[row], self._height[active])
        return _Led(leader, station, velocity, np.hypot(*velocity), ahead, height)

    def _follow(self, own: Own, active: Mask, led: _Led) -> Proposal:
        """Toward the projected station, the faster the farther it is.

        With |v_l| the leader's speed and p_mag = p_s · |v_l| + p_o, a follower heads for the
        point p_mag ahead of its station, e away, at |v_l| · |e| / p_mag: on its station just as
        fast as the leader. Below a closing speed v_c the projection shrinks with |v_l| and v_c
        stands in its place, so that a formation closes up behind a leader that stands.
        """
        how, limit = self._how, self._limit(own)
        pace = np.maximum(led.speed, np.minimum(CLOSES * own.cruise_speed, limit))
        share = led.speed / np.maximum(pace, 1e-9)
        p_mag = np.where(active, how["p_s"] * led.speed + how["p_o"], 1.0)
        here: F8 = np.array([own.x, own.y])
        led, to, course = self._course(own, active, led, share * p_mag)
        e = to - here
        far, off = np.hypot(*e), np.hypot(*(led.station - here))
        stays = self._stays(own, led, e, share)
        if course is not None:
            far, off = np.where(course.bends, course.left, [far, off])
            stays &= ~course.bends
        rejoins = active & (off > how["straggler"])
        speed = np.where(rejoins, limit, pace * far / np.maximum(p_mag, 1e-9))
        speed = np.minimum(speed, led.speed + slowing(own, off))
        # Without way nobody climbs: whoever is too low or too high beside a leader that stands
        # circles until it is not.
        climbs = (own.max_pitch > 0) & (np.abs(led.height - own.z) > THERE * own.length)
        slowest = np.where(climbs, np.maximum(own.min_speed, pace * (1.0 - share)), own.min_speed)
        steer = self._approach.steer(own, e[0], e[1], THERE * own.length)
        steer, speed = np.where(stays, 0.0, steer), np.where(stays, 0.0, speed)
        steer = np.where(slowest > 0, _flown(own, slowest, led, steer, speed, off), steer)
        speed = np.clip(speed, slowest, limit)
        to[:, ~active] = np.nan
        pitch = pitch_toward(own, led.height)
        straight = Proposal(active, steer, speed, pitch, to=to, rejoins=rejoins, guided=active)
        if self._detour is None or course is None:
            return straight
        return self._detour.bent(own, course, straight)

    def _limit(self, own: Own) -> F8:
        fastest = np.where(own.max_speed > 0, own.max_speed, own.cruise_speed)
        given = self._how["speed"]
        return np.where(np.isnan(given), fastest, np.minimum(given, fastest))

    def _course(self, own: Own, active: Mask, led: _Led, by: F8) -> tuple[_Led, F8, Course | None]:
        """Stations where there is room, the places so far ahead of them, and the ways there."""
        to = led.station + by * led.ahead
        if self._detour is None:
            return led, to, None
        where = Led(led.leader, led.ahead, by, led.height)
        course = self._detour.look(own, active, led.station, to, where)
        if course is None:
            return led, to, None
        return replace(led, station=course.station), course.to, course

    def _stays(self, own: Own, led: _Led, e: F8, share: F8) -> Mask:
        """Who does not move: close to the projected station and ahead of it, |e| < e_max and
        e · d_l < 0, or there while the leader stands."""
        there = THERE * own.length
        e_max = np.where(np.isnan(self._how["e_max"]), 0.0, self._how["e_max"])
        close = np.hypot(*e) < share * e_max + (1.0 - share) * there
        past = (e * led.ahead).sum(axis=0) < 0
        stays: Mask = close & (past | (led.speed < STILL))
        return stays


def _flown(own: Own, slowest: F8, led: _Led, steer: F8, speed: F8, off: F8) -> F8:
    """Steer for those that cannot go as slowly as they should: they weave, or circle."""
    count = len(own)
    radius = ROUND * turn_radius(own)
    circle = circle_steer(own, led.station, led.velocity, radius, np.ones(count))
    course = np.arctan2(led.ahead[1], led.ahead[0])
    left = led.ahead[0] * (own.y - led.station[1]) - led.ahead[1] * (own.x - led.station[0])
    # Out to one side until that is too far, then to the other.
    side = np.where(np.sin(own.yaw - course) < 0, -1.0, 1.0)
    side = np.where(np.abs(left) > radius, -np.sign(left), side)
    slow = speed < slowest
    aside = np.arccos(np.clip(speed / np.maximum(slowest, 1e-9), WEAVE, 1.0))
    weave = steer_toward(own, course + side * aside)
    lame = led.speed < SLOWER * slowest
    return np.where(lame & (off < 2 * radius), circle, np.where(slow & ~lame, weave, steer))
