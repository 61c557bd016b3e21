"""The Core in a live run: who may report what, when to state everyone, what to tell whom.

Without socket or clock: it is told what came and what time it is, and says what to send. Times
are whole nanoseconds of the Core's monotonic clock.
"""

import secrets
import threading
from collections import Counter, deque
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from movenv.recording.layouts import EventRecord
from movenv.runtime.live import wire
from movenv.runtime.live.admission import (
    Dropped,
    checked_broadcasts,
    checked_detections,
    checked_motions,
)
from movenv.runtime.live.clock import SECOND, Schedule, loss_after, thinning
from movenv.runtime.live.seat import REMEMBERED, Seat
from movenv.runtime.live.wire import (
    AwarenessMessage,
    Beacon,
    Garbled,
    Joined,
    JoinRequest,
    OtherVersion,
    Refusal,
    ReportMessage,
)
from movenv.scenario.build import Stage
from movenv.scenario.hosts import shares
from movenv.world.awareness import Others, near_any
from movenv.world.columns import Rows, VidIndex
from movenv.world.core import Core, Update
from movenv.world.kinds import Origin
from movenv.world.messages import Health, Inbox, Report, VehicleStates
from movenv.world.run_state import RunState, RunStateMachine
from movenv.world.summary import Summary

IDLE_EVERY = SECOND
"""In READY the Core speaks once a second."""
GRACE = 0.5
"""How long to wait for a host that has kept up so far, in ticks."""
SILENCE_IN_READY = 3 * SECOND
"""Where hosts speak once a second, silence is longer."""
PROVEN_AFTER = 3
"""Reports a host must have sent in SET before a run that starts by itself goes."""
SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
"""What a host's name is made of: it stands in keys of the bus."""
REBUILD = SECOND
"""How long a Core that was restarted or stalled waits until it has heard all hosts again."""
ABSENT = SECOND // 3
"""A Core that was called so much too late was stalled itself."""
LISTEN = SECOND // 20
"""What was sent meanwhile is there within this time."""
RECOVERY = 5 * SECOND
"""How long a Core that was started again waits for a host that knows the time."""
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
    summary: dict[str, Any] | None


