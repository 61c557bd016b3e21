"""Pairwise encounters: how near one comes to another that holds its velocity.

Thousands of pairs at once, each far from all others, with the kinematic model and the behavior
itself; only the hosts and the Core around them are left out.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from movenv.behaviors.avoid import Avoid, AvoidConfig
from movenv.bench.encounter_draw import KINDS, Encounters, draw
from movenv.bench.measure import Row
from movenv.parts import (
    ConfigColumns,
    Moment,
    Notices,
    Own,
    Proposal,
    Roster,
    Setup,
    VehicleStates,
    Wish,
    steer_toward,
)
from movenv.vehicles.kinematic import PARAMETERS, Kinematic
from movenv.world.columns import F8, Rows
from movenv.world.kinds import Kind
from movenv.world.messages import Health
from movenv.world.model import ABILITIES, MOTION
from movenv.world.proximity import Proximity

PERIOD = 0.1
STEPS = 10
AFTER = 5.0
"""How long pairs are followed beyond their meeting, s."""
BATCH = 5_000
LEVELS = {"advisory": 20.0, "caution": 10.0, "warning": 5.0}


@dataclass
class Outcome:
    """What came of some encounters."""

    least: F8
    """The least separation of each pair, as a share of its d_min."""
    seconds: float
    """Spent in the behavior."""
    asked: int
    """How many times a vehicle was asked what to do."""


class Field:
    """Encounters under way: everyone wishes to go on, some avoid."""

    def __init__(self, met: Encounters, both: bool, settings: dict[str, Any] | None) -> None:
        """`settings` of the behavior, None for nobody avoids; `both`: the other avoids too."""
        count = len(met.speed)
        self._met = met
        self.vids = np.arange(1, count + 1, dtype=np.uint32)
        self._model = Kinematic(met.parameters, met.start)
        self._abilities = {
            name: met.speed if name == "cruise_speed" else met.parameters[PARAMETERS.index(name)]
            for name in ABILITIES
        }
        length = met.parameters[PARAMETERS.index("length")]
        self._yaw = met.start[MOTION.index("yaw")].copy()
        self._rows: Rows = np.arange(0, count, 1 if both else 2)
        self._avoid: Avoid | None = None
        if settings is not None:
            self._avoid = Avoid(self._setup(settings, length))
        self._proximity = Proximity(self.vids, length, np.array(list(LEVELS.values())), False)
        self._notified = settings is not None and not settings
        self.seconds = 0.0

    def _setup(self, settings: dict[str, Any], length: F8) -> Setup:
        rows, count = self._rows, len(self.vids)
        roster = Roster(
            vids=self.vids,
            names=[f"v-{vid}" for vid in self.vids],
            kinds=[Kind.parse(kind) for kind in KINDS],
            kind=self._met.kind.astype(np.uint8),
            origin=np.ones(count, np.uint8),
            length=length,
            behaviors=["avoid"],
        )
        return Setup(
            vids=self.vids[rows],
            config=ConfigColumns([AvoidConfig(**settings)], np.zeros(len(rows), np.intp)),
            abilities={name: column[rows] for name, column in self._abilities.items()},
            areas={},
            routes={},
            levels={name: i + 1 for i, name in enumerate(LEVELS)},
            roster=roster,
            payload=np.full(len(rows), None),
            local=lambda point: (0.0, 0.0, None),
        )

    def states(self) -> VehicleStates:
        """Everyone as all are told of them."""
        columns = {name: np.zeros(len(self.vids)) for name in VehicleStates.dtypes}
        columns |= dict(zip(MOTION, self._model.motion, strict=True))
        heard = np.full(len(self.vids), Health.HEARD)
        return VehicleStates(columns | {"vid": self.vids, "health": heard})

    def tick(self, number: int) -> None:
        columns = dict(zip(MOTION, self._model.motion, strict=True)) | self._abilities
        everyone = Own(self.vids, columns, None)
        steer, speed = steer_toward(everyone, self._yaw), self._met.speed
        command = np.array([steer, speed, np.zeros(len(steer))])
        if self._avoid is not None:
            self._bend(self._avoid, everyone, command, number)
        self._model.advance(command, PERIOD / STEPS, STEPS)

    def _bend(self, avoid: Avoid, everyone: Own, command: F8, number: int) -> None:
        """Replace the commands of those who avoid."""
        rows, others = self._rows, self.states()
        moment = Moment(number, number * PERIOD, PERIOD, 0)
        own = everyone.some(rows)
        notices = Notices.empty()
        if self._notified:
            notices = self._proximity.search(others, moment.t, PERIOD)[1]
        nowhere, nobody = np.full((2, len(rows)), np.nan), np.zeros(len(rows), np.bool_)
        steer, speed, pitch = command[:, rows]
        wish = Wish(~nobody, steer, speed, pitch, nowhere, nobody, nobody)
        began = time.process_time()
        proposal: Proposal | None = avoid.propose(own, others, notices, moment)
        if proposal is None:
            proposal = avoid.refine(own, wish, others, notices, moment)
        self.seconds += time.process_time() - began
        assert proposal is not None
        at = rows[proposal.active]
        for i, column in enumerate((proposal.steer, proposal.speed)):
            if isinstance(column, np.ndarray):
                command[i, at] = column[proposal.active]

    def places(self) -> F8:
        """(2, vehicles)"""
        return self._model.motion[:2].copy()


def _nearest(before: F8, now: F8) -> F8:
    """The least distance of each pair between two ticks, straight motion assumed."""
    was, gap = (places[:, 1::2] - places[:, ::2] for places in (before, now))
    step = gap - was
    square = (step**2).sum(axis=0)
    share = np.clip(-(was * step).sum(axis=0) / np.where(square > 0, square, 1.0), 0.0, 1.0)
    nearest: F8 = np.hypot(*(was + share * step))
    return nearest


def meet(met: Encounters, settings: dict[str, Any] | None, both: bool = False) -> Outcome:
    """Let encounters happen; see `Field` for the settings."""
    parts: list[F8] = []
    seconds, asked = 0.0, 0
    for first in range(0, len(met.t), BATCH):
        some = met.some(first, first + BATCH)
        field = Field(some, both, settings)
        ticks = int((some.t.max() + AFTER) / PERIOD)
        before = field.places()
        least = np.full(len(some.t), np.inf)
        for number in range(ticks):
            field.tick(number)
            now = field.places()
            least = np.minimum(least, _nearest(before, now))
            before = now
        parts.append(least / some.d_min)
        seconds += field.seconds
        asked += ticks * len(some.t) * (2 if both else 1)
    return Outcome(np.concatenate(parts), seconds, asked)


def measure(quick: bool) -> list[Row]:
    count = 2_000 if quick else 100_000
    met = draw(count, seed=1)
    said = f"in {count:,} pairwise encounters"
    meet(met.some(0, 10), {"method": "constant_velocity"})  # compiled
    avoided, held = meet(met, {"method": "constant_velocity"}), meet(met, None)
    turned = meet(met, {})
    # So that there is a ratio to a baseline in which two went through each other.
    least, away = (max(float(out.least.min()), 1e-6) for out in (avoided, turned))
    kept, bare, kept_away = (
        100.0 * float((out.least >= 0.5).mean()) for out in (avoided, held, turned)
    )
    asked, asked_away = (out.seconds / out.asked * 1e6 for out in (avoided, turned))
    return [
        Row(f"least separation {said}, constant_velocity", least, "d_min", 0.5, "higher",
            "turn_away", away),
        Row(f"never closer than d_min / 2 {said}, constant_velocity", kept, "%", 100.0, "higher",
            "nobody avoids", bare),
        Row(f"never closer than d_min / 2 {said}, constant_velocity", kept, "%", 100.0, "higher",
            "turn_away", kept_away),
        Row("constant_velocity for one vehicle, one tick", asked, "µs", 2.0, "lower",
            "turn_away, which the Core tells whom to avoid", asked_away),
    ]  # fmt: skip
