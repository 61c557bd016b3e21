"""Snapshots as UDP datagrams for a 3D engine.

One direction and no handshake: an engine binds a port and reads fixed little-endian records,
without a library and without MoVE. docs/reference/renderer.md is the byte table. A lost datagram
costs the vehicles in it one tick; the run never waits for a renderer.
"""

import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from movenv.world.kinds import KINDS, Origin
from movenv.world.messages import Roster, Snapshot
from movenv.world.run_state import RunState

MAGIC = b"MOVE"
VERSION = 1
LARGEST = 1399
"""Bytes a datagram: below what Ethernet, Wi-Fi and tunnels carry in one piece."""

HEADER = np.dtype(
    [
        ("magic", "S4"),
        ("version", "u1"),
        ("run_state", "u1"),
        ("record_size", "<u2"),
        ("tick", "<u4"),
        ("part", "<u2"),
        ("parts", "<u2"),
        ("count", "<u2"),
        ("reserved", "<u2"),
        ("t", "<f8"),
    ]
)
RECORD = np.dtype(
    [
        ("vid", "<u4"),
        ("kind", "u1"),
        ("origin", "u1"),
        ("run_state", "u1"),
        ("behavior", "u1"),
        ("x", "<f8"),
        ("y", "<f8"),
        ("z", "<f8"),
        ("lat", "<f8"),
        ("lon", "<f8"),
        ("yaw", "<f4"),
        ("pitch", "<f4"),
        ("roll", "<f4"),
        ("speed", "<f4"),
    ]
)
_FROM_ROSTER = ("kind", "origin")
A_PART = (LARGEST - HEADER.itemsize) // RECORD.itemsize
"""Vehicles a datagram."""
_GOLDEN = 0.6180339887498949
"""Multiples of it, less their whole part, spread evenly."""
_SEND_BUFFER = 4 << 20
"""Bytes asked for: a snapshot of tens of thousands of vehicles."""
MOST_PARTS = 2**16 - 1
MOST_VEHICLES = A_PART * MOST_PARTS

Records: TypeAlias = NDArray[np.void]


class NotADatagram(ValueError):
    """Bytes that are no datagram of this format, and why."""


@dataclass(frozen=True)
class Datagram:
    """One part of a snapshot, as read back."""

    run_state: RunState
    tick: int
    part: int
    parts: int
    t: float
    records: Records
    """Of type `RECORD`."""


