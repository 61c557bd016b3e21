"""Maps of occupied cells as ROS writes them: every form of image, and files that are broken."""

import contextlib
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from movenv.terrain.grid_map import FREE, OCCUPIED, UNKNOWN, GridMap
from movenv.terrain.map_files import MapSettings, map_of, map_settings, read_map, write_map
from movenv.terrain.map_image import MapFileError, read_image
from movenv.world.columns import U1

F, X, U = FREE, OCCUPIED, UNKNOWN
USUAL = MapSettings("m.pgm", 0.05, (0.0, 0.0, 0.0))
YAML = "image: m.pgm\nresolution: 0.05\norigin: [-1.5, 2, 0.0]\nnegate: 0\n"


def png(pixels: Any, mode: str | None = None) -> bytes:
    made = io.BytesIO()
    image = Image.fromarray(np.array(pixels))
    (image.convert(mode) if mode else image).save(made, "PNG")
    return made.getvalue()


@pytest.mark.parametrize(
    "image",
    [
        b"P5 3 2 255\n" + bytes([0, 205, 254, 255, 89, 90]),
        b"P5\n# made by hand\n3 2 # wide and high\n255\n" + bytes([0, 205, 254, 255, 89, 90]),
        b"P2\n3 2\n255\n0 205 254 # the north\n255 89\n90\n",
        b"P5 3 2 65535\n" + (np.array([0, 205, 254, 255, 89, 90]) * 257).astype(">u2").tobytes(),
        png(np.array([[0, 205, 254], [255, 89, 90]], np.uint8)),
        png(np.array([[0, 205, 254], [255, 89, 90]], np.uint8), "RGB"),
        png(np.array([[0, 205, 254], [255, 89, 90]], np.uint16) * 257),
    ],
    ids=["P5", "comments", "P2", "P5, 16 bit", "PNG", "PNG, colours", "PNG, 16 bit"],
)
def test_dark_is_occupied_bright_is_free_and_the_first_row_is_the_north(image: bytes) -> None:
    assert map_of(USUAL, image).cells.tolist() == [[F, X, U], [X, U, F]]


def test_a_bright_map_may_be_negated_and_thresholds_are_its_own() -> None:
    image = b"P5 3 1 100\n" + bytes([0, 50, 100])
    told = {(True, 0.65, 0.196): [F, U, X], (False, 0.4, 0.196): [X, X, F],
            (False, 0.65, 0.6): [X, F, F]}  # fmt: skip
    for (negate, occupied, free), cells in told.items():
        settings = MapSettings("m.pgm", 0.05, (0, 0, 0), negate, occupied, free)
        assert map_of(settings, image).cells.tolist() == [cells]


def test_raw_values_are_percentages_and_what_is_seen_through_is_unknown() -> None:
    raw = MapSettings("m.pgm", 0.05, (0, 0, 0), mode="raw")
    image = b"P5 5 1 255\n" + bytes([0, 50, 100, 101, 255])
    assert map_of(raw, image).cells.tolist() == [[F, U, X, U, U]]
    pixels = np.zeros((1, 3, 4), np.uint8)
    pixels[0, :, 3] = 255, 254, 0
    assert map_of(USUAL, png(pixels)).cells.tolist() == [[X, U, U]]


@pytest.mark.parametrize("turns", range(-2, 5))
def test_an_origin_may_be_turned_by_quarters(turns: int) -> None:
    drawn = np.array([[0, 255, 255], [255, 255, 0], [255, 0, 0], [0, 0, 255]], np.uint8)
    image = b"P5 3 4 255\n" + drawn.tobytes()
    yaw = turns * math.pi / 2
    grid = map_of(MapSettings("m.pgm", 0.5, (7.0, -3.0, yaw)), image)
    for row in range(4):
        for column in range(3):
            u, v = (column + 0.5) * 0.5, (3 - row + 0.5) * 0.5
            x = 7.0 + u * math.cos(yaw) - v * math.sin(yaw)
            y = -3.0 + u * math.sin(yaw) + v * math.cos(yaw)
            there = int((y - grid.south) / 0.5), int((x - grid.west) / 0.5)
            assert grid.cells[there] == (X if drawn[row, column] == 0 else F)


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    cells: U1 = rng.integers(0, 3, (17, 31)).astype(np.uint8)
    write_map(tmp_path / "hall.yaml", GridMap(cells, 0.05, -12.3, 0.1))
    found = read_map(tmp_path / "hall.yaml")
    assert np.array_equal(found.cells, cells)
    assert (found.resolution, found.west, found.south) == (0.05, -12.3, 0.1)


