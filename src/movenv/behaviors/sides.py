"""On which side two vehicles pass each other: chosen once, and alike by both."""

import numpy as np
from numpy.typing import NDArray

from movenv.behaviors.others import rows_of
from movenv.behaviors.threats import Threats
from movenv.parts import Own, VehicleStates
from movenv.world.columns import F8, U4

CLEAR = 0.1
"""From this share of d_min on the motion of two vehicles tells on which side they will pass."""
SURE = 0.2
"""From this share of d_min on both are seen to move to the side that was chosen."""
ALIKE = 0.1
"""Up to this share two speeds count as equal, and courses as straight toward each other."""


class Sides:
    """The sides of all pairs that are on their way to each other."""

    def __init__(self) -> None:
        self._pair = np.empty(0, np.uint64)
        """First the one that avoids, then the other; ascending."""
        self._side = np.empty(0)

    def forget(self, vids: U4) -> None:
        """These vehicles choose their sides anew."""
        stays = ~np.isin(self._pair >> np.uint64(32), vids)
        self._pair, self._side = self._pair[stays], self._side[stays]

    def of(self, own: Own, velocity: F8, others: VehicleStates, found: Threats) -> tuple[F8, F8]:
        """Of each threat the side, +1 or -1 as the sign of d, and how far it is agreed, 0 to 1.

        A side is kept while the threat lasts. It is agreed as far as both are seen to move that
        way; and always where it would not help to wait, with a `velocity` that takes one there.
        """
        d, chosen = _as_seen(own.vid, others, found)
        pair = (own.vid[found.row].astype(np.uint64) << np.uint64(32)) | others.vid[found.other]
        side = self._kept(pair, chosen)
        order = np.argsort(pair)
        self._pair, self._side = pair[order], side[order]
        agreed = np.clip(side * d / (SURE * found.d_min), 0.0, 1.0)
        vx, vy = velocity[:, found.row]
        ahead = vx * (others.x[found.other] - own.x[found.row])
        ahead += vy * (others.y[found.other] - own.y[found.row])
        helps = (ahead > 0.0) & (side * (vx * found.north - vy * found.east) <= 0.0)
        return side, np.where(helps, agreed, 1.0)

    def _kept(self, pair: NDArray[np.uint64], side: F8) -> F8:
        if not len(self._pair):
            return side
        at = np.minimum(np.searchsorted(self._pair, pair), len(self._pair) - 1)
        return np.where(self._pair[at] == pair, self._side[at], side)


def _as_seen(vids: U4, others: VehicleStates, found: Threats) -> tuple[F8, F8]:
    """The distance d at which each pair would pass as both move now, and the side that follows.

    Only from what everyone is told, so that both of a pair find the same numbers. Where d does not
    tell, the slower of the two goes behind; of two equally fast ones both go to the right.
    """
    known, rows = rows_of(vids, others)
    me, it = rows[found.row], found.other
    mine, theirs = (
        np.array([others.vx[row], others.vy[row]], float).reshape(2, -1) for row in (me, it)
    )
    v_r = mine - theirs
    pace = np.maximum(np.hypot(*v_r), 1e-9)
    d = (v_r[0] * (others.y[it] - others.y[me]) - v_r[1] * (others.x[it] - others.x[me])) / pace
    d = np.where(known[found.row] & np.isfinite(d), d, 0.0)
    fast, slow = np.hypot(*mine), np.hypot(*theirs)
    # Both have the same speed across v_r; who goes behind gives some of it up.
    across = (mine[0] * v_r[1] - mine[1] * v_r[0]) / pace
    unequal = np.abs(fast - slow) > ALIKE * np.maximum(fast, slow)
    unequal &= np.abs(across) > ALIKE * np.maximum(fast, slow)
    behind = np.where((fast < slow) == (across > 0.0), -1.0, 1.0)
    unclear = np.where(unequal, behind, 1.0)
    return d, np.where(np.abs(d) >= CLEAR * found.d_min, np.sign(d), unclear)
