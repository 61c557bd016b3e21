"""Vehicles handed out to drivers, as a drive page asks the console's server."""

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.web.serving import serving
from tests.web.synthetic import PICTURE, SyntheticFeed, SyntheticWheel
from tests.web.test_console_app import ACCESS, OPERATOR, bearer, console
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from movenv.runtime.errors import RunFailed, WrongInput
from movenv.web import driving as driving_module
from movenv.web.drive_links import DriveLinks

CAR, VID = "ground-2", 2


@pytest.fixture
def feed() -> SyntheticFeed:
    return SyntheticFeed(12)


@pytest.fixture
def client(feed: SyntheticFeed) -> Iterator[httpx.Client]:
    with serving(console(feed)) as url, httpx.Client(base_url=url) as client:
        yield client


def handed_out(client: httpx.Client) -> str:
    answer = client.post(f"/api/wheels/{CAR}", headers=OPERATOR)
    assert answer.status_code == 201
    assert answer.json()["svg"].endswith("</svg>\n")
    page, _, token = answer.json()["url"].partition("#wheel=")
    assert page == "/drive.html"
    return token


@contextmanager
def driving(client: httpx.Client, token: str) -> Iterator[ClientConnection]:
    address = str(client.base_url).replace("http", "ws")
    with connect(f"{address}/api/drive") as socket:
        socket.send(json.dumps({"token": token}))
        yield socket


def heard(socket: ClientConnection, key: str) -> Any:
    """What the server says next of something."""
    while True:
        message = socket.recv(timeout=10)
        if isinstance(message, bytes):
            if key == "picture":
                return message
        elif key in (said := json.loads(message)):
            return said[key]


def say(socket: ClientConnection, **wish: Any) -> None:
    socket.send(json.dumps(wish))


def test_a_driver_takes_turns_sees_and_lets_go(client: httpx.Client, feed: SyntheticFeed) -> None:
    with driving(client, handed_out(client)) as socket:
        hello = heard(socket, "hello")
        assert hello == {"vehicle": CAR, "vid": VID, "row": 1, "kind": "ground",
                         "cameras": ["front"], "gears": True}  # fmt: skip
        say(socket, take="  Ann\n of Ault ")
        assert heard(socket, "taken") is True
        say(socket, turn=[0.5, 0.25, 0.0, 1, 0.0])
        shown = heard(socket, "dash")
        assert shown["turn"] == 1
        assert shown["motion"]["speed"] == 5.0
        say(socket, camera="front")
        assert heard(socket, "picture") == PICTURE
        assert feed.filmed == ["2 front"]
        say(socket, release=True)
        assert heard(socket, "taken") is False
    (wheel,) = feed.wheels
    assert (wheel.vehicle, wheel.who) == (CAR, "Ann of Ault")
    assert wheel.turns == [(0.5, 0.25, 0.0, 1, 0.0)]
    assert wheel.released == [False]


def test_a_page_that_is_closed_leaves_the_vehicle_braked(
    client: httpx.Client, feed: SyntheticFeed
) -> None:
    with driving(client, handed_out(client)) as socket:
        say(socket, take="Ann", camera="front")
        assert heard(socket, "taken")
    with driving(client, handed_out(client)) as socket:  # it is free again
        say(socket, take="Ann")
        assert heard(socket, "taken")
        assert feed.wheels[0].released == [True]
        assert feed.filmed == []


def test_who_has_lost_the_wheel_is_told_why(client: httpx.Client, feed: SyntheticFeed) -> None:
    token = handed_out(client)
    with driving(client, token) as socket, driving(client, token) as second:
        say(socket, take="Ann")
        assert heard(socket, "taken")
        say(second, take="Bob")
        assert heard(second, "refused") == f"'{CAR}' is driven by somebody"
        say(second, turn=[0, 1, 0, 1, 0])  # moves nothing
        feed.wheels[0].lost = "Bob has more authority"
        say(socket, turn=[0, 1, 0, 1, 0])
        assert heard(socket, "lost") == "Bob has more authority"
    assert feed.wheels[0].turns == []


