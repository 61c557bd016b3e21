"""A host's seat at the Core: whose vehicles it has, and how well it is heard."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from movenv.recording.order_record import OrderRecord
from movenv.runtime.live.clock import SECOND, thinning
from movenv.runtime.live.wire import ReportMessage
from movenv.world.columns import U4, Rows
from movenv.world.messages import Inbox, Receptions, Report
from movenv.world.run_state import RunState

REMEMBERED = 3000
"""Ticks over which margins and losses are told: five minutes of the usual tick."""


@dataclass
class Seat:
    """One host, as the Core knows it."""

    name: str
    ticket: int
    vids: U4
    rows: Rows
    real: bool = False
    """Whether it is a gateway."""
    receptions: Receptions | None = None
    """How well a gateway hears its vehicles, by its latest report."""
    sequence: int = 0
    placed: bool = False
    """Whether a report of where its vehicles are has been taken."""
    lost: bool = False
    why_lost: str = ""
    heard_at: int = 0
    latest: ReportMessage | None = None
    reports: int = 0
    missing: int = 0
    told_all_until: int = 0
    left: bool = False
    left_at: int = 0
    """Whether its connection has ended: there is nobody to tell anything."""
    inbox: list[Inbox] = field(default_factory=list)
    """What its vehicles hear and it has not been told yet."""
    orders: list[OrderRecord] = field(default_factory=list)
    """What its vehicles are told to do and it has not said it knows, oldest first."""
    in_formation: Rows = field(default_factory=lambda: np.empty(0, np.intp))
    """Who keeps a formation with its vehicles."""
    waiting: list[Report] = field(default_factory=list)
    margins: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    arrivals: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=600))
    """Reports that came and that went missing before each, for the loss of the last minute."""

    def note(self, message: ReportMessage, now: int) -> None:
        """Keep what a report says of its host and its way here."""
        gap = message.sequence - self.sequence - 1 if self.sequence else 0
        self.sequence = message.sequence
        self.missing += gap
        self.reports += 1
        self.arrivals.append((1, gap))
        self.heard_at = now
        self.latest = message
        if message.state == RunState.GO and message.tick > 0:
            self.margins.append(message.margin)

    def overload(self, message: ReportMessage) -> str:
        """What is new when a host falls behind, or has caught up; empty for nothing."""
        before = self.latest.health if self.latest else ""
        if message.health and not before:
            return message.health
        if before and not message.health:
            return f"has caught up; at worst {message.worst_lag / SECOND:.1f} s behind"
        return ""

    def wait(self, report: Report) -> None:
        """Keep a report until its tick is stated; one that was only said again is not kept."""
        if all(report.tick != waiting.tick for waiting in self.waiting):
            self.waiting.append(report)

    def lose(self, why: str) -> None:
        """It is not heard any more; nothing of it waits."""
        self.lost, self.why_lost = True, why
        self.receptions = None
        self.waiting.clear()
        self.inbox.clear()

    def thinning(self, tick: int, pace: float) -> int:
        """Of how many ticks it is told one: of all, unless it hears them much too late."""
        if self.latest is None:
            return 1
        return thinning(round((tick - self.latest.told_tick) * pace), pace)

    @property
    def tick(self) -> int:
        return self.latest.tick if self.latest else -1

    @property
    def sent_at(self) -> int:
        """When the latest report was sent, on the Core's clock as the host has measured it, ns."""
        return self.latest.sent + self.latest.offset if self.latest else 0

    @property
    def speaks_every_tick(self) -> bool:
        """Whether it has left READY, as far as we have heard."""
        return self.latest is not None and self.latest.state != RunState.READY

    @property
    def loss(self) -> float:
        """The share of recent reports that never came."""
        came = sum(c for c, _ in self.arrivals)
        gone = sum(g for _, g in self.arrivals)
        return gone / (came + gone) if came else 0.0

    def _age(self, now: int) -> float | None:
        """How long ago the latest report was sent, by the Core's clock, s."""
        if self.latest is None:
            return None
        return max(0, now - self.sent_at) / SECOND

    def status(self, now: int) -> dict[str, Any]:
        """For people: times in seconds."""
        latest = self.latest
        return {
            "host": self.name,
            "vehicles": len(self.vids),
            "state": latest.state if latest else None,
            "health": self.why_lost if self.lost else (latest.health if latest else "") or "ok",
            "lost": self.lost,
            "tick": self.tick,
            "margin": latest.margin if latest else None,
            "margin_p5": float(np.percentile(self.margins, 5)) if self.margins else None,
            "lag": latest.lag / SECOND if latest else None,
            "worst_lag": latest.worst_lag / SECOND if latest else None,
            "age": self._age(now),
            "loss": self.loss,
            "reports": self.reports,
            "missing": self.missing,
            "late": latest.late if latest else 0,
            "held": latest.held if latest else 0,
            "garbled": latest.garbled if latest else 0,
            "refused": latest.refused if latest else {},
            "clock_offset": latest.offset / SECOND if latest else None,
            "clock_uncertainty": latest.uncertainty / SECOND if latest else None,
        }
