"""Satellite receivers: what they know, where they know nothing, and what walls do to them."""

import numpy as np
import pytest
import shapely
from shapely import affinity
from tests.sensors.rigs import Rig, motion

from movenv.parts import Readings
from movenv.sensors.gnss import FIELDS, Gnss
from movenv.terrain.area import Area
from movenv.terrain.features import Obstacle, Terrain
from movenv.world.columns import F8
from movenv.world.frames import Frame

EXACT = {"noise": 0.0, "drift": 0.0, "velocity_noise": 0.0, "multipath": 0.0}
WALL = Terrain(obstacles=(Obstacle("w", "building", shapely.box(10, -50, 12, 50), 20.0),))


def told(readings: Readings | None, *fields: str) -> F8:
    """(vehicles, samples, fields)."""
    assert readings is not None
    return readings.values[:, :, [FIELDS.index(field) for field in fields]]


def test_without_errors_it_tells_where_its_antenna_is() -> None:
    rig = Rig(Gnss, {**EXACT, "rate": 20.0, "mount": {"x": 1.0, "z": 0.5}})
    readings = rig.sense([motion(0, 0, np.pi / 2, vy=3)], [motion(0, 0.3, np.pi / 2, vy=3)])
    assert told(readings, "east", "north", "up")[0] == pytest.approx(
        np.array([[0, 1.15, 0.5], [0, 1.3, 0.5]])
    )
    velocity = told(readings, "velocity_east", "velocity_north", "velocity_up")[0, 0]
    assert velocity == pytest.approx([0, 3, 0])
    assert told(readings, "valid")[0, 0, 0] == 1.0
    assert 10 <= told(readings, "satellites")[0, 0, 0] <= 12


def test_latitude_and_longitude_are_those_of_the_place_it_tells() -> None:
    frame = Frame(29.2, -81.0, 12.0)
    readings = Rig(Gnss, {}, frame=frame).sense([motion(300, -700)], end=0.4)
    east, north, up, lat, lon, alt = told(readings, "east", "north", "up", "lat", "lon", "alt")[
        0, 0
    ]
    assert frame.to_local(lat, lon, alt) == pytest.approx((east, north, up), abs=1e-3)


def test_without_a_frame_there_is_no_latitude() -> None:
    assert np.isnan(told(Rig(Gnss, {}).sense([motion()], end=0.4), "lat", "lon", "alt")).all()


def test_there_is_no_fix_without_coverage_or_indoors() -> None:
    tunnel = Area("tunnel", np.array([[0.0, 0], [5, 0], [5, 5], [0, 5]]), ceiling=8.0)
    rig = Rig(
        Gnss, {"no_coverage": ["tunnel"]}, range(1, 5), areas={"tunnel": tunnel}, terrain=WALL
    )
    places = [motion(2, 2), motion(2, 2, z=9), motion(-2, 2), motion(11, 0)]
    readings = rig.sense(places, end=0.2)
    assert told(readings, "valid")[:, 0, 0].tolist() == [0, 1, 1, 0]
    assert (np.isnan(told(readings, "east")[:, 0, 0]) == [True, False, False, True]).all()
    assert told(readings, "satellites")[[0, 3], 0, 0].tolist() == [0, 0]


def _errors(settings: dict[str, float], seconds: int, count: int = 300) -> F8:
    """(vehicles, samples, 3) of who stands at the origin, one sample a second."""
    rig = Rig(Gnss, {**EXACT, **settings, "rate": 1.0}, range(1, count + 1))
    found = [
        told(rig.sense([motion()] * count, start=t, end=t + 1.0), "east", "north", "up")[:, 0]
        for t in map(float, range(seconds))
    ]
    return np.stack(found, axis=1)


