"""The console's server, asked as a browser or a stranger would."""

import http.client
import json
import socket as socket_module
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.web.serving import serving
from tests.web.synthetic import SyntheticFeed
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from movenv.scenario.map_schema import MapLayer
from movenv.scenario.recorded import scenario_of
from movenv.web.access import Access, Role
from movenv.web.app import Console
from movenv.web.hello import hello
from movenv.web.layers import Layers
from movenv.web.page import PageFile
from movenv.world.run_state import RunState

ACCESS = Access("operators-secret", "observers-secret")
PAGE = {
    "index.html": PageFile(b"<html>", "text/html", '"a"'),
    "console.js": PageFile(b"1", "text/javascript", '"b"'),
}


def console(feed: SyntheticFeed, folder: Path | None = None, operated: bool = True) -> Console:
    scenario = scenario_of(feed.record, feed.source)
    field = MapLayer(name="field", file="field.geojson")
    layers = Layers([field, MapLayer(name="gone", file="gone.geojson")], folder)
    greeting = hello(feed, scenario, layers.described())
    return Console(feed, feed if operated else None, ACCESS, layers, greeting, PAGE)


@pytest.fixture
def feed() -> SyntheticFeed:
    return SyntheticFeed(12)


@pytest.fixture
def client(feed: SyntheticFeed, tmp_path: Path) -> Iterator[httpx.Client]:
    (tmp_path / "field.geojson").write_text('{"type": "FeatureCollection", "features": []}')
    (tmp_path / "secret.txt").write_text("secret")
    with serving(console(feed, tmp_path)) as url, httpx.Client(base_url=url) as client:
        yield client


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


OPERATOR, OBSERVER = bearer(ACCESS.operator), bearer(ACCESS.observer)
DEEDS: list[tuple[str, str, dict[str, Any] | None]] = [
    ("POST", "/api/state", {"state": "PAUSE"}),
    ("POST", "/api/marks", {"text": "hello"}),
    ("POST", "/api/orders", {"what": "hold"}),
    ("POST", "/api/links/medic", {"action": "revoke"}),
    ("GET", "/api/links", None),
    ("POST", "/api/wheels/ground-2", None),
    ("DELETE", "/api/wheels/ground-2", None),
]
LOOKS = [
    "/api/run",
    "/api/status",
    "/api/orders",
    "/api/distances?vid=1&other=2",
    "/api/layers/field",
]


# --- who may do what


@pytest.mark.parametrize(("method", "path", "body"), DEEDS)
@pytest.mark.parametrize(
    ("headers", "code"),
    [({}, 401), (OBSERVER, 403), (bearer("wrong"), 401), ({"Authorization": "Basic b3A="}, 401)],
)
def test_only_the_operators_token_changes_anything(
    client: httpx.Client, feed: SyntheticFeed, method: str, path: str, body: Any,
    headers: dict[str, str], code: int,
) -> None:  # fmt: skip
    before = feed.machine.state, list(feed.events)
    assert client.request(method, path, json=body, headers=headers).status_code == code
    assert (feed.machine.state, feed.events, feed.changed_links) == (*before, [])


def test_a_token_in_the_address_is_none(client: httpx.Client) -> None:
    url = f"/api/state?token={ACCESS.operator}"
    assert client.post(url, json={"state": "PAUSE"}).status_code == 401


@pytest.mark.parametrize("path", LOOKS)
def test_looking_takes_a_token_too(client: httpx.Client, path: str) -> None:
    assert client.get(path).status_code == 401
    assert client.get(path, headers=OBSERVER).status_code == 200
    assert client.get(path, headers=OPERATOR).status_code == 200


# --- what an operator does


def test_a_command_changes_the_run_and_is_in_the_log(
    client: httpx.Client, feed: SyntheticFeed
) -> None:
    body = {"state": "PAUSE", "who": "director"}
    answer = client.post("/api/state", json=body, headers=OPERATOR)
    assert answer.json() == {"state": "PAUSE", "silent": []}
    assert (feed.events[-1].text, feed.events[-1].who) == ("GO to PAUSE", "director (console)")


def test_an_illegal_command_is_refused_in_words(client: httpx.Client) -> None:
    answer = client.post("/api/state", json={"state": "SET"}, headers=OPERATOR)
    assert answer.status_code == 409
    assert answer.json()["detail"] == "cannot go from GO to SET; legal: PAUSE, STOP"


@pytest.mark.parametrize(
    "body", [{}, {"state": "FLY"}, {"state": "GO", "more": 1}, [], "GO", {"state": 3}]
)
def test_nonsense_is_refused(client: httpx.Client, body: Any) -> None:
    assert client.post("/api/state", json=body, headers=OPERATOR).status_code == 422


