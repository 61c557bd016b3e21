"""A simulation host: owns virtual vehicles, moves them, reports for them.

A plain object without clock or socket: `tick` takes what the Core said and returns a report.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from movenv.world.arbiter import OFF, Arbiter
from movenv.world.behavior import Behavior, Moment, Own, PartFailed
from movenv.world.columns import F8, U1, U4, Mask, Rows, read_only
from movenv.world.messages import (
    MAX_PAYLOAD,
    Broadcasts,
    Detections,
    Finds,
    Inbox,
    Motions,
    Notices,
    Remark,
    Report,
    VehicleStates,
)
from movenv.world.mission import Missions
from movenv.world.model import COMMAND, MOTION, Model
from movenv.world.orders import Order
from movenv.world.run_state import RunState
from movenv.world.sensor import Carried, Passage, Readings
from movenv.world.stride import AdaptiveStep
from movenv.world.switches import Assignment, Switches, blaming
from movenv.world.wheel import Wheels

NOTHING_HEARD = Inbox.empty()
NOTHING_FOUND = Finds.empty()
NOBODY_DRIVES = Wheels.empty()


@dataclass(frozen=True)
class TimeGrid:
    """How time is cut: ticks of `steps` steps of `h` seconds."""

    h: float
    steps: int
    period: float

    def t(self, tick: int) -> float:
        # A product, not a running sum: tick 36,000 is at 3,600 s and nowhere else.
        return round(tick * self.period, 9)


@dataclass(frozen=True)
class Told:
    """What the Core has sent."""

    others: VehicleStates
    notices: Notices
    inbox: Inbox
    finds: Finds
    orders: tuple[Order, ...]
    wheels: Wheels = field(default_factory=Wheels.empty)
    """What drivers did, which comes from them."""


@dataclass
class Thoughts:
    """What a host's vehicles find and say while they decide."""

    detections: list[Detections] = field(default_factory=list)
    broadcasts: list[Broadcasts] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def note(
        self, job: Assignment, own: Own, on: Mask, others: VehicleStates, moment: Moment
    ) -> None:
        """Ask a behavior for what those find and say who have it `on`."""
        found = job.behavior.detect(own, others, moment)
        if found is not None:
            found = _checked(found)
            self.detections.append(found.take(np.isin(found.vid, own.vid[on])))
        said = job.behavior.speak(own, others, moment) if job.speaks else None
        if said is not None:
            self.broadcasts.append(_of_those(_fit_to_send(said, own), own.vid[on]))
        if job.remarks:
            self.remarks += job.behavior.remarks(own, moment)


