"""A vehicle of the run as a JAUS component: what it answers, whom it obeys, what it sends.

Without sockets or clock. It takes what was heard and the time, and returns what to say to whom.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from movenv.gateways.fix import Unreadable
from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus import subscriptions as s
from movenv.gateways.jaus.codec import Heard
from movenv.gateways.jaus.control import Control, Wheel
from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.packet import Acknowledge, Address, Packet
from movenv.gateways.jaus.reporting import QUERIES, Reporting
from movenv.gateways.jaus.saying import Answer, Asker, Said
from movenv.gateways.jaus.sight import Sight

EVERYBODY = (255, 65535)
"""In the place of a number of an address."""


class Component:
    """One vehicle. Every message is answered, obeyed, or counted in `refused`, by reason."""

    def __init__(
        self, address: Address, name: str, wheel: Wheel | None, tick: float, timeout: float = 1.0
    ) -> None:
        """`wheel` is None for one that cannot be driven. `tick` is how often it is seen anew, s;
        a controller that is silent for `timeout` s is lost."""
        self.address, self.name = address, name
        self.refused: Counter[str] = Counter()
        self.control = Control(wheel, timeout, self.refused)
        self.reporting = Reporting(name, self.control, tick, self.refused)
        control, reporting = self.control, self.reporting
        self._answers: dict[type[Message], Callable[[Any, Asker, float], Answer]] = {
            m.RequestControl: control.request_control,
            m.ReleaseControl: control.release_control,
            m.QueryControl: control.report_control,
            m.Resume: control.resume,
            m.Standby: control.standby,
            m.Reset: control.reset,
            m.Shutdown: control.shut_down,
            m.SetEmergency: control.emergency,
            m.ClearEmergency: control.clear_emergency,
            m.SetWrenchEffort: control.set_wrench,
            m.QueryIdentification: reporting.identify,
            s.CreateEvent: reporting.create_event,
            s.UpdateEvent: reporting.update_event,
            s.CancelEvent: reporting.cancel_event,
            s.CreateServiceConnection: reporting.connect,
            s.TerminateServiceConnection: reporting.terminate,
            **dict.fromkeys(QUERIES, reporting.asked_report),
        }

    def is_meant(self, to: Address) -> bool:
        """Whether a message to this address is for this vehicle too."""
        pairs = zip(to[:3], self.address[:3], strict=True)
        return all(asked == own or asked in EVERYBODY for asked, own in pairs)

    def hear(self, heard: Heard, now: float) -> list[Said]:
        """What to say to what was heard."""
        who = Asker(heard.packet.source, heard.dialect)
        if isinstance(heard.said, Unreadable):
            self.refused[str(heard.said)] += 1
            return []
        self.control.heard(who.address, now)
        answer = self._answers.get(type(heard.said))
        if answer is None:
            self.refused["not for a vehicle"] += 1
            return []
        return [
            one if isinstance(one, Said) else Said(who.address, who.dialect, one)
            for one in answer(heard.said, who, now)
        ]

    def see(self, sight: Sight) -> None:
        """The vehicle, as it is now."""
        self.reporting.see(sight)

    def due(self, now: float) -> list[Said]:
        """What is to be said without being asked; and the wheel is turned again."""
        return self.control.look_after(now) + self.reporting.due(now)

    def close(self) -> list[Said]:
        """The gateway ends: whoever is in control is told, and the vehicle brakes."""
        return self.control.lose()


def acknowledged(packet: Packet) -> Packet | None:
    """What to send back for a packet that wants to be acknowledged."""
    if packet.acknowledge is not Acknowledge.WANTED:
        return None
    done = Acknowledge.DONE
    to, by = packet.source, packet.destination
    return Packet(to, by, b"", packet.sequence, packet.priority, acknowledge=done)
