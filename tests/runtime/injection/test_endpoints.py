"""Where scans come from and go to."""

import os
import socket
import threading
from collections.abc import Callable
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from movenv.gateways.scans.codec import LONGEST_LINE
from movenv.runtime.errors import RunFailed
from movenv.runtime.injection import endpoints
from movenv.runtime.injection.endpoints import (
    ENDPOINTS,
    GROUP,
    Endpoint,
    EndpointRefused,
    ScanSink,
    ScanSource,
    Take,
    kind_of,
    register,
)
from movenv.runtime.injection.lines import LineSink, LineSource
from movenv.runtime.injection.process import InjectionProcess, Settings
from movenv.runtime.injection.udp import UdpSink, UdpSource
from movenv.runtime.live.bus import Bus, BusError


def read(path: Path) -> list[bytes]:
    got: list[bytes] = []
    LineSource(str(path)).run(got.append)
    return got


def test_lines_come_whole_however_they_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.extend(read(path)))
    reader.start()
    with open(path, "wb", buffering=0) as pipe:
        for piece in (b'{"a"', b": 1}\n", b"\n  \n{}\r\n{", b'"b":2}'):
            pipe.write(piece)
    reader.join(timeout=10)
    assert got == [b'{"a": 1}', b"{}", b'{"b":2}']


def test_a_line_without_end_is_not_kept_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"{}\n" + b"x" * (3 * LONGEST_LINE) + b"\n{}\n")
    got = read(path)
    assert (got[0], got[-1]) == (b"{}", b"{}")
    assert max(map(len, got)) < 1.1 * LONGEST_LINE
    assert sum(map(len, got[1:-1])) == 3 * LONGEST_LINE


def test_a_source_that_waits_can_be_closed() -> None:
    source = UdpSource("127.0.0.1:0")
    thread = threading.Thread(target=source.run, args=(lambda _: None,))
    thread.start()
    source.close()
    thread.join(timeout=10)
    assert not thread.is_alive()


def test_what_is_sent_over_udp_arrives(tmp_path: Path) -> None:
    source = UdpSource("127.0.0.1:0")
    got: list[bytes] = []

    def take(data: bytes) -> None:
        got.append(data)
        if len(got) == 3:
            source.close()

    sink = UdpSink(f"127.0.0.1:{source.port}")
    for data in (b"1", b"2" * 60_000, b"3"):
        sink.write(data)
    sink.write(b"4" * 70_000)  # no datagram is so long
    source.run(take)
    sink.close()
    assert got == [b"1", b"2" * 60_000, b"3"]
    assert sink.lost == 1
    lines = LineSink(str(tmp_path / "out"))
    lines.write(b"{}")
    assert (tmp_path / "out").read_bytes() == b"{}\n"
    lines.close()


def test_an_address_that_is_taken_is_said_so() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(RunFailed, match="cannot listen"):
            UdpSource(f"127.0.0.1:{taken.getsockname()[1]}")


def test_a_file_with_something_in_it_is_not_overwritten(tmp_path: Path) -> None:
    there = tmp_path / "scans"
    there.write_bytes(b"{}\n")
    with pytest.raises(EndpointRefused, match="exists already"):
        LineSink(str(there))
    assert there.read_bytes() == b"{}\n"


@pytest.mark.parametrize("address", ["udp:127.0.0.1:2368", "nobody.invalid:2368", "127.0.0.1"])
def test_an_address_that_cannot_be_is_refused_at_once(address: str) -> None:
    with pytest.raises(EndpointRefused, match="no address"):
        UdpSink(address)


def test_scans_do_not_go_to_where_they_come_from() -> None:
    here = "udp:127.0.0.1:2368"
    with pytest.raises(EndpointRefused, match="where they come from"):
        InjectionProcess(Settings("car", here, here), no_core)


def test_another_package_may_bring_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    brought = EntryPoint("topic", f"{__name__}:TOPICS", GROUP)
    monkeypatch.setattr(endpoints, "entry_points", lambda group: EntryPoints([brought]))
    monkeypatch.delitem(ENDPOINTS, "topic", raising=False)
    kind, rest = kind_of("topic:/scan")
    assert kind is TOPICS
    assert rest == "/scan"
    del ENDPOINTS["topic"]


@pytest.mark.parametrize("text", ["tcp:1", "udp:", "ros:/scan"])
def test_unknown_endpoints_are_refused(text: str) -> None:
    with pytest.raises(EndpointRefused):
        kind_of(text)


class Topic(ScanSource, ScanSink):
    """As ROS would be: one more class."""

    published: list[bytes]
    waiting: list[bytes]

    def __init__(self, name: str, _bus: Callable[[], Bus]) -> None:
        self.name = name

    def run(self, take: Take) -> None:
        for data in self.waiting:
            take(data)

    def write(self, data: bytes) -> None:
        self.published.append(data)

    def close(self) -> None:
        """There is nothing to end."""


TOPICS = Endpoint(Topic, Topic)


def no_core() -> Bus:
    raise BusError("no Core")


def test_another_kind_of_endpoint_is_one_more_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(ENDPOINTS, "topic", raising=False)
    register("topic", TOPICS)
    Topic.waiting, Topic.published = [b"1", b"2"], []
    process = InjectionProcess(Settings("me", "topic:/scan", "topic:/altered"), no_core)
    process.run()
    del ENDPOINTS["topic"]
    assert Topic.published == [b"1", b"2"]
    assert process.status()["scans"]["in"] == 2