class Host:
    """The vehicles of one process. Rows are grouped by model: each model has a run of rows."""

    def __init__(
        self,
        name: str,
        vids: U4,
        models: list[Model],
        abilities: dict[str, F8],
        assignments: list[Assignment],
        time: TimeGrid,
        seed: int,
        missions: Missions | None = None,
        sensors: Sequence[Carried] = (),
        adaptive: AdaptiveStep | None = None,
    ) -> None:
        self.name = name
        self.vids = read_only(vids)
        self._models = models
        self._abilities = {name: read_only(column) for name, column in abilities.items()}
        self._assignments = assignments
        self._missions = missions or Missions([], np.full(len(vids), -1), no_steps(len(vids)))
        self._switches = Switches(assignments, self._missions, self.vids)
        self._time = time
        self._seed = seed
        self._arbiter = Arbiter(len(vids))
        self._adaptive = adaptive
        self._sensors = sensors
        self.readings: list[Readings] = []
        """What sensors measured in the latest tick, which behaviors are told of in the next; what
        is put here in their place is what they are told."""
        self.looked_at: Callable[[str], bool] | None = None
        """Whether somebody outside looks at the sensors of a name; None: at all of them."""
        self._sensed = any(job.senses for job in assignments)
        # With one model its own table serves, and nothing is copied.
        self._motion = models[0].motion
        if len(models) > 1:
            self._motion = np.concatenate([model.motion for model in models], axis=1)

    def set(self) -> Report:
        """The first report: initial conditions, nobody at the wheel."""
        self._arbiter.begin()
        return self._report(0, RunState.SET, Thoughts())

    def tick(
        self,
        tick: int,
        others: VehicleStates,
        notices: Notices,
        inbox: Inbox = NOTHING_HEARD,
        finds: Finds = NOTHING_FOUND,
        orders: tuple[Order, ...] = (),
        wheels: Wheels = NOBODY_DRIVES,
    ) -> Report:
        """Live through the interval that ends at `tick`.

        `others`, `notices`, `inbox`, `finds` and `orders` are what the Core sent at the end of the
        interval before; deliveries and orders to other hosts' vehicles may be among them. `wheels`
        is what drivers do with vehicles now.
        """
        thoughts = self._think(tick, Told(others, notices, inbox, finds, orders, wheels))
        self._check_commands(self._time.t(tick - 1))
        before = self._motion.copy() if self._sensors else None
        thoughts.remarks += self._move()
        if before is not None:
            self.readings = self._sense(tick, before, others)
        return self._report(tick, RunState.GO, thoughts)

    def watch(
        self,
        tick: int,
        others: VehicleStates,
        notices: Notices,
        inbox: Inbox,
        finds: Finds,
        present: Mask,
    ) -> Report:
        """The same without moving: what those find and say who are moved from outside.

        Of behaviors that drive only those are asked that come to an end, which missions wait for.
        """
        thoughts = self._think(tick, Told(others, notices, inbox, finds, ()), present)
        return self._report(tick, RunState.GO, thoughts)

    def _think(self, tick: int, told: Told, watching: Mask | None = None) -> Thoughts:
        """Missions first, then behaviors; `watching` are those present of who is only watched."""
        began = Moment(tick - 1, self._time.t(tick - 1), self._time.period, self._seed)
        everyone = Own(self.vids, self._columns(), None)
        said = self._switches.go_on(everyone, told.others, told.inbox, told.finds, began, watching)
        thoughts = self._decide(everyone, told, began, drives=watching is None)
        thoughts.broadcasts.append(said)
        return thoughts

    def begin_all(self, moment: Moment) -> None:
        """Begin every behavior, also those whose step has not come, so that all is asked next."""
        self._switches.begin_all(Own(self.vids, self._columns(), None), moment)

    def behavior(self, name: str) -> Behavior | None:
        """What serves the vehicles that carry a behavior; None where nobody does."""
        return next((job.behavior for job in self._assignments if job.name == name), None)

    @property
    def steps(self) -> U1:
        """How far everyone's mission is."""
        return self._missions.number

    def be_at(self, rows: Rows, motions: Motions) -> None:
        """Take the places of some vehicles from outside; what their models hold stays behind."""
        self._motion[:, rows] = [getattr(motions, name) for name in MOTION]

    def _decide(self, everyone: Own, told: Told, moment: Moment, drives: bool) -> Thoughts:
        thoughts = Thoughts()
        self._arbiter.begin()
        for job, now in zip(self._assignments, self._switches.precedence, strict=True):
            on = now != OFF
            if not on.any():
                continue
            own = everyone.some(job.rows)
            with blaming(f"behavior '{job.name}'", moment.t):
                if job.hears and len(told.inbox):
                    _deliver(job.behavior, own, told.inbox, moment)
                if job.senses and self.readings:
                    job.behavior.sense(own, self.readings, moment)
                if job.obeys and told.orders:
                    job.behavior.obey(own, told.orders, moment)
                if job.is_driven:
                    job.behavior.take_wheel(own, told.wheels, moment)
                proposal = None
                if drives or job.ends.any():
                    proposal = job.behavior.propose(own, told.others, told.notices, moment)
                if proposal is not None:
                    self._arbiter.consider(job.number, proposal, job.rows, now)
                thoughts.note(job, own, on, told.others, moment)
        self._arbiter.settle()
        if drives:
            self._refine(everyone, told, moment)
        return thoughts

    def _refine(self, everyone: Own, told: Told, moment: Moment) -> None:
        """Ask those that bend what the others want, once that is known."""
        asked = False
        for job, now in zip(self._assignments, self._switches.precedence, strict=True):
            if not job.refines or not (now != OFF).any():
                continue
            own, wish = everyone.some(job.rows), self._arbiter.wish(job.rows)
            with blaming(f"behavior '{job.name}'", moment.t):
                proposal = job.behavior.refine(own, wish, told.others, told.notices, moment)
                if proposal is not None:
                    asked = True
                    self._arbiter.consider(job.number, proposal, job.rows, now)
        if asked:
            self._arbiter.settle()

    def _columns(self) -> dict[str, F8]:
        return dict(zip(MOTION, read_only(self._motion), strict=True)) | self._abilities

    def _check_commands(self, t: float) -> None:
        """One NaN would spread through the State unseen; it ends the run instead."""
        wrong = ~np.isfinite(self._arbiter.command)
        if not wrong.any():
            return
        column, row = (int(index[0]) for index in np.nonzero(wrong))
        giver = self._arbiter.giver[column, row]
        name = next(j.name for j in self._assignments if j.number == giver)
        raise PartFailed(
            f"behavior '{name}' commands {COMMAND[column]} {self._arbiter.command[column, row]} "
            f"for vid {self.vids[row]} at t = {t:g} s"
        )

    def _move(self) -> list[Remark]:
        """Advance all models; what happened to their vehicles on the way."""
        if len(self._models) == 1:
            self._advance(self._models[0], self._arbiter.command, self._arbiter.pedals)
            return self._befallen(self._models[0], 0)
        first, remarks = 0, []
        for model in self._models:
            last = first + model.motion.shape[1]
            command = np.ascontiguousarray(self._arbiter.command[:, first:last])
            self._advance(model, command, self._arbiter.pedals[:, first:last])
            self._motion[:, first:last] = model.motion
            remarks += self._befallen(model, first)
            first = last
        return remarks

    def _befallen(self, model: Model, first: int) -> list[Remark]:
        return [Remark(int(self.vids[first + row]), text) for row, text in model.befallen()]

    def _advance(self, model: Model, command: F8, pedals: F8) -> None:
        if model.takes_pedals:
            model.pedals[:] = pedals
        h, steps = self._time.h, self._time.steps
        if self._adaptive is None:
            model.advance(command, h, steps)
        else:
            model.advance_by(command, self._adaptive.strides(model.motion, h, steps))

    def _sense(self, tick: int, before: F8, others: VehicleStates) -> list[Readings]:
        start, end = self._time.t(tick - 1), self._time.t(tick)
        passage = Passage(tick, start, end, self._seed, self.vids, before, self._motion)
        found = []
        for carried in self._sensors:
            if carried.sensor.on_demand and not self._is_looked_at(carried.name):
                continue
            part, mine = f"sensor '{carried.name}'", passage.some(carried.rows)
            with blaming(part, end):
                readings = carried.sensor.sense(mine, others)
                problem = readings.problem(mine.vids) if readings is not None else ""
            if problem:
                raise PartFailed(f"{part} gives {problem}, at t = {end:g} s")
            if readings is not None:
                found.append(readings)
        return found

    def _is_looked_at(self, sensor: str) -> bool:
        return self._sensed or self.looked_at is None or self.looked_at(sensor)

    def _report(self, tick: int, state: RunState, thoughts: Thoughts) -> Report:
        columns = dict(zip(MOTION, self._motion, strict=True))
        # float32 columns are copied when they are cast; these would go out as they lie here.
        columns |= {name: columns[name].copy() for name in ("x", "y", "z")}
        told = {"vid": self.vids, "behavior": self._arbiter.winner.copy()}
        motions = Motions(columns | told | {"step": self._missions.number.copy()})
        return Report(
            self.name,
            tick,
            self._time.t(tick),
            state,
            motions,
            Detections.joined(thoughts.detections),
            Broadcasts.joined(thoughts.broadcasts),
            remarks=thoughts.remarks,
        )


