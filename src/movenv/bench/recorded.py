"""A recording of any size, as a live run would leave it, made up in seconds instead of run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from movenv import __version__
from movenv.recording.layouts import (
    EVENTS,
    FORMAT_VERSION,
    HEALTH,
    RUN_STATE,
    SUMMARY,
    EventRecord,
    HealthRecord,
    RosterRecord,
    RunRecord,
    RunStateRecord,
    encoded,
)
from movenv.recording.parts import open_next_part
from movenv.recording.writer import RecordingWriter
from movenv.world.core import Update
from movenv.world.frames import Frame, heading_deg
from movenv.world.kinds import Kind, Origin
from movenv.world.messages import (
    Detections,
    Encounters,
    Health,
    Heard,
    Notices,
    Receptions,
    Roster,
    Sighting,
    Snapshot,
    VehicleStates,
)
from movenv.world.run_state import RunState
from movenv.world.summary import Summary

STARTED = 1_700_000_000.0
LEVELS = {"information": 8.0, "advisory": 5.0, "caution": 3.0, "warning": 1.5}
PERIOD = 0.1
SECOND = 10
"""Ticks."""
REAL = 3
"""The first vehicles are real."""
MARK_EVERY = 600
CALM, BUSY = 170, 30
"""Ticks without and with pairs that are near each other, in turns."""


@dataclass
class MadeUp:
    """A made-up run: everyone circles, and now and then some come near each other."""

    vehicles: int
    seed: int = 1

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        count = self.vehicles
        self.frame = Frame(52.3, 10.5, 80.0)
        self.roster = Roster(
            vids=np.arange(1, count + 1, dtype=np.uint32),
            names=[f"uav-{i}" for i in range(1, count + 1)],
            kinds=[Kind.parse("aerial/rotorcraft"), Kind.parse("pedestrian")],
            kind=(np.arange(count) < REAL).astype(np.uint8),
            origin=np.where(np.arange(count) < REAL, Origin.REAL, Origin.VIRTUAL).astype(np.uint8),
            length=np.ones(count),
            behaviors=["wander", "avoid"],
        )
        self._center = rng.uniform(-5000.0, 5000.0, (2, count))
        self._radius = rng.uniform(20.0, 300.0, count)
        self._phase = rng.uniform(0.0, 2 * np.pi, count)
        self._pace = rng.uniform(2.0, 15.0, count) / self._radius
        self._height = rng.uniform(20.0, 120.0, count)

    def record(self, run_id: str = "") -> RunRecord:
        return RunRecord(
            format=FORMAT_VERSION,
            movenv=__version__,
            scenario="",
            name="made up",
            seed=self.seed,
            started_utc=STARTED,
            origin=(self.frame.lat, self.frame.lon, self.frame.alt),
            tick=PERIOD,
            levels=LEVELS,
            every_pair=False,
            fidelity=None,
            changes=[],
            roster=RosterRecord.of(self.roster),
            run_id=run_id,
        )

    def update(self, tick: int) -> Update:
        """A tick, the same whenever it is asked for."""
        t = tick * PERIOD
        vehicles = self._vehicles(t)
        return Update(
            Snapshot(tick, t, RunState.GO, vehicles),
            Notices.empty(),
            self._encounters(tick),
            None,
            self._detections(tick, vehicles),
            receptions=self._receptions(tick),
        )

    def _vehicles(self, t: float) -> VehicleStates:
        angle = self._phase + self._pace * t
        speed = self._pace * self._radius
        x = self._center[0] + self._radius * np.cos(angle)
        y = self._center[1] + self._radius * np.sin(angle)
        lat, lon, convergence = self.frame.columns_to_geodetic(x, y)
        blank, yaw = np.zeros(self.vehicles), np.remainder(angle, 2 * np.pi) - np.pi / 2
        return VehicleStates(
            {
                "vid": self.roster.vids,
                "run_state": blank + RunState.GO,
                "health": blank + Health.HEARD,
                "behavior": blank + 1,
                "x": x,
                "y": y,
                "z": self._height,
                "lat": lat,
                "lon": lon,
                "yaw": yaw,
                "heading_deg": heading_deg(yaw, convergence),
                "speed": speed,
                "vx": speed * np.cos(yaw),
                "vy": speed * np.sin(yaw),
                **dict.fromkeys(("pitch", "roll", "vz", "age", "step"), blank),
            }
        ).sealed()

    def _encounters(self, tick: int) -> Encounters:
        """Some pairs that near each other and part again, now and then."""
        spell, into = divmod(tick, CALM + BUSY)
        if into < CALM or self.vehicles < 2:
            return Encounters.empty()
        rng = np.random.default_rng((self.seed, spell))
        count = min(1 + int(rng.integers(40)), self.vehicles // 2)
        both = rng.choice(self.vehicles, (count, 2), replace=False) + 1
        pairs = np.unique(np.sort(both, axis=1), axis=0)
        nearness = 1.0 - abs(into - CALM - BUSY / 2) / (BUSY / 2)
        level = np.minimum(1 + rng.uniform(0.0, 4.0, len(pairs)) * nearness, len(LEVELS))
        near = Encounters.empty(len(pairs))
        near.vid[:], near.other[:], near.level[:] = pairs[:, 0], pairs[:, 1], level
        near.distance[:] = 10.0 - 2.0 * level
        return near

    def _detections(self, tick: int, vehicles: VehicleStates) -> Detections:
        if tick % (2 * SECOND) or self.vehicles < 5:
            return Detections.empty()
        finds = Detections.empty(1)
        finds.vid[0], finds.target[0] = 4, 1 + tick // (2 * SECOND) % REAL
        finds.sighting[0] = (Sighting.FOUND, Sighting.SEEN, Sighting.LOST)[tick // 60 % 3]
        finds.t_seen[0] = tick * PERIOD
        for axis in "xyz":
            getattr(finds, axis)[0] = getattr(vehicles, axis)[int(finds.target[0]) - 1]
        return finds

    def _receptions(self, tick: int) -> Receptions:
        heard = Receptions.empty(min(REAL, self.vehicles))
        heard.vid[:] = self.roster.vids[:REAL]
        heard.heard[:] = Heard.HEARD
        heard.accuracy[:], heard.age[:], heard.rate[:] = 4.0, tick % SECOND * PERIOD, 1.0
        heard.battery[:] = np.nan
        heard.accepted[:] = tick // SECOND
        return heard


def record_made_up(
    path: Path, made_up: MadeUp, first: int, last: int, run_id: str = "", whole: bool = True
) -> Path:
    """Record ticks `first` to `last`, in a part of its own where the recording exists.

    A recording that is not `whole` has its snapshots and lacks what comes at the end.
    """
    writer = open_next_part(path, made_up.record(run_id))
    summary = Summary(made_up.roster, list(LEVELS), False)
    _put(writer, RUN_STATE, first, RunStateRecord.of(first * PERIOD, RunState.GO, _utc(first)))
    for tick in range(first, last + 1):
        update = made_up.update(tick)
        for topic, data in encoded(update, _utc(tick)):
            writer.put(topic, update.snapshot.t, data)
        summary.add(update)
        if tick % MARK_EVERY == MARK_EVERY // 2:
            kind = "mark" if tick // MARK_EVERY % 2 else "core"
            text = f"tick {tick}"
            _put(writer, EVENTS, tick, EventRecord(tick * PERIOD, _utc(tick), kind, text))
        if tick % SECOND == 0:
            _put(writer, SUMMARY, tick, summary.as_record())
            _put(writer, HEALTH, tick, _health(tick, made_up.vehicles))
    if not whole:
        writer.abandon()
        return writer.path
    _put(writer, RUN_STATE, last, RunStateRecord.of(last * PERIOD, RunState.STOP, _utc(last)))
    writer.close(last * PERIOD, summary.as_record())
    return writer.path


def _utc(tick: int) -> float:
    return STARTED + tick * PERIOD


def _put(writer: RecordingWriter, topic: str, tick: int, record: Any) -> None:
    writer.put(topic, tick * PERIOD, msgspec.json.encode(record))


def _health(tick: int, vehicles: int) -> HealthRecord:
    core = {"margin_p5": 0.8, "lag": 0.001, "missed_ticks": tick // 1000, "refused": {}}
    hosts = [{"host": "local-1", "vehicles": vehicles, "health": "heard", "margin": 0.9}]
    return HealthRecord(tick * PERIOD, _utc(tick), core, hosts)
