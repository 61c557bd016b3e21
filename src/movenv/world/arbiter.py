"""Subsumption: of all active proposals the one of highest priority drives.

It drives alone, but for the commands that it leaves to the next one below."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from movenv.world.behavior import Proposal, Wish
from movenv.world.columns import F8, U1, Mask, Rows
from movenv.world.messages import NO_BEHAVIOR

RANKS = 256
"""How many behaviors one vehicle may carry."""


OFF = -1
"""A precedence that never wins."""
STEER, SPEED = 0, 1
"""The rows of steer and speed among the commands."""


def precedence(priority: int, rank: int) -> int:
    """One number that orders by priority, then by place in the scenario file, first wins."""
    return priority * RANKS + (RANKS - 1 - rank)


class _Limit(NamedTuple):
    """A speed that some vehicles are not to exceed; `at` are rows of the host."""

    number: int
    at: Rows
    speed: F8
    precedence: NDArray[np.int64]


class Arbiter:
    """Collects one tick's proposals for a host's vehicles."""

    def __init__(self, count: int) -> None:
        self.command: F8 = np.zeros((3, count))
        """Steer, speed, pitch of the winner; zero where nobody proposed."""
        self.pedals: F8 = np.full((3, count), np.nan)
        """What whoever gave the speed does with the pedals instead; nan where nothing."""
        self.winner: U1 = np.zeros(count, np.uint8)
        self.giver: U1 = np.zeros((3, count), np.uint8)
        """Who gave each command; the winner may have left some to others."""
        self._best = np.zeros((4, count), np.int64)
        """Precedence of who gave each command; in the last row that of the winner."""
        self._limits: list[_Limit] = []
        self._to: F8 = np.full((2, count), np.nan)
        self._rejoins: Mask = np.zeros(count, np.bool_)
        self._guided: Mask = np.zeros(count, np.bool_)

    def begin(self) -> None:
        self.command[:] = 0.0
        self.pedals[:] = np.nan
        self.winner[:] = NO_BEHAVIOR
        self._best[:] = -1
        self._limits.clear()
        self._to[:] = np.nan
        self._rejoins[:] = False
        self._guided[:] = False

    def consider(
        self,
        number: int,
        proposal: Proposal,
        rows: Rows | None,
        precedence: NDArray[np.int64],
    ) -> None:
        """Let behavior `number` take the wheel where it is active and nothing higher is."""
        if not isinstance(proposal, Proposal):
            raise TypeError(f"propose gave {type(proposal).__name__}, expected Proposal or None")
        proposal.check(len(precedence))
        columns = [proposal.steer, proposal.speed, proposal.pitch]
        if proposal.at_most:
            self._limit(number, proposal, rows, precedence)
            columns[SPEED] = None
        for i, column in enumerate(columns):
            if column is None:
                continue
            at, wins = self._won(i, proposal.active, rows, precedence)
            self.command[i, at] = column[wins] if isinstance(column, np.ndarray) else column
            self.giver[i, at] = number
            if i == SPEED:
                self.pedals[:, at] = np.nan if proposal.pedals is None else proposal.pedals[:, wins]
            if i == STEER:
                self._to[:, at] = np.nan if proposal.to is None else proposal.to[:, wins]
                self._rejoins[at] = proposal.rejoins is not None and proposal.rejoins[wins]
                self._guided[at] = proposal.guided is not None and proposal.guided[wins]
        if proposal.at_most and all(column is None for column in columns):
            return  # it holds the wheel only where it slows somebody down
        at, _ = self._won(-1, proposal.active, rows, precedence)
        self.winner[at] = number

    def wish(self, rows: Rows | None) -> Wish:
        """What has been settled so far, for some rows of the host; None for all."""
        at = slice(None) if rows is None else rows
        steer, speed, pitch = self.command[:, at].copy()
        wished = self._best[-1, at] >= 0
        about = (self._to[:, at].copy(), self._rejoins[at].copy(), self._guided[at].copy())
        return Wish(wished, steer, speed, pitch, *about)

    def settle(self) -> None:
        """Once everyone has been considered, apply the limits that stand above who drives.

        It may be called again after more have been considered.
        """
        driver = self._best[-1].copy()
        for limit in sorted(self._limits, key=lambda limit: limit.number):
            at = limit.at
            alone = self._best[SPEED, at] < 0
            binds = alone | (limit.speed < self.command[SPEED, at])
            binds &= limit.precedence > self._best[SPEED, at]
            slowed = at[binds]
            self.command[SPEED, slowed] = limit.speed[binds]
            self.pedals[:, slowed] = np.nan
            self.giver[SPEED, slowed] = limit.number
            self._best[SPEED, at[alone]] = 0  # a second limit is compared with the first
            self.winner[at[binds & (limit.precedence > driver[at])]] = limit.number

    def _limit(
        self, number: int, proposal: Proposal, rows: Rows | None, precedence: NDArray[np.int64]
    ) -> None:
        mine = np.flatnonzero(proposal.active & (precedence >= 0))
        speed = np.broadcast_to(np.asarray(proposal.speed, float), proposal.active.shape)[mine]
        if not np.isfinite(speed).all():
            raise ValueError(f"a limit of {speed[~np.isfinite(speed)][0]} m/s is no speed")
        at = mine if rows is None else rows[mine]
        self._limits.append(_Limit(number, at, speed, precedence[mine]))

    def _won(
        self, i: int, active: Mask, rows: Rows | None, precedence: NDArray[np.int64]
    ) -> tuple[Rows, Rows]:
        """Where a proposal outdoes all before it: rows of the host, and of the proposal."""
        best = self._best[i] if rows is None else self._best[i, rows]
        wins = np.flatnonzero(active & (precedence > best))
        at = wins if rows is None else rows[wins]
        self._best[i, at] = precedence[wins]
        return at, wins