class LiveCore:
    """Holds the run: seats, run state, schedule. Not thread-safe, but for `admit`."""

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
        self.refused: Counter[str] = Counter()
        self.events: deque[EventRecord] = deque()
        self.ended_at: int | None = None
        self._stage = stage
        self._auto = auto
        self._recorders_wanted = recorders
        self._recorders: set[str] = set()
        self._watchers: set[str] = set()
        self._core: Core = stage.core()
        self._machine = RunStateMachine()
        self._index = VidIndex(stage.roster.vids)
        self.summary = Summary(stage.roster, list(stage.scenario.notices.levels), stage.every_pair)
        self._seats: dict[str, Seat] = {}
        self._owner = np.full(len(stage.roster), -1, np.intp)
        self._lock = threading.Lock()
        self._pace = stage.time.period * SECOND / speed
        self._ticks_a_beacon = max(1, round(IDLE_EVERY / self._pace))
        self._schedule: Schedule | None = Schedule(0, now, self._pace)
        self._tick = 0
        self._hold_at = 0
        self._change = 0
        self._next = self._listening_since = now
        self._rebuild_until = self._listen_until = self._acted_at = 0
        self._starting = self._recovering = False
        self._recover_by = now + RECOVERY
        self._stated: VehicleStates | None = None
        self._margins: deque[float] = deque(maxlen=REMEMBERED)
        self._lag = self._worst_lag = self.missed = 0
        if resumed:
            self._resume(resumed)

    # --- where the run stands

    @property
    def state(self) -> RunState:
        return self._machine.state

    @property
    def effective_state(self) -> RunState:
        """The run state that holds: a PAUSE begins with the tick after which nobody moves."""
        return self._core.run_state

    @property
    def tick(self) -> int:
        return self._tick

    @property
    def t(self) -> float:
        return self._stage.time.t(self._tick)

    @property
    def beacon(self) -> Beacon:
        schedule = self._schedule or Schedule(self._tick, 0, 0.0)
        return Beacon(
            run=self.run_id,
            core=self.core_id,
            change=self._change,
            state=self.state,
            tick=self._tick,
            anchor_tick=schedule.tick,
            anchor_at=schedule.at,
            pace=schedule.pace,
            hold_at=self._hold_at,
        )

    def command(self, wanted: RunState, who: str, now: int) -> None:
        """Change the run state. Raises IllegalMove."""
        before = self.state
        self._machine.move(wanted)
        self._change += 1
        self._event("state", f"{before.name} to {wanted.name}", who=who)
        if wanted == RunState.GO:
            self._schedule = Schedule(self._tick, now, self._pace)
            self._recovering = False
            self._starting = before == RunState.SET
            self._core.resume(before if self._starting else RunState.GO)
        elif wanted == RunState.PAUSE:
            if self._schedule is None:
                self._schedule, self._hold_at = Schedule(self._tick, now, self._pace), self._tick
            else:
                self._hold_at = max(self._tick, self._schedule.latest(now)) + 1
        else:
            self._core.resume(wanted)
        if wanted == RunState.READY:
            self._core = self._stage.core()
        if wanted == RunState.STOP:
            self.ended_at = now
        self._next = now

    def _resume(self, resumed: Resumed) -> None:
        self._machine.state = resumed.state
        self._core.resume(resumed.state)
        self._tick = self._hold_at = resumed.tick
        if resumed.summary:
            self.summary.resume(resumed.summary)
        self._recovering = resumed.state in (RunState.GO, RunState.PAUSE)
        if resumed.state == RunState.GO:
            self._schedule = None  # the hosts know it
        self._event("core", f"the Core was restarted in {resumed.state.name}")

    # --- hosts

    def join(self, request: JoinRequest, now: int) -> Joined | Refusal:
        """Give a host its vehicles, or say why not."""
        if self.state == RunState.STOP:
            return Refusal("the run has ended")
        seat = self._seats.get(request.name)
        if seat is not None and not seat.lost:
            return Refusal(f"a host called '{request.name}' is here already")
        if not request.name or not set(request.name) <= SAFE:
            return Refusal(f"'{request.name}' cannot be a host's name: letters, digits, . _ - only")
        rows = self._claimed(request)
        if isinstance(rows, str):
            return Refusal(rows)
        self._clear(rows if seat is None else np.union1d(rows, seat.rows))
        number = list(self._seats).index(request.name) if seat else len(self._seats)
        vids = self._stage.roster.vids[rows]
        new = Seat(request.name, secrets.randbits(63), vids, rows, now, heard_at=now)
        with self._lock:
            self._seats[request.name] = new
        self._owner[rows] = number
        said = "came back" if seat else "joined"
        self._event("host", f"{said} with {len(rows)} vehicles", request.name, vids.tolist())
        return Joined(
            beacon=self.beacon,
            ticket=new.ticket,
            vids=vids.tolist(),
            motions=self._last_motions(rows),
            received=request.sent and now,
            answered=now,
        )

    def _claimed(self, request: JoinRequest) -> Rows | str:
        """The rows a host asks for, or what is wrong with that."""
        names = self._stage.roster.names
        if request.vids:
            known = set(self._stage.roster.vids.tolist())
            if not known.issuperset(request.vids):
                return "it brings vehicles that are not on the roster"
            rows = np.unique(self._index.rows(np.array(request.vids, np.uint32)))
        else:
            wanted = [
                row
                for row, name in enumerate(names)
                if any(fnmatchcase(name, p) for p in request.include)
                and not any(fnmatchcase(name, p) for p in request.exclude)
            ]
            part, parts = request.share
            if not 1 <= part <= parts:
                return f"there is no share {part} of {parts}"
            split = shares(len(wanted), parts) if wanted else []
            if part <= len(split):
                rows = np.array(wanted, np.intp)[split[part - 1]]
            else:
                return f"no vehicle is left for it: it asks for {', '.join(request.include)}"
        for number, seat in enumerate(self._seats.values()):
            taken = rows[self._owner[rows] == number]
            if len(taken) and not seat.lost:
                return f"'{names[taken[0]]}' belongs to the host '{seat.name}'"
        return rows

    def _clear(self, rows: Rows) -> None:
        """Take rows from the lost hosts that had them."""
        for number, seat in enumerate(self._seats.values()):
            if (self._owner[rows] == number).any():
                seat.rows = np.setdiff1d(seat.rows, rows)
                seat.vids = self._stage.roster.vids[seat.rows]
                self._core.release(seat.name)
        self._owner[rows] = -1

    def _last_motions(self, rows: Rows) -> bytes:
        motions, health = self._core.latest(self._stage.roster.vids[rows])
        if (health == Health.UNHEARD).any():
            return b""
        return wire.pack(wire.MOTIONS, motions)

    def gone(self, name: str) -> None:
        """A host's connection has ended."""
        if name in self._seats:
            self._seats[name].left = True
            self._lose(name, "gone")

    def _lose(self, name: str, why: str) -> None:
        seat = self._seats[name]
        if seat.lost:
            return
        seat.lost, seat.why_lost = True, why
        seat.waiting.clear()
        if self.state == RunState.STOP:
            return
        self._core.lose(seat.vids, self.t)
        self._event("lost", f"{why}; {len(seat.vids)} vehicles are lost", name, seat.vids.tolist())

    def recorder(self, name: str, here: bool) -> None:
        """A recorder came or went."""
        if here and name not in self._recorders:
            self._recorders.add(name)
            self._event("recorder", "records", name)
        elif not here and name in self._recorders:
            self._recorders.discard(name)
            if self.state != RunState.STOP:
                self._event("lost", "the recorder is gone; what happens is kept for it", name)

    def watcher(self, name: str, here: bool) -> None:
        """Somebody came or went whom the Core should not leave alone at the end."""
        (self._watchers.add if here else self._watchers.discard)(name)

    @property
    def recorders(self) -> int:
        return len(self._recorders)

    @property
    def deserted(self) -> bool:
        """Whether nobody is there any more."""
        there = self._recorders | self._watchers
        return not there and all(seat.lost for seat in self._seats.values())

    # --- reports

    def admit(self, name: str, data: bytes) -> ReportMessage | None:
        """Whether bytes are a report of a host we know; counts what is not. Thread-safe."""
        try:
            message = wire.decode(ReportMessage, data)
        except OtherVersion:
            self.count_refused("other version")
            return None
        except Garbled:
            self.count_refused("garbled")
            return None
        with self._lock:
            seat = self._seats.get(name)
        if seat is None or message.ticket != seat.ticket:
            self.count_refused("stranger")
            return None
        return message

    def count_refused(self, why: str) -> None:
        """Count something that was dropped. Thread-safe."""
        with self._lock:
            self.refused[why] += 1

    def turn_away(self, reason: str) -> None:
        """Somebody was refused a link."""
        self.count_refused("without keys")
        self._event("refused", f"a peer without the run's keys was turned away ({reason})")

    def take(self, name: str, message: ReportMessage, now: int) -> None:
        """Enter an admitted report; counts and drops what is not its host's to say."""
        seat = self._seats.get(name)
        if seat is None or message.ticket != seat.ticket:
            return self.count_refused("stranger")
        if message.sequence <= seat.sequence:
            return self.count_refused("old")
        try:
            report = self._report(seat, message, now)
        except Garbled:
            return self.count_refused("garbled")
        except Dropped as reason:
            return self.count_refused(str(reason))
        seat.note(message, now)
        if seat.lost and self.state != RunState.STOP:
            seat.lost = seat.left = False
            self._event("host", "is heard again", name, seat.vids.tolist())
        if self._recovering:
            self._learn_time(message, now)
        if report is not None:
            seat.wait(report)
        else:
            self._core.say_state(seat.vids, RunState(message.state))
        return None

    def _learn_time(self, message: ReportMessage, now: int) -> None:
        """A Core that was started again believes the hosts how far the run has come."""
        if self._schedule is None and message.state == RunState.GO and message.due:
            self._schedule = Schedule(message.tick, _plausible(message, now), self._pace)
            self._tick = max(self._tick, message.tick - 1)
            self._change += 1
            self._recovering = False
            self._rebuild_until = now + REBUILD
        elif self.state == RunState.PAUSE:
            self._tick = self._hold_at = max(self._tick, message.tick)

    def _report(self, seat: Seat, message: ReportMessage, now: int) -> Report | None:
        """The report in a message; None for a bare status. Raises Garbled or Dropped."""
        if message.state not in RunState.__members__.values():
            raise Garbled("garbled")
        if message.tick < 0:
            raise Garbled("garbled")
        if message.tick > self._latest(now) + EARLY:
            raise Dropped("too early")
        motions = checked_motions(message, seat.vids, len(self._stage.roster.behaviors))
        detections = checked_detections(message, seat.vids)
        broadcasts = checked_broadcasts(message, seat.vids)
        if not len(motions):
            return None
        state = RunState(message.state)
        t = self._stage.time.t(message.tick)
        return Report(seat.name, message.tick, t, state, motions, detections, broadcasts)

    def _latest(self, now: int) -> int:
        """The tick that is due, stated or not: the Core may have slept."""
        if self._recovering:
            return self._stage.scenario.time.ticks
        if self._schedule is None or self.state != RunState.GO:
            return self._tick
        return max(self._tick, self._schedule.latest(now))

    # --- the tick

    def due(self) -> int:
        """When to be called again, at the latest."""
        return self._next

    def act(self, now: int) -> Outgoing:
        """Do what is due."""
        self._notice_own_absence(now)
        if now < self._listen_until:
            self._next = self._listen_until
            return Outgoing()
        self._listen_for_silence(now)
        if self._schedule is None and self.state == RunState.GO and now >= self._recover_by:
            self._event("core", f"no host knows the time; it goes on from t = {self.t:g} s")
            self._schedule, self._recovering = Schedule(self._tick, now, self._pace), False
            self._change += 1
        if self._schedule is None or self.state in (RunState.READY, RunState.STOP):
            return self._idle(now)
        if self._starting:
            return self._begin(now)
        if self.state == RunState.SET or (
            self.state == RunState.PAUSE and self._tick >= self._hold_at
        ):
            return self._stand_by(now)
        return self._go(now)

    def _notice_own_absence(self, now: int) -> None:
        """After a stall of the Core itself: nobody was silent, and first it must hear the news."""
        away = now - max(self._acted_at, self._next)
        if self._acted_at and away > ABSENT:
            self._listening_since = now
            self._listen_until, self._rebuild_until = now + LISTEN, now + REBUILD
        self._acted_at = now

    def _listen_for_silence(self, now: int) -> None:
        limit = loss_after(self._stage.scenario.link_loss.after, self._pace)
        for seat in self._seats.values():
            silent = now - max(seat.heard_at, self._listening_since)
            patience = limit if seat.speaks_every_tick else max(limit, SILENCE_IN_READY)
            if not seat.lost and silent > patience:
                self._lose(seat.name, f"silent for {(now - seat.heard_at) / SECOND:.1f} s")

    def _idle(self, now: int) -> Outgoing:
        if self._auto and self.state == RunState.READY and self.everyone_is_here:
            self.command(RunState.SET, "auto", now)
        if now < self._next:
            return Outgoing()
        self._next = now + (IDLE_EVERY if self._schedule else round(self._pace))
        return Outgoing(self.beacon, self._tell(None, now))

    def _stand_by(self, now: int) -> Outgoing:
        """SET and PAUSE: state everyone again and again while nobody moves."""
        if now < self._next:
            return Outgoing()
        self._next = max(self._next + round(self._pace), now)
        if self._auto and self.state == RunState.SET and self._links_are_proven:
            self.command(RunState.GO, "auto", now)
            return self._begin(now)
        update = self._update()
        return Outgoing(self.beacon, self._tell(update, now), update)

    def _begin(self, now: int) -> Outgoing:
        """GO after SET: the last word on where everyone starts belongs into the recording."""
        assert self._schedule is not None
        self._starting = False
        update = self._update()
        self._core.resume(RunState.GO)
        self._next = self._schedule.due(self._tick + 1)
        return Outgoing(self.beacon, self._tell(update, now), update, keep=True)

    def _update(self) -> Update:
        self._take_waiting()
        update = self._core.tick(self._tick, self.t)
        self._stated = update.snapshot.vehicles
        return update

    def _go(self, now: int) -> Outgoing:
        assert self._schedule is not None
        if now < self._rebuild_until and not self._all_are_heard_again:
            self._next = self._rebuild_until
            return Outgoing(self.beacon)
        end = self._stage.scenario.time.ticks
        last = min(end, self._hold_at) if self.state == RunState.PAUSE else end
        tick, latest = self._tick + 1, min(last, self._schedule.latest(now))
        due = self._schedule.due(tick)
        if now < due:
            self._next = due
            return Outgoing()
        if latest == tick and not self._all_have_reported(tick):
            self._next = due + self._schedule.share(GRACE)
            if now < self._next:
                return Outgoing()
        if latest > tick:
            self._event("missed", f"the Core missed {latest - tick} ticks from t = {self.t:g} s")
            self.missed += latest - tick
            tick = latest
        return self._state_everyone(min(tick, end), now)

    def _state_everyone(self, tick: int, now: int) -> Outgoing:
        assert self._schedule is not None
        self._lag = max(0, now - self._schedule.due(tick))
        self._worst_lag = max(self._worst_lag, self._lag)
        self._tick = tick
        update = self._update()
        self.summary.add(update)
        self._next = self._schedule.due(tick + 1)
        beacon = self.beacon if tick % self._ticks_a_beacon == 0 else None
        out = Outgoing(beacon, self._tell(update, now), update, keep=True)
        if self.state == RunState.PAUSE and tick >= self._hold_at:
            self._core.resume(RunState.PAUSE)
        if tick >= self._stage.scenario.time.ticks and self.state != RunState.STOP:
            self.command(RunState.STOP, "the scenario's duration", now)
            out.beacon = self.beacon
        return out

    def finish(self, now: int) -> None:
        """A tick of GO is sent: what is left of it is margin."""
        if self._schedule:
            left = (self._schedule.due(self._tick + 1) - now) / self._schedule.pace
            self._margins.append(min(1.0, max(0.0, left)))

    def _all_have_reported(self, tick: int) -> bool:
        """Whether all that kept up until the tick before have reported this one."""
        return all(
            seat.lost or seat.tick >= tick or seat.tick < tick - 1 for seat in self._seats.values()
        )

    def _take_waiting(self) -> None:
        for seat in self._seats.values():
            # Of a host that has just come, a report that is ahead is better than none; and one
            # that heard late of a pause stands where it stands.
            holding = self._core.run_state == RunState.PAUSE
            until = max(self._tick, seat.tick) if holding or not seat.placed else self._tick
            ready = [report for report in seat.waiting if report.tick <= until]
            seat.waiting = [report for report in seat.waiting if report.tick > until]
            for report in ready:
                self._core.take(report)
                seat.placed = True

    @property
    def silent(self) -> list[str]:
        """Vehicles without a host, or whose host is lost."""
        seats = list(self._seats.values())
        return [
            name
            for name, owner in zip(self._stage.roster.names, self._owner, strict=True)
            if owner < 0 or seats[owner].lost
        ]

    @property
    def _all_are_heard_again(self) -> bool:
        since = self._listening_since - LISTEN  # some may have come just before we knew
        return self.everyone_is_here and all(s.heard_at >= since for s in self._seats.values())

    @property
    def everyone_is_here(self) -> bool:
        heard = all(not s.lost and s.latest and not s.latest.health for s in self._seats.values())
        recorded = len(self._recorders) >= self._recorders_wanted
        return heard and recorded and bool((self._owner >= 0).all())

    @property
    def _links_are_proven(self) -> bool:
        return self.everyone_is_here and all(
            s.latest and s.latest.state == RunState.SET and s.reports > PROVEN_AFTER
            for s in self._seats.values()
        )

    # --- what to tell

    def _tell(self, update: Update | None, now: int) -> dict[str, AwarenessMessage]:
        """For each host that is there: the clocks, and of an update what concerns it."""
        told = {}
        if update and len(update.inbox):
            for seat in self._seats.values():
                seat.inbox.append(update.inbox.for_vids(seat.vids))
        noticed = self._index.rows(update.notices.vid) if update else np.empty(0, np.intp)
        for number, seat in enumerate(self._seats.values()):
            if seat.left or (update and self._tick % self._thinning(seat)):
                continue
            others, notices = b"", b""
            if update:
                near = near_any(
                    update.snapshot.vehicles, seat.rows, self._stage.scenario.awareness.range
                )
                near[seat.rows] = False
                seen = update.snapshot.vehicles.take(np.flatnonzero(near))
                others = wire.pack(wire.OTHERS, Others(dict(seen.columns())))
                mine = np.flatnonzero(self._owner[noticed] == number)
                notices = wire.pack(wire.NOTICES, update.notices.take(mine))
            inbox, seat.inbox = Inbox.joined(seat.inbox), []
            latest = seat.latest
            told[seat.name] = AwarenessMessage(
                beacon=self.beacon,
                tick=self._tick,
                t=self.t,
                echo_sent=latest.sent if latest else 0,
                echo_received=seat.heard_at,
                answered=now,
                others=others,
                notices=notices,
                inbox=wire.pack(wire.INBOX, inbox),
                payloads=inbox.payloads,
            )
        return told

    def _thinning(self, seat: Seat) -> int:
        """Of how many ticks a host is told one: of all, unless it hears them much too late."""
        latest = seat.latest
        if latest is None or self.state != RunState.GO:
            return 1
        return thinning(round((self._tick - latest.told_tick) * self._pace), self._pace)

    def _event(self, kind: str, text: str, who: str = "", vids: list[int] | None = None) -> None:
        self.events.append(EventRecord(self.t, 0.0, kind, text, who, vids or []))

    def status(self, now: int) -> dict[str, Any]:
        """Where the run stands, for people; times in seconds."""
        roster = self._stage.roster
        silent = self.silent
        return {
            "run": self.run_id,
            "scenario": self._stage.scenario.name,
            "state": self.state.name,
            "tick": self._tick,
            "t": self.t,
            "duration": self._stage.scenario.time.duration,
            "speed": self.speed,
            "period": self._stage.time.period,
            "vehicles": len(roster),
            "waiting_for": silent[:20],
            "waiting": len(silent),
            "core": {
                "margin_p5": float(np.percentile(self._margins, 5)) if self._margins else None,
                "lag": self._lag / SECOND,
                "worst_lag": self._worst_lag / SECOND,
                "missed_ticks": self.missed,
                "refused": dict(self.refused),
            },
            "summary": self.summary.as_dict(),
            "recorders": sorted(self._recorders),
            "hosts": [seat.status(now) for seat in self._seats.values()],
        }

    def vehicle_status(self, now: int) -> list[dict[str, Any]]:
        """One entry a vehicle: where it is, and what its host says of itself."""
        roster = self._stage.roster
        hosts = [seat.status(now) for seat in self._seats.values()]
        entries = []
        for row, name in enumerate(roster.names):
            number = int(self._owner[row])
            host = hosts[number] if number >= 0 else {}
            entry = {
                "vid": int(roster.vids[row]),
                "name": name,
                "kind": str(roster.kinds[roster.kind[row]]),
                "origin": Origin(roster.origin[row]).name.lower(),
                "host": host.get("host"),
                **{key: host.get(key) for key in ("margin", "lag", "age", "loss")},
            }
            entries.append(entry | self._place(row))
        return entries

    def _place(self, row: int) -> dict[str, Any]:
        """What the last update says of a vehicle."""
        if self._stated is None:
            return {"state": RunState.READY.name, "health": Health.UNHEARD.name.lower()}
        vehicles = self._stated
        behavior = int(vehicles.behavior[row])
        numbers = {
            name: float(getattr(vehicles, name)[row])
            for name in ("x", "y", "z", "lat", "lon", "heading_deg", "speed")
        }
        return {
            "state": RunState(vehicles.run_state[row]).name,
            "health": Health(vehicles.health[row]).name.lower(),
            "behavior": ["", *self._stage.roster.behaviors][behavior],
            **numbers,
        }


def _plausible(message: ReportMessage, now: int) -> int:
    """When a host's tick was due: as it says, unless its clock and ours have nothing in common."""
    lately = 0 <= now - message.due < 10 * SECOND
    return message.due if lately else now
