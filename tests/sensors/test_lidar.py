"""Laser scanners against shapely, beam by beam; and what they say where there is nothing to say."""

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely
from pydantic import ValidationError
from shapely import LineString, Polygon, affinity
from tests.sensors.rigs import Rig, motion, roster_of, states

from movenv.parts import Passage, Readings, VehicleStates
from movenv.sensors.lidar import Lidar, LidarConfig
from movenv.terrain.features import Obstacle, Terrain
from movenv.terrain.grid_map import GridMap
from movenv.world.columns import F8
from movenv.world.frames import rotation
from movenv.world.messages import Health
from movenv.world.model import MOTION

COARSE = {"resolution_deg": 3.0, "noise": 0.0, "sweep": 0.9}
YARD = Terrain(
    obstacles=(
        Obstacle("hut", "building", Polygon([(3, 1), (6, 1), (6, 4), (3, 4)])),
        Obstacle("wall", "building", Polygon([(-8, -3), (8, -3), (8, -3.4), (-8, -3.4)]), 5.0),
        Obstacle("pond", "lake", Polygon([(-2, 1), (2, 1), (2, 3), (-2, 3)])),
    )
)


def ranges_of(rig: Rig, *table: list[float], **more: object) -> F8:
    """(samples, beams) of the first vehicle."""
    readings = rig.sense(list(table), **more)  # type: ignore[arg-type]
    assert readings is not None
    assert readings.values.dtype == np.float32
    return readings.values[0]


def met(x: float, y: float, angle: float, far: float, bodies: list[Polygon]) -> float:
    """How far a beam goes, by shapely; 0 from inside."""
    if any(shapely.contains_xy(body, x, y) for body in bodies):
        return 0.0
    beam = LineString([(x, y), (x + far * math.cos(angle), y + far * math.sin(angle))])
    hits = [shapely.intersection(beam, body.boundary) for body in bodies]
    gaps = [shapely.distance(shapely.Point(x, y), hit) for hit in hits if not hit.is_empty]
    return min(gaps, default=math.inf)


def box(x: float, y: float, yaw: float, length: float, width: float) -> Polygon:
    a, b = length / 2, width / 2
    flat = Polygon([(a, b), (-a, b), (-a, -b), (a, -b)])
    return affinity.translate(affinity.rotate(flat, yaw, (0, 0), use_radians=True), x, y)


def oracle(rig: Rig, passage: Passage, others: VehicleStates, readings: Readings) -> F8:
    """The scans of the first vehicle, from `Passage.poses` and shapely alone."""
    layout, mount = readings.scan, rig.setup.config.mount
    assert layout is not None
    tilt = rotation(*np.radians([mount.yaw_deg, mount.pitch_deg, mount.roll_deg]))
    walls = [o.ground for o in rig.terrain.obstacles if o.kind != "lake"]
    found = np.empty((len(readings.stamps), layout.beams))
    for k, stamp in enumerate(readings.stamps):
        for b in range(layout.beams):
            t = stamp + b * layout.time_increment
            x, y, z, *attitude = passage.poses(t)[:, 0]
            turn = rotation(*attitude)
            place = np.array([x, y, z]) + turn @ [mount.x, mount.y, mount.z]
            angle = layout.angle_min + b * layout.angle_increment
            beam = turn @ tilt @ [math.cos(angle), math.sin(angle), 0.0]
            flat = math.hypot(beam[0], beam[1])
            boxes = [
                box(*(others.x[i] + others.vx[i] * (t - passage.start),
                      others.y[i] + others.vy[i] * (t - passage.start),
                      others.yaw[i]), 2.0, 1.0)
                for i in range(len(others)) if others.vid[i] != passage.vids[0]
            ]  # fmt: skip
            azimuth = math.atan2(beam[1], beam[0])
            far = met(place[0], place[1], azimuth, flat * layout.range_max, walls + boxes)
            found[k, b] = far / flat if far / flat >= layout.range_min else 0.0
    return found


