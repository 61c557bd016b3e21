"""The Core in a live run: the run state, the schedule, and when to state everyone.

Without socket or clock: it is told what came and what time it is, and says what to send. Times
are whole nanoseconds of the Core's monotonic clock.
"""

import secrets
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from movenv.recording.layouts import EventRecord
from movenv.recording.mission_log import MissionLog
from movenv.recording.order_record import LAST, OrderRecord
from movenv.runtime.live import wire
from movenv.runtime.live.admission import (
    Dropped,
    MarkRefused,
    checked_mark,
    checked_report,
    checked_words,
)
from movenv.runtime.live.around import Around, AroundRequest, Neighbours
from movenv.runtime.live.audience import Audience
from movenv.runtime.live.clock import SECOND, Schedule, loss_after
from movenv.runtime.live.field import FieldEvent, changes, told
from movenv.runtime.live.orders import WITH_ORDERS, Orders
from movenv.runtime.live.seat import Seat
from movenv.runtime.live.seats import NoSeat, Seats
from movenv.runtime.live.status import Board, Timing
from movenv.runtime.live.telling import Teller
from movenv.runtime.live.timekeeper import Timekeeper
from movenv.runtime.live.wheel_wire import (
    WheelGiven,
    WheelRelease,
    WheelReleased,
    WheelRequest,
)
from movenv.runtime.live.wheels import Wheels
from movenv.runtime.live.wire import (
    AwarenessMessage,
    Beacon,
    Garbled,
    GatewayNews,
    Joined,
    JoinRequest,
    Ordered,
    OrderMessage,
    Refusal,
    ReportMessage,
)
from movenv.scenario.build import Stage
from movenv.scenario.orders import OrderRefused
from movenv.world.columns import Rows
from movenv.world.core import Core, Update
from movenv.world.kinds import Origin
from movenv.world.messages import Health, Report, Snapshot, VehicleStates
from movenv.world.orders import Order
from movenv.world.run_state import RunState
from movenv.world.summary import Summary

IDLE_EVERY = SECOND
"""In READY the Core speaks once a second."""
GRACE = 0.5
"""How long to wait for a host that has kept up so far, in ticks."""
SILENCE_IN_READY = 3 * SECOND
"""Where hosts speak once a second, silence is longer."""
REBUILD = SECOND
"""How long a Core that was restarted or stalled waits until it has heard all hosts again."""
CATCH_UP = SECOND
"""How long somebody who was away is told everything, although it seems to hear too late."""
ABSENT = SECOND // 3
"""A Core that was called so much too late was stalled itself."""
LISTEN = SECOND // 20
"""What was sent meanwhile is there within this time."""
EARLY = 50
"""A report may be this many ticks ahead of the Core; a host with a wilder clock is not heard."""


@dataclass
class Outgoing:
    """What the Core wants to be sent after it was called."""

    beacon: Beacon | None = None
    awareness: dict[str, AwarenessMessage] = field(default_factory=dict)
    update: Update | None = None
    keep: bool = False
    """Whether the update goes into the recording."""


@dataclass(frozen=True)
class Resumed:
    """What a Core that was restarted knows of the run."""

    run: str
    state: RunState
    tick: int
    vehicles: VehicleStates | None = None
    """Where everyone was last."""
    summary: dict[str, Any] | None = None
    orders: Sequence[OrderRecord] = ()
    """Those that held."""


