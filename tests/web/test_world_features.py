"""Areas, routes and the ground as the map gets them: measured on the globe."""

import math

import msgspec
import numpy as np
import pytest
from pyproj import Geod
from shapely import Point, Polygon
from tests.web.synthetic import ORIGIN, record

from movenv.scenario.recorded import Ground, ground_of, scenario_of
from movenv.terrain.features import Crossing, Obstacle, Road, SoilPatch, Terrain
from movenv.terrain.route import Route
from movenv.web.world import Feature, stretch_of, world_of
from movenv.world.frames import Frame

SCENARIO = """
name: routed
origin: {lat: 29.193111, lon: -81.046171}
areas:
  field: {square: 400, floor: 5}
routes:
  ring:
    points: [[0, 0], [100, 0], [100, 50], [0, 50]]
    closed: true
    slow: [{at: 90, over: 30, speed: 3}, {at: 290, over: 20, speed: 2}]
    stops: [{at: 175, wait: 7}]
  track: {file: track.gpx}
vehicles:
  - {name: car, kind: ground, start: {at: [0, 0]}}
"""
GEOD = Geod(ellps="WGS84")


def ground(files: dict[str, str] | None = None) -> Ground:
    told = msgspec.structs.replace(record(1), scenario=SCENARIO, files=files or {})
    scenario = scenario_of(told, "routed.yaml")
    assert scenario is not None
    return ground_of(scenario, told)


def role(name: str) -> list[Feature]:
    features = world_of(ground(), Frame(*ORIGIN))
    return [one for one in features if one["properties"]["role"] == name]


def length(line: list[list[float]]) -> float:
    return float(GEOD.line_length(*np.array(line).T))


def test_a_route_is_a_line_that_is_as_long_on_the_globe() -> None:
    (ring,) = role("route")
    assert ring["properties"] == {"role": "route", "name": "ring", "closed": True}
    line = ring["geometry"]["coordinates"]
    assert line[0] == line[-1] == pytest.approx([ORIGIN[1], ORIGIN[0]], abs=1e-7)
    assert length(line) == pytest.approx(300, rel=1e-3)


def test_slow_stretches_go_round_corners_and_over_the_end_of_a_closed_route() -> None:
    corner, end = role("slow")
    assert corner["properties"] == {"role": "slow", "route": "ring", "speed": 3.0}
    assert len(corner["geometry"]["coordinates"]) == 3
    assert length(corner["geometry"]["coordinates"]) == pytest.approx(30, rel=2e-3)
    line = end["geometry"]["coordinates"]
    assert length(line) == pytest.approx(20, rel=2e-3)
    start = [ORIGIN[1], ORIGIN[0]]
    assert any(place == pytest.approx(start, abs=1e-7) for place in line[1:-1])


def test_a_stop_lies_as_far_along_the_route_as_the_scenario_says() -> None:
    (stop,) = role("stop")
    assert stop["properties"] == {"role": "stop", "route": "ring", "wait": 7.0}
    (ring,) = role("route")
    line = [*ring["geometry"]["coordinates"][:3], stop["geometry"]["coordinates"]]
    assert length(line) == pytest.approx(175, rel=1e-3)


def test_a_part_of_an_open_route_ends_where_it_ends() -> None:
    points = np.array([[0.0, 0.0, np.nan], [30.0, 40.0, np.nan], [30.0, 140.0, np.nan]])
    route = Route("path", points, np.full(2, np.nan))
    assert stretch_of(route, 25, 60) == pytest.approx(np.array([[15, 20], [30, 40], [30, 50]]))
    assert stretch_of(route, 140, 900)[-1] == pytest.approx([30, 140])
    assert math.isclose(route.length, 150)


def test_a_route_whose_file_was_not_recorded_is_left_out_and_told() -> None:
    found = ground()
    assert found.left_out == ["route 'track' is not shown: track.gpx was not recorded"]
    assert [route.name for route in found.routes] == ["ring"]


def test_a_route_that_cannot_be_read_is_left_out_with_the_reason() -> None:
    found = ground({"track.gpx": "<gpx"})
    assert len(found.left_out) == 1
    assert found.left_out[0].startswith("route 'track' is not shown: ")
    assert "track.gpx" in found.left_out[0]


