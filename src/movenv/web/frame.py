"""Binary frames for browsers: who moved, and who is near whom.

A frame holds the rows that changed since this viewer's last one and that its view needs: vehicles
in view at once, the others in turn, so that each is at most a few seconds behind. The layout is in
docs/reference/console.md; everything is little-endian and lies on whole words.
"""

import math
import struct
from collections.abc import Iterable
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from movenv.web.feed import History, Moment
from movenv.web.placed_scan import PlacedScan
from movenv.world.columns import U4, Mask, VidIndex
from movenv.world.messages import Encounters

MAGIC = 0x564D
VERSION = 2
STATES, TAILS, SCANS = 1, 2, 3
"""Kinds of frames."""
HEAD = struct.Struct("<HBBIddIIII")
"""Magic, version, kind, sequence, t, utc, tick, run state with flags, vehicles, pairs."""
JUMPED = 0x100
"""Beside the run state: time made a jump, and tails begin anew."""
DEGREE = 1e7
"""Places are whole ten-millionths of a degree: a centimetre."""
NOWHERE = -(2**31)
"""The latitude of a vehicle of which nobody knows where it is."""
TURN = 65536
ROUNDS = 20
"""Who is out of view comes every so many frames."""
TAIL_BYTES, FEWEST_POINTS = 256 * 1024, 8
"""The most that tails may take, and the points below which they are none."""
AGE_STEP = 0.5
"""s; a vehicle that only grows older is news twice a second."""

ROW = np.dtype(
    [
        ("row_step", "<u4"),
        ("lat", "<i4"),
        ("lon", "<i4"),
        ("z", "<f4"),
        ("speed", "<f4"),
        ("age", "<f4"),
        ("heading", "<u2"),
        ("behavior", "u1"),
        ("condition", "u1"),
    ]
)
"""`row_step`: the row, and the step of its mission in the highest byte. `condition`: health in
the low half, the vehicle's own run state in the high one."""
STEP = 24
"""Bits beneath the step; no roster has that many rows."""
PAIR = np.dtype([("row", "<u4"), ("other", "<u4"), ("distance", "<f4"), ("level", "<u4")])
POINT = np.dtype([("lat", "<i4"), ("lon", "<i4")])
SCAN = struct.Struct("<IIIff")
"""Row, points as they were measured, points that were put there, and where the sensor was."""
Packed = NDArray[np.void]


def places(lat: NDArray[np.float64], lon: NDArray[np.float64]) -> tuple[NDArray[np.int32], ...]:
    """Degrees as whole numbers; NOWHERE for what is not known."""
    known = np.isfinite(lat) & np.isfinite(lon)
    return tuple(
        np.where(known, np.rint(np.where(known, degrees, 0.0) * DEGREE), NOWHERE).astype(np.int32)
        for degrees in (lat, lon)
    )


def packed(moment: Moment) -> Packed:
    """Everyone as they stand in frames."""
    vehicles = moment.vehicles
    rows: Packed = np.zeros(len(vehicles), ROW)
    step = vehicles.step.astype(np.uint32)
    rows["row_step"] = np.arange(len(vehicles), dtype=np.uint32) | step << STEP
    rows["lat"], rows["lon"] = places(vehicles.lat, vehicles.lon)
    rows["z"], rows["speed"] = vehicles.z, vehicles.speed
    rows["age"] = np.ceil(vehicles.age / AGE_STEP) * AGE_STEP
    heading = np.nan_to_num(vehicles.heading_deg) * (TURN / 360)
    rows["heading"] = np.rint(heading).astype(np.int64) % TURN
    rows["behavior"] = vehicles.behavior
    rows["condition"] = vehicles.health | vehicles.run_state << 4
    return rows


def _words(rows: Packed) -> NDArray[np.uint32]:
    return rows.view(np.uint32).reshape(len(rows), -1)


