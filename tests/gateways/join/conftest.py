"""A join gateway on a free port, with two vehicles that wait for phones."""

import contextlib
import socket
import ssl
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.sync.client import ClientConnection, connect

from movenv.gateways.certificate import make_certificate
from movenv.gateways.config import Entry
from movenv.gateways.fix import Fix
from movenv.gateways.inlet import Happening, Inlet
from movenv.gateways.join import codec
from movenv.gateways.join.gateway import JoinGateway
from movenv.gateways.part import Surroundings
from movenv.gateways.view import NearView, NoticeView, OwnView, View
from movenv.world.kinds import Kind

KEY = "this-phone-0123456789"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def view(state: str = "GO", **changes: Any) -> View:
    """The medic goes east from the origin; a drone is north-east, a rover west.

    A notice that is given is of the drone, which then is as near as it says.
    """
    own = OwnView(0, 0, 0, 47.0, 8.0, 90.0, 1.2, "heard", 4.0, 0.3, 0.05, 0.0, 0.8)
    near = [
        NearView(7, "drone-3", "aerial/rotorcraft", "virtual", 20, 21, 8, 30.0, 45.0, 225.0, 3.0),
        NearView(8, "rover-1", "ground", "real", -61, 0, 0, 61.0, 270.0, 90.0, 1.0),
        NearView(9, "walker-2", "pedestrian", "virtual", 30, -75, 0, 81.0, 158.0, 0.0, 0.0),
        NearView(10, "drone-4", "aerial/rotorcraft", "virtual", 90, 200, 8, 219, 24.0, 180.0, 3.0),
    ]
    if changes.get("notices"):
        near[0].distance = changes["notices"][0].distance
    made = View(state, 12.5, time.time(), own, near, [])
    return msgspec.structs.replace(made, **changes)


def notice(level: int, id: str = "", **changes: Any) -> NoticeView:
    """Of drone-3."""
    name = ["advisory", "caution", "warning"][level - 1]
    distance = {1: 38.0, 2: 27.0, 3: 18.0}[level]
    made = NoticeView(
        id or f"1-7-{level}", 7, "drone-3", level, name, distance, 45.0, 4.2, 3.1, time.time()
    )
    return msgspec.structs.replace(made, **changes)


@dataclass
class Field:
    """A gateway and all that came out of it."""

    folder: Path
    port: int = 0
    levels: list[str] = field(default_factory=lambda: ["advisory", "caution", "warning"])
    keep: bool = True
    config: dict[str, Any] = field(default_factory=dict)
    inlet: Inlet = field(default_factory=Inlet)
    fixes: list[tuple[int, Fix]] = field(default_factory=list)
    news: list[Happening] = field(default_factory=list)
    packets: list[bytes] = field(default_factory=list)

    def open(self) -> "Field":
        self.port = self.port or free_port()
        config = JoinGateway.Config.model_validate(
            {"type": "join", "port": self.port} | self.config
        )
        entries = [
            Entry(1, "medic", Kind("pedestrian"), config),
            Entry(2, "<b>rover</b> & co", Kind("ground"), config),
        ]
        around = Surroundings(
            scenario="field day",
            levels=self.levels,
            areas={"meadow": [(-80, -90), (110, -90), (110, 70), (-80, 70)]},
            certificate=lambda: make_certificate(self.folder / "tls", ["192.168.1.5"]),
            state=self.folder / "state" if self.keep else None,
        )
        self.gateway = JoinGateway(entries, self.inlet, around)
        self.gateway.open()
        return self

    def reopen(self) -> None:
        self.gateway.close()
        self.open()

    def url(self, vehicle: str = "medic") -> str:
        links = self.gateway.ask(["links"])["links"]
        return str(next(link["url"] for link in links if link["vehicle"] == vehicle))

    def take(self) -> None:
        for arrival in self.inlet.drain():
            self.fixes += arrival.fixes
            self.packets.append(arrival.data)
        self.news += self.inlet.news()

    def until(self, true: Callable[[], bool], seconds: float = 10.0) -> None:
        """Wait until something is so, or fail."""
        end = time.monotonic() + seconds
        while True:
            self.take()
            if true():
                return
            assert time.monotonic() < end, f"not in {seconds} s; news: {self.said()}"
            time.sleep(0.02)

    def said(self, kind: str = "") -> list[str]:
        self.take()
        return [one.text for one in self.news if kind in ("", one.kind)]

    def socket(self, url: str = "", **options: Any) -> ClientConnection:
        url = (url or self.url()).replace("https:", "wss:") + "/ws"
        trust = ssl.create_default_context(cafile=self.folder / "tls" / "cert.pem")
        # This client reads and writes from two threads, and OpenSSL under Python 3.11 then now and
        # then loses what comes after a handshake of TLS 1.3. Browsers and asyncio do not.
        trust.maximum_version = ssl.TLSVersion.TLSv1_2
        return connect(url, ssl=trust, **options)

    @contextlib.contextmanager
    def phone(
        self, key: str = KEY, url: str = "", **options: Any
    ) -> Generator[ClientConnection, None, None]:
        """A phone that has said hello."""
        with self.socket(url, **options) as line:
            line.send(codec.encode_hello(key).decode())
            yield line


@pytest.fixture
def make_field(tmp_path: Path) -> Iterator[Callable[..., Field]]:
    opened: list[Field] = []

    def make(**options: Any) -> Field:
        opened.append(Field(tmp_path, **options))
        return opened[-1].open()

    yield make
    for one in opened:
        one.gateway.close()


@pytest.fixture
def field_day(make_field: Callable[..., Field]) -> Field:
    return make_field()


@pytest.fixture
def make_view() -> Callable[..., View]:
    return view


@pytest.fixture
def make_notice() -> Callable[..., NoticeView]:
    return notice
