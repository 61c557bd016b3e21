"""A scenario whose ground is a height map."""

import io
import struct
import zlib
from pathlib import Path

import msgspec
import numpy as np
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from shapely import box
from tests.terrain.test_geotiff import in_utm, placed, written

from movenv.recording.layouts import RunRecord
from movenv.runtime.fast import updates
from movenv.runtime.recorded import run_record
from movenv.scenario.build import Stage
from movenv.scenario.document import parse_document
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load_document
from movenv.scenario.recorded import ground_of, scenario_of
from movenv.terrain.heights import heights_of
from movenv.terrain.soil import SOILS, soil_of
from movenv.world.columns import U1

SCENARIO = """name: test
origin: {lat: 47.0, lon: 8.2, alt: 400}
time: {duration: 5}
terrain:
  relief:
    file: maps/hill.png
    cell: 2
    white: 51
    center: [30, -20]
vehicles: [{name: a, kind: ground, start: {at: [0, 0]}}]
"""
NO_ALT = SCENARIO.replace(", alt: 400", "")
ROWS, COLUMNS = 40, 60
GREY: U1 = np.zeros((ROWS, COLUMNS), np.uint8)
GREY[:] = np.arange(COLUMNS)
GREY[5:10, 40:50] += 100
_RED = io.BytesIO()
Image.new("RGB", (COLUMNS, ROWS), "red").save(_RED, "PNG")
RED = _RED.getvalue()
MATERIALS = "    materials: {file: maps/soil.png, kinds: {0: grass, 9: ice}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "maps").mkdir()
    Image.fromarray(GREY).save(tmp_path / "maps" / "hill.png")
    soil = np.zeros((ROWS, COLUMNS), np.uint8)
    soil[:, 20:] = 9
    soil[30:] = 200
    Image.fromarray(soil).save(tmp_path / "maps" / "soil.png")
    return tmp_path


def staged(folder: Path, scenario: str = SCENARIO, files: dict[str, str] | None = None) -> Stage:
    return Stage(load_document(parse_document(scenario, "test.yaml", folder, files), [], {}))


def refusal(folder: Path, scenario: str) -> str:
    with pytest.raises(ScenarioError) as refused:
        staged(folder, scenario)
    return str(refused.value)


def with_materials(scenario: str = SCENARIO) -> str:
    return scenario.replace("vehicles:", MATERIALS + "vehicles:")


def test_grey_values_are_heights_around_the_middle_of_the_image(folder: Path) -> None:
    terrain = staged(folder).terrain
    assert terrain.relief is not None
    assert terrain.relief.bounds == (30 - 60, -20 - 40, 30 + 60, -20 + 40)
    x, y = np.array([30 - 59.0, 30 + 59.0, 30 + 23.0]), np.array([-20 + 39.0, -20 - 39.0, 7.0])
    # 0.2 m for each grey value; the last is on the building.
    assert heights_of(terrain).at(x, y) == pytest.approx([0, 59 * 0.2, 41 * 0.2 + 20])


@pytest.mark.parametrize("black", [-10.0, 20.0])
def test_black_and_white_are_the_heights_of_the_darkest_and_brightest(
    folder: Path, black: float
) -> None:
    deep = np.zeros((ROWS, COLUMNS), np.uint16)
    deep[:, 30:] = 65535
    Image.fromarray(deep).save(folder / "maps" / "hill.png")
    relief = staged(folder, SCENARIO.replace("white", f"black: {black}\n    white")).terrain.relief
    assert relief is not None
    assert np.unique(relief.heights).tolist() == [black, 51]


def test_a_pgm_is_read_as_a_png_is(folder: Path) -> None:
    (folder / "maps" / "hill.pgm").write_bytes(b"P5 60 40 255\n" + GREY.tobytes())
    png, pgm = staged(folder), staged(folder, SCENARIO.replace("hill.png", "hill.pgm"))
    assert png.terrain.relief is not None
    assert pgm.terrain.relief is not None
    assert png.terrain.relief.heights == pytest.approx(pgm.terrain.relief.heights, abs=1e-5)


def test_what_rises_out_of_it_is_an_obstacle_beside_those_of_the_file(folder: Path) -> None:
    text = SCENARIO.replace(
        "    file: maps", "    file: maps", 1
    ).replace(
        "vehicles:",
        "  features: [{kind: building, at: [-20, -40], radius: 3, height: 5}]\nvehicles:",
    )  # fmt: skip
    own, risen = staged(folder, text).terrain.obstacles
    assert (own.name, risen.name, risen.kind) == ("building-1", "building-2", "building")
    assert risen.ground.equals(box(-30 + 80, 20 - 20, -30 + 100, 20 - 10))
    assert risen.height == pytest.approx((49 + 100) * 0.2)
    # The other stands at grey value 4.5.
    assert own.height == pytest.approx(5 + 4.5 * 0.2, abs=0.1)


