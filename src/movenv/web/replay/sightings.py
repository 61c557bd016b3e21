"""Who was last seen by whom, at any time of a recording."""

import threading

import numpy as np

from movenv.web.feed import Sighted
from movenv.world.columns import Rows, VidIndex
from movenv.world.frames import Frame
from movenv.world.messages import Detections, Roster, Sighting

CHECKPOINT = 4096
"""Rows after which is noted what held then."""
MOST = 1000
"""Sightings that are told of; the oldest are left out."""
_ROW = np.dtype(
    [
        ("at", "f8"),
        ("pair", "u8"),
        ("row", "i4"),
        ("target", "i4"),
        ("sighting", "u1"),
        ("t", "f8"),
        ("lat", "f8"),
        ("lon", "f8"),
    ]
)


class Sightings:
    """Filled by one thread in order of time, read by others."""

    def __init__(self, roster: Roster, frame: Frame) -> None:
        self._lock = threading.Lock()
        self._index, self._frame = VidIndex(roster.vids), frame
        self._rows = np.empty(CHECKPOINT, _ROW)
        self._size = 0
        self._checkpoints: list[Rows] = [np.empty(0, np.intp)]
        """After so many rows: the latest row of each pair."""

    def add(self, t: float, finds: Detections) -> None:
        """Take in what was reported at `t`; what is not of the roster is left out."""
        row, target = self._index.rows(finds.vid), self._index.rows(finds.target)
        known = (row >= 0) & (target >= 0) & np.isin(finds.sighting, list(Sighting))
        finds, row, target = finds.take(known), row[known], target[known]
        new = np.empty(len(finds), _ROW)
        lat, lon, _ = self._frame.columns_to_geodetic(finds.x, finds.y)
        new["pair"] = (finds.vid.astype(np.uint64) << np.uint64(32)) | finds.target
        new["row"], new["target"], new["sighting"] = row, target, finds.sighting
        new["t"], new["lat"], new["lon"] = finds.t_seen, lat, lon
        with self._lock:
            new["at"] = max(t, float(self._rows["at"][self._size - 1])) if self._size else t
            self._append(new)

    def _append(self, new: np.ndarray) -> None:
        size = self._size + len(new)
        if size > len(self._rows):
            grown = np.empty(max(size, 2 * len(self._rows)), _ROW)
            grown[: self._size] = self._rows[: self._size]
            self._rows = grown
        self._rows[self._size : size] = new
        self._size = size
        while size >= len(self._checkpoints) * CHECKPOINT:
            self._checkpoints.append(self._latest(len(self._checkpoints) * CHECKPOINT))

    def _latest(self, size: int) -> Rows:
        """Of the first rows: the latest of each pair."""
        done = min(size // CHECKPOINT, len(self._checkpoints) - 1)
        rows = np.concatenate([self._checkpoints[done], np.arange(done * CHECKPOINT, size)])
        _, last = np.unique(self._rows["pair"][rows][::-1], return_index=True)
        return np.sort(rows[::-1][last])

    def count(self, t: float) -> int:
        """How many rows there are up to a time: with another number other things hold."""
        with self._lock:
            return int(np.searchsorted(self._rows["at"][: self._size], t, "right"))

    def first(self, count: int) -> list[Sighted]:
        """What held after so many rows, the newest last."""
        with self._lock:
            held = self._rows[self._latest(count)[-MOST:]]
        names = {int(sighting): sighting.name.lower() for sighting in Sighting}
        return [
            Sighted(row, target, names[sighting], t, lat, lon)
            for _, _, row, target, sighting, t, lat, lon in held.tolist()
        ]