class LiveCore:
    """Holds the run. Not thread-safe, but for what `seats` says of itself."""

    def __init__(
        self,
        stage: Stage,
        speed: float,
        auto: bool,
        recorders: int,
        now: int,
        *,
        run_id: str | None = None,
        resumed: Resumed | None = None,
    ) -> None:
        """`recorders` is how many must be there before a run that starts by itself goes."""
        self.run_id = run_id or (resumed.run if resumed else secrets.token_hex(8))
        self.core_id = secrets.token_hex(8)
        self.speed = speed
        self.events: deque[EventRecord] = deque()
        self.ended_at: int | None = None
        self._stage = stage
        self._auto = auto
        self.audience = Audience(recorders)
        self._core: Core = stage.core()
        self.summary = Summary(stage.roster, list(stage.scenario.notices.levels), stage.every_pair)
        self.seats = Seats(stage.roster)
        self.orders = Orders(stage, self.seats)
        self.wheels = Wheels(stage.roster)
        self._teller = Teller(stage, self.wheels)
        self._missions = MissionLog(stage.roster)
        self._pace = stage.time.period * SECOND / speed
        self._ticks_a_beacon = max(1, round(IDLE_EVERY / self._pace))
        self._time = Timekeeper(self.run_id, self.core_id, self._pace, now)
        self._next = self._listening_since = now
        self._rebuild_until = self._listen_until = self._acted_at = self._stalled_until = 0
        self._starting = False
        self._latest: Snapshot | None = None
        self._neighbours = Neighbours(stage)
        self.timing = Timing()
        self._board = Board(stage)
        if resumed:
            self._resume(resumed)

    # --- where the run stands

    @property
    def state(self) -> RunState:
        return self._time.state

    @property
    def effective_state(self) -> RunState:
        """The run state that holds: a PAUSE begins with the tick after which nobody moves."""
        return self._core.run_state

    @property
    def tick(self) -> int:
        return self._time.tick

    @property
    def t(self) -> float:
        return self._stage.time.t(self.tick)

    @property
    def beacon(self) -> Beacon:
        return self._time.beacon

    @property
    def _stated(self) -> VehicleStates | None:
        """Where everyone is, by the last word."""
        return self._latest.vehicles if self._latest else None

    def around(self, request: AroundRequest, now: int) -> Around | Refusal:
        """Who is around a vehicle; any thread may ask."""
        return self._neighbours.answer(request, self.beacon, self._latest, now)

    def command(self, wanted: RunState, who: str, now: int) -> None:
        """Change the run state. Raises IllegalMove."""
        before = self.state
        self._time.command(wanted, now)
        self._event("state", f"{before.name} to {wanted.name}", who=who)
        self._starting = wanted == RunState.GO and before == RunState.SET
        if not self._starting and wanted != RunState.PAUSE:
            self._core.resume(wanted)
        if wanted == RunState.READY:
            self._core = self._stage.core()
            self.orders.clear()
        if wanted == RunState.STOP:
            self.ended_at = now
        self._next = now

    def mark(self, text: str, who: str) -> float:
        """Write words into the recording; returns when. Raises MarkRefused."""
        if self.state == RunState.STOP:
            raise MarkRefused("the run has ended: nothing is recorded any more")
        self._event("mark", checked_mark(text), who)
        return self.t

    def order(self, message: OrderMessage, who: str, now: int) -> Ordered:
        """Have vehicles do something. Raises OrderRefused, and then nothing has changed."""
        return self.give(self.resolved(message, who), now)

    def resolved(self, message: OrderMessage, who: str) -> Order:
        """What an operator wants, for `give`; any thread may ask. Raises OrderRefused."""
        return self.orders.resolved(message, who, self._stated)

    def give(self, order: Order, now: int) -> Ordered:
        """Give an order. Raises OrderRefused where nobody takes any now."""
        if self.state not in WITH_ORDERS:
            raise OrderRefused("", f"in {self.state.name} nobody takes orders")
        if self._time.recovering or now < self._rebuild_until:
            raise OrderRefused("", "the Core was just started again; order again in a moment")
        ordered, event = self.orders.give(order, self.t)
        self.events.append(event)
        return ordered

    def wheel(self, request: WheelRequest, now: int) -> WheelGiven | Refusal:
        """Give somebody outside the wheel of a vehicle, or say why not."""
        if self.state == RunState.STOP:
            return Refusal("the run has ended")
        answer, events = self.wheels.ask(request, now, self.t)
        self.events += events
        return answer

    def release_wheel(self, request: WheelRelease) -> WheelReleased | Refusal:
        """Take the wheel from whoever has it."""
        answer, events = self.wheels.release(request, self.t)
        self.events += events
        return answer

    def _resume(self, resumed: Resumed) -> None:
        self._time.resume(resumed.state, resumed.tick)
        self._core.resume(resumed.state)
        if resumed.vehicles is not None and resumed.state in (RunState.GO, RunState.PAUSE):
            self._core.restore(resumed.vehicles, self.t)
            self._missions.know(self.t, resumed.vehicles)
        self.orders.resume(resumed.orders, resumed.tick)
        if resumed.summary:
            self.summary.resume(resumed.summary)
        self._event("core", f"the Core was restarted in {resumed.state.name}")

    # --- hosts

    def join(self, request: JoinRequest, now: int) -> Joined | Refusal:
        """Give a host its vehicles, or say why not."""
        if self.state == RunState.STOP:
            return Refusal("the run has ended")
        before = self.seats.get(request.name)
        try:
            rows = self.seats.claim(request)
        except NoSeat as reason:
            return Refusal(str(reason), reason.passing)
        seat, freed = self.seats.give(request.name, rows, now, request.real)
        for name in freed:
            self._core.release(name)
        said = f"{'came back' if before else 'joined'} with {in_words(len(rows))}"
        self._event("host", said, request.name, seat.vids.tolist())
        self.wheels.keep(request.wheels, seat.vids, now)
        return Joined(
            beacon=self.beacon,
            ticket=seat.ticket,
            vids=seat.vids.tolist(),
            motions=self._last_motions(rows),
            orders=self.orders.joined(seat, request.orders),
            received=request.sent and now,
            answered=now,
            wheels=self.wheels.of(seat.vids),
        )

    def _last_motions(self, rows: Rows) -> bytes:
        motions, health = self._core.latest(self._stage.roster.vids[rows])
        if (health == Health.UNHEARD).any():
            return b""
        return wire.pack(wire.MOTIONS, motions)

    def gone(self, name: str, now: int) -> None:
        """A host's connection has ended; unless it is back at once, its vehicles are lost."""
        seat = self.seats.get(name)
        if seat is not None:
            seat.left, seat.left_at = True, now

    def _lose(self, seat: Seat, why: str) -> None:
        if seat.lost:
            return
        seat.lose(why)
        if self.state == RunState.STOP:
            return
        self._core.lose(seat.vids, self.t)
        said = f"{why}; {in_words(len(seat.vids))} lost"
        self._event("lost", said, seat.name, seat.vids.tolist())

    def recorder(self, name: str, here: bool) -> None:
        """A recorder came or went."""
        if not self.audience.recorder(name, here):
            return
        if here:
            self._event("recorder", "records", name)
        elif self.state != RunState.STOP:
            self._event("lost", "the recorder is gone; what happens is kept for it", name)

    @property
    def deserted(self) -> bool:
        """Whether nobody is there any more."""
        return self.audience.empty and all(seat.lost for seat in self.seats)

    # --- reports

    def turn_away(self, reason: str) -> None:
        """Somebody was refused a link. Told once, counted always: a peer tries again and again."""
        self.seats.refuse("without keys")
        if self.seats.refused["without keys"] == 1:
            self._event("refused", f"a peer without the run's keys was turned away ({reason})")

    def take(self, name: str, message: ReportMessage, now: int) -> None:
        """Enter an admitted report; counts and drops what is not its host's to say."""
        seat = self.seats.get(name)
        if seat is None or message.ticket != seat.ticket:
            return self.seats.refuse("stranger")
        if message.sequence <= seat.sequence:
            return self.seats.refuse("old")
        try:
            report = self._report(seat, message, now)
        except Garbled:
            return self.seats.refuse("garbled")
        except Dropped as reason:
            return self.seats.refuse(str(reason))
        message = checked_words(message)
        self.orders.had(seat, message.orders)
        if news := seat.overload(message):
            self._event("overload", news, seat.name)
        seat.note(message, now)
        if now > seat.left_at and self.state != RunState.STOP:
            seat.left = False
        if seat.lost and self.state != RunState.STOP:
            seat.lost = False
            seat.told_all_until = now + CATCH_UP
            self._event("host", "is heard again", name, seat.vids.tolist())
        if self._time.recovering and self._time.learn(message, now):
            self._rebuild_until = now + REBUILD
        if report is not None:
            seat.wait(report)
        else:
            self._core.say_state(seat.vids, RunState(message.state))
        return None

    def _report(self, seat: Seat, message: ReportMessage, now: int) -> Report | None:
        """The report in a message; None for a bare status. Raises Garbled or Dropped."""
        if message.state not in RunState.__members__.values():
            raise Garbled("garbled")
        if message.tick < 0 or not 0 <= message.orders < LAST:
            raise Garbled("garbled")
        if message.tick > self._time.latest(now, self._stage.scenario.time.ticks) + EARLY:
            raise Dropped("too early")
        report = checked_report(seat, message, self._stage)
        if len(report.receptions):
            self._tell_of_field(changes(seat, report.receptions, self._stage.roster))
            seat.receptions = report.receptions
        return report if len(report.motions) else None

    def news(self, name: str, news: GatewayNews) -> list[bytes]:
        """What a gateway tells beside its reports; returns packets for the recording."""
        seat = self.seats.get(name)
        if seat is None or news.ticket != seat.ticket or not seat.real:
            self.seats.refuse("stranger")
            return []
        self._tell_of_field(told(seat, news, self._stage.roster))
        return news.packets

    def _tell_of_field(self, events: Iterable[FieldEvent]) -> None:
        for event in events:
            self._event(event.kind, event.text, event.who, event.vids)

    # --- the tick

    def due(self) -> int:
        """When to be called again, at the latest."""
        return self._next

    def act(self, now: int) -> Outgoing:
        """Do what is due."""
        if self._was_absent(now):
            return Outgoing(self.beacon, self._tell(None, now))
        if now < self._listen_until:
            return Outgoing()
        self._listen_for_silence(now)
        self.events += self.wheels.lapse(now, self.t)
        if self._time.give_up_learning(now):
            self._event("core", f"no host knows the time; it goes on from t = {self.t:g} s")
        schedule = self._time.schedule
        if schedule is None or self.state in (RunState.READY, RunState.STOP):
            return self._idle(now)
        if self._starting:
            return self._begin(schedule, now)
        if self.state == RunState.SET or self._time.holding:
            return self._stand_by(now)
        return self._go(schedule, now)

    def _was_absent(self, now: int) -> bool:
        """After a stall of the Core itself: nobody was silent, and first it must hear the news."""
        away = now - max(self._acted_at, self._next)
        absent = bool(self._acted_at) and away > ABSENT
        if absent:
            self._listening_since = self._stalled_until = now
            self._listen_until, self._rebuild_until = now + LISTEN, now + REBUILD
            self._next = self._listen_until
            for seat in self.seats:
                seat.told_all_until = now + REBUILD + CATCH_UP
        self._acted_at = now
        return absent

    def _listen_for_silence(self, now: int) -> None:
        limit = loss_after(self._stage.scenario.link_loss.after, self._pace)
        for seat in self.seats:
            if seat.left and now >= self._rebuild_until:
                self._lose(seat, "gone")
            silent = now - max(seat.heard_at, self._listening_since)
            patience = limit if seat.speaks_every_tick else max(limit, SILENCE_IN_READY)
            if not seat.lost and silent > patience:
                self._lose(seat, f"silent for {(now - seat.heard_at) / SECOND:.1f} s")

    def _idle(self, now: int) -> Outgoing:
        if self._auto and self.state == RunState.READY and self.everyone_is_here:
            self.command(RunState.SET, "auto", now)
        if now < self._next:
            return Outgoing()
        self._next = now + (IDLE_EVERY if self._time.schedule else round(self._pace))
        return Outgoing(self.beacon, self._tell(None, now))

    def _stand_by(self, now: int) -> Outgoing:
        """SET and PAUSE: state everyone again and again while nobody moves."""
        if now < self._next:
            return Outgoing()
        self._next = max(self._next + round(self._pace), now)
        if self._auto and self.state == RunState.SET and self._is_proven:
            self.command(RunState.GO, "auto", now)
            return self.act(now)
        update = self._update()
        return Outgoing(self.beacon, self._tell(update, now), update)

    def _begin(self, schedule: Schedule, now: int) -> Outgoing:
        """GO after SET: the last word on where everyone starts belongs into the recording."""
        self._starting = False
        update = self._update()
        self._tell_of(update)
        self._core.resume(RunState.GO)
        self._next = schedule.due(self.tick + 1)
        return Outgoing(self.beacon, self._tell(update, now), update, keep=True)

    def _update(self) -> Update:
        self._take_waiting()
        update = self._core.tick(self.tick, self.t)
        self._latest = update.snapshot
        self.events += self.orders.remarked(update, self.t)
        return update

    def _go(self, schedule: Schedule, now: int) -> Outgoing:
        if now < self._rebuild_until and not self._all_are_heard_again:
            if now < self._next:
                return Outgoing()
            self._next = now + round(self._pace)
            return Outgoing(self.beacon)
        end = self._stage.scenario.time.ticks
        last = min(end, self._time.hold_at) if self.state == RunState.PAUSE else end
        tick, latest = self.tick + 1, min(last, schedule.latest(now))
        due = schedule.due(tick)
        if now < due:
            self._next = due
            return Outgoing()
        if latest == tick and not self.seats.have_reported(tick):
            self._next = due + schedule.share(GRACE)
            if now < self._next:
                return Outgoing()
        if latest > tick:
            many = "1 tick" if latest - tick == 1 else f"{latest - tick:,} ticks"
            self._event("missed", f"the Core missed {many} from t = {self.t:g} s")
            self.timing.missed += latest - tick
            tick = latest
        return self._state_everyone(schedule, min(tick, end), now)

    def _state_everyone(self, schedule: Schedule, tick: int, now: int) -> Outgoing:
        self.timing.late(now - schedule.due(tick))
        self._time.tick = tick
        update = self._update()
        heard = update.snapshot.vehicles.health == Health.HEARD
        heard &= self._stage.roster.origin == Origin.VIRTUAL  # a fix is always of before
        self.timing.carried += bool((update.snapshot.vehicles.age[heard] > 0).any())
        self.summary.add(update)
        self._tell_of(update)
        self._next = schedule.due(tick + 1)
        beacon = self.beacon if tick % self._ticks_a_beacon == 0 else None
        out = Outgoing(beacon, self._tell(update, now), update, keep=True)
        if self._time.holding:
            self._core.resume(RunState.PAUSE)
        if tick >= self._stage.scenario.time.ticks and self.state != RunState.STOP:
            self.command(RunState.STOP, "the scenario's duration", now)
            out.beacon = self.beacon
        return out

    def _tell_of(self, update: Update) -> None:
        """How far missions are, and what the scenario orders now."""
        self.events += self._missions.events(self.t, 0.0, update.snapshot.vehicles)
        self.events += self.orders.script(self.tick, self.t, update.snapshot.vehicles)

    def finish(self, now: int) -> None:
        """A tick of GO is sent: what is left of it is margin."""
        if self._time.schedule:
            left = (self._time.schedule.due(self.tick + 1) - now) / self._pace
            self.timing.margins.append(min(1.0, max(0.0, left)))

    def _take_waiting(self) -> None:
        for seat in self.seats:
            # Of a host that has just come, a report that is ahead is better than none; and one
            # that heard late of a pause stands where it stands.
            holding = self._core.run_state == RunState.PAUSE
            until = max(self.tick, seat.tick) if holding or not seat.placed else self.tick
            ready = [report for report in seat.waiting if report.tick <= until]
            seat.waiting = [report for report in seat.waiting if report.tick > until]
            for report in ready:
                self._core.take(report)
                seat.placed = True

    @property
    def _all_are_heard_again(self) -> bool:
        since = self._listening_since - LISTEN  # some may have come just before we knew
        hosts = self.audience.complete and self.seats.all_hosts_are_here
        # What waited for a Core that was stalled says where they were, not where they are.
        return hosts and all(
            s.heard_at >= since and s.sent_at >= self._stalled_until for s in self.seats
        )

    @property
    def everyone_is_here(self) -> bool:
        return self.audience.complete and self.seats.all_are_here

    @property
    def _is_proven(self) -> bool:
        return self.everyone_is_here and self.seats.have_proven_links

    # --- what to tell

    def _tell(self, update: Update | None, now: int) -> dict[str, AwarenessMessage]:
        """For each host that is there: the clocks, and of an update what concerns it."""
        going = self.state == RunState.GO
        if update is not None:
            self._teller.deliver(update, self.seats)
        return {
            seat.name: self._teller.message(seat, self.seats, update, self.beacon, self.t, now)
            for seat in self.seats
            if not seat.left and not (update and going and self.tick % self._thinning(seat, now))
        }

    def _thinning(self, seat: Seat, now: int) -> int:
        return 1 if now < seat.told_all_until else seat.thinning(self.tick, self._pace)

    def _event(self, kind: str, text: str, who: str = "", vids: list[int] | None = None) -> None:
        self.events.append(EventRecord(self.t, 0.0, kind, text, who, vids or []))

    def status(self, now: int) -> dict[str, Any]:
        """Where the run stands, for people; times in seconds."""
        return self._board.status(self, now)

    def health(self, now: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """How the Core is doing, and each host."""
        core = self.timing.status(self.seats.refused)
        return core, [seat.status(now) for seat in self.seats]

    def console_status(self, now: int) -> dict[str, Any]:
        """The status with what consoles need."""
        return self._board.console(self, now)

    def vehicle_status(self, now: int) -> list[dict[str, Any]]:
        """One entry a vehicle."""
        return self._board.vehicles(self, self._stated, now)


def in_words(vehicles: int) -> str:
    return "1 vehicle" if vehicles == 1 else f"{vehicles:,} vehicles"