def test_hills_lift_the_map_and_what_stands_on_it(folder: Path) -> None:
    """One of 30 m below the building, whose roof is 29.8 m above black."""
    hill = "  hills: [{at: [60, 5], height: 30, radius: 40}]\nvehicles:"
    flat, hilly = staged(folder), staged(folder, SCENARIO.replace("vehicles:", hill))
    x, y = np.array([60.0, 60.0, -25.0]), np.array([5.0, -15.0, 0.0])
    lifted = heights_of(hilly.terrain).at(x, y) - heights_of(flat.terrain).at(x, y)
    assert lifted == pytest.approx([30, 15, 0], abs=1e-3)
    (building,) = hilly.terrain.obstacles
    assert building.ground.equals(flat.terrain.obstacles[0].ground)
    inside = np.array([[60.0], [5.0]])
    assert building.height == pytest.approx(heights_of(hilly.terrain).at(*inside)[0], abs=0.5)
    bed = SCENARIO.replace("white: 51", "black: -10\n    white: 41\n    bed: true")
    wet = staged(folder, bed.replace("[0, 0]}", "[80, -50]}")).terrain
    island = hill.replace("[60, 5]", "[-10, -40]").replace("radius: 40", "radius: 15")
    dry = staged(folder, bed.replace("[0, 0]}", "[80, -50]}").replace("vehicles:", island)).terrain
    here = shapely.Point(-10, -40)
    lakes = [
        [o.ground.contains(here) for o in one.obstacles if o.kind == "lake"] for one in (wet, dry)
    ]
    assert lakes == [[True], [False]]


def test_materials_lie_below_soils_and_roads(folder: Path) -> None:
    features = (
        "  features:\n"
        "    - {kind: road, line: [[-30, -10], [90, -10]], width: 4}\n"
        "    - {kind: soil, soil: mud, at: [20, 0], radius: 5}\n"
    )
    text = with_materials().replace("vehicles:", features + "vehicles:")
    text = text.replace("  relief:", "  soil: sand\n  relief:")
    soil = soil_of(staged(folder, text).terrain)
    x = np.array([-20.0, 11.0, 20.0, 20.0, 20.0, 500.0])
    y = np.array([0.0, 7.0, 0.0, -10.0, -50.0, 0.0])
    expected = [SOILS[name] for name in ("grass", "ice", "mud", "hard", "sand", "sand")]
    assert np.array(soil.at(x, y)).T.tolist() == [list(one) for one in expected]
    assert soil.under(x, y)[0].tolist() == [one.grip for one in expected]


def test_an_elevation_model_lies_where_it_says_less_the_height_of_the_origin(
    folder: Path,
) -> None:
    values, tags = in_utm()
    (folder / "maps" / "hill.tif").write_bytes(written(values, tags))
    soil = np.zeros(values.shape, np.uint8)
    soil[:, 60:] = 9
    Image.fromarray(soil).save(folder / "maps" / "soil.png")
    text = elevation(with_materials())
    terrain = staged(folder, text).terrain
    assert terrain.relief is not None
    assert terrain.relief.heights == pytest.approx(values[::-1] - 400, abs=1e-2)
    west, _, east, _ = terrain.relief.bounds
    edge = west + 60 * 5
    assert soil_of(terrain).at(np.array([edge - 0.1, edge + 0.1]), np.zeros(2))[0].tolist() == [
        SOILS["grass"].mobility,
        SOILS["ice"].mobility,
    ]
    assert east - west == pytest.approx(505, abs=1e-3)


def test_without_the_height_of_the_origin_z_is_that_above_the_sea(folder: Path) -> None:
    """Either way a vehicle stands on the ground, as high above the sea."""
    values, tags = in_utm()
    (folder / "maps" / "hill.tif").write_bytes(written(values, tags))
    with_alt, without = (staged(folder, elevation(text)) for text in (SCENARIO, NO_ALT))
    assert without.start[2] == pytest.approx(with_alt.start[2] + 400, abs=1e-3)
    above_sea = [stage.frame.to_geodetic(*stage.start[:3])[2] for stage in (with_alt, without)]
    assert above_sea[0] == pytest.approx(above_sea[1], abs=1e-3)
    assert above_sea[0] == pytest.approx(450, abs=1)
    low = elevation(NO_ALT).replace("kind: ground", "kind: aerial/rotorcraft")
    found = refusal(folder, low.replace("[0, 0]}", "[0, 0, 50]}"))
    assert "'a' starts at z 50.0, below the ground, which is at 450" in found


