"""Height maps reach the page as brightness and soils, and lie where they lie."""

import base64
import zlib
from typing import Any

import numpy as np
import pytest

from movenv.scenario.recorded import Ground
from movenv.terrain.features import Hill, Terrain
from movenv.terrain.height_map import HeightMap, Materials
from movenv.terrain.soil import SOILS, Soil
from movenv.web import hillshade
from movenv.web.hillshade import averaged, hillshade_feature, most_common, shaded
from movenv.web.soil_tones import tone_of
from movenv.web.world import world_of
from movenv.world.columns import F4
from movenv.world.frames import Frame

FRAME = Frame(59.0, 7.0, 0.0)


def cells_of(feature: dict[str, Any], plane: str = "cells") -> np.ndarray[Any, Any]:
    """Rows from the north."""
    facts = feature["properties"]
    packed = zlib.decompress(base64.b64decode(facts[plane]))
    return np.frombuffer(packed, np.uint8).reshape(facts["rows"], facts["columns"])


def slope(east: float, north: float) -> F4:
    y, x = np.mgrid[0:6, 0:8]
    return np.asarray(2.0 * (east * x + north * y), np.float32)


def test_slopes_toward_the_north_west_are_bright_and_those_away_from_it_dark() -> None:
    flat = shaded(slope(0, 0), 2.0)
    assert (flat == round(255 * np.sqrt(0.5))).all()
    assert (shaded(slope(0.2, -0.2), 2.0) > 220).all()
    assert (shaded(slope(-0.2, 0.2), 2.0) < 130).all()
    # Straight at the light, which stands at 45°: shown twice as steep as it is.
    right = np.sqrt(0.5) / 2
    assert (shaded(slope(right, -right), 2.0) == 255).all()


def test_it_is_the_lowest_of_the_ground_and_lies_between_its_ends() -> None:
    heights = np.zeros((3, 5), np.float32)
    heights[2] = 4.0
    relief = HeightMap(-10.0, 20.0, 2.0, heights)
    (feature,) = world_of(Ground(terrain=Terrain(relief=relief)), FRAME)
    assert feature["properties"]["kind"] == "relief"
    ring = np.array(feature["geometry"]["coordinates"][0])
    x, y, _ = FRAME.to_local(ring[:, 1], ring[:, 0])
    np.testing.assert_allclose(x, [-11, -1, -1, -11, -11], atol=1e-6)
    np.testing.assert_allclose(y, [25, 25, 19, 19, 25], atol=1e-6)
    # Up to the north, away from the light.
    assert cells_of(feature)[:, 0].tolist() == cells_of(feature)[:, 4].tolist()
    assert cells_of(feature)[0, 0] < cells_of(feature)[2, 0]


def test_hills_on_it_are_shaded_too() -> None:
    relief = HeightMap(-10.0, -10.0, 1.0, np.zeros((21, 21), np.float32))
    hills = (Hill(0.0, 0.0, 5.0, 8.0), Hill(900.0, 0.0, 5.0, 8.0))
    (feature,) = world_of(Ground(terrain=Terrain(relief=relief, hills=hills)), FRAME)
    cells = cells_of(feature)
    assert cells[7, 7] > cells[0, 0] > cells[13, 13]
    assert (cells[0] == cells[0, 0]).all()


def test_a_large_map_is_sent_coarser_in_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hillshade, "MOST", 4)
    relief = HeightMap(0.5, 0.5, 1.0, np.zeros((8, 7), np.float32))
    feature = hillshade_feature(relief, FRAME)
    assert cells_of(feature).shape == (4, 4)
    ring = np.array(feature["geometry"]["coordinates"][0])
    x, y, _ = FRAME.to_local(ring[:, 1], ring[:, 0])
    assert (x.max(), y.max()) == (pytest.approx(8, abs=1e-6), pytest.approx(8, abs=1e-6))


def test_cells_that_become_one_are_as_high_as_on_the_average() -> None:
    heights = np.arange(35, dtype=np.float32).reshape(5, 7)
    found = averaged(heights, 2)
    assert found.shape == (3, 4)
    for row, column in np.ndindex(2, 3):
        block = heights[2 * row : 2 * row + 2, 2 * column : 2 * column + 2]
        assert found[row, column] == block.mean()
    assert found[2, 3] == 34


def test_what_the_ground_is_made_of_reaches_the_page_by_the_colours_it_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds = np.zeros((6, 8), np.uint8)
    kinds[:2] = 1
    soils = np.array([SOILS["hard"], (0.74, 0.7)]).T
    relief = HeightMap(0.0, 0.0, 1.0, np.zeros((6, 8), np.float32), Materials(kinds, soils))
    facts = hillshade_feature(relief, FRAME)["properties"]
    assert facts["tones"] == ["hard", "grass"]
    assert cells_of({"properties": facts}, "soils").tolist() == kinds[::-1].tolist()
    monkeypatch.setattr(hillshade, "MOST", 4)
    coarser = hillshade_feature(relief, FRAME)
    assert cells_of(coarser, "soils").shape == cells_of(coarser).shape == (3, 4)
    bare = HeightMap(0.0, 0.0, 1.0, relief.heights)
    assert not {"soils", "tones"} & set(hillshade_feature(bare, FRAME)["properties"])


def test_cells_that_become_one_are_of_the_kind_that_most_of_them_are() -> None:
    kinds = np.random.default_rng(1).integers(0, 3, (7, 11)).astype(np.uint8)
    found = most_common(kinds, 3)
    assert found.shape == (3, 4)
    for row, column in np.ndindex(2, 3):
        block = kinds[3 * row : 3 * row + 3, 3 * column : 3 * column + 3]
        assert found[row, column] == np.bincount(block.ravel()).argmax()


def test_a_soil_of_ones_own_has_the_colour_of_the_most_similar_one() -> None:
    for name, soil in SOILS.items():
        assert tone_of(soil) == name
    assert tone_of(Soil(0.95, 0.95)) == "paving"
    assert tone_of(Soil(0.35, 0.2)) == "snow"