def test_a_mark_is_set(client: httpx.Client, feed: SyntheticFeed) -> None:
    answer = client.post("/api/marks", json={"text": "boat turned"}, headers=OPERATOR)
    assert answer.status_code == 201
    assert (feed.events[-1].kind, feed.events[-1].text) == ("mark", "boat turned")
    assert client.post("/api/marks", json={"text": ""}, headers=OPERATOR).status_code == 422
    surrogate = client.post(
        "/api/marks",
        content=b'{"text": "\\ud800"}',
        headers=OPERATOR | {"Content-Type": "application/json"},
    )
    assert surrogate.status_code == 422
    long = {"text": "x" * 501}
    assert client.post("/api/marks", json=long, headers=OPERATOR).status_code == 422


def test_an_order_is_handed_on_as_it_was_said(client: httpx.Client, feed: SyntheticFeed) -> None:
    name = feed.record.roster.names[0]
    body = {
        "what": "go", "vehicles": [name], "unit": None, "speed": 4, "who": "ann",
        "to": [{"lat": 29.1, "lon": -81.5}, {"lat": 29, "lon": -81, "alt": 5}, [3, 4], [1, 2, 3]],
    }  # fmt: skip
    answer = client.post("/api/orders", json=body, headers=OPERATOR)
    assert (answer.status_code, answer.json()["vehicles"]) == (201, [name])
    del body["unit"], body["who"]
    assert feed.orders == [body]
    assert (feed.events[-1].kind, feed.events[-1].who) == ("order", "ann (console)")


def test_an_order_that_cannot_be_is_refused_in_words(client: httpx.Client) -> None:
    body = {"what": "hold", "vehicles": ["nobody"]}
    answer = client.post("/api/orders", json=body, headers=OPERATOR)
    assert (answer.status_code, answer.json()) == (409, {"detail": "no vehicle is called that"})


@pytest.mark.parametrize(
    "body", [{}, {"what": "hold", "more": 1}, {"what": "go", "to": [{"lat": 3}]}, {"what": 3}]
)
def test_an_order_that_makes_no_sense_is_refused(client: httpx.Client, body: Any) -> None:
    assert client.post("/api/orders", json=body, headers=OPERATOR).status_code == 422


def test_join_links_come_with_their_codes(client: httpx.Client, feed: SyntheticFeed) -> None:
    (link,) = client.get("/api/links", headers=OPERATOR).json()
    assert link["vehicle"] == "medic"
    assert link["svg"].lstrip().startswith("<?xml")
    renew = {"action": "renew"}
    assert client.post("/api/links/medic", json=renew, headers=OPERATOR).status_code == 204
    assert feed.changed_links == [("medic", "renew")]
    assert client.post("/api/links/nobody", json=renew, headers=OPERATOR).status_code == 409


def test_in_a_replay_there_is_nothing_to_operate(feed: SyntheticFeed) -> None:
    with serving(console(feed, operated=False)) as url, httpx.Client(base_url=url) as client:
        for method, path, body in DEEDS:
            answer = client.request(method, path, json=body, headers=OPERATOR)
            assert answer.status_code == 409
            assert "replay" in answer.json()["detail"]


# --- what can be read


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/console.js/../../secret.txt",
        "//etc/passwd", "/etc/passwd", "/api/layers/..%2fsecret.txt", "/api/layers/secret.txt",
        "/api/layers/gone", "/static/x", "/__init__.py", "/docs", "/redoc", "/openapi.json",
        "/api/layers/field.geojson", "/index.html%00", "/console.js%5c..", "/.env",
    ],
)  # fmt: skip
def test_nothing_else_can_be_read(client: httpx.Client, path: str) -> None:
    line = http.client.HTTPConnection(client.base_url.host, client.base_url.port or 0)
    line.request("GET", path, headers=OPERATOR)  # as it stands, not tidied up by a client
    answer = line.getresponse()
    assert answer.status == 404
    assert b"secret" not in answer.read()
    line.close()


def test_the_page_and_nothing_of_it_is_secret(client: httpx.Client) -> None:
    answer = client.get("/")
    assert answer.content == b"<html>"
    assert "object-src 'none'" in answer.headers["content-security-policy"]
    assert client.get("/console.js").headers["content-type"].startswith("text/javascript")
    assert client.get("/", headers={"If-None-Match": '"a"'}).status_code == 304


def test_a_layers_file_can_be_read_in_pieces(client: httpx.Client) -> None:
    headers = OBSERVER | {"Range": "bytes=2-5"}
    answer = client.get("/api/layers/field", headers=headers)
    assert (answer.status_code, answer.content) == (206, b"type")


def test_distances_tell_of_the_last_minute(client: httpx.Client) -> None:
    found = client.get("/api/distances?vid=1&other=2", headers=OBSERVER).json()
    assert len(found["t"]) == len(found["distance"])
    assert client.get("/api/distances?vid=1&other=99", headers=OBSERVER).status_code == 404


