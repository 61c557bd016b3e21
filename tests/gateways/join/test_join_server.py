"""The gateway over real sockets: who is let in, what is believed, what is told."""

import contextlib
import gc
import json
import re
import socket
import ssl
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, ConnectionClosedError
from websockets.sync.client import ClientConnection

from movenv.gateways import http
from movenv.gateways.fix import sound_fix
from movenv.gateways.join import codec, polling, server, site
from movenv.gateways.join.gateway import JoinGateway
from movenv.gateways.part import GatewayFailed

Make = Callable[..., Any]
KEY = "this-phone-0123456789"
OTHER = "another-phone-0123456789"
LINE = "line-0123456789abcd"


def heard(line: ClientConnection, kind: str, seconds: float = 5.0) -> dict[str, Any]:
    """The next message of a kind."""
    end = time.monotonic() + seconds
    while True:
        message: dict[str, Any] = json.loads(line.recv(timeout=end - time.monotonic()))
        if message["type"] == kind:
            return message


def fixes(*sequences: int) -> str:
    return codec.encode(
        [sound_fix(47 + n / 1e5, 8.0, time=1.79e9 + n, sequence=n) for n in sequences]
    ).decode()


def got(field: Any) -> list[tuple[int, int]]:
    field.take()
    return [(vid, fix.sequence) for vid, fix in field.fixes]


def test_a_phone_is_greeted_and_its_fixes_arrive_as_its_vehicles(field_day: Any) -> None:
    with field_day.phone() as phone:
        hello = heard(phone, "hello")
        assert hello["vehicle"] == "medic"
        assert hello["vid"] == 1
        assert hello["kind"] == "pedestrian"
        assert hello["scenario"] == "field day"
        assert hello["levels"] == ["advisory", "caution", "warning"]
        assert hello["areas"]["meadow"][0] == [-80, -90]
        phone.send(fixes(0, 1))
        assert heard(phone, "got")["seq"] == 1
        assert got(field_day) == [(1, 0), (1, 1)]
        assert field_day.packets == [fixes(0, 1).encode()]
        assert field_day.gateway.wants() == {1}
        assert field_day.said("join") == ["medic's phone joined from 127.0.0.1"]


def test_a_ping_tells_the_time_of_the_host(field_day: Any) -> None:
    with field_day.phone() as phone:
        phone.send('{"type":"ping","sent":12.5}')
        pong = heard(phone, "pong")
        assert pong["sent"] == 12.5
        assert abs(pong["utc"] - time.time()) < 5


def test_fixes_that_are_sent_again_count_once(field_day: Any) -> None:
    with field_day.phone() as phone:
        phone.send(fixes(0, 1, 2))
        heard(phone, "got")
    with field_day.phone() as phone:
        phone.send(fixes(1, 2, 3))
        assert heard(phone, "got")["seq"] == 3
    assert got(field_day) == [(1, 0), (1, 1), (1, 2), (1, 3)]


def test_a_phone_may_change_its_address_because_its_link_proves_who_it_is(field_day: Any) -> None:
    with field_day.phone() as phone:
        phone.send(fixes(0))
        heard(phone, "got")
    with field_day.phone(source_address=("127.0.0.2", 0)) as phone:
        phone.send(fixes(1))
        heard(phone, "got")
    assert got(field_day) == [(1, 0), (1, 1)]
    field_day.until(lambda: any("127.0.0.2" in text for text in field_day.said("back")))


def test_an_address_that_the_scenario_names_is_the_only_one(make_field: Make) -> None:
    field = make_field(config={"address": "127.0.0.2"})
    with field.phone() as phone:
        assert heard(phone, "refused")["why"] == "other address"
    with field.phone(source_address=("127.0.0.2", 0)) as phone:
        heard(phone, "hello")


def test_a_second_phone_on_a_link_is_refused_and_told_of(field_day: Any) -> None:
    with field_day.phone() as first, field_day.phone(OTHER) as second:
        assert heard(second, "refused")["why"] == "used by another phone"
        with pytest.raises(ConnectionClosed):
            second.recv(timeout=5)
        first.send(fixes(0))
        heard(first, "got")
        assert got(field_day) == [(1, 0)]
        assert field_day.inlet.refused["used by another phone"] == 1
        (text,) = field_day.said("stranger")
        assert text == "127.0.0.1 was refused as medic: used by another phone"


