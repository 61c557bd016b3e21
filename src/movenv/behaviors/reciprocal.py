"""Keep clear of everyone who also keeps clear: velocity obstacles, and reserves that never meet."""

from dataclasses import dataclass

import numpy as np

from movenv.behaviors import crowd
from movenv.behaviors.braking import STEP
from movenv.behaviors.crowd import Everyone, Manner
from movenv.behaviors.nearby import sorted_into_cells
from movenv.behaviors.reserves import STANDING
from movenv.behaviors.standing import walls_of
from movenv.parts import Moment, Notices, Own, Proposal, Setup, VehicleStates, Wish
from movenv.world.columns import F8, Mask, Rows, VidIndex
from movenv.world.kinds import Origin

STALL = 4.0
"""Who has hardly come forward on its way in this time is stuck, s."""
FORESEEN = 2.0
"""Who does not yield is taken to go straight on for so long, s."""
G = 9.80665
LEAST_BRAKING = 0.2
"""Share of its acceleration that one is taken to brake with in the worst terrain."""
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


TOLD = ("radius", "margin", "horizon", "height", "yields")
"""Which settings a scenario says."""


def settings_of(setup: Setup) -> ReciprocalSettings:
    """What the vehicles of a setup were told; raises ValueError where that differs."""
    configs, group = setup.config.each()
    told = {tuple(getattr(configs[k], name) for name in TOLD) for k in np.unique(group)}
    if len(told) > 1:
        raise ValueError("vehicles that avoid reciprocally need the same settings, found different")
    return ReciprocalSettings(**dict(zip(TOLD, *told, strict=True)))


