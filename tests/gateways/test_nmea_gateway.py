"""Receivers over real sockets and a real pseudo-terminal."""

import os
import socket
import sys
import threading
import time
import tty
from collections.abc import Callable, Iterator

import pytest
from pydantic import ValidationError

from movenv.gateways.config import Entry
from movenv.gateways.fix import sound_fix
from movenv.gateways.inlet import Arrival, Inlet
from movenv.gateways.nmea.codec import encode_nmea
from movenv.gateways.nmea.gateway import NmeaConfig, NmeaGateway
from movenv.gateways.part import GatewayFailed, Surroundings
from movenv.world.kinds import Kind

START = 1_800_000_000.0
WAITING = "waiting for the rest of the epoch"


def epoch(second: int, lat: float = 48.0) -> bytes:
    return encode_nmea(sound_fix(lat, 11.0, time=START + second, speed=1.5, accuracy=3.0))


def entry(vid: int, name: str, **config: object) -> Entry:
    return Entry(vid, name, Kind("ground"), NmeaConfig(type="nmea", **config))


def free_port(kind: int = socket.SOCK_DGRAM) -> int:
    with socket.socket(socket.AF_INET, kind) as it:
        it.bind(("127.0.0.1", 0))
        port: int = it.getsockname()[1]
        return port


@pytest.fixture
def opened() -> Iterator[Callable[..., NmeaGateway]]:
    gateways = []

    def open_one(*entries: Entry) -> NmeaGateway:
        gateway = NmeaGateway(list(entries), Inlet(lambda: START), Surroundings())
        gateways.append(gateway)
        gateway.open()
        return gateway

    yield open_one
    for gateway in gateways:
        started = time.monotonic()
        gateway.close()
        assert time.monotonic() - started < 1.5
    assert not [t for t in threading.enumerate() if t.name in ("stream", "tcp", "udp")]


def arrived(gateway: NmeaGateway, count: int) -> list[Arrival]:
    until, got = time.monotonic() + 10, []
    while len(got) < count and time.monotonic() < until:
        got += gateway.inlet.drain()
        time.sleep(0.005)
    assert len(got) == count
    return got


def fixes(got: list[Arrival]) -> list[tuple[int, float]]:
    return [(vid, fix.time - START) for one in got for vid, fix in one.fixes]


def heard(gateway: NmeaGateway, count: int) -> list[Arrival]:
    """What came until there were so many fixes, however the stream was cut."""
    until, got = time.monotonic() + 10, []
    while len(fixes(got)) < count and time.monotonic() < until:
        got += gateway.inlet.drain()
        time.sleep(0.005)
    return got


def told(gateway: NmeaGateway, words: str, seen: list[str] | None = None) -> list[str]:
    until, seen = time.monotonic() + 10, [] if seen is None else seen
    while not any(words in text for text in seen):
        assert time.monotonic() < until, seen
        seen += [one.text for one in gateway.inlet.news()]
        time.sleep(0.005)
    return seen


@pytest.fixture
def sender() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
        it.bind(("127.0.0.1", 0))
        yield it


def test_the_only_vehicle_on_a_port_is_the_one_that_speaks(opened, sender) -> None:
    port = free_port()
    gateway = opened(entry(7, "boat", port=port))
    for second in range(3):
        sender.sendto(epoch(second), ("127.0.0.1", port))
    got = arrived(gateway, 3)
    assert [one.empty for one in got] == [WAITING, "", ""]
    assert fixes(got) == [(7, 0.0), (7, 1.0), (7, 2.0)]
    assert got[1].data == epoch(1)


def test_sentences_may_come_in_datagrams_of_their_own(opened, sender) -> None:
    port = free_port()
    gateway = opened(entry(7, "boat", port=port))
    for second in range(3):
        for sentence in epoch(second).splitlines():
            sender.sendto(sentence, ("127.0.0.1", port))
    got = arrived(gateway, 9)
    assert fixes(got) == [(7, 0.0), (7, 1.0), (7, 2.0)]
    assert got[-1].fixes, "the last sentence of the epoch makes the fix"
    assert [one.empty for one in got].count(WAITING) == 6
    assert not gateway.inlet.refused