def elevation(text: str) -> str:
    text = text.replace("hill.png", "hill.tif").replace("    cell: 2\n", "")
    return text.replace("    white: 51\n", "").replace("    center: [30, -20]\n", "")


def test_who_gets_the_run_from_the_core_or_a_recording_has_the_ground_too(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run = staged(folder, with_materials()).run(1)
    sent = msgspec.json.decode(msgspec.json.encode(run_record(run, 0.0, [])), type=RunRecord)
    assert set(sent.files) == {"maps/hill.png", "maps/soil.png"}
    there = staged(tmp_path_factory.mktemp("elsewhere"), sent.scenario, sent.files).terrain
    replayed = ground_of(scenario_of(sent, "test"), sent).terrain
    for terrain in (there, replayed):
        assert terrain.relief is not None
        assert terrain.relief.heights[::-1] == pytest.approx(GREY * 0.2, abs=1e-5)
        assert terrain.relief.materials is not None
        assert len(terrain.obstacles) == 1


@pytest.mark.parametrize("file", ["maps/hill.png", "maps/soil.png"])
def test_a_recording_without_a_file_of_it_shows_none(folder: Path, file: str) -> None:
    record = run_record(staged(folder, with_materials()).run(1), 0.0, [])
    record.files.pop(file)
    ground = ground_of(scenario_of(record, "test"), record)
    assert ground.terrain.relief is None
    assert ground.left_out == [f"the terrain is not shown: {file} was not recorded"]


@pytest.mark.parametrize(
    ("before", "after", "line", "said"),
    [
        ("hill.png", "none.png", 6, "maps/none.png: cannot be read: no such file"),
        ("hill.png", "hill.bmp", 5, "'maps/hill.bmp' is none of .png, .pgm, .tif, .tiff"),
        ("maps/hill.png", "../hill.png", 5, "does not lie beside the scenario"),
        ("cell: 2", "cell: 0", 7, "greater than 0"),
        ("    cell: 2\n", "", 5, "an image needs `cell`, m a pixel, and `white`"),
        ("white: 51", "white: 0", 5, "white, 0 m, is not above black, 0 m"),
        ("white: 51", "black: 60\n    white: 51", 5, "white, 51 m, is not above black, 60 m"),
        ("[30, -20]", "[1.0e+7, 0]", 5, "all of it lies outside the world"),
        ("hill.png", "hill.tif", 5, "center is for images: an elevation model says it itself"),
    ],
)
def test_a_relief_that_cannot_be_is_refused_where_it_is_said(
    folder: Path, before: str, after: str, line: int, said: str
) -> None:
    found = refusal(folder, SCENARIO.replace(before, after))
    assert said in found
    assert f"test.yaml:{line}:" in found


@pytest.mark.parametrize(
    ("image", "said"),
    [
        (b"", "is neither a PGM (P2 or P5) nor a PNG image"),
        (RED, "is a colour image; expected grey values"),
        (RED[:-60], "is a broken PNG: "),
        (b"P5 60 40 255\nshort", "ends early: 5 of 2,400 cells"),
        (b"P5 1 1 255\n\0", "has 1 x 1 cells; 2 x 2 are the least"),
        (b"P2 9000 9000 255\n", "has 81,000,000 cells as text; 10,000,000 are the most"),
        (b"P5 99999 99999 255\n", "has 99,999 x 99,999 cells; 100,000,000 are the most"),
    ],
)
def test_a_broken_image_is_named_with_what_is_wrong(folder: Path, image: bytes, said: str) -> None:
    (folder / "maps" / "hill.png").write_bytes(image)
    found = refusal(folder, SCENARIO)
    assert f"test.yaml:6:5: maps/hill.png: {said}" in found
    assert "object at" not in found


def png(bits: int, kind: int, pixels: np.ndarray) -> bytes:
    """Written by hand: Pillow writes no colours of 16 bits. `kind` 2 is RGB, 4 grey with alpha."""
    rows, columns = pixels.shape[:2]
    lines = pixels.astype(f">u{bits // 8}").reshape(rows, -1)
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", columns, rows, bits, kind, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"".join(b"\0" + line.tobytes() for line in lines))),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "LA", "P"])
def test_images_of_8_bits_whose_pixels_are_grey_are_heights(folder: Path, mode: str) -> None:
    Image.fromarray(GREY).convert(mode).save(folder / "maps" / "hill.png")
    relief = staged(folder).terrain.relief
    assert relief is not None
    assert relief.heights[::-1] == pytest.approx(GREY * 0.2, abs=1e-4)


def test_an_image_of_1_bit_has_two_heights(folder: Path) -> None:
    Image.fromarray(GREY > 30).save(folder / "maps" / "hill.png")
    relief = staged(folder).terrain.relief
    assert relief is not None
    assert relief.heights[::-1] == pytest.approx(np.where(GREY > 30, 51.0, 0.0), abs=1e-4)


@pytest.mark.parametrize(("kind", "channels"), [(2, 3), (4, 2), (6, 4)])
def test_grey_values_of_16_bits_are_never_read_with_8(
    folder: Path, kind: int, channels: int
) -> None:
    deep = GREY.astype(np.uint16) * 257 + 100
    pixels = np.repeat(deep[..., None], channels, axis=2)
    if kind != 2:
        pixels[..., -1] = 65535
    (folder / "maps" / "hill.png").write_bytes(png(16, kind, pixels))
    found = refusal(folder, SCENARIO)
    assert "test.yaml:6:5: maps/hill.png: has colours or an alpha channel of 16 bits" in found
    (folder / "maps" / "hill.png").write_bytes(png(16, 0, deep))
    relief = staged(folder).terrain.relief
    assert relief is not None
    assert relief.heights[::-1] == pytest.approx(deep / 65535 * 51, abs=1e-4)


def test_see_through_pixels_have_no_height(folder: Path) -> None:
    pixels = np.repeat(GREY[..., None], 4, axis=2)
    pixels[..., 3] = 255
    pixels[3, 4:7, 3] = 0
    Image.fromarray(pixels).save(folder / "maps" / "hill.png")
    assert "maps/hill.png: has 3 see-through pixels; expected grey" in refusal(folder, SCENARIO)


def test_a_damaged_pixel_is_no_height(folder: Path) -> None:
    """Not packed, so that only its checksum tells."""
    file = folder / "maps" / "hill.png"
    Image.fromarray(GREY).save(file, compress_level=0)
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 4
    file.write_bytes(raw)
    assert "maps/hill.png: is a broken PNG: bad header checksum" in refusal(folder, SCENARIO)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("9: ice", "9: lava", ":10:56: unknown soil 'lava'; soils are hard, gravel"),
        ("9: ice", "300: ice", ":10:38: maps/soil.png: has no grey value 300: its brightest is"),
        ("9: ice", "ice: 9", ":10:"),
        ("soil.png", "none.png", ":10:17: maps/none.png: cannot be read: no such file"),
        ("soil.png", "small.png", "small.png: has 3 x 2 pixels, that of the heights 60 x 40"),
    ],
)  # fmt: skip
def test_materials_that_cannot_be_are_refused(
    folder: Path, before: str, after: str, said: str
) -> None:
    Image.fromarray(np.zeros((2, 3), np.uint8)).save(folder / "maps" / "small.png")
    assert said in refusal(folder, with_materials().replace(before, after))


