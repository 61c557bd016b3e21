"""The process of a gateway host: connects the doors of real vehicles with bus and clock."""

import queue
import sys
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import msgspec

from movenv.gateways.config import Entry
from movenv.gateways.inlet import Inlet
from movenv.gateways.notify import Notifier
from movenv.gateways.part import Gateway, GatewayFailed, Surroundings
from movenv.runtime.errors import RunFailed
from movenv.runtime.live import bus as keys
from movenv.runtime.live.bus import Bus
from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.gateway import LiveGateway
from movenv.runtime.live.host_process import Claim, HostProcess
from movenv.runtime.live.real_vehicles import RealVehicles
from movenv.runtime.live.wire import GatewayNews, Joined
from movenv.scenario.build import Stage

NEVER = -1
STOP_EVERY, STOP_SAID_FOR, LINGER, LATELY = 0.3, 1.0, 6.0, 60.0
"""STOP is said so often and for so long, s; longer, up to LINGER, while somebody who listened
LATELY does not."""
NEWS_EVERY = SECOND // 5
OUTBOX = 100
SWITCH = 0.001
"""How soon the thread that reports takes over from those that read packets, s."""


def _allow_many_sockets() -> None:
    """A port a vehicle is a file a vehicle, and few are allowed where nobody asks for more."""
    if find_spec("resource"):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Outbox:
    """Sends in a thread of its own: what is for the recording must not hold up the reports."""

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._waiting: queue.Queue[bytes] = queue.Queue(OUTBOX)
        threading.Thread(target=self._work, name="news", daemon=True).start()

    def send(self, data: bytes) -> bool:
        """False where too much waits already."""
        try:
            self._waiting.put_nowait(data)
        except queue.Full:
            return False
        return True

    def _work(self) -> None:
        while True:
            self._send(self._waiting.get())


class GatewayProcess(HostProcess):
    """Runs a LiveGateway and its doors until the run has ended."""

    def __init__(
        self, bus: Bus, claim: Claim, folder: Path, around: Callable[[Stage], Surroundings]
    ) -> None:
        """Joins the run. Raises BusError, ScenarioError, NotAdmitted or RunFailed."""
        self.gateways: list[Gateway] = []
        self._notifier: Notifier | None = None
        self._wanted_at: dict[int, float] = {}
        """When somebody last listened for each vehicle."""
        self._around = around
        self._inlet = Inlet()
        self._next_news = self._news = 0
        self._told = NEVER
        sys.setswitchinterval(SWITCH)
        _allow_many_sockets()
        super().__init__(bus, claim, folder)
        self._outbox = Outbox(bus.sender(keys.news_key(claim.name), urgent=False, patient=True))
        bus.answer(keys.gateway_key(claim.name), self._on_wish)

    def _make(self, stage: Stage, joined: Joined, now: int) -> LiveGateway:
        mine = [real for real in stage.real if real.entry.vid in set(joined.vids)]
        entries = [real.entry for real in mine]
        self._vehicles = RealVehicles(stage.frame, entries, self._inlet)
        by_part: dict[type[Gateway], list[Entry]] = {}
        for real in mine:
            by_part.setdefault(real.gateway, []).append(real.entry)
        around = self._around(stage)
        try:
            self._notifier = Notifier(entries)
            for part, its in by_part.items():
                gateway = part(its, self._inlet, around)
                gateway.open()
                self.gateways.append(gateway)
        except GatewayFailed as error:
            self.close()
            raise RunFailed(str(error)) from None
        utc = time.time_ns()
        self.gateway = LiveGateway(stage, self._claim.name, joined, self._vehicles, now, utc)
        return self.gateway

    def run(self) -> None:
        try:
            super().run()
            self._next_news = 0
            self._serve()
            self._say_stop()
        finally:
            self.close()

    def close(self) -> None:
        for gateway in self.gateways:
            gateway.close()
        if self._notifier is not None:
            self._notifier.close()

    def _serve(self) -> None:
        now = time.monotonic_ns()
        self.gateway.set_utc(time.time_ns(), now)
        self._tell_carriers(now)
        if now >= self._next_news:
            self._next_news = now + NEWS_EVERY
            packets, happenings = self._vehicles.news()
            if packets or happenings:
                self._news += 1
                news = GatewayNews(self.gateway.ticket, self._news, packets, happenings)
                if not self._outbox.send(news.encoded()):
                    self._inlet.refused["not recorded"] += 1

    def _tell_carriers(self, now: int) -> None:
        """Whoever wants to know is told, once for each word from the Core."""
        if self.gateway.words == self._told:
            return
        self._told = self.gateway.words
        assert self._notifier is not None
        wanted = self._notifier.wants().union(*(gateway.wants() for gateway in self.gateways))
        self._wanted_at |= dict.fromkeys(wanted, time.monotonic())
        views = self.gateway.views(wanted, now)
        if not views:
            return
        self._notifier.tell(views)
        for gateway in self.gateways:
            gateway.tell(views)

    def _say_stop(self) -> None:
        """Tell carriers again and again: a datagram may be lost, a phone just be reconnecting."""
        began = time.monotonic()
        lately = {vid for vid, at in self._wanted_at.items() if began - at < LATELY}
        told: set[int] = set()
        while lately and (seconds := time.monotonic() - began) < LINGER:
            if lately <= told and seconds > STOP_SAID_FOR:
                return
            self._told = NEVER
            self._tell_carriers(time.monotonic_ns())
            told |= {vid for gateway in self.gateways for vid in gateway.wants()}
            told |= self._notifier.wants() if self._notifier else set()
            time.sleep(STOP_EVERY)

    def _on_wish(self, data: bytes) -> bytes:
        """An operator's wish: the gateway's type and some words."""
        try:
            which, *words = msgspec.json.decode(data, type=list[str])
            for gateway in self.gateways:
                if gateway.name == which:
                    return msgspec.json.encode(gateway.ask(words))
            raise ValueError(f"no real vehicle of this run comes through {which}")
        except (ValueError, msgspec.MsgspecError) as error:
            return msgspec.json.encode({"refused": str(error)})
