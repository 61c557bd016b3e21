"""Features from GeoJSON: our own, those of a map extract, and files that are broken."""

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scenario.geojson import BOW_TIE, FRAME, SCENARIO, SQUARE, collection, lonlat, stage_with

from movenv.runtime.recorded import run_record
from movenv.scenario.build import Stage
from movenv.scenario.document import Document, parse_document
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load_document
from movenv.scenario.osm_tags import metres, tags_of
from movenv.scenario.recorded import ground_of, scenario_of
from movenv.scenario.terrain_files import file_items
from movenv.scenario.terrain_items import TerrainError
from movenv.terrain.features import Terrain
from movenv.world.kinds import Kind

HERE = Path(__file__).parent / "ground"


@pytest.fixture(scope="module")
def village() -> Terrain:
    document = parse_document(SCENARIO, "test.yaml", HERE)
    return Stage(load_document(document, [], {})).terrain


def test_a_map_extract_becomes_obstacles_of_every_kind(village: Terrain) -> None:
    found = {obstacle.name: obstacle for obstacle in village.obstacles}
    assert {name: obstacle.kind for name, obstacle in found.items()} == {
        "Mill Brook": "river",
        "Mill Brook-2": "river",
        "river-1": "river",
        "river-2": "river",
        "Duck Pond": "lake",
        "North Wood": "canopy",
        "tree-1": "tree",
        "tree_line-1": "tree_line",
        "Mill-1": "building",
        "Mill-2": "building",
        "tower-1": "tower",
        "barn": "building",
    }
    assert found["Duck Pond"].ground.area == pytest.approx(100**2 - 20**2, rel=1e-3)
    assert found["Mill-1"].ground.area == pytest.approx(20 * 15, rel=1e-3)
    assert found["Mill-1"].height == 9
    assert found["barn"].height == 6
    assert found["tower-1"].height == pytest.approx(80 * 0.3048)
    assert found["tree-1"].ground.area == pytest.approx(np.pi * 0.25**2, rel=0.1)
    assert found["river-2"].ground.area == pytest.approx(4 * 260, rel=1e-3)


def test_the_middle_line_of_a_river_does_not_double_its_surface(village: Terrain) -> None:
    lines = [o.ground for o in village.obstacles if o.name.startswith("Mill Brook")]
    surface = next(o.ground for o in village.obstacles if o.name == "river-1")
    double = sum(line.intersection(surface).area for line in lines)
    assert double == pytest.approx(2 * 20 * 10, rel=1e-3)  # half a width at both ends
    whole = shapely.union_all([*lines, surface])
    assert whole.geom_type == "Polygon"
    assert whole.bounds[0] == pytest.approx(-610, abs=0.1)  # half a width beyond its ends


def test_roads_bridges_and_fords_of_an_extract_go_together(village: Terrain) -> None:
    crossings = {c.name: c for c in village.crossings}
    assert {name: (c.kind, c.over) for name, c in crossings.items()} == {
        "Mill Lane-2": ("bridge", ("river-1",)),
        "ford-1": ("ford", ("Mill Brook",)),
        "ford-2": ("ford", ("river-2",)),
        "Short Bridge": ("bridge", ("river-1",)),
        "Wood Road": ("road", ("North Wood",)),
    }
    widths = {road.name: (road.width, road.mobility) for road in village.roads}
    assert widths == {
        "Mill Lane": (6, 1.0),
        "Mill Lane-2": (6.5, 1.0),
        "Mill Lane-3": (5.5, 0.9),
        "ford-1": (3, 0.4),
        "High Road": (8, 1.0),
        "road-1": (3, 0.5),
        "Wood Road": (7, 1.0),
        "Short Bridge": (6, 1.0),
    }
    ends = [village.roads[0].line[-1], village.roads[1].line[0]]
    assert ends[0].tolist() == ends[1].tolist()
    assert [(s.mobility, s.grip) for s in village.soils] == [(0.5, 0.7)]
    assert village.left_out == ("village.geojson: 3 features mean nothing here",)


def test_every_crossing_of_the_extract_can_be_driven(village: Terrain) -> None:
    left = shapely.union_all([g for _, g in village.barriers(Kind("ground"))])
    for (x, y), (to_x, to_y) in [
        ((20, 40), (20, -40)),
        ((-300, 40), (-300, -40)),
        ((440, -150), (460, -150)),
        ((150, 40), (150, -40)),
        ((-300, 90), (-300, 310)),
    ]:
        way = shapely.LineString([(x, y), (to_x, to_y)])
        assert left.distance(way) >= 1.4
    assert left.intersects(shapely.LineString([(100, 40), (100, -40)]))


