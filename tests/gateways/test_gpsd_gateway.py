"""The client of gpsd, against the real gpsd and against one that misbehaves."""

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from pydantic import ValidationError

from movenv.gateways.config import Entry
from movenv.gateways.fix import Fix, sound_fix
from movenv.gateways.gpsd.gateway import GpsdConfig, GpsdGateway
from movenv.gateways.inlet import Arrival, Inlet
from movenv.gateways.nmea.codec import encode_nmea
from movenv.gateways.part import GatewayFailed, Surroundings
from movenv.world.kinds import Kind

GPSD = shutil.which("gpsd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
REPORT = b'{"class":"TPV","device":"/dev/a","mode":3,"lat":48.5,"lon":11.5}\r\n'


def entry(vid: int, name: str, **config: object) -> Entry:
    return Entry(vid, name, Kind("ground"), GpsdConfig(type="gpsd", **config))


@pytest.fixture
def opened() -> Iterator[Callable[..., GpsdGateway]]:
    gateways = []

    def open_one(*entries: Entry) -> GpsdGateway:
        gateway = GpsdGateway(list(entries), Inlet(), Surroundings())
        gateways.append(gateway)
        gateway.open()
        return gateway

    yield open_one
    for gateway in gateways:
        gateway.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "stream"]


def wait_for(gateway: GpsdGateway, done: Callable[[list[Arrival]], bool]) -> list[Arrival]:
    until, got = time.monotonic() + 15, []
    while not done(got):
        assert time.monotonic() < until, got
        got += gateway.inlet.drain()
        time.sleep(0.01)
    return got


def fixes(got: list[Arrival]) -> list[tuple[int, Fix]]:
    return [pair for one in got for pair in one.fixes]


def told(gateway: GpsdGateway, words: str) -> None:
    until, seen = time.monotonic() + 15, []
    while not any(words in text for text in seen):
        assert time.monotonic() < until, seen
        seen += [one.text for one in gateway.inlet.news()]
        time.sleep(0.01)


def free_port(kind: int) -> int:
    with socket.socket(socket.AF_INET, kind) as it:
        it.bind(("127.0.0.1", 0))
        port: int = it.getsockname()[1]
        return port


@contextmanager
def running_gpsd(port: int, receiver: int) -> Iterator[None]:
    """A gpsd that hears NMEA datagrams at the port `receiver`."""
    assert GPSD is not None
    words = [GPSD, "-N", "-n", "-S", str(port), f"udp://127.0.0.1:{receiver}"]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as gpsd:
        try:
            yield
        finally:
            gpsd.terminate()
            gpsd.wait(timeout=10)


@contextmanager
def walking(receiver: int) -> Iterator[None]:
    """Somebody who walks north, one step every 0.2 s."""
    ended = threading.Event()

    def walk() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
            for step in range(10_000):
                now = round(time.time() * 5) / 5
                fix = sound_fix(
                    48.0 + step * 1e-5, 11.0, time=now, alt=500, speed=1.5, course=0, accuracy=5
                )
                for sentence in encode_nmea(fix).splitlines(keepends=True):
                    it.sendto(sentence, ("127.0.0.1", receiver))
                if ended.wait(0.2):
                    return

    thread = threading.Thread(target=walk)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_the_real_gpsd_is_heard_and_found_again_after_a_restart(opened) -> None:
    if GPSD is None:
        assert not os.environ.get("CI"), "gpsd must be installed here"
        pytest.skip("gpsd is not installed")
    port, receiver = free_port(socket.SOCK_STREAM), free_port(socket.SOCK_DGRAM)
    gateway = opened(entry(5, "walker", port=port))
    told(gateway, "cannot be reached: connection refused")
    with walking(receiver):
        with running_gpsd(port, receiver):
            told(gateway, "is connected")
            got = wait_for(gateway, lambda got: len(fixes(got)) >= 8)
        found = fixes(got)
        assert {vid for vid, _ in found} == {5}
        for _, fix in found:
            assert fix.lon == pytest.approx(11.0, abs=1e-7)
            assert abs(fix.time - time.time()) < 15
        last = found[-1][1]
        assert last.alt == pytest.approx(500, abs=0.1)
        assert last.speed == pytest.approx(1.5, abs=0.01)
        assert 1 < last.accuracy < 100
        places = [fix.lat for _, fix in found]
        assert places == sorted(places)
        assert places[-1] > places[0]
        told(gateway, "is lost")
        with running_gpsd(port, receiver):
            told(gateway, "is connected")
            again = wait_for(gateway, lambda got: len(fixes(got)) >= 2)
            assert fixes(again)[-1][1].lat > places[-1]


class Server:
    """Something that a client of gpsd may meet."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(10)
        self.port = self._listening.getsockname()[1]

    def client(self) -> socket.socket:
        client = self._listening.accept()[0]
        client.settimeout(10)
        return client

    def close(self) -> None:
        self._listening.close()


@pytest.fixture
def server() -> Iterator[Server]:
    it = Server()
    yield it
    it.close()


def test_it_asks_to_be_told_and_lines_may_be_cut_anywhere(opened, server) -> None:
    gateway = opened(entry(5, "walker", port=server.port))
    with server.client() as client:
        assert client.recv(100) == b'?WATCH={"enable":true,"json":true};\n'
        client.sendall(b'{"class":"VERSION","release":"3.22"}\r\n' + REPORT[:20])
        time.sleep(0.05)
        client.sendall(REPORT[20:] + b'{"class":"SKY"}\r\n{"class":"ERROR"}\r\nrubbish\n' + REPORT)
        got = wait_for(gateway, lambda got: len(got) >= 4)
    assert [(one.refused, len(one.fixes)) for one in got] == [
        ("", 1),
        ("gpsd reports an error", 0),
        ("garbled", 0),
        ("", 1),
    ]
    assert got[0].data == REPORT.removesuffix(b"\n")
    assert got[0].sender == f"127.0.0.1:{server.port}"


def test_a_line_without_an_end_does_not_pile_up(opened, server) -> None:
    gateway = opened(entry(5, "walker", port=server.port))
    with server.client() as client:
        client.sendall(b"x" * 1_000_000)
        client.sendall(b"\n" + REPORT)
        wait_for(gateway, lambda got: len(fixes(got)) == 1)


def test_two_vehicles_may_share_a_gpsd_with_two_receivers(opened, server) -> None:
    gateway = opened(
        entry(1, "a", port=server.port, gpsd_device="/dev/a"),
        entry(2, "b", port=server.port, gpsd_device="/dev/b"),
    )
    other = REPORT.replace(b"/dev/a", b"/dev/b").replace(b"48.5", b"50.5")
    with server.client() as one, server.client() as two:
        for client in (one, two):
            client.sendall(REPORT + other)
        got = wait_for(gateway, lambda got: len(got) == 4)
    assert sorted((vid, fix.lat) for vid, fix in fixes(got)) == [(1, 48.5), (2, 50.5)]
    assert gateway.inlet.refused == {"another receiver": 2}
    with pytest.raises(GatewayFailed, match="b and another vehicle have the same gpsd"):
        opened(entry(1, "a"), entry(2, "b"))


def test_gpsd_shows_no_token() -> None:
    with pytest.raises(ValidationError, match="gpsd shows no token"):
        GpsdConfig(type="gpsd", token="sesame")