def no_steps(count: int) -> U1:
    """Where missions begin: with their first step."""
    return np.zeros(count, np.uint8)


def _of_those(said: Broadcasts, vids: U4) -> Broadcasts:
    """What these vehicles say; the others carry a behavior that is switched off."""
    speaking = np.isin(said.vid, vids)
    if speaking.all():
        return said
    return Broadcasts(said.vid[speaking], [said.payloads[i] for i in np.flatnonzero(speaking)])


def _deliver(behavior: Behavior, own: Own, inbox: Inbox, moment: Moment) -> None:
    mine = inbox.for_vids(own.vid)
    if len(mine):
        behavior.hear(own, mine, moment)


def _fit_to_send(said: Broadcasts, own: Own) -> Broadcasts:
    if not isinstance(said, Broadcasts):
        raise TypeError(f"speak gave {type(said).__name__}, expected Broadcasts or None")
    if said.vid.shape != (len(said.payloads),):
        raise ValueError(f"speak gave {said.vid.size} vids for {len(said.payloads)} payloads")
    strange = ~np.isin(said.vid, own.vid)
    if strange.any():
        raise ValueError(f"speak sends for vid {said.vid[strange][0]}, which does not carry it")
    for vid, payload in zip(said.vid, said.payloads, strict=True):
        if not isinstance(payload, bytes):
            raise TypeError(f"vid {vid} sends {type(payload).__name__}, expected bytes")
        if len(payload) > MAX_PAYLOAD:
            raise ValueError(f"vid {vid} sends {len(payload)} bytes; {MAX_PAYLOAD} are the most")
    return said


def _checked(found: Detections) -> Detections:
    if not isinstance(found, Detections):
        raise TypeError(f"detect gave {type(found).__name__}, expected Detections or None")
    if len({len(column) for _, column in found.columns()}) > 1:
        raise ValueError("the columns of Detections differ in length")
    return found