def test_an_unknown_link_is_refused_and_many_tries_are_told_of_once(field_day: Any) -> None:
    wrong = f"https://127.0.0.1:{field_day.port}/j/guessed"
    for _ in range(3):
        with field_day.phone(url=wrong) as phone:
            assert heard(phone, "refused")["why"] == "unknown link"
    assert field_day.inlet.refused["unknown link"] == 3
    assert len(field_day.said("stranger")) == 1


@pytest.mark.parametrize("first", ["", "{}", fixes(0), '{"type":"hello"}', b"\x00\xff"])
def test_who_does_not_begin_with_hello_is_refused(field_day: Any, first: str | bytes) -> None:
    with field_day.socket() as line:
        line.send(first)
        assert heard(line, "refused")["why"] == "no hello"
    assert got(field_day) == []
    assert not field_day.gateway.ask(["links"])["links"][0]["used"]


def test_who_says_nothing_is_cut_off(field_day: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "HELLO_WITHIN", 0.2)
    with field_day.socket() as line:
        assert heard(line, "refused", 3)["why"] == "no hello"


def test_a_revoked_link_is_closed_at_once_and_worthless(field_day: Any) -> None:
    with field_day.phone() as phone:
        heard(phone, "hello")
        url = field_day.url()
        assert field_day.gateway.ask(["revoke", "medic"]) == {"revoked": "medic"}
        assert heard(phone, "refused", 1)["why"] == "revoked link"
        with contextlib.suppress(ConnectionClosed):
            phone.send(fixes(0))
    with field_day.phone(url=url) as phone:
        assert heard(phone, "refused")["why"] == "revoked link"
    assert got(field_day) == []
    assert field_day.gateway.wants() == set()
    assert len(field_day.gateway.invitations()) == 1


def test_a_renewed_link_is_for_another_phone_and_the_old_one_is_dead(field_day: Any) -> None:
    with field_day.phone() as phone:
        phone.send(fixes(50))
        heard(phone, "got")
        old = field_day.url()
        new = field_day.gateway.ask(["renew", "medic"])["url"]
        assert heard(phone, "refused")["why"] == "revoked link"
    with field_day.phone(url=old) as phone:
        assert heard(phone, "refused")["why"] == "unknown link"
    with field_day.phone(OTHER, new) as phone:
        phone.send(fixes(0))  # its own count
        heard(phone, "got")
    assert got(field_day) == [(1, 50), (1, 0)]


def test_what_the_old_phone_still_says_is_nothing_to_a_renewed_link(field_day: Any) -> None:
    with field_day.phone() as phone:
        heard(phone, "hello")
        gateway = field_day.gateway
        line = gateway._phones[1].line

        def renew_while_it_speaks() -> list[str]:
            gateway._renew("medic")
            answers: list[str] = gateway._phones[1].hear(fixes(50).encode(), line)
            return answers

        assert gateway._server.ask(renew_while_it_speaks) == []
        assert gateway.wants() == set()
        assert heard(phone, "refused")["why"] == "revoked link"
    with field_day.phone(OTHER) as phone:
        phone.send(fixes(0))
        heard(phone, "got")
    assert got(field_day) == [(1, 0)]
    field_day.until(lambda: len(field_day.said("left")) == 2)


def test_links_and_their_phones_survive_a_restart(field_day: Any) -> None:
    with field_day.phone() as phone:
        heard(phone, "hello")
        url = field_day.url()
        field_day.reopen()
        with pytest.raises(ConnectionClosed) as closed:
            heard(phone, "refused")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012  # come back
    assert field_day.url() == url
    with field_day.phone(OTHER) as stranger:
        assert heard(stranger, "refused")["why"] == "used by another phone"
    with field_day.phone() as phone:
        phone.send(fixes(0))
        heard(phone, "got")
    assert got(field_day) == [(1, 0)]
    assert "medic's phone is back, from 127.0.0.1" in field_day.said("back")
    kept = field_day.folder / "state" / "join.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_without_a_folder_links_live_in_memory(make_field: Make, tmp_path: Path) -> None:
    field = make_field(keep=False)
    first = field.url()
    field.reopen()
    assert field.url() != first
    assert not (tmp_path / "state").exists()


def test_a_phone_that_leaves_and_comes_back_is_told_of(field_day: Any) -> None:
    with field_day.phone() as phone:
        heard(phone, "hello")
    field_day.until(lambda: field_day.said("left") == ["medic's phone left"])
    time.sleep(1.1)
    with field_day.phone() as phone:
        heard(phone, "hello")
        assert field_day.said("back") == ["medic's phone is back after 1 s, from 127.0.0.1"]


