"""Elevation models that Pillow and a hand-written encoder wrote: read back, placed, refused."""

import io
import struct
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, TiffImagePlugin
from pyproj import Transformer

from movenv.terrain.features import Terrain
from movenv.terrain.geotiff import read_geotiff
from movenv.terrain.heights import Heights
from movenv.terrain.map_image import MapFileError
from movenv.terrain.resampling import sampling_of
from movenv.world.frames import Frame

FRAME = Frame(47.0, 8.2, 400.0)
"""In UTM zone 32."""
UTM32, UTM31, WGS84 = 32632, 32631, 4326


def hills(east: Any, north: Any) -> Any:
    """Heights above the sea by local metres."""
    return 450 + 30 * np.sin(east / 80) * np.cos(north / 60) + 0.02 * east


def written(heights: np.ndarray[Any, Any], tags: dict[int, Any], **how: Any) -> bytes:
    info = TiffImagePlugin.ImageFileDirectory_v2()
    for tag, value in tags.items():
        kind = 2 if isinstance(value, str) else 3 if tag == 34735 else 12
        info.tagtype[tag] = kind
        info[tag] = value
    out = io.BytesIO()
    Image.fromarray(heights).save(out, "TIFF", tiffinfo=info, **how)
    return out.getvalue()


def keys(code: int, *more: int) -> tuple[int, ...]:
    """A directory of keys: the kind of CRS, its code, and others."""
    kind, key = (2, 2048) if code == WGS84 else (1, 3072)
    entries = (1024, 0, 1, kind, key, 0, 1, code, *more)
    return (1, 1, 0, len(entries) // 4, *entries)


def placed(code: int, west: float, north: float, cell: tuple[float, float]) -> dict[int, Any]:
    return {
        33550: (*cell, 0.0),
        33922: (0.0, 0.0, 0.0, west, north, 0.0),
        34735: keys(code),
    }


def in_utm(code: int = UTM32, cell: float = 5.0, side: int = 101) -> tuple[Any, dict[int, Any]]:
    """Hills around the origin in a zone of UTM."""
    to_zone = Transformer.from_crs(4326, code, always_xy=True)
    middle = to_zone.transform(FRAME.lon, FRAME.lat)
    west, north = (round(middle[0]) - side * cell / 2, round(middle[1]) + side * cell / 2)
    row, column = np.mgrid[0:side, 0:side]
    lon, lat = to_zone.transform(
        west + (column + 0.5) * cell, north - (row + 0.5) * cell, direction="INVERSE"
    )
    x, y, _ = FRAME.to_local(lat, lon)
    return hills(x, y).astype(np.float32), placed(code, west, north, (cell, cell))


def read_heights(raw: bytes, cell: float | None = None) -> Heights:
    model = read_geotiff(raw)
    sampling = sampling_of(model, FRAME, cell)
    return Heights(Terrain(relief=sampling.heights(model, FRAME.alt)))


def compare(heights: Heights, within: float) -> None:
    """The ground around the origin is that of the hills, less the origin's own height."""
    x, y = np.random.default_rng(1).uniform(-180, 180, (2, 2000))
    assert np.abs(heights.at(x, y) - (hills(x, y) - 400)).max() < within


@pytest.mark.parametrize("how", [{}, {"compression": "tiff_lzw"}, {"compression": "tiff_deflate"}])
def test_a_model_in_the_zone_of_the_origin_keeps_its_pixels(how: dict[str, Any]) -> None:
    values, tags = in_utm()
    heights = read_heights(written(values, tags, **how))
    relief = heights.relief
    assert relief.cell == pytest.approx(5.0, rel=1e-6)
    assert relief.heights.shape == values.shape
    assert relief.heights == pytest.approx(values[::-1] - 400, abs=1e-2)
    compare(heights, 0.1)


def test_a_model_in_another_zone_is_turned_into_ours() -> None:
    """Its north is 1.5° off ours; between pixels of 2 m the hills are as good as straight."""
    compare(read_heights(written(*in_utm(UTM31, 2.0, 251))), 0.05)


def test_a_model_in_degrees_lies_where_its_places_do() -> None:
    step = 2e-5
    lat, lon = FRAME.lat + 120 * step, FRAME.lon - 180 * step
    row, column = np.mgrid[0:241, 0:361]
    x, y, _ = FRAME.to_local(lat - row * step, lon + column * step)
    tags = placed(WGS84, lon - step / 2, lat + step / 2, (step, step))
    heights = read_heights(written(hills(x, y).astype(np.float32), tags))
    assert heights.relief.cell == pytest.approx(2e-5 * 111_195 * np.cos(np.radians(47)), rel=0.005)
    x, y = np.random.default_rng(1).uniform(-200, 200, (2, 2000))
    assert np.abs(heights.at(x, y) - (hills(x, y) - 400)).max() < 0.05


def test_a_pixel_is_a_point_where_it_says_so() -> None:
    values, tags = in_utm()
    area = read_heights(written(values, tags)).relief
    point = read_heights(written(values, tags | {34735: keys(UTM32, 1025, 0, 1, 2)})).relief
    assert (point.west, point.south) == (
        pytest.approx(area.west - 2.5, abs=1e-3),
        pytest.approx(area.south + 2.5, abs=1e-3),
    )


def test_a_transformation_places_it_too_and_turns_it() -> None:
    values, tags = in_utm()
    (wide, high, _), (_, _, _, x, y, _) = tags[33550], tags[33922]
    matrix = (wide, 0, 0, x, 0, -high, 0, y, 0, 0, 0, 0, 0, 0, 0, 1)
    turned = {34264: tuple(map(float, matrix)), 34735: tags[34735]}
    compare(read_heights(written(values, turned)), 0.1)
    swapped = (0, high, 0, x, wide, 0, 0, y - values.shape[0] * high)
    upside = {34264: (*map(float, swapped), *[0.0] * 8), 34735: tags[34735]}
    # Rows now go to the east and columns to the north.
    quarter = np.ascontiguousarray(np.rot90(values, -1))
    compare(read_heights(written(quarter, upside)), 0.1)


@pytest.mark.parametrize(("dtype", "step"), [(np.int16, 1.0), (np.uint16, 1.0), (np.int32, 1.0)])
def test_whole_numbers_are_heights_too(dtype: Any, step: float) -> None:
    values, tags = in_utm()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow on its own modes
        raw = written(np.rint(values).astype(dtype), tags)
    compare(read_heights(raw), step / 2 + 0.1)


def test_holes_are_as_high_as_what_is_beside_them() -> None:
    values, tags = in_utm()
    values[40:43, 50:53] = -9999.0
    values[10, 10] = np.nan
    heights = read_heights(written(values, tags | {42113: "-9999"})).relief.heights
    assert heights.min() > 0
    around = values[[39, 43, 41, 41], [51, 51, 49, 53]] - 400
    assert around.min() - 1e-2 <= heights[::-1][41, 51] <= around.max() + 1e-2


def test_a_cell_of_ones_own_choice() -> None:
    heights = read_heights(written(*in_utm()), 12.5)
    assert heights.relief.cell == 12.5
    assert heights.relief.heights.shape == (41, 41)
    compare(heights, 0.7)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({34735: keys(2056)}, r"is in EPSG:2056; expected UTM .* or WGS 84"),
        ({34735: (*keys(4326)[:4], 2048, 0, 1, 4267)}, r"is in EPSG:4267"),
        ({34735: (1, 1, 0, 0)}, "does not say its CRS"),
        ({34735: keys(UTM32, 4099, 0, 1, 9002)}, "heights are in unit 9002; expected metres"),
        ({33550: (0.0, 0.0, 0.0)}, "they have no size"),
        ({33922: (0.0, 0.0)}, "tag 33922 is missing or short"),
        ({42113: "none"}, "nodata value 'none' is no number"),
    ],
)
def test_what_is_not_understood_is_refused(change: dict[int, Any], said: str) -> None:
    values, tags = in_utm()
    with pytest.raises(MapFileError, match=said):
        read_geotiff(written(values, tags | change))