# --- the feed


def line(client: httpx.Client) -> connect:
    return connect(f"ws://{client.base_url.host}:{client.base_url.port}/api/feed", proxy=None)


@contextmanager
def introduced(client: httpx.Client, token: str) -> Iterator[ClientConnection]:
    with line(client) as socket:
        socket.send(json.dumps({"token": token}))
        yield socket


def until_frame(socket: ClientConnection) -> tuple[bytes, list[dict[str, Any]]]:
    said: list[dict[str, Any]] = []
    while True:
        message = socket.recv(timeout=5)
        if isinstance(message, bytes):
            return message, said
        said.append(json.loads(message))


def frames_within(socket: ClientConnection, seconds: float) -> list[bytes]:
    until, found = time.monotonic() + seconds, []
    while (left := until - time.monotonic()) > 0:
        try:
            message = socket.recv(timeout=left)
        except TimeoutError:
            break
        found += [message] if isinstance(message, bytes) else []
    return found


def until_refused(socket: ClientConnection) -> str:
    while True:
        message = socket.recv(timeout=5)
        if isinstance(message, str) and "refused" in json.loads(message):
            return str(json.loads(message)["refused"])


def test_a_viewer_is_greeted_and_shown_everyone(client: httpx.Client) -> None:
    with introduced(client, ACCESS.observer) as socket:
        frame, said = until_frame(socket)
        greeting = said[0]["hello"]
        assert greeting["role"] == "observer"
        assert greeting["run"]["name"] == "synthetic"
        assert len(greeting["roster"]["names"]) == 12
        assert [f["properties"]["name"] for f in greeting["world"]["features"]] == ["field", "pond"]
        assert struct.unpack_from("<II", frame, 32)[0] == 12


@pytest.mark.parametrize("first", ['{"token": "wrong"}', "{}", "[]", "\x00", '{"token": 3}'])
def test_a_stranger_is_shown_out(client: httpx.Client, first: str) -> None:
    with line(client) as socket:
        socket.send(first)
        with pytest.raises(ConnectionClosed) as shown_out:
            socket.recv(timeout=5)
    assert shown_out.value.rcvd is not None
    assert shown_out.value.rcvd.code == 4401


def test_who_does_not_acknowledge_gets_two_frames_and_no_more(client: httpx.Client) -> None:
    with introduced(client, ACCESS.observer) as socket:
        sequences = []
        for _ in range(2):
            frame, _ = until_frame(socket)
            sequences.append(struct.unpack_from("<I", frame, 4)[0])
        assert sequences == [1, 2]
        assert frames_within(socket, 1.0) == []
        socket.send(json.dumps({"ack": 1}))
        frame, _ = until_frame(socket)
        assert struct.unpack_from("<I", frame, 4)[0] == 3


def until_scans(socket: ClientConnection) -> bytes:
    """The next frame of scans, which is not acknowledged; those before it are."""
    while True:
        frame, _ = until_frame(socket)
        if frame[3] == 3:
            return frame
        socket.send(json.dumps({"ack": struct.unpack_from("<I", frame, 4)[0]}))


def test_scans_come_to_who_wishes_them_and_are_dropped_for_who_is_slow(
    client: httpx.Client, feed: SyntheticFeed
) -> None:
    with introduced(client, ACCESS.observer) as socket:
        socket.send(json.dumps({"scans": [3, 5]}))
        frame = until_scans(socket)
        assert feed.watched == [3, 5]
        assert struct.unpack_from("<I", frame, 32)[0] == 2
        unanswered = [frame, *frames_within(socket, 1.5)]
        assert len(unanswered) <= 4  # two under way, and what was told with the second
        before = feed.t
        socket.send(json.dumps({"ack": struct.unpack_from("<I", unanswered[-1], 4)[0]}))
        assert struct.unpack_from("<d", until_scans(socket), 8)[0] >= before


@pytest.mark.parametrize(
    "nonsense",
    [
        "", "{", "[]", '{"ack": "x"}', '{"view": [1, 2]}', '{"fly": 1}', '{"ack": 1e99}',
        '{"scans": 3}', '{"scans": ["car"]}',
        '{"view": [1e308, 0, 1, 1]}', '{"view": [-1e15, 0, 1, 1]}', b"\xff", b"",
    ],
)  # fmt: skip
def test_nonsense_is_answered_and_the_feed_goes_on(
    client: httpx.Client, nonsense: str | bytes
) -> None:
    with introduced(client, ACCESS.observer) as socket:
        socket.send(nonsense)
        assert until_refused(socket)
        frame, _ = until_frame(socket)
        assert frame


def test_a_live_run_cannot_be_scrubbed(client: httpx.Client) -> None:
    with introduced(client, ACCESS.operator) as socket:
        socket.send(json.dumps({"replay": {"t": 3.0}}))
        assert "live" in until_refused(socket)


