"""Keeping a place in a formation: for behaviors whose vehicles follow a leader."""

import numpy as np

from movenv.parts import Moment, Own, Proposal, Setup, VehicleStates
from movenv.world.columns import U4, Rows

SHAPES = ("column", "line", "wedge", "vee", "echelon", "diamond")


class Stations:
    """The stations that vehicles keep; one column a vehicle."""

    def __init__(self, setup: Setup) -> None:
        self._in = np.zeros(len(setup.vids), np.bool_)

    def form(self, rows: Rows, leader: int, members: U4, shape: str, spacing: float) -> None:
        """Have some vehicles keep to a leader in a formation of all `members`, leader included."""
        self._in[rows] = True

    def leave(self, rows: Rows) -> None:
        """These keep no station any more."""
        self._in[rows] = False

    def keep(self, own: Own, others: VehicleStates, moment: Moment) -> Proposal:
        """What takes everyone to their stations; active for those in a formation who follow."""
        return Proposal(self._in & False, None, None, None)