def test_so_are_heights_that_are_none() -> None:
    values, tags = in_utm()
    nothing = np.full_like(values, -9999.0)
    with pytest.raises(MapFileError, match="all of them are nodata"):
        read_geotiff(written(nothing, tags | {42113: "-9999"}))
    colours = np.zeros((4, 4, 3), np.uint8)
    with pytest.raises(MapFileError, match="has 3 values a pixel; expected one, the height"):
        read_geotiff(written(colours, tags))
    with pytest.raises(MapFileError, match="is no TIFF"):
        read_geotiff(b"\x89PNG\r\n")


@pytest.mark.parametrize(
    ("value", "bed", "why"),
    [
        (-32768.0, False, "no land on the globe is below -500 m"),
        (-32768.0, True, "no bed of a sea on the globe is below -11,000 m"),
        (
            -9999.0,
            False,
            "no land on the globe is below -500 m (one that goes on below a sea needs",
        ),
        (-9999.0, True, "nothing else is within 1,000 m of that"),
        (-600.0, False, "no land on the globe is below -500 m (one that goes on below a sea needs"),
        (9999.0, False, "nothing on the globe is above 9,000 m"),
        (float(np.finfo(np.float32).min), True, "no bed of a sea on the globe is below -11,000 m"),
    ],
)
def test_a_value_that_may_stand_for_no_data_must_be_said_to(
    value: float, bed: bool, why: str
) -> None:
    values, tags = in_utm()
    values[40:43, 50:53] = value
    with pytest.raises(MapFileError) as refused:
        read_geotiff(written(values, tags), bed)
    assert f"has a height of {value:.9g} m in row 41, column 51; {why}" in str(refused.value)
    told = str(refused.value).split("-a_nodata ")[1].split()[0]
    read_geotiff(written(values, tags | {42113: told}), bed)


