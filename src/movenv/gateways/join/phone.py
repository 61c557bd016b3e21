"""One vehicle's phone: what its page says, and what it is told. No sockets here."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from movenv.gateways.config import Entry
from movenv.gateways.fix import Unreadable
from movenv.gateways.inlet import Inlet
from movenv.gateways.join import codec
from movenv.gateways.join.links import Link
from movenv.gateways.part import Decode
from movenv.gateways.view import NoticeView, View

NOTICES_KNOWN = 200
"""Notices that may still be acknowledged by name."""

Receive = Callable[[bytes, str, Decode, int], str]


class Notice(msgspec.Struct):
    """A notice that the page was told of."""

    name: str
    level_name: str
    delay: float | None = None
    """From the Core's word to the screen, s, once it is shown."""
    acknowledged: bool = False


@dataclass
class Line:
    """An open page: where it is, and how to end it."""

    sender: str
    hang_up: Callable[[str], None]
    told: int = 0
    """Views sent to it."""
    seen: int | None = None
    """Views that it says to have; None while it says nothing of it."""

    @property
    def behind(self) -> int:
        """Views that are on their way."""
        return 0 if self.seen is None else self.told - self.seen

    @property
    def address(self) -> str:
        return self.sender.rpartition(":")[0]


class Phone:
    """What is known of a vehicle's phone, over all its connections. Lives in one event loop."""

    def __init__(self, entry: Entry, link: Link, inlet: Inlet, receive: Receive) -> None:
        self.entry, self.link = entry, link
        self.line: Line | None = None
        self.news = asyncio.Event()
        """Set when there is a view that the page has not got."""
        self.over = False
        """Whether it was told of STOP."""
        self._inlet, self._receive = inlet, receive
        self._view: View | None = None
        self._notices: OrderedDict[str, Notice] = OrderedDict()
        self._got = -1
        self._heard_at: float | None = None

    def renew(self, link: Link) -> None:
        """Another link, perhaps for another phone, whose fixes count from nought."""
        self.link, self._got, self._heard_at = link, -1, None
        self._notices.clear()

    def connect(self, line: Line, first: bool) -> None:
        """A page is open; `first` when this phone was never here before."""
        name, place = self.entry.name, line.address
        if self.line is not None:
            self.line.hang_up("open in another tab")
        if first:
            self._say("join", f"{name}'s phone joined from {place}")
        elif self._heard_at is None:
            self._say("back", f"{name}'s phone is back, from {place}")
        else:
            away = time.monotonic() - self._heard_at
            self._say("back", f"{name}'s phone is back after {away:.0f} s, from {place}")
        self.line = line
        self._heard_at = time.monotonic()

    def disconnect(self, line: Line) -> None:
        if self.line is line:
            self.line = None
            self._view = None
            self.news.clear()
            self._say("left", f"{self.entry.name}'s phone left")

    def hear(self, data: bytes, line: Line) -> list[str]:
        """The answers to a message. What cannot be read is counted; a line that was shut out is
        not heard."""
        if line is not self.line:
            return []
        self._heard_at = time.monotonic()
        try:
            said = codec.message(data)
        except Unreadable:
            self._receive(data, line.sender, codec.decode, self.entry.vid)
            return []
        match said:
            case codec.Fixes():
                return [self._take(data, said, line.sender)]
            case codec.Ping():
                line.seen = said.views
                return [codec.reply("pong", sent=said.sent, utc=self._inlet.clock())]
            case codec.Shown():
                if said.id in self._notices:
                    self._notices[said.id].delay = said.delay
            case codec.Ack():
                self._acknowledge(said)
        return []

    def _take(self, data: bytes, said: codec.Fixes, sender: str) -> str:
        # What the page sends again because our answer was lost on the way counts once.
        token, before = self.link.token, self._got
        self._receive(data, sender, lambda d: codec.decode(d, token, before), self.entry.vid)
        # A fix that makes no sense is confirmed too: it would make no more sense the next time.
        self._got = max(self._got, said.fixes[-1].seq)
        return codec.reply("got", seq=said.fixes[-1].seq)

    def _acknowledge(self, said: codec.Ack) -> None:
        notice = self._notices.get(said.id)
        if notice is None or notice.acknowledged:
            return
        notice.acknowledged = True
        of = f"{notice.level_name} of {notice.name}"
        text = f"{self.entry.name} acknowledged {of} after {said.reaction:.1f} s"
        if notice.delay is not None:
            text += f", shown after {notice.delay:.2f} s"
        self._say("ack", text)

    def tell(self, view: View) -> None:
        """A newer view; one that was not sent yet is forgotten."""
        self._view = view
        self.over = view.run_state == "STOP"
        self.news.set()

    def _know(self, notice: NoticeView) -> None:
        if notice.id not in self._notices:
            self._notices[notice.id] = Notice(notice.name, notice.level_name)
            if len(self._notices) > NOTICES_KNOWN:
                self._notices.popitem(last=False)

    def newest(self, line: Line) -> str | None:
        """The view to be sent, once."""
        if line is not self.line:
            return None
        self.news.clear()
        view, self._view = self._view, None
        if view is None:
            return None
        for notice in view.notices:
            self._know(notice)
        return codec.view_reply(view.encoded())

    def _say(self, kind: str, text: str) -> None:
        self._inlet.happened(kind, text, self.entry.vid)
