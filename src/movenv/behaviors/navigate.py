"""Drive to goals on a map by scans alone: find oneself, plan, and go around what is in the way."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from movenv.behaviors.car_limits import boxes, cars
from movenv.behaviors.costmap import Costmap
from movenv.behaviors.errands import Errand, Errands
from movenv.behaviors.localisation import Estimates, Localisation
from movenv.behaviors.perception import KINDS, Perception
from movenv.behaviors.rollouts import CAREFUL, choose
from movenv.behaviors.unmapped import Unmapped
from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    GoalPoint,
    Moment,
    Notices,
    Own,
    Proposal,
    Readings,
    Remark,
    RouteName,
    Setup,
    VehicleStates,
)
from movenv.world.columns import F8, Mask, Rows

AT_START = np.array([0.1, 0.05])
"""How well whoever places a vehicle knows its pose: standard deviations, m and rad."""
STALE = 0.5
"""Who has had no scan or odometry for so long brakes, s."""
PATIENCE = 3.0
"""Who stands for so long says so, s."""
STANDING = 0.02
"""m/s."""
NEEDED = {"lidar": "lidar", "odometry": "wheel_speed"}
"""Types of sensors without which nobody gets anywhere."""
SHIPPED = frozenset({"lidar", "wheel_speed", "imu", "gnss", "radio_range"})
ELSEWHERE = 0.25
"""Who steers so far from what it was told was told by somebody else, rad."""

Number = Annotated[int, Field(ge=100, le=8192)]


class NavigateConfig(BehaviorConfig):
    """Go to places on the map with a laser scanner and odometry; done at the last one."""

    goals: list[GoalPoint] | None = Field(
        None, min_length=1, max_length=1000, description="places to go to, one after the other"
    )
    route: RouteName | None = Field(None, description="instead of goals: the points of a route")
    laps: Annotated[int, Field(ge=1, le=1_000_000)] | Literal["forever"] = Field(
        1, description="how often to go to all of them"
    )
    speed: float | None = Field(None, gt=0, le=50, description="m/s; default: the cruising speed")
    clearance: float = Field(
        0.15, ge=0.02, le=10, description="from its sides to walls and whatever a scan shows, m"
    )
    within: float = Field(0.3, gt=0, le=100, description="so near to the last goal is there, m")
    passing: float = Field(
        1.0, gt=0, le=100, description="so near to a goal on the way is past it, m"
    )
    pose: Literal["start", "unknown"] = Field(
        "start",
        description="what it knows of its pose to begin with: where it is placed, as an operator "
        "would click it on the map, or nothing",
    )
    lidar: str | None = Field(None, description="name of its scanner; default: the first one")
    odometry: str | None = Field(None, description="of what tells its speed; default: the first")
    imu: str | None = Field(None, description="of what tells its yaw rate; default: the first")
    particles: tuple[Number, Number] = Field(
        (500, 5000), strict=False, description="fewest and most guesses of its pose"
    )
    beams: int = Field(
        60, ge=10, le=2000, description="of a scan by which it finds itself; it drives by more"
    )

    @model_validator(mode="after")
    def _possible(self) -> "NavigateConfig":
        if (self.goals is None) == (self.route is None):
            raise ValueError("give either goals or a route")
        if self.particles[0] > self.particles[1]:
            raise ValueError(f"at least {self.particles[0]} and at most {self.particles[1]}")
        return self


class Navigate(Behavior):
    """Of the truth it knows only the pose at the very beginning; all else its sensors tell."""

    Config: ClassVar[type[BehaviorConfig]] = NavigateConfig
    avoids_obstacles: ClassVar[bool] = True

    def __init__(self, setup: Setup) -> None:
        grid = setup.terrain.grid
        if grid is None:
            raise ValueError("it finds its way on a map, which the terrain does not have")
        for kind in KINDS:
            _check_sensors(kind, getattr(setup.config, kind), setup.sensors.tolist())
        config, count = setup.config, len(setup.vids)
        box = boxes(setup)
        self._cars = cars(setup, box)
        costmap = Costmap(grid)
        least, most = np.array(config.distinct("particles"), float)[config.each()[1]].T
        localisation = Localisation(grid, setup.vids, least, most)
        names = {kind: list(getattr(config, kind)) for kind in KINDS}
        self._seen = Unmapped(count, costmap, localisation.field)
        self._senses = Perception(
            setup.vids, setup.abilities["length"], localisation, self._seen, config.beams, names
        )
        errands = _errands(setup)
        self._errands = Errands(costmap, errands, 0.5 * box[1] + config.clearance)
        self._place = (costmap.west, costmap.south, costmap.resolution)
        self._costmap = costmap
        self._wanted, self._within = self._cars[:, 9].copy(), config.within
        self._passing, self._unknown = config.passing, config.pose == "unknown"
        self._begun: Mask = np.zeros(count, np.bool_)
        self._began: F8 = np.zeros(count)
        self._moved: F8 = np.full(count, -np.inf)
        """When each was last seen to move, or to have no reason to."""
        self._steer: F8 = np.zeros(count)
        """By what it was told: measured angles come a tick late, and not from who stands."""
        self._said = np.full(count, "", object)
        self._remarks: list[tuple[int, str]] = []
        self._now = 0.0

    @classmethod
    def ends(cls, config: Any) -> bool:
        return bool(config.laps != "forever")

    @property
    def estimates(self) -> Estimates:
        """Where its vehicles think they are, at the beginning of the tick they live through."""
        return self._senses.estimates(self._now)

    def reckoned(self, readings: list[Readings], t: float) -> Estimates:
        """The same at a time after it, with the odometry of these readings."""
        self._senses.reckon(readings)
        return self._senses.estimates(t)

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        localisation = self._senses.localisation
        for row in np.flatnonzero(begins).tolist():
            # The only look at the truth: as an operator clicks where the car was put.
            pose = np.array([own.x[row], own.y[row], own.yaw[row]])
            clicked = np.isfinite(pose).all() and not self._unknown[row]
            if clicked and not self._begun[row]:
                localisation.place(row, pose, moment.seed, moment.tick, AT_START)
            elif not self._begun[row] or moment.t - self._senses.scanned[row] > STALE:
                localisation.forget(row, moment.seed, moment.tick)
            self._errands.begin(row, moment.t, self._seen)
        self._begun |= begins
        self._began[begins] = self._moved[begins] = moment.t

    def sense(self, own: Own, readings: list[Readings], moment: Moment) -> None:
        self._senses.take(readings, moment)

    def done(self, own: Own, others: VehicleStates, moment: Moment) -> Mask:
        over: Mask = self._errands.over & self._begun
        return over

    def remarks(self, own: Own, moment: Moment) -> list[Remark]:
        said, self._remarks = self._remarks, []
        return [Remark(int(own.vid[row]), text) for row, text in said]

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        self._now = moment.t
        pose, state = self._senses.now(moment.t)
        under_way = self._begun & ~self._errands.over
        knows = self._knows(moment, under_way)
        self._go_on(pose, knows, moment)
        for row in self._errands.due(moment.t, self._seen).tolist():
            self._errands.plan(row, moment.t, self._seen)
        knows &= ~self._errands.over
        knows &= self._has_way(pose, np.flatnonzero(knows), knows)
        state[1] = self._steered(state)
        steer, speed = state[1].copy(), np.zeros(len(own))
        rows = np.flatnonzero(knows)
        if len(rows):
            chosen = self._choose(rows, pose, state, moment)
            steer[rows], speed[rows] = chosen[:, 0], chosen[:, 1]
        self._watch(rows, state[0], moment)
        most = self._cars[:, 2] * moment.period
        self._steer = state[1] + np.clip(steer - state[1], -most, most)
        return Proposal(self._begun, steer, speed)

    def _steered(self, state: F8) -> F8:
        """The steer angle of each; as measured where somebody else had the wheel."""
        speed, measured = state
        other = (np.abs(measured - self._steer) > ELSEWHERE) & (speed > 0.5)
        return np.where(other, measured, self._steer)

    def _knows(self, moment: Moment, under_way: Mask) -> Mask:
        """Who is under way and knows where it is; why others stand is said."""
        lost = self._senses.localisation.lost
        silent = moment.t - self._senses.scanned > STALE
        deaf = moment.t - self._senses.heard() > STALE
        early = moment.t - self._began <= STALE
        for why, who in (
            ("no scans: it stands", silent & ~early),
            ("no odometry: it stands", deaf & ~silent & ~early),
            ("lost: the map does not explain what it sees; it stands", lost & ~silent & ~deaf),
        ):
            for row in np.flatnonzero(who & under_way).tolist():
                self._say(row, why)
        knows: Mask = under_way & ~lost & ~silent & ~deaf
        return knows

    def _say(self, row: int, text: str) -> None:
        """Once, until something else is said or all is well."""
        if self._said[row] != text:
            self._said[row] = text
            self._remarks.append((row, text))

    def _go_on(self, pose: F8, knows: Mask, moment: Moment) -> None:
        """To the next goal, for those who have come to one."""
        far = np.hypot(self._errands.goal[:, 0] - pose[0], self._errands.goal[:, 1] - pose[1])
        near = np.where(self._errands.last, self._within, self._passing)
        for row in np.flatnonzero(knows & (far <= near)).tolist():
            self._errands.arrive(row, moment.t, self._seen)

    def _has_way(self, pose: F8, rows: Rows, knows: Mask) -> Mask:
        """Who can get to its goal, as far as it knows."""
        column = ((pose[0, rows] - self._place[0]) / self._place[2]).astype(np.intp)
        row = ((pose[1, rows] - self._place[1]) / self._place[2]).astype(np.intp)
        shape = self._costmap.room.shape
        at = np.clip(row, 0, shape[0] - 1), np.clip(column, 0, shape[1] - 1)
        way = np.zeros_like(knows)
        way[rows] = np.isfinite(self._errands.tables[rows, 0, *at])
        for k in rows[~way[rows]].tolist():
            x, y = self._errands.goal[k]
            self._say(k, f"no way to ({x:.4g}, {y:.4g}): what it has seen shuts it off")
        return way

    def _choose(self, rows: Rows, pose: F8, state: F8, moment: Moment) -> F8:
        goal = self._errands.goal[rows].T - pose[:2, rows]
        cos, sin = np.cos(pose[2, rows]), np.sin(pose[2, rows])
        onward, last = self._errands.onward[rows], np.isnan(self._errands.onward[rows])
        goals = np.column_stack(
            [
                cos * goal[0] + sin * goal[1],
                cos * goal[1] - sin * goal[0],
                np.where(last, 0.0, self._passing[rows]),
                np.where(last, 0.0, onward),
            ]
        )
        room = np.maximum(np.hypot(goal[0], goal[1]) - 0.5 * self._within[rows], 0.0)
        stop = np.sqrt(2.0 * CAREFUL * self._cars[rows, 4] * room)
        self._cars[rows, 9] = np.where(
            self._errands.last[rows], np.minimum(self._wanted[rows], stop), self._wanted[rows]
        )
        return choose(
            rows, np.ascontiguousarray(pose[:, rows].T), np.ascontiguousarray(state[:, rows].T),
            self._cars, self._senses.points(rows, moment.t), self._senses.points_seen[rows],
            self._errands.tables, goals, self._place, moment.period,
        )  # fmt: skip

    def _watch(self, rows: Rows, speed: F8, moment: Moment) -> None:
        """Plan anew for those who stand though they know where they are, and say so."""
        driving = np.zeros(len(speed), np.bool_)
        driving[rows] = True
        self._moved[~driving | (speed > STANDING)] = moment.t
        self._said[rows[speed[rows] > STANDING]] = ""
        for row in np.flatnonzero(moment.t - self._moved > PATIENCE).tolist():
            self._say(row, "nothing is free ahead: it stands, for it cannot go backwards")
            self._seen.changed[row] = True


def _check_sensors(kind: str, names: Sequence[str | None], carried: Sequence[Any]) -> None:
    """Raises ValueError where a vehicle has not what it is to live on. Sensors of other people's
    types may measure anything."""
    for name, sensors in zip(names, carried, strict=True):
        if name is not None and name not in sensors:
            raise ValueError(f"{kind}: no sensor of the vehicle is called '{name}'")
        there = {sensors[name]} if name is not None else set(sensors.values())
        if kind in NEEDED and not there & {NEEDED[kind]} and there <= SHIPPED:
            raise ValueError(f"it needs a {NEEDED[kind]} among the vehicle's sensors")


def _errands(setup: Setup) -> list[Errand]:
    """Where each is to go; those of one group share an errand."""
    made = []
    for config in setup.config.each()[0]:
        assert isinstance(config, NavigateConfig)
        if config.route is not None:
            goals = np.array(setup.routes[config.route].points[:, :2])
        else:
            goals = np.array([setup.local(place)[:2] for place in config.goals or []])
        made.append(Errand(goals, np.inf if config.laps == "forever" else float(config.laps)))
    return [made[k] for k in setup.config.each()[1]]