@pytest.mark.parametrize(
    "said", ["", "{", "[]", '{"fly": 1}', '{"turn": [1]}', '{"turn": [0, 0, 0, 1.5, 0]}',
             '{"turn": [null, 0, 0, 1, 0]}', '{"take": 5}', '{"camera": null, "release": 3}',
             b"", b"\xff\xfe\x00"],
)  # fmt: skip
def test_nonsense_is_refused_in_words_and_the_driver_stays(
    client: httpx.Client, said: str | bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with driving(client, handed_out(client)) as socket:
        socket.send(said)
        assert heard(socket, "refused") == driving_module.MISUNDERSTOOD
        say(socket, take="Ann", camera="nowhere")
        assert heard(socket, "taken") is True
    assert not caplog.records, "a traceback on the operator's terminal"


@pytest.mark.parametrize("path", ["drive", "feed"])
@pytest.mark.parametrize("greeting", ["", "[1]", '{"token": 5}', b"", b"\xff\xfe\x00"])
def test_who_greets_with_nonsense_is_a_stranger(
    client: httpx.Client, path: str, greeting: str | bytes, caplog: pytest.LogCaptureFixture
) -> None:
    address = str(client.base_url).replace("http", "ws")
    with connect(f"{address}/api/{path}") as socket:
        socket.send(greeting)
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401
    assert not caplog.records


def test_a_driver_may_look_and_nothing_else(client: httpx.Client) -> None:
    token = handed_out(client)
    assert client.get("/api/run", headers=bearer(token)).status_code == 200
    assert (
        client.post("/api/state", json={"state": "PAUSE"}, headers=bearer(token)).status_code == 403
    )
    assert client.post(f"/api/wheels/{CAR}", headers=bearer(token)).status_code == 403


def test_a_link_made_anew_or_taken_back_opens_nothing(
    client: httpx.Client, feed: SyntheticFeed
) -> None:
    first = handed_out(client)
    second = handed_out(client)
    for token in (first, "", "2.0.", ACCESS.operator, "x.0.1", second + "0"):
        with driving(client, token) as socket, pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=10)
        assert closed.value.rcvd.code == 4401
    assert client.delete(f"/api/wheels/{CAR}", headers=OPERATOR).status_code == 204
    assert feed.freed == [f"{CAR} console"]
    with driving(client, second) as socket, pytest.raises(ConnectionClosed):
        socket.recv(timeout=10)


def test_a_page_that_is_open_still_cannot_take_a_vehicle_that_was_taken_back(
    client: httpx.Client, feed: SyntheticFeed
) -> None:
    with driving(client, handed_out(client)) as socket:
        assert heard(socket, "hello")
        assert client.delete(f"/api/wheels/{CAR}", headers=OPERATOR).status_code == 204
        say(socket, take="Ann")
        assert "no longer opens" in heard(socket, "refused")
    assert feed.wheels == []


