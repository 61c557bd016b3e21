"""Hulls over a bed: what rises above the keel stops them, and they slide along it.

A boat that is steered ashore goes no further toward it, turns there as it is told, and leaves when
its bow points away. A submarine levels off above the bed, is lifted by what rises no steeper than
45°, and is stopped by what is steeper, as a boat is.
"""

from typing import NamedTuple

import numpy as np

from movenv.terrain.heights import Heights
from movenv.world.columns import F8, Mask

AFLOAT = ("surface", "underwater")
"""Kinds that know the bed of a height map."""
ALONG = np.array([[0.0], [0.5], [-0.5]])
"""Where a keel is looked at, over its length: in the middle, at the bow and at the stern."""
LOOKOUT = np.array([[1.0], [2.0], [3.0]])
"""How far ahead a submarine looks at the bed, s of its way."""
FREE_AGAIN = 10.0
"""Who has not touched anything for so long, s, is told of anew."""
TINY = 1e-9


class Way(NamedTuple):
    """Where hulls come to, and who of them was stopped on the way."""

    x: F8
    y: F8
    z: F8
    stopped: Mask


class Hulls:
    """Some vehicles that float or dive over one bed."""

    def __init__(self, heights: Heights, length: F8, draught: F8, dives: Mask) -> None:
        """`draught` is how far the keel is below a vehicle's place."""
        self._heights, self._dives = heights, dives
        self._length, self._draught = length, draught
        self._free_for: F8 = np.full(len(length), np.inf)

    def bed_ahead(self, x: F8, y: F8, yaw: F8, speed: F8) -> F8:
        """How low the places of those may be who dive, for what lies below and before them."""
        along = np.vstack([ALONG * self._length, 0.5 * self._length + LOOKOUT * speed])
        lowest: F8 = self._bed(x, y, yaw, along).max(axis=0) + self._draught
        return lowest

    def go(self, start: F8, end: F8, yaw: F8, ceiling: F8) -> Way:
        """How far they come from places (x, y, z) toward others, with the bow at the end's yaw."""
        x, y, z = end
        dx, dy = x - start[0], y - start[1]
        climb = np.hypot(dx, dy) + np.maximum(start[2] - z, 0.0)
        lifted = z + np.clip(self._depths(x, y, z, yaw).max(axis=0), 0.0, climb)
        z = np.where(self._dives, np.minimum(lifted, np.maximum(ceiling, z)), z)
        # What is in it already, as a bow that was swung ashore, must only not go further in.
        allowed = np.maximum(self._depths(start[0], start[1], z, yaw), 0.0) + TINY
        stopped: Mask = np.any(self._depths(x, y, z, yaw) > allowed, axis=0)
        if stopped.any():
            away_x, away_y = self._away_from_shore(x, y, yaw)
            against = np.minimum(dx * away_x + dy * away_y, 0.0)
            side_x = start[0] + dx - against * away_x
            side_y = start[1] + dy - against * away_y
            slides = np.all(self._depths(side_x, side_y, z, yaw) <= allowed, axis=0)
            x = np.where(stopped, np.where(slides, side_x, start[0]), x)
            y = np.where(stopped, np.where(slides, side_y, start[1]), y)
        return Way(x, y, z, stopped)

    def newly_stopped(self, stopped: Mask, span: float) -> Mask:
        """Who is stopped and was free until then; `span` is how long it went."""
        news: Mask = stopped & (self._free_for > FREE_AGAIN)
        self._free_for = np.where(stopped, 0.0, self._free_for + span)
        return news

    def _bed(self, x: F8, y: F8, yaw: F8, along: F8) -> F8:
        """z of the ground at places `along` (places, hulls) the keel."""
        px, py = x + along * np.cos(yaw), y + along * np.sin(yaw)
        return self._heights.at(px.ravel(), py.ravel()).reshape(px.shape)

    def _depths(self, x: F8, y: F8, z: F8, yaw: F8) -> F8:
        """How far the ground rises above the keel at each of ALONG, m; negative over water."""
        return self._bed(x, y, yaw, ALONG * self._length) - (z - self._draught)

    def _away_from_shore(self, x: F8, y: F8, yaw: F8) -> tuple[F8, F8]:
        """The level direction in which the ground falls off where it is highest below a keel."""
        along = ALONG * self._length
        worst = np.take_along_axis(along, self._bed(x, y, yaw, along).argmax(axis=0)[None], axis=0)[
            0
        ]
        nx, ny, _ = self._heights.normals(x + worst * np.cos(yaw), y + worst * np.sin(yaw))
        length = np.maximum(np.hypot(nx, ny), TINY)
        return nx / length, ny / length
