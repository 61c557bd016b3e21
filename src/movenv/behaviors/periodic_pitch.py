"""A random climb or descent at random times, a little slower."""

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


class PeriodicPitchConfig(EpisodeConfig):
    """Pitch by a random angle at random times. Vehicles that cannot pitch are left alone."""

    pitch: Span = Field((-0.2, 0.2), description="pitch angle drawn for an episode, rad")


class PeriodicPitch(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = PeriodicPitchConfig

    def __init__(self, setup: Setup) -> None:
        pitch = setup.config.pitch
        self._episodes = Episodes(setup, "periodic_pitch", pitch[:, 0], pitch[:, 1])
        self._share = 1.0 - setup.config.slower

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        active, pitch = self._episodes.at(own.vid, moment)
        return Proposal(active & (own.max_pitch > 0), 0.0, own.cruise_speed * self._share, pitch)
