"""The JAUS gateway over real sockets, beside a Core that is played: whom it believes."""

from collections.abc import Iterator
from typing import cast

import pytest
from tests.gateways.jaus.controller import OPERATOR, Controller
from tests.gateways.jaus.played import CAR
from tests.runtime.live.processes import wait_until
from tests.runtime.played_core import RECORD, PlayedCore

from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.peers import MOST
from movenv.runtime.jaus import JausGateway
from movenv.runtime.live.bus import Bus

ELSEWHERE = "127.0.0.2"


class Played:
    """A gateway for one car, and who speaks to it."""

    def __init__(self) -> None:
        self.core = PlayedCore()
        self.gateway = JausGateway(
            cast(Bus, self.core), RECORD, "run", {"car": CAR}, "127.0.0.1", 0, timeout=20.0
        )
        self.component = self.gateway.components["car"]
        self._controllers: list[Controller] = []

    def controller(self, own: Address = OPERATOR, host: str = "127.0.0.1") -> Controller:
        self._controllers.append(Controller(self.gateway.port, CAR, own, host=host))
        return self._controllers[-1]

    def in_control(self) -> Controller:
        controller = self.controller()
        controller.say(m.RequestControl(200))
        assert controller.wait(m.ConfirmControl).response == m.Confirmed.ACCEPTED
        controller.say(m.Resume())
        controller.drive(throttle=0.5)
        wait_until(lambda: self.core.turns and self.core.turns[-1].throttle > 0.4)
        return controller

    def close(self) -> None:
        for controller in self._controllers:
            controller.close()
        self.gateway.stop()
        self.gateway.run()


@pytest.fixture
def played() -> Iterator[Played]:
    played = Played()
    yield played
    played.close()


@pytest.mark.parametrize("to", [Address(500, 1, 1), CAR])
def test_made_up_components_do_not_make_room_for_an_impostor(played: Played, to: Address) -> None:
    ann = played.in_control()
    impostor = played.controller(host=ELSEWHERE)
    for k in range(MOST + 100):
        impostor.to, impostor.own = to, Address(1000 + k, 1, 1)
        impostor.say(m.QueryHeartbeatPulse())
    impostor.to, impostor.own = CAR, OPERATOR
    impostor.drive(throttle=1.0)
    wait_until(lambda: played.gateway.refused["other address"] == 1)
    ann.say(m.QueryWrenchEffort())
    assert ann.wait(m.ReportWrenchEffort).propulsive_x == pytest.approx(50.0, abs=0.01)
    assert (played.gateway.refused["for nobody here"] > 0) == (to != CAR)
    assert (played.gateway.refused["too many components"] > 0) == (to == CAR)


def test_also_who_is_not_believed_stops_a_vehicle_and_does_nothing_else(played: Played) -> None:
    ann = played.in_control()
    impostor = played.controller(host=ELSEWHERE)
    impostor.say(m.Shutdown())
    impostor.say(m.SetEmergency())
    wait_until(lambda: played.component.control.status == m.Status.EMERGENCY)
    impostor.say(m.ClearEmergency())
    impostor.say(m.QueryStatus())
    wait_until(lambda: played.gateway.refused["other address"] == 3)
    ann.say(m.QueryStatus())
    assert ann.wait(m.ReportStatus).status == m.Status.EMERGENCY  # and answered where she is
    assert impostor.listen() == []
    assert played.core.turns[-1].brake == 1.0
    assert played.core.marks == ["car: a JAUS component that is not believed stops it: emergency"]


def test_who_is_not_believed_keeps_nobody_in_control(played: Played) -> None:
    played.in_control()
    control = played.component.control
    assert control.controller is not None
    heard_at = control.controller.heard_at
    played.controller(host=ELSEWHERE).say(m.SetEmergency())
    wait_until(lambda: control.status == m.Status.EMERGENCY)
    assert control.controller.heard_at == heard_at
