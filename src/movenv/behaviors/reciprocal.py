"""Keep clear of everyone who also keeps clear: velocity obstacles, and reserves that never meet."""

from dataclasses import dataclass

import numpy as np

from movenv.behaviors import crowd
from movenv.behaviors.bodies import Bodies
from movenv.behaviors.braking import STEP
from movenv.behaviors.crowd import Everyone, Manner
from movenv.behaviors.nearby import sorted_into_cells
from movenv.behaviors.next_command import (
    ACTS,
    FED_UP,
    PATIENT,
    SPEED_TO,
    STEER_TO,
    STEERED,
    TIRED,
)
from movenv.behaviors.reserves import STANDING
from movenv.behaviors.standing import walls_of
from movenv.parts import Moment, Notices, Own, Proposal, Setup, VehicleStates, Wish
from movenv.world.columns import F8, Mask, Rows, VidIndex

STALL = 4.0
"""Who has hardly come forward on its way in this time is stuck, s."""
STILL = 0.1
"""A place that has moved less stands still, m."""
SLOW = 0.4
"""The share of its wished way that one who is not stuck makes."""


@dataclass(frozen=True)
class ReciprocalSettings:
    """How vehicles that avoid each other reciprocally do so; the same for all that may meet."""

    radius: float = 0.5
    """Of the disc round a vehicle, in lengths of it."""
    margin: float = 0.1
    """Kept free round each disc, m."""
    horizon: float = 4.0
    """How far ahead to look for others, s."""
    height: float = 10.0
    """Those farther above or below are not avoided, m."""
    yields: bool = True
    """Whether virtual vehicles keep clear in the same way, so that each does half."""
    wall_horizon: float = 2.0
    """How far ahead to look for walls, s."""
    neighbors: int = 12
    """How many of the nearest are passed."""
    creep: float = 0.2
    """Share of the cruising speed to turn at."""
    patience: float = 3.0
    """How long to wait before turning, s."""


def settings_of(setup: Setup) -> ReciprocalSettings:
    """What the vehicles of a setup were told, which is the same for all."""
    configs, group = setup.config.each()
    return ReciprocalSettings(**configs[group[0]].in_common())


