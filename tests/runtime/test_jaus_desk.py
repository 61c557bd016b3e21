"""A vehicle whose wheel the Core is slow to give keeps no other vehicle waiting."""

import threading
import time
from collections.abc import Iterator

import pytest
from tests.gateways.jaus.played import ANN, SIGHT, PlayedWheel, heard
from tests.runtime.live.processes import wait_until

from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus import subscriptions as s
from movenv.gateways.jaus.component import Component
from movenv.gateways.jaus.message import Message, encode_message
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.saying import Said
from movenv.gateways.jaus.scaled import Dialect
from movenv.runtime.jaus_desk import MOST_WAITING, Desk


class SlowWheel(PlayedWheel):
    """Of a Core that answers when it is let to."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = threading.Event()

    def take(self, who: str, authority: int) -> str:
        assert self.answers.wait(10.0)
        return super().take(who, authority)


class Office:
    """Two vehicles, and what they said."""

    def __init__(self) -> None:
        self.wheel, self.said = SlowWheel(), list[tuple[str, Message]]()
        self.noted: list[str] = []
        self.slow, self.quick = (
            Desk(Component(Address(126, 1, k), name, wheel, 0.1), self._say, self.noted.append)
            for k, (name, wheel) in enumerate((("slow", self.wheel), ("quick", PlayedWheel())), 10)
        )

    def _say(self, component: Component, said: list[Said]) -> None:
        self.said += [(component.name, one.message) for one in said]


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    office.slow.open()
    office.quick.open()
    yield office
    office.wheel.answers.set()
    office.slow.close()
    office.quick.close()


def say(desk: Desk, message: Message) -> None:
    desk.hear(heard(message, ANN, Dialect.SAE))


CONFIRMED = m.ConfirmControl()


def test_who_waits_for_a_wheel_keeps_nobody_waiting(office: Office) -> None:
    say(office.slow, m.RequestControl(100))
    say(office.quick, m.RequestControl(100))
    wait_until(lambda: ("quick", CONFIRMED) in office.said)
    assert ("slow", CONFIRMED) not in office.said
    office.wheel.answers.set()
    wait_until(lambda: ("slow", CONFIRMED) in office.said)


def test_what_came_too_late_is_neither_told_nor_kept(office: Office) -> None:
    query = encode_message(m.QueryGlobalPose(), Dialect.SAE)
    say(office.slow, s.CreateEvent(1, s.When.PERIODIC, 10.0, query))
    wait_until(lambda: office.said)
    say(office.slow, m.RequestControl(100))
    time.sleep(0.1)
    for _ in range(MOST_WAITING + 7):
        say(office.slow, m.QueryStatus())
        office.slow.see(SIGHT)
    assert office.slow.component.refused["too many at once"] > 500
    office.wheel.answers.set()
    wait_until(lambda: ("slow", CONFIRMED) in office.said)
    time.sleep(0.3)
    events = [told for _, told in office.said if isinstance(told, s.Event)]
    assert len(events) == 1


def test_an_emergency_is_noted_once_and_who_clears_it(office: Office) -> None:
    for message in (m.SetEmergency(m.STOP), m.SetEmergency(m.STOP), m.ClearEmergency(m.STOP)):
        say(office.quick, message)
    wait_until(lambda: len(office.noted) == 2)
    assert office.noted == [
        f"quick: JAUS {ANN} stops it: emergency",
        f"quick: JAUS {ANN} clears the emergency",
    ]


def test_a_message_that_fails_is_told_and_is_not_the_end(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(office.quick.component, "hear", lambda *_: 1 / 0)
        for _ in range(3):
            say(office.quick, m.QueryStatus())
        wait_until(lambda: sum(office.quick.component.refused.values()) == 3)
    said = capsys.readouterr().err
    assert said == "quick: a message failed: ZeroDivisionError: division by zero\n"
    say(office.quick, m.RequestControl(100))
    wait_until(lambda: ("quick", CONFIRMED) in office.said)
