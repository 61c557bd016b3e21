"""Go to a place or along a route, round what stands in the way."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from movenv.behaviors.guidance import numbers
from movenv.behaviors.travel import Travel, usual_clearance
from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    GoalPoint,
    Moment,
    Notices,
    Own,
    Proposal,
    Remark,
    RouteName,
    Setup,
    VehicleStates,
)
from movenv.parts.config import XY, exactly_one
from movenv.world.columns import F8, Mask, Rows
from movenv.world.legs import heading_for
from movenv.world.orders import LEVEL, Roads


class MoveToConfig(BehaviorConfig):
    """Go to a place, or to the points of a route in turn, round obstacles as they come into view.

    It is done on arrival; whoever cannot stop then circles. Where there is no way a vehicle stops
    and says so.
    """

    to: GoalPoint | None = Field(
        None, description="where to; a height in it is kept by those that can climb"
    )
    by: XY | None = Field(
        None, description="instead of `to`: so far to the east and north of where it started, m"
    )
    route: RouteName | None = Field(
        None, description="instead of `to`: a route whose points are gone to in turn"
    )
    laps: Annotated[int, Field(ge=1, le=1_000_000)] | Literal["forever"] = Field(
        1, description="how often round a closed route, from its first point; on an open one once"
    )
    within: float = Field(2.0, gt=0, le=1e5, description="this near is there, m")
    speed: float | None = Field(
        None, gt=0, le=1000, description="m/s; default: the route's, or the cruising speed"
    )
    visibility: float = Field(
        200.0, gt=0, le=1e6, description="obstacles are known once they come so near, m"
    )
    clearance: float | None = Field(
        None,
        ge=0,
        le=1e4,
        description="how far to stay away from obstacles, from the vehicle's middle, m; default: "
        "half of its length and at most a metre, or half the turning radius; for who cannot stop "
        "half of its length and its turning radius",
    )
    roads: Roads = Field(
        "off",
        description="prefer: over roads where that is easier, a metre beside them counts as three; "
        "only: over roads from the point nearest to the start to the one nearest to the goal",
    )
    then: Literal["stop", "pass"] = Field(
        "stop", description="slow down and stay, or go through and leave the wheel"
    )

    @model_validator(mode="after")
    def _one_goal(self) -> Self:
        exactly_one(self, ("to", "by", "route"))
        return self


class MoveTo(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = MoveToConfig
    avoids_obstacles: ClassVar[bool] = True

    def __init__(self, setup: Setup) -> None:
        configs, self._group = setup.config.each()
        self._configs = [config for config in configs if isinstance(config, MoveToConfig)]
        for number, config in enumerate(self._configs):
            _check_height(config, setup, np.flatnonzero(self._group == number))
        self._ways = [_way(config, setup) for config in self._configs]
        given = numbers(setup, "clearance")
        clearance = np.where(np.isnan(given), usual_clearance(setup), given)
        self._travel = Travel(setup, setup.config.visibility, clearance)
        self._began, self._resumed = setup.began, np.isin(setup.vids, setup.resumed)
        self._passes = setup.config.then == "pass"

    @classmethod
    def ends(cls, config: Any) -> bool:
        return bool(config.laps != "forever")

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        for number, (config, way) in enumerate(zip(self._configs, self._ways, strict=True)):
            rows = np.flatnonzero(begins & (self._group == number))
            if not len(rows):
                continue
            places, speed, laps = way
            near, stop = config.within, config.then == "stop"
            if config.by is not None:
                there = places + [1.0, 1.0, 0.0] * self._began[:, rows].T
                self._travel.go_each(rows, there, float(speed[0]), near, config.roads, stop=stop)
            else:
                for some, first in self._under_way(own, rows, places, laps is not None):
                    self._travel.go(
                        some, places, speed, near, config.roads, stop=stop, laps=laps, first=first
                    )
        self._resumed[begins] = False

    def _under_way(
        self, own: Own, rows: Rows, places: F8, closed: bool
    ) -> Iterator[tuple[Rows, int]]:
        """Which place each begins with: the first, or the one it was on its way to.

        How often one has been round is not known: the lap it is on counts as the first.
        """
        first = np.zeros(len(rows), np.intp)
        points = np.vstack([places, places[:1]]) if closed else places
        for k in np.flatnonzero(self._resumed[rows]):
            row = rows[k]
            here = float(own.x[row]), float(own.y[row]), float(own.yaw[row])
            first[k] = heading_for(points, *here, start=self._began[:, row])
        for place in np.unique(first).tolist():
            yield rows[first == place], place

    def done(self, own: Own, others: VehicleStates, moment: Moment) -> Mask:
        return self._travel.look(own)

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        proposal = self._travel.steer(own)
        gone = self._passes & self._travel.arrived
        return replace(proposal, active=proposal.active & ~gone) if gone.any() else proposal

    def remarks(self, own: Own, moment: Moment) -> list[Remark]:
        return self._travel.remarks(own)


def _check_height(config: MoveToConfig, setup: Setup, rows: Rows) -> None:
    """Raise ValueError for a height that none of its vehicles can climb to."""
    z = None if config.to is None else setup.local(config.to)[2]
    if z is None or not setup.terrain.level or (setup.abilities["max_pitch"][rows] > 0).any():
        return
    if (np.abs(setup.began[2, rows] - z) > LEVEL).any():
        raise ValueError(f"`to` is at {z:g} m, where none of them can climb: leave the height out")


def _way(config: MoveToConfig, setup: Setup) -> tuple[F8, F8, float | None]:
    """The places to go to, the speeds on the way there, and how often round.

    With `by` the only place is as seen from where a vehicle started.
    """
    if config.roads == "only" and not setup.terrain.roads:
        raise ValueError("roads: only, but the terrain has no roads")
    own_speed = np.nan if config.speed is None else config.speed
    if config.by is not None:
        return np.array([[*config.by, np.nan]]), np.array([own_speed]), None
    if config.to is not None:
        x, y, z = setup.local(config.to)
        return np.array([[x, y, np.nan if z is None else z]]), np.array([own_speed]), None
    assert config.route is not None
    route = setup.routes[config.route]
    if config.laps != 1 and not route.closed:
        raise ValueError(f"route '{config.route}' is open: it can be gone along once only")
    speed = route.speed if route.closed else np.append(route.speed, np.nan)
    speed = np.roll(speed, 1) if config.speed is None else np.full(len(route.points), own_speed)
    laps = np.inf if config.laps == "forever" else float(config.laps)
    return route.points, speed, laps if route.closed else None