def test_white_noise_is_new_every_time_and_drift_is_not() -> None:
    white = _errors({"noise": 2.0}, 30)
    assert white.std(axis=(0, 1)) == pytest.approx([2.0, 2.0, 3.4], rel=0.05)
    assert abs(np.corrcoef(white[:, :-1, 0].ravel(), white[:, 1:, 0].ravel())[0, 1]) < 0.05
    slow = _errors({"drift": 3.0, "drift_time": 20.0}, 41)
    assert slow[:, [0, 20, 40], 1].std() == pytest.approx(3.0, rel=0.1)
    alike = np.corrcoef(slow[:, 0, 0], slow[:, 20, 0])[0, 1]
    assert alike == pytest.approx(np.exp(-1.0), abs=0.12)
    assert abs(np.corrcoef(slow[:, 0, 0], slow[:, 0, 1])[0, 1]) < 0.15


def test_beside_a_building_places_are_drawn_toward_it() -> None:
    count = 400
    settings = {**EXACT, "multipath": 6.0, "multipath_range": 15.0}
    rig = Rig(Gnss, settings, range(1, count + 1), terrain=WALL)

    def shift(x: float, **more: float) -> F8:
        found = told(rig.sense([motion(x, **more)] * count, end=0.2), "east", "north")[:, 0]
        return np.asarray(found - [x, 0.0])

    beside, farther, away = shift(9.0), shift(1.0), shift(-6.0)
    assert beside[:, 0].mean() == pytest.approx(0.6 * 6 * 14 / 15, rel=0.15)
    assert abs(beside[:, 1].mean()) < 0.3
    assert np.linalg.norm(beside, axis=1).mean() > 2 * np.linalg.norm(farther, axis=1).mean()
    assert not away.any()
    assert shift(13.0)[:, 0].mean() < -2.0  # from the other side as well
    assert not shift(9.0, z=25.0).any()  # above its roof


def test_two_of_three_fixes_lie_within_the_accuracy_they_promise() -> None:
    vids = tuple(range(1, 2001))
    rig = Rig(Gnss, {"noise": 0.5, "drift": 1.5}, vids)
    fixes = told(rig.sense([motion()] * len(vids), end=0.2), "east", "north", "accuracy")[:, 0].T
    assert np.mean(np.hypot(fixes[0], fixes[1]) <= fixes[2]) == pytest.approx(0.68, abs=0.04)


def test_velocity_is_that_of_the_antenna() -> None:
    turn, speed, (ahead, left) = 0.5, 5.0, (3.0, -1.0)  # on a circle

    def at(t: float) -> F8:
        yaw = turn * t
        sin, cos = np.sin(yaw), np.cos(yaw)
        place = speed / turn * np.array([sin, 1.0 - cos])
        return motion(*place, yaw, vx=speed * cos, vy=speed * sin)

    rig = Rig(Gnss, {**EXACT, "rate": 20.0, "mount": {"x": ahead, "y": left}})
    readings = rig.sense([at(0.0)], [at(0.1)])
    found = told(readings, "velocity_east", "velocity_north")[0, 0]  # at 0.05 s
    sin, cos = np.sin(turn * 0.05), np.cos(turn * 0.05)
    forward, aside = speed - turn * left, turn * ahead
    assert found == pytest.approx(
        [forward * cos - aside * sin, forward * sin + aside * cos], abs=2e-3
    )


def test_beside_a_building_less_is_seen_and_less_is_promised() -> None:
    rig = Rig(Gnss, {}, (1, 2), terrain=WALL)
    readings = rig.sense([motion(9.5), motion(-20)], end=0.2)
    accuracy, satellites = told(readings, "accuracy", "satellites")[:, 0].T
    assert accuracy[0] > 3 * accuracy[1]
    assert satellites[0] < satellites[1]


def test_a_world_elsewhere_gives_places_elsewhere_and_the_same_errors() -> None:
    def error(east: float, north: float) -> F8:
        moved = affinity.translate(WALL.obstacles[0].ground, east, north)
        there = Terrain(obstacles=(Obstacle("w", "building", moved, 20.0),))
        found = Rig(Gnss, {}, terrain=there).sense([motion(east + 5, north)], end=0.4)
        return np.asarray(told(found, "east", "north")[0, 0] - [east, north])

    np.testing.assert_allclose(error(4096, -512), error(0, 0), atol=1e-6)
