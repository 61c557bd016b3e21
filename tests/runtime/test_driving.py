"""Who loses a wheel to more authority learns of it from the vehicle, before it asks again."""

from collections.abc import Iterator
from typing import cast

import pytest
from tests.runtime.live.processes import wait_until
from tests.runtime.played_core import TICKET, PlayedCore

from movenv.runtime.driving import Wheel
from movenv.runtime.live.bus import Bus
from movenv.runtime.live.wheel_wire import WHEEL, Dashboard

ANOTHER = TICKET + 1


class Driver:
    """At a wheel of which the Core wants to hear only once in a blue moon."""

    def __init__(self) -> None:
        self.core, self.shown = PlayedCore(), list[Dashboard]()
        self.core.lease = 1e6
        bus = cast(Bus, self.core)
        self.wheel = Wheel(bus, "car", "Ann", True, 100, self.shown.append)

    def asked(self) -> int:
        return self.core.asked.count(WHEEL)


@pytest.fixture
def driver() -> Iterator[Driver]:
    driver = Driver()
    yield driver
    driver.core.refuses = ""
    driver.wheel.release()


def test_a_vehicle_with_another_driver_is_asked_for_at_once(driver: Driver) -> None:
    driver.core.dashboard(1.0)
    driver.core.refuses = "'car' is driven by Bob, authority 101"
    driver.core.dashboard(1.05, ANOTHER)
    wait_until(lambda: driver.wheel.lost == "'car' is driven by Bob, authority 101")
    assert [shown.t for shown in driver.shown] == [1.0]


def test_what_a_vehicle_still_shows_of_the_driver_before_takes_no_wheel(driver: Driver) -> None:
    for k in range(50):
        driver.core.dashboard(1.0 + k, ANOTHER)
    wait_until(lambda: driver.asked() == 2)
    for k in range(50):
        driver.core.dashboard(100.0 + k)
    assert (driver.wheel.lost, driver.asked(), len(driver.shown)) == ("", 2, 50)
    driver.core.refuses = "'car' is driven by Bob, authority 101"
    driver.core.dashboard(200.0, ANOTHER)
    wait_until(lambda: driver.wheel.lost != "")
