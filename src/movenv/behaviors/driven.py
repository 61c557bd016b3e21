"""Be driven from outside: by a person at a drive page, or by a program through a gateway."""

from typing import ClassVar

import numpy as np

from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Proposal,
    Remark,
    Setup,
    VehicleStates,
)
from movenv.world.columns import F8, Mask
from movenv.world.model import PEDALS
from movenv.world.wheel import Wheels

COASTING = 0.3
"""How a vehicle without pedals slows down while nobody accelerates, m/s²."""
FULL_BRAKE = np.array([0.0, 1.0, 0.0])
"""Of PEDALS."""


class DrivenConfig(BehaviorConfig):
    """Let whoever takes the wheel drive; until then, and once it is let go, nothing."""

    priority: int = Field(
        100, ge=1, le=10_000, description="above all that one does by oneself: the driver decides"
    )
    dead_man: float = Field(
        0.5, gt=0, le=60, description="a driver who is silent for so long has let go: brakes, s"
    )


class Driven(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = DrivenConfig

    def __init__(self, setup: Setup) -> None:
        count = len(setup.vids)
        self._dead_man: F8 = setup.config.dead_man
        braking = setup.roster.build["max_braking"]
        mine = np.searchsorted(setup.roster.vids, setup.vids)
        self._braking = np.where(
            braking[mine] > 0.0, braking[mine], setup.abilities["max_acceleration"]
        )
        self._held: Mask = np.zeros(count, np.bool_)
        self._silent: Mask = np.zeros(count, np.bool_)
        self._was_silent: Mask = np.zeros(count, np.bool_)
        self._wheel = {name: np.zeros(count) for name in ("steer", "pitch", *PEDALS)}

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        self._held[begins] = self._silent[begins] = self._was_silent[begins] = False

    def take_wheel(self, own: Own, wheels: Wheels, moment: Moment) -> None:
        self._held[:] = self._silent[:] = False
        rows = np.searchsorted(own.vid, wheels.vid).clip(max=len(own) - 1)
        mine = own.vid[rows] == wheels.vid
        rows = rows[mine]
        self._held[rows] = True
        self._silent[rows] = ~(wheels.silence[mine] <= self._dead_man[rows])
        for name, column in self._wheel.items():
            column[rows] = getattr(wheels, name)[mine]

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        """Who does not hear its driver brakes, and holds the wheel straight."""
        heard, wheel = self._held & ~self._silent, self._wheel
        steer = np.where(heard, wheel["steer"], 0.0) * own.max_steer
        pitch = np.where(heard, wheel["pitch"], 0.0) * own.max_pitch
        pedals = np.array([np.where(heard, wheel[name], FULL_BRAKE[i])
                           for i, name in enumerate(PEDALS)])  # fmt: skip
        return Proposal(self._held, steer, self._speed(own, pedals, moment), pitch, pedals=pedals)

    def _speed(self, own: Own, pedals: F8, moment: Moment) -> F8:
        """What the pedals make of the speed of a vehicle that has none; it has no reverse."""
        throttle, brake, gear = pedals
        pull = np.where(gear > 0.0, throttle, 0.0) * own.max_acceleration
        coasting = np.where(throttle + brake > 0.0, 0.0, COASTING)
        rate = pull - brake * self._braking - coasting
        speed: F8 = np.clip(own.speed + rate * moment.period, own.min_speed, own.max_speed)
        return speed

    def remarks(self, own: Own, moment: Moment) -> list[Remark]:
        left, back = self._silent & ~self._was_silent, self._was_silent & ~self._silent
        self._was_silent = self._silent.copy()
        said = [Remark(int(vid), "its driver is silent: it brakes") for vid in own.vid[left]]
        back &= self._held
        return said + [Remark(int(vid), "its driver is back") for vid in own.vid[back]]
