"""Cameras beside closed forms and shapely, pixel by pixel."""

import math
from typing import Any

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray
from pydantic import ValidationError
from shapely import Polygon
from tests.sensors.rigs import Rig, motion, roster_of, states

from movenv.sensors import threads, view
from movenv.sensors.camera import Camera, CameraConfig
from movenv.terrain.features import NO_TERRAIN, Hill, Obstacle, Road, SoilPatch, Terrain
from movenv.terrain.height_map import HeightMap, Materials
from movenv.terrain.relief import Relief
from movenv.terrain.relief_rays import Ground, ground
from movenv.terrain.seen import Seen
from movenv.terrain.soil import SOILS
from movenv.world.columns import F8
from movenv.world.frames import rotation
from movenv.world.kinds import Kind

SMALL = {"width": 64, "height": 48, "field_of_view_deg": 80.0}
UP = 1.6


def picture(
    terrain: Terrain = NO_TERRAIN,
    own: list[float] | None = None,
    mount: dict[str, float] | None = None,
    others: list[list[float]] | None = None,
    **settings: Any,
) -> NDArray[Any]:
    """Of the first vehicle, at the end of the tick."""
    own = motion() if own is None else own
    vids = list(range(1, 2 + len(others or [])))
    rig = Rig(
        Camera, {**SMALL, "mount": {"z": UP, **(mount or {})}, **settings}, (1,), vids, terrain,
        roster=roster_of(vids, (4.0, 2.0), 1.5),
    )  # fmt: skip
    readings = rig.sense([own], others=states(vids, np.array([own, *(others or [])]).T))
    assert readings is not None
    found: NDArray[Any] = readings.values[0, -1]
    return found


def directions(yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0) -> F8:
    """Through the middles of pixels, with a length of 1 along the axis: (3, height, width)."""
    width, height = 64, 48
    focal = width / 2 / math.tan(math.radians(40))
    left = (width / 2 - np.arange(width) - 0.5) / focal
    up = (height / 2 - np.arange(height) - 0.5) / focal
    own = np.array([np.ones((height, width)), *np.broadcast_arrays(left[None, :], up[:, None])])
    return np.einsum("ij,jhw->ihw", rotation(yaw, pitch, roll), own)


@pytest.mark.parametrize(
    ("yaw", "pitch", "roll"), [(0, 0, 0), (0.5, -0.3, 0), (2, 0.2, 0.4), (0, -math.pi / 2, 0)]
)
@pytest.mark.parametrize("hills", [(), (Hill(9e3, 0.0, 1.0, 5.0),)])
def test_level_ground_has_the_depth_that_geometry_gives(
    yaw: float, pitch: float, roll: float, hills: tuple[Hill, ...]
) -> None:
    mount = {"pitch_deg": math.degrees(pitch), "roll_deg": math.degrees(roll)}
    found = picture(Terrain(hills=hills), motion(3, 4, yaw), mount)
    toward = directions(yaw, pitch, roll)
    down = -toward[2]
    depth = np.where(down > 0, UP / np.where(down > 0, down, 1.0), np.inf)
    depth[depth * np.linalg.norm(toward, axis=0) > 2000.0] = np.inf
    np.testing.assert_allclose(found["depth"], depth.astype(np.float32), rtol=1e-5)
    expected = np.where(np.isinf(depth), Seen.SKY, Seen.GROUND)
    np.testing.assert_array_equal(found["seen"], expected)