@pytest.mark.parametrize("mounted", [
    {}, {"x": 0.3, "y": -0.2, "z": 0.4, "yaw_deg": 20.0},
    {"x": 0.3, "z": 0.4, "pitch_deg": 8.0, "roll_deg": -5.0},
])  # fmt: skip
@pytest.mark.parametrize("tilt", [0.0, 0.15])
def test_every_beam_is_cast_from_its_own_instant(mounted: dict[str, float], tilt: float) -> None:
    rig = Rig(Lidar, {**COARSE, "mount": mounted}, everyone=(1, 2, 3, 4), terrain=YARD)
    before = motion(-1, 0, 0.4, vx=9, vy=3, pitch=tilt, roll=-tilt)
    after = motion(-0.2, 0.4, 0.7, vx=7, vy=5, pitch=-tilt, roll=tilt)
    others = states([1, 2, 3, 4], np.array([
        before, motion(-4, 3, 1.0, vx=-3, vy=8), motion(1, -2, 2.0, vx=12), motion(-3, -1.5, 0.2),
    ]).T)  # fmt: skip
    readings = rig.sense([before], [after], others)
    assert readings is not None
    vids = np.array([1], np.uint32)
    passage = Passage(1, 0.0, 0.1, 7, vids, np.array([before]).T, np.array([after]).T)
    expected = oracle(rig, passage, others, readings)
    assert np.isfinite(expected).mean() > 0.3
    clear = expected < 9.999  # at the very end of the range rounding decides
    np.testing.assert_allclose(readings.values[0][clear], expected[clear], atol=1e-4)
    assert np.isinf(readings.values[0][np.isinf(expected)]).all()


def test_many_vehicles_see_each_other_as_one_by_one() -> None:
    chance = np.random.default_rng(3)
    vids = list(range(1, 41))
    table = np.array([
        motion(*chance.uniform(-20, 20, 2), chance.uniform(-9, 9), vx=chance.normal() * 5,
               vy=chance.normal() * 5) for _ in vids
    ])  # fmt: skip
    after = table.copy()
    after[:, :2] += 0.1 * table[:, 7:9]
    after[:, 3] += chance.normal(size=len(vids)) * 0.1
    others = states(vids, table.T)
    rig = Rig(Lidar, COARSE, vids=vids, everyone=vids, terrain=YARD)
    readings = rig.sense(table.tolist(), after.tolist(), others)
    assert readings is not None
    for i in (0, 17, 39):
        order = np.array([vids[i]], np.uint32)
        passage = Passage(1, 0.0, 0.1, 7, order, table[[i]].T, after[[i]].T)
        expected = oracle(rig, passage, others, readings)
        assert (np.isclose(readings.values[i], expected, atol=1e-4) | (expected > 9.99)).all()


@pytest.mark.parametrize("turn", [-2.0, 2.0])
def test_who_rushes_by_while_one_spins_is_met_all_the_same(turn: float) -> None:
    settings = {"noise": 0.0, "resolution_deg": 1.0, "rate": 2.0, "sweep": 1.0, "range_max": 60.0}
    chance = np.random.default_rng(9)
    vids = range(1, 41)
    rig = Rig(Lidar, settings, everyone=vids)
    before, after = motion(vx=20), motion(10, 0, turn, vx=20)
    rush = [motion(*chance.uniform(-40, 40, 2), chance.uniform(-3, 3), vx=chance.uniform(-80, 80),
                   vy=chance.uniform(-80, 80)) for _ in vids[1:]]  # fmt: skip
    others = states(vids, np.array([before, *rush]).T)
    readings = rig.sense([before], [after], others, end=0.5)
    assert readings is not None
    one = np.array([1], np.uint32)
    passage = Passage(1, 0.0, 0.5, 7, one, np.array([before]).T, np.array([after]).T)
    expected = oracle(rig, passage, others, readings)
    assert np.isfinite(expected).sum() > 10
    np.testing.assert_allclose(readings.values[0], expected, atol=1e-3)


def test_a_scan_taken_while_driving_at_a_wall_is_distorted() -> None:
    ahead = Terrain(obstacles=(Obstacle("w", "building", shapely.box(20, -90, 21, 90)),))
    rig = Rig(Lidar, {"noise": 0.0, "range_max": 80.0, "sweep": 1.0}, terrain=ahead)
    ranges = ranges_of(rig, motion(0, vx=10), after=[motion(1.0, vx=10)])
    angles = np.radians(np.arange(-135, 135.1, 0.25))
    t = np.arange(1081) / 1080 / 40  # since the beginning of the first scan, which is that of time
    expected = (20 - 10 * t) / np.cos(angles)
    near = (np.abs(angles) < np.radians(80)) & (expected < 80)
    np.testing.assert_allclose(ranges[0, near], expected[near], rtol=1e-6)
    right, left = ranges[0, 540 - 240], ranges[0, 540 + 240]
    assert right - left == pytest.approx(
        10 * (480 / 1080 / 40) / math.cos(math.radians(60)), abs=1e-4
    )