def test_a_model_in_the_antipodes_lies_outside_the_world(folder: Path) -> None:
    values, _ = in_utm()
    far = written(values, placed(4326, -100.0, -40.0, (1e-4, 1e-4)))
    (folder / "maps" / "hill.tif").write_bytes(far)
    found = refusal(folder, elevation(SCENARIO))
    assert "outside the world" in found or "not on the globe" in found


@pytest.mark.parametrize("kind", ["ground", "pedestrian"])
def test_who_stands_on_it_must_start_on_it(folder: Path, kind: str) -> None:
    text = SCENARIO.replace("kind: ground", f"kind: {kind}")
    found = refusal(folder, text.replace("[0, 0]}", "[-31, 0]}"))
    assert ("test.yaml:10:36" if kind == "ground" else "test.yaml:10:40") in found
    assert (
        "'a' starts at (-31.0, 0.0), where the height map has no ground: it ends at "
        "x -30.0 and 90.0, y -60.0 and 20.0"
    ) in found
    staged(folder, text.replace("[0, 0]}", "[-30, 20]}"))


def test_boats_and_aircraft_need_no_ground_but_do_not_fly_below_it(folder: Path) -> None:
    for kind in ("surface", "aerial/rotorcraft"):
        text = SCENARIO.replace("kind: ground", f"kind: {kind}")
        staged(folder, text.replace("[0, 0]}", "[-500, 0]}"))
    low = text.replace("[0, 0]}", "[80, -50, 10]}")
    assert "'a' starts at z 10.0, below the ground, which is at 10.9" in refusal(folder, low)
    staged(folder, low.replace("10]}", "11]}"))


