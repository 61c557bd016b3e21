"""How far vehicles have come on their routes: laps, stops and the end."""

import numpy as np

from movenv.parts import Own
from movenv.terrain.route_set import RouteSet, braking_speed
from movenv.world.columns import F8, Mask, Rows

BACK = 5.0
"""How far behind and before the last known progress a vehicle is looked for, m."""
ARRIVED = 0.2
"""Whoever is this near to a stop, m, and this slow, m/s, has stopped."""


class Progress:
    """The progress of each vehicle on a route of its own, counted on from lap to lap."""

    def __init__(self, routes: RouteSet, route: Rows) -> None:
        self.routes = routes
        self.route = route
        count = len(route)
        self.s: F8 = np.zeros(count)
        self.off: F8 = np.zeros(count)
        """Distance from the route, left positive."""

    def begin(self, own: Own, begins: Mask, nearest: Mask) -> None:
        """Some begin: where they are nearest to their route, or else at its beginning."""
        s, off = self.routes.nearest(self.route, own.x, own.y)
        self.s = np.where(begins, np.where(nearest, s, 0.0), self.s)
        self.off = np.where(begins, off, self.off)

    def follow(self, own: Own, period: float) -> None:
        """Look where everyone is now."""
        ahead = BACK + 2.0 * period * own.speed
        back = np.full(len(own), BACK)
        self.s, self.off = self.routes.near(self.route, own.x, own.y, self.s, back, ahead)


class Halts:
    """Stops on the way and at the end."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        count = len(progress.route)
        self._passed = np.full(count, -np.inf)
        self._since = np.full(count, np.nan)
        self._stop, self._wait = np.full(count, np.inf), np.zeros(count)
        self._end = np.full(count, np.inf)

    def begin(self, begins: Mask, end: F8) -> None:
        """Some begin; their way ends at a progress. A stop right where they begin is passed."""
        s = self._progress.s
        self._passed = np.where(begins, s, self._passed)
        self._since = np.where(begins, np.nan, self._since)
        self._end = np.where(begins, end, self._end)
        self._look()

    def done(self, near: F8) -> Mask:
        """Who is at the end, or as near to it as this, m."""
        return self._progress.s >= self._end - np.maximum(near, ARRIVED)

    def speed(self, own: Own, deceleration: F8, t: float, period: float) -> F8:
        """The speed that stops and ends allow."""
        s = self._progress.s
        room = self._stop - s
        stopped = (room <= ARRIVED) & (own.speed <= ARRIVED)
        self._since = np.where(stopped & np.isnan(self._since), t, self._since)
        served = t - self._since >= self._wait - 1e-9
        if served.any():
            self._passed = np.where(served, np.maximum(self._stop, s), self._passed)
            self._since = np.where(served, np.nan, self._since)
            self._look()
            room = self._stop - s
        room = np.minimum(room, self._end - s)
        near = np.where(np.isfinite(room), room, 1e9)
        speed = braking_speed(near, np.zeros(len(room)), own.speed, deceleration, period)
        return np.where(np.isnan(self._since) & (room > 0.0), speed, 0.0)

    def _look(self) -> None:
        progress = self._progress
        self._stop, self._wait = progress.routes.next_stop(progress.route, self._passed)
