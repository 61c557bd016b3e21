"""The short way to write a behavior: for one vehicle at a time."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from movenv.parts.setup import Setup
from movenv.world.behavior import Behavior, Moment, Own, Proposal
from movenv.world.messages import Notices, VehicleStates
from movenv.world.model import ABILITIES, MOTION


@dataclass(frozen=True)
class Command:
    """What one vehicle is to do: steer (rad), speed (m/s), pitch (rad)."""

    steer: float
    speed: float
    pitch: float = 0.0


class SingleVehicleBehavior(Behavior):
    """A behavior written for one vehicle; it is called once for each that carries it.

    Good for tens or hundreds of vehicles. For thousands, override `Behavior.propose`, which gets
    whole columns.
    """

    def __init__(self, setup: Setup) -> None:
        self._configs, self._group = setup.config.each()

    def propose_one(
        self, me: Any, others: VehicleStates, notices: Notices, config: Any, moment: Moment
    ) -> Command | None:
        """What `me` (vid, x, y, z, yaw, speed, cruise_speed, ...) should do; None for nothing.

        `others` is everyone as of the last tick, `notices` only those addressed to `me`.
        """
        return None

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        commands = np.zeros((3, len(own)))
        active = np.zeros(len(own), np.bool_)
        first = np.searchsorted(notices.vid, own.vid, "left")
        last = np.searchsorted(notices.vid, own.vid, "right")
        columns = {name: getattr(own, name) for name in (*MOTION, *ABILITIES)}
        for i, vid in enumerate(own.vid):
            me = SimpleNamespace(vid=int(vid), **{k: float(v[i]) for k, v in columns.items()})
            mine = notices.take(np.arange(first[i], last[i]))
            command = self.propose_one(me, others, mine, self._configs[self._group[i]], moment)
            if command is not None:
                active[i] = True
                commands[:, i] = command.steer, command.speed, command.pitch
        return Proposal(active, *commands)
