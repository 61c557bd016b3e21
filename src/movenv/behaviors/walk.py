"""Walk about as people do: to here and there, with stops, and over roads when the way is free."""

from enum import IntEnum
from typing import ClassVar

import numpy as np
import shapely

from movenv.behaviors.crossing import KERB, Roads, soonest
from movenv.parts import (
    AreaName,
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Proposal,
    RouteName,
    Setup,
    SightRange,
    TimeSpan,
    VehicleStates,
    steer_by,
    wrapped,
)
from movenv.terrain.area import Area
from movenv.world.columns import F8, U4, Mask, Rows
from movenv.world.random_streams import uniform

TRIES = 8
"""Places that are thought of in a tick before one goes to none of them."""
THERE = 0.7
"""This near is there, m."""
TURNING = 0.4
"""Share of the speed at which one turns round."""
GETTING_GOING = 1.5
"""Time to turn to the road and come up to speed, s."""
SLOWEST, FASTEST = 0.5, 1.5
"""Nobody walks slower or faster than these shares of the cruising speed."""


class Doing(IntEnum):
    """What somebody on foot is at."""

    STANDS = 0
    WALKS = 1
    WAITS = 2
    """At the kerb."""
    CROSSES = 3


class WalkConfig(BehaviorConfig):
    """Walk to random places of an area, stop now and then, cross roads when nobody comes."""

    area: AreaName = Field(description="where the places lie")
    pause_chance: float = Field(0.3, ge=0, le=1, description="of a stop at each place reached")
    pauses: TimeSpan = Field((5.0, 30.0), description="how long a stop is, s")
    spread: float = Field(
        0.19, ge=0, le=0.5, description="how much people's speeds differ: deviation over mean"
    )
    roads: list[RouteName] = Field(
        default_factory=list, description="routes that are crossed with care"
    )
    half_width: float = Field(3.5, gt=0, le=100, description="from a road's middle to its kerb, m")
    margin: float = Field(2.0, ge=0, le=60, description="time to spare before somebody may come, s")
    sight: SightRange = Field(120.0, gt=0, le=1e6, description="how far traffic is seen, m")


