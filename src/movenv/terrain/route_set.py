"""Several routes, ready to be asked for many vehicles at once.

Progress `s` is metres along a route from its beginning. On a closed route any number will do: it
goes round and round.
"""

import math

import numpy as np

from movenv.terrain.route import Route
from movenv.terrain.route_table import table_of
from movenv.world.columns import F8, Rows, read_only
from movenv.world.kernel import inline, kernel


@inline
def _leg_at(first, along, route, s):  # type: ignore[no-untyped-def]
    """The leg in which `s` lies: the place of its beginning in the tables."""
    low, high = first[route], first[route + 1] - 2
    while low < high:
        middle = (low + high + 1) // 2
        if along[middle] <= s:
            low = middle
        else:
            high = middle - 1
    return low


@inline
def _once_round(first, along, closed, route, s):  # type: ignore[no-untyped-def]
    """`s` within one lap."""
    if not closed[route]:
        return s
    whole = along[first[route + 1] - 1]
    s -= whole * math.floor(s / whole)
    return s if s < whole else 0.0


@inline
def _onto_leg(x, y, along, k, px, py, low, high):  # type: ignore[no-untyped-def]
    """The nearest place of a leg between two shares of it: progress, and distance squared."""
    ex, ey = x[k + 1] - x[k], y[k + 1] - y[k]
    share = ((px - x[k]) * ex + (py - y[k]) * ey) / (ex * ex + ey * ey)
    share = min(max(share, low), high)
    square = (x[k] + share * ex - px) ** 2 + (y[k] + share * ey - py) ** 2
    return along[k] + share * (along[k + 1] - along[k]), square


@inline
def _side(x, y, k, px, py):  # type: ignore[no-untyped-def]
    """1 to the left of a leg, -1 to its right."""
    across = (x[k + 1] - x[k]) * (py - y[k]) - (y[k + 1] - y[k]) * (px - x[k])
    return 1.0 if across >= 0.0 else -1.0


@kernel
def _nearest(first, along, x, y, route, px, py, s, off):  # type: ignore[no-untyped-def]
    for i in range(len(px)):
        best = math.inf
        for k in range(first[route[i]], first[route[i] + 1] - 1):
            at, square = _onto_leg(x, y, along, k, px[i], py[i], 0.0, 1.0)
            if square < best:
                best, s[i] = square, at
                off[i] = math.sqrt(square) * _side(x, y, k, px[i], py[i])


@kernel
def _near(first, along, closed, x, y, route, px, py, around, back, ahead, s, off):  # type: ignore[no-untyped-def]
    for i in range(len(px)):
        low, high = first[route[i]], first[route[i] + 1] - 1
        whole = along[high]
        begin, end = around[i] - back[i], around[i] + ahead[i]
        if closed[route[i]]:
            end = min(end, begin + whole)
        else:
            begin = min(max(begin, 0.0), whole)
            end = min(max(end, begin), whole)
        lap = math.floor(begin / whole) * whole if closed[route[i]] else 0.0
        k = _leg_at(first, along, route[i], begin - lap)
        best = math.inf
        while True:
            span = along[k + 1] - along[k]
            from_ = max((begin - lap - along[k]) / span, 0.0)
            to = min((end - lap - along[k]) / span, 1.0)
            at, square = _onto_leg(x, y, along, k, px[i], py[i], from_, max(from_, to))
            if square < best:
                best, s[i] = square, at + lap
                off[i] = math.sqrt(square) * _side(x, y, k, px[i], py[i])
            k += 1
            if k == high:
                k = low
                lap += whole
            if along[k] + lap >= end or (lap > 0.0 and not closed[route[i]]):
                break


