"""A vehicle of the run as a JAUS component: what it answers, whom it obeys, what it sends.

Without sockets or clock. It takes what was heard and the time, and returns what to say to whom.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from movenv.gateways.fix import NothingInIt, Unreadable
from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus import subscriptions as s
from movenv.gateways.jaus.codec import Heard
from movenv.gateways.jaus.control import Control, Wheel
from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.packet import Acknowledge, Address, Packet
from movenv.gateways.jaus.reporting import QUERIES, Reporting
from movenv.gateways.jaus.saying import Answer, Asker, Said
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.jaus.sight import Sight


class Component:
    """One vehicle. Every message is answered, obeyed, or counted in `refused`, by reason."""

    def __init__(
        self, address: Address, name: str, wheel: Wheel | None, tick: float, timeout: float = 2.0
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
            m.SetAuthority: control.set_authority,
            m.QueryAuthority: control.report_authority,
            m.QueryTimeout: control.report_timeout,
            m.Resume: control.resume,
            m.Standby: control.standby,
            m.Reset: control.standby,
            m.Shutdown: control.shut_down,
            m.SetEmergency: control.emergency,
            m.ClearEmergency: control.clear_emergency,
            m.SetWrenchEffort: control.set_wrench,
            m.QueryIdentification: reporting.identify,
            s.CreateEvent: reporting.create_event,
            s.UpdateEvent: reporting.update_event,
            s.CancelEvent: reporting.cancel_event,
            s.QueryEvents: reporting.report_events,
            s.CreateServiceConnection: reporting.connect,
            s.SuspendServiceConnection: reporting.suspend,
            s.ActivateServiceConnection: reporting.activate,
            s.TerminateServiceConnection: reporting.terminate,
            **dict.fromkeys(QUERIES, reporting.asked_report),
        }

    def is_meant(self, heard: Heard) -> bool:
        """Whether a message is for this vehicle too; one whose answer it could not sign is not."""
        to, dialect = heard.packet.destination, heard.dialect
        return self.address.fits(dialect) and self.address.is_among(to, dialect)

    def needs(self, who: Address) -> bool:
        """Whether somebody is in control, or wants reports; asked from another thread too."""
        controller = self.control.controller
        in_control = controller is not None and controller.address == who
        return in_control or self.reporting.serves(who)

    def signature(self, dialect: Dialect) -> Address:
        """As which it speaks: instances begin with 1, where there are any."""
        return self.address._replace(instance=1 if dialect is Dialect.REFERENCE else 0)

    def acknowledged(self, heard: Heard) -> Packet | None:
        """What to send back for a packet that wants to be acknowledged."""
        packet, by = heard.packet, self.signature(heard.dialect)
        if packet.acknowledge is not Acknowledge.WANTED:
            return None
        named = packet.payload[:2] if heard.dialect is Dialect.REFERENCE else b""
        done = Acknowledge.DONE
        return Packet(packet.source, by, named, packet.sequence, packet.priority, acknowledge=done)

    def hear(self, heard: Heard, now: float) -> list[Said]:
        """What to say to what was heard."""
        who = Asker(heard.packet.source, heard.dialect, heard.packet.sequence)
        # What is sound is a sign of life, even where it says nothing to us.
        if isinstance(heard.said, NothingInIt) or not isinstance(heard.said, Unreadable):
            self.control.heard(who.address, now)
            self.reporting.heard(who.address, now)
        if heard.packet.acknowledge in (Acknowledge.DONE, Acknowledge.REFUSED):
            return []
        if isinstance(heard.said, Unreadable):
            self.refused[str(heard.said)] += 1
            return []
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
        return self.control.close()
