"""Missions: steps that vehicles take one after the other, each until a condition is met.

A step changes nothing but which behaviors are switched on and how they rank; what a vehicle then
does is theirs. Vehicles on the same step are looked at together.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from movenv.world.behavior import Moment, Own
from movenv.world.columns import F8, U1, U4, Mask, Rows
from movenv.world.messages import (
    MISSION_OVER,
    NO_MISSION,
    Broadcasts,
    Finds,
    Inbox,
    VehicleStates,
)

FOREVER = -1
MAX_STEPS = MISSION_OVER - 1


@dataclass(frozen=True)
class Look:
    """What the vehicles on one step see when they ask whether it is over."""

    own: Own
    """Everyone of the host."""
    rows: Rows
    """Those who ask, in `own`."""
    since: F8
    """How long each has been on the step, s."""
    done: Mask
    """Whether what each was to do is done."""
    others: VehicleStates
    finds: Finds
    heard: "dict[Heard, Mask]"
    """Who of the host has heard what since they entered the step, of what any step waits for."""

    @property
    def places(self) -> F8:
        """Of those who ask, (3, rows)."""
        own = self.own
        return np.array([own.x[self.rows], own.y[self.rows], own.z[self.rows]])

    def place_of(self, vid: int) -> F8 | None:
        """Where another vehicle is, (3,); None where that is not known."""
        at = self.row_of(vid)
        if at is None:
            return None
        others = self.others
        place = np.array([others.x[at], others.y[at], others.z[at]])
        return place if np.isfinite(place).all() else None

    def row_of(self, vid: int) -> int | None:
        """A vehicle's row among the others, which are sorted by vid."""
        at = int(np.searchsorted(self.others.vid, vid))
        return at if at < len(self.others) and self.others.vid[at] == vid else None


class Condition(ABC):
    """When a step is over."""

    @abstractmethod
    def met(self, look: Look) -> Mask:
        """For each vehicle that asks."""

    @property
    def words(self) -> "set[Heard]":
        """What it listens for."""
        return set()


@dataclass(frozen=True)
class Elapsed(Condition):
    """Some time has passed on the step."""

    seconds: float

    def met(self, look: Look) -> Mask:
        return look.since >= self.seconds - 1e-9


class Done(Condition):
    """The behaviors of the step have come to their end."""

    def met(self, look: Look) -> Mask:
        return look.done


@dataclass(frozen=True)
class Distance(Condition):
    """Two are nearer to each other than `within`, or farther than `beyond`, on the ground.

    From me, or from vehicle `vid`, to a place or, without one, from me to vehicle `vid`.
    """

    vid: int | None
    place: tuple[float, float] | None
    within: float = np.inf
    beyond: float = -np.inf

    def met(self, look: Look) -> Mask:
        here = look.places[:2]
        if self.vid is not None:
            other = look.place_of(self.vid)
            if other is None:
                return np.zeros(len(look.rows), np.bool_)
            if self.place is not None:
                here = np.repeat(other[:2, None], len(look.rows), axis=1)
        there = np.array(self.place) if self.place is not None else other[:2]  # type: ignore[index]
        apart = np.hypot(here[0] - there[0], here[1] - there[1])
        within: Mask = (apart <= self.within) & (apart >= self.beyond)
        return within


@dataclass(frozen=True)
class Reached(Condition):
    """Another vehicle is on a step of its mission, or beyond it."""

    vid: int
    step: int

    def met(self, look: Look) -> Mask:
        at = look.row_of(self.vid)
        return np.full(len(look.rows), at is not None and look.others.step[at] >= self.step)


@dataclass(frozen=True)
class Detected(Condition):
    """A target has been found: by vehicle `vid`, or by whoever asks."""

    vid: int | None
    target: int

    def met(self, look: Look) -> Mask:
        by = look.finds.vid[look.finds.target == self.target]
        if self.vid is not None:
            return np.full(len(look.rows), self.vid in by)
        return np.isin(look.own.vid[look.rows], by)


@dataclass(frozen=True)
class Heard(Condition):
    """Some words have come by radio since the step began, from vehicle `vid` or from anybody."""

    vid: int | None
    payload: bytes

    def met(self, look: Look) -> Mask:
        return look.heard[self][look.rows]

    def by(self, inbox: Inbox, vids: U4) -> Mask:
        """Which of these vehicles hear it now."""
        said = [i for i, payload in enumerate(inbox.payloads) if payload == self.payload]
        matches = np.isin(inbox.row, said)
        if self.vid is not None:
            matches &= inbox.sender == self.vid
        return np.isin(vids, inbox.vid[matches])

    @property
    def words(self) -> "set[Heard]":
        return {self}


