"""Which behaviors are on, for whom, and how they rank: as carried, and as a mission's step says."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from movenv.world.arbiter import OFF
from movenv.world.behavior import Behavior, Moment, Own, PartFailed
from movenv.world.columns import U4, Mask, Rows
from movenv.world.messages import Broadcasts, Finds, Inbox, VehicleStates
from movenv.world.mission import Entered, Missions


@dataclass(frozen=True)
class Assignment:
    """A behavior on some of a host's vehicles."""

    number: int
    name: str
    behavior: Behavior
    rows: Rows | None
    """Rows of the host's table; None for all of them."""
    precedence: NDArray[np.int64]
    """Who wins, one number a row; OFF where only steps of a mission switch the behavior on."""
    ends: Mask
    """For which rows it comes to an end by itself."""
    in_steps: Mapping[int, int] = field(default_factory=dict)
    """The precedence while on a step, by its place in the list of all missions' steps."""

    @cached_property
    def hears(self) -> bool:
        return type(self.behavior).hears()

    @cached_property
    def senses(self) -> bool:
        return type(self.behavior).senses()

    @cached_property
    def refines(self) -> bool:
        return type(self.behavior).refines()

    @cached_property
    def obeys(self) -> bool:
        return type(self.behavior).obeys()

    @cached_property
    def is_driven(self) -> bool:
        return type(self.behavior).is_driven()

    @cached_property
    def remarks(self) -> bool:
        return type(self.behavior).remarks is not Behavior.remarks

    @cached_property
    def speaks(self) -> bool:
        return type(self.behavior).speaks()


class Switches:
    """The assignments of a host as its missions switch them."""

    def __init__(self, assignments: list[Assignment], missions: Missions, vids: U4) -> None:
        self._assignments = assignments
        self._missions = missions
        self._vids = vids
        self._started: Mask = np.zeros(len(vids), np.bool_)
        self.precedence = [np.full(len(job.precedence), OFF) for job in assignments]
        """Of each assignment, as it is now."""

    def go_on(
        self,
        everyone: Own,
        others: VehicleStates,
        inbox: Inbox,
        finds: Finds,
        moment: Moment,
        present: Mask | None = None,
    ) -> Broadcasts:
        """Take missions to their next steps and switch behaviors; returns what is said of it.

        Who is not `present` yet, as a real vehicle that was never heard, has not begun.
        """
        fresh = ~self._started if present is None else present & ~self._started
        entered = Entered()
        if self._started.any() and self._missions.number.any():
            done = self._done(everyone, others, moment)
            entered = self._missions.advance(everyone, others, finds, inbox, done, moment)
        if fresh.any():
            entered = entered.and_also(self._missions.begin(fresh, moment))
            self._started |= fresh
        elif not len(entered.rows):
            return Broadcasts.empty()
        for i, job in enumerate(self._assignments):
            before = self.precedence[i]
            now, anew = self._switched(job, before, entered, fresh)
            self.precedence[i] = now
            begins = (now != OFF) & ((before == OFF) | anew)
            if begins.any():
                with blaming(f"behavior '{job.name}'", moment.t):
                    job.behavior.begin(everyone.some(job.rows), begins, moment)
        return self._missions.said(entered, self._vids)

    def begin_all(self, everyone: Own, moment: Moment) -> None:
        """Switch every behavior on for all who have it, whatever step they are on."""
        for i, job in enumerate(self._assignments):
            some = max(job.in_steps.values(), default=0)
            self.precedence[i] = np.where(job.precedence == OFF, some, job.precedence)
            with blaming(f"behavior '{job.name}'", moment.t):
                on = self.precedence[i] != OFF
                job.behavior.begin(everyone.some(job.rows), on, moment)

    def _switched(
        self, job: Assignment, before: NDArray[np.int64], entered: Entered, fresh: Mask
    ) -> tuple[NDArray[np.int64], Mask]:
        """An assignment's precedence after some have entered steps, and who is to do it anew."""
        step = np.full(len(self._vids), OFF)
        changed = fresh.copy()
        step[entered.rows], changed[entered.rows] = entered.step, True
        if job.rows is not None:
            step, changed = step[job.rows], changed[job.rows]
        wanted = job.precedence.copy()
        for number, value in job.in_steps.items():
            wanted[step == number] = value
        anew = changed & (job.precedence == OFF) & (wanted != OFF)
        return np.where(changed, wanted, before), anew

    def _done(self, everyone: Own, others: VehicleStates, moment: Moment) -> Mask:
        """Whose step's behaviors have all come to their end; one without an end is not asked."""
        asked = np.zeros(len(self._vids), np.bool_)
        pending = np.zeros(len(self._vids), np.bool_)
        for job, now in zip(self._assignments, self.precedence, strict=True):
            mine = (job.precedence == OFF) & (now != OFF) & job.ends
            if not mine.any():
                continue
            with blaming(f"behavior '{job.name}'", moment.t):
                done = job.behavior.done(everyone.some(job.rows), others, moment)
            if done is not None:
                rows = np.flatnonzero(mine) if job.rows is None else job.rows[mine]
                asked[rows] = True
                pending[rows] |= ~done[mine]
        return asked & ~pending


@contextmanager
def blaming(part: str, t: float) -> Iterator[None]:
    """Whatever goes wrong in here is the fault of that part. Raises PartFailed."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PartFailed(f"{part} failed at t = {t:g} s") from error
