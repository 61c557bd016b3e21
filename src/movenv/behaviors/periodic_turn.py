"""A random turn at random times, a little slower."""

from typing import ClassVar

from movenv.behaviors.episodes import EpisodeConfig, Episodes
from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Proposal,
    Setup,
    Span,
    VehicleStates,
)


class PeriodicTurnConfig(EpisodeConfig):
    """Turn by a random steer angle at random times."""

    steer: Span = Field((-1.0, 1.0), description="steer angle drawn for an episode, rad")


class PeriodicTurn(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = PeriodicTurnConfig

    def __init__(self, setup: Setup) -> None:
        steer = setup.config.steer
        self._episodes = Episodes(setup, "periodic_turn", steer[:, 0], steer[:, 1])
        self._share = 1.0 - setup.config.slower

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        active, steer = self._episodes.at(own.vid, moment)
        return Proposal(active, steer, own.cruise_speed * self._share)
