"""Who is in control of a vehicle, in which state it is, and what is done with its wheel."""

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Protocol

from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.saying import Answer, Asker, Said
from movenv.gateways.jaus.scaled import Dialect

NOBODY = Address(0, 0, 0)
"""In place of who is in control where nobody is, and of who stops a vehicle and is not believed to
be who he says."""
MOST_AUTHORITY = 255
INSIST_EVERY = 1.0
"""How often the wheel is asked for in an emergency while it is not ours, s."""
OVERTAKEN = 1.0
"""Datagrams overtake each other within this time, s; after it a controller may count anew."""
LEAST = 2.0 / 65_535
"""One count. As near to zero as it can be told is zero: of SAE's 16 bits no count is just 0."""
AT_REST = m.ReportWrenchEffort(propulsive_x=0.0, propulsive_yaw=0.0, resistive_x=100.0)
"""Until the first effort that a controller sets."""
NO_EFFORT = m.ReportWrenchEffort(propulsive_x=0.0, propulsive_yaw=0.0, resistive_x=0.0)


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
    effort_at: float = -math.inf
    """When an effort came last."""
    sequence: int = 0
    """Of that effort."""

    def is_overtaken(self, sequence: int, now: float) -> bool:
        """Whether an effort was sent before one that is there already."""
        behind = (self.sequence - sequence) % 2**16  # numbers begin again after the highest
        return 0 < behind < 2**15 and now - self.effort_at < OVERTAKEN


