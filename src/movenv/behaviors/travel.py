"""Vehicles on their way along places, round what stands between: for behaviors that go there."""

import numpy as np

from movenv.behaviors.cornering import Corners, onward, speed_before
from movenv.behaviors.footing import Footing
from movenv.behaviors.guidance import (
    Approach,
    can_stop,
    circle_steer,
    nearest_on_way,
    still,
    tightest,
    turn_radius,
    wanted_speed,
)
from movenv.behaviors.itinerary import Itinerary, Journey, NoRoad, Stages
from movenv.parts import Own, Proposal, Remark, Setup
from movenv.terrain.guide import Guide
from movenv.terrain.roads import network_of
from movenv.world.columns import F8, Mask, Rows
from movenv.world.orders import Roads, place_words

ROUND = 2.0
"""Who cannot stop circles with so many times the turning radius."""
MARGIN = 1.0
"""How much room there is between a vehicle and an obstacle where nobody says, m; for small ones
half of their length."""
MOST_AHEAD = 24
"""So many places ahead are looked at for bends, as far as braking takes."""
SPARE = 10.0
"""Bends this much farther off than braking takes are looked at, m."""
SAME = 0.01
"""Places this near to each other are one, m."""


def usual_clearance(setup: Setup) -> F8:
    """Half of each vehicle's length and a margin, or half of its turning radius where that is more.

    With less a square corner would lead it off its way by more than it may. Who cannot stop has
    its whole turning radius for a margin.
    """
    build = setup.abilities
    half, radius = build["length"] / 2, tightest(build["length"], build["max_steer"])
    stops = np.maximum(half + np.minimum(half, MARGIN), radius / 2)
    clearance: F8 = np.where(build["min_speed"] > 0, half + radius, stops)
    return clearance


