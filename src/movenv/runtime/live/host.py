"""A simulation host in a live run: what it does with what it hears, and when.

Without socket or clock: it is told what came and what time it is, and says what to send and when
it wants to be called again. Times are whole nanoseconds of the host's monotonic clock.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from movenv.recording.order_record import OrderRecord
from movenv.runtime.live import wire
from movenv.runtime.live.clock import SECOND, ClockOffset, loss_after, thinning
from movenv.runtime.live.host_orders import HostOrders, checked_orders
from movenv.runtime.live.host_wheels import HostWheels
from movenv.runtime.live.wheel_wire import Dashboard, Turn
from movenv.runtime.live.wire import AwarenessMessage, Beacon, Joined, ReportMessage
from movenv.scenario.build import Stage
from movenv.world.awareness import Others, as_others, carried, completed
from movenv.world.columns import F8, U1, U4, Rows, VidIndex
from movenv.world.host import Host, no_steps
from movenv.world.messages import (
    Broadcasts,
    Detections,
    Finds,
    Inbox,
    Motions,
    Notices,
    Report,
    VehicleStates,
)
from movenv.world.model import MOTION
from movenv.world.run_state import RunState
from movenv.world.sensor import Readings

STATUS_EVERY = SECOND
"""In READY a host says once a second that it is there."""
PATIENCE = 0.3
"""How long to wait for the Core's word on the tick before, in ticks, when it is only just late."""
HEAD_START = 0.8
"""How long before it is due the first tick of a run begins, in ticks."""
UNREAD = 1000
"""Deliveries by radio that may wait for a host that does not move; older ones are given up."""


