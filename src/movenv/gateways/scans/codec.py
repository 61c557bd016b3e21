"""The two forms of a scan outside a program: a compact datagram, and a line of JSON."""

import math
import struct
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import msgspec
import numpy as np

from movenv.gateways.fix import NAN, Unreadable
from movenv.world.columns import F4
from movenv.world.scan import MOST_BEAMS, Pose, Scan
from movenv.world.sensor import ScanLayout

MAGIC = b"MVS\x01"
"""Three letters and the version of the form."""
HEAD = struct.Struct("<4sQd6d3dI")
"""Magic, number, stamp, layout, mount, beams; little-endian, without gaps."""
LAYOUT = (
    "angle_min", "angle_increment", "time_increment", "scan_time", "range_min", "range_max",
)  # fmt: skip
LONGEST_LINE = 4_000_000
"""Bytes; as many beams as are allowed, with all their digits, are fewer."""
LAST_NUMBER = 2**64 - 1

Written = float | None | Literal["inf", "-inf", "nan"]
"""A number in JSON, which has no word for infinity: null is nan."""


class Keys(msgspec.Struct):
    """What a line must or may tell; other keys are kept and not looked at."""

    angle_min: Written
    angle_increment: Written
    range_min: Written
    range_max: Written
    ranges: list[Written]
    time_increment: Written = 0.0
    scan_time: Written = 0.0
    angle_max: Written = None
    number: int = 0
    stamp: Written = 0.0
    beams: int | None = None
    mount: tuple[float, float, float] = (0.0, 0.0, 0.0)
    pose: "PoseKeys | None" = None


class PoseKeys(msgspec.Struct, omit_defaults=True):
    """Where the vehicle is by its own localisation; in the frame of the run."""

    x: float
    y: float
    yaw: float
    vx: float = 0.0
    vy: float = 0.0
    yaw_rate: float = 0.0
    stamp: float | None = None

    def pose(self) -> Pose:
        return Pose(self.x, self.y, self.yaw, self.vx, self.vy, self.yaw_rate)


@dataclass(frozen=True)
class Arrived:
    """A scan as it came, so that it can go on as it came."""

    data: bytes
    scan: Scan
    pose: Pose | None = None
    """The vehicle's when the first beam was measured, where the sender tells it."""
    ranges: list[Written] | None = None
    """As they stand in JSON; None for a datagram."""

    def altered(self, scan: Scan) -> bytes:
        """The same with other ranges, in the form in which it came.

        Of a line everything else stays as it was written, also keys that we do not know.
        """
        if self.ranges is None:
            return encode_datagram(scan)
        changed = np.flatnonzero(scan.ranges.view(np.uint32) != self.scan.ranges.view(np.uint32))
        ranges = list(self.ranges)
        for k in changed.tolist():
            ranges[k] = _written(float(scan.ranges[k]))
        keys = _raw_keys.decode(self.data)
        keys["ranges"] = msgspec.Raw(msgspec.json.encode(ranges))
        return msgspec.json.encode(keys)


_keys = msgspec.json.Decoder(Keys)
_raw_keys = msgspec.json.Decoder(dict[str, msgspec.Raw])
_pose_keys = msgspec.json.Decoder(PoseKeys)


def read_scan(data: bytes) -> Arrived:
    """A scan in either form, told apart by the first bytes. Raises Unreadable."""
    if data[:1] == b"{":
        return read_line(data)
    return Arrived(data, decode_datagram(data))


def encode_datagram(scan: Scan) -> bytes:
    layout = scan.layout
    numbers = [getattr(layout, name) for name in LAYOUT]
    head = HEAD.pack(MAGIC, scan.number, scan.stamp, *numbers, *layout.mount, layout.beams)
    return head + np.ascontiguousarray(scan.ranges, "<f4").tobytes()