@kernel
def _place(first, along, closed, x, y, z, bend, route, s, out):  # type: ignore[no-untyped-def]
    for i in range(len(s)):
        at = _once_round(first, along, closed, route[i], s[i])
        k = _leg_at(first, along, route[i], at)
        share = (at - along[k]) / (along[k + 1] - along[k])  # beyond 0 to 1: straight on
        ex, ey = x[k + 1] - x[k], y[k + 1] - y[k]
        up = min(max(share, 0.0), 1.0)
        out[0, i], out[1, i] = x[k] + share * ex, y[k] + share * ey
        out[2, i] = z[k] + up * (z[k + 1] - z[k])
        out[3, i] = math.atan2(ey, ex)
        out[4, i] = bend[k] if up < 0.5 else bend[k + 1]
        slope = (z[k + 1] - z[k]) / (along[k + 1] - along[k])
        out[5, i] = slope if up == share else 0.0


@inline
def _leg_speed(speed, cap, k, usual):  # type: ignore[no-untyped-def]
    return min(usual if math.isnan(speed[k]) else speed[k], cap[k])


@inline
def _in_bend(speed, curve, sideways):  # type: ignore[no-untyped-def]
    return min(speed, math.sqrt(sideways / max(curve, 1e-9)))


@kernel
def _speed(first, along, closed, speed, cap, route, s, usual, allowed):  # type: ignore[no-untyped-def]
    for i in range(len(s)):
        at = _once_round(first, along, closed, route[i], s[i])
        k = _leg_at(first, along, route[i], at)
        allowed[i] = _leg_speed(speed, cap, k, usual[i])


@inline
def braking(room, then, now, deceleration, period):  # type: ignore[no-untyped-def]
    """The speed to have after a period so as to be down to `then` within `room` metres."""
    half = 0.5 * deceleration * period
    square = then * then + half * half + 2.0 * deceleration * room - 2.0 * half * now
    return max(math.sqrt(max(square, 0.0)) - half, then)


@kernel
def _drive(first, along, closed, speed, cap, curve, route, s, usual, now, limits, period, allowed):  # type: ignore[no-untyped-def]
    for i in range(len(s)):
        deceleration, sideways = limits[0, i], limits[1, i]
        low, high = first[route[i]], first[route[i] + 1] - 1
        whole = along[high]
        at = _once_round(first, along, closed, route[i], s[i])
        k = _leg_at(first, along, route[i], at)
        best = _in_bend(_leg_speed(speed, cap, k, usual[i]), curve[k], sideways)
        lap, far = 0.0, now[i] * (now[i] / (2.0 * deceleration) + 2.0 * period)
        while True:
            k += 1
            room = along[k] + lap - at
            if k == high:
                if not closed[route[i]]:
                    break
                k, lap = low, lap + whole
            if room > far or lap > whole:
                break
            then = _in_bend(_leg_speed(speed, cap, k, usual[i]), curve[k], sideways)
            if then < best:
                best = min(best, braking(room, then, now[i], deceleration, period))
        allowed[i] = best


@kernel
def _next_stop(first_stop, stop, length, closed, route, passed, at, row):  # type: ignore[no-untyped-def]
    for i in range(len(passed)):
        low, high = first_stop[route[i]], first_stop[route[i] + 1]
        at[i], row[i] = math.inf, -1
        if low == high:
            continue
        lap = math.floor(passed[i] / length[route[i]]) if closed[route[i]] else 0.0
        for turn in range(2):
            for k in range(low, high):
                here = stop[k] + (lap + turn) * length[route[i]]
                if here > passed[i] and here < at[i]:
                    at[i], row[i] = here, k
            if row[i] >= 0 or not closed[route[i]]:
                break


@kernel
def _braking(room, then, now, deceleration, period, speed):  # type: ignore[no-untyped-def]
    for i in range(len(room)):
        speed[i] = braking(room[i], then[i], now[i], deceleration[i], period)


def braking_speed(room: F8, then: F8, now: F8, deceleration: F8, period: float) -> F8:
    """The speed to have after a period so as to be down to `then` m/s within `room` metres.

    Whoever asks every `period` seconds and obeys brakes at `deceleration` and arrives on the spot.
    """
    speed = np.empty(len(room))
    columns = (np.ascontiguousarray(c, float) for c in (room, then, now, deceleration))
    _braking(*(read_only(column) for column in columns), period, speed)  # type: ignore[call-arg]
    return speed


