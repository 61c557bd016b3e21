"""Recordings made by hand, tick by tick, with whatever can go wrong in them."""

from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from movenv.recording.layouts import (
    EVENTS,
    HEALTH,
    RUN_STATE,
    EventRecord,
    HealthRecord,
    RosterRecord,
    RunRecord,
    RunStateRecord,
    encoded,
)
from movenv.recording.parts import open_next_part
from movenv.world.columns import F8
from movenv.world.core import Update
from movenv.world.frames import Frame
from movenv.world.kinds import Kind, Origin
from movenv.world.messages import (
    Broadcasts,
    Detections,
    Encounters,
    Health,
    Notices,
    Receptions,
    Roster,
    Snapshot,
    VehicleStates,
)
from movenv.world.run_state import RunState

STARTED = 1_700_000_000.0
LEVELS = {"outer": 8.0, "middle": 4.0, "inner": 1.5}
FRAME = Frame(52.3, 10.5, 80.0)


def roster(count: int, real: int = 0, behaviors: tuple[str, ...] = ("wander", "avoid")) -> Roster:
    """The first ones are real; lengths differ."""
    rows = np.arange(count)
    return Roster(
        vids=(10 + 3 * rows).astype(np.uint32),
        names=[f"v{row}" for row in rows],
        kinds=[Kind.parse("ground")],
        kind=np.zeros(count, np.uint8),
        origin=np.where(rows < real, Origin.REAL, Origin.VIRTUAL).astype(np.uint8),
        length=1.0 + 0.5 * (rows % 3),
        behaviors=list(behaviors),
    )


@dataclass
class Tick:
    """One snapshot to be; whatever is not said is as in an undisturbed run."""

    tick: int
    place: F8
    """(3, vehicles)"""
    t: float | None = None
    utc: float = 0.0
    state: RunState = RunState.GO
    health: dict[int, Health] = field(default_factory=dict)
    age: dict[int, float] = field(default_factory=dict)
    behavior: int = 1
    speed: float = 1.0
    near: Encounters = field(default_factory=Encounters.empty)
    finds: Detections = field(default_factory=Detections.empty)
    heard: Receptions = field(default_factory=Receptions.empty)
    said: Broadcasts = field(default_factory=Broadcasts.empty)
    more: list[EventRecord | RunStateRecord | HealthRecord] = field(default_factory=list)

    def update(self, who: Roster, period: float) -> Update:
        t = self.tick * period if self.t is None else self.t
        states = VehicleStates.empty(len(who))
        states.vid[:] = who.vids
        states.run_state[:], states.health[:] = self.state, Health.HEARD
        states.behavior[:], states.speed[:] = self.behavior, self.speed
        states.x[:], states.y[:], states.z[:] = self.place
        states.lat[:], states.lon[:], _ = FRAME.columns_to_geodetic(states.x, states.y)
        for row, health in self.health.items():
            states.health[row] = health
        for row, age in self.age.items():
            states.age[row] = age
        return Update(
            Snapshot(self.tick, t, self.state, states), Notices.empty(), self.near, None,
            self.finds, self.said, np.zeros(len(self.said), np.uint32), receptions=self.heard,
        )  # fmt: skip


def record(
    path: Path,
    who: Roster,
    ticks: list[Tick],
    period: float = 0.1,
    run_id: str = "",
    end: bool = True,
) -> Path:
    """Write a recording, or the next part of one."""
    run = RunRecord(
        1, "0", "", "by hand", 0, STARTED, (FRAME.lat, FRAME.lon, FRAME.alt), period, LEVELS,
        False, None, [], RosterRecord.of(who), run_id,
    )  # fmt: skip
    writer = open_next_part(path, run)
    topics = {EventRecord: EVENTS, RunStateRecord: RUN_STATE, HealthRecord: HEALTH}
    for tick in ticks:
        update = tick.update(who, period)
        for topic, data in encoded(update, tick.utc):
            writer.put(topic, max(update.snapshot.t, 0.0), data)
        for item in tick.more:
            writer.put(topics[type(item)], item.t, msgspec.json.encode(item))
    if end:
        last = ticks[-1].tick * period if ticks else 0.0
        writer.run_state(last, RunState.STOP)
    writer.abandon()
    return writer.path


def wandering(count: int, ticks: int, seed: int, step: float = 1.0, room: float = 12.0) -> F8:
    """(ticks, 3, vehicles): everyone staggers about, some at rest, so that many meet."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(0.0, step, (ticks, 3, count))
    steps[:, 2] *= 0.2
    steps[:, :, count - 1] = 0.0
    return rng.uniform(-room, room, (1, 3, count)) + np.cumsum(steps, axis=0)
