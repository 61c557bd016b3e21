"""Drive along a route: round its bends, slowly where it says so, with its stops."""

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from movenv.behaviors.progress import Halts, Progress
from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Proposal,
    RouteName,
    Setup,
    VehicleStates,
    pitch_toward,
)
from movenv.terrain.rounding import rounded
from movenv.terrain.route import Route
from movenv.terrain.route_set import RouteSet
from movenv.world.columns import F8, Mask
from movenv.world.kinds import Origin

EASY_TURN = 1.15
"""Bends are made this much wider than the tightest that a vehicle can take."""
BRAKES = 0.9
"""The share of a vehicle's acceleration that is planned with."""
SHORT = 2.0
"""A real driver who stands so near to the end of an open route, m, or nearer than its bends may
lead past a corner, has arrived: people stop short. Virtual vehicles drive to the end."""
STANDING = 0.5
"""What a receiver may make of the speed of somebody who stands, m/s."""
AHEAD = 0.7
"""How far ahead of itself a vehicle steers for, s, and at least its own length."""


class FollowPathConfig(BehaviorConfig):
    """Follow a route at its speeds, or the cruising speed; done when the laps are over."""

    priority: int = Field(1, ge=1, le=10_000, description="the highest active priority drives")
    route: RouteName = Field(description="the route to follow")
    laps: Annotated[int, Field(ge=1, le=1_000_000)] | Literal["forever"] = Field(
        1, description="how often; on an open route once"
    )
    speed: float | None = Field(
        None, gt=0, le=1000, description="m/s, instead of the route's; slow stretches still count"
    )
    start: Literal["nearest", "first"] = Field(
        "nearest", description="join the route where it is nearest, or at its first point"
    )
    offset: float = Field(
        0.0, ge=-1000, le=1000, description="so far to the left of the route, m; negative: right"
    )
    reverse: bool = Field(False, description="the other way round")
    cut: float = Field(1.0, gt=0, le=100, description="how far from a corner its bend may lead, m")
    acceleration: float = Field(1.5, gt=0, le=100, description="m/s²")
    deceleration: float = Field(2.0, gt=0, le=100, description="for what lies ahead, m/s²")
    lateral: float = Field(2.0, gt=0, le=100, description="sideways in bends, m/s² at most")


