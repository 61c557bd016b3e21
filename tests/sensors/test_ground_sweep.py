"""Laser scanners on uneven ground: closed forms, marching over hills, and level ground again."""

import math

import numpy as np
import pytest
from shapely import Polygon
from tests.sensors.rigs import Rig, motion, roster_of, states

from movenv.sensors import ground_sweep
from movenv.sensors.lidar import Lidar
from movenv.terrain.features import Hill, Obstacle, Terrain
from movenv.terrain.heights import Heights
from movenv.terrain.relief import Relief
from movenv.terrain.relief_rays import Ground, ground
from movenv.world.columns import F8
from movenv.world.frames import rotation

FAR_HILL = Hill(5000.0, 5000.0, 1.0, 10.0)
"""Makes ground uneven, though not here."""
ACROSS = {"field_of_view_deg": 90.0, "resolution_deg": 15.0, "range_max": 80.0, "noise": 0.0}
STILL = {**ACROSS, "sweep": 0.0}


def scan(rig: Rig, own: list[float], **more: object) -> F8:
    """Ranges of the last scan of the first vehicle."""
    readings = rig.sense([own], **more)  # type: ignore[arg-type]
    assert readings is not None
    return readings.values[0, -1].astype(float)


def on_map(heights: F8, cell: float = 1.0, **more: object) -> Terrain:
    terrain = Terrain(**more)  # type: ignore[arg-type]
    relief = Relief(-50.0, -50.0, cell, heights.astype(np.float32), np.empty((0, 4)))
    terrain.drawn[Ground] = ground(relief)
    return terrain


