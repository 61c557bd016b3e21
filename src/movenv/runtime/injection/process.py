"""The process of an injection layer: connects what decides (`Layer`) with scans and the Core."""

import gc
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from movenv.runtime.errors import WrongInput
from movenv.runtime.injection import lines, on_bus, udp  # noqa: F401 - they make themselves known
from movenv.runtime.injection.endpoints import (
    EndpointRefused,
    Form,
    ScanSink,
    ScanSource,
    kind_of,
)
from movenv.runtime.injection.feed import Feed
from movenv.runtime.injection.layer import Layer, Stamps
from movenv.runtime.injection.lines import STANDARD
from movenv.runtime.injection.neighbourhood import Neighbourhood
from movenv.runtime.injection.onlookers import Onlookers
from movenv.runtime.injection.pace import STEADY, Pace
from movenv.runtime.injection.poses import OwnPoses, listen
from movenv.runtime.live import bus as keys
from movenv.runtime.live.bus import Bus, BusError
from movenv.sensors.injection import inject
from movenv.world.scan import Pose, Scan
from movenv.world.sensor import ScanLayout

SWITCH = 0.0005
"""How soon the thread that passes scans on takes over from the others, s."""
CORE_ANSWERS = 10.0
"""How long scans that can wait do so for a first word of the Core, s."""
PARTING = 0.1
"""How long scans are still passed on after those who read were told that no more come, s."""
STATUS_EVERY = 10.0


@dataclass(frozen=True)
class Settings:
    """What an injection layer is told to be."""

    vehicle: str
    source: str
    sink: str
    pose: str | None = None
    stamps: Stamps = "arrival"
    on: bool = True
    pace: Pace = STEADY
    """How often the Core is asked."""


class InjectionProcess:
    """Passes scans on until they end or it is told to stop."""

    def __init__(self, settings: Settings, connect: Callable[[], Bus]) -> None:
        """`connect` gives the one session, and raises BusError where there is no Core.

        Raises EndpointRefused, BusError where scans travel on the bus, or RunFailed.
        """
        self._settings, self._connect = settings, connect
        if settings.source == settings.sink and settings.source != STANDARD:
            raise EndpointRefused(f"scans cannot go to where they come from, {settings.sink}")
        self._source = source_at(settings.source, connect)
        self._sink = sink_at(settings.sink, connect)
        self._poses = OwnPoses() if settings.pose else None
        self._heard_poses = (
            listen(settings.pose, self._poses) if settings.pose and self._poses else None
        )
        around = Neighbourhood()
        # Scans stay in their form unless only another may be written.
        form: Form | None = self._sink.form
        if form is None and self._source.form == "line":
            form = "datagram"
        self.layer = Layer(
            around, self._poses, on=settings.on, stamps=settings.stamps, form=form
        )  # fmt: skip
        self._feed = Feed(
            self._switched, settings.vehicle, around, self.layer, settings.pace, self._refused
        )
        self._onlookers = Onlookers(settings.vehicle, self.layer)
        self._over = threading.Event()
        self._began = time.monotonic()
        warm_up()

    def run(self) -> None:
        """Until the source ends or `stop`. Raises WrongInput where the run has no such vehicle."""
        sys.setswitchinterval(SWITCH)
        gc.freeze()
        self._feed.start()
        threading.Thread(target=self._tell, name="status", daemon=True).start()
        if self._source.waits:
            self._feed.heard.wait(CORE_ANSWERS)
        try:
            self._source.run(self._take)
        finally:
            self._over.set()
            self._feed.close()
            self._onlookers.close()
            self._sink.close()
            if self._heard_poses is not None:
                self._heard_poses.close()
        if self._feed.refusal and not self._feed.told:
            raise WrongInput(self._feed.refusal)

    def stop(self, _why: str = "") -> None:
        """Let `run` return, once who reads has been told."""
        self._sink.leave()
        time.sleep(PARTING)
        self._source.close()

    def toggle(self) -> None:
        self.layer.on = not self.layer.on

    def status(self) -> dict[str, Any]:
        """How it is doing."""
        seconds = time.monotonic() - self._began
        return {
            "vehicle": self._settings.vehicle,
            "on": self.layer.on,
            "scans": self.layer.counts.as_dict() | {"lost": self._sink.lost},
            "core": {"told": self._feed.told, "bytes_per_s": self._feed.bytes / max(1.0, seconds),
                     "refuses": self._feed.refusal},
            "poses": {"heard": self._poses.heard, "unreadable": self._poses.unreadable}
            if self._poses else None,
        }  # fmt: skip

    # --- in other threads

    def _take(self, data: bytes) -> None:
        began, utc = time.monotonic_ns(), time.time_ns()
        goes_on = self.layer.passed(data, began, utc)
        if goes_on is not None:
            self._sink.write(goes_on)
            self.layer.counts.scans_out += 1
            self.layer.counts.delays.append(time.monotonic_ns() - began)
            self._onlookers.offer(data, goes_on, began, utc)

    def _switched(self) -> Bus:
        """The session, where the layer can be switched from now on. Raises BusError."""
        bus = self._connect()
        bus.answer(keys.injection_key(self._settings.vehicle), self._on_switch)
        self._onlookers.begin(bus)
        return bus

    def _on_switch(self, data: bytes) -> bytes:
        if data in (b"on", b"off"):
            self.layer.on = data == b"on"
        return msgspec.json.encode(self.status())

    def _refused(self) -> None:
        self._source.close()

    def _tell(self) -> None:
        while not self._over.wait(STATUS_EVERY):
            print(in_words(self.status()), file=sys.stderr, flush=True)