def test_a_map_is_seen() -> None:
    cells = np.zeros((40, 40), np.uint8)
    cells[:, 30] = 1
    room = Terrain(grid=GridMap(cells, 0.1, -2.0, -2.0))
    ranges = ranges_of(Rig(Lidar, {"noise": 0.0}, terrain=room), motion())
    assert ranges[0, 540] == pytest.approx(1.0, abs=0.05)
    assert np.isinf(ranges[0, 540 + 480])


def test_beams_go_from_right_to_left_with_one_at_each_edge() -> None:
    rig = Rig(Lidar, {"noise": 0.0}, everyone=(1, 2))
    others = states([1, 2], np.array([motion(), motion(0, 5)]).T)
    readings = rig.sense([motion()], others=others)
    assert readings is not None
    layout = readings.scan
    assert layout is not None
    assert layout.beams == 1081
    assert layout.angle_min == pytest.approx(-math.radians(135))
    assert layout.angle_min + 1080 * layout.angle_increment == pytest.approx(math.radians(135))
    assert int(np.argmin(readings.values[0, 0])) == 540 + 360  # to the left
    assert readings.numbers.tolist() == [1, 2, 3, 4]
    swept = 1080 * layout.time_increment
    assert swept == pytest.approx(0.75 / 40)
    np.testing.assert_allclose(readings.stamps + swept, [0.025, 0.05, 0.075, 0.1])


def test_a_full_circle_has_no_beam_twice() -> None:
    assert LidarConfig(type="lidar", field_of_view_deg=360.0, resolution_deg=1.0).beams == 360


@pytest.mark.parametrize(
    ("preset", "beams", "rate", "far"),
    [("hokuyo-ust-10lx", 1081, 40, 10), ("sick-lms-291-90", 181, 75, 80),
     ("sick-lms-291-180", 361, 37.5, 80)],
)  # fmt: skip
def test_presets_are_those_scanners(preset: str, beams: int, rate: float, far: float) -> None:
    config = LidarConfig.model_validate({"type": "lidar", "preset": preset})
    assert (config.beams, config.rate, config.range_max) == (beams, rate, far)
    own = LidarConfig.model_validate({"type": "lidar", "preset": preset, "range_max": 5.0})
    assert (own.beams, own.range_max) == (beams, 5.0)


def test_who_is_too_high_too_far_or_nowhere_is_not_met() -> None:
    rig = Rig(Lidar, COARSE, everyone=range(1, 7))
    table = np.array([motion(), motion(4, z=2.5), motion(-4, z=-2.5), motion(0, 11.5),
                      motion(np.nan, 2), motion(0, 3)])  # fmt: skip
    others = states(range(1, 7), table.T)
    others.health[5] = Health.UNHEARD
    assert np.isinf(ranges_of(rig, motion(), others=others)).all()
    others.health[5] = Health.STALE
    assert ranges_of(rig, motion(), others=others).min() == pytest.approx(2.5)


def test_who_is_lost_stands() -> None:
    rig = Rig(Lidar, COARSE, everyone=(1, 2))
    others = states([1, 2], np.array([motion(), motion(5, vx=30)]).T)
    others.health[1] = Health.LOST
    assert ranges_of(rig, motion(), others=others).min(axis=1) == pytest.approx([4.0] * 4)


def test_height_decides_over_which_walls_one_sees() -> None:
    rig = Rig(Lidar, {**COARSE, "mount": {"z": 0.5}}, vids=(1, 2), terrain=YARD)
    readings = rig.sense([motion(), motion(z=4.5)])
    assert readings is not None
    right = 15  # 90 degrees to the right
    assert readings.values[0, 0, right] == pytest.approx(3.0)
    assert np.isinf(readings.values[1, 0, right])


def test_what_is_too_near_is_0_also_on_top_of_the_scanner() -> None:
    rig = Rig(Lidar, {**COARSE, "range_min": 1.0}, everyone=(1, 2, 3))
    near = states([1, 2], np.array([motion(), motion(1.9)]).T)
    ahead = rig.setup.config.layout.beams // 2  # type: ignore[attr-defined]
    assert ranges_of(rig, motion(), others=near)[0, ahead] == 0.0
    on_top = states([1, 2], np.array([motion(), motion(0.2)]).T)
    assert (ranges_of(rig, motion(), others=on_top) == 0.0).all()