class Control:
    """The control of one vehicle. What has no effect is counted in `refused`, by reason.

    In an emergency the wheel is held with the most authority there is, whoever is in control.
    """

    def __init__(self, wheel: Wheel | None, timeout: float, refused: Counter[str]) -> None:
        """`wheel` is None for one that cannot be driven; a controller that is silent for `timeout`
        s is lost."""
        self.status = m.Status.STANDBY
        self.news: list[str] = []
        """What is worth a place in the recording, until somebody takes it there."""
        self.controller: Controller | None = None
        self.effort = AT_REST
        self._wheel, self._timeout, self._refused = wheel, timeout, refused
        self._held: int | None = None
        """The authority with which the wheel is ours."""
        self._stopped_by: Asker | None = None
        """Who sent the emergency."""
        self._tried_at = 0.0
        """When the wheel was last asked for in an emergency."""

    def heard(self, who: Address, now: float) -> None:
        """Somebody spoke, of whatever: whoever is in control is alive."""
        if self.controller is not None and who == self.controller.address:
            self.controller.heard_at = now

    def look_after(self, now: float) -> list[Said]:
        """Turn the wheel again, as long as somebody is there."""
        controller, wheel = self.controller, self._wheel
        self._insist(now)
        if wheel is None or self._held is None:
            return []
        if wheel.lost:
            self._refused["wheel taken by more authority"] += 1
            told = self.close()
            self._enter(m.Status.STANDBY)  # whoever may take it in an emergency too has decided
            return told
        told = []
        if controller is not None and now - controller.heard_at > self._timeout:
            self._refused["controller lost"] += 1
            told = self._lose()
        self._turn()
        return told

    def close(self) -> list[Said]:
        """Whoever is in control is so no longer; the vehicle brakes, and its wheel is free."""
        told = self._lose()
        self._let_go(braked=True)
        return told

    def _insist(self, now: float) -> None:
        """An emergency in which the wheel could not be had at once is none the less."""
        if (
            self.status == m.Status.EMERGENCY
            and self._stopped_by is not None
            and self._held != MOST_AUTHORITY
            and now - self._tried_at >= INSIST_EVERY
        ):
            self._tried_at = now
            self._hold(self._stopped_by, MOST_AUTHORITY)

    def _turn(self) -> None:
        if self._wheel is None or self._held is None:
            return
        if self.status != m.Status.READY:
            self._wheel.turn(0.0, 0.0, 1.0, 1)
            return
        effort = self.effort
        pull, yaw, brake = (
            _share(effort.propulsive_x), _share(effort.propulsive_yaw), _share(effort.resistive_x),
        )  # fmt: skip
        pull, yaw = (share if abs(share) > LEAST else 0.0 for share in (pull, yaw))
        # Yaw counts to the right; to pull backwards is to drive in reverse.
        self._wheel.turn(-yaw, abs(pull), brake, -1 if pull < 0 else 1)

    def _enter(self, status: m.Status) -> None:
        """What was set before must be set again: nobody drives off by merely resuming."""
        self.status, self.effort = status, AT_REST

    # --- whose the wheel is

    def _lose(self) -> list[Said]:
        told = [_rejected(self.controller)] if self.controller else []
        self._leave(braked=True)
        return told

    def _leave(self, braked: bool) -> None:
        """Nobody is in control any more. In an emergency the wheel stays ours, and the brake on."""
        self.controller = None
        if self.status == m.Status.READY:
            self._enter(m.Status.STANDBY)
        if self.status != m.Status.EMERGENCY:
            self._let_go(braked)

    def _let_go(self, braked: bool) -> None:
        if self._wheel is not None and self._held is not None:
            self._held = None
            self._wheel.release(braked)

    def _hold(self, who: Asker, authority: int) -> bool:
        """Have the wheel with just this authority."""
        assert self._wheel is not None
        if self._held == authority:
            return True
        if self._held is not None and self._held > authority:
            self._let_go(braked=True)  # nobody is given a wheel that another has with more
        if why := self._wheel.take(_called(who), authority):
            self._refused[f"no wheel: {why}"] += 1
            return False
        self._held = authority
        return True

    # --- who is in control

    def request_control(self, asked: m.RequestControl, who: Asker, now: float) -> Answer:
        before = self.controller
        if self._wheel is None:
            return [m.ConfirmControl(m.Confirmed.NOT_AVAILABLE)]
        another = before is not None and before.address != who.address
        if before is not None and another and asked.authority <= before.authority:
            self._refused["insufficient authority"] += 1
            return [m.ConfirmControl(m.Confirmed.INSUFFICIENT_AUTHORITY)]
        stopped = self.status == m.Status.EMERGENCY
        if not self._hold(who, MOST_AUTHORITY if stopped else asked.authority):
            lost = self._lose() if self._held is None else []
            return [*lost, m.ConfirmControl(m.Confirmed.NOT_AVAILABLE)]
        if not stopped and (before is None or another):
            self._enter(m.Status.STANDBY)
        self.controller = Controller(who.address, who.dialect, asked.authority, now)
        told = [_rejected(before)] if before is not None and another else []
        return [*told, m.ConfirmControl()]

    def release_control(self, _asked: Message, who: Asker, _now: float) -> Answer:
        if not self._obeys(who):
            return []
        self._leave(braked=False)
        return [m.RejectControl(m.Rejected.RELEASED)]

    def _obeys(self, who: Asker) -> bool:
        """Whether somebody is in control; counted where it is somebody else."""
        if self.controller is not None and self.controller.address == who.address:
            return True
        self._refused["not in control"] += 1
        return False

    def report_control(self, _asked: Message, who: Asker, _now: float) -> Answer:
        if self.controller is None:
            return [m.ReportControl(NOBODY, 0)]
        if not self.controller.address.fits(who.dialect):
            self._refused["an address that the dialect cannot tell"] += 1
            return []
        return [m.ReportControl(self.controller.address, self.controller.authority)]

    def set_authority(self, asked: m.SetAuthority, who: Asker, _now: float) -> Answer:
        """Who is in control may content himself with less."""
        controller = self.controller
        if not self._obeys(who) or controller is None:
            return []
        if asked.authority > controller.authority:
            self._refused["more authority than it has"] += 1
            return []
        if self.status != m.Status.EMERGENCY and not self._hold(who, asked.authority):
            return [*self._lose()]
        controller.authority = asked.authority
        return []

    def report_authority(self, _asked: Message, _who: Asker, _now: float) -> Answer:
        return [m.ReportAuthority(self.controller.authority if self.controller else 0)]

    def report_timeout(self, _asked: Message, _who: Asker, _now: float) -> Answer:
        """In whole seconds, and rather too few: but 0 would be none."""
        return [m.ReportTimeout(max(1, int(self._timeout)))]

    # --- states

    def resume(self, _asked: Message, who: Asker, _now: float) -> Answer:
        return self._change(who, m.Status.STANDBY, m.Status.READY)

    def standby(self, _asked: Message, who: Asker, _now: float) -> Answer:
        """To reset is the same: nothing else is remembered that could be forgotten."""
        return self._change(who, m.Status.READY, m.Status.STANDBY)

    def _change(self, who: Asker, before: m.Status, after: m.Status) -> Answer:
        if not self._obeys(who) or self.status == after:
            return []
        if self.status == before:
            self._enter(after)
            self._turn()
        else:
            self._refused[f"to {after.name.lower()} in {self.status.name.lower()}"] += 1
        return []

    def shut_down(self, _asked: Message, who: Asker, _now: float) -> Answer:
        if not self._obeys(who):
            return []
        told: Answer = [*self.close()]
        self._enter(m.Status.SHUTDOWN)
        return told

    def emergency(self, asked: m.SetEmergency, who: Asker, now: float) -> Answer:
        """Anybody may stop a vehicle, also one that nobody is in control of."""
        if asked.emergency != m.STOP:
            self._refused["unknown emergency"] += 1
        elif self._wheel is None:
            self._refused["cannot be driven, nor stopped"] += 1
        else:
            if self.status != m.Status.EMERGENCY:
                self.news.append(f"{_called(who)} stops it: emergency")
            self._enter(m.Status.EMERGENCY)
            self._stopped_by, self._tried_at = who, now
            self._hold(who, MOST_AUTHORITY)
            self._turn()
        return []

    def clear_emergency(self, asked: m.ClearEmergency, who: Asker, _now: float) -> Answer:
        """Who is in control may have it go on, after Resume; anybody, where nobody is."""
        controller = self.controller
        if self.status != m.Status.EMERGENCY or asked.emergency != m.STOP:
            self._refused["no such emergency"] += 1
        elif controller is None:
            self._clear(who)
            self._let_go(braked=True)
        elif self._obeys(who):
            self._clear(who)
            if not self._hold(who, controller.authority):
                return [*self._lose()]
        return []

    def _clear(self, who: Asker) -> None:
        self.news.append(f"{_called(who)} clears the emergency")
        self._enter(m.Status.STANDBY)

    def set_wrench(self, asked: m.SetWrenchEffort, who: Asker, now: float) -> Answer:
        """What it does not tell stays as it was."""
        if not self._obeys(who) or self.controller is None:
            return []
        if self.controller.is_overtaken(who.sequence, now):
            self._refused["effort overtaken by a later one"] += 1
            return []
        self.controller.sequence, self.controller.effort_at = who.sequence, now
        if self.status != m.Status.READY:
            self._refused[f"effort in {self.status.name.lower()}"] += 1
            return []
        given = {k: v for k, v in vars(asked).items() if v == v}
        before = NO_EFFORT if self.effort is AT_REST else self.effort
        self.effort = replace(before, **given)
        self._turn()
        return []


def _rejected(controller: Controller) -> Said:
    return Said(controller.address, controller.dialect, m.RejectControl(m.Rejected.RELEASED))


def _called(who: Asker) -> str:
    return (
        "a JAUS component that is not believed" if who.address == NOBODY else f"JAUS {who.address}"
    )


def _share(percent: float) -> float:
    """0 where nothing was said."""
    return percent / 100.0 if percent == percent else 0.0
