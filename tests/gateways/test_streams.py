"""Connections that break, come and go, and that nobody uses."""

import errno
import socket
import termios
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from movenv.gateways import streams
from movenv.gateways.nmea.serial_line import SerialConnection
from movenv.gateways.streams import StreamReader, TcpConnection, TcpListener

Heard = list[tuple[bytes, str]]


def until(true: Callable[[], bool], seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def free_port() -> int:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return int(it.getsockname()[1])


@pytest.fixture
def listening() -> Iterator[tuple[int, Heard]]:
    port, heard = free_port(), []
    listener = TcpListener([port], "127.0.0.1", lambda _: lambda *one: heard.append(one))
    listener.open()
    yield port, heard
    listener.close()


def said(heard: Heard) -> set[bytes]:
    return {data for data, _ in heard}


def connect(port: int, words: bytes = b"") -> socket.socket:
    it = socket.create_connection(("127.0.0.1", port), timeout=5)
    it.sendall(words)
    return it


def test_connections_that_nobody_uses_keep_nobody_out(listening, capsys) -> None:
    port, heard = listening
    with connect(port, b"receiver") as receiver:
        until(lambda: said(heard) == {b"receiver"})
        idle = [connect(port) for _ in range(2 * streams.MOST_CONNECTIONS)]
        with connect(port, b"newcomer"):
            until(lambda: b"newcomer" in said(heard))
            receiver.sendall(b"still here")
            until(lambda: b"still here" in said(heard))
        for one in idle:
            one.close()
    assert capsys.readouterr().out.count("TCP connections are taken") == 1


def test_who_has_spoken_keeps_its_place_until_it_is_silent_for_long(
    listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, heard = listening
    places = streams.MOST_CONNECTIONS
    clients = [connect(port, f"<{n}>".encode()) for n in range(places)]
    until(lambda: len(said(heard)) == places)
    with connect(port) as late:
        assert late.recv(1) == b"", "all places are in use"
    monkeypatch.setattr(streams, "SILENT_AFTER", 0.2)
    time.sleep(0.3)
    for one in clients[1:]:
        one.sendall(b"again")
    until(lambda: len(heard) == 2 * places - 1)
    with connect(port, b"newcomer"):
        until(lambda: b"newcomer" in said(heard))
        assert clients[0].recv(1) == b"", "the longest silent has made room"
    for one in clients:
        one.close()


def test_a_client_that_is_gone_when_it_is_let_in_does_no_harm(
    listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, heard = listening

    def fail(_: socket.socket) -> None:
        monkeypatch.undo()
        raise OSError(errno.EINVAL, "invalid argument")

    monkeypatch.setattr(streams, "_watch", fail)
    with connect(port) as gone:
        assert gone.recv(1) == b""
    with connect(port, b"next"):
        until(lambda: said(heard) == {b"next"})


def test_a_server_that_hangs_up_at_once_is_asked_ever_less_often_and_told_of_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "FIRST_WAIT", 0.05)
    told: list[str] = []
    came: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.02)
        port = server.getsockname()[1]
        reader = StreamReader(
            lambda closing: TcpConnection("127.0.0.1", port, closing),
            lambda: lambda data, sender: None,
            told.append,
        )
        reader.open()
        end = time.monotonic() + 1.2
        while time.monotonic() < end:
            try:
                client = server.accept()[0]
            except TimeoutError:
                continue
            came.append(time.monotonic())
            client.close()
        assert 3 <= len(came) <= 5, "after 0.05, 0.1, 0.2, 0.4 and 0.8 s"
        assert told == ["is connected", "is lost: the other side has ended it"]
        server.settimeout(8)
        with server.accept()[0] as client:
            client.sendall(b"data")
            time.sleep(0.3)
        until(lambda: told.count("is lost: the other side has ended it") == 2)
        began = time.monotonic()
        server.accept()[0].close()
        assert time.monotonic() - began < 1, "data make it a good one"
        reader.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "stream"]


def test_what_termios_says_of_a_serial_line_is_an_error_of_the_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise termios.error(errno.EIO, "Input/output error")

    monkeypatch.setattr("serial.Serial", fail)
    with pytest.raises(OSError, match="Input/output error") as raised:
        SerialConnection("/dev/ttyUSB0", 4800)
    assert raised.value.errno == errno.EIO