def test_it_sees_what_shapely_says_is_there() -> None:
    """A road, a pond and sand on the ground, by where each pixel's ray comes down."""
    road = Road("road", np.array([[-20.0, -10.0], [60.0, 12.0]]), 6.0)
    pond = Obstacle("pond", "lake", Polygon([(5, 4), (14, 5), (12, 11), (6, 9)]))
    sand = SoilPatch("sand", Polygon([(2, -20), (30, -20), (30, -4)]), 0.5, 0.6)
    found = picture(
        Terrain(roads=(road,), obstacles=(pond,), soils=(sand,)), mount={"pitch_deg": -35.0}
    )
    toward = directions(pitch=math.radians(-35))
    down = toward[2] < -1e-3
    on = np.where(down, -UP / np.where(down, toward[2], 1.0), 1e6)
    points = shapely.points(on * toward[0], on * toward[1])
    edge = min(
        shapely.distance(ground.boundary, points).min() for ground in (road.ground, pond.ground)
    )
    assert edge < 0.1  # so that both are in the picture
    clear = np.ones(points.shape, bool)
    for ground_of in (road.ground, pond.ground):
        clear &= shapely.distance(ground_of.boundary, points) > 1e-6
    expected = np.full(points.shape, Seen.GROUND)
    expected[shapely.contains(pond.ground, points)] = Seen.WATER
    expected[shapely.contains(road.ground, points)] = Seen.ROAD
    expected[~down] = Seen.SKY
    np.testing.assert_array_equal(found["seen"][clear], expected[clear])
    sandy = shapely.contains(sand.ground, points) & (expected == Seen.GROUND)
    grassy = ~shapely.contains(sand.ground, points) & (expected == Seen.GROUND)
    assert found["colour"][sandy, 0].mean() > found["colour"][grassy, 0].mean() + 20


def test_walls_roofs_and_vehicles_stand_where_they_should() -> None:
    hut = Obstacle("hut", "building", Polygon([(20, -30), (40, -30), (40, 30), (20, 30)]), 5.0)
    found = picture(Terrain(obstacles=(hut,)), others=[motion(11.0, 0.0)])
    toward = directions()
    at_car = np.abs(toward[1] * 9.0) <= 1.0  # its rear is 9 m ahead, 2 m wide, 1.5 m high
    at_car &= (UP + 9.0 * toward[2] <= 1.5) & (UP + 9.0 * toward[2] > 0.0)
    np.testing.assert_array_equal(found["seen"] == Seen.VEHICLE, at_car | _top(toward))
    np.testing.assert_allclose(found["depth"][at_car], 9.0, rtol=1e-6)
    high = UP + 20.0 * toward[2]
    at_wall = (high > 0.0) & (high < 5.0) & (np.abs(20 * toward[1]) < 30) & ~at_car & ~_top(toward)
    np.testing.assert_array_equal(found["seen"] == Seen.BUILDING, at_wall)
    np.testing.assert_allclose(found["depth"][at_wall], 20.0, rtol=1e-6)


def _top(toward: F8) -> NDArray[np.bool_]:
    """Rays that come down on the roof of a car from 9 to 13 m ahead, 1.5 m high."""
    down = np.where(toward[2] < 0.0, -toward[2], np.nan)
    on = (UP - 1.5) / down
    return (on >= 9.0) & (on <= 13.0) & (np.abs(on * toward[1]) <= 1.0)


def test_people_are_people_and_ones_own_body_is_not_seen() -> None:
    assert (picture(mount={"x": 0.0, "z": 0.7})["seen"] != Seen.VEHICLE).all()
    walker = roster_of([1, 2], (0.5, 0.5), 1.75)
    walker.kinds[0] = Kind("pedestrian")
    rig = Rig(Camera, SMALL | {"mount": {"z": 1.0}}, (1,), (1, 2), roster=walker)
    readings = rig.sense([motion()], others=states([1, 2], np.array([motion(), motion(4)]).T))
    assert readings is not None
    assert (readings.values["seen"] == Seen.PEDESTRIAN).sum() > 50
    assert (readings.values["seen"] == Seen.VEHICLE).sum() == 0


def test_of_a_map_walls_roofs_poles_and_kerbs_are_told_apart() -> None:
    heights = np.zeros((200, 200), np.float32)
    heights += 0.1 * np.arange(200)[None, :] * 0.5  # a slope is no kerb
    heights[80:120, 100:140] += 6.0
    heights[60:62, 60:62] += 4.0
    heights[:, 20:] += 0.2
    terrain = Terrain()
    terrain.drawn[Ground] = ground(Relief(0.0, 0.0, 0.5, heights, np.empty((0, 4))))

    def below(x: float, y: float) -> Seen:
        """In the middle of a picture taken from right above."""
        own = motion(x, y, z=60.0)
        seen = picture(
            terrain, own, {"pitch_deg": -90.0}, width=3, height=3, field_of_view_deg=0.01
        )
        return Seen(int(seen["seen"][1, 1]))

    assert below(60.0, 50.0) == Seen.BUILDING
    assert below(49.8, 50.0) == Seen.BUILDING  # its wall
    assert below(30.2, 30.2) == Seen.OBSTACLE
    assert below(9.8, 90.0) == Seen.KERB
    assert below(40.0, 80.0) == Seen.GROUND
    assert below(-40.0, 80.0) == Seen.GROUND


