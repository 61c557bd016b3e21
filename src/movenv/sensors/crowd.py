"""The others as rays meet them: moving boxes, sorted from west to east."""

import math
from typing import NamedTuple

import numpy as np

from movenv.terrain.boxes import solid_hit
from movenv.terrain.seen import Seen
from movenv.world.columns import F8, U1, U4, Mask, Rows, VidIndex, read_only
from movenv.world.frames import rotation
from movenv.world.kernel import inline
from movenv.world.messages import Health, Roster, VehicleStates
from movenv.world.model import BODY

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


class Solids(NamedTuple):
    """The same with their heights, tilted as they are."""

    vid: U4
    west: F8
    middle: F8
    """(boxes, 3)."""
    velocity: F8
    turn: F8
    """(boxes, 3, 3): the vehicles' axes, as `rotation` gives them."""
    half: F8
    """(boxes, 3): half their length, width and height."""
    radius: F8
    """Of the sphere around each, m."""
    seen: U1
    """What they are, as `Seen`."""
    widest: float
    fastest: float


class Bodies:
    """Everyone's boxes, by vid."""

    def __init__(self, roster: Roster) -> None:
        self._index = VidIndex(roster.vids)
        self._sides = np.array([roster.build[name] for name in BODY])
        self.widest = 0.5 * float(np.hypot(*self._sides[:2]).max(initial=0.0))
        """The radius of the largest circle around anybody, m."""
        walks = np.array([kind.name == "pedestrian" for kind in roster.kinds], np.bool_)
        seen = np.where(walks, Seen.PEDESTRIAN, Seen.VEHICLE).astype(np.uint8)
        self._seen: U1 = seen[roster.kind]

    def crowd(self, others: VehicleStates, around: Place) -> Crowd:
        """Those of the others who have a body and are at most so far west, south, east, north."""
        order, rows = self._met(others, around)
        vx, vy, vz = _velocity(others, order)
        x, y, yaw = (getattr(others, name)[order].astype(float) for name in ("x", "y", "yaw"))
        length, width, _ = self._sides[:, rows]
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

    def solids(self, others: VehicleStates, around: Place) -> Solids:
        """The same in three dimensions."""
        order, rows = self._met(others, around)
        angles = (getattr(others, name)[order].astype(float) for name in ("yaw", "pitch", "roll"))
        turn = rotation(*(np.where(np.isfinite(angle), angle, 0.0) for angle in angles))
        half = np.ascontiguousarray(0.5 * self._sides[:, rows].T)
        place = np.column_stack([others.x[order], others.y[order], others.z[order]]).astype(float)
        velocity = np.column_stack(_velocity(others, order))
        radius = np.linalg.norm(half, axis=1)
        return Solids(
            vid=read_only(others.vid[order]),
            west=np.ascontiguousarray(place[:, 0]),
            middle=np.ascontiguousarray(place + turn[:, :, 2] * half[:, 2:]),
            velocity=np.ascontiguousarray(velocity),
            turn=np.ascontiguousarray(turn),
            half=half,
            radius=radius,
            seen=self._seen[rows],
            widest=2.0 * float(radius.max(initial=0.0)),
            fastest=float(np.linalg.norm(velocity, axis=1).max(initial=0.0)),
        )

    def _met(self, others: VehicleStates, around: Place) -> tuple[Rows, Rows]:
        """The rows of these in `others`, from west to east, and here."""
        rows = self._index.rows(others.vid)
        met = (rows >= 0) & _somewhere(others, around)
        sides = self._sides[:, np.where(met, rows, 0)]
        met &= (sides > 0.0).all(axis=0)
        order = np.flatnonzero(met)
        order = order[np.argsort(others.x[order], kind="stable")]
        return order, rows[order]


def _velocity(others: VehicleStates, order: Rows) -> tuple[F8, F8, F8]:
    """Of some; one whose host is gone stands where it was thought to be."""
    moves = others.health[order] != Health.LOST
    vx, vy, vz = (
        np.where(moves, getattr(others, v)[order].astype(float), 0.0) for v in ("vx", "vy", "vz")
    )
    return vx, vy, vz


def _somewhere(others: VehicleStates, around: Place) -> Mask:
    """Who is at a known place within these bounds."""
    west, south, east, north = around
    x, y = others.x, others.y
    known = np.isfinite(x) & np.isfinite(y) & np.isfinite(others.z) & np.isfinite(others.yaw)
    known &= np.isfinite(others.vx) & np.isfinite(others.vy) & np.isfinite(others.vz)
    known &= others.health != Health.UNHEARD
    return known & (x >= west) & (x <= east) & (y >= south) & (y <= north)


@inline
def solid_met(solids, c, gone, x, y, z, dx, dy, dz):  # type: ignore[no-untyped-def]
    """How far a ray goes until it meets box c, which has moved on for a time."""
    px = x - solids.middle[c, 0] - gone * solids.velocity[c, 0]
    py = y - solids.middle[c, 1] - gone * solids.velocity[c, 1]
    pz = z - solids.middle[c, 2] - gone * solids.velocity[c, 2]
    along = px * dx + py * dy + pz * dz
    # Whoever passes by the sphere around a box passes by the box.
    if px * px + py * py + pz * pz - along * along > (solids.radius[c] + 1e-9) ** 2:
        return math.inf
    turn, half = solids.turn, solids.half
    return solid_hit(
        turn[c, 0, 0] * px + turn[c, 1, 0] * py + turn[c, 2, 0] * pz,
        turn[c, 0, 1] * px + turn[c, 1, 1] * py + turn[c, 2, 1] * pz,
        turn[c, 0, 2] * px + turn[c, 1, 2] * py + turn[c, 2, 2] * pz,
        turn[c, 0, 0] * dx + turn[c, 1, 0] * dy + turn[c, 2, 0] * dz,
        turn[c, 0, 1] * dx + turn[c, 1, 1] * dy + turn[c, 2, 1] * dz,
        turn[c, 0, 2] * dx + turn[c, 1, 2] * dy + turn[c, 2, 2] * dz,
        half[c, 0], half[c, 1], half[c, 2],
    )  # fmt: skip
