"""Real vehicles that speak JAUS, over real sockets."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import ValidationError
from tests.gateways.jaus.played import CAR, SIGHT, TICK, TIMEOUT
from tests.runtime.live.processes import free_port, wait_until

from movenv.gateways.config import Entry
from movenv.gateways.inlet import Arrival, Inlet
from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus import subscriptions as s
from movenv.gateways.jaus.asking import PATIENCE, Asking
from movenv.gateways.jaus.codec import JausDecoder, encode
from movenv.gateways.jaus.component import Component
from movenv.gateways.jaus.gateway import JausConfig, JausGateway
from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.packet import Address, Packet
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.part import GatewayFailed, Surroundings
from movenv.world.kinds import Kind

Opened = Callable[..., JausGateway]
POSE = m.ReportGlobalPose(latitude=29.19, longitude=-81.05, yaw=0.5)


def entry(vid: int = 1, name: str = "car", component: str = "126.1.10", **config: Any) -> Entry:
    return Entry(vid, name, Kind("ground"), JausConfig(type="jaus", component=component, **config))


@pytest.fixture
def opened() -> Iterator[Opened]:
    gateways = []

    def open_one(*entries: Entry) -> JausGateway:
        gateway = JausGateway(list(entries), Inlet(), Surroundings())
        gateway.open()
        gateways.append(gateway)
        return gateway

    yield open_one
    for gateway in gateways:
        gateway.close()


class Vehicle:
    """A JAUS vehicle on this machine, which reports to those who ask."""

    def __init__(self) -> None:
        self.component = Component(CAR, "car", None, TICK, TIMEOUT)
        self.heard: list[Message] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(0.02)
        self.at = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._live)
        self._thread.start()

    def forget(self) -> None:
        """As one that was started anew."""
        self.component = Component(CAR, "car", None, TICK, TIMEOUT)

    def _live(self) -> None:
        decoder, peer = JausDecoder(), None
        while not self._over.is_set():
            self.component.see(SIGHT)
            said = self.component.due(time.monotonic())
            try:
                data, peer = self._socket.recvfrom(65536)
            except TimeoutError:
                data = b""
            for heard in decoder.decode(data) if data else []:
                assert isinstance(heard.said, Message)
                self.heard.append(heard.said)
                said += self.component.hear(heard, time.monotonic())
            for one in said:
                packet = Packet(one.to, self.component.signature(one.dialect), b"")
                for data in encode(one.message, packet, one.dialect):
                    assert peer is not None
                    self._socket.sendto(data, peer)

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self._socket.close()


@pytest.fixture
def vehicle() -> Iterator[Vehicle]:
    vehicle = Vehicle()
    yield vehicle
    vehicle.close()


def arrived(gateway: JausGateway, count: int) -> list[Arrival]:
    got: list[Arrival] = []

    def enough() -> bool:
        got.extend(gateway.inlet.drain())
        return len(got) >= count

    wait_until(enough, 10)
    assert len(got) == count
    return got


def send(port: int, *datagrams: bytes, own: str = "127.0.0.1") -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
        it.bind((own, 0))
        for data in datagrams:
            it.sendto(data, ("127.0.0.1", port))


def said(message: Message, by: Address = CAR, dialect: Dialect = Dialect.SAE) -> bytes:
    (data,) = encode(message, Packet(Address(9, 9, 9), by, b""), dialect)
    return data


def test_vehicles_are_known_by_their_components(opened: Opened) -> None:
    port = free_port()
    gateway = opened(entry(port=port), entry(2, "bus", "127.1.10", port=port))
    send(port, said(POSE), said(POSE, Address(127, 1, 10, 1), Dialect.REFERENCE))
    came = arrived(gateway, 2)
    assert [vid for one in came for vid, _ in one.fixes] == [1, 2]
    assert gateway.invitations()[0] == (
        f"car: report Global Pose as JAUS component 126.1.10 over UDP to 127.0.0.1:{port}"
    )


def test_what_is_malformed_or_of_others_is_counted_and_changes_nothing(opened: Opened) -> None:
    port = free_port()
    gateway = opened(entry(port=port))
    send(port, said(POSE), b"\x02", b"garbage", said(POSE, Address(126, 1, 11)))
    send(port, said(POSE), own="127.0.0.2")
    came = arrived(gateway, 5)
    assert sum(len(one.fixes) for one in came) == 1
    reasons = ["cut off", "another version than AS5669A", "unknown component", "other address"]
    assert gateway.inlet.refused == dict.fromkeys(reasons, 1)


def test_a_velocity_from_elsewhere_does_not_become_its_velocity(opened: Opened) -> None:
    port = free_port()
    gateway = opened(entry(port=port))
    send(port, said(POSE))
    send(port, said(m.ReportVelocityState(x=99.0)), own="127.0.0.2")
    send(port, said(POSE))
    assert all(fix.speed != fix.speed for one in arrived(gateway, 3) for _, fix in one.fixes)


def test_recorded_packets_are_read_again(opened: Opened) -> None:
    port = free_port()
    gateway = opened(entry(port=port))
    send(port, said(m.ReportVelocityState(x=3.0)), said(POSE))
    came = arrived(gateway, 2)
    assert [one.vid for one in came] == [1, 1]
    read = JausGateway.reader()
    with pytest.raises(ValueError, match="no pose"):
        read(came[0].data, came[0].at)
    assert list(read(came[1].data, came[1].at)) == [fix for _, fix in came[1].fixes]


@pytest.mark.parametrize("dialect", Dialect)
def test_a_vehicle_that_is_asked_reports_and_is_asked_again_when_it_stops(
    opened: Opened, vehicle: Vehicle, dialect: Dialect
) -> None:
    gateway = opened(entry(port=free_port(), at=vehicle.at, dialect=dialect.value, rate=10.0))

    def with_speed() -> bool:
        fixes = [fix for one in gateway.inlet.drain() for _, fix in one.fixes]
        return any(fix.speed > 6 and abs(fix.lat - 29.19) < 1e-6 for fix in fixes)

    wait_until(with_speed)
    asked = len(vehicle.heard)
    assert asked >= 2
    vehicle.forget()
    wait_until(lambda: len(vehicle.heard) > asked)
    gateway.inlet.drain()  # what came before
    wait_until(with_speed)
    gateway.close()
    end = s.CancelEvent if dialect is Dialect.SAE else s.TerminateServiceConnection
    wait_until(lambda: all(isinstance(one, end) for one in vehicle.heard[-2:]))


def test_one_that_does_not_listen_is_no_trouble(opened: Opened) -> None:
    gateway = opened(entry(port=free_port(), at=f"127.0.0.1:{free_port()}"))
    assert "be JAUS component 126.1.10 at 127.0.0.1" in gateway.invitations()[0]


# --- asking, without a clock


def test_it_is_asked_until_it_reports_and_again_when_it_stops() -> None:
    asking = Asking(Dialect.SAE, 5.0)
    first = asking.due(0.0)
    assert [type(one) for one in first] == [s.CreateEvent, s.CreateEvent]
    assert asking.due(PATIENCE * 0.9) == []
    assert asking.due(PATIENCE) == first
    asking.answered(s.ConfirmEventRequest(1, 33, 5.0))
    for k in range(5):
        asking.reported(PATIENCE + k)
        assert asking.due(PATIENCE + k + 1) == []
    assert asking.due(100.0) == [s.CancelEvent(1, 33), *first]
    asking.answered(s.ConfirmEventRequest(1, 33, 0.0))
    assert asking.close() == []


@pytest.mark.parametrize(
    ("dialect", "answer", "words"),
    [
        (
            Dialect.SAE,
            s.RejectEventRequest(2, s.Refusal.MESSAGE_NOT_SUPPORTED),
            "does not report its Velocity State: message not supported",
        ),
        (Dialect.SAE, s.RejectEventRequest(1), "does not report its Global Pose: reason 0"),
        (
            Dialect.REFERENCE,
            s.ConfirmServiceConnection(0x4402, 0, 0.0, s.Connected.INSUFFICIENT_AUTHORITY),
            "does not report its Global Pose: insufficient authority",
        ),
    ],
)
def test_a_refusal_is_told_once(dialect: Dialect, answer: Message, words: str) -> None:
    asking = Asking(dialect, 5.0)
    asking.due(0.0)
    assert [asking.answered(answer) for _ in range(3)] == [words, "", ""]
    assert asking.close() == []


def test_operators_learn_of_refusals(opened: Opened) -> None:
    port = free_port()
    gateway = opened(entry(port=port, at=f"127.0.0.1:{free_port()}"))
    send(port, said(s.RejectEventRequest(1, s.Refusal.CONNECTION_REFUSED)))
    (news,) = wait_until(gateway.inlet.news, 10)
    assert (news.vid, news.text) == (
        1,
        "car does not report its Global Pose: connection refused",
    )


# --- mistakes in scenarios


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"component": "126.1"}, "126.1.10 is one"),
        ({"component": "126.1.255"}, "126.1.10 is one"),
        ({"token": "sesame"}, "pin the `address`"),
        ({"device": "car"}, "by its `component`"),
        ({"at": "somewhere"}, "is no HOST:PORT"),
        ({"dialect": "reference"}, "say where, with `at`"),
        ({"own": "126.1.1"}, "say where, with `at`"),
        (
            {"component": "300.1.1", "dialect": "reference", "at": "10.0.0.1:3794"},
            "subsystems of dialect reference end at 254",
        ),
    ],
)
def test_mistakes_are_told(config: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        entry(**config)


def test_two_cannot_be_the_same_component_at_one_port() -> None:
    same = [entry(1, "ann"), entry(2, "bob")]
    with pytest.raises(GatewayFailed, match=r"ann and bob are both component 126\.1\.10"):
        JausGateway(same, Inlet(), Surroundings()).check()
    apart = [entry(1, "ann"), entry(2, "bob", port=3795)]
    JausGateway(apart, Inlet(), Surroundings()).check()


def test_a_port_in_use_is_told(opened: Opened) -> None:
    port = free_port()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
        it.bind(("127.0.0.1", port))
        with pytest.raises(GatewayFailed, match=f"UDP port {port} is in use"):
            opened(entry(port=port))
