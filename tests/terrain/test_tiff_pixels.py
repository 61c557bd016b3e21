"""Pixels of every kind that elevation models have, written by hand."""

import struct
import zlib
from typing import Any

import numpy as np
import pytest

from movenv.terrain.map_image import MapFileError
from movenv.terrain.tiff_pixels import read_pixels

ROWS, COLUMNS = 5, 7
HEIGHTS = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS) * 3.0 - 50
FORMATS = {"u": 1, "i": 2, "f": 3}
DEFLATE, LERC = 8, 34887


def tiff(
    pixels: np.ndarray[Any, Any], order: str = "<", change: dict[int, int] | None = None
) -> bytes:
    """A file of one strip."""
    raw = pixels.astype(pixels.dtype.newbyteorder(order)).tobytes()
    tags = {
        256: COLUMNS, 257: ROWS, 258: pixels.itemsize * 8, 259: 1, 262: 1, 273: 8, 277: 1,
        278: ROWS, 279: 0, 339: FORMATS[pixels.dtype.kind],
    } | (change or {})  # fmt: skip
    raw = zlib.compress(raw) if tags[259] == DEFLATE else raw
    tags[279] = len(raw)
    entries = b"".join(struct.pack(order + "HHII", tag, 4, 1, n) for tag, n in tags.items())
    head = struct.pack(order + "2sHI", b"II" if order == "<" else b"MM", 42, 8 + len(raw))
    return head + raw + struct.pack(order + "H", len(tags)) + entries + bytes(4)


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "u1", "u2", "u4", "f4", "f8"])
@pytest.mark.parametrize("compression", [1, DEFLATE])
def test_pixels_are_read_as_they_are(kind: str, compression: int) -> None:
    heights = (HEIGHTS + 50 * (kind[0] == "u")).astype(kind)
    found, tags = read_pixels(tiff(heights, change={259: compression}))
    assert found.dtype == np.float32
    assert found.tolist() == heights.tolist()
    assert tags[256] == COLUMNS


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "u1", "u2", "f4", "f8"])
def test_the_high_byte_may_come_first(kind: str) -> None:
    heights = (HEIGHTS + 50 * (kind[0] == "u")).astype(kind)
    assert read_pixels(tiff(heights, ">"))[0].tolist() == heights.tolist()


def test_large_numbers_keep_their_sign() -> None:
    """What stands for no data often is the greatest number."""
    for kind in ("u2", "u4", "i2", "i4"):
        ends = [np.iinfo(kind).min, np.iinfo(kind).max] * ROWS * COLUMNS
        pixels = np.array(ends[: ROWS * COLUMNS], kind).reshape(ROWS, COLUMNS)
        assert read_pixels(tiff(pixels))[0].tolist() == pixels.astype(np.float32).tolist()


@pytest.mark.parametrize(
    ("kind", "order", "change", "said"),
    [
        ("i8", "<", {}, "has 64-bit signed whole numbers for pixels; expected .* -ot Float32"),
        ("f2", "<", {}, "has 16-bit floats for pixels; expected .* gdal_translate -ot Float32"),
        ("u4", ">", {}, "has pixels that are not read; gdal_translate -ot Float32"),
        ("f4", "<", {259: LERC}, "is compressed by LERC; gdal_translate -co COMPRESS=DEFLATE"),
        ("i2", ">", {259: DEFLATE}, "is compressed with the high byte first; .* ENDIANNESS=LITTLE"),
        ("u1", "<", {277: 3}, "has 3 values a pixel; expected one, the height; .* -b 1"),
        ("u1", "<", {262: 3}, r"has colours for pixels \(photometric 3\); expected heights"),
        ("u1", "<", {262: 0}, r"has colours for pixels \(photometric 0\); expected heights"),
        ("f4", "<", {256: 90_000, 257: 90_000}, "has 90,000 x 90,000 cells; 36,000,000 are"),
        ("f4", "<", {257: 9}, "has 1 of 2 strips or tiles; gdal_translate -co SPARSE_OK=FALSE"),
        ("f4", "<", {273: 0}, "has 0 of 1 strips or tiles"),
        ("f4", "<", {278: 0}, "is a broken TIFF: division by zero"),
        ("f4", "<", {273: 10_000}, "is a broken TIFF"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_refused_with_what_to_do(
    kind: str, order: str, change: dict[int, int], said: str
) -> None:
    with pytest.raises(MapFileError, match=said):
        read_pixels(tiff(np.abs(HEIGHTS).astype(kind), order, change))


def test_so_is_a_bigtiff_with_the_high_byte_first() -> None:
    with pytest.raises(MapFileError, match="is a BigTIFF with the high byte first"):
        read_pixels(b"MM\0+" + bytes(60))