def decode_datagram(data: bytes) -> Scan:
    """Raises Unreadable. How many ranges there are follows from the length of the data."""
    if data[: len(MAGIC)] != MAGIC:
        raise Unreadable("neither a scan nor JSON")
    if len(data) < HEAD.size or (len(data) - HEAD.size) % 4:
        raise Unreadable("cut off")
    if len(data) > HEAD.size + 4 * MOST_BEAMS:
        raise Unreadable("too many beams")
    _, number, stamp, *numbers = HEAD.unpack_from(data)
    layout = _layout(numbers[9], numbers[:6], (numbers[6], numbers[7], numbers[8]))
    ranges = np.frombuffer(data, "<f4", offset=HEAD.size).astype(np.float32, copy=False)
    return Scan(number, stamp, layout, ranges)


def encode_line(scan: Scan) -> bytes:
    """One JSON object without the end of the line."""
    layout = scan.layout
    numbers = {name: _written(getattr(layout, name)) for name in LAYOUT}
    keys: dict[str, Any] = {"number": scan.number, "stamp": _written(scan.stamp)} | numbers
    keys |= {"beams": layout.beams} if layout.beams != len(scan.ranges) else {}
    keys |= {"mount": layout.mount} if any(layout.mount) else {}
    ranges = scan.ranges.tolist()
    if not np.isfinite(scan.ranges).all():
        ranges = [_written(value) for value in ranges]
    return msgspec.json.encode(keys | {"ranges": ranges})


def read_line(data: bytes) -> Arrived:
    """A scan in one JSON object. Raises Unreadable."""
    if len(data) > LONGEST_LINE:
        raise Unreadable("too long")
    keys = _decoded(_keys, data)
    if not 0 <= keys.number <= LAST_NUMBER or len(keys.ranges) > MOST_BEAMS:
        raise Unreadable("too many beams, or a strange number")
    beams, numbers = _beams(keys), [_read(getattr(keys, name)) for name in LAYOUT]
    if not 0 <= beams <= MOST_BEAMS:
        raise Unreadable("too many beams, or a strange number")
    layout = _layout(beams, numbers, keys.mount)
    pose = keys.pose.pose() if keys.pose else None
    scan = Scan(keys.number, _read(keys.stamp), layout, _floats(keys.ranges))
    return Arrived(data, scan, pose, keys.ranges)


def read_pose(data: bytes) -> tuple[Pose, float]:
    """Where a vehicle says to be, and when by the clock of its scans; nan if it does not say.

    Raises Unreadable.
    """
    if len(data) > LONGEST_LINE:
        raise Unreadable("too long")
    keys = _decoded(_pose_keys, data)
    return keys.pose(), NAN if keys.stamp is None else keys.stamp


def encode_pose(pose: Pose, stamp: float = NAN) -> bytes:
    return msgspec.json.encode(PoseKeys(*pose, stamp=None if math.isnan(stamp) else stamp))


AnyKeys = TypeVar("AnyKeys", Keys, PoseKeys)


def _decoded(decoder: "msgspec.json.Decoder[AnyKeys]", data: bytes) -> AnyKeys:
    try:
        return decoder.decode(str(data, "utf-8"))  # it would not look at keys that it skips
    except msgspec.ValidationError as error:
        raise Unreadable("a key is missing or wrong") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable("garbled") from error


def _layout(beams: int, numbers: list[float], mount: tuple[float, float, float]) -> ScanLayout:
    return ScanLayout(beams, **dict(zip(LAYOUT, numbers, strict=True)), mount=mount)


def _beams(keys: Keys) -> int:
    """As many as the layout speaks of: by its word, by its angles, or as there are."""
    if keys.beams is not None:
        return keys.beams
    turn = (_read(keys.angle_max) - _read(keys.angle_min)) / (_read(keys.angle_increment) or NAN)
    return round(turn) + 1 if abs(turn) < MOST_BEAMS else len(keys.ranges)


def _floats(ranges: list[Written]) -> F4:
    with np.errstate(over="ignore"):  # what is beyond float32 is infinitely far
        return np.array(ranges, np.float64).astype(np.float32)


def _read(value: Written) -> float:
    return NAN if value is None else float(value)


def _written(value: float) -> Written:
    if math.isfinite(value):
        return value
    return None if math.isnan(value) else "inf" if value > 0 else "-inf"
