"""The Core's book of wheels, with a car that drives by itself where nobody has its wheel."""

from pathlib import Path

import pytest

from movenv.runtime.live.wheel_wire import (
    Turn,
    WheelGiven,
    WheelRelease,
    WheelReleased,
    WheelRequest,
)
from movenv.runtime.live.wire import Refusal

from .links import Clock
from .simulated import Simulation

SCENARIO = """
name: driven
origin: {lat: 29.19, lon: -81.05}
time: {duration: 600}
vehicles:
  - {name: car, kind: ground, model: {type: ground, build: car, speed: 5},
     start: {at: [0, 0], speed: 5}, behaviors: {wander: {}, driven: {}}}
"""
CAR = 1


@pytest.fixture
def net(tmp_path: Path) -> Simulation:
    (tmp_path / "driven.yaml").write_text(SCENARIO)
    return Simulation(str(tmp_path / "driven.yaml")).shares(1).start().run(2)


def ask(net: Simulation, who: str = "Ann", ticket: int = 0, authority: int = 100):
    return net.live.wheel(WheelRequest("car", who, True, authority, ticket), net.core.now)


def taken(net: Simulation) -> int:
    given = ask(net)
    assert isinstance(given, WheelGiven)
    return given.ticket


def driven_on(net: Simulation, ticket: int, seconds: int = 1, throttle: float = 0.3) -> None:
    """Ann holds the throttle, and her program asks for the wheel again every second."""
    for moment in range(seconds * 10):
        if moment % 10 == 0:
            ask(net, ticket=ticket)
        host = net.hosts["h1"]
        assert host.live is not None
        sequence = net.now // 1000
        host.live.turned(CAR, Turn(ticket, sequence, 0.0, throttle, 0.0), host.now)
        net.run(0.1)


def speed(net: Simulation) -> float:
    return float(net.kept[-1].snapshot.vehicles.speed[0])


def holders(net: Simulation) -> list[tuple[object, object]]:
    return [(one["who"], one["abandoned"]) for one in net.live.wheels.listed()]


def test_what_the_operator_takes_back_is_not_given_again_to_who_keeps_asking(
    net: Simulation,
) -> None:
    ticket = taken(net)
    driven_on(net, ticket)
    net.live.release_wheel(WheelRelease("car", "console"))
    net.run(1)
    assert ask(net, ticket=ticket) == Refusal("the wheel of 'car' was taken back")
    assert holders(net) == []
    assert isinstance(ask(net, "Bob"), WheelGiven)
    assert ask(net, ticket=ticket) == Refusal("'car' is driven by Bob, authority 100")


def test_to_take_back_what_nobody_drives_is_no_mistake(net: Simulation) -> None:
    assert net.live.release_wheel(WheelRelease("car", "console")) == WheelReleased(CAR)
    assert isinstance(net.live.release_wheel(WheelRelease("car", "Ann", 5)), Refusal)
    assert isinstance(net.live.release_wheel(WheelRelease("bus", "console")), Refusal)


def test_who_was_outranked_does_not_come_back_when_the_other_leaves(net: Simulation) -> None:
    ticket, chief = taken(net), ask(net, "chief", authority=200)
    assert isinstance(chief, WheelGiven)
    for braked in (False, True):
        net.live.release_wheel(WheelRelease("car", "chief", chief.ticket, braked))
        assert isinstance(ask(net, ticket=ticket), Refusal)
    assert isinstance(ask(net), WheelGiven)  # who asks anew may


def test_a_braked_car_stays_so_when_the_core_is_started_again(net: Simulation) -> None:
    ticket = taken(net)
    driven_on(net, ticket)
    net.live.release_wheel(WheelRelease("car", "Ann", ticket, braked=True))
    net.run(5)
    assert speed(net) == 0
    resumed = net.kill_core()
    net.run(1)
    net.restart_core(resumed)
    net.run(10)
    assert holders(net) == [("its driver", True)]
    assert speed(net) == 0
    net.live.release_wheel(WheelRelease("car", "console"))
    net.run(5)
    assert speed(net) > 1  # by itself


def test_a_core_started_again_keeps_the_wheel_for_its_driver(net: Simulation) -> None:
    ticket = taken(net)
    driven_on(net, ticket)
    resumed = net.kill_core()
    net.run(0.5)
    net.restart_core(resumed)
    net.run(1)
    assert isinstance(ask(net, "Bob", authority=200), Refusal)  # it may be anybody's yet
    driven_on(net, ticket, seconds=5)
    assert holders(net) == [("Ann", False)]
    assert speed(net) > 1


def test_a_driver_who_never_comes_back_to_a_new_core_leaves_the_car_braked(
    net: Simulation,
) -> None:
    driven_on(net, taken(net))
    resumed = net.kill_core()
    net.run(0.5)
    net.restart_core(resumed)
    net.run(10)
    assert holders(net) == [("its driver", True)]
    assert speed(net) == 0


def test_a_host_started_again_brakes_from_its_first_tick(net: Simulation) -> None:
    ticket = taken(net)
    driven_on(net, ticket)
    before = speed(net)
    net.kill("h1")
    net.run(0.5)
    back = net.host("h1", Clock())
    back.down.delay = 300_000_000  # what the Core says after that comes late
    net.run_until(lambda: len(back.sent) > 3, 20)
    assert back.live is not None
    assert back.live.wheels == [(CAR, ticket)]
    net.run(0.5)
    assert speed(net) < before


def test_who_let_go_before_the_host_came_to_a_new_core_has_let_go(net: Simulation) -> None:
    """The host brings the wheels it knew: also one that its driver has not any more."""
    ticket = taken(net)
    driven_on(net, ticket)
    net.restart_core(net.kill_core())
    assert isinstance(ask(net, ticket=ticket), WheelGiven)
    net.live.release_wheel(WheelRelease("car", "Ann", ticket))
    net.run(5)
    assert holders(net) == []
    assert isinstance(ask(net, "Bob"), WheelGiven)


def started_again(net: Simulation) -> None:
    net.kill("h1")
    net.run(0.5)
    back = net.host("h1", Clock())
    net.run_until(lambda: back.live is not None, 2)


def test_nobody_drives_off_because_a_host_was_started_again(net: Simulation) -> None:
    """The driver, a person or a program, holds the throttle all the time."""
    ticket = taken(net)
    driven_on(net, ticket, seconds=3)
    started_again(net)
    driven_on(net, ticket, seconds=10)
    assert speed(net) == 0
    shown = net.hosts["h1"].live.dashboards[-1]
    assert shown.sequence > 0, "the driver is heard"
    assert shown.wheel[:3] == (0.0, 0.0, 1.0)
    driven_on(net, ticket, seconds=1, throttle=0.0)
    driven_on(net, ticket, seconds=3)
    assert speed(net) > 1


def test_who_takes_the_wheel_from_a_host_that_was_started_again_drives_at_once(
    net: Simulation,
) -> None:
    ticket = taken(net)
    driven_on(net, ticket)
    started_again(net)
    chief = ask(net, "chief", authority=200)
    assert isinstance(chief, WheelGiven)
    driven_on(net, chief.ticket, seconds=3)
    assert speed(net) > 1
