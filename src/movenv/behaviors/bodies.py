"""What is known of everyone's body: how it moves, what it can do and how far that may take it."""

import numpy as np

from movenv.behaviors.crowd import Everyone
from movenv.behaviors.reserves import STANDING
from movenv.behaviors.sure_braking import SureBraking
from movenv.parts import Setup
from movenv.world.columns import F8, Rows
from movenv.world.kinds import Origin

FORESEEN = 2.0
"""Who does not yield is taken to go straight on for so long, s."""


class Bodies:
    """What everyone can do, by rows of the roster."""

    def __init__(self, setup: Setup, radius: float, creep: float, yields: bool) -> None:
        """`radius` of a disc in lengths of a vehicle; `creep` in shares of its cruising speed."""
        roster, build = setup.roster, setup.roster.build
        self.radius = radius * roster.length
        self.vids = roster.vids.astype(float)
        self.unit = np.array(roster.unit or [-1] * len(roster))
        self.cruise = build["cruise_speed"]
        self.walks = creep * build["cruise_speed"]
        self.length = np.where(build["length"] > 0, build["length"], roster.length)
        self.braking = SureBraking(setup)
        pull = build["max_acceleration"]
        self.gain = np.where(pull > 0, pull, 1.0)
        lateral = build.get("max_lateral", np.zeros(len(roster)))
        self.lateral = np.where(lateral > 0, lateral, np.inf)
        self.max_steer = np.where(build["max_steer"] > 0, build["max_steer"], 0.5)
        self.steer_rate = np.where(build["max_steer_rate"] > 0, build["max_steer_rate"], 1e3)
        self.min_speed = build["min_speed"]
        keeps_clear = (roster.origin == Origin.VIRTUAL) & yields
        self.share = np.where(keeps_clear, 0.5, 1.0)

    def everyone(self, at: dict[str, F8], rows: Rows, steer: F8, period: float) -> Everyone:
        """`steer` of own vehicles, which are the last rows, is what they were told."""
        length, most = self.length[rows], self.max_steer[rows]
        holds = self.braking.about(at["x"], at["y"], at["speed"], rows, period)
        cos, sin = np.cos(at["yaw"]), np.sin(at["yaw"])
        aside = cos * at["vy"] - sin * at["vx"]
        moves = at["speed"] > STANDING
        seen = np.clip(2.0 * aside / np.where(moves, at["speed"], 1.0), -most, most)
        told = np.concatenate([np.zeros(len(rows) - len(steer)), steer])
        body = np.column_stack(
            [
                at["x"], at["y"], at["yaw"], at["speed"], np.where(moves, seen, told),
                length, holds.brake, most, self.steer_rate[rows], self.min_speed[rows],
                self.lateral[rows] * holds.under, holds.under,
                holds.firm, holds.around / holds.under,
            ]
        )  # fmt: skip
        slant = np.sqrt(1.0 + most**2 / 4)
        faster = at["speed"] + self.gain[rows] * period
        circles = self.min_speed[rows] > 0
        lag = faster * 2 * most / self.steer_rate[rows]
        stops = np.where(circles, lag, faster**2 / (2 * holds.later))
        # The wheel moves on: its bend turns what lies ahead and swings the circle round.
        wheel = np.minimum(self.steer_rate[rows] * period, 2 * most)
        swing = np.minimum(wheel * (stops + faster * period) / length, np.pi)
        # Who leaves poor soil behind stops sooner, and its circle comes nearer by that.
        least = np.where(circles, 0.0, at["speed"] ** 2 / (2 * holds.firm))
        way = slant * (faster * period + stops - least)
        grows = (1 + slant) * way + swing * (slant * stops + 2 * slant * length / most)
        share = self.share[rows]
        foreseen = np.where(share < 1.0, np.nan, FORESEEN)
        straight_on = np.hypot(at["vx"], at["vy"]) * (FORESEEN + period)
        reach = slant * (stops + faster * period + 2 * length / most)
        reach = self.radius[rows] + np.maximum(reach, np.where(share < 1.0, 0.0, straight_on))
        rolls = (self.unit[rows] >= 0) & (at["speed"] > self.walks[rows])
        return Everyone(
            body, np.array([at["x"], at["y"], at["z"]]), np.array([at["vx"], at["vy"]]),
            self.radius[rows], np.maximum(at["speed"], self.cruise[rows]), reach, grows, share,
            self.vids[rows], self.unit[rows], rolls, foreseen, holds.soils,
        )  # fmt: skip