def test_a_route_whose_file_came_with_the_recording_is_there() -> None:
    points = "".join(f'<rtept lat="{ORIGIN[0]}" lon="{ORIGIN[1] + k / 1000}"/>' for k in range(3))
    found = ground({"track.gpx": f'<gpx version="1.1"><rte>{points}</rte></gpx>'})
    assert found.left_out == []
    assert found.routes[1].length == pytest.approx(194.8, abs=1)


def test_areas_keep_their_heights() -> None:
    (field,) = role("area")
    assert field["properties"] == {"role": "area", "name": "field", "floor": 5.0}
    assert length(field["geometry"]["coordinates"][0]) == pytest.approx(1600, rel=1e-3)


RIVER = Polygon([(0, 0), (200, 0), (200, 20), (0, 20)])
LAKE = Polygon(
    [(300, 0), (400, 0), (400, 100), (300, 100)],
    [[(340, 40), (360, 40), (360, 60), (340, 60)]],
)


def disc(x: float, y: float, radius: float) -> Polygon:
    return Point(x, y).buffer(radius)


def shown(terrain: Terrain) -> list[Feature]:
    features = world_of(Ground(terrain=terrain), Frame(*ORIGIN))
    assert all(one["properties"]["role"] == "terrain" for one in features)
    return features


def test_the_ground_covers_as_much_of_the_globe_as_it_does_of_the_plane() -> None:
    terrain = Terrain(
        obstacles=(Obstacle("creek", "river", RIVER), Obstacle("pond", "lake", LAKE)),
        crossings=(Crossing("old bridge", "bridge", Polygon(RIVER.exterior), ("creek",)),),
        soils=(SoilPatch("bog", LAKE, 0.3),),
    )
    for feature, plane in zip(shown(terrain), (LAKE, RIVER, LAKE, RIVER), strict=True):
        rings = [np.array(ring) for ring in feature["geometry"]["coordinates"]]
        whole, *holes = [abs(GEOD.polygon_area_perimeter(*ring.T)[0]) for ring in rings]
        assert whole - sum(holes) == pytest.approx(plane.area, rel=2e-3)
        assert len(holes) == len(plane.interiors)
    kinds = [feature["properties"]["kind"] for feature in shown(terrain)]
    assert kinds == ["soil", "river", "lake", "bridge"]
    assert shown(terrain)[0]["properties"]["mobility"] == 0.3
    assert shown(terrain)[3]["properties"]["over"] == ["creek"]


def test_a_road_is_its_middle_line_and_its_width() -> None:
    line = np.array([[0.0, 0.0], [30.0, 40.0], [30.0, 140.0]])
    (road,) = shown(Terrain(roads=(Road("a1", line, 7.5),)))
    assert road["properties"] == {"role": "terrain", "kind": "road", "name": "a1", "width": 7.5}
    assert length(road["geometry"]["coordinates"]) == pytest.approx(150, rel=1e-3)


def test_ten_thousand_trees_are_a_few_features_that_hold_them_all_where_they_stand() -> None:
    rng = np.random.default_rng(5)
    places = rng.uniform(-2000, 2000, (10_000, 2))
    radii = rng.choice([0.5, 0.52, 1.0, 2.0], 10_000)
    trees = tuple(
        Obstacle(f"tree-{i}", "tree", disc(x, y, radius))
        for i, ((x, y), radius) in enumerate(zip(places.tolist(), radii.tolist(), strict=True))
    )
    found = shown(Terrain(obstacles=trees))
    assert [one["properties"]["radius"] for one in found] == [0.5, 1.0, 2.0]
    told = np.vstack([one["geometry"]["coordinates"] for one in found])
    lat, lon, _ = Frame(*ORIGIN).to_geodetic(places[:, 0], places[:, 1])
    expected = np.column_stack([lon, lat])
    assert np.sort(told, axis=0) == pytest.approx(np.sort(expected, axis=0), abs=2e-7)
    assert len(msgspec.json.encode(found)) < 400_000


def test_towers_keep_their_names_and_what_is_not_round_its_outline() -> None:
    mast = Obstacle("mast", "tower", disc(10, 20, 3))
    hedge = Obstacle("hedge", "tree", Polygon(RIVER.exterior))
    outline, point = shown(Terrain(obstacles=(mast, hedge)))
    assert outline["geometry"]["type"] == "Polygon"
    assert outline["properties"] == {"role": "terrain", "kind": "tree", "name": "hedge"}
    assert point["geometry"]["type"] == "Point"
    assert point["properties"]["name"] == "mast"
    assert point["properties"]["radius"] == pytest.approx(3, rel=0.01)
