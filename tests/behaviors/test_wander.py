import numpy as np
import pytest

CLIMBER = """
time: {duration: 11.9}
vehicles:
  - name: a
    kind: aerial/fixedwing
    start: {at: [0, 0], heading_deg: 30, z: 80}
    behaviors: {wander: {}, periodic_pitch: {wait: [5, 5], lasts: [2, 2], pitch: [0.3, 0.3]}}
"""


def test_wander_is_straight_on_at_constant_speed(driven) -> None:
    seen = driven(
        """
vehicles:
  - name: a
    kind: ground
    model: {speed: 7}
    start: {at: [0, 0], heading_deg: 90}
    behaviors: {wander: {}}
"""
    )
    assert seen.column("speed", "a") == pytest.approx(7.0)
    assert np.ptp(seen.column("yaw", "a")) < 1e-6
    travelled = np.linalg.norm(seen.place("a")[-1] - seen.place("a")[0])
    assert travelled == pytest.approx(7.0 * 60)


def test_an_aircraft_that_had_to_climb_comes_back_to_its_altitude(driven) -> None:
    z = driven(CLIMBER).column("z", "a")
    assert z.max() > 84
    assert z[-1] == pytest.approx(80, abs=2.0)


def test_altitude_is_let_go_on_request(driven) -> None:
    z = driven(CLIMBER, "vehicles.a.behaviors.wander.hold_altitude=false").column("z", "a")
    assert z[-1] == pytest.approx(z.max(), abs=1e-3)
    assert z[-1] > 84