class Travel:
    """Where each vehicle of a behavior is going; one column a vehicle."""

    def __init__(self, setup: Setup, sight: F8, clearance: F8) -> None:
        """`sight` is how far each sees, `clearance` the radius of the circle round it, m."""
        count = len(setup.vids)
        roster, terrain = setup.roster, setup.terrain
        rows = np.searchsorted(roster.vids, setup.vids)
        kinds = [roster.kinds[k] for k in roster.kind[rows]]
        self._flies = np.array([kind.name == "aerial" for kind in kinds])
        self._heights = np.unique([obstacle.height for obstacle in terrain.obstacles])
        self._lowest: F8 = setup.began[2].copy()
        # Charts and networks of large worlds take seconds, which no tick has.
        self._clearance = clearance
        self._guide = Guide(terrain, kinds, self._lowest, clearance, sight)
        self._network = network_of(terrain)
        self._waiting: list[tuple[int, Rows, Journey]] = []
        """Who is yet to set out, and where to; the number says when that was told."""
        self._told, self._last_told = 0, np.zeros(count, np.intp)
        self._itinerary = Itinerary(count)
        self._approach, self._corners = Approach(count), Corners(clearance, Footing(setup))
        self._going, self._stops = np.zeros((2, count), np.bool_)
        self._within, self._z = np.ones(count), np.zeros(count)
        self._before, self._from, self._halt = np.full((3, 2, count), np.nan)
        self._said: list[tuple[int, str]] = []
        self.arrived: Mask = np.zeros(count, np.bool_)
        self.no_way: Mask = np.zeros(count, np.bool_)
        """Who knows that there is no way to the next place; it stops there, or circles."""

    def go(
        self,
        rows: Rows,
        places: F8,
        speed: float | F8,
        within: float,
        roads: Roads,
        *,
        stop: bool = True,
        laps: float | None = None,
        first: int = 0,
    ) -> None:
        """Send some vehicles along places (n, 3), z nan to keep one's height.

        `speed`, that of all or one for the way to each place, is nan for the cruising speed; so
        near as `within` m is there. With `stop` they slow down for it. `laps`, which may be inf,
        lead on from the last place to the first, so often. `first` is the place to begin with, as
        many as there are for the first again, at the end of a lap. Aircraft fly round what is
        higher than the lowest height of their way, that at which they set out included.
        """
        fast = np.broadcast_to(np.asarray(speed, float), (len(places),))
        self._tell(rows, within, stop)
        journey = self._journey(places, fast, roads, laps, first)
        self._waiting.append((self._told, rows, journey))

    def go_each(
        self, rows: Rows, places: F8, speed: float, within: float, roads: Roads, *, stop: bool
    ) -> None:
        """As `go`, with one place (vehicles, 3) for each."""
        self._tell(rows, within, stop)
        fast = np.array([speed])
        for k in range(len(rows)):
            journey = self._journey(places[k : k + 1], fast, roads, None)
            self._waiting.append((self._told, rows[k : k + 1], journey))

    def _journey(
        self, places: F8, speed: F8, roads: Roads, laps: float | None, first: int = 0
    ) -> Journey:
        return Journey(np.asarray(places, float), speed, roads, self._network, laps, first)

    def _tell(self, rows: Rows, within: float, stop: bool) -> None:
        """These set out anew; what they were told before is of the past."""
        self._told += 1
        self._last_told[rows] = self._told
        self._within[rows], self._stops[rows] = within, stop
        self.arrived[rows] = self.no_way[rows] = self._going[rows] = False

    def stop(self, rows: Rows) -> None:
        """These are no longer under way."""
        self._last_told[rows] = 0
        self.arrived[rows] = self.no_way[rows] = self._going[rows] = False
        self._rest(rows)

    def look(self, own: Own) -> Mask:
        """Take note of who has come to its last place; who has arrived, which is kept."""
        if self._going.any():
            place, _, _ = self._itinerary.place()
            under_way = self._going & ~self.no_way
            self.arrived |= under_way & self._itinerary.last & self._there(own, place)
        return self.arrived

    def left(self, own: Own) -> tuple[Mask, F8, F8]:
        """Who is under way, to which place (2, vehicles), and how far that still is, m."""
        climbs = np.where(own.max_pitch > 0, np.abs(self._z - own.z), 0.0)
        under_way: Mask = self._going & ~self.arrived & ~self.no_way
        return under_way, self._itinerary.place()[0][:2], self._guide.left + climbs

    def steer(self, own: Own) -> Proposal:
        """What takes everyone there; active for those under way, and for who stands there."""
        self._set_out(own)
        if not self._going.any():
            return Proposal(self._going, None, None, None)
        self._go_on(own)
        return self._drive(own)

    def remarks(self, own: Own) -> list[Remark]:
        """That there is no way, said once for each vehicle and place."""
        said, self._said = self._said, []
        return [Remark(int(own.vid[row]), text) for row, text in said]

    def _set_out(self, own: Own) -> None:
        """Find the stages for those who were told to go; the only loop over vehicles."""
        here = np.isfinite(own.x)
        waiting, self._waiting, begins = self._waiting, [], np.zeros(len(own), np.bool_)
        given: list[tuple[Rows, Stages]] = []
        for number, rows, journey in waiting:
            rows = rows[self._last_told[rows] == number]
            if not here[rows].all():  # somebody real that was never heard
                self._waiting.append((number, rows[~here[rows]], journey))
            rows = rows[here[rows]]
            begins[rows] = True
            for some in [rows] if journey.roads == "off" else rows[:, None]:
                if len(some):
                    try:
                        given.append((some, journey.stages(own.x[some[0]], own.y[some[0]])))
                    except NoRoad as no_road:
                        self._give_up(own, some, str(no_road))
        if begins.any():
            self._begin(own, begins, given)

    def _begin(self, own: Own, begins: Mask, given: list[tuple[Rows, Stages]]) -> None:
        self._going |= begins
        self._approach.begin(begins)
        self._corners.begin(begins)
        self._before, self._from = np.where(begins, [own.x, own.y], [self._before, self._from])
        self._z = np.where(begins, own.z, self._z)
        lowest = np.where(begins, own.z, self._lowest)
        for rows, stages in given:
            heights = stages.places[:, 2]
            low = np.min(heights, where=~np.isnan(heights), initial=np.inf)
            lowest[rows] = np.minimum(lowest[rows], low)
        self._itinerary.begin(given)
        self._fly(lowest)
        self._head_for(np.flatnonzero(begins & ~self.no_way))

    def _fly(self, lowest: F8) -> None:
        """Tell the guide of these heights; who flies lower or higher than before learns anew."""
        over = [np.searchsorted(self._heights, z, "right") for z in (lowest, self._lowest)]
        rows = np.flatnonzero(self._flies & (over[0] != over[1]))
        if len(rows):
            self._lowest[rows] = lowest[rows]
            self._guide.fly(rows, lowest[rows])

    def _head_for(self, rows: Rows) -> None:
        """Tell the guide of the places that some are on their way to now."""
        if len(rows):
            place, _, _ = self._itinerary.place()
            self._guide.head_for(rows, place[0, rows], place[1, rows])
            height = place[2, rows]
            self._z[rows] = np.where(np.isnan(height), self._z[rows], height)

    def _rest(self, rows: Rows) -> None:
        """The guide need not think of these any more."""
        if len(rows):
            nowhere = np.full(len(rows), np.nan)
            self._guide.head_for(rows, nowhere, nowhere)

    def _seen_from(self, own: Own) -> tuple[F8, F8]:
        """Where those under way look around; nobody else learns, whoever shares the host."""
        return np.where(self._going, own.x, np.nan), np.where(self._going, own.y, np.nan)

    def _there(self, own: Own, place: F8) -> Mask:
        """Who has come near enough to its place since it was looked at last."""
        now: F8 = np.array([own.x, own.y])
        near = nearest_on_way(self._before, now, place[:2]) <= self._within
        level = (own.max_pitch <= 0) | ~(np.abs(own.z - place[2]) > self._within)
        there: Mask = near & level
        return there

    def _go_on(self, own: Own) -> None:
        """Arrivals, next places, and whoever learns that there is no way."""
        guide = self._guide
        before = self.arrived.copy()
        self._rest(np.flatnonzero(self.look(own) & ~before))
        place, _, via = self._itinerary.place()
        under_way = self._going & ~self.arrived & ~self.no_way
        passed = self._there(own, place) | (via & self._passes(own, place))
        self._next(own, under_way & passed & ~self._itinerary.last)
        self._before = np.array([own.x, own.y])
        guide.look(*self._seen_from(own))
        blocked = under_way & guide.no_way
        while blocked.any():
            place, _, via = self._itinerary.place()
            for row in np.flatnonzero(blocked & ~via):
                text = f"no way to {place_words(*place[:2, row])}: obstacles shut it off"
                self._give_up(own, np.array([row]), text)
            self._next(own, blocked & via)  # the road itself is blocked: on to where it is not
            guide.look(*self._seen_from(own))
            blocked &= via & guide.no_way

    def _passes(self, own: Own, place: F8) -> Mask:
        """Who has come past its place, where its way bends."""
        onward, way = self._itinerary.place(1)[0][:2] - place[:2], place[:2] - self._from
        middle = sum(line / np.maximum(np.hypot(*line), 1e-9) for line in (onward, way))
        past: Mask = ((np.array([own.x, own.y]) - place[:2]) * middle).sum(axis=0) >= 0.0
        return past

    def _next(self, own: Own, who: Mask) -> None:
        rows = np.flatnonzero(who)
        if len(rows):
            self._from[:, rows] = self._itinerary.place()[0][:2, rows]
            self._itinerary.go_on(rows)
            self._head_for(rows)

    def _give_up(self, own: Own, rows: Rows, text: str) -> None:
        self.no_way[rows] = True
        self._halt[:, rows] = own.x[rows], own.y[rows]
        self._said += [(int(row), text) for row in rows]

    def _drive(self, own: Own) -> Proposal:
        guide = self._guide
        place, speed, via = self._itinerary.place()
        beyond, last = self._itinerary.place(1)[0][:2], self._itinerary.last
        straight = np.hypot(*(guide.to - place[:2])) < SAME
        after = np.where(straight, beyond, guide.after)
        to = np.where(self._going & ~self.arrived & ~self.no_way, guide.to, place[:2])
        steer, allowed = self._corners.toward(own, to, after, self._from)
        fast = np.minimum(wanted_speed(own, speed), self._in_time(own, allowed))
        stop = self._stops & can_stop(own) & last
        there: F8 = np.array([*place[:2], self._z])
        toward = self._approach.toward(own, there, still(len(own)), self._within, fast, stop)
        exact = straight & ~via | self.arrived
        steer = np.where(exact, toward[0], steer)
        room = guide.left - np.where(exact, self._within / 2, 0.0)
        halting = speed_before(np.zeros(len(own)), room, self._corners.brake)
        slow = np.where(exact, toward[1], fast)
        slow = np.where(stop & ~self.arrived, np.minimum(slow, halting), slow)
        ahead = (place[0] - own.x) * np.cos(own.yaw) + (place[1] - own.y) * np.sin(own.yaw)
        # Who has shot past its place stands where it comes to rest: nobody knows what is behind it.
        stands = can_stop(own) & (self.no_way | (self.arrived & self._stops & (ahead < 0)))
        circles = (self.no_way & ~stands) | (self.arrived & ~(self._stops & can_stop(own)))
        if circles.any():
            middle = np.where(self.no_way, self._halt, to)
            steer = np.where(circles, self._round(own, middle), steer)
            slow = np.where(circles, wanted_speed(own, speed), slow)
        steer, slow = np.where(stands, 0.0, [steer, slow])
        near = ~straight & np.isfinite(after).all(axis=0)
        to = np.where(near, onward(own, to, after, self._clearance), to)
        idle = circles | stands
        to = np.where(idle, np.nan, to)
        return Proposal(self._going, steer, slow, toward[2], to=to, guided=~idle)

    def _in_time(self, own: Own, allowed: F8) -> F8:
        """The same, where a bend or the end beyond the next place must be slowed down for now."""
        rows = np.flatnonzero(self._going & ~self.arrived & ~self.no_way & can_stop(own))
        places = [self._itinerary.place(k)[0][:2, rows] for k in range(2)]
        far = np.hypot(*(places[0] - [own.x[rows], own.y[rows]]))
        for ahead in range(2, MOST_AHEAD):
            brake = self._corners.brake[rows]
            near = (far < own.speed[rows] ** 2 / (2.0 * brake) + SPARE) & np.isfinite(places[1][0])
            if not near.any():
                break
            rows, far = rows[near], far[near]
            after = self._itinerary.place(ahead)[0][:2, rows]
            places = [*(place[:, near] for place in places), after]
            mine = own.some(rows)
            limit, far = self._corners.farther_on(mine, rows, far, places)
            halts = self._stops[rows] & np.isnan(after[0])
            halting = speed_before(np.zeros(len(rows)), far, self._corners.brake[rows])
            limit = np.where(halts, np.minimum(limit, halting), limit)
            allowed[rows] = np.minimum(allowed[rows], limit)
            places = places[1:]
        return allowed

    def _round(self, own: Own, middle: F8) -> F8:
        radius = ROUND * turn_radius(own)
        return circle_steer(own, middle, still(len(own)), radius, np.ones(len(own)))
