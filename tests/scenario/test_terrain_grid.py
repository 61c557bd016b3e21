"""A scenario that names a map of occupied cells."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from movenv.recording.layouts import RunRecord
from movenv.runtime.recorded import run_record
from movenv.scenario.build import Stage
from movenv.scenario.document import parse_document
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load_document
from movenv.scenario.recorded import ground_of, scenario_of
from movenv.terrain.grid_map import GridMap
from movenv.terrain.map_files import write_map
from movenv.terrain.rays import cast, scenery_of
from movenv.world.columns import U1

SCENARIO = """name: test
origin: {lat: 29.19, lon: -81.05, alt: 10}
terrain:
  map: maps/hall.yaml
vehicles: [{name: a, kind: ground, start: {at: [0, 0]}}]
"""
CELLS: U1 = np.zeros((40, 60), np.uint8)
CELLS[:, 55] = 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "maps").mkdir()
    write_map(tmp_path / "maps" / "hall.yaml", GridMap(CELLS, 0.5, -10.0, -5.0))
    return tmp_path


def staged(folder: Path, scenario: str = SCENARIO, files: dict[str, str] | None = None) -> Stage:
    return Stage(load_document(parse_document(scenario, "test.yaml", folder, files), [], {}))


def test_the_map_is_where_its_origin_says(folder: Path) -> None:
    grid = staged(folder).terrain.grid
    assert grid is not None
    assert np.array_equal(grid.cells, CELLS)
    assert (grid.west, grid.south, grid.resolution) == (-10.0, -5.0, 0.5)


def test_or_where_the_scenario_puts_it(folder: Path) -> None:
    text = SCENARIO.replace("hall.yaml", "hall.yaml\n  map_at: [100, -30]")
    terrain = staged(folder, text).terrain
    assert terrain.grid is not None
    assert (terrain.grid.west, terrain.grid.south) == (90.0, -35.0)
    assert cast(scenery_of(terrain), 100.0, -30.0, 0.0, 50.0) == pytest.approx(17.5)


def test_it_lies_beside_features_of_all_kinds(folder: Path) -> None:
    text = SCENARIO.replace(
        "hall.yaml", "hall.yaml\n  features: [{kind: tower, at: [9, 3], radius: 1}]"
    )
    terrain = staged(folder, text).terrain
    assert terrain.grid is not None
    assert [obstacle.kind for obstacle in terrain.obstacles] == ["tower"]


def test_who_gets_the_run_from_the_core_or_a_recording_has_the_map_too(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run = staged(folder).run(1)
    sent = msgspec.json.decode(msgspec.json.encode(run_record(run, 0.0, [])), type=RunRecord)
    assert set(sent.files) == {"maps/hall.yaml", "maps/hall.pgm"}
    assert len(json.dumps(sent.files)) < CELLS.size, "packed"
    there = staged(tmp_path_factory.mktemp("elsewhere"), sent.scenario, sent.files).terrain.grid
    assert there is not None
    assert np.array_equal(there.cells, CELLS)
    ground = ground_of(scenario_of(sent, "test"), sent)
    assert ground.terrain.grid is not None
    assert np.array_equal(ground.terrain.grid.cells, CELLS)


@pytest.mark.parametrize("file", ["maps/hall.yaml", "maps/hall.pgm"])
def test_a_recording_without_a_file_of_the_map_shows_none(
    folder: Path, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = run_record(staged(folder).run(1), 0.0, [])
    record.files.pop(file)
    monkeypatch.chdir(folder)  # what lies here is not what was recorded
    ground = ground_of(scenario_of(record, "test"), record)
    assert ground.terrain.grid is None
    assert ground.left_out == [f"the terrain is not shown: {file} was not recorded"]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("hall.yaml", "none.yaml", "none.yaml: no such file"),
        ("hall.yaml", "hall.txt", "'maps/hall.txt' is none of .yaml, .yml"),
        ("maps/hall.yaml", "../hall.yaml", "does not lie beside the scenario"),
        ("map: maps/hall.yaml", "map_at: [0, 0]", "map_at needs `map`"),
        ("hall.yaml", "hall.yaml\n  map_at: [1.0e+7, 0]", "all of it lies outside the world"),
    ],
)
def test_a_map_that_cannot_be_is_refused_where_it_is_named(
    folder: Path, before: str, after: str, said: str
) -> None:
    with pytest.raises(ScenarioError) as refused:
        staged(folder, SCENARIO.replace(before, after))
    assert said in str(refused.value)
    assert "test.yaml:4" in str(refused.value) or "test.yaml:3" in str(refused.value)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("hall.yaml", "image: hall.pgm\n", "maps/hall.yaml: line 1: resolution is missing"),
        ("hall.yaml", "image: ../x.pgm\nresolution: 1\norigin: [0, 0]\n", "does not lie beside"),
        ("hall.yaml", "image: /etc/x.pgm\nresolution: 1\norigin: [0, 0]\n", "does not lie beside"),
        ("hall.yaml", "image: x.bmp\nresolution: 1\norigin: [0, 0]\n", "is none of .pgm, .png"),
        ("hall.pgm", "P5 60 40 255\nshort", "maps/hall.pgm: ends early: 5 of 2,400 cells"),
    ],
)
def test_a_broken_file_of_a_map_is_named_with_what_is_wrong(
    folder: Path, file: str, content: str, said: str
) -> None:
    (folder / "maps" / file).write_text(content)
    with pytest.raises(ScenarioError) as refused:
        staged(folder)
    assert said in str(refused.value)
    assert "test.yaml:4" in str(refused.value)


@pytest.mark.parametrize("text", ["", "no base64!", "aGVsbG8="])
def test_an_image_that_came_damaged_is_refused(folder: Path, text: str) -> None:
    stage = staged(folder)
    files = {**stage.files, "maps/hall.pgm": text}
    with pytest.raises(ScenarioError, match=r"maps/hall\.pgm: (came damaged|is neither)"):
        staged(folder, SCENARIO, files)