def test_vehicles_with_ports_of_their_own_are_told_apart(opened, sender) -> None:
    port = free_port()
    gateway = opened(*(entry(vid, f"v{vid}", port=port, own_port=True) for vid in (1, 2)))
    for vid in (1, 2):
        sender.sendto(epoch(0) + epoch(vid), ("127.0.0.1", port + vid))
    assert sorted(fixes(arrived(gateway, 2))) == [(1, 0.0), (1, 1.0), (2, 0.0), (2, 2.0)]


def test_vehicles_on_one_port_are_told_apart_by_their_address(opened) -> None:
    port = free_port()
    gateway = opened(
        entry(1, "a", port=port, address="127.0.0.1"), entry(2, "b", port=port, address="127.0.0.2")
    )
    for address in ("127.0.0.1", "127.0.0.2", "127.0.0.3"):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
            it.bind((address, 0))
            it.sendto(epoch(0) + epoch(1), ("127.0.0.1", port))
    got = arrived(gateway, 3)
    assert fixes(got) == [(1, 0.0), (1, 1.0), (2, 0.0), (2, 1.0)]
    assert got[2].refused == "unknown device"


def test_the_sentences_of_a_stranger_are_not_mixed_into_an_epoch(opened, sender) -> None:
    port = free_port()
    gateway = opened(entry(1, "a", port=port))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.bind(("127.0.0.9", 0))
        for second in range(3):
            for mine, other in zip(
                epoch(second).splitlines(True),
                epoch(second, lat=50.0).splitlines(True),
                strict=True,
            ):
                sender.sendto(mine, ("127.0.0.1", port))
                arrived(gateway, 1)
                stranger.sendto(other, ("127.0.0.1", port))
                (got,) = arrived(gateway, 1)
                assert not got.fixes
    assert gateway.inlet.refused["other address"] == 2 + 1