def test_hulls_start_in_water_where_the_map_has_a_bed(folder: Path) -> None:
    """2.9 m above black at the origin; a boat of 6 m has 0.6 m of draught."""
    shallow = SCENARIO.replace("white: 51", "black: -3.3\n    white: 47.7\n    bed: true")
    boat = shallow.replace("kind: ground", "kind: surface")
    assert (
        "'a' starts aground at (0.0, 0.0): its keel is at z -0.6, the ground at -0.4"
    ) in refusal(folder, boat)
    staged(folder, boat.replace("kind: surface", "kind: surface, model: {draught: 0.3}"))
    staged(folder, boat.replace("    bed: true\n", ""))


def test_below_water_a_bed_is_a_lake_to_feet_and_wheels(folder: Path) -> None:
    """West of x = 1 the map is below z 0, and of x = -2 too deep to wade."""
    flooded = SCENARIO.replace("white: 51", "black: -3\n    white: 48\n    bed: true")
    for kind in ("ground", "pedestrian"):
        text = flooded.replace("kind: ground", f"kind: {kind}")
        assert "'a' starts inside lake 'lake-1' at (-10.0, 0.0)" in refusal(
            folder, text.replace("[0, 0]}", "[-10, 0]}")
        )
        staged(folder, text)
    stage = staged(folder, flooded)
    (lake,) = [o.ground for o in stage.terrain.obstacles if o.kind == "lake"]
    x, y = np.meshgrid(np.arange(-29, 89), np.arange(-59, 19))
    deep = heights_of(stage.terrain).at(x.ravel() + 0.0, y.ravel() + 0.0) < -0.3
    in_it = shapely.contains_xy(lake, x.ravel(), y.ravel())
    assert (deep == in_it).mean() > 0.98  # it ends at edges of cells
    boat = flooded.replace("kind: ground", "kind: surface, model: {draught: 0.3}")
    staged(folder, boat.replace("[0, 0]}", "[-10, 0]}"))


def test_nobody_starts_in_a_building_of_the_map(folder: Path) -> None:
    found = refusal(folder, SCENARIO.replace("[0, 0]}", "[60, 5]}"))
    assert "'a' starts inside building 'building-1' at (60.0, 5.0)" in found


@pytest.mark.parametrize(
    ("kind", "model"), [("ground", "ground"), ("ground", "kinematic"), ("pedestrian", "kinematic")]
)
def test_vehicles_climb_as_the_map_does(folder: Path, kind: str, model: str) -> None:
    """0.1 m for each metre to the east; from a hollow below the origin."""
    vehicle = (
        f"vehicles: [{{name: a, kind: {kind}, model: {{type: {model}}}, "
        "start: {at: [-20, -20], heading_deg: 89.5}, behaviors: {move_to: {to: [20, -20]}}}]"
    )
    text = SCENARIO.partition("vehicles:")[0].replace("white: 51", "black: -51\n    white: 0")
    run = staged(folder, text + vehicle).run(1)
    seen = [update.snapshot.vehicles for update in updates(run)]
    x, z, vz = (np.array([getattr(one, name)[0] for one in seen]) for name in ("x", "z", "vz"))
    pitch = np.array([one.pitch[0] for one in seen])
    assert x[-1] > x[0] + 4
    assert z == pytest.approx(-51 + (x - (30 - 59)) * 0.1, abs=1e-3)
    assert pitch == pytest.approx(np.full(len(x), np.arctan(0.1)), abs=1e-3)
    assert vz[-1] == pytest.approx(0.1 * (x[-1] - x[-2]) / 0.1, rel=0.05)


def test_who_says_a_height_starts_there(folder: Path) -> None:
    high = SCENARIO.replace("[0, 0]}", "[0, 0, 30]}")
    assert staged(folder, high).start[2].tolist() == [30]
    assert staged(folder).start[2] == pytest.approx([2.9])


@given(data=st.data())
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes_are_an_image_or_a_refusal(folder: Path, data: st.DataObject) -> None:
    out = io.BytesIO()
    Image.fromarray(GREY).save(out, "PNG")
    raw = bytearray(out.getvalue()[: data.draw(st.integers(0, len(out.getvalue())))])
    for _ in range(data.draw(st.integers(0, 5))):
        if raw:
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    (folder / "maps" / "hill.png").write_bytes(bytes(raw))
    try:
        relief = staged(folder).terrain.relief
    except ScenarioError as error:
        assert "test.yaml:" in str(error)
    else:
        assert relief is not None
        assert np.isfinite(relief.heights).all()
