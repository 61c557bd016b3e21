"""Map layers of a scenario: what browsers are told, and which files they may read."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from movenv.scenario.map_schema import Map, MapLayer
from movenv.web.layers import Layers

TILES = "https://tiles.example/{z}/{x}/{y}"


@pytest.mark.parametrize(
    ("layer", "kind"),
    [
        ({"tiles": f"{TILES}.png"}, "raster"),
        ({"tiles": f"{TILES}.pbf?key={{key}}", "key_env": "MOVENV_KEY_X"}, "vector"),
        ({"tiles": f"{TILES}.mvt"}, "vector"),
        ({"style": "https://tiles.example/style.json"}, "style"),
        ({"google": "satellite", "key_env": "MOVENV_KEY_X"}, "google"),
        ({"file": "a.pmtiles"}, "pmtiles"),
        ({"file": "a.geojson"}, "geojson"),
    ],
)
def test_a_layers_kind_is_known_by_what_it_names(layer: dict[str, str], kind: str) -> None:
    described = Layers([MapLayer(name="one", **layer)], Path(), {"MOVENV_KEY_X": "k"}).described()
    assert described[0]["kind"] == kind


def test_a_key_comes_from_the_environment_and_is_missed_in_words() -> None:
    layer = MapLayer(name="air", tiles=f"{TILES}.jpg?key={{key}}", key_env="MOVENV_KEY_AIR")
    (with_key,) = Layers([layer], Path(), {"MOVENV_KEY_AIR": "s3cret"}).described()
    assert with_key["url"].endswith(".jpg?key=s3cret")
    assert with_key["missing"] is None
    (without,) = Layers([layer], Path(), {}).described()
    assert without["missing"] == "set MOVENV_KEY_AIR to its key before the start"


def test_a_scenario_from_elsewhere_gets_neither_files_nor_keys() -> None:
    layer = MapLayer(name="air", tiles=f"{TILES}.jpg?key={{key}}", key_env="MOVENV_KEY_AIR")
    (told,) = Layers([layer], None, {"MOVENV_KEY_AIR": "s3cret"}).described()
    assert "s3cret" not in str(told)
    assert told["missing"] == "its files and keys are only used with --folder"


def test_only_files_that_layers_name_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "field.geojson").write_text("{}")
    named = [MapLayer(name="field", file="field.geojson"), MapLayer(name="no", file="no.geojson")]
    layers = Layers(named, tmp_path, {})
    assert layers.files == {"field": tmp_path / "field.geojson"}
    assert layers.described()[1]["missing"] == "no.geojson is not there"
    assert Layers(named, None, {}).files == {}


@pytest.mark.parametrize(
    "layer",
    [
        {},
        {"tiles": TILES, "style": "x"},
        {"file": "a.png"},
        {"file": "/etc/a.json"},
        {"file": "../a.json"},
        {"tiles": TILES, "key_env": "AWS_SECRET_ACCESS_KEY"},
        {"google": "satellite"},
        {"google": "moon", "key_env": "MOVENV_KEY_K"},
    ],
)
def test_a_layer_that_cannot_be_is_refused(layer: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        MapLayer.model_validate({"name": "one", **layer})


def test_two_layers_of_one_name_are_refused() -> None:
    with pytest.raises(ValidationError, match="two layers have one name"):
        Map.model_validate({"layers": [{"name": "a", "tiles": "x"}, {"name": "a", "tiles": "y"}]})
