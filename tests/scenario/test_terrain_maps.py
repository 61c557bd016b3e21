"""Maps that others drew: what is broken in them, what they call alike, what passes over."""

import json
import re

import numpy as np
import pytest
import shapely
from tests.scenario.geojson import BOW_TIE, SCENARIO, SQUARE, collection, lonlat, stage_with

from movenv.scenario.errors import ScenarioError
from movenv.terrain.roads import RoadNetwork

HOUSE = ({"building": "yes", "name": "house"}, "Polygon", SQUARE)


def test_what_crosses_itself_in_a_map_is_mended() -> None:
    barn = ({"building": "yes", "name": "barn"}, "Polygon", BOW_TIE)
    pond = ({"natural": "water", "name": "pond"}, "Polygon", BOW_TIE)
    brook = ({"waterway": "stream"}, "LineString", lonlat((0, 120), (300, 120)))
    terrain = stage_with(collection(barn, pond, brook)).terrain
    names = [o.name for o in terrain.obstacles]
    assert names[:4] == ["barn", "barn-2", "pond", "pond-2"]
    sides = shapely.union_all([o.ground for o in terrain.obstacles[:2]])
    above_and_below = shapely.union_all(
        [shapely.Polygon([(x, 100), (120, 120), (x, 140)]) for x in (100, 140)]
    )
    assert sides.symmetric_difference(above_and_below).area < 1e-3
    assert all(o.ground.is_valid for o in terrain.obstacles)
    assert terrain.left_out == ()


@pytest.mark.parametrize(
    ("tags", "shape", "places", "why"),
    [
        ({"natural": "tree_row", "name": "elms"}, "LineString", [SQUARE[0][0]] * 2, "no length"),
        ({"building": "yes"}, "Polygon", [[[-81.05, 29.19]] * 4], "no surface"),
        ({"building": "yes"}, "Polygon", [SQUARE[0][:3]], "a ring of fewer than 4 places"),
        ({"building": "yes"}, "Polygon", None, "no list where one is expected"),
        ({"natural": "tree"}, "Point", [1, 91], "not on the globe"),
        ({"natural": "tree"}, "Point", ["a", 1], "not on the globe"),
        ({"natural": "tree"}, "Circle", [1, 1], "a geometry of unknown type 'Circle'"),
    ],
)
def test_what_is_broken_in_a_map_is_left_out_and_counted(tags, shape, places, why) -> None:
    terrain = stage_with(collection((tags, shape, places), HOUSE, (tags, shape, places))).terrain
    assert [o.name for o in terrain.obstacles] == ["house"]
    (said,) = terrain.left_out
    name = " 'elms'" if "name" in tags else ""
    assert said.startswith(f"2 features are broken, first village.geojson: feature 1{name}: ")
    assert why in said


def test_a_feature_of_a_map_without_a_geometry_is_left_out_one_of_ours_refused() -> None:
    data = json.loads(collection(HOUSE, HOUSE))
    data["features"][0]["geometry"] = None
    terrain = stage_with(json.dumps(data)).terrain
    assert len(terrain.obstacles) == len(terrain.left_out) == 1
    data["features"][0]["properties"] = {"kind": "building"}
    with pytest.raises(ScenarioError, match="feature 1: has no geometry"):
        stage_with(json.dumps(data))


@pytest.mark.parametrize("width", ["20000", "wide", "-3", "0", "1e9", "999999 ft"])
def test_a_width_that_cannot_be_is_the_usual_one(width: str) -> None:
    line = lonlat((0, 0), (90, 0))
    brook = ({"waterway": "stream", "width": width}, "LineString", line)
    lane = ({"highway": "service", "width": width, "lanes": "500"}, "LineString", line)
    high = ({"building": "yes", "height": "90000", "building:levels": "9999"}, "Polygon", SQUARE)
    terrain = stage_with(collection(brook, lane, high)).terrain
    assert terrain.obstacles[0].ground.area == pytest.approx(3 * 90, rel=1e-3)
    assert terrain.roads[0].width == 4
    assert terrain.obstacles[1].height == 10
    with pytest.raises(ScenarioError, match="'width' should be less than or equal to 10000, found"):
        stage_with(collection(({"kind": "road", "width": "20000"}, "LineString", line)))