def test_without_others_and_walls_nothing_is_met() -> None:
    assert np.isinf(ranges_of(Rig(Lidar, {}), motion())).all()


def test_a_vehicle_at_no_place_has_no_scan() -> None:
    rig = Rig(Lidar, COARSE, vids=(1, 2), terrain=YARD)
    readings = rig.sense([motion(np.nan), motion()])
    assert readings is not None
    assert np.isnan(readings.values[0]).all()
    assert not np.isnan(readings.values[1]).any()


def test_between_two_scans_there_is_none() -> None:
    assert Rig(Lidar, {"rate": 1.0}).sense([motion()], start=0.1, end=0.2) is None


def test_noise_grows_with_the_range_as_it_is_told() -> None:
    ring = Terrain(obstacles=(Obstacle("r", "building", shapely.Point(0, 0).buffer(8, 200)
                                       - shapely.Point(0, 0).buffer(4, 200)),))  # fmt: skip
    rig = Rig(Lidar, {"noise": 0.02, "noise_share": 0.01}, vids=range(1, 21), terrain=ring)
    readings = rig.sense([motion()] * 20)
    assert readings is not None
    off = readings.values - 4.0
    assert off.std() == pytest.approx(0.06, rel=0.02)
    assert off.mean() == pytest.approx(0.0, abs=0.001)
    flat = off.reshape(-1)
    for lag in (1, 2, 3, 4, 1081):
        assert abs(np.corrcoef(flat[:-lag], flat[lag:])[0, 1]) < 0.02


def test_beams_and_scans_are_lost_as_often_as_told() -> None:
    rig = Rig(Lidar, {"beam_dropout": 0.1, "dropout": 0.25}, vids=range(1, 101), terrain=YARD)
    readings = rig.sense([motion()] * 100)
    assert readings is not None
    void = np.isnan(readings.values)
    whole = void.all(axis=2)
    assert whole.mean() == pytest.approx(0.25, abs=0.07)
    assert void[~whole].mean() == pytest.approx(0.1, abs=0.003)


def test_a_scan_does_not_depend_on_ticks_or_company() -> None:
    everyone = list(range(1, 71))
    settings = {"noise": 0.02, "beam_dropout": 0.1, "dropout": 0.2}
    table = np.array([motion(2.5 * (v % 9), 2.5 * (v // 9)) for v in everyone])
    others = states(everyone, table.T)
    together = Rig(Lidar, settings, everyone, everyone, YARD).sense(table.tolist(), others=others)
    assert together is not None
    alone = Rig(Lidar, settings, [33], everyone, YARD)
    parts = [
        alone.sense([table[32].tolist()], others=others, start=start, end=round(start + 0.05, 9))
        for start in (0.0, 0.05)
    ]
    assert all(part is not None for part in parts)
    found = np.concatenate([part.values for part in parts if part is not None], axis=1)
    np.testing.assert_array_equal(found[0], together.values[32])


def test_truth_stays_behind() -> None:
    """The same world elsewhere gives the same scans: they say nothing of where that is."""

    def scan(east: float, north: float) -> F8:
        moved = [replace(o, ground=affinity.translate(o.ground, east, north))
                 for o in YARD.obstacles]  # fmt: skip
        rig = Rig(Lidar, {}, everyone=(1, 2), terrain=Terrain(obstacles=tuple(moved)))
        table = np.array([motion(east, north, 0.3), motion(east - 3, north + 4)])
        return ranges_of(rig, table[0].tolist(), others=states([1, 2], table.T))

    assert (np.isfinite(scan(0, 0))).any()
    np.testing.assert_allclose(scan(4096.0, -8192.0), scan(0, 0), atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"range_min": 10.0}, "not below range_max"),
        ({"resolution_deg": 5.0, "field_of_view_deg": 4.0}, "does not fit"),
        ({"resolution_deg": 0.001}, "beams are more than"),
        ({"preset": "mine"}, "hokuyo-ust-10lx"),
        ({"field_of_view_deg": 400.0}, "less than or equal to 360"),
    ],
)
def test_impossible_scanners_are_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        LidarConfig.model_validate({"type": "lidar", **settings})


def test_whoever_has_no_body_is_not_met() -> None:
    rig = Rig(Lidar, COARSE, everyone=(1, 2), roster=roster_of([1, 2], (0.0, 0.0)))
    others = states([1, 2], np.array([motion(), motion(5)]).T)
    assert len(MOTION) == 10
    assert np.isinf(ranges_of(rig, motion(), others=others)).all()