def datagrams(snapshot: Snapshot, roster: Roster) -> list[bytes]:
    """A snapshot in parts, each below 1,400 bytes; one without vehicles is one empty part.

    Rows are in the order of the roster, as the Core sends them. A vehicle that has not reported
    yet is nowhere, and left out. Raises ValueError for more than MOST_VEHICLES.
    """
    records = _records(snapshot, roster)
    if len(records) > MOST_VEHICLES:
        raise ValueError(f"{len(records):,} vehicles; the format ends at {MOST_VEHICLES:,}")
    parts = max(1, -(-len(records) // A_PART))
    first = A_PART * np.arange(parts)
    headers = np.zeros(parts, HEADER)
    headers["magic"] = MAGIC
    headers["version"] = VERSION
    headers["run_state"] = snapshot.run_state
    headers["record_size"] = RECORD.itemsize
    headers["tick"] = snapshot.tick
    headers["part"] = np.arange(parts)
    headers["parts"] = parts
    headers["count"] = np.minimum(A_PART, len(records) - first)
    headers["t"] = snapshot.t
    heads, body = headers.tobytes(), records.tobytes()
    head, slab = HEADER.itemsize, A_PART * RECORD.itemsize
    return [
        heads[head * part : head * (part + 1)] + body[slab * part : slab * (part + 1)]
        for part in range(parts)
    ]


def _records(snapshot: Snapshot, roster: Roster) -> Records:
    vehicles = snapshot.vehicles
    records = np.empty(len(vehicles), RECORD)
    for name in RECORD.fields or ():
        if name not in _FROM_ROSTER:
            records[name] = getattr(vehicles, name)
    kinds = np.array([KINDS.index(kind.name) for kind in roster.kinds], np.uint8)
    records["kind"] = kinds[roster.kind]
    records["origin"] = roster.origin
    silent = np.isnan(vehicles.age)
    return records[~silent] if silent.any() else records


def decode(content: bytes) -> Datagram:
    """Read one datagram. Raises NotADatagram for anything that `datagrams` would not write."""
    if len(content) < HEADER.itemsize:
        raise NotADatagram(f"{len(content)} bytes are less than a header of {HEADER.itemsize}")
    header = np.frombuffer(content, HEADER, 1)[0]
    _check_header(header, len(content))
    records = np.frombuffer(content, RECORD, offset=HEADER.itemsize)
    if not (records["kind"] < len(KINDS)).all():
        raise NotADatagram(f"a kind of {records['kind'].max()}; kinds end at {len(KINDS) - 1}")
    if not np.isin(records["origin"], list(Origin)).all():
        raise NotADatagram("an origin that is none")
    return Datagram(
        run_state=RunState(header["run_state"]),
        tick=int(header["tick"]),
        part=int(header["part"]),
        parts=int(header["parts"]),
        t=float(header["t"]),
        records=records,
    )


def _check_header(header: np.void, length: int) -> None:
    magic, version, run_state, record_size, _, part, parts, count, reserved, t = header.item()
    if magic != MAGIC or version != VERSION:
        raise NotADatagram(f"begins with {magic!r}, version {version}: not {MAGIC!r}, {VERSION}")
    if record_size != RECORD.itemsize:
        raise NotADatagram(f"records of {record_size} bytes, not {RECORD.itemsize}")
    if run_state not in list(RunState):
        raise NotADatagram(f"a run state of {run_state}")
    if reserved or not np.isfinite(t):
        raise NotADatagram(f"reserved {reserved} is not 0, or t {t} is no time")
    if part >= parts:
        raise NotADatagram(f"part {part} of {parts}, counted from 0")
    last = part == parts - 1
    if count > A_PART or (not last and count < A_PART) or (parts > 1 and not count):
        raise NotADatagram(f"{count} records in part {part} of {parts}")
    if length != HEADER.itemsize + count * RECORD.itemsize:
        raise NotADatagram(f"{length} bytes for {count} records")


class BadAddress(ValueError):
    """An address of a renderer that cannot be used, in words."""


class Address(NamedTuple):
    """Where a renderer listens."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `HOST:PORT`, `udp://HOST:PORT` or `[::1]:PORT`. Raises BadAddress."""
        match = re.fullmatch(r"(?:udp://)?(?:\[([\w:.%]+)\]|([^\s:/\[\]]+)):([0-9]{1,5})", text)
        if not match or not 0 < int(match[3]) < 2**16:
            raise BadAddress(f"'{text}' is no address of a renderer; write HOST:PORT or [::1]:PORT")
        return cls(match[1] or match[2], int(match[3]))


class RenderSender:
    """Sends snapshots to renderers. Never waits, never raises: `unsent` counts what was lost.

    The names are looked up once, in the beginning. Raises BadAddress.
    """

    def __init__(self, addresses: Iterable[str]) -> None:
        self.sent = 0
        """Datagrams that were handed to the system."""
        self.unsent = 0
        """Datagrams that the system did not take."""
        self._sockets: dict[int, socket.socket] = {}
        self._targets = list(dict.fromkeys(_resolve(text) for text in addresses))
        for family, _ in self._targets:
            if family not in self._sockets:
                self._sockets[family] = _open(family)

    def send(self, snapshot: Snapshot, roster: Roster) -> None:
        """Send one snapshot to everyone."""
        if len(snapshot.vehicles) > MOST_VEHICLES:
            self.unsent += len(self._targets)
            return
        parts = datagrams(snapshot, roster)
        # A burst may overflow a buffer here or there, and then its end is lost: let that be
        # other vehicles every tick.
        begin = int(snapshot.tick * _GOLDEN % 1 * len(parts))
        for part in parts[begin:] + parts[:begin]:
            for family, where in self._targets:
                try:
                    self._sockets[family].sendto(part, where)
                    self.sent += 1
                except OSError:
                    self.unsent += 1

    def close(self) -> None:
        for opened in self._sockets.values():
            opened.close()


def _resolve(text: str) -> tuple[int, tuple[Any, ...]]:
    """The family and the address of the socket."""
    address = Address.parse(text)
    try:
        found = socket.getaddrinfo(*address, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no host name"
        raise BadAddress(f"cannot find the renderer '{text}': {reason}") from None
    # Engines listen on IPv4 unless told otherwise, while `localhost` may mean ::1 first.
    family, _, _, _, where = min(found, key=lambda one: one[0] != socket.AF_INET)
    return family, where


def _open(family: int) -> socket.socket:
    opened = socket.socket(family, socket.SOCK_DGRAM)
    opened.setblocking(False)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
    return opened
