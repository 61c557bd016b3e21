"""Subsumption: of all active proposals the one of highest priority drives, alone."""

import numpy as np
from numpy.typing import NDArray

from movenv.world.behavior import Proposal
from movenv.world.columns import F8, U1, Rows
from movenv.world.messages import NO_BEHAVIOR

RANKS = 256
"""How many behaviors one vehicle may carry."""


def precedence(priority: NDArray[np.int64], rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """One number that orders by priority, then by place in the scenario file, first wins."""
    return priority * RANKS + (RANKS - 1 - rank)


class Arbiter:
    """Collects one tick's proposals for a host's vehicles."""

    def __init__(self, count: int) -> None:
        self.command: F8 = np.zeros((3, count))
        """Steer, speed, pitch of the winner; zero where nobody proposed."""
        self.winner: U1 = np.zeros(count, np.uint8)
        self._best = np.zeros(count, np.int64)

    def begin(self) -> None:
        self.command[:] = 0.0
        self.winner[:] = NO_BEHAVIOR
        self._best[:] = -1

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
        best = self._best if rows is None else self._best[rows]
        wins = np.flatnonzero(proposal.active & (precedence > best))
        if not len(wins):
            return
        at = wins if rows is None else rows[wins]
        self._best[at] = precedence[wins]
        self.winner[at] = number
        for i, column in enumerate((proposal.steer, proposal.speed, proposal.pitch)):
            self.command[i, at] = column[wins] if isinstance(column, np.ndarray) else column
