"""What the cars of a behavior can do and how large they are, as `rollouts` takes it."""

import numpy as np

from movenv.parts import Setup
from movenv.world.columns import F8

UNLIMITED = 1e6
"""For what a model does not say."""


def boxes(setup: Setup) -> F8:
    """Length and width (2, vehicles) of each, m."""
    at = np.searchsorted(setup.roster.vids, setup.vids)
    box: F8 = np.array([setup.roster.build[name][at] for name in ("body_length", "body_width")])
    return box


def cars(setup: Setup, box: F8) -> F8:
    """CAR of each vehicle; what its model does not say is no limit."""
    able, roster = setup.abilities, setup.roster
    at = np.searchsorted(roster.vids, setup.vids)
    rate, brake, grip = (
        roster.build[name][at] for name in ("max_steer_rate", "max_braking", "max_lateral")
    )
    pull = np.where(able["max_acceleration"] > 0, able["max_acceleration"], UNLIMITED)
    wanted = [np.nan if v is None else v for v in setup.config.speed]
    return np.column_stack(
        [
            able["length"],
            able["max_steer"],
            np.where(rate > 0, rate, UNLIMITED),
            pull,
            np.where(brake > 0, brake, pull),
            np.where(grip > 0, grip, UNLIMITED),
            0.5 * box[0],
            0.5 * box[1],
            np.asarray(setup.config.clearance, float),
            np.where(np.isnan(wanted), able["cruise_speed"], wanted),
        ]
    )
