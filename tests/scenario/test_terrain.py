"""The ground that a scenario describes: what is made of it, and what is refused, with the place."""

import re
from pathlib import Path

import numpy as np
import pytest
import shapely

from movenv.recording.layouts import RunRecord
from movenv.runtime.recorded import run_record
from movenv.scenario.build import Stage
from movenv.scenario.document import parse_document
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load_document
from movenv.scenario.recorded import ground_of, scenario_of
from movenv.terrain.features import Terrain
from movenv.world.frames import Frame
from movenv.world.kinds import Kind

GROUND, CAR = Kind.parse("ground"), "  - {name: car, kind: ground, start: {at: [0, 500]}}\n"
FRAME = Frame(29.19, -81.05, 10)
HEAD = """name: test
origin: {lat: 29.19, lon: -81.05, alt: 10}
world: {radius: 2000}
areas: {field: {square: 1000}, yard: {square: 200}, tiny: {square: 20}}
"""


def stage_of(terrain: str, vehicles: str = CAR) -> Stage:
    text = f"{HEAD}terrain:\n{terrain}\nvehicles:\n{vehicles}"
    return Stage(load_document(parse_document(text, "test.yaml", Path()), [], {}))


def with_features(*features: str) -> Stage:
    return stage_of("  features:\n" + "\n".join(f"    - {{{f}}}" for f in features))


def refused(*features: str) -> list[str]:
    with pytest.raises(ScenarioError) as error:
        with_features(*features)
    return str(error.value).splitlines()


RIVER = "kind: river, name: tomoka, line: [[-900, 0], [900, 0]], width: 30"
FIRST = HEAD.count("\n") + 3
"""The line of the first feature."""


@pytest.mark.parametrize(
    ("feature", "said"),
    [
        (
            "kind: lake, name: l, polygon: [[0, 0], [40, 40], [40, 0], [0, 40]]",
            "lake 'l' crosses itself at (20.0, 20.0)",
        ),
        (
            "kind: canopy, polygon: [[5, 6], [10, 11], [15, 16]]",
            "canopy 'canopy-1' at (5.0, 6.0) has no surface",
        ),
        (
            "kind: lake, polygon: [[0,0], [9, 0], [9, 9]], holes: [[[50, 50], [51, 50], [51, 51]]]",
            "lake 'lake-1' is broken (hole lies outside shell) at (50.0, 50.0)",
        ),
        ("kind: tree, at: [3, 4], radius: 0", "'radius' should be greater than 0, found 0"),
        ("kind: tree, at: [3, 4]", "expected exactly one of radius, rectangle; found none"),
        ("kind: tree, radius: 2", "expected exactly one of polygon, line, at; found none"),
        ("kind: road, at: [0, 0], radius: 5", "a road is a line with a width"),
        ("kind: lake, line: [[0, 0], [9, 9]]", "lake: a lake that is a line needs a width"),
        ("kind: road, line: [[7, 7], [7, 7]]", "road: the line has no length"),
        ("kind: soil, at: [0, 0], radius: 5", "says no `soil`: which one it is"),
        ("kind: tree, at: [0, 0], radius: 5, soil: mud", "a tree has no `soil`; soil, road, bri"),
        (
            "kind: road, line: [[0, 0], [9, 9]], over: [a]",
            "a road has no `over`; bridges and",
        ),
        (
            "kind: soil, soil: porridge, at: [0, 0], radius: 5",
            "soil 'soil-1' is of unknown soil 'porridge'; soils are hard, gravel, grass,",
        ),
        (
            "kind: tower, name: far, at: [1500, 1500], radius: 2",
            "tower 'far' reaches (1502.0, 1500.8), outside the world (2,000 m)",
        ),
        (
            "kind: bridge, line: [[100, 50], [100, 90]]",
            "bridge 'bridge-1' at (100.0, 70.0) touches no river and no lake; "
            "river 'tomoka' is 32 m away",
        ),
        (
            "kind: bridge, name: b, line: [[100, 50], [100, 90]], over: [tomoka]",
            "bridge 'b' does not touch river 'tomoka': 32.0 m are between them at (103.0, 47.0)",
        ),
        (
            "kind: ford, name: f, line: [[100, 40], [100, -5]], over: [tomoka]",
            "ford 'f' does not reach from one bank of river 'tomoka' to the other: "
            "it ends in the water at (100.0, -5.0)",
        ),
        (
            "kind: ford, name: f, at: [100, 0], radius: 10",
            "ford 'f' does not reach from one bank of river 'tomoka' to the other: "
            "it ends in the water at (100.0, 0.0)",
        ),
        (
            "kind: bridge, name: b, line: [[100, 40], [100, -40]], over: [nile]",
            "bridge 'b' leads over 'nile', which is no river and no lake",
        ),
        (
            "kind: building, name: tomoka, at: [0, 90], rectangle: [9, 9]",
            "two features are called 'tomoka': a river is too",
        ),
    ],
)
def test_a_world_that_cannot_be_is_refused_with_the_place(feature: str, said: str) -> None:
    lines = refused(RIVER, feature)
    assert len(lines) == 1
    assert re.match(rf"test.yaml:{FIRST + 1}:\d+: ", lines[0])
    assert said in lines[0]


