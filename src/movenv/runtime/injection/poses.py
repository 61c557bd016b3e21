"""A vehicle's own localisation: datagrams that tell where it is."""

import math
import threading
import time
from dataclasses import dataclass

from movenv.gateways.fix import Unreadable
from movenv.gateways.scans.codec import read_pose
from movenv.runtime.injection.endpoints import EndpointRefused
from movenv.runtime.injection.udp import UdpSource
from movenv.runtime.live.clock import SECOND
from movenv.world.scan import Pose

TOO_OLD = 1.0
"""A pose so far from the scan, s, says nothing of it."""


@dataclass(frozen=True)
class _Told:
    pose: Pose
    stamp: float
    at: int


class OwnPoses:
    """The latest one, carried to where a scan was taken."""

    def __init__(self) -> None:
        self._latest: _Told | None = None
        self.heard = self.unreadable = 0

    def take(self, data: bytes, now: int) -> None:
        """Counts what is no pose."""
        try:
            self._latest = _Told(*read_pose(data), now)
        except Unreadable:
            self.unreadable += 1
            return
        self.heard += 1

    def at(self, stamp: float, moment: int) -> Pose | None:
        """At a scan's stamp, or where the pose has none at a moment on the monotonic clock, ns."""
        told = self._latest
        if told is None:
            return None
        seconds = stamp - told.stamp
        if math.isnan(seconds):
            seconds = (moment - told.at) / SECOND
        return told.pose.carried(seconds) if abs(seconds) <= TOO_OLD else None


def listen(text: str, poses: OwnPoses) -> UdpSource:
    """Listen in a thread of its own until it is closed. Raises EndpointRefused or RunFailed."""
    word, _, address = text.partition(":")
    if word != "udp":
        raise EndpointRefused(f"'{text}' is no source of poses; one is udp:127.0.0.1:2400")
    source = UdpSource(address)

    def run() -> None:
        source.run(lambda data: poses.take(data, time.monotonic_ns()))

    threading.Thread(target=run, name="poses", daemon=True).start()
    return source
