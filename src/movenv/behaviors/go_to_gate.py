"""Pass through a gate: between two points, from one side to the other."""

from typing import Annotated, ClassVar, Literal

import numpy as np

from movenv.behaviors.guidance import (
    Approach,
    crossed,
    line_steer,
    numbers,
    turn_radius,
    wanted_speed,
)
from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Point,
    Proposal,
    Setup,
    VehicleStates,
    pitch_toward,
)
from movenv.world.columns import F8, Mask

RUN_UP = 6.0
"""The straight way before the gate, in turning radii, with two seconds of way on top."""


class GoToGateConfig(BehaviorConfig):
    """Pass between two points. Done once through; whoever misses comes round again."""

    gate: list[Point] = Field(
        min_length=2, max_length=2, description="the two posts; a height of the first is kept"
    )
    direction: Literal["any", "left", "right"] | Annotated[float, Field(ge=0, lt=360)] = Field(
        "any",
        description="to which side of the line from the first post to the second, or the "
        "heading nearest to which to pass, degrees from the Y axis; any: to the far side",
    )
    speed: float | None = Field(None, gt=0, le=1000, description="m/s; default: the cruising speed")


class GoToGate(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = GoToGateConfig

    def __init__(self, setup: Setup) -> None:
        count = len(setup.vids)
        _, group = setup.config.each()
        gates = [[setup.local(post) for post in gate] for gate in setup.config.distinct("gate")]
        self._posts: F8 = np.array([[post[:2] for post in gate] for gate in gates]).transpose(
            1, 2, 0
        )[:, :, group]
        heights = [np.nan if gate[0][2] is None else gate[0][2] for gate in gates]
        self._at_height = np.array(heights)[group]
        across = self._posts[1] - self._posts[0]
        self._width = np.hypot(across[0], across[1])
        if (self._width == 0).any():
            raise ValueError("the two posts of a gate are the same place")
        # To the left of the line from the first post to the second.
        self._left = np.array([-across[1], across[0]]) / self._width
        self._middle = self._posts.mean(axis=0)
        self._side = self._sides(setup)
        self._speed = numbers(setup, "speed")
        self._way = np.ones(count)
        self._running = np.zeros(count, np.bool_)
        self._through = np.zeros(count, np.bool_)
        self._before = np.full((2, count), np.nan)
        self._height = np.zeros(count)
        self._approach = Approach(count)

    def _sides(self, setup: Setup) -> F8:
        """+1 to pass toward the left, -1 toward the right, 0 for any."""
        wanted = np.zeros(len(setup.vids))
        for i, direction in enumerate(setup.config.distinct("direction")):
            mine = setup.config.each()[1] == i
            if isinstance(direction, str):
                wanted[mine] = {"any": 0.0, "left": 1.0, "right": -1.0}[direction]
            else:
                course = np.radians(90.0 - direction)
                along = self._left[0] * np.cos(course) + self._left[1] * np.sin(course)
                wanted[mine] = np.where(along >= 0, 1.0, -1.0)[mine]
        return wanted

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        here: F8 = np.array([own.x, own.y])
        self._approach.begin(begins)
        beside = ((here - self._middle) * self._left).sum(axis=0)
        way = np.where(self._side != 0, self._side, np.where(beside > 0, -1.0, 1.0))
        self._way = np.where(begins, way, self._way)
        self._running &= ~begins
        self._through &= ~begins
        self._before = np.where(begins, here, self._before)
        height = np.where(np.isnan(self._at_height), own.z, self._at_height)
        self._height = np.where(begins, height, self._height)

    def done(self, own: Own, others: VehicleStates, moment: Moment) -> Mask:
        return self._look(own)

    def _look(self, own: Own) -> Mask:
        """Who is through by now."""
        now: F8 = np.array([own.x, own.y])
        self._through |= crossed(self._before, now, self._posts[0], self._posts[1]) == self._way
        self._before = now
        return self._through

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        through = self._look(own)
        radius, speed = turn_radius(own), wanted_speed(own, self._speed)
        ahead = self._way * self._left
        run_up = self._middle - ahead * (RUN_UP * radius + 2.0 * speed)
        east, north = run_up[0] - own.x, run_up[1] - own.y
        there = np.hypot(east, north) < radius + 0.2 * speed
        beyond = ((np.array([own.x, own.y]) - self._middle) * ahead).sum(axis=0) > 0
        self._running = (self._running | there) & ~beyond
        round_ = self._approach.steer(own, east, north, radius)
        steer = np.where(self._running, line_steer(own, run_up, self._middle), round_)
        return Proposal(~through, steer, speed, pitch_toward(own, self._height))
