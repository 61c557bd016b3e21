"""Boats and submarines over a bed: closed forms of a beach, and any bed against SciPy's."""

import math

import numpy as np
import pytest
from scipy.ndimage import map_coordinates

from movenv.terrain.features import Terrain
from movenv.terrain.height_map import HeightMap
from movenv.vehicles.kinematic import STATE, Kinematic, KinematicConfig
from movenv.world.kinds import Kind
from movenv.world.model import MOTION

BOAT, SUBMARINE = Kind("surface"), Kind("underwater")
X = np.arange(0.0, 205.0, 5.0)
BEACH = np.tile(0.1 * X - 10.0, (len(X), 1))
"""One metre up every ten to the east: the shore is at x = 100."""


def bed(heights: np.ndarray, cell: float = 5.0, has_bed: bool = True) -> Terrain:
    rows = np.ascontiguousarray(heights, np.float32)
    return Terrain(relief=HeightMap(0.0, 0.0, cell, rows, has_bed=has_bed))


def fleet(terrain: Terrain, kind: Kind, places: np.ndarray, **settings: float) -> Kinematic:
    """At cruising speed at places (x, y, z, yaw; columns are vehicles)."""
    complete = Kinematic.complete(KinematicConfig(**settings), kind)
    count = places.shape[1]
    table = np.array([np.full(count, complete[name]) for name in Kinematic.parameter_names])
    motion = np.zeros((len(MOTION), count))
    motion[:4] = places
    motion[MOTION.index("speed")] = complete["speed"]
    model = Kinematic(table, motion)
    model.stand_on(terrain)
    return model


def sail(model: Kinematic, time: float, command: tuple[float, float, float]) -> list[list[str]]:
    """What was said in each tick."""
    orders = np.repeat(np.array([command]).T, model.motion.shape[1], axis=1)
    said = []
    for _ in range(round(time / 0.1)):
        model.advance(orders, 0.01, 10)
        said.append([text for _, text in model.befallen()])
    return said


def seen(model: Kinematic, name: str) -> float:
    return float(model.motion[MOTION.index(name), 0])


def at(x: float, y: float, z: float = 0.0, yaw: float = 0.0) -> np.ndarray:
    return np.array([[x], [y], [z], [yaw]])


def test_a_boat_stops_where_its_keel_meets_the_beach() -> None:
    """With 1.5 m of draught and the bow 4 m ahead: at x = 85 - 4, to a tick of its way."""
    model = fleet(bed(BEACH), BOAT, at(40, 100), length=8.0, draught=1.5, speed=4.0)
    said = sail(model, 30.0, (0.0, 4.0, 0.0))
    assert 81.0 - 0.4 <= seen(model, "x") <= 81.0 + 1e-6
    assert seen(model, "y") == 100.0
    assert (seen(model, "speed"), seen(model, "vx")) == (0.0, 0.0)
    assert [text for tick in said for text in tick] == ["has run aground"]


def test_it_slides_along_the_shore_by_the_share_of_its_way_that_leads_there() -> None:
    """At 30 degrees to the shore it keeps cos 30 of its speed, and does not come nearer."""
    yaw = math.radians(60)
    model = fleet(bed(BEACH), BOAT, at(75, 20, 0, yaw), length=6.0, draught=1.0, speed=4.0)
    sail(model, 8.0, (0.0, 4.0, 0.0))
    x, y = seen(model, "x"), seen(model, "y")
    sail(model, 1.0, (0.0, 4.0, 0.0))
    assert seen(model, "x") == pytest.approx(x, abs=1e-6)
    held = (seen(model, "y") - y) / 1.0
    assert held > 0.3
    assert seen(model, "vy") == pytest.approx(held, rel=0.05)
    assert seen(model, "vx") == pytest.approx(0.0, abs=1e-6)


def test_it_turns_on_the_shore_and_leaves() -> None:
    model = fleet(bed(BEACH), BOAT, at(75, 100), length=6.0, draught=1.0, speed=4.0)
    sail(model, 10.0, (0.0, 4.0, 0.0))
    assert seen(model, "speed") == 0.0
    for _ in range(600):
        turn = 0.6 if abs(abs(seen(model, "yaw")) - math.pi) > 0.3 else 0.0
        sail(model, 0.1, (turn, 4.0, 0.0))
    assert seen(model, "x") < 40.0
    assert seen(model, "speed") == pytest.approx(4.0)