class RouteSet:
    """Several routes. Every question is asked with the number of each vehicle's route."""

    def __init__(self, routes: list[Route]) -> None:
        tables = [table_of(route) for route in routes]
        self._first = np.cumsum([0, *(table.shape[1] for table in tables)])
        columns = [np.ascontiguousarray(column) for column in np.concatenate(tables, axis=1)]
        self._along, self._x, self._y, self._z = columns[:4]
        self._speed, self._cap, self._curve, self._bend = columns[4:]
        self.closed = np.array([route.closed for route in routes])
        self.length = np.array([route.length for route in routes])
        stops = [sorted((s.at, s.wait) for s in route.stops) for route in routes]
        self._first_stop = np.cumsum([0, *(len(of_one) for of_one in stops)])
        flat = np.array([stop for of_one in stops for stop in of_one]).reshape(-1, 2)
        self._stop, self._wait = np.ascontiguousarray(flat.T)

    def nearest(self, route: Rows, x: F8, y: F8) -> tuple[F8, F8]:
        """Progress of the nearest place of the route, and the distance to it, left positive."""
        s, off = np.empty(len(x)), np.empty(len(x))
        places = (self._first, self._along, self._x, self._y)
        _nearest(*places, route, read_only(x), read_only(y), s, off)
        return s, off

    def near(self, route: Rows, x: F8, y: F8, s: F8, back: F8, ahead: F8) -> tuple[F8, F8]:
        """The same between `back` metres behind and `ahead` metres before a known progress.

        So a lap that crosses itself is no riddle; laps are counted on in the answer.
        """
        found, off = np.empty(len(x)), np.empty(len(x))
        places = (self._first, self._along, self.closed, self._x, self._y)
        asked = (np.ascontiguousarray(c, float) for c in (x, y, s, back, ahead))
        _near(*places, route, *(read_only(column) for column in asked), found, off)  # type: ignore[call-arg]
        return found, off

    def place(self, route: Rows, s: F8) -> tuple[F8, F8, F8, F8, F8, F8]:
        """x, y, z, heading (yaw), curvature (left positive) and slope at a progress.

        Before its beginning and behind its end an open route goes straight on.
        """
        out = np.empty((6, len(s)))
        places = (self._first, self._along, self.closed, self._x, self._y, self._z, self._bend)
        _place(*places, route, read_only(s), out)
        x, y, z, heading, bend, slope = out
        return x, y, z, heading, bend, slope

    def speed(self, route: Rows, s: F8, usual: F8) -> F8:
        """What is allowed at a progress; `usual` is what holds where the route is silent."""
        allowed = np.empty(len(s))
        tables = (self._first, self._along, self.closed, self._speed, self._cap)
        _speed(*tables, route, read_only(s), read_only(usual), allowed)
        return allowed

    def drive(
        self, route: Rows, s: F8, usual: F8, now: F8, deceleration: F8, sideways: F8, period: float
    ) -> F8:
        """The speed to have after a period, from `now`, in time for what lies ahead.

        Brakes at `deceleration` for slow stretches, slower legs and bends, which are taken with
        `sideways` m/s² at most. Stops are left to `next_stop`.
        """
        allowed = np.empty(len(s))
        limits = np.array([deceleration, sideways], float)
        tables = (self._first, self._along, self.closed, self._speed, self._cap, self._curve)
        asked = (read_only(s), read_only(usual), read_only(now), limits)
        _drive(*tables, route, *asked, period, allowed)
        return allowed

    def next_stop(self, route: Rows, passed: F8) -> tuple[F8, F8]:
        """Progress of the first stop beyond `passed`, inf for none, and the seconds to wait."""
        at, row = np.empty(len(passed)), np.empty(len(passed), np.intp)
        tables = (self._first_stop, self._stop, self.length, self.closed)
        _next_stop(*tables, route, read_only(passed), at, row)
        return at, np.append(self._wait, 0.0)[row]
