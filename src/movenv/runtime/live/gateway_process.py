"""The process of a gateway host: connects the doors of real vehicles with bus and clock."""

import sys
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
NEWS_EVERY = SECOND // 5
SWITCH = 0.001
"""How soon the thread that reports takes over from those that read packets, s."""


def _allow_many_sockets() -> None:
    """A port a vehicle is a file a vehicle, and few are allowed where nobody asks for more."""
    if find_spec("resource"):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class GatewayProcess(HostProcess):
    """Runs a LiveGateway and its doors until the run has ended."""

    def __init__(
        self, bus: Bus, claim: Claim, folder: Path, around: Callable[[Stage], Surroundings]
    ) -> None:
        """Joins the run. Raises BusError, ScenarioError, NotAdmitted or RunFailed."""
        self.gateways: list[Gateway] = []
        self._around = around
        self._inlet = Inlet()
        self._next_news = self._news = 0
        self._told = NEVER
        sys.setswitchinterval(SWITCH)
        _allow_many_sockets()
        super().__init__(bus, claim, folder)
        self._send_news = bus.sender(keys.news_key(claim.name), urgent=False, patient=True)
        bus.answer(keys.gateway_key(claim.name), self._on_wish)

    def _make(self, stage: Stage, joined: Joined, now: int) -> LiveGateway:
        mine = [real for real in stage.real if real.entry.vid in set(joined.vids)]
        entries = [real.entry for real in mine]
        self._vehicles = RealVehicles(stage.frame, entries, self._inlet)
        self._notifier = Notifier(entries)
        by_part: dict[type[Gateway], list[Entry]] = {}
        for real in mine:
            by_part.setdefault(real.gateway, []).append(real.entry)
        around = self._around(stage)
        try:
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
            self._next_news, self._told = 0, NEVER
            self._serve()  # the last word: STOP
        finally:
            self.close()

    def close(self) -> None:
        for gateway in self.gateways:
            gateway.close()
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
                self._send_news(news.encoded())

    def _tell_carriers(self, now: int) -> None:
        """Whoever wants to know is told, once for each word from the Core."""
        if self.gateway.words == self._told:
            return
        self._told = self.gateway.words
        wanted = self._notifier.wants().union(*(gateway.wants() for gateway in self.gateways))
        views = self.gateway.views(wanted, now)
        if not views:
            return
        self._notifier.tell(views)
        for gateway in self.gateways:
            gateway.tell(views)

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
