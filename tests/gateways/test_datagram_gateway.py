"""The datagram gateway over real sockets: who is believed, and who is told."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from movenv.gateways.config import Entry
from movenv.gateways.datagram.gateway import DatagramConfig, DatagramGateway
from movenv.gateways.inlet import Arrival, Inlet
from movenv.gateways.part import GatewayFailed, Surroundings
from movenv.gateways.view import DATAGRAM, NearView, NoticeView, View
from movenv.world.kinds import Kind

EXAMPLE = Path(__file__).parents[2] / "examples" / "micropython_sender.py"


class Clock:
    now = 1.8e9

    def __call__(self) -> float:
        return self.now


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
        it.bind(("127.0.0.1", 0))
        port: int = it.getsockname()[1]
        return port


def entry(vid: int, name: str, **config: object) -> Entry:
    return Entry(vid, name, Kind("ground"), DatagramConfig(type="datagram", **config))


@pytest.fixture
def opened() -> Iterator[Callable[..., DatagramGateway]]:
    gateways = []

    def open_one(*entries: Entry, clock: Callable[[], float] = time.time) -> DatagramGateway:
        gateway = DatagramGateway(list(entries), Inlet(clock), Surroundings())
        gateway.open()
        gateways.append(gateway)
        return gateway

    yield open_one
    for gateway in gateways:
        gateway.close()


@pytest.fixture
def phones() -> Iterator[list[socket.socket]]:
    """Two on this machine and one at another address of it."""
    made = []
    for address in ("127.0.0.1", "127.0.0.1", "127.0.0.2"):
        it = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        it.bind((address, 0))
        it.settimeout(5)
        made.append(it)
    yield made
    for it in made:
        it.close()


def arrived(gateway: DatagramGateway, count: int) -> list[Arrival]:
    until, got = time.monotonic() + 10, []
    while len(got) < count and time.monotonic() < until:
        got += gateway.inlet.drain()
        time.sleep(0.005)
    assert len(got) == count
    return got


def packet(**values: object) -> bytes:
    return json.dumps({"lat": 48.0, "lon": 11.0} | values).encode()


def a_view(near: int = 0, notices: int = 0) -> View:
    crowd = [
        NearView(i, f"vehicle{i}", "ground", "virtual", *[1234.5678 + i] * 7) for i in range(near)
    ]
    told = [
        NoticeView(f"7-{i}-2", i, "truck", 2, "near", 12.34, 90.0, 3.0, 1.5, 1.8e9)
        for i in range(notices)
    ]
    return View("go", 1.0, 1.8e9, None, crowd, told)


def test_vehicles_are_known_by_id_by_vid_or_by_their_port(opened, phones) -> None:
    port = free_port()
    gateway = opened(
        entry(1, "ann", port=port),
        entry(2, "bob", port=port, device="AA:BB"),
        entry(300, "eve", port=port, own_port=True),
    )
    for data, where in [
        (packet(id="ANN", lat=1), port),
        (packet(id="aa:bb", lat=2), port),
        (packet(vid=2, lat=3), port),
        (packet(lat=4), port + 300),
    ]:
        phones[0].sendto(data, ("127.0.0.1", where))
    fixes = {fix.lat: vid for one in arrived(gateway, 4) for vid, fix in one.fixes}
    assert fixes == {1: 1, 2: 2, 3: 2, 4: 300}


def test_nameless_unknown_and_broken_datagrams_are_counted_and_the_next_is_heard(
    opened, phones
) -> None:
    port = free_port()
    gateway = opened(entry(1, "ann", port=port))
    for data in (packet(), packet(id="mallory"), packet(vid=9), b"\xff\0", packet(id="ann")):
        phones[0].sendto(data, ("127.0.0.1", port))
    got = arrived(gateway, 5)
    assert [one.refused for one in got] == [
        "unknown device",
        "unknown device",
        "unknown device",
        "neither JSON nor msgpack",
        "",
    ]
    assert got[-1].sender == f"127.0.0.1:{phones[0].getsockname()[1]}"
    assert got[-1].data == packet(id="ann")
    assert gateway.inlet.refused == {"unknown device": 3, "neither JSON nor msgpack": 1}


def test_who_asks_is_told_at_the_address_it_spoke_from_last(opened, phones) -> None:
    port = free_port()
    gateway = opened(entry(1, "ann", port=port), entry(2, "bob", port=port))
    assert gateway.wants() == set()
    phones[0].sendto(packet(id="ann", notify=True), ("127.0.0.1", port))
    phones[0].sendto(packet(id="bob"), ("127.0.0.1", port))
    arrived(gateway, 2)
    assert gateway.wants() == {1}
    gateway.tell({1: a_view(near=2), 2: a_view()})
    data, sender = phones[0].recvfrom(2000)
    assert sender == ("127.0.0.1", port)
    assert [one["name"] for one in json.loads(data)["near"]] == ["vehicle0", "vehicle1"]
    phones[1].sendto(packet(id="ann", notify=True), ("127.0.0.1", port))
    arrived(gateway, 1)
    gateway.tell({1: a_view()})
    assert json.loads(phones[1].recv(2000))["run_state"] == "go"
    phones[1].sendto(packet(id="ann"), ("127.0.0.1", port))
    arrived(gateway, 1)
    assert gateway.wants() == set(), "its latest word did not ask"
    phones[0].settimeout(0.1)
    with pytest.raises(TimeoutError):
        phones[0].recv(2000)


def test_a_stranger_cannot_redirect_or_end_the_notices_of_another(opened, phones) -> None:
    port = free_port()
    gateway = opened(entry(1, "ann", port=port, token="sesame"), entry(2, "bob", port=port))
    there = ("127.0.0.1", port)
    phones[0].sendto(packet(id="ann", token="sesame", notify=True), there)
    phones[0].sendto(packet(id="bob", notify=True), there)
    arrived(gateway, 2)
    for data in (
        packet(id="ann", token="guess", notify=True),
        packet(id="ann", notify=True),
        packet(vid=1, notify=False),
        packet(id="bob", notify=True),
        packet(id="bob", notify=False),
    ):
        phones[2].sendto(data, there)
    refused = [one.refused for one in arrived(gateway, 5)]
    assert refused == ["wrong token", "no token", "no token", "other address", "other address"]
    assert gateway.wants() == {1, 2}
    gateway.tell({1: a_view(), 2: a_view()})
    assert len([phones[0].recv(2000) for _ in range(2)]) == 2
    phones[2].settimeout(0.1)
    with pytest.raises(TimeoutError):
        phones[2].recv(2000)


def test_who_is_silent_for_half_a_minute_is_told_no_more(opened, phones) -> None:
    clock, port = Clock(), free_port()
    gateway = opened(entry(1, "ann", port=port), clock=clock)
    phones[0].sendto(packet(id="ann", notify=True), ("127.0.0.1", port))
    arrived(gateway, 1)
    clock.now += 29
    assert gateway.wants() == {1}
    clock.now += 2
    gateway.tell({1: a_view()})
    assert gateway.wants() == set()
    phones[0].settimeout(0.1)
    with pytest.raises(TimeoutError):
        phones[0].recv(2000)


def test_a_view_that_is_too_long_loses_the_farthest_first_and_then_notices() -> None:
    whole = a_view(near=3, notices=2)
    assert whole.fitted() == whole.encoded()
    crowded = json.loads(a_view(near=12, notices=2).fitted())
    assert [one["vid"] for one in crowded["near"]] == list(range(len(crowded["near"])))
    assert 0 < len(crowded["near"]) < 12
    assert len(crowded["notices"]) == 2
    alarmed = json.loads(a_view(near=3, notices=40).fitted())
    assert alarmed["near"] == []
    assert [one["vid"] for one in alarmed["notices"]] == list(range(len(alarmed["notices"])))
    assert 0 < len(alarmed["notices"]) < 40
    for near in range(13):
        assert len(a_view(near, 5).fitted()) <= DATAGRAM


def test_ports_that_are_taken_or_cannot_be_are_refused_in_words(opened) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(GatewayFailed, match=f"UDP port {port} is in use"):
            opened(entry(1, "ann", port=port))
    with pytest.raises(GatewayFailed, match="there is no UDP port 65536"):
        opened(entry(1, "ann", port=65535, own_port=True))
    with pytest.raises(GatewayFailed, match="one vehicle's own, and another's too"):
        opened(entry(1, "ann", port=40000, own_port=True), entry(2, "bob", port=40001))


def test_carriers_are_told_where_to_send() -> None:
    gateway = DatagramGateway(
        [entry(1, "ann"), entry(2, "bob", own_port=True)], Inlet(), Surroundings(shown="10.0.0.9")
    )
    assert gateway.invitations() == [
        'ann: send JSON datagrams to 10.0.0.9:47200 with "id": "ann"',
        "bob: send JSON datagrams to 10.0.0.9:47202",
    ]
    gateway.close()


def test_the_example_sender_is_heard_and_prints_its_notices(opened) -> None:
    port = free_port()
    gateway = opened(entry(1, "walker", port=port, token="sesame"))
    words = [sys.executable, "-u", str(EXAMPLE), "127.0.0.1", str(port), "walker", "sesame"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as sender:
        assert sender.stdout is not None
        try:
            (_, first), (_, second) = (one.fixes[0] for one in arrived(gateway, 2))
            gateway.tell({1: a_view(notices=1)})
            assert sender.stdout.readline() == "truck near 12.3 m away\n"
        finally:
            sender.kill()
    assert (first.sequence, second.sequence) == (0, 1)
    assert (first.lat, first.lon) == pytest.approx((29.193111, -81.045965), abs=1e-5)
    assert second.lat > first.lat, "it walks"


def test_the_example_reads_a_receiver_without_losing_digits() -> None:
    parts: dict[str, object] = {"__name__": "example"}
    exec(compile(EXAMPLE.read_text(), str(EXAMPLE), "exec"), parts)
    from_nmea: Callable[[str], str] = parts["from_nmea"]  # type: ignore[assignment]
    line = "$GPRMC,112233.40,A,4807.0381234,N,01131.0000006,W,010.0,084.4,290224,,,A*4E\r\n"
    said = json.loads("{" + from_nmea(line) + "}")
    assert said == {
        "lat": 48.1173020,
        "lon": -11.5166666,
        "t": 1709205753.4,
        "speed": 5.14,
        "course": 84.4,
    }
    assert from_nmea(line.replace("4807", "4817")) == "", "the checksum is wrong"
    assert from_nmea("$GPGGA,112233*40") == ""