@pytest.mark.parametrize("preset", ["sick-lms-291-90", "sick-lms-291-180"])
@pytest.mark.parametrize("roll_deg", [0.0, 4.0])
def test_one_that_looks_down_meets_the_road(preset: str, roll_deg: float) -> None:
    mount = {"x": 1.2, "z": 1.7, "pitch_deg": -10.0, "roll_deg": roll_deg}
    settings = {"preset": preset, "noise": 0.0, "mount": mount}
    rig = Rig(Lidar, settings, terrain=Terrain(hills=(FAR_HILL,)))
    found = scan(rig, motion(3, 4, 0.7))
    layout = rig.sensor.Config(type="x", **settings).layout
    own = layout.angle_min + layout.angle_increment * np.arange(layout.beams)
    flat = np.array([np.cos(own), np.sin(own), 0 * own])
    down = (rotation(0.0, math.radians(-10.0), math.radians(roll_deg)) @ flat)[2]
    expected = np.where(down < 0, -1.7 / np.where(down < 0, down, 1.0), np.inf)
    expected[expected > 80.0] = np.inf
    np.testing.assert_allclose(found, expected.astype(np.float32), rtol=1e-6)
    if not roll_deg:
        assert found[layout.beams // 2] == pytest.approx(1.7 / math.sin(math.radians(10)), rel=1e-7)


def test_on_a_slope_it_meets_the_hill() -> None:
    hill = Hill(60.0, 0.0, 15.0, 50.0)
    rig = Rig(Lidar, {**STILL, "mount": {"z": 0.5}}, terrain=Terrain(hills=(hill,)))
    found = scan(rig, motion())
    steps = np.arange(0.0, 80.0, 0.001)
    for k, angle in enumerate(np.radians(np.arange(-45, 46, 15))):
        high = Heights(Terrain(hills=(hill,))).at(steps * math.cos(angle), steps * math.sin(angle))
        under = np.flatnonzero(high >= 0.5)
        expected = steps[under[0]] if len(under) else math.inf
        assert found[k] == pytest.approx(expected, abs=0.06)  # 5 mm of height
    assert np.isfinite(found).any()


def test_a_tilted_vehicle_sees_the_slope_it_stands_on() -> None:
    """On a ramp, as steep as its vehicle is pitched, a scanner looks along the ramp."""
    columns = np.arange(-50.0, 51.0)
    ramp = on_map(np.tile(0.2 * columns, (101, 1)))
    pitch = math.atan(0.2)
    level = Rig(Lidar, {**STILL, "mount": {"z": 1.0}}, terrain=ramp)
    assert scan(level, motion(pitch=pitch))[3] == math.inf
    down = Rig(Lidar, {**STILL, "mount": {"z": 1.0, "pitch_deg": -30}}, terrain=ramp)
    assert scan(down, motion(pitch=pitch))[3] == pytest.approx(2.0, rel=1e-5)


def test_buildings_of_the_map_are_met() -> None:
    heights = np.zeros((101, 101))
    heights[:, 70:] = 6.0  # a wall from x 19 to 20
    rig = Rig(Lidar, {**STILL, "mount": {"z": 1.5}}, terrain=on_map(heights))
    assert scan(rig, motion())[3] == pytest.approx(19.25, rel=1e-6)


@pytest.mark.parametrize(("up", "expected"), [(1.0, 9.0), (1.6, math.inf)])
def test_a_beam_passes_over_a_low_car(up: float, expected: float) -> None:
    rig = Rig(
        Lidar, {**STILL, "mount": {"z": up}}, (1,), (1, 2), Terrain(hills=(FAR_HILL,)),
        roster=roster_of([1, 2], (2.0, 1.0), height=1.5),
    )  # fmt: skip
    others = states([1, 2], np.array([motion(), motion(10.0)]).T)
    assert scan(rig, motion(), others=others)[3] == pytest.approx(expected)


def test_a_roof_is_met_from_above_and_a_high_beam_passes() -> None:
    hut = Obstacle("hut", "building", Polygon([(5, -5), (15, -5), (15, 5), (5, 5)]), 3.0)
    tower = Obstacle("tower", "tower", Polygon([(20, -5), (25, -5), (25, 5), (20, 5)]), 30.0)
    terrain = Terrain(obstacles=(hut, tower), hills=(FAR_HILL,))
    for up, pitch_deg, expected in (
        (2.0, 0.0, 5.0),  # its wall
        (4.0, 0.0, 20.0),  # over it, the tower
        (8.0, -30.0, 5.0 / math.sin(math.radians(30))),  # its roof
        (40.0, 0.0, math.inf),
        (28.0, 10.0, math.inf),  # over the tower, though it began below its top
    ):
        mount = {"z": up, "pitch_deg": pitch_deg}
        rig = Rig(Lidar, {**STILL, "mount": mount}, terrain=terrain)
        assert scan(rig, motion())[3] == pytest.approx(expected), (up, pitch_deg)


def test_where_the_ground_is_level_it_is_as_on_level_ground() -> None:
    """In motion, among others who move, between walls."""
    walls = tuple(
        Obstacle(str(k), "building", Polygon([(x, y), (x + 3, y), (x + 2, y + 4)]))
        for k, (x, y) in enumerate([(5, -8), (8, 3), (-6, 4), (-9, -9)])
    )
    settings = {"resolution_deg": 1.0, "noise": 0.01, "sweep": 0.9, "mount": {"x": 0.3, "z": 0.5}}
    before, after = motion(0, 0, 0.1, vx=8, vy=1), motion(0.8, 0.1, 0.4, vx=8, vy=2)
    others = states([1, 2, 3], np.array([motion(), motion(4, 3, 1, vx=-5), motion(-3, 1)]).T)
    level, uneven = (
        Rig(Lidar, settings, (1,), (1, 2, 3), Terrain(obstacles=walls, hills=hills)).sense(
            [before], [after], others
        )
        for hills in ((), (FAR_HILL,))
    )
    assert level is not None
    assert uneven is not None
    np.testing.assert_allclose(uneven.values, level.values, rtol=1e-6)
    assert np.isfinite(level.values).mean() > 0.3


def test_who_is_nowhere_measures_nan() -> None:
    rig = Rig(Lidar, {**STILL, "mount": {"z": 1.0}}, terrain=Terrain(hills=(FAR_HILL,)))
    assert np.isnan(scan(rig, motion(math.nan))).all()


def test_kernels_are_compiled_once_however_many_others_there_are() -> None:
    everyone = range(1, 7)
    rig = Rig(Lidar, STILL, (1,), everyone, Terrain(hills=(FAR_HILL,)))
    kernels = [ground_sweep._aim, ground_sweep._finish]
    for count in (0, 1, 2, 6):
        table = np.array([motion(3.0 * k) for k in range(count)]).T
        rig.sense([motion(vx=1.0)], others=states(everyone[:count], table))
    assert [len(one.signatures) for one in kernels] == [1] * len(kernels)