class FollowPath(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = FollowPathConfig

    def __init__(self, setup: Setup) -> None:
        self._config = setup.config
        self._routes = setup.routes
        for config in setup.config.each()[0]:
            assert isinstance(config, FollowPathConfig)
            if config.laps != 1 and not setup.routes[config.route].closed:
                raise ValueError(f"route '{config.route}' is open: it can be followed once only")
        self._speed = np.array([np.nan if v is None else v for v in setup.config.speed], float)
        roster = setup.roster
        self._real = np.isin(setup.vids, roster.vids[roster.origin == Origin.REAL])
        count = len(setup.vids)
        self._progress: Progress | None = None
        self._looked = -1
        self._active = np.ones(count, np.bool_)
        self._joined: Mask = np.zeros(count, np.bool_)
        self._altitude: F8 = np.full(count, np.nan)

    @classmethod
    def ends(cls, config: Any) -> bool:
        return bool(config.laps != "forever")

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        if self._progress is None:
            self._build(own)
        progress = self._way
        progress.begin(own, begins, self._config.start == "nearest")
        whole = progress.routes.length[progress.route]
        laps = np.array([np.inf if n == "forever" else n for n in self._config.laps], float)
        end = np.where(progress.routes.closed[progress.route], progress.s + laps * whole, whole)
        self._halts.begin(begins, end)
        joined = self._config.start == "nearest"
        self._joined = np.where(begins, joined, self._joined)
        self._altitude = np.where(begins, own.z, self._altitude)

    def done(self, own: Own, others: VehicleStates, moment: Moment) -> Mask:
        self._look(own, moment)
        way = self._way
        short = self._real & ~way.routes.closed[way.route] & (own.speed <= STANDING)
        near = np.where(short, np.maximum(self._config.cut, SHORT), 0.0)
        over: Mask = self._joined & self._halts.done(near)
        return over

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        self._look(own, moment)
        way = self._way
        ahead = np.maximum(own.length, AHEAD * own.speed)
        target = way.routes.place(way.route, np.where(self._joined, way.s + ahead, 0.0))
        steer = _pursuit(own, target[0], target[1])
        speed = self._allowed(own, moment)
        _, _, z, _, _, slope = way.routes.place(way.route, way.s)
        known = np.isfinite(z)
        z, slope = np.where(known, z, self._altitude), np.where(known, slope, 0.0)
        slope = np.where(np.isfinite(slope) & self._joined, slope, 0.0)
        pitch = np.arcsin(np.clip(slope, -1.0, 1.0)) + pitch_toward(own, z)
        return Proposal(self._active, steer, speed, np.clip(pitch, -own.max_pitch, own.max_pitch))

    @property
    def _way(self) -> Progress:
        assert self._progress is not None
        return self._progress

    def _look(self, own: Own, moment: Moment) -> None:
        """Once a tick: where everyone is on the way."""
        if moment.tick == self._looked:
            return
        self._looked = moment.tick
        way = self._way
        before = way.s
        way.follow(own, moment.period)
        x, y, *_ = way.routes.place(way.route, np.zeros(len(own)))
        near = np.maximum(own.length, AHEAD * own.speed)
        near = np.maximum(near, 2.0 * own.length / np.maximum(own.max_steer, 1e-3))
        self._joined = self._joined | (np.hypot(own.x - x, own.y - y) <= near)
        way.s = np.where(self._joined, way.s, before)

    def _allowed(self, own: Own, moment: Moment) -> F8:
        way, period = self._way, moment.period
        able = np.where(own.max_acceleration > 0, BRAKES * own.max_acceleration, np.inf)
        slowing = np.minimum(self._config.deceleration, able)
        bends = self._config.lateral
        usual = np.where(np.isnan(self._speed), own.cruise_speed, self._speed)
        ahead = way.routes.drive(way.route, way.s, usual, own.speed, slowing, bends, period)
        halts = self._halts.speed(own, slowing, moment.t, period)
        gain = np.minimum(self._config.acceleration, able) * period
        allowed = np.where(self._joined, np.minimum(ahead, halts), usual)
        wanted = np.minimum(allowed, own.speed + gain)
        # Whoever comes too fast onto a slow leg brakes as usual, not as hard as it can.
        speed: F8 = np.maximum(wanted, np.minimum(own.speed - slowing * period, halts))
        return speed

    def _build(self, own: Own) -> None:
        """The ways to drive, one for each route and manner of driving it."""
        least = EASY_TURN * own.length / np.maximum(own.max_steer, 1e-3)
        columns = [self._config.route, self._config.reverse, self._config.offset]
        columns += [self._config.cut, least, ~np.isnan(self._speed)]
        keys = list(zip(*(column.tolist() for column in columns), strict=True))
        distinct = list(dict.fromkeys(keys))
        number = {key: i for i, key in enumerate(distinct)}
        ways = RouteSet([self._driven(*key) for key in distinct])
        self._progress = Progress(ways, np.array([number[key] for key in keys], np.intp))
        self._halts = Halts(self._progress)

    def _driven(
        self, name: str, reverse: bool, offset: float, cut: float, least: float, own_speed: bool
    ) -> Route:
        route = self._routes[name]
        route = rounded(route.backwards() if reverse else route, cut, least, offset)
        if own_speed:
            route = replace(route, speed=np.full(route.legs, np.nan))
        return route


def _pursuit(own: Own, x: F8, y: F8) -> F8:
    """The steer angle of the circle from each vehicle's rear axle through a place ahead of it."""
    cos, sin = np.cos(own.yaw), np.sin(own.yaw)
    east = x - own.x + 0.5 * own.length * cos
    north = y - own.y + 0.5 * own.length * sin
    ahead, left = cos * east + sin * north, cos * north - sin * east
    square = np.maximum(ahead**2 + left**2, 1e-6)
    steer = 2.0 * left / square * own.length
    behind = np.where(left >= 0.0, own.max_steer, -own.max_steer)
    return np.clip(np.where(ahead > 0.0, steer, behind), -own.max_steer, own.max_steer)
