"""On which side two vehicles pass each other: chosen once, and alike by both."""

import numpy as np
from numpy.typing import NDArray

from movenv.behaviors.threats import Threats
from movenv.parts import Own, VehicleStates
from movenv.world.columns import F8, U4, Rows

SURE = 0.2
"""From this share of d_min on the motion of two vehicles tells on which side they will pass."""


class Sides:
    """The sides of all pairs that are on their way to each other."""

    def __init__(self) -> None:
        self._pair = np.empty(0, np.uint64)
        """First the one that avoids, then the other; ascending."""
        self._side = np.empty(0)

    def of(
        self, own: Own, velocity: F8, others: VehicleStates, found: Threats
    ) -> tuple[F8, F8]:
        """Of each threat the side, +1 or -1 as the sign of d, and how far it is agreed, 0 to 1.

        A side is kept while the threat lasts. It is chosen by how both move, of which both know
        the same; where that does not tell, both go to the right. It is agreed as far as both are
        seen to move that way; and always with one that does not lie ahead, as waiting for it would
        not help.
        """
        now = _present(own.vid, others, found)
        clear = np.abs(now) >= SURE * found.d_min
        side = np.where(clear & (now < 0.0), -1.0, 1.0)
        pair = (own.vid[found.row].astype(np.uint64) << np.uint64(32)) | others.vid[found.other]
        side = self._kept(pair, side)
        order = np.argsort(pair)
        self._pair, self._side = pair[order], side[order]
        agreed = np.clip(side * now / (SURE * found.d_min), 0.0, 1.0)
        ahead = velocity[0, found.row] * (others.x[found.other] - own.x[found.row])
        ahead += velocity[1, found.row] * (others.y[found.other] - own.y[found.row])
        return side, np.where(ahead > 0.0, agreed, 1.0)

    def _kept(self, pair: NDArray[np.uint64], side: F8) -> F8:
        if not len(self._pair):
            return side
        at = np.minimum(np.searchsorted(self._pair, pair), len(self._pair) - 1)
        return np.where(self._pair[at] == pair, self._side[at], side)


def _present(vids: U4, others: VehicleStates, found: Threats) -> F8:
    """The signed distance d at which each pair passes as it moves now; 0 where nobody knows.

    Only from what everyone is told, so that both of a pair find the same number.
    """
    me = _row(vids, others)[found.row]
    it = found.other
    east, north = others.x[it] - others.x[me], others.y[it] - others.y[me]
    rx, ry = others.vx[me] - others.vx[it].astype(float), others.vy[me] - others.vy[it].astype(float)
    speed = np.hypot(rx, ry)
    d = (rx * north - ry * east) / np.where(speed > 1e-6, speed, np.inf)
    return np.where((me >= 0) & np.isfinite(d), d, 0.0)


def _row(vids: U4, others: VehicleStates) -> Rows:
    if not len(others):
        return np.full(len(vids), -1)
    at = np.minimum(np.searchsorted(others.vid, vids), len(others) - 1)
    return np.where(others.vid[at] == vids, at, -1)