class Reciprocal:
    """Serves the vehicles that avoid each other reciprocally."""

    def __init__(self, setup: Setup, settings: ReciprocalSettings | None = None) -> None:
        """`settings` are those of the vehicles' configs unless they are given."""
        self._settings = settings or settings_of(setup)
        roster = setup.roster
        self._index = VidIndex(roster.vids)
        self._roster = roster
        self._build = _Builds(setup, self._settings)
        kind = roster.kind[self._index.rows(setup.vids)]
        self._kinds = [
            (np.flatnonzero(kind == k), walls_of(setup.terrain, roster.kinds[k]))
            for k in np.unique(kind)
        ]
        count = len(setup.vids)
        self._steer = np.zeros(count)
        self._waits = np.zeros(count)
        self._bent_until = np.full(count, -1.0)
        self._bend = np.zeros(count)
        self._gained, self._wished = np.zeros(count), np.zeros(count)
        self._since = np.zeros(count)
        self._stalls = np.zeros(count, np.intp)

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        """Forget what was: these vehicles begin."""
        for column, value in (
            (self._steer, 0.0), (self._waits, 0.0), (self._bent_until, -1.0),
            (self._gained, 0.0), (self._wished, 0.0), (self._since, moment.t), (self._stalls, 0),
        ):  # fmt: skip
            column[begins] = value

    def refine(
        self, own: Own, wish: Wish, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        """The wish where it is harmless, else the nearest to it that keeps clear."""
        settings = self._settings
        everyone, mine = self._everyone(own, others, moment.period)
        wanted = self._bent(own, wish, moment)
        step = max(STEP, moment.period)
        ground = crowd.everyones_ground(everyone.body, everyone.velocity, everyone.foreseen, step)
        fastest = float(np.hypot(*everyone.velocity).max(initial=1.0))
        sight = max(2.0 * settings.horizon * fastest, 4.0 * float(everyone.radius.max(initial=1.0)))
        manner = Manner(
            settings.horizon, settings.wall_horizon, sight, settings.neighbors, settings.height,
            settings.margin, settings.creep, step,
        )  # fmt: skip
        side = max(sight, 2.0 * (float(everyone.reach.max(initial=0.0)) + settings.margin))
        cells = sorted_into_cells(everyone.place, side)
        told = np.zeros((len(own), 4))
        for rows, walls in self._kinds:
            told[rows] = crowd.decide(
                mine[rows], everyone, ground, side, cells, walls, wanted[rows], manner,
                moment.period,
            )  # fmt: skip
        self._steer = told[:, crowd.STEERED].copy()
        moved = own.speed > settings.creep * own.cruise_speed
        self._waits = np.where(moved | (wish.speed <= 0), 0.0, self._waits + moment.period)
        active = (told[:, crowd.ACTS] > 0) & wish.wished
        return Proposal(active, told[:, crowd.STEER_TO], told[:, crowd.SPEED_TO], None)

    def _everyone(self, own: Own, others: VehicleStates, period: float) -> tuple[Everyone, Rows]:
        """All who have a place, with own vehicles last; and the rows of own vehicles."""
        known = np.isfinite(others.x) & np.isfinite(others.y) & np.isfinite(others.vx)
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
        patient = self._settings.patience - self._waits
        return np.column_stack(
            [east, north, wish.steer, wish.speed, gain, fastest, patient, bent.astype(float)]
        )

    def _look_for_stalls(self, own: Own, wish: Wish, velocity: F8, moment: Moment) -> None:
        """Who comes forward too little on its wished way is to go to the right of it for a while.

        A place may move along, as a station in a formation does: what counts is the way made.
        """
        fast = np.maximum(wish.speed, 1e-9)
        along = (own.vx * velocity[0] + own.vy * velocity[1]) / fast
        self._gained += moment.period * along
        self._wished += moment.period * wish.speed
        looks = (moment.t - self._since >= STALL) & (moment.t >= self._bent_until)
        stuck = looks & (self._gained < SLOW * self._wished) & (wish.speed > 0.0)
        self._stalls = np.where(looks, np.where(stuck, self._stalls + 1, 0), self._stalls)
        chance = moment.uniform(own.vid, "reciprocal stall")
        wider = np.minimum(self._stalls, 3) / 3
        self._bend = np.where(stuck, -np.pi * wider * (0.25 + 0.5 * chance), self._bend)
        hold = STALL * (0.5 + chance) * np.minimum(self._stalls, 2)
        self._bent_until = np.where(stuck, moment.t + hold, self._bent_until)
        again = looks | (moment.t < self._bent_until)
        self._since = np.where(again, moment.t, self._since)
        self._gained[again], self._wished[again] = 0.0, 0.0


def sure_braking(setup: Setup) -> tuple[F8, float]:
    """How hard everyone can brake wherever it is, m/s²; and the poorest grip of the terrain.

    What a model with brakes of its own can do is taken on the poorest soil and down the steepest
    slope of the terrain.
    """
    build, terrain = setup.roster.build, setup.terrain
    of_soils, of_roads = [s.grip for s in terrain.soils], [r.grip for r in terrain.roads]
    grip = min([terrain.grip, *of_soils, *of_roads, *(c.grip for c in terrain.crossings)])
    # Of a hill height · (1 + cos(π r / R)) / 2; where hills overlap slopes may add up.
    slope = sum(0.5 * np.pi * abs(hill.height) / hill.radius for hill in terrain.hills)
    downhill = G * slope / np.hypot(1.0, slope)
    none = np.zeros(len(setup.roster))
    pull = np.where(build["max_acceleration"] > 0, build["max_acceleration"], 1.0)
    braking = build.get("max_braking", none)
    sure = (grip * braking + G * build.get("rolling", none)) / np.hypot(1.0, slope) - downhill
    return np.where(braking > 0, np.maximum(sure, LEAST_BRAKING * pull), pull), grip


class _Builds:
    """What everyone can do, by rows of the roster."""

    def __init__(self, setup: Setup, settings: ReciprocalSettings) -> None:
        roster, build = setup.roster, setup.roster.build
        self.radius = settings.radius * roster.length
        self.vids = roster.vids.astype(float)
        self.length = np.where(build["length"] > 0, build["length"], roster.length)
        self.brake, self.grip = sure_braking(setup)
        lateral = build.get("max_lateral", np.zeros(len(roster)))
        self.lateral = np.where(lateral > 0, lateral * self.grip, np.inf)
        self.max_steer = np.where(build["max_steer"] > 0, build["max_steer"], 0.5)
        self.steer_rate = np.where(build["max_steer_rate"] > 0, build["max_steer_rate"], 1e3)
        self.min_speed = build["min_speed"]
        yields = (roster.origin == Origin.VIRTUAL) & settings.yields
        self.share = np.where(yields, 0.5, 1.0)

    def everyone(self, at: dict[str, F8], rows: Rows, steer: F8, period: float) -> Everyone:
        """`steer` of own vehicles, which are the last rows, is what they were told."""
        length, brake, most = self.length[rows], self.brake[rows], self.max_steer[rows]
        cos, sin = np.cos(at["yaw"]), np.sin(at["yaw"])
        aside = cos * at["vy"] - sin * at["vx"]
        moves = at["speed"] > STANDING
        seen = np.clip(2.0 * aside / np.where(moves, at["speed"], 1.0), -most, most)
        told = np.concatenate([np.zeros(len(rows) - len(steer)), steer])
        body = np.column_stack(
            [
                at["x"], at["y"], at["yaw"], at["speed"], np.where(moves, seen, told),
                length, brake, most, self.steer_rate[rows], self.min_speed[rows],
                self.lateral[rows], np.full(len(rows), self.grip),
            ]
        )  # fmt: skip
        slant = np.sqrt(1.0 + most**2 / 4)
        faster = at["speed"] + brake * period
        stops = np.where(
            self.min_speed[rows] > 0,
            faster * 2 * most / self.steer_rate[rows],
            faster**2 / (2 * brake),
        )
        # The wheel moves on: its bend turns what lies ahead and swings the circle round.
        wheel = np.minimum(self.steer_rate[rows] * period, 2 * most)
        swing = np.minimum(wheel * (stops + faster * period) / length, np.pi)
        way = slant * (faster * period + stops - at["speed"] ** 2 / (2 * brake))
        grows = way + swing * (slant * stops + 2 * slant * length / most) + period * faster * most
        share = self.share[rows]
        foreseen = np.where(share < 1.0, np.nan, FORESEEN)
        foreseen[len(rows) - len(steer) :] = np.nan
        speed = np.hypot(at["vx"], at["vy"])
        reach = self.radius[rows] + np.where(
            np.isnan(foreseen),
            slant * (stops + faster * period + 2 * length / most),
            speed * (FORESEEN + period),
        )
        return Everyone(
            body, np.array([at["x"], at["y"], at["z"]]), np.array([at["vx"], at["vy"]]),
            self.radius[rows], reach, grows, share, self.vids[rows], foreseen,
        )  # fmt: skip