def test_a_phone_that_falls_silent_has_left_though_nobody_closed_the_line(
    make_field: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LOST_AFTER", 1.0)
    field = make_field()
    hello = codec.encode_hello(KEY)
    path = httpx.URL(field.url()).path
    with bare(field) as line:
        line.sendall(
            f"GET {path}/ws HTTP/1.1\r\nHost: x\r\n".encode()
            + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + b"Sec-WebSocket-Key: c2l4dGVlbiBieXRlcyBvaw==\r\n\r\n"
        )
        assert line.recv(1000).startswith(b"HTTP/1.1 101 ")
        line.sendall(bytes([0x81, 0x80 | len(hello), 0, 0, 0, 0]) + hello)
        field.until(lambda: bool(field.said("join")))
        since = time.monotonic()
        field.until(lambda: field.said("left") == ["medic's phone left"])
        assert 0.9 < time.monotonic() - since < 4.0


def test_the_newer_of_two_tabs_is_the_phone(field_day: Any) -> None:
    with field_day.phone() as old, field_day.phone() as new:
        heard(new, "hello")
        assert heard(old, "refused")["why"] == "open in another tab"
        assert field_day.gateway.wants() == {1}
        assert field_day.said("left") == []


def test_garbage_is_counted_and_does_not_end_the_talk(field_day: Any) -> None:
    strange: list[str | bytes] = [
        "",
        "{",
        "null",
        b"\x00\x01\xff",
        "[" * 100_000,
        '{"type":"hello","key":"again-0123456789abcdef"}',
        '{"type":"ack","id":7}',
        '{"type":"fixes","fixes":[{"seq":0,"time":0,"lat":1e400,"lon":0}]}',
        '{"type":"fixes","fixes":[{"seq":0,"time":0,"lat":99,"lon":0}]}',
        '{"type":"ping","sent":"noon"}',
        "é" * 1000,
        " " * (codec.LARGEST - 10),
    ]
    with field_day.phone() as phone:
        for message in strange:
            phone.send(message)
        phone.send(fixes(5))
        while heard(phone, "got")["seq"] != 5:
            pass
        assert got(field_day) == [(1, 5)]
        assert field_day.inlet.refused["garbled"] >= 8
        assert field_day.inlet.refused["no place on the globe"] >= 1


def test_a_message_of_more_than_a_mebibyte_is_not_read_and_the_phone_may_come_back(
    field_day: Any,
) -> None:
    with field_day.phone() as phone:
        heard(phone, "hello")
        with contextlib.suppress(ConnectionClosed):
            phone.send("x" * (codec.LARGEST + 1))
        with pytest.raises(ConnectionClosedError):
            phone.recv(timeout=5)
    with field_day.phone() as phone:
        phone.send(fixes(0))
        heard(phone, "got")


def test_a_page_is_told_the_view_of_its_own_vehicle(field_day: Any, make_view: Make) -> None:
    with field_day.phone() as phone:
        heard(phone, "hello")
        field_day.gateway.tell({1: make_view("PAUSE"), 2: make_view("GO")})
        view = heard(phone, "view")
        assert view["run_state"] == "PAUSE"
        assert view["near"][0]["name"] == "drone-3"
        field_day.gateway.tell({2: make_view("GO")})
        field_day.gateway.tell({1: make_view("STOP")})
        assert heard(phone, "view")["run_state"] == "STOP"


def test_a_page_is_told_at_most_ten_times_a_second(field_day: Any, make_view: Make) -> None:
    with field_day.phone() as phone:
        heard(phone, "hello")
        begin = time.monotonic()
        for n in range(200):
            field_day.gateway.tell({1: make_view(t=float(n))})
            time.sleep(0.005)
        times = []
        while not times or times[-1] != 199:
            times.append(heard(phone, "view")["t"])
        assert 3 <= len(times) <= (time.monotonic() - begin) * 10 + 2
        assert times == sorted(times)


def test_a_phone_that_does_not_read_gets_the_newest_and_never_a_queue(
    field_day: Any, make_view: Make
) -> None:
    large = "x" * 3_000_000
    with field_day.phone(max_queue=1, max_size=None, compression=None) as phone:
        heard(phone, "hello")
        for n in range(25):  # 75 MB if all were sent, and no network holds so much
            field_day.gateway.tell({1: make_view(large, t=float(n))})
            time.sleep(0.1)
        times = []
        while not times or times[-1] != 24:
            times.append(heard(phone, "view", 20)["t"])
        assert len(times) <= 15


def test_no_more_views_are_on_their_way_than_a_page_may_be_behind(
    field_day: Any, make_view: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "MOST_BEHIND", 3)
    with field_day.phone() as phone:
        phone.send('{"type":"ping","sent":0,"views":0}')
        heard(phone, "pong")
        for n in range(8):
            field_day.gateway.tell({1: make_view(t=float(n))})
            time.sleep(0.15)
        assert [heard(phone, "view")["t"] for _ in range(3)] == [0, 1, 2]
        with pytest.raises(TimeoutError):
            phone.recv(timeout=0.3)
        phone.send('{"type":"ping","sent":0,"views":3}')
        assert heard(phone, "view")["t"] == 7


def test_an_acknowledgement_is_told_with_its_times(
    field_day: Any, make_view: Make, make_notice: Make
) -> None:
    with field_day.phone() as phone:
        heard(phone, "hello")
        field_day.gateway.tell({1: make_view(notices=[make_notice(3, "n1")])})
        heard(phone, "view")
        phone.send('{"type":"shown","id":"n1","delay":0.0412}')
        phone.send('{"type":"ack","id":"n1","reaction":1.84}')
        field_day.until(lambda: len(field_day.said("ack")) == 1)
        assert field_day.said("ack") == [
            "medic acknowledged warning of drone-3 after 1.8 s, shown after 0.04 s"
        ]


def test_only_what_a_page_was_told_can_be_acknowledged_and_only_once(
    field_day: Any, make_view: Make, make_notice: Make
) -> None:
    with field_day.phone() as phone:
        heard(phone, "hello")
        field_day.gateway.tell({1: make_view(notices=[make_notice(3, "n1")])})
        heard(phone, "view")
        for name in ("of another time", "n1", "n1"):
            phone.send(json.dumps({"type": "ack", "id": name, "reaction": 1}))
        phone.send('{"type":"ping","sent":0}')
        heard(phone, "pong")
        assert field_day.said("ack") == ["medic acknowledged warning of drone-3 after 1.0 s"]


def test_after_stop_closing_says_that_the_run_is_over(field_day: Any, make_view: Make) -> None:
    with field_day.phone() as phone:
        heard(phone, "hello")
        field_day.gateway.tell({1: make_view("STOP")})
        heard(phone, "view")
        field_day.gateway.close()
        assert heard(phone, "refused")["why"] == "the run is over"


def test_after_stop_closing_waits_until_a_page_that_polls_has_asked(
    field_day: Any, make_view: Make
) -> None:
    with web(field_day) as client:
        talk = field_day.url() + "/talk"
        client.post(talk, content=asked())
        field_day.gateway.tell({1: make_view("STOP")})
        closing = threading.Thread(target=field_day.gateway.close)
        closing.start()
        time.sleep(0.4)  # as pages do between two requests
        last = client.post(talk, content=asked(KEY, LINE, fixes(0)))
        assert kinds(last) == ["got", "view", "refused"]
        assert last.json()[-1]["why"] == "the run is over"
        begin = time.monotonic()
        closing.join(5)
        assert time.monotonic() - begin < 1
    assert got(field_day) == [(1, 0)]


def test_closing_does_not_wait_long_for_a_page_that_asks_no_more(
    field_day: Any, make_view: Make
) -> None:
    with web(field_day) as client:
        client.post(field_day.url() + "/talk", content=asked())
        field_day.gateway.tell({1: make_view("STOP")})
        begin = time.monotonic()
        field_day.gateway.close()
        assert time.monotonic() - begin < 3
        assert not any(thread.name == "join" for thread in threading.enumerate())


def test_closing_takes_less_than_a_second_whoever_hangs_on(field_day: Any) -> None:
    idle = socket.create_connection(("127.0.0.1", field_day.port))
    with idle, field_day.phone() as phone:
        heard(phone, "hello")
        begin = time.monotonic()
        field_day.gateway.close()
        assert time.monotonic() - begin < 1
        assert not any(thread.name == "join" for thread in threading.enumerate())


def test_who_comes_while_it_closes_leaves_no_line_open(field_day: Any) -> None:
    """What nobody closed is told when it is cleared away, and fails the test."""
    over, held = threading.Event(), []
    trust = ssl.create_default_context(cafile=field_day.folder / "tls" / "cert.pem")

    def come() -> None:
        # Over a plain socket: one that TLS has wrapped may be lost unclosed by `ssl` itself.
        while not over.is_set():
            heard, said = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = trust.wrap_bio(heard, said, server_hostname="127.0.0.1")
            with contextlib.suppress(OSError):
                line = socket.create_connection(("127.0.0.1", field_day.port), timeout=1)
                held.append(line)
                shaken = False
                while not shaken and not over.is_set():
                    with contextlib.suppress(ssl.SSLWantReadError):
                        tls.do_handshake()
                        shaken = True
                    line.sendall(said.read())
                    if not shaken and not heard.write(line.recv(65536)):
                        break

    comers = [threading.Thread(target=come) for _ in range(4)]
    for comer in comers:
        comer.start()
    for _ in range(5):
        field_day.reopen()
    over.set()
    for comer in comers:
        comer.join()
    field_day.gateway.close()
    for line in held:
        line.close()
    assert len(held) > 50
    gc.collect()


def test_a_port_that_is_taken_is_named(make_field: Make) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(GatewayFailed, match=f"TCP port {port} is in use"):
            make_field(port=port)


def test_broken_links_on_disk_are_said_in_words(make_field: Make, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "join.json").write_text("[{")
    with pytest.raises(GatewayFailed, match=r"join\.json .* delete it"):
        make_field()


def test_an_operator_sees_the_links(field_day: Any) -> None:
    with field_day.phone() as phone:
        heard(phone, "hello")
        medic, rover = field_day.gateway.ask(["links"])["links"]
        assert (medic["used"], medic["connected"]) == (True, True)
        assert (rover["used"], rover["connected"]) == (False, False)
        assert field_day.gateway.invitations()[0].endswith(f"medic: {medic['url']}")
        assert medic["url"].startswith(f"https://127.0.0.1:{field_day.port}/j/")


@pytest.mark.parametrize("words", [[], ["dance"], ["links", "x"], ["revoke"], ["renew", "nobody"]])
def test_what_an_operator_cannot_ask_is_said_in_words(field_day: Any, words: list[str]) -> None:
    with pytest.raises(ValueError, match=r"join knows|no vehicle 'nobody'"):
        field_day.gateway.ask(words)


def test_a_token_in_the_scenario_is_refused() -> None:
    with pytest.raises(ValueError, match="a link has a secret of its own"):
        JoinGateway.Config.model_validate({"type": "join", "token": "secret"})


def web(field: Any) -> httpx.Client:
    trust = ssl.create_default_context(cafile=field.folder / "tls" / "cert.pem")
    return httpx.Client(verify=trust, base_url=f"https://127.0.0.1:{field.port}")


def asked(key: str = KEY, line: str = LINE, *said: str) -> str:
    return json.dumps({"line": line, "key": key, "said": [json.loads(one) for one in said]})


def kinds(answer: httpx.Response) -> list[str]:
    return [message["type"] for message in answer.json()]


def test_a_page_without_sockets_asks_and_is_answered(field_day: Any, make_view: Make) -> None:
    with web(field_day) as client:
        talk = field_day.url() + "/talk"
        ping = '{"type":"ping","sent":1}'
        first = client.post(talk, content=asked(OTHER, "first-0123456789", fixes(0), ping))
        assert kinds(first) == ["hello", "got", "pong"]
        assert got(field_day) == [(1, 0)]
        field_day.gateway.tell({1: make_view()})
        field_day.gateway.ask(["links"])  # by then it is told
        assert kinds(client.post(talk, content=asked(OTHER, "first-0123456789"))) == ["view"]
        stranger = client.post(talk, content=asked())
        assert stranger.json()[0]["why"] == "used by another phone"
        # The same phone in another tab, and with a socket after that.
        assert kinds(client.post(talk, content=asked(OTHER, "later-0123456789"))) == ["hello"]
        ended = client.post(talk, content=asked(OTHER, "first-0123456789", fixes(9)))
        assert ended.json()[0]["why"] == "open in another tab"
        with field_day.phone(OTHER) as phone:
            heard(phone, "hello")
            ended = client.post(talk, content=asked(OTHER, "later-0123456789", fixes(9)))
            assert ended.json()[0]["why"] == "open in another tab"
            assert field_day.gateway.wants() == {1}
        assert got(field_day) == [(1, 0)]


def test_two_pages_may_give_their_lines_the_same_name(field_day: Any) -> None:
    with web(field_day) as client:
        medic, rover = field_day.url() + "/talk", field_day.url("<b>rover</b> & co") + "/talk"
        assert kinds(client.post(medic, content=asked())) == ["hello"]
        assert kinds(client.post(rover, content=asked(OTHER))) == ["hello"]
        assert kinds(client.post(medic, content=asked(KEY, LINE, fixes(0)))) == ["got"]
        assert field_day.gateway.wants() == {1, 2}
        assert field_day.said("back") == []


def test_a_page_that_asks_no_more_has_left(field_day: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "LOST_AFTER", 0.3)
    with web(field_day) as client:
        client.post(field_day.url() + "/talk", content=asked())
        assert field_day.gateway.wants() == {1}
        field_day.until(lambda: field_day.said("left") == ["medic's phone left"], 3)
        assert field_day.gateway.wants() == set()


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ("", 400),
        ("[]", 400),
        ("[" * 100_000, 400),
        ('{"line":"short","key":"0123456789abcdef"}', 400),
        ('{"line":"0123456789abcdef","key":""}', 400),
        (" " * (codec.LARGEST + 1), 413),
    ],
)
def test_requests_that_are_none_are_refused(field_day: Any, content: str, status: int) -> None:
    with web(field_day) as client:
        assert client.post(field_day.url() + "/talk", content=content).status_code == status
    assert field_day.gateway.wants() == set()


