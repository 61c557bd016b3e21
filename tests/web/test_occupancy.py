"""Maps of occupied cells reach the page whole, and lie where ROS says that they lie."""

import base64
import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from movenv.runtime.recorded import run_record
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.scenario.recorded import ground_of, scenario_of
from movenv.terrain.grid_map import FREE, OCCUPIED, UNKNOWN, GridMap
from movenv.web import occupancy
from movenv.web.occupancy import coarser, occupancy_feature
from movenv.web.world import Feature, world_of
from movenv.world.frames import Frame

ORIGIN = 59.0, 7.0, 0.0
"""Where grid north is more than a degree off true north."""
SCENARIO = """
name: mapped
origin: {lat: 59.0, lon: 7.0}
terrain: {map: hall.yaml, map_at: [30, -20]}
vehicles:
  - {name: car, kind: ground, start: {at: [0, 0]}}
"""
ROWS, COLUMNS, CELL = 3, 5, 0.5
WALLS = {(0, 0), (0, 4), (2, 1)}
"""Rows and columns of the image, which counts from its top."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    grey = np.full((ROWS, COLUMNS), 254, np.uint8)
    grey[1, 2] = 205
    for at in WALLS:
        grey[at] = 0
    (tmp_path / "hall.pgm").write_bytes(b"P5 5 3 255\n" + grey.tobytes())
    (tmp_path / "mapped.yaml").write_text(SCENARIO)
    return tmp_path


def features_of(folder: Path, yaw: float) -> list[Feature]:
    """As a recording gives them: with its own files, and nobody else's."""
    (folder / "hall.yaml").write_text(
        f"image: hall.pgm\nresolution: {CELL}\norigin: [-4.0, 2.0, {yaw}]\n"
    )
    record = run_record(build(load(str(folder / "mapped.yaml"))), 0.0, [])
    scenario = scenario_of(record, "mapped.yaml")
    (folder / "hall.pgm").unlink()
    return world_of(ground_of(scenario, record), Frame(*ORIGIN))


def cells_of(feature: Feature) -> np.ndarray[Any, Any]:
    facts = feature["properties"]
    packed = zlib.decompress(base64.b64decode(facts["cells"]))
    return np.frombuffer(packed, np.uint8).reshape(facts["rows"], facts["columns"])


def middles(feature: Feature, meaning: int) -> set[tuple[float, float]]:
    """Of the cells that mean something, in local metres: between the image's corners on the globe,
    as a map draws it."""
    cells = cells_of(feature)
    corners = np.array(feature["geometry"]["coordinates"][0][:4])
    found = set()
    for row, column in np.argwhere(cells == meaning):
        down, along = (row + 0.5) / cells.shape[0], (column + 0.5) / cells.shape[1]
        north_west, north_east, south_east, south_west = corners
        top = north_west + along * (north_east - north_west)
        bottom = south_west + along * (south_east - south_west)
        lon, lat = top + down * (bottom - top)
        x, y, _ = Frame(*ORIGIN).to_local(lat, lon)
        found.add((round(float(x), 3) + 0.0, round(float(y), 3) + 0.0))
    return found


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_each_cell_lies_where_its_pixel_does_however_the_map_is_turned(
    folder: Path, quarters: int
) -> None:
    (feature,) = features_of(folder, quarters * math.pi / 2)
    expected = set()
    for row, column in WALLS:
        right, up = (column + 0.5) * CELL, (ROWS - row - 0.5) * CELL
        place = complex(-4.0, 2.0) + complex(right, up) * 1j**quarters + complex(30.0, -20.0)
        expected.add((round(place.real, 3), round(place.imag, 3)))
    assert middles(feature, OCCUPIED) == expected
    assert len(middles(feature, UNKNOWN)) == 1
    assert len(middles(feature, FREE)) == ROWS * COLUMNS - len(WALLS) - 1
    assert feature["properties"]["role"] == "terrain"


def test_a_map_too_large_for_a_picture_keeps_its_walls_and_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(occupancy, "MOST", 3)
    cells = np.full((4, 7), FREE, np.uint8)
    cells[3, 6] = OCCUPIED
    feature = occupancy_feature(GridMap(cells, 2.0, -10.0, -6.0), Frame(*ORIGIN))
    assert cells_of(feature).tolist() == [
        [FREE, FREE, OCCUPIED],
        [FREE, FREE, FREE],
    ]
    ring = np.array(feature["geometry"]["coordinates"][0])
    x, y, _ = Frame(*ORIGIN).to_local(ring[:, 1], ring[:, 0])
    np.testing.assert_allclose(x, [-10, 8, 8, -10, -10], atol=1e-6)
    np.testing.assert_allclose(y, [6, 6, -6, -6, 6], atol=1e-6)


def test_what_is_put_together_is_occupied_before_it_is_free_before_it_is_unknown() -> None:
    rng = np.random.default_rng(1)
    cells = rng.choice([FREE, OCCUPIED, UNKNOWN], (11, 8), p=[0.2, 0.1, 0.7]).astype(np.uint8)
    found = coarser(cells, 3)
    assert found.shape == (4, 3)
    for row, column in np.ndindex(found.shape):
        block = set(cells[row * 3 : row * 3 + 3, column * 3 : column * 3 + 3].ravel().tolist())
        best = next(one for one in (OCCUPIED, FREE, UNKNOWN) if one in block)
        assert found[row, column] == best
    assert coarser(cells, 1).tolist() == cells.tolist()
