import contextlib
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from movenv.gateways import http
from movenv.gateways.config import Entry
from movenv.gateways.fix import Fix, sound_fix
from movenv.gateways.inlet import Inlet
from movenv.gateways.part import GatewayFailed, Surroundings
from movenv.gateways.phone_http.codec import ENCODERS, decode
from movenv.gateways.phone_http.gateway import LARGEST_BODY, PhoneHttpGateway
from movenv.gateways.phone_http.post import Post
from movenv.world.kinds import Kind

Opened = Callable[..., tuple[httpx.Client, Inlet]]
QUERY = "/?id=medic&lat=48.1&lon=11.5"


def free_port() -> int:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return int(it.getsockname()[1])


def entry(vid: int, name: str, port: int = 47080, **config: Any) -> Entry:
    made = PhoneHttpGateway.Config.model_validate({"type": "phone_http", "port": port, **config})
    return Entry(vid, name, Kind.parse("pedestrian"), made)


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Opens a gateway for a medic (vid 3) and a scout with a token (vid 4)."""
    closing: list[Callable[[], None]] = []

    def make(**medic: Any) -> tuple[httpx.Client, Inlet]:
        port = free_port()
        inlet = Inlet()
        entries = [entry(3, "medic", port, **medic), entry(4, "scout", port, token="top secret")]
        gateway = PhoneHttpGateway(entries, inlet, Surroundings())
        gateway.open()
        closing.append(gateway.close)
        client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=5, trust_env=False)
        closing.append(client.close)
        return client, inlet

    yield make
    for close in reversed(closing):
        close()


def send(client: httpx.Client, post: Post) -> httpx.Response:
    url = quote(post.path) + (f"?{post.query}" if post.query else "")
    return client.post(url, content=post.body, headers=post.headers())


def a_fix(device: str, token: str = "") -> Fix:
    return sound_fix(
        48.1, 11.5, time=1_774_269_319.0, speed=10.0, course=90.0, device=device, token=token
    )


@pytest.mark.parametrize("app", sorted(ENCODERS))
def test_each_app_is_heard(opened: Opened, app: str) -> None:
    client, inlet = opened()
    for vid, fix in ((3, a_fix("medic")), (4, a_fix("scout", "top secret"))):
        answer = send(client, ENCODERS[app](fix))
        assert (answer.status_code, answer.json()) == (200, [])
        (arrival,) = inlet.drain()
        assert arrival.via == "phone_http"
        assert arrival.sender.startswith("127.0.0.1:")
        assert arrival.refused == ""
        ((found, heard),) = arrival.fixes
        assert found == vid
        assert (heard.lat, heard.lon, heard.time) == (48.1, 11.5, 1_774_269_319.0)
        assert heard.speed == pytest.approx(10.0, abs=0.001)


def test_what_is_recorded_can_be_decoded_again(opened: Opened) -> None:
    client, inlet = opened()
    send(client, ENCODERS["traccar"](a_fix("scout", "top secret")))
    (arrival,) = inlet.drain()
    assert decode(arrival.data) == [fix for _, fix in arrival.fixes]


def test_a_get_is_as_good_as_a_post(opened: Opened) -> None:
    client, inlet = opened()
    assert client.get(QUERY).status_code == 200
    assert inlet.drain()[0].fixes[0][0] == 3


def test_a_token_alone_says_who_it_is(opened: Opened) -> None:
    client, inlet = opened()
    assert client.get("/t/top%20secret?lat=48.1&lon=11.5").status_code == 200
    assert inlet.drain()[0].fixes[0][0] == 4


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("/?id=nobody&lat=48.1&lon=11.5", "unknown device"),
        ("/?lat=48.1&lon=11.5", "unknown device"),
        ("/?id=scout&lat=48.1&lon=11.5", "no token"),
        ("/?id=scout&lat=48.1&lon=11.5&token=guess", "wrong token"),
        ("/t/guess?id=scout&lat=48.1&lon=11.5", "wrong token"),
    ],
)
def test_strangers_are_turned_away(opened: Opened, url: str, reason: str) -> None:
    client, inlet = opened()
    answer = client.get(url)
    assert (answer.status_code, answer.json()) == (403, {"reason": reason})
    assert inlet.refused == {reason: 1}
    assert inlet.drain()[0].fixes == []


def test_another_address_is_turned_away_whatever_a_header_says(opened: Opened) -> None:
    client, _ = opened(address="192.0.2.7")
    answer = client.get(QUERY, headers={"X-Forwarded-For": "192.0.2.7"})
    assert (answer.status_code, answer.json()) == (403, {"reason": "other address"})


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[1]", b"a=b"])
def test_what_cannot_be_read_is_said_to_be_wrong(opened: Opened, body: bytes) -> None:
    client, inlet = opened()
    answer = client.post("/", content=body)
    assert answer.status_code == 400
    assert answer.json()["reason"] in inlet.refused


@pytest.mark.parametrize(
    "body", [b"", b'{"_type":"lwt"}', b'{"_type":"location","lat":0,"lon":0}', b'{"payload":[]}']
)
def test_what_tells_no_place_need_not_be_sent_again(opened: Opened, body: bytes) -> None:
    client, inlet = opened()
    answer = client.post("/", content=body)
    assert (answer.status_code, answer.json()) == (200, [])
    assert not inlet.refused
    assert [bool(arrival.empty) for arrival in inlet.drain()] == [True]


def test_a_large_body_is_not_read_to_its_end(opened: Opened) -> None:
    client, inlet = opened()
    assert client.post("/", content=b" " * LARGEST_BODY).status_code == 200
    answer = client.post("/", content=b" " * (LARGEST_BODY + 1))
    assert (answer.status_code, answer.json()) == (413, {"reason": "too large"})
    assert len(inlet.drain()) == 1


def test_many_phones_at_once(opened: Opened) -> None:
    client, inlet = opened()

    def post() -> None:
        for _ in range(20):
            assert client.get(QUERY).status_code == 200

    threads = [threading.Thread(target=post) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(len(arrival.fixes) for arrival in inlet.drain()) == 160


def test_words_that_are_not_http_do_no_harm(opened: Opened) -> None:
    client, _ = opened()
    with socket.create_connection(("127.0.0.1", client.base_url.port or 0)) as it:
        it.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        it.settimeout(2)
        assert b"400" in it.recv(1000)
    assert client.get(QUERY).status_code == 200


def test_who_connects_and_does_not_ask_is_cut_off(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "PATIENCE", 0.3)
    client, _ = opened()
    place = "127.0.0.1", client.base_url.port or 0
    heads = [b"", b"GET / HTTP/1.1\r\nHost:", b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT"]
    for head in heads:
        with socket.create_connection(place) as it:
            it.settimeout(2)
            it.sendall(head)
            end = time.monotonic() + 2
            with contextlib.suppress(ConnectionResetError):
                while it.recv(1000):
                    it.sendall(b"X")  # what it says further is never the end of a head
                    assert time.monotonic() < end
    assert client.get(QUERY).status_code == 200


def test_a_phone_that_asks_now_and_then_is_not_cut_off(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "PATIENCE", 0.2)
    client, inlet = opened()
    for _ in range(3):
        assert client.get(QUERY).status_code == 200
        time.sleep(0.3)
    assert len({arrival.sender for arrival in inlet.drain()}) == 1


def test_a_taken_port_is_told_in_words() -> None:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        it.listen()
        port = it.getsockname()[1]
        gateway = PhoneHttpGateway([entry(1, "medic", port)], Inlet(), Surroundings())
        with pytest.raises(GatewayFailed, match=f"TCP port {port} is in use"):
            gateway.open()
        gateway.close()


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    gateway = PhoneHttpGateway([entry(1, "medic", free_port())], Inlet(), Surroundings())
    with pytest.raises(GatewayFailed, match=r"pip install 'movenv\[phones\]'"):
        gateway.open()


def test_it_closes_within_a_second_though_somebody_is_not_done() -> None:
    port = free_port()
    gateway = PhoneHttpGateway([entry(1, "medic", port)], Inlet(), Surroundings())
    gateway.open()
    with socket.create_connection(("127.0.0.1", port)) as it:
        it.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
        time.sleep(0.1)
        begin = time.monotonic()
        gateway.close()
        assert time.monotonic() - begin < 1
        assert not any(thread.name == "phone_http" for thread in threading.enumerate())
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))
        again.listen()


def test_two_ports_have_one_thread() -> None:
    first, second = free_port(), free_port()
    inlet = Inlet()
    entries = [entry(1, "medic", first), entry(2, "scout", second)]
    gateway = PhoneHttpGateway(entries, inlet, Surroundings())
    gateway.open()
    try:
        for port in (first, second):
            with httpx.Client(trust_env=False) as client:
                assert client.get(f"http://127.0.0.1:{port}{QUERY}").status_code == 200
    finally:
        gateway.close()


def test_invitations() -> None:
    entries = [entry(1, "medic"), entry(2, "scout", device="abc", token="a/b c")]
    apps = "OwnTracks, Traccar Client, GPSLogger, Sensor Logger or SensorLog"
    assert PhoneHttpGateway(entries, Inlet(), Surroundings(shown="192.168.1.5")).invitations() == [
        f"medic: {apps}, HTTP to http://192.168.1.5:47080/ as device 'medic'",
        f"scout: {apps}, HTTP to http://192.168.1.5:47080/t/a%2Fb%20c as device 'abc'",
    ]
