"""Avoid in turns by speed alone: of two whose paths cross, one comes sooner and one later.

With the times t_a and t_b at which a vehicle and another come to where their paths cross, and the
vehicle's speed s_a, the wished speed is changed by

    Δs_a = A1 · sgn(t_b − t_a) · (Δt_min − |t_a − t_b|) · s_a / max((t_a + t_b) / 2, A2)

where (t_a + t_b) / 2 < t_max and |t_a − t_b| < Δt_min.
"""

import numpy as np

from movenv.behaviors.ahead import first_of_each
from movenv.behaviors.cells import in_cells
from movenv.behaviors.guidance import numbers
from movenv.behaviors.others import rows_of
from movenv.behaviors.path_crossings import Crossings, crossings
from movenv.behaviors.threats import MOST_SIGHT, sights
from movenv.parts import Moment, Notices, Own, Proposal, Roster, Setup, VehicleStates, Wish, wrapped
from movenv.world.columns import F8, Mask, Rows, VidIndex

AT_ONCE = 1e-6
"""Two that come to a crossing within this time of each other come at once, s."""
SMOOTH = 0.3
"""Time constant with which turn rates are smoothed, s."""
FORGET = 1.0
"""Of one not heard of for so long the turn rate is taken anew, s."""


class TurnRates:
    """How fast everyone turns, from how they headed before."""

    def __init__(self, roster: Roster) -> None:
        self._index = VidIndex(roster.vids)
        self._yaw = np.zeros(len(roster))
        self._t = np.full(len(roster), -np.inf)
        self._rate = np.zeros(len(roster))

    def of(self, others: VehicleStates, t: float) -> tuple[F8, Rows]:
        """The turn rate of each, rad/s, 0 for one just met; and its row of the roster."""
        row = self._index.rows(others.vid)
        yaw = others.yaw.astype(float)
        known = np.isfinite(yaw) & (row >= 0)
        since = t - self._t[row]
        fresh = known & (since > 1e-9)
        met = fresh & (since < FORGET)
        turned = wrapped(yaw - self._yaw[row]) / np.where(met, since, 1.0)
        share = np.where(met, -np.expm1(-np.where(met, since, 0.0) / SMOOTH), 1.0)
        smooth = self._rate[row] + share * (turned - self._rate[row])
        rate = np.where(met, smooth, np.where(fresh, 0.0, self._rate[row]))
        at = row[fresh]
        self._yaw[at], self._t[at], self._rate[at] = yaw[fresh], t, rate[fresh]
        return np.where(known, rate, 0.0), row


class ArcLine:
    """The rule for all vehicles that chose it; `setup` has only those."""

    def __init__(self, setup: Setup) -> None:
        config, roster = setup.config, setup.roster
        self._rates = TurnRates(roster)
        self._length = roster.length
        self._t_max, self._dt_min = config.t_max, config.dt_min
        self._a1, self._a2 = config.a1, config.a2
        self._p_max = sights(setup, self._t_max)
        d_min = numbers(setup, "d_min")
        given = ~np.isnan(d_min)
        length = roster.length[np.searchsorted(roster.vids, setup.vids)]
        self._room, self._share = np.where(given, d_min, length), np.where(given, 0.0, 1.0)
        self._width = float(self._p_max.min(initial=MOST_SIGHT))

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        """Nothing is remembered of oneself but the turn rate, which is true all the same."""

    def refine(
        self, own: Own, wish: Wish, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        found = self._crossings(own, others, moment)
        asked = self._asked(own, others, found)
        # What is most urgent counts: of two that ask for opposite things the mean helps neither.
        row, (change,) = first_of_each(found.row, -np.abs(asked), asked)
        active = np.zeros(len(own), np.bool_)
        active[row] = True
        speed = np.where(wish.wished, wish.speed, own.speed)
        speed[row] += change
        return Proposal(active, None, np.clip(speed, own.min_speed, own.max_speed), None)

    def _asked(self, own: Own, others: VehicleStates, found: Crossings) -> F8:
        """By how much each crossing asks to change the speed, Δs_a, m/s."""
        row, gap = found.row, found.t_b - found.t_a
        lower = own.vid[row] < others.vid[found.other]
        first = np.where(np.abs(gap) < AT_ONCE, lower, gap > 0.0)
        soon = np.maximum((found.t_a + found.t_b) / 2, self._a2[row])
        asked = self._a1[row] * (self._dt_min[row] - np.abs(gap)) * own.speed[row] / soon
        change: F8 = np.where(first, asked, -asked)
        return change

    def _crossings(self, own: Own, others: VehicleStates, moment: Moment) -> Crossings:
        rate, row = self._rates.of(others, moment.t)
        size = np.where(row < 0, 0.0, self._length[row])
        vx, vy = others.vx.astype(float), others.vy.astype(float)
        speed = np.hypot(vx, vy)
        per_speed = 1.0 / np.where(speed > 0.0, speed, 1.0)
        paths = np.array(
            [others.x, others.y, others.z, vx * per_speed, vy * per_speed, speed, rate]
        )
        # Of oneself, too, what everyone is told: then both of a pair find the same.
        known, at = rows_of(own.vid, others)
        mine = (
            np.where(known, paths[:, at], np.nan) if len(others) else np.full((7, len(own)), np.nan)
        )
        settings = [self._p_max, self._room, self._share, self._t_max, self._dt_min, own.vid]
        return crossings(
            np.concatenate([mine, settings]),
            np.concatenate([paths, [size, others.vid]]),
            in_cells(others.x, others.y, self._width),
        )
