"""Follow whoever drives in front, by Treiber's Intelligent Driver Model."""

from typing import ClassVar

import numpy as np

from movenv.behaviors.ahead import Lookout, Pairs, first_of_each
from movenv.behaviors.progress import Progress
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
    SightRange,
    VehicleStates,
)
from movenv.terrain.rounding import rounded
from movenv.terrain.route_set import RouteSet
from movenv.world.columns import F8, Mask

TOUCHING = 0.1
"""Gaps count as no less than this, m: the model divides by them."""

FASTEST = 1e3
"""Speeds count as no more than so many times the desired one: a power of it stays a number."""

CUT = 2.0
"""Gaps are measured along a route whose corners are cut by so much, m, about as cars cut them."""


class CarFollowConfig(BehaviorConfig):
    """Keep behind the vehicle in front by the Intelligent Driver Model.

    Only limits the speed: what is below steers, and may go slower still.
    """

    priority: int = Field(5, ge=1, le=10_000, description="the highest active priority drives")
    route: RouteName | None = Field(
        None, description="look for a leader along this route; default: straight ahead"
    )
    speed: float | None = Field(
        None,
        gt=0,
        le=1000,
        description="desired speed, m/s; default: what the route allows, or the cruising speed",
    )
    headway: float = Field(1.5, gt=0, le=60, description="time gap to the leader, s")
    gap: float = Field(2.0, gt=0, le=1000, description="distance kept at a standstill, m")
    acceleration: float = Field(1.5, gt=0, le=100, description="m/s²")
    deceleration: float = Field(2.0, gt=0, le=100, description="comfortable, m/s²")
    exponent: float = Field(
        4.0, ge=1, le=100, description="how late acceleration fades toward the desired speed"
    )
    corridor: float = Field(
        2.0, gt=0, le=100, description="a leader is no farther to the side than this, m"
    )
    sight: SightRange = Field(150.0, gt=0, le=1e6, description="how far ahead to look, m")


class CarFollow(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = CarFollowConfig

    def __init__(self, setup: Setup) -> None:
        config = setup.config
        self._config = config
        self._desired = np.array([np.nan if v is None else v for v in config.speed], float)
        self._lookout = Lookout(setup.roster, config.sight)
        names = [name or "" for name in config.route]
        known = sorted({name for name in names if name})
        self._on_route = np.flatnonzero([bool(name) for name in names])
        self._off_route = np.flatnonzero([not name for name in names])
        self._progress: Progress | None = None
        if known:
            route = np.array([known.index(names[i]) for i in self._on_route], np.intp)
            ways = [rounded(setup.routes[name], CUT, 0.0) for name in known]
            self._progress = Progress(RouteSet(ways), route)
        self._active = np.ones(len(setup.vids), np.bool_)

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        if self._progress is not None:
            mine = begins[self._on_route]
            self._progress.begin(own.some(self._on_route), mine, np.ones(len(mine), np.bool_))

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        gap, leader = self._leaders(own, others, moment)
        acceleration = self._acceleration(own.speed, self._wanted(own), gap, leader)
        speed = np.maximum(own.speed + acceleration * moment.period, 0.0)
        return Proposal(self._active, None, speed, None, at_most=True)

    def _leaders(self, own: Own, others: VehicleStates, moment: Moment) -> tuple[F8, F8]:
        """Of each the gap to its leader, bumper to bumper, and the leader's speed; inf for none."""
        found: list[Pairs] = []
        if self._progress is not None:
            self._progress.follow(own.some(self._on_route), moment.period)
            found.append(self._lookout.along(own, others, self._progress, self._on_route))
        if len(self._off_route):
            pairs = self._lookout.straight(own, others)
            found.append(pairs.some(np.isin(pairs.row, self._off_route)))
        gap, leader = np.full(len(own), np.inf), np.zeros(len(own))
        for pairs in found:
            ahead = pairs.some(
                (pairs.ahead > 0.0) & (np.abs(pairs.aside) <= self._config.corridor[pairs.row])
            )
            row, (distance, speed) = first_of_each(
                ahead.row, ahead.ahead, ahead.ahead - ahead.apart, ahead.speed
            )
            gap[row], leader[row] = np.maximum(distance, TOUCHING), speed
        return gap, leader

    def _wanted(self, own: Own) -> F8:
        """The desired speed of each."""
        wanted = np.where(np.isnan(self._desired), own.cruise_speed, self._desired)
        if self._progress is not None:
            way, on = self._progress, self._on_route
            usual = np.where(np.isnan(self._desired[on]), own.cruise_speed[on], self._desired[on])
            allowed = way.routes.speed(way.route, way.s, usual)
            wanted[on] = np.where(np.isnan(self._desired[on]), allowed, usual)
        return np.maximum(wanted, 1e-3)

    def _acceleration(self, speed: F8, wanted: F8, gap: F8, leader: F8) -> F8:
        """The Intelligent Driver Model, M. Treiber, A. Hennecke and D. Helbing (2000)."""
        config = self._config
        usual = 2 * np.sqrt(config.acceleration * config.deceleration)
        closing = speed * (speed - leader) / usual
        desired = config.gap + np.maximum(0.0, speed * config.headway + closing)
        free = 1.0 - np.minimum(speed / wanted, FASTEST) ** config.exponent
        result: F8 = config.acceleration * (free - (desired / gap) ** 2)
        return result
