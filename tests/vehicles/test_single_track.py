"""The single-track car turns by geometry when slow, by its tyres when fast, and slides beyond."""

import math
from typing import Any

import numpy as np
import pytest
from shapely import box
from tests.vehicles.cars import G, car, column
from tests.vehicles.cars import drive as drive_car

from movenv.terrain.features import Hill, SoilPatch, Terrain
from movenv.vehicles.single_track import BUILD, STATE, SingleTrack, SingleTrackConfig
from movenv.world.kinds import Kind
from movenv.world.model import MOTION


def vehicle(terrain: Terrain | None = None, start: dict[str, float] | None = None, **settings: Any):  # type: ignore[no-untyped-def]
    whole = SingleTrack.complete(SingleTrackConfig(**settings), Kind("ground"))
    motion = np.zeros((len(MOTION), 1))
    for name, value in (start or {}).items():
        motion[MOTION.index(name)] = value
    model = SingleTrack(np.array([[whole[name]] for name in BUILD]), motion)
    if terrain is not None:
        model.stand_on(terrain)
    return model


def drive(model: SingleTrack, time: float, speed: float, steer: float = 0.0) -> np.ndarray:
    seen = []
    for _ in range(round(time / 0.1)):
        model.advance(np.array([[steer], [speed], [0.0]]), 0.01, 10)
        seen.append(model.motion[:, 0].copy())
    return np.array(seen)


def turn_rate(model: SingleTrack) -> float:
    return float(model.state[STATE.index("turn"), 0])


@pytest.mark.parametrize("speed", [0.8, -0.8])
def test_at_walking_pace_it_turns_by_geometry(speed: float) -> None:
    model = vehicle(build="compact")
    seen = drive(model, 20.0, speed, steer=0.4)
    assert column(seen, "speed")[-1] == pytest.approx(speed, abs=1e-6)
    assert turn_rate(model) == pytest.approx(speed * math.tan(0.4) / 2.6, rel=1e-6)


def test_a_fast_one_is_neutral() -> None:
    """All its tyres have the same stiffness over their load."""
    model = vehicle(build="compact", start={"speed": 20.0})
    drive(model, 10.0, 20.0, steer=0.01)
    assert turn_rate(model) == pytest.approx(20.0 * 0.01 / 2.6, rel=0.01)


def test_it_slides_where_friction_ends() -> None:
    model = vehicle(build="compact", start={"speed": 20.0})
    seen = drive(model, 5.0, 20.0, steer=0.3)
    lateral = abs(turn_rate(model)) * column(seen, "speed")[-1]
    assert lateral <= 1.01 * G
    assert lateral < 0.3 * 20.0**2 * math.tan(0.3) / 2.6


def test_ice_makes_the_way_to_stop_longer() -> None:
    ice = Terrain(soils=(SoilPatch("ice", box(-1e4, -1e4, 1e4, 1e4), mobility=1.0, grip=0.12),))
    whole = SingleTrack.complete(SingleTrackConfig(), Kind("ground"))
    seen = drive(vehicle(ice, {"speed": 10.0}), 15.0, 0.0)
    way = 10.0**2 / (2 * (0.12 * whole["max_braking"] + G * whole["rolling"]))
    assert column(seen, "x")[-1] == pytest.approx(way, rel=0.02)
    assert column(seen, "speed")[-1] == 0.0


def test_a_parked_one_stays() -> None:
    hill = Terrain(hills=(Hill(0.0, 0.0, 50.0, 500.0),))
    for yaw in (0.0, math.pi):
        seen = drive(vehicle(hill, {"x": -250.0, "yaw": yaw}), 100.0, 0.0)
        assert np.ptp(column(seen, "x")) < 1e-9


def test_it_goes_where_the_car_goes() -> None:
    """Below a third of a g the two relatives keep within a tenth of their way sideways."""
    one = vehicle(build="navigator", start={"speed": 15.0})
    other = car(build="navigator", start={"speed": 15.0}, load_sensitivity=0.0)
    a, b = drive(one, 4.0, 15.0, 0.03), drive_car(other, 4.0, 15.0, 0.03, every=0.1)
    assert column(a, "y")[-1] == pytest.approx(column(b, "y")[-1], rel=0.1)
    assert column(a, "yaw")[-1] == pytest.approx(column(b, "yaw")[-1], rel=0.05)


def test_it_is_for_the_ground() -> None:
    with pytest.raises(ValueError, match="found pedestrian"):
        SingleTrack.complete(SingleTrackConfig(), Kind("pedestrian"))
