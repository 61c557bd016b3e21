"""What is around a vehicle goes to where its scenario says, as JSON datagrams."""

import json
import socket

import pytest

from movenv.gateways.config import Entry, LiveConfig
from movenv.gateways.notify import Notifier
from movenv.gateways.part import GatewayFailed
from movenv.gateways.view import View
from movenv.world.kinds import Kind


def entry(vid: int, notify: str | None) -> Entry:
    return Entry(vid, f"v{vid}", Kind("ground"), LiveConfig(type="test", notify=notify))


def test_only_who_asks_is_told() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as app:
        app.bind(("127.0.0.1", 0))
        app.settimeout(2)
        notifier = Notifier([entry(1, f"127.0.0.1:{app.getsockname()[1]}"), entry(2, None)])
        assert notifier.wants() == {1}
        notifier.tell({vid: View("GO", 1.5, 2.5, None, [], []) for vid in (1, 2)})
        told = json.loads(app.recv(2000))
        assert (told["run_state"], told["t"], told["own"]) == ("GO", 1.5, None)
        app.settimeout(0.1)
        with pytest.raises(TimeoutError):
            app.recv(2000)
        notifier.close()


def test_nobody_there_does_not_matter() -> None:
    notifier = Notifier([entry(1, "127.0.0.1:9")])
    for _ in range(20):
        notifier.tell({1: View("GO", 1.5, 2.5, None, [], [])})
    notifier.close()


def test_a_host_nobody_knows_is_named() -> None:
    with pytest.raises(GatewayFailed, match=r"v1: notify nowhere\.invalid:5005"):
        Notifier([entry(1, "nowhere.invalid:5005")])
