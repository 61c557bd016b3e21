"""The short way to write a behavior: for one vehicle at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from movenv.parts.setup import Setup
from movenv.world.behavior import Behavior, Moment, Own, Proposal
from movenv.world.messages import Broadcasts, Inbox, Notices, VehicleStates
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
    whole columns. Everywhere `me` is the vehicle: vid, x, y, z, yaw, speed, cruise_speed, ...
    and payload, what the scenario lets it carry.
    """

    def __init__(self, setup: Setup) -> None:
        self._configs, self._group = setup.config.each()
        self._payload = setup.payload

    def propose_one(
        self, me: Any, others: VehicleStates, notices: Notices, config: Any, moment: Moment
    ) -> Command | None:
        """What `me` should do; None for nothing.

        `others` is everyone as of the last tick, `notices` only those addressed to `me`.
        """
        return None

    def hear_one(
        self, me: Any, sender: int, payload: bytes, t_sent: float, config: Any, moment: Moment
    ) -> None:
        """Take note of one message that reached `me`."""

    def speak_one(
        self, me: Any, others: VehicleStates, config: Any, moment: Moment
    ) -> bytes | None:
        """What `me` says to those in radio range; None for nothing."""
        return None

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        commands = np.zeros((3, len(own)))
        active = np.zeros(len(own), np.bool_)
        first = np.searchsorted(notices.vid, own.vid, "left")
        last = np.searchsorted(notices.vid, own.vid, "right")
        one = self._view(own)
        for i in range(len(own)):
            mine = notices.take(np.arange(first[i], last[i]))
            command = self.propose_one(one(i), others, mine, self._config(i), moment)
            if command is not None:
                active[i] = True
                commands[:, i] = command.steer, command.speed, command.pitch
        return Proposal(active, *commands)

    def hear(self, own: Own, inbox: Inbox, moment: Moment) -> None:
        one = self._view(own)
        row_of = {vid: i for i, vid in enumerate(own.vid.tolist())}
        for k in range(len(inbox)):
            i = row_of[int(inbox.vid[k])]
            sender, t_sent = int(inbox.sender[k]), float(inbox.t_sent[k])
            self.hear_one(one(i), sender, inbox.payload(k), t_sent, self._config(i), moment)

    def speak(self, own: Own, others: VehicleStates, moment: Moment) -> Broadcasts:
        one = self._view(own)
        said = [self.speak_one(one(i), others, self._config(i), moment) for i in range(len(own))]
        speaking = [i for i, payload in enumerate(said) if payload is not None]
        return Broadcasts(own.vid[speaking], [p for p in said if p is not None])

    @classmethod
    def hears(cls) -> bool:
        base = SingleVehicleBehavior
        return cls.hear is not base.hear or cls.hear_one is not base.hear_one

    @classmethod
    def speaks(cls) -> bool:
        base = SingleVehicleBehavior
        return cls.speak is not base.speak or cls.speak_one is not base.speak_one

    def _config(self, i: int) -> Any:
        return self._configs[self._group[i]]

    def _view(self, own: Own) -> Callable[[int], SimpleNamespace]:
        """A function that gives vehicle `i` as an object of its own."""
        columns = {name: getattr(own, name) for name in (*MOTION, *ABILITIES)}

        def one(i: int) -> SimpleNamespace:
            values = {name: float(column[i]) for name, column in columns.items()}
            return SimpleNamespace(vid=int(own.vid[i]), payload=self._payload[i], **values)

        return one
