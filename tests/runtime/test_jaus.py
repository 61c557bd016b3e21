"""The JAUS gateway over real sockets, beside a Core that is played: whom it believes, and what it
tells of a vehicle that is lost or stands."""

import math
import time
from collections.abc import Iterator
from typing import TypeVar, cast

import pytest
from tests.gateways.jaus.controller import OPERATOR, Controller
from tests.gateways.jaus.played import CAR
from tests.runtime.live.processes import wait_until
from tests.runtime.played_core import RECORD, TICK, PlayedCore

from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.peers import MOST
from movenv.gateways.jaus.sight import Sight
from movenv.gateways.jaus.stamp import stamp_at
from movenv.runtime.jaus import JausGateway
from movenv.runtime.live.bus import Bus
from movenv.world.messages import Health
from movenv.world.run_state import RunState

ELSEWHERE = "127.0.0.2"
AnyReport = TypeVar("AnyReport", bound=Message)


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


# --- what is told of the vehicle

UTC = 1.8e9 + 0.25
CAR_AT = {"x": 100.0, "y": 50.0, "z": 0.0, "yaw": 0.0, "vx": 8.0, "vy": 0.0, "vz": 0.0}


def asked(controller: Controller, query: Message, report: type[AnyReport]) -> AnyReport:
    controller.say(query)
    told = controller.wait(report)
    assert isinstance(told, report)
    return told


def seen(played: Played) -> Sight:
    """As the component has it, once it has attended to what it was told."""
    wait_until(lambda: played.component.reporting.sight is not None)
    time.sleep(0.1)
    sight = played.component.reporting.sight
    assert sight is not None
    return sight


def test_a_vehicle_is_told_where_it_was_when_it_was_seen(played: Played) -> None:
    played.core.states(10.0, UTC, **CAR_AT | {"x": 100.4}, age=0.05)  # the Core carried it on
    sight = seen(played)
    assert sight.x == pytest.approx(100.0, abs=1e-6)
    assert sight.utc == pytest.approx(UTC - 0.05, abs=1e-6)
    ann = played.controller()
    stamp = asked(ann, m.QueryLocalPose(), m.ReportLocalPose).time
    assert stamp == stamp_at(UTC - 0.05)
    played.core.states(10.05, UTC + 0.05, **CAR_AT | {"x": 100.8}, age=0.1)
    assert seen(played) == sight  # it was not seen again
    played.core.states(10.1, UTC + 0.1, **CAR_AT | {"x": 101.2})
    assert (seen(played).x, seen(played).utc) == (pytest.approx(101.2), pytest.approx(UTC + 0.1))


def test_of_a_lost_vehicle_is_told_when_it_was_seen_and_not_how_it_moves(played: Played) -> None:
    ann = played.in_control()
    played.core.states(10.0, UTC, **CAR_AT)
    assert seen(played).forward == 8.0
    assert asked(ann, m.QueryStatus(), m.ReportStatus).status == m.Status.READY
    for k in range(1, 30):
        played.core.states(
            10.0 + k, UTC + k, health=Health.LOST, age=float(k), **CAR_AT | {"x": 108.0}
        )
    assert seen(played).lost
    assert asked(ann, m.QueryStatus(), m.ReportStatus).status == m.Status.FAILURE
    velocity = asked(ann, m.QueryVelocityState(), m.ReportVelocityState)
    assert math.isnan(velocity.x + velocity.yaw_rate)
    pose = asked(ann, m.QueryGlobalPose(), m.ReportGlobalPose)
    assert pose.time == velocity.time == stamp_at(UTC)
    played.core.states(40.0, UTC + 30.0, **CAR_AT)  # its host is there again
    wait_until(lambda: not seen(played).lost)
    assert asked(ann, m.QueryStatus(), m.ReportStatus).status == m.Status.READY
    assert asked(ann, m.QueryVelocityState(), m.ReportVelocityState).x == pytest.approx(8.0)


def test_what_its_host_still_shows_is_not_lost(played: Played) -> None:
    played.in_control()
    for k in range(1, 60):  # the Core does not hear the host, we do
        played.core.dashboard(20.0 + k * TICK, **CAR_AT)
        played.core.states(20.0 + k * TICK, UTC, health=Health.LOST, age=k * TICK, **CAR_AT)
    assert not seen(played).lost


@pytest.mark.parametrize("state", [RunState.SET, RunState.PAUSE])
def test_while_nobody_moves_velocity_is_zero_and_time_goes_on(
    played: Played, state: RunState
) -> None:
    played.core.states(10.0, UTC, **CAR_AT)
    for k in range(1, 4):
        played.core.states(10.0, UTC + k, state, **CAR_AT)
        sight = seen(played)
        assert (sight.forward, sight.yaw_rate, sight.utc) == (0.0, 0.0, UTC + k)
        assert sight.x == CAR_AT["x"]
    played.core.states(10.05, UTC + 4, **CAR_AT)
    assert seen(played).forward == 8.0