def test_nobody_can_be_mistaken_for_another(opened) -> None:
    with pytest.raises(GatewayFailed, match="a and b share UDP port 47300"):
        opened(entry(1, "a"), entry(2, "b"))
    with pytest.raises(GatewayFailed, match="share UDP"):
        opened(entry(1, "a", address="10.0.0.1"), entry(2, "b", address="10.0.0.1"))
    with pytest.raises(GatewayFailed, match="both read gps:47300"):
        opened(*(entry(v, f"v{v}", over="tcp", host="gps") for v in (1, 2)))
    with pytest.raises(GatewayFailed, match="there is no UDP port 65537"):
        opened(entry(2, "b", port=65535, own_port=True))


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"over": "serial"}, "needs a serial_port"),
        ({"over": "serial", "serial_port": "/dev/x", "port": 5}, "a serial line has no port"),
        ({"serial_port": "/dev/x"}, "for over: serial, not udp"),
        ({"baud": 9600, "over": "tcp"}, "for over: serial, not tcp"),
        ({"host": "gps"}, "host is for over: tcp"),
        ({"over": "tcp", "host": "gps", "own_port": True}, "own_port is ours"),
        ({"token": "sesame"}, "show no token"),
        ({"port": 0}, "greater than or equal to 1"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(config: dict, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        NmeaConfig(type="nmea", **config)


def test_a_taken_port_is_refused_in_words(opened) -> None:
    for over, kind in (("udp", socket.SOCK_DGRAM), ("tcp", socket.SOCK_STREAM)):
        with socket.socket(socket.AF_INET, kind) as taken:
            taken.bind(("127.0.0.1", 0))
            if over == "tcp":
                taken.listen()
            port = taken.getsockname()[1]
            with pytest.raises(GatewayFailed, match=f"{over.upper()} port {port} is in use"):
                opened(entry(1, "a", over=over, port=port))


def test_a_receiver_may_connect_over_tcp_and_come_back(opened) -> None:
    port = free_port(socket.SOCK_STREAM)
    gateway = opened(entry(4, "van", over="tcp", port=port))
    for begin in (0, 10):
        with socket.create_connection(("127.0.0.1", port)) as receiver:
            for second in range(begin, begin + 3):
                data = epoch(second)
                receiver.sendall(data[:50])
                time.sleep(0.02)
                receiver.sendall(data[50:])
                time.sleep(0.02)
            got = heard(gateway, 3)
        assert fixes(got) == [(4, begin + s) for s in (0.0, 1.0, 2.0)]
        assert b"".join(one.data for one in got) == b"".join(
            epoch(s) for s in range(begin, begin + 3)
        )


class Server:
    """A receiver that offers NMEA over TCP."""

    def __init__(self, port: int = 0) -> None:
        self.listening = socket.create_server(("127.0.0.1", port))
        self.listening.settimeout(10)
        self.port = self.listening.getsockname()[1]

    def client(self) -> socket.socket:
        return self.listening.accept()[0]


def test_a_server_that_restarts_is_found_again(opened) -> None:
    server = Server()
    gateway = opened(entry(4, "van", over="tcp", host="127.0.0.1", port=server.port))
    with server.client() as client:
        client.sendall(epoch(0) + epoch(1))
        assert fixes(heard(gateway, 2)) == [(4, 0.0), (4, 1.0)]
        server.listening.close()
    seen = told(gateway, "is lost: the other side has ended it")
    told(gateway, "cannot be reached: connection refused", seen)
    again = Server(server.port)
    with again.client() as client:
        client.sendall(b"07.0,N*00\r\n" + epoch(60) + epoch(61))
        assert fixes(heard(gateway, 2)) == [(4, 60.0), (4, 61.0)]
    again.listening.close()
    seen += told(gateway, "is connected")
    name = f"receiver 127.0.0.1:{server.port} is connected"
    assert seen[0] == name
    assert seen.count(name) == 2


def test_closing_does_not_wait_for_a_host_that_never_answers(opened) -> None:
    gateway = opened(entry(4, "van", over="tcp", host="10.255.255.1", port=9))
    time.sleep(0.1)
    started = time.monotonic()
    gateway.close()
    assert time.monotonic() - started < 1.0


@pytest.fixture
def line() -> Iterator[tuple[int, str]]:
    """Our end of a serial line and the name of the other."""
    ours, theirs = os.openpty()
    tty.setraw(ours)
    yield ours, os.ttyname(theirs)
    for end in (ours, theirs):
        os.close(end)


def test_a_receiver_on_a_serial_line_is_heard(opened, line) -> None:
    ours, name = line
    gateway = opened(entry(9, "rover", over="serial", serial_port=name, baud=9600))
    for second in range(3):
        for sentence in epoch(second).splitlines(True):
            os.write(ours, sentence)
            time.sleep(0.02)
    os.write(ours, b"\xb5\x62\x00garbage$" + epoch(3))
    got = heard(gateway, 4)
    assert fixes(got) == [(9, 0.0), (9, 1.0), (9, 2.0), (9, 3.0)]
    assert got[0].sender == f"{name}:0"
    assert gateway.inlet.refused == {}


def test_a_serial_line_that_breaks_is_told_and_tried_again(opened) -> None:
    ours, theirs = os.openpty()
    name = os.ttyname(theirs)
    os.close(theirs)
    gateway = opened(entry(9, "rover", over="serial", serial_port=name))
    os.write(ours, epoch(0) + epoch(1))
    assert len(fixes(heard(gateway, 2))) == 2
    os.close(ours)
    seen = told(gateway, f"serial port {name} is lost")
    told(gateway, f"serial port {name} cannot be reached", seen)


def test_a_serial_port_that_is_not_there_or_taken_is_refused_in_words(opened, line) -> None:
    with pytest.raises(GatewayFailed, match=r"serial port /dev/nothing cannot be opened"):
        opened(entry(1, "a", over="serial", serial_port="/dev/nothing"))
    opened(entry(1, "a", over="serial", serial_port=line[1]))
    with pytest.raises(GatewayFailed, match="cannot be opened"):
        opened(entry(2, "b", over="serial", serial_port=line[1]))


def test_without_pyserial_the_way_to_get_it_is_told(opened, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "serial", None)
    with pytest.raises(GatewayFailed, match="needs pyserial"):
        opened(entry(1, "a", over="serial", serial_port="/dev/ttyUSB0"))


def test_carriers_are_told_what_to_set_up() -> None:
    gateway = NmeaGateway(
        [
            entry(1, "a", own_port=True),
            entry(2, "b", over="tcp"),
            entry(3, "c", over="tcp", host="gps", port=10110),
            entry(4, "d", over="serial", serial_port="/dev/ttyUSB0"),
        ],
        Inlet(),
        Surroundings(shown="10.0.0.9"),
    )
    assert gateway.invitations() == [
        "a: send NMEA over UDP to 10.0.0.9:47301",
        "b: send NMEA over TCP to 10.0.0.9:47300",
        "c: offer NMEA over TCP at gps:10110",
        "d: connect the receiver to /dev/ttyUSB0 at 4800 baud",
    ]