def test_a_driver_whose_line_hangs_gives_way_and_one_who_drives_does_not(
    client: httpx.Client, feed: SyntheticFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = handed_out(client)
    with driving(client, token) as hanging, driving(client, token) as again:
        say(hanging, take="Ann")
        assert heard(hanging, "taken")
        monkeypatch.setattr(driving_module, "GONE_AFTER", math.inf)
        say(again, take="Ann")
        assert "is driven" in heard(again, "refused")
        monkeypatch.setattr(driving_module, "GONE_AFTER", -1.0)
        say(again, take="Ann")
        assert heard(again, "taken")
        assert feed.wheels[0].released
        assert heard(hanging, "lost") == "you were silent"
        say(hanging, turn=[0, 1, 0, 1, 0])
        say(again, turn=[0, 1, 0, 1, 0])
        assert heard(again, "dash")["turn"] == 1
    assert feed.wheels[0].turns == []


@pytest.mark.parametrize("gear", [2, -2, 10**30])
def test_there_are_three_gears(client: httpx.Client, feed: SyntheticFeed, gear: int) -> None:
    with driving(client, handed_out(client)) as socket:
        say(socket, take="Ann")
        assert heard(socket, "taken")
        say(socket, turn=[0, 1, 0, gear, 0])
        assert heard(socket, "refused")
    assert feed.wheels[0].turns == []


def test_who_lets_go_while_the_core_is_away_is_told_and_stays_connected(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody_answers(_wheel: SyntheticWheel, _braked: bool = False) -> None:
        raise RunFailed("nobody answers")

    monkeypatch.setattr(SyntheticWheel, "release", nobody_answers)
    with driving(client, handed_out(client)) as socket:
        say(socket, take="Ann")
        assert heard(socket, "taken") is True
        say(socket, release=True)
        assert heard(socket, "taken") is False
        assert heard(socket, "refused") == "nobody answers"
        say(socket, camera="front")
        assert heard(socket, "picture") == PICTURE


def test_turns_that_were_not_passed_on_are_counted(
    client: httpx.Client, feed: SyntheticFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    with driving(client, handed_out(client)) as socket:
        say(socket, take="Ann")
        assert heard(socket, "taken")
        monkeypatch.setattr(driving_module, "FASTEST", math.inf)
        for _ in range(50):
            say(socket, turn=[0, 1, 0, 1, 0])
        say(socket, camera="front")
        heard(socket, "picture")  # all before it were heard
        monkeypatch.setattr(driving_module, "FASTEST", 0.0)
        for turn in (51, 52):
            say(socket, turn=[0, 0, 1, 1, 0])
            assert heard(socket, "dash")["turn"] == turn
    assert len(feed.wheels[0].turns) == 2


@pytest.mark.parametrize(("vehicle", "code"), [("nobody", 404), ("pedestrian-1", 409)])
def test_only_who_can_be_driven_is_handed_out(
    client: httpx.Client, vehicle: str, code: int
) -> None:
    assert client.post(f"/api/wheels/{vehicle}", headers=OPERATOR).status_code == code


def test_nothing_is_driven_in_a_replay(feed: SyntheticFeed) -> None:
    with serving(console(feed, operated=False)) as url:
        answer = httpx.post(f"{url}/api/wheels/{CAR}", headers=OPERATOR)
    assert answer.status_code == 409
    assert "replay" in answer.json()["detail"]


def test_links_outlive_a_server_and_are_its_own(tmp_path: Path) -> None:
    links = DriveLinks("secret", tmp_path)
    token = links.renew(5)
    assert links.vid(token) == DriveLinks("secret", tmp_path).vid(token) == 5
    assert DriveLinks("another", tmp_path).vid(token) is None
    assert links.vid(token.replace("5.", "6.", 1)) is None
    assert links.vid(links.renew(5)) == 5
    assert links.vid(token) is None
    assert os.listdir(tmp_path) == ["drive-links.json"]


def test_a_link_that_was_taken_back_opens_nothing_once_the_server_is_started_again(
    tmp_path: Path,
) -> None:
    links = DriveLinks("secret", tmp_path)
    anns = links.renew(5)
    links.renew(5)
    later = DriveLinks("secret", tmp_path)
    assert later.vid(anns) is None
    assert later.renew(5) != anns
    assert later.vid(anns) is None


def test_links_that_cannot_be_read_or_kept_are_told_of(tmp_path: Path) -> None:
    (tmp_path / "drive-links.json").write_text("{")
    with pytest.raises(WrongInput, match="cannot read the links in"):
        DriveLinks("secret", tmp_path)
    gone = tmp_path / "gone"
    with pytest.raises(WrongInput, match="cannot keep links in"):
        DriveLinks("secret", gone).renew(5)