def bare(field: Any) -> ssl.SSLSocket:
    """A line through which nothing was said yet."""
    trust = ssl.create_default_context(cafile=field.folder / "tls" / "cert.pem")
    plain = socket.create_connection(("127.0.0.1", field.port), timeout=3)
    return trust.wrap_socket(plain, server_hostname="127.0.0.1")


def begun(field: Any, path: str) -> ssl.SSLSocket:
    """A request whose body never ends."""
    line = bare(field)
    line.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n[".encode())
    return line


def whole(line: ssl.SSLSocket) -> bytes:
    """All that comes until it is closed."""
    with line:
        return b"".join(iter(lambda: line.recv(10_000), b""))


def test_a_link_is_looked_at_before_what_is_said_through_it(field_day: Any) -> None:
    answer = whole(begun(field_day, "/j/guessed/talk"))
    assert b'"why":"unknown link"' in answer
    assert field_day.inlet.refused["unknown link"] == 1


def test_who_does_not_finish_is_not_waited_for(
    field_day: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "PATIENCE", 0.3)
    path = httpx.URL(field_day.url()).path
    assert whole(begun(field_day, path + "/talk")).startswith(b"HTTP/1.1 408 ")


def test_who_connects_and_never_speaks_tls_or_http_is_cut_off(
    make_field: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "PATIENCE", 0.3)
    field = make_field()
    with socket.create_connection(("127.0.0.1", field.port), timeout=3) as mute:
        assert mute.recv(1) == b""
        with (
            bare(field) as line,
            contextlib.suppress(ssl.SSLEOFError, ConnectionResetError),
        ):
            assert line.recv(1) == b""
    with field.phone() as phone:
        heard(phone, "hello")
        time.sleep(0.5)
        phone.send(fixes(0))
        heard(phone, "got")


def test_the_page_comes_with_headers_that_keep_the_link_secret(field_day: Any) -> None:
    with web(field_day) as client:
        for path in (field_day.url(), "/page/main.js", "/page/nothing.js", "/j/guessed"):
            headers = client.get(path).headers
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cache-control"] == "no-store"
            assert headers["x-content-type-options"] == "nosniff"
            assert "default-src 'self'" in headers["content-security-policy"]
            assert "server" not in headers


def test_a_foreign_name_is_text_in_the_page(field_day: Any) -> None:
    with web(field_day) as client:
        page = client.get(field_day.url("<b>rover</b> & co")).text
        assert 'data-vehicle="&lt;b&gt;rover&lt;/b&gt; &amp; co"' in page
        assert "<b>rover" not in page


def test_who_guesses_links_or_files_finds_nothing(field_day: Any) -> None:
    with web(field_day) as client:
        page = client.get("/j/guessed")
        assert page.status_code == 404
        assert "medic" not in page.text
        for path in ("/", "/page/index.html", "/page/..%2Fcodec.py", "/page/", "/j/"):
            assert client.get(path).status_code == 404


def test_the_page_asks_nobody_else_for_anything() -> None:
    for file in site.PAGE.iterdir():
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://\w|//\w+\.\w+/", text), file
        assert "innerHTML" not in text, file