class Reciprocal:
    """Serves the vehicles that avoid each other reciprocally."""

    def __init__(self, setup: Setup, settings: ReciprocalSettings | None = None) -> None:
        """`settings` are those of the vehicles' configs unless they are given."""
        self._settings = settings or settings_of(setup)
        roster = setup.roster
        self._index = VidIndex(roster.vids)
        self._roster = roster
        said = self._settings
        self._build = Bodies(setup, said.radius, said.creep, said.yields)
        kind = roster.kind[self._index.rows(setup.vids)]
        self._kinds = [
            (np.flatnonzero(kind == k), walls_of(setup.terrain, roster.kinds[k]))
            for k in np.unique(kind)
        ]
        self._in_unit = self._build.unit[self._index.rows(setup.vids)] >= 0
        count = len(setup.vids)
        self._steer = np.zeros(count)
        self._waits = np.zeros(count)
        self._bent_until = np.full(count, -1.0)
        self._bend = np.zeros(count)
        self._gained, self._wished, self._held = np.zeros((3, count))
        self._far, self._place = np.full(count, np.nan), np.full((2, count), np.nan)
        self._since = np.zeros(count)
        self._stalls = np.zeros(count, np.intp)

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        """Forget what was: these vehicles begin."""
        for column, value in (
            (self._steer, 0.0), (self._waits, 0.0), (self._bent_until, -1.0),
            (self._gained, 0.0), (self._wished, 0.0), (self._held, 0.0), (self._since, moment.t),
            (self._stalls, 0),
        ):  # fmt: skip
            column[begins] = value
        self._far[begins], self._place[:, begins] = np.nan, np.nan

    def refine(
        self, own: Own, wish: Wish, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        """The wish where it is harmless, else the nearest to it that keeps clear."""
        settings = self._settings
        everyone, mine = self._everyone(own, others, moment.period)
        wanted = self._bent(own, wish, moment)
        step = max(STEP, moment.period)
        ground = crowd.everyones_ground(everyone.body, everyone.velocity, everyone.foreseen, step)
        manner = Manner(
            settings.horizon, settings.wall_horizon, settings.neighbors, settings.height,
            settings.margin, settings.creep, step,
        )  # fmt: skip
        farthest = max(settings.horizon * everyone.pace.max(initial=0.0),
                       everyone.reach.max(initial=0.0) + settings.margin)  # fmt: skip
        side = 2.0 * max(float(farthest), 1.0)
        cells = sorted_into_cells(everyone.place, side)
        told = np.zeros((len(own), 4))
        for rows, walls in self._kinds:
            told[rows] = crowd.decide(
                mine[rows], everyone, ground, side, cells, walls, wanted[rows], manner,
                moment.period,
            )  # fmt: skip
        self._steer = told[:, STEERED].copy()
        moved = own.speed > settings.creep * own.cruise_speed
        self._waits = np.where(moved | (wish.speed <= 0), 0.0, self._waits + moment.period)
        # Who is asked for nothing comes to a stop, and may be in somebody's way until then.
        active = (told[:, ACTS] > 0) & (wish.wished | (own.speed > STANDING))
        self._held += moment.period * active
        return Proposal(active, told[:, STEER_TO], told[:, SPEED_TO], None)

    def _everyone(self, own: Own, others: VehicleStates, period: float) -> tuple[Everyone, Rows]:
        """All who have a place, with own vehicles last; and the rows of own vehicles."""
        known = np.isfinite(others.x) & np.isfinite(others.y) & np.isfinite(others.vx)
        # Who is above or below everybody here is nobody's concern.
        band, height = (own.z.min(), own.z.max()) if len(own) else (0.0, 0.0), self._settings.height
        known &= (others.z >= band[0] - height) & (others.z <= band[1] + height)
        strange = np.flatnonzero(known & ~np.isin(others.vid, own.vid))
        there = others.take(strange)
        # As precise as the others know them, so that both sides of a pair reckon with the same.
        rounded = {
            name: getattr(own, name).astype(np.float32).astype(float)
            for name in ("yaw", "speed", "vx", "vy")
        }
        columns = {
            name: np.concatenate([getattr(there, name).astype(float), mine])
            for name, mine in (rounded | {"x": own.x, "y": own.y, "z": own.z}).items()
        }
        vids = np.concatenate([there.vid, own.vid])
        rows = self._index.rows(vids)
        everyone = self._build.everyone(columns, rows, self._steer, period)
        return everyone, np.arange(len(there), len(vids))

    def _bent(self, own: Own, wish: Wish, moment: Moment) -> F8:
        """What is wished of each, as the kernel takes it; who is stuck tries another way."""
        velocity = wish.velocity(own)
        self._look_for_stalls(own, wish, velocity, moment)
        bent = moment.t < self._bent_until
        turn = np.where(bent, self._bend, 0.0)
        cos, sin = np.cos(turn), np.sin(turn)
        east, north = cos * velocity[0] - sin * velocity[1], sin * velocity[0] + cos * velocity[1]
        gain = np.where(own.max_acceleration > 0, own.max_acceleration, 1.0)
        fastest = np.maximum(np.minimum(own.max_speed, wish.speed), 0.05 * own.cruise_speed)
        patience = self._settings.patience
        fed_up = self._waits > np.where(self._in_unit, patience, 2.0 * patience)
        waits = np.where(fed_up, FED_UP, np.where(self._waits > patience, TIRED, PATIENT))
        return np.column_stack(
            [east, north, wish.steer, wish.speed, gain, fastest, waits, bent, wish.guided]
        ).astype(float)

    def _look_for_stalls(self, own: Own, wish: Wish, velocity: F8, moment: Moment) -> None:
        """Who comes forward too little on its wished way is to go to the right of it for a while.

        A place may move along, as a station in a formation does: what counts is the way made.
        """
        fast = np.maximum(wish.speed, 1e-9)
        along = (own.vx * velocity[0] + own.vy * velocity[1]) / fast
        self._gained += moment.period * along
        self._wished += moment.period * wish.speed
        looks = (moment.t - self._since >= STALL) & (moment.t >= self._bent_until)
        far = np.hypot(wish.to[0] - own.x, wish.to[1] - own.y)
        moved = np.hypot(*(wish.to - self._place))
        fixed = moved < STILL
        slow = np.where(
            fixed,
            self._far - far < SLOW * own.cruise_speed * STALL,
            self._gained < SLOW * self._wished,
        )
        # Not whoever is slow by itself, as in mud or uphill.
        stuck = looks & slow & (wish.speed > 0.0) & (self._held > 0.5 * STALL)
        self._stalls = np.where(looks, np.where(stuck, self._stalls + 1, 0), self._stalls)
        chance = moment.uniform(own.vid, "reciprocal stall")
        wider = np.minimum(self._stalls, 3) / 3
        self._bend = np.where(stuck, -np.pi * wider * (0.25 + 0.5 * chance), self._bend)
        hold = STALL * (0.5 + chance) * np.minimum(self._stalls, 2)
        self._bent_until = np.where(stuck, moment.t + hold, self._bent_until)
        again = looks | (moment.t < self._bent_until)
        self._since = np.where(again, moment.t, self._since)
        self._gained[again], self._wished[again], self._held[again] = 0.0, 0.0, 0.0
        again |= np.isnan(self._far)
        self._far[again], self._place[:, again] = far[again], wish.to[:, again]