def test_a_yaml_file_of_map_saver_is_understood() -> None:
    told = map_settings(
        "image: ./testmap.png\nmode: trinary\nresolution: 1e-1\norigin: [-2.3, -1.69, 0]\n"
        "negate: false\noccupied_thresh: 0.65\nfree_thresh: 0.25\n"
    )
    assert told == MapSettings("./testmap.png", 0.1, (-2.3, -1.69, 0.0), free_thresh=0.25)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: expected keys"),
        ("- 1\n", "line 1: expected keys"),
        ("image: [\n", "is not YAML"),
        ("resolution: 0.05\norigin: [0, 0, 0]\n", "line 1: image is missing"),
        (YAML.replace("0.05", "0"), "line 2: resolution is 0; expected 0.0001 to 10000"),
        (YAML.replace("0.05", "wide"), "line 2: resolution is no number"),
        (YAML.replace("0.05", ".nan"), "line 2: resolution is no number"),
        (YAML.replace("0.05", "nan"), "line 2: resolution is nan; expected"),
        (YAML.replace("[-1.5, 2, 0.0]", "7"), "line 3: origin is not [x, y, yaw]"),
        (YAML.replace("2,", "nan,"), "line 3: origin is not on the globe"),
        (YAML.replace("2,", "[2],"), "line 3: origin is no number"),
        (YAML.replace("0.0]", "0.3]"), "line 3: origin is turned by 0.3 rad; only quarter turns"),
        (YAML.replace("negate: 0", "negate: 7"), "line 4: negate is 7; expected 0 to 1"),
        (YAML + "mode: fine\n", "line 5: mode expected one of trinary, scale, raw"),
        (YAML + "free_thresh: 0.9\n", "line 5: free_thresh is above occupied_thresh"),
        (YAML + "occupied_thresh: 65\n", "line 5: occupied_thresh is 65; expected 0 to 1"),
    ],
)
def test_a_yaml_file_that_cannot_be_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(MapFileError) as refused:
        map_settings(text)
    assert said in str(refused.value)


WHOLE = png(np.zeros((20, 20), np.uint8))


@pytest.mark.parametrize(
    ("image", "said"),
    [
        (b"", "is neither a PGM (P2 or P5) nor a PNG image"),
        (b"GIF89a", "is neither"),
        (b"P5 3\n", "is no PGM"),
        (b"P5 0 3 255\n", "has no cells: 0 x 3"),
        (b"P5 3 2 255\n12345", "ends early: 5 of 6 cells"),
        (b"P5 3 2 256\n12345678", "ends early: 4 of 6 cells"),
        (b"P2 3 2 255\n1 2 3", "ends early: 3 of 6 cells"),
        (b"P2 2 1 255\n1 x", "has 'x' for a cell"),
        (b"P2 2 1 255\n1 -2", "has '-2' for a cell"),
        (b"P5 1 1 7\n\x08", "has a value of 8, above its greatest, 7"),
        (b"P2 1 1 65535\n70000", "has '70000'"),
        (b"P5 1 1 0\n\x00", "its greatest value is 0; expected 1 to 65535"),
        (b"P5 100001 1000 255\n", "has 100,001 x 1,000 cells; 100,000,000 are the most"),
        (b"P2 10000 1001 255\n", "has 10,010,000 cells as text"),
        (WHOLE[:12], "ends early"),
        (WHOLE[:50], "is a broken PNG"),
        (WHOLE[:16] + b"\x00\x01\x86\xa1\x00\x01\x86\xa1" + WHOLE[24:], "100,001 x 100,001 cells"),
    ],
)
def test_an_image_that_cannot_be_is_refused_in_words(image: bytes, said: str) -> None:
    with pytest.raises(MapFileError) as refused:
        read_image(image)
    assert said in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MapFileError, match=r"none\.yaml: cannot be read: no such file"):
        read_map(tmp_path / "none.yaml")
    (tmp_path / "some.yaml").write_text(YAML)
    with pytest.raises(MapFileError, match=r"m\.pgm: cannot be read: no such file"):
        read_map(tmp_path / "some.yaml")
    (tmp_path / "odd.yaml").write_bytes(b"image: \xff\xfe")
    with pytest.raises(MapFileError, match=r"odd\.yaml: is not UTF-8 text"):
        read_map(tmp_path / "odd.yaml")


@given(st.binary(max_size=60), st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
def test_no_damage_to_an_image_is_worse_than_a_refusal(tail: bytes, at: int, value: int) -> None:
    damaged = bytearray(WHOLE)
    damaged[at] = value
    for raw in (b"P5 " + tail, b"P2 3 2 255 " + tail, bytes(damaged), WHOLE[:at] + tail):
        with contextlib.suppress(MapFileError):
            read_image(raw)


@given(st.text(max_size=80), st.sampled_from(["image: ", "origin: ", "resolution: ", ""]))
def test_no_text_is_worse_than_a_refusal(text: str, before: str) -> None:
    with contextlib.suppress(MapFileError):
        map_settings(before + text)
    with contextlib.suppress(MapFileError):
        map_settings(YAML + text)