def test_low_land_and_deep_seas_are_heights() -> None:
    values, tags = in_utm()
    read_geotiff(written(values - 880, tags))  # the shore of the Dead Sea
    trench = np.linspace(-9999, 100, values.size, dtype=np.float32).reshape(values.shape)
    read_geotiff(written(trench, tags), bed=True)


def test_the_least_float_of_64_bits_may_stand_for_no_data() -> None:
    values, tags = in_utm()
    values[3, 3] = -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read_geotiff(written(values, tags | {42113: "-1.7976931348623157e+308"})).heights
    assert np.isnan(found[3, 3])


def test_cells_too_fine_are_refused() -> None:
    values, tags = in_utm()
    with pytest.raises(MapFileError, match=r"has [\d,]+ x [\d,]+ cells; 36,000,000 are the most"):
        sampling_of(read_geotiff(written(values, tags)), FRAME, 0.01)


WHOLE = written(*in_utm(side=21))


@given(cut=st.integers(0, len(WHOLE) - 1))
def test_a_file_that_ends_early_is_refused_or_whole(cut: int) -> None:
    refused_or_read(WHOLE[:cut])


@given(data=st.data())
def test_any_bytes_are_a_model_or_a_refusal(data: st.DataObject) -> None:
    raw = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.sampled_from([*range(8), *range(len(raw) - 500, len(raw))]))
        raw[at] = data.draw(st.integers(0, 255))
    refused_or_read(bytes(raw))
    refused_or_read(struct.pack("<2sHI", b"II", 42, 8) + data.draw(st.binary(max_size=200)))


def refused_or_read(raw: bytes) -> None:
    try:
        model = read_geotiff(raw)
        sampling = sampling_of(model, FRAME, None)
    except MapFileError as error:
        assert str(error)
        return
    found = sampling.heights(model, 0.0).heights
    assert np.isfinite(found).all()
