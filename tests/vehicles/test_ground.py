"""The ground model: pulls, brakes and climbs as the arithmetic of forces says."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from shapely import box

from movenv.terrain.features import Hill, SoilPatch, Terrain
from movenv.terrain.height_map import HeightMap
from movenv.vehicles.builds import BUILDS
from movenv.vehicles.ground import BUILD, Ground, GroundConfig
from movenv.vehicles.standing import TRACK
from movenv.world.kinds import Kind
from movenv.world.model import MOTION

G = 9.80665
EVERYWHERE = box(-1e5, -1e5, 1e5, 1e5)


def vehicle(terrain: Terrain | None = None, start: dict[str, float] | None = None, **settings: Any):  # type: ignore[no-untyped-def]
    whole = Ground.complete(GroundConfig(**settings), Kind("ground"))
    motion = np.zeros((len(MOTION), 1))
    for name, value in (start or {}).items():
        motion[MOTION.index(name)] = value
    model = Ground(np.array([[whole[name]] for name in BUILD]), motion)
    if terrain is not None:
        model.stand_on(terrain)
    return model


def drive(model: Ground, speed: float, time: float, steer: float = 0.0) -> np.ndarray:
    seen = []
    for _ in range(round(time / 0.1)):
        model.advance(np.array([[steer], [speed], [0.0]]), 0.01, 10)
        seen.append(model.motion[:, 0].copy())
    return np.array(seen)


def column(seen: np.ndarray, name: str) -> np.ndarray:
    return seen[:, MOTION.index(name)]


@pytest.mark.parametrize("build", BUILDS)
def test_it_accelerates_as_power_and_pull_allow(build: str) -> None:
    made = BUILDS[build]
    seen = drive(vehicle(build=build), 1000.0, 20.0)

    def rate(_t: float, v: np.ndarray) -> list[float]:
        pull = min(made["max_acceleration"], made["power"] / max(v[0], 1.0))
        return [(pull - G * made["rolling"]) if v[0] < made["max_speed"] else 0.0]

    other = solve_ivp(rate, (0, 20), [0.0], max_step=0.01).y[0, -1]
    assert column(seen, "speed")[-1] == pytest.approx(min(other, made["max_speed"]), rel=0.01)


def test_it_stops_in_the_distance_of_its_brakes() -> None:
    seen = drive(vehicle(build="jeep", start={"speed": 20.0}), 0.0, 10.0)
    made = BUILDS["jeep"]
    way = 20.0**2 / (2 * (made["max_braking"] + G * made["rolling"]))
    assert column(seen, "x")[-1] == pytest.approx(way, abs=0.15)
    assert column(seen, "speed")[-1] == 0.0


def test_ice_makes_the_way_to_stop_longer() -> None:
    ice = Terrain(soils=(SoilPatch("ice", EVERYWHERE, mobility=1.0, grip=0.25),))
    made = BUILDS["car"]
    seen = drive(vehicle(ice, start={"speed": 20.0}), 0.0, 15.0)
    way = 20.0**2 / (2 * (0.25 * made["max_braking"] + G * made["rolling"]))
    assert column(seen, "x")[-1] == pytest.approx(way, rel=0.01)


def test_soft_soil_lowers_the_top_speed() -> None:
    mud = Terrain(soils=(SoilPatch("mud", EVERYWHERE, mobility=0.3, grip=1.0),))
    seen = drive(vehicle(mud, build="tank"), 1000.0, 120.0)
    made = BUILDS["tank"]
    by_power = made["power"] * 0.3 / (G * made["rolling"])
    assert column(seen, "speed")[-1] == pytest.approx(
        min(by_power, 0.3 * made["max_speed"]), rel=0.01
    )


def uphill(height: float, radius: float) -> Terrain:
    return Terrain(hills=(Hill(0.0, 0.0, height, radius),))


def test_a_climb_slows_it_and_a_cliff_ends_it() -> None:
    gentle = drive(
        vehicle(uphill(100.0, 1000.0), start={"x": -900.0, "speed": 10.0}, build="truck"),
        25.0,
        40.0,
    )
    flat = drive(vehicle(start={"x": -900.0, "speed": 10.0}, build="truck"), 25.0, 40.0)
    assert column(gentle, "speed")[-1] < column(flat, "speed")[-1] - 3
    steep = drive(
        vehicle(uphill(300.0, 300.0), start={"x": -290.0, "speed": 5.0}, build="truck"), 25.0, 90.0
    )
    assert column(steep, "speed")[-1] == pytest.approx(0.0, abs=0.05)
    assert column(steep, "x")[-1] < -100.0


def test_it_lies_on_the_ground() -> None:
    terrain = uphill(50.0, 400.0)
    seen = drive(vehicle(terrain, start={"x": -390.0, "y": 40.0, "yaw": 0.3}), 10.0, 30.0)
    far = np.hypot(column(seen, "x"), column(seen, "y"))
    height = np.where(far < 400.0, 25.0 * (1 + np.cos(np.pi * far / 400.0)), 0.0)
    assert column(seen, "z") == pytest.approx(height, abs=2e-3)  # wheels are not in one place
    climbed = np.diff(column(seen, "z")) / 0.1
    assert climbed == pytest.approx(column(seen, "vz")[1:], abs=0.15)
    assert np.tan(column(seen, "pitch")).max() > 0.14


@pytest.mark.parametrize("yaw", [0.0, 0.5, 1.4])
def test_over_a_kerb_it_leans_as_far_as_its_wheels_are_apart(yaw: float) -> None:
    steps = np.repeat([[0.0] * 100 + [0.2] * 140], 240, axis=0).astype("f4")
    terrain = Terrain(relief=HeightMap(-25.0, -30.0, 0.25, steps))
    seen = drive(
        vehicle(terrain, start={"x": -8.0 * math.cos(yaw), "y": -8.0, "yaw": yaw}), 4.0, 20.0
    )
    assert column(seen, "z")[-1] == pytest.approx(0.2, abs=1e-6)
    wheelbase = BUILDS["car"]["length"]
    assert 0.02 < np.abs(column(seen, "pitch")).max() <= math.atan(0.2 / wheelbase) + 1e-6
    assert np.abs(column(seen, "roll")).max() <= math.atan(0.2 / (TRACK * wheelbase)) + 1e-6
    assert column(seen, "speed").min() >= 0.0


def test_it_turns_no_harder_than_the_ground_holds() -> None:
    seen = drive(vehicle(build="car", start={"speed": 20.0}), 20.0, 10.0, steer=0.6)
    turned = np.diff(np.unwrap(column(seen, "yaw")))[-20:] / 0.1
    lateral = turned * column(seen, "speed")[-20:]
    assert lateral == pytest.approx(BUILDS["car"]["max_lateral"], rel=0.01)


def test_a_parked_one_stays() -> None:
    seen = drive(vehicle(uphill(100.0, 500.0), start={"x": -250.0}), 0.0, 600.0)
    assert np.ptp(column(seen, "x")) == 0.0


def test_what_cannot_go_is_refused_with_words() -> None:
    with pytest.raises(ValueError, match="above max_speed"):
        vehicle(speed=100.0)
    with pytest.raises(ValueError, match="cannot set off"):
        vehicle(max_acceleration=0.1)
    with pytest.raises(ValueError, match="found pedestrian"):
        Ground.complete(GroundConfig(), Kind("pedestrian"))


def test_a_slow_turn_is_the_kinematic_circle() -> None:
    seen = drive(vehicle(build="car", start={"speed": 3.0}), 3.0, 30.0, steer=0.3)
    turned = np.diff(np.unwrap(column(seen, "yaw")))[-20:] / 0.1
    assert turned == pytest.approx(3.0 / BUILDS["car"]["length"] * 0.3, rel=1e-6)
    assert math.isclose(column(seen, "speed")[-1], 3.0, rel_tol=1e-9)