def test_a_map_of_land_alone_stops_no_hull() -> None:
    model = fleet(bed(BEACH, has_bed=False), BOAT, at(75, 100), length=6.0, speed=4.0)
    sail(model, 10.0, (0.0, 4.0, 0.0))
    assert seen(model, "x") == pytest.approx(115.0)


def test_a_submarine_told_to_dive_levels_off_above_the_bed() -> None:
    model = fleet(bed(np.full((41, 41), -30.0)), SUBMARINE, at(20, 100, -10.0), speed=2.0)
    sail(model, 60.0, (0.0, 2.0, -0.5))
    assert -30.0 <= seen(model, "z") < -28.0
    assert seen(model, "x") > 100.0


def test_it_climbs_as_the_bed_does_and_stops_where_there_is_no_more_water() -> None:
    """The bed rises to z 0 at x = 100; its bow is 1.5 m ahead."""
    model = fleet(bed(BEACH), SUBMARINE, at(20, 100, -7.0), length=3.0, speed=2.0)
    sail(model, 20.0, (0.0, 2.0, 0.0))
    assert seen(model, "z") >= 0.1 * (seen(model, "x") + 1.5) - 10.0 - 1e-6
    sail(model, 60.0, (0.0, 2.0, 0.0))
    assert seen(model, "x") <= 98.5 + 1e-6
    assert -1.0 < seen(model, "z") <= 1e-9


def test_a_cliff_out_of_the_water_stops_a_submarine() -> None:
    cliff = np.where(X < 100.0, -40.0, 5.0)
    model = fleet(bed(np.tile(cliff, (41, 1))), SUBMARINE, at(60, 100, -30.0), speed=2.0)
    said = sail(model, 60.0, (0.0, 2.0, 0.0))
    assert seen(model, "x") < 100.0
    assert "has run aground" in [text for tick in said for text in tick]


def test_one_under_water_is_climbed_as_steeply_as_it_can() -> None:
    cliff = np.where(X < 100.0, -40.0, -5.0)
    model = fleet(bed(np.tile(cliff, (41, 1))), SUBMARINE, at(60, 100, -30.0), speed=2.0)
    sail(model, 60.0, (0.0, 2.0, 0.0))
    assert seen(model, "x") > 110.0
    assert seen(model, "z") >= -5.0


@pytest.mark.parametrize("kind", [BOAT, SUBMARINE])
def test_no_keel_goes_into_any_bed(kind: Kind) -> None:
    """200 of them over 60 s of random turns; the ground is SciPy's, bilinear as ours."""
    draw = np.random.default_rng(5)
    rough = map_coordinates(draw.normal(-2.0, 4.0, (12, 12)), np.mgrid[0:10:61j, 0:10:61j] + 0.5)
    depth = 3.0 if kind == SUBMARINE else 0.0
    terrain = bed(rough.astype(np.float32) - depth, cell=4.0)
    places = np.vstack([draw.uniform(20, 220, (2, 2000)), np.zeros(2000), np.zeros(2000)])
    places[3] = draw.uniform(-np.pi, np.pi, 2000)
    places[2] = -3.0 if kind == SUBMARINE else 0.0
    draught = 0.0 if kind == SUBMARINE else 0.5
    start = np.vstack([places[:3], places[3]])
    free = _clearance(terrain, start[:3], start[3], 4.0, draught) > 0.2
    model = fleet(terrain, kind, places[:, free][:, :200], length=4.0, draught=draught)
    stopped = 0
    for _ in range(600):
        steer, pitch = draw.uniform(-0.6, 0.6, 200), draw.uniform(-0.5, 0.5, 200)
        model.advance(np.array([steer, np.full(200, 6.0), pitch]), 0.01, 10)
        stopped += len(model.befallen())
        yaw = model.state[STATE.index("yaw")]
        # A bow that is swung ashore may be in it, as far as half a length of slope; not the middle.
        assert _clearance(terrain, model.motion[:3], yaw, 0.0, draught).min() > -1e-4
    assert stopped > 20


def _clearance(
    terrain: Terrain, places: np.ndarray, yaw: np.ndarray, length: float, draught: float
) -> np.ndarray:
    assert terrain.relief is not None
    heights, cell = terrain.relief.heights.astype(float), terrain.relief.cell
    along = np.array([[0.0], [0.5], [-0.5]]) * length
    x, y = places[0] + along * np.cos(yaw), places[1] + along * np.sin(yaw)
    ground = map_coordinates(heights, [y / cell, x / cell], order=1, mode="nearest")
    return np.asarray(places[2] - draught - ground.max(axis=0))