def test_every_bad_feature_is_told_of_at_once() -> None:
    bow_tie = "polygon: [[0, 0], [40, 40], [40, 0], [0, 40]]"
    lines = refused(f"kind: lake, {bow_tie}", RIVER, f"kind: building, {bow_tie}")
    assert [line.split(":")[1] for line in lines] == [str(FIRST), str(FIRST + 2)]


def test_an_unknown_kind_and_key_are_named() -> None:
    assert "'kind' should be 'river', 'lake'" in refused("kind: rver, at: [0, 0], radius: 3")[0]
    assert "unknown key 'raduis'. Did you mean 'radius'?" in "".join(
        refused("kind: tree, at: [0, 0], raduis: 3")
    )


def test_features_without_a_name_get_one_that_is_free() -> None:
    tree = "kind: tree, radius: 1, at: "
    terrain = with_features(
        f"{tree} [1, 0]", f"{tree} [9, 0], name: tree-2", f"{tree} [5, 5]"
    ).terrain
    assert [obstacle.name for obstacle in terrain.obstacles] == ["tree-1", "tree-2", "tree-3"]


def test_shapes_cover_what_they_say() -> None:
    terrain = with_features(
        "kind: lake, polygon: [[0, 0], [40, 0], [40, 40], [0, 40]], "
        "holes: [[[10, 10], [20, 10], [20, 20], [10, 20]]]",
        "kind: building, at: [100, 0], rectangle: [30, 10], height: 7",
        "kind: tree_line, line: [[0, 100], [50, 100]], width: 6",
        "kind: canopy, at: {lat: 29.19, lon: -81.05}, radius: 50",
    ).terrain
    lake, building, trees, canopy = (obstacle.ground for obstacle in terrain.obstacles)
    assert lake.area == 1500
    assert building.bounds == (85, -5, 115, 5)
    assert trees.bounds == (0, 97, 50, 103)
    circle = shapely.Point(0, 0).buffer(50, quad_segs=256)
    assert canopy.buffer(1e-6).contains(circle)
    assert circle.buffer(0.26).contains(canopy)
    assert [obstacle.height for obstacle in terrain.obstacles[1:]] == [7, 15, 15]


def corridor(terrain: Terrain, across: shapely.LineString) -> float:
    """How wide the way along a line is that the barriers leave, m."""
    left = shapely.union_all([ground for _, ground in terrain.barriers(GROUND)])
    assert not left.intersects(across)
    return 2 * left.distance(across)


@pytest.mark.parametrize("kind", ["bridge", "ford"])
@pytest.mark.parametrize("skew", [0.0, 20.0, -35.0])
def test_a_crossing_leaves_a_corridor_of_its_width(kind: str, skew: float) -> None:
    line = f"[[{100 - skew}, -15], [{100 + skew}, 15]]"
    river = with_features(RIVER, f"kind: {kind}, line: {line}, width: 8").terrain
    parts = [part for _, part in river.barriers(GROUND)]
    assert len(parts) == 2
    middle = shapely.LineString([(100 - skew, -15), (100 + skew, 15)])
    assert corridor(river, middle) == pytest.approx(8, abs=1e-9)
    (crossing,) = river.crossings
    assert crossing.over == ("tomoka",)
    assert crossing.mobility == (1.0 if kind == "bridge" else 0.4)


def test_a_bridge_is_part_of_the_roads_and_does_not_open_other_waters() -> None:
    terrain = with_features(
        RIVER,
        "kind: lake, name: pond, at: [100, 0], radius: 12",
        "kind: bridge, name: b, line: [[100, -20], [100, 20]], over: [tomoka]",
    ).terrain
    assert [road.name for road in terrain.roads] == ["b"]
    assert [obstacle.name for obstacle, _ in terrain.barriers(GROUND)] == ["tomoka"] * 2 + ["pond"]


def test_a_road_leads_through_woods_but_not_through_houses() -> None:
    terrain = with_features(
        "kind: canopy, at: [0, 0], rectangle: [100, 100]",
        "kind: building, at: [80, 0], rectangle: [20, 20]",
        "kind: road, line: [[-200, 0], [200, 0]], width: 5",
    ).terrain
    barriers = [(obstacle.kind, ground.bounds) for obstacle, ground in terrain.barriers(GROUND)]
    assert sorted(barriers) == [
        ("building", (70, -10, 90, 10)),
        ("canopy", (-50, -50, 50, -2.5)),
        ("canopy", (-50, 2.5, 50, 50)),
    ]


