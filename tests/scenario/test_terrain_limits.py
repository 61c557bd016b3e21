"""Worlds too large are refused, and large ones are read fast."""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from tests.scenario.geojson import FRAME, SCENARIO, SQUARE, collection, lonlat, stage_with

from movenv.scenario.build import Stage
from movenv.scenario.document import parse_document
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load_document
from movenv.scenario.terrain import terrain_of
from movenv.scenario.terrain_checks import check_world
from movenv.scenario.terrain_items import Item
from movenv.scenario.terrain_schema import Traits

CAR = "  - {name: car, kind: ground, start: {at: [0, 500]}}\n"
HEAD = """name: test
origin: {lat: 29.19, lon: -81.05, alt: 10}
world: {radius: 2000}
areas: {field: {square: 1000}, yard: {square: 200}, tiny: {square: 20}}
"""


def stage_of(terrain: str, vehicles: str = CAR) -> Stage:
    text = f"{HEAD}terrain:\n{terrain}\nvehicles:\n{vehicles}"
    return Stage(load_document(parse_document(text, "test.yaml", Path()), [], {}))


MANY = "[0, 0], [1, 0], [1, 1], "


@pytest.mark.parametrize(
    ("terrain", "said"),
    [
        (f"  features: [{'{}, ' * 10_001}]", "'features' has 10001 items, expected at most 10000"),
        (f"  features: [{{kind: lake, polygon: [{MANY * 3_334}]}}]", "'polygon' has 10002 items"),
        (f"  features: [{{kind: road, line: [{MANY * 3_334}]}}]", "'line' has 10002 items"),
        (
            f"  features: [{{kind: lake, polygon: [{MANY}], holes: [{f'[{MANY}], ' * 1_001}]}}]",
            "'holes' has 1001 items",
        ),
        (f"  hills: [{'{at: [0, 0], height: 1, radius: 1}, ' * 1_001}]", "'hills' has 1001 items"),
        (f"  scatter: [{'{count: 1, within: field}, ' * 101}]", "'scatter' has 101 items"),
        (
            f"  scatter: [{'{count: 100000, within: field}, ' * 3}]",
            "300,000 scattered obstacles; 200,000 are the most in all",
        ),
    ],
)
def test_a_world_without_end_is_refused(terrain: str, said: str) -> None:
    with pytest.raises(ScenarioError) as error:
        stage_of(terrain)
    assert said in str(error.value)


def test_ten_thousand_features_that_leave_the_world_are_soon_told() -> None:
    x = np.arange(10_000) * 0.1
    grounds = shapely.buffer(shapely.points(x, x * 0), 5.0, quad_segs=16)
    lakes = [Item((), "", f"l{i}", Traits(kind="lake"), ground) for i, ground in enumerate(grounds)]
    begun = time.process_time()
    problems = check_world(lakes, grounds, 100.0, FRAME)
    assert time.process_time() - begun < 1.5  # 0.1 s; six where each looks through all corners
    assert [said for _, said in problems] == [
        f"lake 'l{i}' reaches ({x[i] + 5:.1f}, 0.0), outside the world (100 m)"
        for i in range(951, 10_000)
    ]


def test_ten_thousand_roads_through_woods_are_soon_found() -> None:
    def text(kind: str, lines: np.ndarray, width: float) -> list[dict[str, object]]:
        lat, lon, _ = FRAME.to_geodetic(lines[..., 0].ravel(), lines[..., 1].ravel())
        places = np.column_stack([lon, lat]).reshape(lines.shape).tolist()
        return [
            {
                "properties": {"kind": kind, "name": f"{kind}-{i}", "width": width},
                "geometry": {"type": "LineString", "coordinates": line},
            }
            for i, line in enumerate(places)
        ]

    y, x = np.arange(10_000) * 0.1, np.arange(60) * 10.0
    roads = np.stack([np.stack([y * 0 - 5, y], -1), np.stack([y * 0 + 595, y], -1)], axis=1)
    woods = np.stack([np.stack([x, x * 0 - 5], -1), np.stack([x, x * 0 + 900.04], -1)], axis=1)
    features = text("tree_line", woods, 2) + text("road", roads, 0.05)
    files = {"a.json": json.dumps({"type": "FeatureCollection", "features": features})}
    scenario = f"{HEAD}terrain: {{file: a.json}}\nvehicles:\n{CAR}"
    document = parse_document(scenario, "test.yaml", Path(), files)
    loaded = load_document(document, [], {}).scenario
    begun = time.process_time()
    terrain = terrain_of(loaded, FRAME, document, {})
    assert time.process_time() - begun < 3.5  # of which what is quadratic took four
    assert [c.name for c in terrain.crossings] == [f"road-{i}" for i in range(9001)]
    assert {c.over for c in terrain.crossings} == {tuple(f"tree_line-{i}" for i in range(60))}


@pytest.mark.parametrize(
    ("rings", "said"),
    [
        ([SQUARE[0] * 20_001], "has 100,005 corners and 0 holes; 100,000 and 10,000 are the most"),
        (SQUARE * 10_002, "has 50,010 corners and 10,001 holes"),
    ],
)
def test_a_polygon_without_end_is_refused_or_left_out(rings: Any, said: str) -> None:
    with pytest.raises(ScenarioError, match=f"feature 1: {said}"):
        stage_with(collection(({"kind": "lake"}, "Polygon", rings)))
    (left_out,) = stage_with(collection(({"natural": "water"}, "Polygon", rings))).terrain.left_out
    assert said in left_out


def test_ten_thousand_features_of_a_file_are_read() -> None:
    rng = np.random.default_rng(1)
    trees = lonlat(*rng.uniform(-4000, 4000, (10_000, 2)).tolist())
    text = collection(*(({"natural": "tree"}, "Point", place) for place in trees))
    assert (
        len(stage_with(text, SCENARIO.replace("[0, 60]", "[6000, 0]")).terrain.obstacles) == 10_000
    )
