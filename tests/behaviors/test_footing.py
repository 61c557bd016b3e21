"""On poor ground, and on lanes through woods, vehicles slow down for corners as they must."""

import numpy as np
import pytest
import shapely

from movenv.scenario.build import Stage
from movenv.scenario.load import load

pytestmark = pytest.mark.long

ICE = """
time: {duration: 110}
terrain:
  soil: SOIL
  features:
    - {kind: building, name: w, at: [0, 0], rectangle: [20, 60]}
    - {kind: building, name: x, at: [50, -40], rectangle: [20, 60]}
vehicles:
  - {name: v, kind: ground, model: {type: ground, build: BUILD}, start: {at: [-150, -2]},
     behaviors: {move_to: {to: [150, -2]}}}
"""
SHED = """
time: {duration: 40}
terrain:
  soil: grass
  features:
    - {kind: road, name: lane, line: [[0, 20], [40, 80], [85, 80]], width: 6}
    - {kind: building, name: shed, at: [40, 80], rectangle: [8, 8]}
vehicles:
  - {name: v, kind: ground, model: {type: ground, build: truck}, start: {at: [0, 12]},
     behaviors: {move_to: {to: [120, 80], roads: prefer}}}
"""
WOOD = """
time: {duration: 60}
terrain:
  features:
    - {kind: canopy, name: wood, polygon: [[120, 40], [180, 40], [180, 110], [120, 110]]}
    - {kind: road, name: lane, line: [[START, 80], [160, 80], [200, 30]], width: 6}
vehicles:
  - {name: v, kind: ground, model: {type: ground, build: BUILD},
     start: {at: [60, 80], heading_deg: 90},
     behaviors: {move_to: {to: [220, 24], roads: only}}}
"""


def track(driven, tmp_path, text: str) -> tuple[shapely.LineString, shapely.Geometry]:
    """The whole way of a vehicle, and all that stands in it."""
    places = driven(text).place("v")[:, :2]
    stage = Stage(load(str(tmp_path / "test.yaml")), real=False)
    barriers = stage.terrain.barriers(stage.roster.kinds[0])
    return shapely.LineString(places), shapely.union_all([part for _, part in barriers])


@pytest.mark.parametrize("build", ["jeep", "car", "truck", "tank"])
@pytest.mark.parametrize("soil", ["ice", "grass"])
def test_corners_between_buildings_are_taken_as_fast_as_the_soil_holds(
    driven, tmp_path, build, soil
) -> None:
    way, solid = track(driven, tmp_path, ICE.replace("SOIL", soil).replace("BUILD", build))
    assert way.distance(solid) > 0.5
    assert np.hypot(way.coords[-1][0] - 150, way.coords[-1][1] + 2) < 2.0


def test_a_truck_on_grass_stays_out_of_the_shed_on_its_road(driven, tmp_path) -> None:
    way, solid = track(driven, tmp_path, SHED)
    assert way.distance(solid) > 0.5
    assert way.coords[-1][0] > 115


@pytest.mark.parametrize("start", [0, 115])
@pytest.mark.parametrize("build", ["truck", "tank", "jeep"])
def test_a_road_that_bends_in_a_wood_is_kept_to(driven, tmp_path, build, start) -> None:
    way, solid = track(driven, tmp_path, WOOD.replace("BUILD", build).replace("START", str(start)))
    assert not way.intersects(solid)
    wood = shapely.box(120, 40, 180, 110)
    lane = shapely.LineString([(start, 80), (160, 80), (200, 30)])
    through = way.intersection(wood)
    assert through.length == pytest.approx(lane.intersection(wood).length, abs=5)
    assert through.within(lane.buffer(3.1))


BEND = """
time: {duration: 90}
terrain:
  soil: SOIL
  features:
    - {kind: road, name: lane, line: [[0, 0], [300, 0], [300, 200]], width: 6, soil: SOIL}
    - {kind: building, name: house, at: [330, 10], rectangle: [40, 60]}
vehicles:
  - {name: v, kind: ground, model: {type: ground, build: car, speed: 30},
     start: {at: [0, 0], heading_deg: 90, speed: 0},
     behaviors: {move_to: {to: [300, 200], roads: only}}}
"""


@pytest.mark.parametrize("soil", ["hard", "snow", "ice"])
def test_a_fast_car_slows_down_in_time_for_a_bend(driven, tmp_path, soil) -> None:
    way, solid = track(driven, tmp_path, BEND.replace("SOIL", soil))
    lane = shapely.LineString([[0, 0], [300, 0], [300, 200]])
    assert max(lane.distance(shapely.Point(p)) for p in way.coords) < 2.0
    assert way.distance(solid) > 3.0
    assert way.coords[-1][1] > 100
