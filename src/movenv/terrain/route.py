"""Routes: ways over the ground with speeds, slow stretches and stops."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from movenv.world.columns import F8


@dataclass(frozen=True)
class SlowStretch:
    """A part of a route to be taken slowly: a speed bump, a bend, a school."""

    at: float
    """Where it begins, m along the route."""
    over: float
    speed: float


@dataclass(frozen=True)
class StopPlace:
    """Where to stop, m along the route, and for how long, s."""

    at: float
    wait: float


@dataclass(frozen=True)
class Route:
    """A line through points (n, 3) in local metres; z is nan where the file does not say.

    `closed` leads from the last point back to the first. `speed` is that of the way to each next
    point, m/s, nan where a vehicle's own cruising speed holds.
    """

    name: str
    points: F8
    speed: F8
    closed: bool = False
    slow: tuple[SlowStretch, ...] = ()
    stops: tuple[StopPlace, ...] = field(default=())

    def __post_init__(self) -> None:
        if len(self.points) < 2:
            raise ValueError(f"route '{self.name}' has {len(self.points)} points; it needs two")
        if not (np.diff(self.along) > 0).all():
            at = int(np.argmin(np.diff(self.along) > 0)) + 1
            raise ValueError(f"route '{self.name}': points {at} and {at + 1} are the same place")

    @cached_property
    def corners(self) -> F8:
        """The points, and the first once more where the route is closed."""
        if not self.closed:
            return self.points
        corners: F8 = np.vstack([self.points, self.points[:1]])
        return corners

    @cached_property
    def along(self) -> F8:
        """How far along the route each corner is, measured on the ground, m."""
        steps = np.diff(self.corners[:, :2], axis=0)
        far: F8 = np.concatenate([[0.0], np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))])
        return far

    @property
    def length(self) -> float:
        """On the ground, once round, m."""
        return float(self.along[-1])

    @property
    def legs(self) -> int:
        """How many ways from one corner to the next."""
        return len(self.corners) - 1

    def backwards(self) -> "Route":
        """The same way the other way round; a closed one begins at the same place."""
        points = self.points[::-1]
        if self.closed:
            points = np.roll(points, 1, axis=0)
        whole = self.length
        return replace(
            self,
            points=points,
            speed=self.speed[::-1],
            slow=tuple(self._backwards(s) for s in self.slow),
            stops=tuple(StopPlace(whole - s.at, s.wait) for s in self.stops),
        )

    def _backwards(self, stretch: SlowStretch) -> SlowStretch:
        begin = self.length - stretch.at - stretch.over
        if self.closed:
            return replace(stretch, at=begin % self.length)
        # What lay behind the end would lie before the beginning.
        return replace(stretch, at=max(begin, 0.0), over=stretch.over + min(begin, 0.0))
