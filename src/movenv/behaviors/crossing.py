"""Roads as people on foot see them: where they lie, and whether one can cross."""

import numpy as np
import shapely

from movenv.parts import VehicleStates
from movenv.terrain.route import Route
from movenv.world.columns import F8, Mask

KERB = 1.5
"""So far before the road people stop, m: room to come to a stand."""
BEYOND = 0.5
"""So much farther than the kerb is across, m."""
CLEAR = 3.0
"""Somebody this near to one's way is in it, m."""


class Roads:
    """Some roads that are as wide as each other."""

    def __init__(self, routes: list[Route], half_width: float) -> None:
        self.half_width = half_width
        self._none = not routes
        self._lines = shapely.MultiLineString([route.corners[:, :2] for route in routes])

    def nearest(self, here: F8) -> tuple[F8, F8]:
        """How far places (2, n) are from the middle of a road, and where that is, (2, n)."""
        if self._none:
            return np.full(here.shape[1], np.inf), np.full(here.shape, np.inf)
        ways = shapely.shortest_line(shapely.points(here.T), self._lines)
        foot: F8 = shapely.get_coordinates(ways)[1::2].T
        return np.hypot(*(foot - here)), foot

    def leads_over(self, here: F8, there: F8) -> tuple[Mask, Mask]:
        """Whether straight ways, (2, n) each, cross a road, and whether they come too near to it
        without crossing."""
        if self._none:
            return np.zeros(here.shape[1], np.bool_), np.zeros(here.shape[1], np.bool_)
        ways = shapely.linestrings(np.stack([here.T, there.T], axis=1))
        far = shapely.distance(ways, self._lines)
        return far <= 0.0, (far > 0.0) & (far < self.half_width + KERB)

    def across(self, here: F8, foot: F8) -> F8:
        """Where one is on the far side, (2, n)."""
        way = foot - here
        far = np.maximum(np.hypot(way[0], way[1]), 1e-9)
        there: F8 = foot + way / far * (self.half_width + KERB + BEYOND)
        return there


def soonest(here: F8, there: F8, traffic: VehicleStates, seen: float) -> F8:
    """How soon somebody of the traffic may come to the way from here to there, (2, n) each, s.

    Whoever is within `seen` metres may come by the shortest way, unless it goes away.
    """
    middle, half = (here + there) / 2, np.hypot(*(there - here)) / 2
    east = middle[0][:, None] - traffic.x
    north = middle[1][:, None] - traffic.y
    far = np.hypot(east, north)
    speed = np.hypot(traffic.vx, traffic.vy)
    comes = east * traffic.vx + north * traffic.vy > -0.2 * far * speed
    gap = np.maximum(far - half[:, None] - CLEAR, 0.0)
    moves = speed > 0.1
    when = np.where(moves, gap / np.where(moves, speed, 1.0), np.where(gap > 0, np.inf, 0.0))
    when = np.where(comes & (far <= seen), when, np.inf)
    soon: F8 = when.min(axis=1, initial=np.inf)
    return soon