@dataclass(frozen=True)
class Together(Condition):
    """Several conditions: all of them at once, or any."""

    parts: tuple[Condition, ...]
    all: bool

    def met(self, look: Look) -> Mask:
        each = [part.met(look) for part in self.parts]
        met: Mask = np.all(each, axis=0) if self.all else np.any(each, axis=0)
        return met

    @property
    def words(self) -> set[Heard]:
        return {word for part in self.parts for word in part.words}


@dataclass(frozen=True)
class Step:
    """One step of a mission."""

    until: Condition | None
    """None for a last step without an end."""
    say: bytes = b""
    """By radio, when it begins."""
    back_to: int = 0
    """The step to go back to at its end (from 1 on), `times` times; 0 for none."""
    times: int = 0


@dataclass(frozen=True)
class Entered:
    """Who begins with which step now."""

    rows: Rows = field(default_factory=lambda: np.empty(0, np.intp))
    step: Rows = field(default_factory=lambda: np.empty(0, np.intp))
    """Places in the list of all programs' steps; -1 for a mission that is over."""

    def and_also(self, other: "Entered") -> "Entered":
        return Entered(
            np.concatenate([self.rows, other.rows]), np.concatenate([self.step, other.step])
        )


class Missions:
    """The missions of a host's vehicles, and how far each is."""

    def __init__(self, programs: Sequence[Sequence[Step]], program: Rows, at: U1) -> None:
        """`program[row]` is the row's mission, -1 for none; `at` where everyone begins, by row:
        0 for the first step."""
        self._steps = [step for program in programs for step in program]
        first = np.cumsum([0, *(len(program) for program in programs)])
        on = program >= 0
        self._first = np.where(on, first[program], 0)
        self._length = np.where(on, np.diff(first)[program] if len(programs) else 0, 0)
        self.number: U1 = np.where(on, np.maximum(at, 1), NO_MISSION).astype(np.uint8)
        """Everyone's step as it is reported."""
        self._since: F8 = np.full(len(program), np.nan)
        self._repeats: dict[int, NDArray[np.int64]] = {
            step: np.zeros(len(program), np.int64)
            for step, spec in enumerate(self._steps)
            if spec.back_to
        }
        self._begun: Mask = np.zeros(len(program), np.bool_)
        words = {word for step in self._steps if step.until for word in step.until.words}
        self._heard = {word: np.zeros(len(program), np.bool_) for word in words}

    def step_of(self, rows: Rows) -> Rows:
        """The place of some rows' steps in the list of all; -1 where there is none."""
        number = self.number[rows].astype(np.intp)
        under_way = (number != NO_MISSION) & (number != MISSION_OVER)
        return np.where(under_way, self._first[rows] + number - 1, -1)

    def begin(self, begins: Mask, moment: Moment) -> Entered:
        """These enter the step they begin with."""
        self._begun |= begins
        rows = np.flatnonzero(begins & (self.number != NO_MISSION))
        self._since[rows] = moment.t
        return Entered(rows, self.step_of(rows))

    def advance(
        self,
        own: Own,
        others: VehicleStates,
        finds: Finds,
        inbox: Inbox,
        done: Mask,
        moment: Moment,
    ) -> Entered:
        """Take whoever has begun and may go on to their next step; one step a tick."""
        if len(inbox):
            for word, heard in self._heard.items():
                heard |= word.by(inbox, own.vid)
        here = np.where(self._begun, self.step_of(np.arange(len(self.number))), -1)
        moved: list[Rows] = []
        for step in np.unique(here[here >= 0]).tolist():
            condition = self._steps[step].until
            if condition is None:
                continue
            rows = np.flatnonzero(here == step)
            since = moment.t - self._since[rows]
            look = Look(own, rows, since, done[rows], others, finds, self._heard)
            rows = rows[condition.met(look)]
            self._leave(rows, step)
            moved.append(rows)
        rows = np.concatenate([np.empty(0, np.intp), *moved])
        self._since[rows] = moment.t
        for heard in self._heard.values():
            heard[rows] = False
        return Entered(rows, self.step_of(rows))

    def _leave(self, rows: Rows, step: int) -> None:
        number = self.number[rows].astype(np.intp)
        following = np.where(number < self._length[rows], number + 1, MISSION_OVER)
        spec = self._steps[step]
        if spec.back_to:
            done = self._repeats[step]
            again = (done[rows] < spec.times) | (spec.times == FOREVER)
            done[rows] = np.where(again, done[rows] + 1, 0)
            following = np.where(again, spec.back_to, following)
        self.number[rows] = following

    def said(self, entered: Entered, vids: U4) -> Broadcasts:
        """What those who enter a step say by radio."""
        speaking = [
            (vid, self._steps[step].say)
            for vid, step in zip(vids[entered.rows].tolist(), entered.step.tolist(), strict=True)
            if step >= 0 and self._steps[step].say
        ]
        return Broadcasts([vid for vid, _ in speaking], [say for _, say in speaking])
