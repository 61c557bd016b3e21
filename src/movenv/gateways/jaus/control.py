"""Who is in control of a vehicle, in which state it is, and what is done with its wheel."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Protocol

from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.saying import Answer, Asker, Said
from movenv.gateways.jaus.scaled import Dialect

NOBODY = Address(0, 0, 0)
MOST_AUTHORITY = 255
AT_REST = m.ReportWrenchEffort(propulsive_x=0.0, propulsive_yaw=0.0, resistive_x=100.0)


class Wheel(Protocol):
    """What a controller drives with."""

    def take(self, who: str, authority: int) -> str:
        """The wheel, or why not; '' where it was given."""

    def turn(self, steer: float, throttle: float, brake: float, gear: int) -> None:
        """How it stands: steer to the left from -1 to 1, the others from 0 to 1."""

    def release(self, braked: bool) -> None:
        """Let go; `braked`: the vehicle stays where it comes to a halt."""

    @property
    def lost(self) -> str:
        """Why it is no longer ours; '' while it is."""


@dataclass
class Controller:
    """Who is in control."""

    address: Address
    dialect: Dialect
    authority: int
    heard_at: float


class Control:
    """The control of one vehicle. What has no effect is counted in `refused`, by reason."""

    def __init__(self, wheel: Wheel | None, timeout: float, refused: Counter[str]) -> None:
        """`wheel` is None for one that cannot be driven; a controller that is silent for `timeout`
        s is lost."""
        self.status = m.Status.STANDBY
        self.controller: Controller | None = None
        self.effort = AT_REST
        self._wheel, self._timeout, self._refused = wheel, timeout, refused
        self._holds = False
        """Whether the wheel is ours."""

    def heard(self, who: Address, now: float) -> None:
        """Somebody spoke, of whatever: whoever is in control is alive."""
        if self.controller is not None and who == self.controller.address:
            self.controller.heard_at = now

    def look_after(self, now: float) -> list[Said]:
        """Turn the wheel again, as long as somebody is there."""
        controller, wheel = self.controller, self._wheel
        if wheel is None or not self._holds:
            return []
        if wheel.lost:
            self._refused["wheel taken by more authority"] += 1
            self._holds, self.controller = False, None
            return [_rejected(controller)] if controller else []
        if controller is not None and now - controller.heard_at > self._timeout:
            self._refused["controller lost"] += 1
            return self.lose()
        self._turn(wheel)
        return []

    def _turn(self, wheel: Wheel) -> None:
        if self.status != m.Status.READY:
            wheel.turn(0.0, 0.0, 1.0, 1)
            return
        effort = self.effort
        pull, yaw, brake = (
            _share(effort.propulsive_x), _share(effort.propulsive_yaw), _share(effort.resistive_x),
        )  # fmt: skip
        # Yaw counts to the right; to pull backwards is to drive in reverse.
        wheel.turn(-yaw, abs(pull), brake, -1 if pull < 0 else 1)

    def lose(self) -> list[Said]:
        """Whoever is in control is so no longer, and the vehicle brakes."""
        controller = self.controller
        self._let_go(braked=True)
        return [_rejected(controller)] if controller else []

    def _let_go(self, braked: bool) -> None:
        self.controller = None
        if self.status == m.Status.READY:
            self.status = m.Status.STANDBY
        if self._holds and self._wheel is not None:
            self._holds = False
            self._wheel.release(braked)

    def request_control(self, asked: m.RequestControl, who: Asker, now: float) -> Answer:
        before = self.controller
        if self._wheel is None:
            return [m.ConfirmControl(m.Confirmed.NOT_AVAILABLE)]
        if before is not None and before.address != who.address:
            if asked.authority <= before.authority:
                self._refused["insufficient authority"] += 1
                return [m.ConfirmControl(m.Confirmed.INSUFFICIENT_AUTHORITY)]
        elif before is not None:
            before.authority = asked.authority
            return [m.ConfirmControl()]
        if not self._take(self._wheel, who, asked.authority):
            return [m.ConfirmControl(m.Confirmed.NOT_AVAILABLE)]
        self.controller = Controller(who.address, who.dialect, asked.authority, now)
        if self.status != m.Status.EMERGENCY:
            self.status = m.Status.STANDBY
        self.effort = AT_REST
        told: Answer = [_rejected(before)] if before is not None else []
        return [*told, m.ConfirmControl()]

    def _take(self, wheel: Wheel, who: Asker, authority: int) -> bool:
        name = f"JAUS {'.'.join(map(str, who.address[:3]))}"
        if why := wheel.take(name, authority):
            self._refused[f"no wheel: {why}"] += 1
            return False
        self._holds = True
        return True

    def release_control(self, _asked: Message, who: Asker, _now: float) -> Answer:
        if not self._obeys(who):
            return []
        self._let_go(braked=self.status == m.Status.EMERGENCY)
        return [m.RejectControl(m.Rejected.RELEASED)]

    def _obeys(self, who: Asker) -> bool:
        """Whether somebody is in control; counted where it is somebody else."""
        if self.controller is not None and self.controller.address == who.address:
            return True
        self._refused["not in control"] += 1
        return False

    def report_control(self, _asked: Message, _who: Asker, _now: float) -> Answer:
        if self.controller is None:
            return [m.ReportControl(NOBODY, 0)]
        return [m.ReportControl(self.controller.address, self.controller.authority)]

    # --- states

    def resume(self, _asked: Message, who: Asker, _now: float) -> Answer:
        if self._obeys(who) and self.status == m.Status.STANDBY:
            self.status = m.Status.READY
        return []

    def standby(self, _asked: Message, who: Asker, _now: float) -> Answer:
        if self._obeys(who) and self.status == m.Status.READY:
            self.status = m.Status.STANDBY
        return []

    def reset(self, _asked: Message, who: Asker, _now: float) -> Answer:
        """As at the beginning; an emergency stays one."""
        if self._obeys(who) and self.status != m.Status.EMERGENCY:
            self.status = m.Status.STANDBY
            self.effort = AT_REST
        return []

    def shut_down(self, _asked: Message, who: Asker, _now: float) -> Answer:
        if not self._obeys(who):
            return []
        told: Answer = [*self.lose()]
        self.status = m.Status.SHUTDOWN
        return told

    def emergency(self, asked: m.SetEmergency, who: Asker, _now: float) -> Answer:
        """Anybody may stop a vehicle, also one that nobody is in control of."""
        if asked.emergency != m.STOP:
            self._refused["unknown emergency"] += 1
            return []
        self.status = m.Status.EMERGENCY
        if self._wheel is not None:
            if not self._holds:
                self._take(self._wheel, who, MOST_AUTHORITY)
            if self._holds:
                self._turn(self._wheel)
        return []

    def clear_emergency(self, asked: m.ClearEmergency, who: Asker, _now: float) -> Answer:
        """Who is in control may have it go on, after Resume; anybody, where nobody is."""
        if self.status != m.Status.EMERGENCY or asked.emergency != m.STOP:
            self._refused["no such emergency"] += 1
        elif self.controller is None:
            self.status = m.Status.STANDBY
            self._let_go(braked=True)
        elif self._obeys(who):
            self.status = m.Status.STANDBY
        return []

    def set_wrench(self, asked: m.SetWrenchEffort, who: Asker, _now: float) -> Answer:
        if not self._obeys(who):
            return []
        if self.status != m.Status.READY:
            self._refused[f"effort in {self.status.name.lower()}"] += 1
            return []
        given = {k: v for k, v in vars(asked).items() if v == v}
        self.effort = replace(self.effort, **given)
        assert self._wheel is not None
        self._turn(self._wheel)
        return []


def _rejected(controller: Controller) -> Said:
    return Said(controller.address, controller.dialect, m.RejectControl(m.Rejected.RELEASED))


def _share(percent: float) -> float:
    """0 where nothing was said."""
    return percent / 100.0 if percent == percent else 0.0