def test_what_a_map_calls_like_one_of_ours_gets_a_number() -> None:
    corner = [lonlat((0, 0), (9, 0), (9, 9), (0, 0))]
    ours = ({"kind": "building", "name": "house"}, "Polygon", corner)
    inline = "  features: [{kind: tree, name: house-2, at: [300, 0], radius: 1}]\n  file"
    terrain = stage_with(collection(HOUSE, ours), SCENARIO.replace("  file", inline)).terrain
    assert [o.name for o in terrain.obstacles] == ["house-2", "house-3", "house"]


@pytest.mark.parametrize(
    ("tags", "level"),
    [
        ({}, 0),
        ({"bridge": "yes"}, 1),
        ({"bridge": "viaduct", "layer": "2"}, 2),
        ({"bridge": "no"}, 0),
        ({"layer": "-1"}, -1),
        ({"layer": "1;2"}, 0),
    ],
)
def test_an_overpass_of_a_map_does_not_meet_the_road_beneath(tags, level: int) -> None:
    below = ({"highway": "primary"}, "LineString", lonlat((0, -90), (0, 90)))
    over = ({"highway": "service", **tags}, "LineString", lonlat((-90, 0), (90, 0)))
    roads = stage_with(collection(below, over)).terrain.roads
    assert [road.level for road in roads] == [0, level]
    way = RoadNetwork(roads).way(np.array([-90.0, 0]), np.array([0.0, 90.0]), "only")
    assert (way is None) == (level != 0)


def test_what_a_map_has_outside_the_world_is_left_out() -> None:
    text = collection(
        ({"natural": "tree"}, "Point", lonlat((900, 0))[0]),
        ({"natural": "tree"}, "Point", lonlat((90, 0))[0]),
    )
    terrain = stage_with(
        text, SCENARIO.replace("terrain:", "world: {radius: 500}\nterrain:")
    ).terrain
    assert len(terrain.obstacles) == 1
    assert terrain.left_out == ("village.geojson: 1 feature lies outside the world (500 m)",)


@pytest.mark.parametrize(
    ("place", "away"), [([-81.05, 32.0], "31[0-9] km away"), ([8.0, 50.0], "km away|globe")]
)
def test_a_map_of_elsewhere_is_refused(place: list[float], away: str) -> None:
    tree = ({"natural": "tree"}, "Point", place)
    with pytest.raises(ScenarioError, match="all of it lies outside") as refused:
        stage_with(collection(tree, tree))
    assert re.search(away, str(refused.value))


def test_a_ford_drawn_as_a_line_joins_the_roads_at_its_ends() -> None:
    features = (
        "kind: river, line: [[-900, 0], [900, 0]], width: 30",
        "kind: road, line: [[100, -90], [100, -20]]",
        "kind: road, line: [[100, 20], [100, 90]]",
        "kind: ford, name: f, line: [[100, -20], [100, 20]]",
        "kind: ford, name: g, polygon: [[300, -20], [310, -20], [310, 20], [300, 20]]",
    )
    inline = f"features: [{', '.join(f'{{{feature}}}' for feature in features)}]"
    terrain = stage_with("", SCENARIO.replace("file: village.geojson", inline)).terrain
    assert {road.name: road.mobility for road in terrain.roads}["f"] == 0.4
    assert "g" not in [road.name for road in terrain.roads]
    ends = np.array([[100.0, -90.0], [100.0, 90.0]])
    way = RoadNetwork(terrain.roads).way(*ends, "only")
    assert np.hypot(*np.diff(way, axis=0).T).sum() == pytest.approx(180)
