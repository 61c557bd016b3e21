import random
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from movenv.gateways.config import Entry
from movenv.gateways.fix import Fix, sound_fix
from movenv.gateways.inlet import Arrival, Inlet
from movenv.gateways.part import GatewayFailed, Surroundings
from movenv.gateways.phone_udp.codec import ENCODERS
from movenv.gateways.phone_udp.gateway import PhoneUdpGateway
from movenv.world.kinds import Kind

Config = PhoneUdpGateway.Config
Opened = Callable[..., tuple[PhoneUdpGateway, Inlet]]


def a_fix(device: str, n: int = 0) -> Fix:
    return sound_fix(48.1, 11.5, time=1_774_269_319.0 + n, speed=1.0, device=device, sequence=n)


def free_port(beside: int = 0) -> int:
    """A port such that it and the next `beside` are free, and nobody is given them by chance."""
    for first in random.sample(range(20_000, 32_000, 10), 100):
        sockets = []
        try:
            for port in range(first, first + beside + 1):
                sockets.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                sockets[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for it in sockets:
                it.close()
    raise AssertionError("no free ports")


def entry(vid: int, name: str, **config: Any) -> Entry:
    return Entry(vid, name, Kind.parse("pedestrian"), Config(type="phone_udp", **config))


@pytest.fixture
def opened() -> Iterator[Opened]:
    gateways = []

    def make(*entries: Entry) -> tuple[PhoneUdpGateway, Inlet]:
        inlet = Inlet()
        gateways.append(PhoneUdpGateway(list(entries), inlet, Surroundings()))
        gateways[-1].open()
        return gateways[-1], inlet

    yield make
    for gateway in gateways:
        gateway.close()


@pytest.fixture
def phone() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
        yield it


def arrivals(inlet: Inlet, count: int) -> list[Arrival]:
    found: list[Arrival] = []
    end = time.monotonic() + 3
    while len(found) < count and time.monotonic() < end:
        found += inlet.drain()
        time.sleep(0.005)
    return found


def test_a_phone_is_known_by_its_label(opened: Opened, phone: socket.socket) -> None:
    port = free_port()
    _, inlet = opened(entry(1, "scout", port=port), entry(2, "medic", port=port))
    phone.sendto(ENCODERS["sensorlog"](a_fix("Medic", 7)), ("127.0.0.1", port))
    (arrival,) = arrivals(inlet, 1)
    assert arrival.via == "phone_udp"
    assert arrival.refused == ""
    ((vid, fix),) = arrival.fixes
    assert (vid, fix.sequence, fix.lat) == (2, 7, 48.1)


def test_a_phone_is_known_by_its_mac_address(opened: Opened, phone: socket.socket) -> None:
    port = free_port()
    mac = "A4:50:46:12:9F:01"
    _, inlet = opened(entry(5, "scout", port=port, device=mac))
    phone.sendto(ENCODERS["hyperimu"](a_fix(mac.lower())), ("127.0.0.1", port))
    assert arrivals(inlet, 1)[0].fixes[0][0] == 5


def test_a_phone_is_known_by_a_port_of_its_own(opened: Opened, phone: socket.socket) -> None:
    port = free_port(beside=2)
    _, inlet = opened(
        entry(1, "scout", port=port, own_port=True), entry(2, "medic", port=port, own_port=True)
    )
    for vid in (2, 1):
        for app in ENCODERS.values():
            phone.sendto(app(a_fix("")), ("127.0.0.1", port + vid))
    found = arrivals(inlet, 4)
    assert sorted(vid for arrival in found for vid, _ in arrival.fixes) == [1, 1, 2, 2]


def test_strangers_and_garbage_are_counted(opened: Opened, phone: socket.socket) -> None:
    port = free_port()
    _, inlet = opened(entry(1, "scout", port=port))
    for data in (b"rubbish", ENCODERS["sensorlog"](a_fix("nobody")), b"\xff"):
        phone.sendto(data, ("127.0.0.1", port))
    assert [arrival.fixes for arrival in arrivals(inlet, 3)] == [[], [], []]
    assert inlet.refused == {"garbled": 2, "unknown device": 1}


def test_nobody_speaks_for_a_phone_from_elsewhere(opened: Opened, phone: socket.socket) -> None:
    port = free_port()
    _, inlet = opened(entry(1, "scout", port=port, address="192.0.2.1"))
    phone.sendto(ENCODERS["sensorlog"](a_fix("scout")), ("127.0.0.1", port))
    assert arrivals(inlet, 1)[0].refused == "other address"


def test_thousands_of_datagrams_arrive_in_order(opened: Opened, phone: socket.socket) -> None:
    port = free_port()
    _, inlet = opened(entry(1, "scout", port=port))
    found: list[Arrival] = []
    for n in range(2000):
        phone.sendto(ENCODERS["sensorlog"](a_fix("scout", n)), ("127.0.0.1", port))
        if n % 100 == 99:  # no buffer holds everything
            found += arrivals(inlet, n + 1 - len(found))
    assert [arrival.fixes[0][1].sequence for arrival in found] == list(range(2000))


def test_a_taken_port_is_told_in_words(opened: Opened) -> None:
    port = free_port()
    opened(entry(1, "scout", port=port))
    with pytest.raises(GatewayFailed, match=f"UDP port {port} is in use"):
        opened(entry(2, "medic", port=port))


def test_ports_that_cannot_be_are_told_in_words(opened: Opened) -> None:
    with pytest.raises(GatewayFailed, match="there is no UDP port 65536"):
        opened(entry(1, "scout", port=65_535, own_port=True))
    with pytest.raises(GatewayFailed, match="47101 is one vehicle's own"):
        opened(entry(1, "scout", own_port=True), entry(2, "medic", port=47_101))
    with pytest.raises(GatewayFailed, match="47103 is one vehicle's own"):
        opened(entry(3, "scout", own_port=True), entry(2, "m", port=47_101, own_port=True))


def test_invitations() -> None:
    around = Surroundings(shown="192.168.1.5")
    gateway = PhoneUdpGateway(
        [entry(2, "scout"), entry(3, "medic", own_port=True)], Inlet(), around
    )
    assert gateway.invitations() == [
        "scout: HyperIMU or SensorLog, UDP to 192.168.1.5 port 47100, MAC address or label 'scout'",
        "medic: HyperIMU or SensorLog, UDP to 192.168.1.5 port 47103",
    ]


def test_a_token_that_no_app_can_show_is_refused_at_once() -> None:
    with pytest.raises(ValidationError, match="can show a token"):
        Config(type="phone_udp", token="secret")