class Walk(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = WalkConfig

    def __init__(self, setup: Setup) -> None:
        count = len(setup.vids)
        configs, self._group = setup.config.each()
        self._grounds = [_Ground(config, setup) for config in configs]  # type: ignore[arg-type]
        self._pauses, self._chance = setup.config.pauses, setup.config.pause_chance
        self._spread = setup.config.spread
        on_foot = np.array([kind.name == "pedestrian" for kind in setup.roster.kinds])
        self._on_foot: U4 = setup.roster.vids[on_foot[setup.roster.kind]]
        self.doing = np.full(count, Doing.STANDS)
        self._until = np.zeros(count)
        self._there = np.zeros((2, count))
        self._goal = np.zeros((2, count))
        """Where a walk leads; `_there` may be the far kerb on the way."""
        self._share = np.ones(count)
        self._active = np.ones(count, np.bool_)

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        self.doing = np.where(begins, Doing.STANDS, self.doing)
        self._until = np.where(begins, moment.t, self._until)
        self._share = 1.0 + self._spread * _normal(moment.seed, own.vid)
        self._share = np.clip(self._share, SLOWEST, FASTEST)

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        here: F8 = np.array([own.x, own.y])
        speed = np.minimum(own.cruise_speed * self._share, np.maximum(own.max_speed, 0.1))
        wheels = others.take(
            ~np.isin(others.vid, self._on_foot) & np.isfinite(others.x) & np.isfinite(others.y)
        )
        for i, ground in enumerate(self._grounds):
            mine = np.flatnonzero(self._group == i)
            self._arrive(mine, here, own.vid, moment)
            self._set_out(ground, mine, here, own.vid, moment)
            self._mind_roads(ground, mine, here)
            self._dare(ground, mine, here, speed, wheels)
        moves = (self.doing == Doing.WALKS) | (self.doing == Doing.CROSSES)
        east, north = self._there - here
        turn = wrapped(np.arctan2(north, east) - own.yaw)
        pace = np.where(np.abs(turn) > 0.6, TURNING, 1.0) * speed
        steer = np.where(moves, steer_by(own, turn), 0.0)
        return Proposal(self._active, steer, np.where(moves, pace, 0.0))

    def _arrive(self, mine: Rows, here: F8, vids: U4, moment: Moment) -> None:
        """Who is there stops for a while, or goes on; who is across goes on to the goal."""
        near = np.hypot(*(self._there - here)[:, mine]) < THERE
        across = mine[near & (self.doing[mine] == Doing.CROSSES)]
        self.doing[across] = Doing.WALKS
        self._there[:, across] = self._goal[:, across]
        rows = mine[near & (self.doing[mine] == Doing.WALKS)]
        chance, long = (moment.uniform(vids[rows], "walk pause", draw) for draw in (0, 1))
        low, high = self._pauses[rows].T
        stay = np.where(chance < self._chance[rows], low + long * (high - low), 0.0)
        self.doing[rows] = Doing.STANDS
        self._until[rows] = moment.t + stay

    def _set_out(self, ground: "_Ground", mine: Rows, here: F8, vids: U4, moment: Moment) -> None:
        """Who has stood long enough goes to a place that comes to mind, if one does."""
        stood = (self.doing[mine] == Doing.STANDS) & (moment.t >= self._until[mine] - 1e-9)
        rows = mine[stood]
        for k in range(TRIES):
            if not len(rows):
                return
            draws = [moment.uniform(vids[rows], "walk to", 2 * k + axis) for axis in (0, 1)]
            place, good = ground.place(here[:, rows], np.array(draws))
            goes = rows[good]
            self._goal[:, goes] = self._there[:, goes] = place[:, good]
            self.doing[goes] = Doing.WALKS
            rows = rows[~good]

    def _mind_roads(self, ground: "_Ground", mine: Rows, here: F8) -> None:
        """Whoever comes to a kerb on the way over stops; whoever stands on a road leaves it."""
        rows = mine[self.doing[mine] != Doing.CROSSES]
        far, foot = ground.roads.nearest(here[:, rows])
        at_kerb = far < ground.roads.half_width + KERB
        over, near = ground.roads.leads_over(here[:, rows], self._there[:, rows])
        walks = self.doing[rows] == Doing.WALKS
        self.doing[rows[walks & at_kerb & over]] = Doing.WAITS
        # A way that has come to lead along the road is given up for another.
        self.doing[rows[walks & near & (far >= ground.roads.half_width) & ~at_kerb]] = Doing.STANDS
        on_it = far < ground.roads.half_width
        out = rows[on_it]
        back = 2 * foot[:, on_it] - here[:, out]
        self._there[:, out] = ground.roads.across(back, foot[:, on_it])
        self.doing[out] = Doing.CROSSES

    def _dare(
        self, ground: "_Ground", mine: Rows, here: F8, speed: F8, wheels: VehicleStates
    ) -> None:
        """Whoever waits crosses once nobody can come before they are over."""
        rows = mine[self.doing[mine] == Doing.WAITS]
        if not len(rows):
            return
        _, foot = ground.roads.nearest(here[:, rows])
        there = ground.roads.across(here[:, rows], foot)
        takes = np.hypot(*(there - here[:, rows])) / speed[rows] + GETTING_GOING
        free = soonest(here[:, rows], there, wheels, ground.sight) >= takes + ground.margin
        goes = rows[free]
        self._there[:, goes] = there[:, free]
        self.doing[goes] = Doing.CROSSES


class _Ground:
    """What those with one config walk on."""

    def __init__(self, config: WalkConfig, setup: Setup) -> None:
        area: Area = setup.areas[config.area]
        self._low, self._high = area.bounds
        self._shape = shapely.Polygon(area.vertices)
        self._around = self._shape.buffer(THERE)
        shapely.prepare([self._shape, self._around])
        self.roads = Roads([setup.routes[name] for name in config.roads], config.half_width)
        self.margin, self.sight = config.margin, config.sight

    def place(self, here: F8, draws: F8) -> tuple[F8, Mask]:
        """Places (2, n) by random numbers, and whether one can walk there."""
        place: F8 = self._low[:, None] + draws * (self._high - self._low)[:, None]
        good = shapely.contains_xy(self._shape, *place)
        far, _ = self.roads.nearest(place)
        good &= far > self.roads.half_width + KERB + THERE
        _, along = self.roads.leads_over(here, place)
        from_afar = self.roads.nearest(here)[0] > self.roads.half_width + KERB
        good &= ~(along & from_afar)
        ways = shapely.linestrings(np.stack([here.T, place.T], axis=1))
        inside = shapely.contains_xy(self._shape, *here)
        good &= shapely.contains(self._around, ways) | ~inside
        return place, good


def _normal(seed: int, vids: U4) -> F8:
    """A normally distributed number for each vehicle, the same at any time."""
    u, v = (uniform(seed, vids, "walk speed", 0, draw) for draw in (0, 1))
    return np.sqrt(-2.0 * np.log(1.0 - u)) * np.cos(2 * np.pi * v)