def test_what_stands_on_a_hill_reaches_higher() -> None:
    tower = "kind: tower, radius: 1, height: 20, at:"
    terrain = stage_of(
        f"  features: [{{{tower} [300, 0]}}, {{{tower} [-300, 0]}}]\n"
        "  hills: [{at: [300, 0], height: 30, radius: 100}]"
    ).terrain
    assert [obstacle.height for obstacle in terrain.obstacles] == pytest.approx([50, 20])
    assert terrain.hills[0].radius == 100


@pytest.mark.parametrize("far", ["[9000, 0]", "[1e308, 0]", "{lat: -90, lon: 99}"])
def test_what_is_not_of_this_world_is_refused(far: str) -> None:
    with pytest.raises(ScenarioError, match=r"test\.yaml:6:\d+: a hill has its top outside"):
        stage_of(f"  hills: [{{at: {far}, height: 9, radius: 9}}]")
    beyond = "outside the world|nowhere near this world"
    for shape in (f"at: {far}, radius: 5", f"line: [[0, 0], {far}], width: 5"):
        with pytest.raises(ScenarioError, match=rf"test\.yaml:6:\d+: .*({beyond})"):
            stage_of(f"  features: [{{kind: lake, {shape}}}]")


def test_soils_are_those_of_the_scenario_and_the_usual_ones() -> None:
    terrain = stage_of(
        "  soil: grass\n"
        "  soils: {bog: {mobility: 0.1, grip: 0.3}}\n"
        "  features:\n"
        "    - {kind: soil, soil: bog, at: [0, 0], radius: 5}\n"
        "    - {kind: soil, soil: sand, at: [50, 0], radius: 5}"
    ).terrain
    assert [(s.mobility, s.grip) for s in terrain.soils] == [(0.1, 0.3), (0.5, 0.6)]
    assert (terrain.mobility, terrain.grip) == (0.75, 0.7)
    with pytest.raises(ScenarioError, match=r"test.yaml:6:3: unknown soil 'gras'; soils are hard"):
        stage_of("  soil: gras")


SCATTER = "  scatter: [{count: COUNT, within: field, radius: [0.5, 6], apart: 4}]"


def test_scattered_obstacles_keep_their_gap_and_their_area() -> None:
    terrain = stage_of(
        f"  features: [{{{RIVER}}}]\n"
        "  scatter:\n"
        "    - {count: 500, within: field, radius: [0.5, 6], apart: 4, clear_of: [yard]}\n"
        "    - {kind: building, name: hut, count: 50, within: field, radius: [3, 9], apart: 5}"
    ).terrain
    grounds = np.array([obstacle.ground for obstacle in terrain.obstacles], object)
    assert len(grounds) == 551
    gaps = shapely.distance(grounds[:, None], grounds[None, :])
    np.fill_diagonal(gaps, np.inf)
    assert gaps.min() >= 4
    assert gaps[501:].min() >= 5
    assert gaps.min() < 4.5
    trees = grounds[1:501]
    assert shapely.distance(trees, shapely.box(-100, -100, 100, 100)).min() >= 4
    middles = shapely.get_coordinates(shapely.centroid(trees))
    assert np.abs(middles).max() <= 500
    radii = np.sqrt(shapely.area(trees) / np.pi)
    assert radii.min() < 1
    assert 5.5 < radii.max() < 6.3
    assert terrain.obstacles[-1].name == "hut-50"


def test_scattered_obstacles_are_the_same_for_the_same_seed() -> None:
    def grounds(seed: int) -> list[shapely.Polygon]:
        text = f"{HEAD}seed: {seed}\nterrain:\n{SCATTER}\nvehicles:\n{CAR}".replace("COUNT", "300")
        document = parse_document(text, "test.yaml", Path())
        return [o.ground for o in Stage(load_document(document, [], {})).terrain.obstacles]

    assert grounds(1) == grounds(1)
    assert grounds(1) != grounds(2)


@pytest.mark.parametrize(
    ("scatter", "said"),
    [
        ("{count: 900, within: tiny}", r"only \d+ of 900 found room in 'tiny'"),
        ("{count: 9, within: nowhere}", "unknown area 'nowhere'"),
        ("{count: 9, within: field, clear_of: [yrad]}", "unknown area 'yrad'. Did you mean 'yard'"),
        ("{count: 9, within: field, radius: [0, 1]}", "a radius of 0 m is not above 0"),
    ],
)
def test_a_scatter_that_cannot_be_is_refused(scatter: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=rf"test.yaml:6:\d+: {said}"):
        stage_of(f"  scatter: [{scatter}]")


def test_the_ground_of_a_recorded_run_is_that_of_the_run() -> None:
    stage = stage_of(f"  features: [{{{RIVER}}}]\n{SCATTER}".replace("COUNT", "40"))
    record: RunRecord = run_record(stage, 0.0, [])
    ground = ground_of(scenario_of(record, "test"), record)
    assert ground.left_out == []
    assert [o.ground for o in ground.terrain.obstacles] == [
        o.ground for o in stage.terrain.obstacles
    ]
