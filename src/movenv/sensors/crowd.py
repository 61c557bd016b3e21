"""The others as the beams of a scanner meet them: moving boxes, sorted from west to east."""

from typing import NamedTuple

import numpy as np

from movenv.world.columns import F8, U4, Mask, VidIndex, read_only
from movenv.world.messages import Health, Roster, VehicleStates

Place = tuple[float, float, float, float]
"""West, south, east, north."""


class Crowd(NamedTuple):
    """Boxes at one instant and how they move, as kernels take them."""

    vid: U4
    west: F8
    """x of their middles, ascending."""
    boxes: F8
    """(boxes, BOX)."""
    z: F8
    vx: F8
    vy: F8
    vz: F8
    radius: F8
    """Of the circle around each, m."""
    widest: float
    fastest: float


class Bodies:
    """Everyone's footprints, by vid."""

    def __init__(self, roster: Roster) -> None:
        self._index = VidIndex(roster.vids)
        self._sides = np.array([roster.build["body_length"], roster.build["body_width"]])
        self.widest = 0.5 * float(np.hypot(*self._sides).max(initial=0.0))
        """The radius of the largest circle around anybody, m."""

    def crowd(self, others: VehicleStates, around: Place) -> Crowd:
        """Those of the others who have a body and are at most so far west, south, east, north."""
        rows = self._index.rows(others.vid)
        met = (rows >= 0) & _somewhere(others, around)
        sides = self._sides[:, np.where(met, rows, 0)]
        met &= (sides > 0.0).all(axis=0)
        order = np.flatnonzero(met)
        order = order[np.argsort(others.x[order], kind="stable")]
        # One whose host is gone stands where it was thought to be.
        moves = others.health[order] != Health.LOST
        vx, vy, vz = (
            np.where(moves, getattr(others, v)[order].astype(float), 0.0)
            for v in ("vx", "vy", "vz")
        )
        x, y, yaw = (getattr(others, name)[order].astype(float) for name in ("x", "y", "yaw"))
        length, width = sides[:, order]
        radius = 0.5 * np.hypot(length, width)
        return Crowd(
            vid=read_only(others.vid[order]),
            west=x,
            boxes=np.column_stack([x, y, yaw, length, width]),
            z=others.z[order],
            vx=vx,
            vy=vy,
            vz=vz,
            radius=radius,
            widest=float(radius.max(initial=0.0)),
            fastest=float(np.hypot(vx, vy).max(initial=0.0)),
        )


def _somewhere(others: VehicleStates, around: Place) -> Mask:
    """Who is at a known place within these bounds."""
    west, south, east, north = around
    x, y = others.x, others.y
    known = np.isfinite(x) & np.isfinite(y) & np.isfinite(others.z) & np.isfinite(others.yaw)
    known &= np.isfinite(others.vx) & np.isfinite(others.vy) & np.isfinite(others.vz)
    known &= others.health != Health.UNHEARD
    return known & (x >= west) & (x <= east) & (y >= south) & (y <= north)