def test_our_own_features_are_read_with_their_figures() -> None:
    river = {"kind": "river", "name": "tomoka", "width": "30 m", "fid": 1, "over": None}
    bridge = {"kind": "bridge", "width": 8, "over": "tomoka"}
    terrain = stage_with(
        collection(
            (river, "MultiLineString", [lonlat((-500, 0), (0, 0)), lonlat((0, 0), (500, 0))]),
            (bridge, "LineString", lonlat((100, -30), (100, 30))),
            ({"kind": "tree", "radius": 2}, "MultiPoint", lonlat((0, 90), (20, 90))),
            ({"kind": "soil", "soil": "mud"}, "Polygon", SQUARE),
            ({"kind": "lake"}, "LineString", SQUARE[0]),
        )
    ).terrain
    assert [o.name for o in terrain.obstacles][:4] == ["tomoka-1", "tomoka-2", "tree-1", "tree-2"]
    assert terrain.crossings[0].over == ("tomoka-2",)
    assert terrain.obstacles[0].ground.area == pytest.approx(500 * 30, rel=1e-6)
    assert terrain.obstacles[-1].ground.area == pytest.approx(1600, rel=1e-6)


def test_a_width_in_a_map_that_is_none_is_ignored_and_counted() -> None:
    lane, other = {"highway": "residential"}, lonlat((100, -30), (100, 30))
    terrain = stage_with(
        collection(
            (lane | {"width": "abc"}, "LineString", lonlat((0, -30), (0, 30))),
            (lane | {"width": "4 m"}, "LineString", other),
        )
    ).terrain
    assert [road.width for road in terrain.roads] == [6.0, 4.0]
    (said,) = terrain.left_out
    assert said.endswith(": 1 feature says a width that is none: ignored")


PLACE = "(120.0, 120.0), lat 29.191084, lon -81.048766"


@pytest.mark.parametrize(
    ("feature", "said"),
    [
        (
            ({"kind": "building", "name": "barn"}, "Polygon", BOW_TIE),
            f"feature 2: building 'barn' crosses itself at {PLACE}",
        ),
        (
            ({"kind": "tree", "name": "oak", "radius": 0}, "Point", SQUARE[0][0]),
            "feature 2 'oak': 'radius' should be greater than 0, found '0'",
        ),
        (({"kind": "tree"}, "Point", SQUARE[0][0]), "feature 2: a tree at a point needs a radius"),
        (
            ({"kind": "bilding"}, "Polygon", SQUARE),
            "feature 2: unknown kind 'bilding'. Did you mean 'building'?",
        ),
        (({"kind": "road"}, "Polygon", SQUARE), "feature 2: a road is a line with a width"),
        (({"kind": "lake"}, "Polygon", [SQUARE[0][:3]]), "a ring of fewer than 4 places"),
        (({"kind": "lake"}, "Polygon", [[["a", 1]] * 4]), "a place is not on the globe"),
        (({"kind": "lake"}, "Polygon", [[[1, 91]] * 4]), "a place is not on the globe"),
        (({"kind": "lake"}, "Circle", []), "a geometry of unknown type 'Circle'"),
        (({"kind": "lake"}, "Polygon", 7), "no list where one is expected"),
        (({"kind": "lake", "height": "tall"}, "Polygon", SQUARE), "'height' should be a valid num"),
        (({"kind": "soil"}, "Polygon", SQUARE), "feature 2: says no `soil`"),
        (
            ({"kind": "soil", "soil": "goo"}, "Polygon", SQUARE),
            "feature 2: soil 'soil-1' is of unknown soil 'goo'",
        ),
        (
            ({"kind": "lake", "name": "house"}, "Polygon", SQUARE),
            "feature 2: two features are called 'house': a building (village.geojson: feature 1)",
        ),
        (
            ({"kind": "bridge", "name": "b"}, "LineString", SQUARE[0][:2]),
            "feature 2: bridge 'b' at (120.0, 100.0), lat 29.190903, lon -81.048766 touches no ri",
        ),
        (
            ({"kind": "tree", "radius": 1}, "Point", [-85, 29.19]),
            "outside the world (100,000 m)",
        ),
    ],
)
def test_a_bad_feature_is_refused_by_number_and_name(feature: Any, said: str) -> None:
    house = (
        {"kind": "building", "name": "house"},
        "Polygon",
        [lonlat((0, 0), (9, 0), (9, 9), (0, 0))],
    )
    with pytest.raises(ScenarioError) as error:
        stage_with(collection(house, feature))
    (line,) = str(error.value).splitlines()
    assert line.startswith("test.yaml:4:3: village.geojson: feature 2")
    assert said in line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1]", "village.geojson: is not a JSON object"),
        ("{", "village.geojson: is not JSON"),
        ('{"type": "Point"}', "village.geojson: is no GeoJSON FeatureCollection"),
        ('{"type": "FeatureCollection"}', "village.geojson: has no list"),
        ('{"type": "FeatureCollection", "features": [3]}', "feature 1: is no object"),
    ],
)
def test_what_is_no_geojson_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=r"test\.yaml:4:3: ") as error:
        stage_with(text)
    assert said in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"test\.yaml:4:3: cannot read .*no such file"):
        Stage(load_document(parse_document(SCENARIO, "test.yaml", tmp_path), [], {}))


