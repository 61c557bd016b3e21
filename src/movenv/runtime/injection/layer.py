"""What the injection layer does with one scan. Without socket or clock."""

import math
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from movenv.gateways.fix import Unreadable
from movenv.gateways.scans.codec import Arrived, encode_datagram, encode_line, read_scan
from movenv.runtime.injection.endpoints import Form
from movenv.runtime.injection.neighbourhood import Neighbourhood, Seen
from movenv.runtime.injection.poses import OwnPoses
from movenv.runtime.live.clock import SECOND
from movenv.sensors.injection import inject, reason_to_refuse
from movenv.world.scan import Pose, Scan

Stamps = Literal["arrival", "utc", "run"]
JUMP = 1.0
"""A pose that is so much farther from where it was going, m, has jumped."""
LAST_STAMP = 1e11
"""No clock counts farther, s."""
REMEMBERED = 8192
"""Delays of so many scans are kept."""


@dataclass
class Counts:
    """What became of scans."""

    scans_in: int = 0
    scans_out: int = 0
    altered: int = 0
    beams: int = 0
    """Shortened, of all scans."""
    jumps: int = 0
    """Poses that were not where the one before was going. They are believed."""
    refused: Counter[str] = field(default_factory=Counter)
    """Passed on as they were although the layer is on, by reason."""
    delays: deque[int] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    """Between taking a scan and having sent it, ns."""

    def as_dict(self) -> dict[str, Any]:
        delays = np.array(list(self.delays) or math.nan) / 1e6
        return {
            "in": self.scans_in,
            "out": self.scans_out,
            "altered": self.altered,
            "beams": self.beams,
            "jumps": self.jumps,
            "refused": dict(self.refused),
            "delay_ms": {f"p{p}": float(np.percentile(delays, p)) for p in (50, 99)},
        }


class Layer:
    """Puts those who are around into scans, or leaves scans alone."""

    def __init__(
        self,
        around: Neighbourhood,
        poses: OwnPoses | None = None,
        *,
        on: bool = True,
        stamps: Stamps = "arrival",
        form: Form | None = None,
    ) -> None:
        """`form` is the one that all scans get; None leaves each in its own.

        `poses` is the vehicle's own localisation, if it has one.
        """
        self.on = on
        self.counts = Counts()
        self.reach = 30.0
        """How far the scanner sees, m."""
        self.place: Pose | None = None
        """Where the vehicle was at the latest scan, by its own localisation."""
        self._around, self._poses = around, poses
        self._stamps, self._form = stamps, form
        self._before: tuple[Pose, int] | None = None

    def passed(self, data: bytes, now: int, utc: int) -> bytes | None:
        """What goes on, at `now` on the monotonic clock and `utc` since 1970, both in ns.

        None for what is no scan and cannot be written in the form that is wanted.
        """
        self.counts.scans_in += 1
        if not self.on and self._form is None:
            return data
        try:
            came = read_scan(data)
        except Unreadable:
            self.counts.refused["unreadable"] += 1
            return None if self._form else data
        return self._written(came, self._seen(came, now, utc) if self.on else came.scan)

    def _written(self, came: Arrived, scan: Scan) -> bytes:
        """Bytes that are as they came wherever they can be."""
        is_line = came.ranges is not None
        if self._form in (None, "line" if is_line else "datagram"):
            return came.data if scan is came.scan else came.altered(scan)
        return encode_datagram(scan) if is_line else encode_line(scan)

    def _seen(self, came: Arrived, now: int, utc: int) -> Scan:
        """The scan with everyone in it; itself where that cannot be, which is counted."""
        scan = came.scan
        if math.isfinite(scan.layout.range_max):
            self.reach = scan.layout.range_max
        first = self._first_beam(scan, now, utc)
        if first is None:
            return self._refused(scan, "stamp")
        told = self.place = self._told(came, first)
        if not self._around.known(now):
            return self._refused(scan, "core")
        seen = self._around.at(self._run_time(scan, first))
        if seen is None:
            return self._refused(scan, "stamp")
        return self._altered(scan, seen, self._believed(told, seen), first)

    def placed(self, came: Arrived, now: int, utc: int) -> tuple[float, Pose | None]:
        """When in the run a scan was begun, nan where that is not known, and where its vehicle
        then was. Whether the layer is on or off; may be asked in another thread."""
        first = self._first_beam(came.scan, now, utc)
        if first is None:
            return math.nan, None
        t = self._run_time(came.scan, first)
        seen, told = self._around.at(t), self._told(came, first)
        return t, self._believed(told, seen) if seen else told

    def _told(self, came: Arrived, first: int) -> Pose | None:
        """Where the vehicle was by its own localisation."""
        return came.pose or (self._poses.at(came.scan.stamp, first) if self._poses else None)

    def _believed(self, told: Pose | None, seen: Seen) -> Pose | None:
        """By the Core's word where the vehicle has no localisation."""
        return seen.own if told is None and self._poses is None else told

    def _run_time(self, scan: Scan, first: int) -> float:
        return scan.stamp if self._stamps == "run" else self._around.run_time(first)

    def _altered(self, scan: Scan, seen: Seen, told: Pose | None, first: int) -> Scan:
        if told is None:
            return self._refused(scan, "pose")
        pose = told.mounted(scan.layout.mount)
        if why := reason_to_refuse(scan, pose):
            return self._refused(scan, why)
        self._note_jump(told, first)
        altered = inject(scan, pose, seen.boxes, seen.velocities)
        if altered is not scan:
            self.counts.altered += 1
            changed = altered.ranges.view(np.uint32) != scan.ranges.view(np.uint32)
            self.counts.beams += int(np.count_nonzero(changed))
        return altered

    def _refused(self, scan: Scan, why: str) -> Scan:
        self.counts.refused[why] += 1
        return scan

    def _note_jump(self, pose: Pose, first: int) -> None:
        if self._before is not None:
            was, at = self._before
            going = was.carried((first - at) / SECOND)
            self.counts.jumps += math.hypot(pose.x - going.x, pose.y - going.y) > JUMP
        self._before = pose, first

    def _first_beam(self, scan: Scan, now: int, utc: int) -> int | None:
        """When it was measured, on the monotonic clock; None where that makes no sense."""
        if self._stamps == "utc":
            sane = abs(scan.stamp) <= LAST_STAMP
            return now + round(scan.stamp * SECOND) - utc if sane else None
        layout = scan.layout
        sweep = layout.time_increment * max(0, layout.beams - 1)
        return now - (round(sweep * SECOND) if 0.0 <= sweep <= 1.0 else 0)
