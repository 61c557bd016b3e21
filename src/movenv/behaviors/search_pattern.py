"""Search an area along a pattern that leaves nothing out."""

from typing import ClassVar, Literal

import numpy as np

from movenv.behaviors.guidance import BRISK, numbers, tightest, wanted_speed
from movenv.behaviors.patterns import expanding_square, lawnmower
from movenv.behaviors.waypoints import Waypoints
from movenv.parts import (
    AreaName,
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Proposal,
    Setup,
    VehicleStates,
    pitch_toward,
)
from movenv.world.columns import F8, Mask

LEAD = 4.0
"""How far to go on beyond the area before turning: turning radii, and a second of way on top."""


class SearchPatternConfig(BehaviorConfig):
    """Search an area: to and fro over it, or outwards from its middle. Done when all is flown."""

    area: AreaName = Field(description="the area to search; it may be concave")
    pattern: Literal["lawnmower", "expanding_square"] = Field(
        "lawnmower", description="to and fro from the nearest corner, or outwards in a square"
    )
    spacing: float = Field(20.0, gt=0, le=1e5, description="between neighbouring tracks, m")
    heading_deg: float = Field(
        90.0, ge=0, lt=360, description="of the legs, degrees from the Y axis"
    )
    altitude: float | None = Field(
        None, ge=-1e5, le=1e5, description="z of the search, m; default: where it began"
    )
    speed: float | None = Field(None, gt=0, le=1000, description="m/s; default: the cruising speed")


class SearchPattern(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = SearchPatternConfig

    def __init__(self, setup: Setup) -> None:
        self.speed = numbers(setup, "speed")
        """m/s, nan for the cruising speed."""
        self._altitude = numbers(setup, "altitude")
        paths: list[F8] = []
        variants = []
        self._configs, self._group = setup.config.each()
        for i in range(len(self._configs)):
            ways = self._ways(setup, i)
            variants.append(range(len(paths), len(paths) + len(ways)))
            paths += ways
        self._starts: F8 = np.array([path[0] for path in paths])
        self._variants = variants
        self._way = Waypoints(paths, len(setup.vids))
        self.height = np.zeros(len(setup.vids))
        """The z each searches at, m."""

    def _ways(self, setup: Setup, i: int) -> list[F8]:
        """The ways that vehicles with one config may take."""
        config = self._configs[i]
        mine = self._group == i
        build = {name: column[mine] for name, column in setup.abilities.items()}
        fast = np.where(np.isnan(self.speed[mine]), build["cruise_speed"], self.speed[mine])
        tight = np.maximum(tightest(build["length"], build["max_steer"]), BRISK * fast)
        corners = setup.areas[config.area].vertices  # type: ignore[attr-defined]
        course = float(np.radians(90.0 - config.heading_deg))  # type: ignore[attr-defined]
        spacing = config.spacing  # type: ignore[attr-defined]
        if config.pattern == "expanding_square":  # type: ignore[attr-defined]
            return [expanding_square(corners, spacing, course)]
        return lawnmower(corners, spacing, course, float((LEAD * tight + fast).max()))

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        path = np.zeros(len(own), np.intp)
        for i, variants in enumerate(self._variants):
            starts = self._starts[variants.start : variants.stop]
            far = np.hypot(own.x[:, None] - starts[:, 0], own.y[:, None] - starts[:, 1])
            path = np.where(self._group == i, variants.start + far.argmin(axis=1), path)
        self._way.begin(own, begins, path)
        height = np.where(np.isnan(self._altitude), own.z, self._altitude)
        self.height = np.where(begins, height, self.height)

    def done(self, own: Own, others: VehicleStates, moment: Moment) -> Mask:
        self._way.look(own)
        return self._way.over

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        self._way.look(own)
        speed = wanted_speed(own, self.speed)
        pitch = pitch_toward(own, self.height)
        return Proposal(~self._way.over, self._way.steer(own), speed, pitch)