def test_the_file_goes_with_the_recording() -> None:
    text = (HERE / "village.geojson").read_text()
    stage = stage_with(text)
    record = run_record(stage, 0.0, [])
    assert record.files == {"village.geojson": text}
    ground = ground_of(scenario_of(record, "test"), record)
    assert len(ground.terrain.obstacles) == len(stage.terrain.obstacles)
    record.files.clear()
    ground = ground_of(scenario_of(record, "test"), record)
    assert ground.terrain.empty
    assert ground.left_out == ["the terrain is not shown: village.geojson was not recorded"]


def test_tags_are_found_wherever_programs_put_them() -> None:
    hstore = '"surface"=>"sand","note"=>"a \\"b\\" c"'
    assert tags_of({"highway": "track", "other_tags": hstore})["surface"] == "sand"
    assert tags_of({"id": 1, "tags": {"highway": "track"}})["highway"] == "track"
    assert metres("12") == metres("12 m") == metres("12,0") == 12
    assert metres("10 ft") == pytest.approx(3.048)
    assert metres("wide") is metres("0") is metres(None) is None


names = st.sampled_from(["kind", "name", "width", "radius", "height", "over", "soil", "natural",
                         "highway", "bridge", "building", "waterway", "tags"])  # fmt: skip
words = st.sampled_from(["river", "lake", "tree", "road", "bridge", "soil", "mud", "water", "yes",
                         "3", "river-1", "building", "residential"])  # fmt: skip
leaves = st.none() | st.booleans() | st.integers() | st.floats() | words | st.text(max_size=4)
position = st.lists(st.floats(-81.06, -81.04) | st.floats(29.18, 29.2) | leaves, max_size=3)
shapes = st.recursive(position, lambda inner: st.lists(inner, max_size=5), max_leaves=20)
geometries = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["Point", "LineString", "Polygon", "MultiPolygon", "MultiPoint"]),
        "coordinates": shapes | st.just(SQUARE) | st.just(SQUARE[0]) | st.just(BOW_TIE),
    }
)


@settings(max_examples=200, deadline=None)
@given(
    features=st.lists(
        st.fixed_dictionaries(
            {"properties": st.dictionaries(names, leaves, max_size=4), "geometry": geometries}
        ),
        max_size=4,
    )
)
def test_any_features_are_read_or_refused(features: list[Any]) -> None:
    text = json.dumps({"type": "FeatureCollection", "features": features})
    with contextlib.suppress(ScenarioError):
        stage_with(text)


@settings(max_examples=100, deadline=None)
@given(cut=st.integers(0, 8000), junk=st.text(alphabet='{}[],:"0-9.e nul', max_size=8))
def test_a_damaged_file_is_read_or_refused(cut: int, junk: str) -> None:
    whole = (HERE / "village.geojson").read_text()
    at = cut % len(whole)
    document = Document("test.yaml", "", Path(), files={"a.json": whole[:at] + junk + whole[at:]})
    with contextlib.suppress(TerrainError):
        file_items("a.json", FRAME, document, 1e5)