def test_of_a_map_hard_cells_are_road_and_the_others_have_their_soils_colour() -> None:
    kinds = np.zeros((40, 40), np.uint8)
    kinds[:, 20:] = 1
    soils = np.array([SOILS["hard"], SOILS["sand"]]).T.copy()
    heights = np.zeros((40, 40), np.float32)
    relief = HeightMap(-19.5, -19.5, 1.0, heights, Materials(kinds, soils))
    found = picture(Terrain(relief=relief), mount={"pitch_deg": -90.0})  # its top is ahead
    assert (found["seen"][:20] == Seen.GROUND).all()
    assert (found["seen"][28:] == Seen.ROAD).all()
    assert found["colour"][:20, :, 0].mean() > found["colour"][28:, :, 0].mean() + 60


def test_the_sun_lights_one_side_and_haze_takes_the_distance() -> None:
    def wall(heading: float) -> F8:
        c, s = math.cos(heading), math.sin(heading)
        far = [(20 * c - a * s * 30 + b * c, 20 * s + a * c * 30 + b * s)
               for a, b in ((-1, 0), (1, 0), (1, 5), (-1, 5))]  # fmt: skip
        hut = Obstacle("hut", "building", Polygon(far), 50.0)
        found = picture(Terrain(obstacles=(hut,)), motion(yaw=heading))
        return found["colour"][found["seen"] == Seen.BUILDING].mean(axis=0)

    north, south = wall(-math.pi / 2), wall(math.pi / 2)
    assert (south > 1.15 * north).all()  # seen toward the north, a wall faces the sun
    grass = picture()
    blue = grass["colour"][:, 32, 2].astype(int)
    assert blue[24] > blue[40] + 10


def test_pictures_of_one_thread_and_of_many_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    hut = Obstacle("hut", "building", Polygon([(9, -3), (12, -3), (12, 3)]), 5.0)
    terrain = Terrain(obstacles=(hut,), hills=(Hill(60.0, 0.0, 20.0, 40.0),))
    many = picture(terrain, others=[motion(8.0, 2.0, 0.5, pitch=0.1)])
    monkeypatch.setattr(threads, "THREADS", 1)
    assert picture(terrain, others=[motion(8.0, 2.0, 0.5, pitch=0.1)]).tobytes() == many.tobytes()


def test_from_nowhere_nothing_is_seen() -> None:
    found = picture(own=motion(math.nan))
    assert np.isnan(found["depth"]).all()
    assert (found["seen"] == Seen.NOTHING).all()
    assert not found["colour"].any()


def test_what_moves_is_where_it_is_at_the_instant() -> None:
    """Ahead at 9 m at the start of the tick, backing at 20 m/s: 7 m at its end."""
    found = picture(others=[motion(11.0, vx=-20.0)])
    assert found["depth"][26, 32] == pytest.approx(7.0, rel=1e-6)


def test_kernels_are_compiled_once_however_many_others_there_are() -> None:
    hut = Obstacle("hut", "building", Polygon([(9, -3), (12, -3), (12, 3)]), 5.0)
    everyone = range(1, 7)
    rig = Rig(Camera, SMALL, (1,), everyone, Terrain(obstacles=(hut,), hills=(Hill(60, 0, 9, 9),)))
    kernels = [view.aim, view.meet_solids, view.places_met, view.name_ground, view.shade]
    for count in (0, 1, 2, 6):
        table = np.array([motion(3.0 * k) for k in range(count)]).T
        rig.sense([motion(vx=1.0)], others=states(everyone[:count], table))
    assert [len(one.signatures) for one in kernels] == [1] * len(kernels)


def test_more_pixels_than_one_can_cast_are_refused() -> None:
    with pytest.raises(ValidationError, match="more than 4,000,000"):
        CameraConfig(type="camera", width=4096, height=4096)