def test_who_looks_elsewhere_is_shown_what_is_there_although_nothing_moves(
    client: httpx.Client, feed: SyntheticFeed
) -> None:
    feed.machine.move(RunState.PAUSE)
    feed.moment()
    with introduced(client, ACCESS.observer) as socket:
        for _ in range(2):
            frame, _ = until_frame(socket)
            socket.send(json.dumps({"ack": struct.unpack_from("<I", frame, 4)[0]}))
        assert frames_within(socket, 1.5) == []
        socket.send(json.dumps({"view": [-180, -90, 180, 90], "history": True}))
        kinds = [until_frame(socket)[0][3] for _ in range(2)]
    assert kinds == [1, 2]


# --- tokens


def test_a_ticket_is_good_once(feed: SyntheticFeed) -> None:
    offered = console(feed)
    with serving(offered) as url, httpx.Client(base_url=url) as client:
        wish = {"ticket": offered.ticket}
        assert client.post("/api/tickets", json={"ticket": "wrong"}).status_code == 401
        assert client.post("/api/tickets", json={"ticket": ""}).status_code == 401
        assert client.post("/api/tickets", json=wish).json() == {"token": ACCESS.operator}
        assert client.post("/api/tickets", json=wish).status_code == 401
        assert client.post("/api/tickets", json={"ticket": ""}).status_code == 401


def test_tokens_outlive_the_server_and_are_for_nobody_else(tmp_path: Path) -> None:
    access = Access.kept_in(tmp_path)
    assert Access.kept_in(tmp_path) == access
    assert (tmp_path / "console-tokens.json").stat().st_mode & 0o077 == 0
    assert access.role(access.operator) is Role.OPERATOR
    assert access.role(access.observer) is Role.OBSERVER
    assert access.role("") is None
    assert Access.new() != Access.new()


def test_a_browser_that_stops_reading_slows_nobody() -> None:
    """It acknowledges much, so that it is sent much, and takes nothing out of its socket."""
    with (
        serving(console(SyntheticFeed(3000))) as url,
        httpx.Client(base_url=url) as client,
        stuck(client) as socket,
        introduced(client, ACCESS.observer) as eager,
    ):
        ticks: list[int] = []
        while len(ticks) < 40:
            socket.send(ack_frame(len(ticks)))
            frame, _ = until_frame(eager)
            kind, sequence = frame[3], struct.unpack_from("<I", frame, 4)[0]
            eager.send(json.dumps({"ack": sequence}))
            if kind == 1:
                ticks.append(struct.unpack_from("<I", frame, 24)[0])
    assert ticks == sorted(set(ticks))
    assert ticks[-1] - ticks[0] < 3 * len(ticks)


@contextmanager
def stuck(client: httpx.Client) -> Iterator[socket_module.socket]:
    """A feed over a bare socket with a small buffer, from which nothing is read."""
    raw = socket_module.socket()
    raw.setsockopt(socket_module.SOL_SOCKET, socket_module.SO_RCVBUF, 4096)
    raw.connect((client.base_url.host, client.base_url.port))
    raw.sendall(
        b"GET /api/feed HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    assert raw.recv(12) == b"HTTP/1.1 101"
    raw.sendall(text_frame(json.dumps({"token": ACCESS.observer})))
    yield raw
    raw.close()


def text_frame(text: str) -> bytes:
    """As RFC 6455 says, under a mask of zeros."""
    assert len(text) < 126
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text.encode()


def ack_frame(sequence: int) -> bytes:
    return text_frame(json.dumps({"ack": sequence}))


def test_a_body_without_end_is_refused_before_it_is_read(client: httpx.Client) -> None:
    endless = (b" " * 1_000_000 for _ in range(60))
    answer = client.post("/api/orders", content=b" " * 2_000_001, headers=OPERATOR)
    assert (answer.status_code, answer.json()["detail"]) == (413, "more than 2,000,000 bytes")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    with suppress(httpx.TransportError):  # it may hang up in the midst of it
        assert client.post("/api/orders", content=endless, headers=OPERATOR).status_code == 413
    assert client.get("/api/status", headers=OPERATOR).status_code == 200


@pytest.mark.parametrize(
    "wish",
    [
        {"vehicles": ["x" * 81]},
        {"vehicles": ["x"] * 10_001},
        {"to": [[1.0]]},
        {"to": [[1.0, 2.0, 3.0, 4.0]]},
        {"to": [[1.0, 2.0]] * 1001},
    ],
)
def test_orders_of_unreasonable_size_are_refused(
    client: httpx.Client, wish: dict[str, Any]
) -> None:
    answer = client.post("/api/orders", json={"what": "go"} | wish, headers=OPERATOR)
    assert answer.status_code == 422
