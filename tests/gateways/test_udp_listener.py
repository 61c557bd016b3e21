import queue
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from movenv.gateways.part import GatewayFailed
from movenv.gateways.udp import UdpListener

Heard = queue.Queue[tuple[bytes, str, int]]


@pytest.fixture
def heard() -> Heard:
    return queue.Queue()


@pytest.fixture
def phone() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
        it.bind(("127.0.0.1", 0))
        it.settimeout(2)
        yield it


def listening(ports: list[int], heard: Heard) -> UdpListener:
    it = UdpListener(ports, "127.0.0.1", lambda *datagram: heard.put(datagram))
    it.open()
    return it


def test_a_datagram_comes_with_its_sender_and_port(heard: Heard, phone: socket.socket) -> None:
    listener = listening([0, 0, 0], heard)
    try:
        for i, port in enumerate(listener.ports):
            phone.sendto(b"fix %d" % i, ("127.0.0.1", port))
            sender = f"127.0.0.1:{phone.getsockname()[1]}"
            assert heard.get(timeout=2) == (b"fix %d" % i, sender, port)
    finally:
        listener.close()


def test_an_answer_leaves_from_the_port_it_was_asked_at(heard: Heard, phone: socket.socket) -> None:
    listener = listening([0], heard)
    try:
        phone.sendto(b"hello", ("127.0.0.1", listener.ports[0]))
        _, sender, port = heard.get(timeout=2)
        assert listener.send(b"welcome", sender, port)
        assert phone.recvfrom(100) == (b"welcome", ("127.0.0.1", port))
    finally:
        listener.close()


def test_nothing_leaves_once_closed(heard: Heard) -> None:
    listener = listening([0], heard)
    listener.close()
    assert not listener.send(b"late", "127.0.0.1:9", listener.ports[0])


def test_hundreds_of_ports_take_one_thread(heard: Heard, phone: socket.socket) -> None:
    before = threading.active_count()
    listener = listening([0] * 300, heard)
    try:
        assert threading.active_count() == before + 1
        for port in listener.ports:
            phone.sendto(b"x", ("127.0.0.1", port))
        assert {heard.get(timeout=2)[2] for _ in listener.ports} == set(listener.ports)
    finally:
        listener.close()


def test_a_taken_port_is_told_in_words(heard: Heard, phone: socket.socket) -> None:
    taken = phone.getsockname()[1]
    listener = UdpListener([0, taken], "127.0.0.1", lambda *datagram: heard.put(datagram))
    with pytest.raises(GatewayFailed, match=f"UDP port {taken} is in use"):
        listener.open()


def test_an_address_of_another_machine_is_told_in_words() -> None:
    with pytest.raises(GatewayFailed, match=r"no address 203\.0\.113\.1"):
        UdpListener([0], "203.0.113.1", lambda *datagram: None).open()


def test_a_failing_handler_does_not_end_the_thread(
    phone: socket.socket, heard: Heard, capsys: pytest.CaptureFixture[str]
) -> None:
    def handler(data: bytes, sender: str, port: int) -> None:
        if data == b"bad":
            raise RuntimeError("no")
        heard.put((data, sender, port))

    listener = UdpListener([0], "127.0.0.1", handler)
    listener.open()
    try:
        for data in (b"bad", b"bad", b"good"):
            phone.sendto(data, ("127.0.0.1", listener.ports[0]))
        assert heard.get(timeout=2)[0] == b"good"
        assert listener.failures == {"RuntimeError: no": 2}
        assert capsys.readouterr().err == "a datagram could not be taken: RuntimeError: no\n"
    finally:
        listener.close()


def test_it_closes_within_a_second_even_under_fire(heard: Heard, phone: socket.socket) -> None:
    listener = listening([0], heard)
    stop = threading.Event()

    def fire() -> None:
        while not stop.is_set():
            phone.sendto(b"x", ("127.0.0.1", listener.ports[0]))

    gunner = threading.Thread(target=fire)
    gunner.start()
    try:
        heard.get(timeout=2)
        begin = time.monotonic()
        listener.close()
        listener.close()
        assert time.monotonic() - begin < 1
        assert not any(t.name == "udp" for t in threading.enumerate())
    finally:
        stop.set()
        gunner.join()
