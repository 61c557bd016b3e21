"""The Core's book of wheels: which vehicles are driven from outside, and by whom."""

import secrets
from collections import deque
from dataclasses import dataclass

from movenv.recording.layouts import EventRecord
from movenv.recording.wheel_log import WHEEL, taken_words
from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.wheel_wire import (
    MOST_AUTHORITY,
    WheelGiven,
    WheelRelease,
    WheelReleased,
    WheelRequest,
)
from movenv.runtime.live.wire import Refusal, printable
from movenv.world.columns import U4
from movenv.world.kinds import Origin
from movenv.world.messages import Roster

LEASE = 3 * SECOND
"""Who does not ask again for so long is gone."""
ABANDONED = 0
"""The ticket of a wheel that nobody has any more: its vehicle brakes."""
MOST_ENDED = 1000
"""Tickets that are remembered as good no more; who has one asks again within a second or so."""


@dataclass
class Held:
    """A wheel that was taken."""

    who: str
    person: bool
    authority: int
    ticket: int
    until: int
    introduced: bool = True
    """Whether it was heard who that is: a Core that was started again knows tickets first."""


def drivable(roster: Roster) -> list[int]:
    """The vids of those that may be driven."""
    return [vid for vid, may in zip(roster.vids.tolist(), roster.driven, strict=False) if may]


class Wheels:
    """Who has which wheel. One that was let go is free; one whose driver is gone is braked."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._drivable = set(drivable(self._roster))
        self._vid_of = dict(zip(self._roster.names, self._roster.vids.tolist(), strict=True))
        self._name_of = {vid: name for name, vid in self._vid_of.items()}
        self._held: dict[int, Held] = {}
        self._ended: deque[int] = deque(maxlen=MOST_ENDED)
        """Tickets of wheels that were taken from who had them."""

    def of(self, vids: U4) -> list[tuple[int, int]]:
        """The wheels of some vehicles that are not free: vid and ticket."""
        if not self._held:
            return []
        return [(vid, self._held[vid].ticket) for vid in vids.tolist() if vid in self._held]

    def ask(
        self, request: WheelRequest, now: int, t: float
    ) -> tuple[WheelGiven | Refusal, list[EventRecord]]:
        """Give a wheel, or give it again; and what is worth telling of it."""
        found = self._vid_of.get(request.vehicle)
        if found is None or found not in self._drivable:
            return Refusal(self._why_not(request.vehicle, found)), []
        if not 0 <= request.authority <= MOST_AUTHORITY:
            return Refusal(f"an authority of {request.authority}; expected 0 to 255"), []
        held = self._held.get(found)
        mine = held is not None and request.ticket == held.ticket != ABANDONED
        if held is not None and mine and held.introduced:
            held.until = now + LEASE
            return WheelGiven(found, held.ticket, LEASE / SECOND), []
        if not mine:
            if why := self._why_refused(request, held):
                return Refusal(why), []
            self._end(held)
        ticket = request.ticket or secrets.randbits(48) + 1
        who = printable(request.who) or "somebody"
        self._held[found] = Held(who, request.person, request.authority, ticket, now + LEASE)
        text = taken_words(request.vehicle, who, request.person)
        return WheelGiven(found, ticket, LEASE / SECOND), [self._event(t, text, who, found)]

    def _why_refused(self, request: WheelRequest, held: Held | None) -> str:
        """Why somebody who does not have the wheel is not given it; '' where it is."""
        if held is not None and held.ticket != ABANDONED and request.authority <= held.authority:
            return f"'{request.vehicle}' is driven by {held.who}, authority {held.authority}"
        if request.ticket in self._ended:
            return f"the wheel of '{request.vehicle}' was taken back"
        return ""

    def keep(self, brought: list[tuple[int, int]], vids: U4, now: int) -> None:
        """What a host of these vehicles knows of wheels; one it had braked stays so.

        It may not know yet that one was let go.
        """
        own = self._drivable.intersection(vids.tolist()).difference(self._held)
        for vid, ticket in brought:
            if vid in own and ticket not in self._ended:
                until = now + LEASE
                self._held[vid] = Held("its driver", False, MOST_AUTHORITY, ticket, until, False)

    def release(
        self, request: WheelRelease, t: float
    ) -> tuple[WheelReleased | Refusal, list[EventRecord]]:
        """Take the wheel from whoever has it, or has abandoned it."""
        vid = self._vid_of.get(request.vehicle)
        held = None if vid is None else self._held.get(vid)
        if vid is not None and vid in self._drivable and held is None and not request.ticket:
            return WheelReleased(vid), []  # what an operator wants is so already
        if vid is None or held is None:
            return Refusal(f"nobody drives '{printable(request.vehicle)}'"), []
        if request.ticket not in (0, held.ticket):
            return Refusal(f"'{request.vehicle}' is driven by {held.who}"), []
        self._end(held)
        who = printable(request.who)
        taken_back = not request.ticket
        deed = f"takes the wheel back from {held.who}" if taken_back else "lets go of the wheel"
        text = f"{request.vehicle}: {who} {deed}, it "
        if request.braked:
            held.ticket = ABANDONED
            text += "brakes"
        else:
            del self._held[vid]
            text += "does as before"
        return WheelReleased(vid), [self._event(t, text, who, vid)]

    def _end(self, held: Held | None) -> None:
        """Who had it keeps asking, and must not be given it again."""
        if held is not None and held.ticket != ABANDONED:
            self._ended.append(held.ticket)

    def lapse(self, now: int, t: float) -> list[EventRecord]:
        """Note who is gone."""
        events = []
        for vid, held in self._held.items():
            if held.ticket != ABANDONED and now > held.until:
                held.ticket = ABANDONED
                text = f"{self._name_of[vid]}: {held.who} is gone from the wheel, it brakes"
                events.append(self._event(t, text, held.who, vid))
        return events

    def listed(self) -> list[dict[str, object]]:
        """For people: whose wheels are taken, by whom."""
        return [
            {"vehicle": self._name_of[vid], "vid": vid, "who": held.who, "person": held.person,
             "authority": held.authority, "abandoned": held.ticket == ABANDONED}
            for vid, held in sorted(self._held.items())
        ]  # fmt: skip

    def _why_not(self, vehicle: str, vid: int | None) -> str:
        name = printable(vehicle)
        if vid is None:
            return f"nobody is called '{name}'"
        if self._roster.origin[self._roster.names.index(vehicle)] != Origin.VIRTUAL:
            return f"'{name}' is real: it cannot be driven from here"
        can = [self._name_of[one] for one in sorted(self._drivable)[:3]]
        hint = f"; {', '.join(can)} can" if can else ""
        return (
            f"'{name}' cannot be driven: it does not carry the behavior driven{hint}. "
            "With movenv run --drivable every virtual vehicle does"
        )

    @staticmethod
    def _event(t: float, text: str, who: str, vid: int) -> EventRecord:
        return EventRecord(t, 0.0, WHEEL, text, who, [vid])
