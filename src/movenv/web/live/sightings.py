"""The last word of each searcher on each target, for the map."""

import numpy as np

from movenv.web.feed import Sighted
from movenv.world.columns import VidIndex
from movenv.world.frames import Frame
from movenv.world.messages import Detections, Roster, Sighting

MOST = 1000
"""Sightings that are kept; the oldest go first."""


class LatestSightings:
    """Gathers detections as they come."""

    def __init__(self, roster: Roster, origin: tuple[float, float, float]) -> None:
        self.latest: list[Sighted] = []
        """All that holds now; another list after each change."""
        self._frame = Frame(*origin)
        self._index = VidIndex(roster.vids)
        self._held: dict[tuple[int, int], Sighted] = {}

    def take(self, detections: Detections) -> None:
        """Raises ValueError for a sighting that there is not."""
        rows, targets = self._index.rows(detections.vid), self._index.rows(detections.target)
        lat, lon, _ = self._frame.to_geodetic(detections.x, detections.y, detections.z)
        for i in np.flatnonzero((rows >= 0) & (targets >= 0)).tolist():
            row, target = int(rows[i]), int(targets[i])
            sighting = Sighting(detections.sighting[i]).name.lower()
            self._held.pop((row, target), None)  # the newest stand last
            self._held[row, target] = Sighted(
                row, target, sighting, float(detections.t_seen[i]), float(lat[i]), float(lon[i])
            )
        self._tell()

    def forget_after(self, t: float) -> None:
        """Time went back to `t`: what was seen later has not been seen yet."""
        later = [pair for pair, sighted in self._held.items() if sighted.t > t]
        for pair in later:
            del self._held[pair]
        self._tell()

    def _tell(self) -> None:
        while len(self._held) > MOST:
            del self._held[next(iter(self._held))]
        self.latest = list(self._held.values())