class LiveHost:
    """Lives through the run that the Core's beacons tell of."""

    def __init__(self, stage: Stage, name: str, joined: Joined, now: int) -> None:
        self.name = name
        self.stopped = False
        self.garbled = 0
        """Messages that made no sense; counted by whoever receives them."""
        self.core = joined.beacon.core
        self._stage = stage
        self._offset = ClockOffset()
        self._rows = _rows_of(stage, np.array(joined.vids, np.uint32))
        self._beacon = joined.beacon
        self._schedule = joined.beacon.schedule
        self._own_time = False
        self._looked_at: Callable[[str], bool] | None = None
        self._ticket = joined.ticket
        self._heard_at = self._called_at = now
        self._host: Host | None = None
        self._latest: Report | None = None
        self._tick = 0
        self._others, self._notices = Others.empty(), Notices.empty()
        self._finds = Finds.empty()
        self._inboxes: deque[Inbox] = deque(maxlen=UNREAD)
        self._orders = HostOrders()
        self._wheels = HostWheels(joined.wheels)
        self.dashboards: list[Dashboard] = []
        """What drivers of our vehicles are shown after the latest tick; another list after each."""
        self._told_tick = 0
        self._unsent: list[Report] = []
        self._echo = now
        """When the newest report was sent that the Core is known to have."""
        self._sequence = 0
        self._next_status = now
        self._announce = True
        self._margin = 1.0
        self._finished = 0
        self._lag = self._worst_lag = self._late = self._held = 0
        self._enter_place(joined)

    def let_look(self, looked_at: Callable[[str], bool]) -> None:
        """From now on only what somebody looks at is measured, where that is enough; and nothing of
        it while we are behind, for looking on must not keep vehicles from living."""

        def in_time(sensor: str) -> bool:
            return self._lag <= self._pace and looked_at(sensor)

        self._looked_at = in_time
        if self._host is not None:
            self._host.looked_at = in_time

    # --- what comes in

    @property
    def ticket(self) -> int:
        """What shows the Core that a message is ours."""
        return self._ticket

    @property
    def vids(self) -> list[int]:
        return [int(vid) for vid in self._stage.roster.vids[self._rows]]

    @property
    def rows(self) -> Rows:
        """Its vehicles, as rows of the roster."""
        return self._rows

    @property
    def readings(self) -> list[Readings]:
        """What sensors measured in the latest tick; another list after each."""
        return self._host.readings if self._host else []

    @property
    def orders(self) -> list[OrderRecord]:
        """What our vehicles obey."""
        return self._orders.standing(self.vids)

    @property
    def wheels(self) -> list[tuple[int, int]]:
        """Those of our vehicles that are driven from outside, or stay braked: vid and ticket."""
        return self._wheels.taken

    def rejoined(self, joined: Joined, now: int) -> None:
        """The Core was restarted and has taken us back with the vehicles we had."""
        orders = checked_orders(joined.orders)
        if joined.beacon.core != self.core:
            self._leave_clock()
        self.core, self._ticket = joined.beacon.core, joined.ticket
        self._heard_at = now
        self._told_tick = min(self._told_tick, joined.beacon.tick)
        self._orders.hear(orders)
        self._wheels.told(joined.wheels)
        self._follow(joined.beacon, now)

    def _leave_clock(self) -> None:
        """The Core's clock may be another: keep to the schedule on our own until it is told."""
        if self._schedule is not None and not self._own_time:
            self._schedule = replace(self._schedule, at=self._schedule.at - self._offset.ahead)
            self._own_time = True
        self._offset.forget()

    def clock_sample(self, sent: int, received: int, answered: int, now: int) -> None:
        self._offset.sample(sent, received, answered, now)

    def hear_beacon(self, beacon: Beacon, now: int) -> bool:
        """Returns whether it is of a Core that does not know us yet."""
        if beacon.run != self._beacon.run:
            return False
        if beacon.core != self.core:
            return True
        if now - self._heard_at > self._loss_after:
            self._announce = True  # it was away: it wants to know at once where we are
        self._heard_at = now
        if beacon.change >= self._beacon.change:
            self._follow(beacon, now)
        return False

    def hear(self, message: AwarenessMessage, now: int) -> bool:
        """What the Core tells this host. Returns whether to join anew; raises Garbled."""
        others = wire.unpack(wire.OTHERS, message.others)
        notices = wire.unpack(wire.NOTICES, message.notices)
        heard, finds = message.heard, wire.unpack(wire.FINDS, message.finds)
        orders = checked_orders(message.orders)
        if self.hear_beacon(message.beacon, now):
            return True
        if message.echo_sent:
            self._offset.sample(message.echo_sent, message.echo_received, message.answered, now)
            self._echo = max(self._echo, message.echo_sent)
        if message.tick >= self._told_tick:
            self._others, self._notices = others, notices
            self._told_tick = message.tick
        if len(heard):
            self._inboxes.append(heard)
        self._found(finds)
        self._orders.hear(orders)
        self._wheels.told(message.wheels)
        return False

    def turned(self, vid: int, turn: Turn, now: int) -> None:
        """What a driver does with one of our vehicles. Raises Garbled."""
        self._wheels.turned(vid, turn, now)

    def _found(self, finds: Finds) -> None:
        """Take in who has found whom; a Core that was restarted has forgotten some of it."""
        if not len(finds):
            return
        known = set(zip(self._finds.vid.tolist(), self._finds.target.tolist(), strict=True))
        pairs = zip(finds.vid.tolist(), finds.target.tolist(), strict=True)
        news = np.array([pair not in known for pair in pairs], np.bool_)
        self._finds = Finds.joined([self._finds, finds.take(news)])

    def _follow(self, beacon: Beacon, now: int) -> None:
        """Raises Garbled, and then nothing has changed."""
        before, state, schedule = self.state, beacon.run_state, beacon.schedule
        self._beacon = beacon
        if schedule is not None:
            if self._schedule is None:
                self._tick = self._told_tick = schedule.latest(now + self._offset.ahead)
            self._schedule, self._own_time = schedule, False
        if state == RunState.STOP:
            self.stopped = True
        if state == RunState.READY:
            self._latest = None
            self._unsent.clear()
            self._tick = self._told_tick = 0
            self._finds = Finds.empty()
            self._orders.clear()
        elif self._latest is None:
            self._take_place(None, now)
        if state != before:
            self._announce = True

    # --- what goes out

    def due(self) -> int:
        """When to be called again."""
        if self._announce:
            return 0
        if self._moving:
            return self._begins(self._tick + 1)
        return self._next_status

    def act(self, now: int) -> ReportMessage | None:
        """Do what is due, one tick at most; returns what to send, if anything."""
        self._notice_own_sleep(now)
        if self._moving and not self._announce:
            if now < self._begins(self._tick + 1):
                return None
            return self._live_tick(self._at(self._tick + 1), now)
        if now < self._next_status and not self._announce:
            return None
        self._announce = False
        pace = self._pace * thinning(now - self._echo, self._pace)
        self._next_status = now + (STATUS_EVERY if self.state == RunState.READY else round(pace))
        return self._message(now)

    def _notice_own_sleep(self, now: int) -> None:
        """Where it was we who slept, the Core is not to blame: what it sent is still to come."""
        if now - max(self.due(), self._called_at) > self._loss_after / 2:
            self._heard_at = self._echo = now
        self._called_at = now

    @property
    def _loss_after(self) -> float:
        return loss_after(self._stage.scenario.link_loss.after, self._pace)

    @property
    def _pace(self) -> float:
        return self._schedule.pace if self._schedule else self._stage.time.period * SECOND

    @property
    def state(self) -> RunState:
        return self._beacon.run_state

    @property
    def _moving(self) -> bool:
        if self._latest is None or self._schedule is None:
            return False
        if self.state == RunState.PAUSE:
            return self._tick < self._beacon.hold_at
        return self.state == RunState.GO

    def _begins(self, tick: int) -> int:
        """When to begin with a tick: when it is due, but with the very first one soon after GO.

        In that one everybody makes plans, and all that it depends on is known before it is due.
        """
        return self._at(tick) + (self._patience() if tick > 1 else -round(self._pace * HEAD_START))

    def _patience(self) -> int:
        """Worth waiting for only what is just about to come."""
        if self._told_tick == self._tick - 1 and self._tick > 1:
            return round(self._pace * PATIENCE)
        return 0

    def finish(self, now: int) -> None:
        """A tick's work is done: what is left of the tick is margin."""
        if not self._moving or self._finished == self._tick:
            return
        self._finished = self._tick
        left = self._at(self._tick + 1) - now
        self._margin = min(1.0, max(0.0, left / self._pace))

    # --- inside

    def _at(self, tick: int) -> int:
        """When a tick is due on this host's clock."""
        assert self._schedule is not None
        return self._schedule.due(tick) - (0 if self._own_time else self._offset.ahead)

    def _enter_place(self, joined: Joined) -> None:
        """Take the place that the Core assigns: the start, or where the vehicles were last."""
        state = joined.beacon.run_state
        if state == RunState.READY:
            return
        motions = wire.unpack(wire.MOTIONS, joined.motions)
        moved = state in (RunState.GO, RunState.PAUSE)
        if moved:
            # On the Core's clock: how far ours is off is not known well yet.
            tick = self._schedule.latest(joined.answered) if self._schedule else joined.beacon.tick
            held = joined.beacon.hold_at
            self._tick = self._told_tick = min(tick, held) if state == RunState.PAUSE else tick
        self._orders.hear(checked_orders(joined.orders))
        self._take_place(motions if moved and len(motions) else None, self._called_at)
        if moved:
            self._orders.take_up(motions)

    def _take_place(self, motions: Motions | None, _now: int) -> None:
        """Be where `motions` says, or at the start."""
        self._host = self._stage.host(self.name, self._rows, *start_of(self._stage, motions))
        self._host.looked_at = self._looked_at
        first = self._host.set()
        self._latest = replace(first, tick=self._tick, t=self._stage.time.t(self._tick))

    def _live_tick(self, due: int, now: int) -> ReportMessage | None:
        self._lag = max(0, now - due)
        self._worst_lag = max(self._worst_lag, self._lag)
        self._tick += 1
        self._latest = self._lived(now)
        self._unsent.append(self._latest)
        if self._tick % thinning(now - self._echo, self._pace):
            return None
        return self._message(now)

    def _lived(self, now: int) -> Report:
        """What becomes of the vehicles in the tick that begins."""
        assert self._host is not None
        assert self._latest is not None
        cut_off = now - self._heard_at > self._loss_after
        if cut_off and self._stage.scenario.link_loss.then == "hold":
            self._held += 1
            still = standing(self._latest.motions)
            t = self._stage.time.t(self._tick)
            return Report(self.name, self._tick, t, RunState.GO, still)
        behind = self._tick - 1 - self._told_tick
        self._late += behind > 0
        others = self._everyone(self._latest, behind)
        notices = Notices.empty() if cut_off else self._notices_now(behind)
        inbox = Inbox.joined(list(self._inboxes))
        self._inboxes.clear()
        orders = self._orders.pending()
        wheels = self._wheels.table(now)
        report = self._host.tick(self._tick, others, notices, inbox, self._finds, orders, wheels)
        self.dashboards = self._wheels.dashboards(report, now)
        return report

    def _current(self, _now: int) -> Report | None:
        """What to say of the vehicles now; None before anything is known of them."""
        return self._latest

    def _everyone(self, own: Report, behind: int) -> VehicleStates:
        """Everyone this host knows of at the last tick: its own, and the others carried there."""
        mine = as_others(own)
        theirs = carried(self._others, self._carry(behind))
        together = Others.joined([theirs, mine])
        return completed(together.take(np.argsort(together.vid)), self._stage.frame).sealed()

    def _notices_now(self, behind: int) -> Notices:
        return carried(self._notices, self._carry(behind)).sealed()

    def _carry(self, behind: int) -> float:
        """How far to carry what was heard; nothing is guessed beyond the limit for a lost link."""
        return min(behind * self._stage.time.period, self._stage.scenario.link_loss.after)

    def _message(self, now: int) -> ReportMessage:
        """The latest report, with all that happened since the one before was sent."""
        self._sequence += 1
        latest = self._current(now)
        said, self._unsent = self._unsent, []
        detections = Detections.joined([report.detections for report in said])
        broadcasts = Broadcasts.joined([report.broadcasts for report in said])
        return ReportMessage(
            ticket=self._ticket,
            sequence=self._sequence,
            sent=now,
            due=self._at(self._tick) + self._offset.ahead if self._schedule else 0,
            tick=self._tick,
            told_tick=self._told_tick,
            t=latest.t if latest else 0.0,
            state=self.state,
            margin=self._margin,
            lag=self._lag,
            worst_lag=self._worst_lag,
            late=self._late,
            held=self._held,
            offset=self._offset.ahead,
            uncertainty=self._offset.uncertainty(now),
            garbled=self.garbled,
            health=self._health(),
            refused=self._refused(),
            motions=wire.pack(wire.MOTIONS, latest.motions) if latest else b"",
            receptions=wire.pack(wire.RECEPTIONS, latest.receptions) if latest else b"",
            detections=wire.pack(wire.DETECTIONS, detections),
            speakers=broadcasts.vid.tolist(),
            payloads=broadcasts.payloads,
            remarks=[(vid, text) for report in said for vid, text in report.remarks],
            orders=self._orders.had,
        )

    def _refused(self) -> dict[str, int]:
        """What came from outside the run and was dropped, by reason."""
        return {}

    def _health(self) -> str:
        if self._moving and self._lag > self._pace:
            return f"overloaded: {self._lag / SECOND:.1f} s behind"
        return ""


def start_of(stage: Stage, motions: Motions | None) -> tuple[F8 | None, U1 | None]:
    """Everyone's first MOTION and step of a mission, with those that are given in their places."""
    if motions is None:
        return None, None
    start, steps = stage.start.copy(), no_steps(len(stage.roster))
    rows = _rows_of(stage, motions.vid)
    start[:, rows] = [getattr(motions, name) for name in MOTION]
    steps[rows] = motions.step
    return start, steps


def _rows_of(stage: Stage, vids: U4) -> Rows:
    return VidIndex(stage.roster.vids).rows(vids)


def standing(motions: Motions) -> Motions:
    """The same places, and nobody moves."""
    still = np.zeros(len(motions), np.float32)
    return Motions(dict(motions.columns()) | dict.fromkeys(("speed", "vx", "vy", "vz"), still))