def source_at(where: str, connect: Callable[[], Bus]) -> ScanSource:
    """What reads scans there. Raises EndpointRefused, RunFailed, or BusError."""
    kind, rest = kind_of(where)
    return kind.source(rest, connect)


def sink_at(where: str, connect: Callable[[], Bus]) -> ScanSink:
    """What writes scans there. Raises EndpointRefused, RunFailed, or BusError."""
    kind, rest = kind_of(where)
    return kind.sink(rest, connect)


def warm_up() -> None:
    """Compile what alters scans: the first must not wait for it."""
    layout = ScanLayout(1, 0.0, 0.1, 0.0, 0.1, 0.1, 9.0)
    scan = Scan(0, 0.0, layout, np.full(1, 5.0, np.float32))
    inject(scan, Pose(0.0, 0.0, 0.0), np.array([[3.0, 0.0, 0.0, 1.0, 1.0]]))


def switch(bus: Bus, vehicle: str, wanted: str) -> dict[str, Any]:
    """Switch the layer of a vehicle `on` or `off`; returns how it is. Raises BusError."""
    try:
        answer = bus.ask(keys.injection_key(vehicle), wanted.encode(), timeout=3.0)
        status: dict[str, Any] = msgspec.json.decode(answer)
    except BusError:
        raise BusError(f"no injection layer of '{vehicle}' answers") from None
    except msgspec.MsgspecError as error:
        raise BusError(f"what answers is no injection layer: {error}") from None
    return status


def in_words(status: dict[str, Any]) -> str:
    """One line for people."""
    scans = status["scans"]
    refused = ", ".join(f"{count} {why}" for why, count in scans["refused"].items())
    words = f"{status['vehicle']}: {'on' if status['on'] else 'off'}; {scans['in']} scans in, "
    words += f"{scans['out'] - scans['lost']} out, {scans['altered']} altered"
    words += f" ({scans['beams']} beams)" if scans["beams"] else ""
    words += f"; as they came: {refused}" if refused else ""
    words += f"; {scans['lost']} could not be sent" if scans["lost"] else ""
    if scans["out"]:  # before the first one nothing can be said of delays
        delay = scans["delay_ms"]
        words += f"; delay {delay['p50']:.2f} ms, p99 {delay['p99']:.2f} ms"
    return words + f"; {status['core']['bytes_per_s'] / 1e3:.1f} KB/s from the Core"