class View:
    """What a browser shows: a box of the globe, and vehicles it wants wherever they are."""

    def __init__(self) -> None:
        self._box: tuple[float, float, float, float] | None = None
        self._always: list[int] = []

    def look_at(self, box: tuple[float, float, float, float], always: Iterable[int]) -> None:
        """West, south, east, north in degrees; east may lie beyond 180."""
        self._box, self._always = box, list(always)

    def shows(self, rows: Packed) -> Mask:
        if self._box is None:
            return np.ones(len(rows), np.bool_)
        west, south, east, north = self._box
        wide = min(east - west, 360.0) * DEGREE
        from_west = (rows["lon"].astype(np.int64) - round(west * DEGREE)) % round(360 * DEGREE)
        inside = (
            (from_west <= wide) & (rows["lat"] >= south * DEGREE) & (rows["lat"] <= north * DEGREE)
        )
        always = [row for row in self._always if 0 <= row < len(rows)]
        inside[always] = True
        return np.asarray(inside)


def _thinned(history: History) -> History:
    """Fewer points, so that a thin link is not busy with tails for long; of too many none."""
    points, vehicles = history.lat.shape
    most = TAIL_BYTES // (POINT.itemsize * max(1, vehicles))
    if most < FEWEST_POINTS:
        return History.empty(vehicles)
    kept = slice(None, None, -math.ceil(points / most)) if points > most else slice(None, None, -1)
    columns = {f.name: getattr(history, f.name)[kept][::-1] for f in fields(history)}
    return History(**columns)


class FrameMaker:
    """Makes one viewer's frames, in order."""

    def __init__(self, vids: U4) -> None:
        self.view = View()
        self.sequence = 0
        self._index = VidIndex(vids)
        self._sent: Packed = np.zeros(len(vids), ROW)
        self._first = True

    def states(self, moment: Moment, rows: Packed, jumped: bool) -> bytes:
        """The frame of a moment; `rows` is `packed(moment)`."""
        chosen = self.view.shows(rows) | self.view.shows(self._sent)  # who left it must be seen to
        chosen[self.sequence % ROUNDS :: ROUNDS] = True
        if self._first or jumped:
            chosen[:] = True
        else:
            chosen &= (_words(rows) != _words(self._sent)).any(axis=1)
        self._first = False
        changed = rows[chosen]
        self._sent[chosen] = changed
        pairs = self._pairs(moment.encounters)
        flags = int(moment.run_state) | (JUMPED if jumped else 0)
        self.sequence += 1
        sizes = len(changed), len(pairs)
        times = moment.t, moment.utc, moment.tick
        head = HEAD.pack(MAGIC, VERSION, STATES, self.sequence, *times, flags, *sizes)
        return head + changed.tobytes() + pairs.tobytes()

    def tails(self, history: History) -> bytes:
        """Where everyone was: times, then for every point in time everyone's place."""
        history = _thinned(history)
        points, vehicles = history.lat.shape
        where = np.empty((points, vehicles), POINT)
        where["lat"], where["lon"] = places(history.lat, history.lon)
        last = float(history.t[-1]) if points else 0.0
        self.sequence += 1
        head = HEAD.pack(MAGIC, VERSION, TAILS, self.sequence, last, 0.0, 0, 0, vehicles, points)
        return head + np.asarray(history.t, "<f8").tobytes() + where.tobytes()

    def scans(self, scans: list[PlacedScan]) -> bytes:
        """All scans that are to be seen: one after another what it is and its points."""
        self.sequence += 1
        latest = max((scan.t for scan in scans), default=0.0)
        points = sum(len(scan.own) + len(scan.altered) for scan in scans)
        sizes = len(scans), points
        head = HEAD.pack(MAGIC, VERSION, SCANS, self.sequence, latest, 0.0, 0, 0, *sizes)
        return head + b"".join(_scan_bytes(scan) for scan in scans)

    def _pairs(self, encounters: Encounters) -> NDArray[np.void]:
        pairs = np.zeros(len(encounters), PAIR)
        pairs["row"] = self._index.rows(encounters.vid)
        pairs["other"] = self._index.rows(encounters.other)
        pairs["distance"], pairs["level"] = encounters.distance, encounters.level
        return pairs


def _scan_bytes(scan: PlacedScan) -> bytes:
    head = SCAN.pack(scan.row, len(scan.own), len(scan.altered), *scan.sensor.tolist())
    return head + b"".join(np.asarray(part, "<f4").tobytes() for part in (scan.own, scan.altered))
