"""Elevation models in GeoTIFF files: heights, and where on the globe their pixels lie.

Such files come from anywhere, so nothing in them is trusted; what is not understood is refused in
words.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from movenv.terrain.map_image import MapFileError
from movenv.terrain.tiff_pixels import Tags, read_pixels
from movenv.world.columns import F4, F8

SCALE, TIE_POINT, TRANSFORMATION, KEYS, NO_DATA = 33550, 33922, 34264, 34735, 42113
"""Tags of the file."""
RASTER_TYPE, GEOGRAPHIC, PROJECTED, VERTICAL_UNIT = 1025, 2048, 3072, 4099
"""Keys within KEYS."""
PIXEL_IS_POINT, METRE, WGS84 = 2, 9001, 4326
UTM_NORTH, UTM_SOUTH = 32600, 32700
"""EPSG codes of zone 0; the others follow."""
LOWEST, HIGHEST, DEEPEST = -500.0, 9_000.0, -11_000.0
"""m: no land is below the first or above the second, no bed of a sea below the third."""
OFTEN_NO_DATA = -9999.0
"""Often stands for no data; a bed that deep goes down to it, and is not apart from it by GAP."""
GAP = 1_000.0


@dataclass(frozen=True, eq=False)
class ElevationModel:
    """Heights above sea level, and where they are."""

    heights: F4
    """(rows, columns), m; nan where it has none."""
    to_model: F8
    """(2, 3): column, row and 1 of a pixel's middle into coordinates of the CRS."""
    zone: int
    """Of UTM; 0 where the coordinates are longitude and latitude, degrees."""
    south: bool


def read_geotiff(raw: bytes, bed: bool = False) -> ElevationModel:
    """The elevation model in a file; with the bed of a sea, if so said. Raises MapFileError."""
    heights, tags = read_pixels(raw)
    keys = _geo_keys(tags)
    if keys.get(VERTICAL_UNIT, METRE) != METRE:
        raise MapFileError(f"its heights are in unit {keys[VERTICAL_UNIT]}; expected metres (9001)")
    zone, south = _crs(keys)
    heights[heights == _no_data(tags)] = np.nan
    _check_heights(heights, bed)
    return ElevationModel(heights, _to_model(tags, keys.get(RASTER_TYPE)), zone, south)


def _geo_keys(tags: Tags) -> dict[int, int]:
    """Keys that have their values beside them."""
    numbers = _numbers(tags, KEYS)
    entries = [numbers[at : at + 4] for at in range(4, len(numbers) - 3, 4)]
    return {int(key): int(value) for key, where, _, value in entries if where == 0}


def _crs(keys: Mapping[int, int]) -> tuple[int, bool]:
    """The UTM zone, 0 for longitude and latitude, and whether it is a southern one."""
    expected = "expected UTM (EPSG:32601 to 32760) or WGS 84 (EPSG:4326)"
    if PROJECTED in keys:
        code = keys[PROJECTED]
        for first in (UTM_NORTH, UTM_SOUTH):
            if 1 <= code - first <= 60:
                return code - first, first == UTM_SOUTH
        raise MapFileError(f"is in EPSG:{code}; {expected}")
    if keys.get(GEOGRAPHIC) == WGS84:
        return 0, False
    found = f"is in EPSG:{keys[GEOGRAPHIC]}" if GEOGRAPHIC in keys else "does not say its CRS"
    raise MapFileError(f"{found}; {expected}")


def _to_model(tags: Tags, raster_type: int | None) -> F8:
    """Tie points hold for the corners of pixels, or for their middles where pixels are points."""
    half = 0.0 if raster_type == PIXEL_IS_POINT else 0.5
    if TRANSFORMATION in tags:
        numbers = _numbers(tags, TRANSFORMATION, 16)
        turn, shift = numbers[:8].reshape(2, 4)[:, :2], numbers[:8].reshape(2, 4)[:, 3]
    else:
        wide, high = _numbers(tags, SCALE, 2)[:2]
        column, row, _, x, y = _numbers(tags, TIE_POINT, 6)[:5]
        turn = np.array([[wide, 0.0], [0.0, -high]])
        shift = np.array([x, y]) - turn @ [column, row]
    found = np.column_stack([turn, shift + turn @ [half, half]])
    if not np.isfinite(found).all() or abs(np.linalg.det(turn)) < 1e-20:
        raise MapFileError("does not say where its pixels lie: they have no size")
    return found


def _numbers(tags: Tags, tag: int, least: int = 0) -> F8:
    try:
        found = np.array(tags.get(tag, ()), float).ravel()
    except (TypeError, ValueError):
        found = np.empty(0)
    if len(found) < least:
        raise MapFileError(f"does not say where its pixels lie: tag {tag} is missing or short")
    return found


def _no_data(tags: Tags) -> np.float32:
    """What stands for a height that is not known; nan, which is equal to none, without one."""
    said = tags.get(NO_DATA, "nan")
    try:
        with np.errstate(over="ignore"):  # it may be the greatest float of 64 bits
            return np.float32(str(said).strip("\0 "))
    except ValueError:
        raise MapFileError(f"its nodata value {str(said)[:20]!r} is no number") from None


def _check_heights(heights: F4, bed: bool) -> None:
    """Values that stand for no data, where the file does not say so, would be pits or peaks."""
    known = heights[np.isfinite(heights)]
    if not len(known):
        raise MapFileError("has no heights: all of them are nodata")
    low, high = float(known.min()), float(known.max())
    least = DEEPEST if bed else LOWEST
    if low < least:
        ground = "bed of a sea" if bed else "land"
        said = f"no {ground} on the globe is below {least:,.0f} m"
        said += "" if bed or low < DEEPEST else " (one that goes on below a sea needs `bed: true`)"
        raise _no_height(heights, low, said)
    if high > HIGHEST:
        raise _no_height(heights, high, f"nothing on the globe is above {HIGHEST:,.0f} m")
    if low == OFTEN_NO_DATA and not (known[known > low] < low + GAP).any():
        raise _no_height(heights, low, f"nothing else is within {GAP:,.0f} m of that")


def _no_height(heights: F4, value: float, why: str) -> MapFileError:
    row, column = np.argwhere(heights == np.float32(value))[0].tolist()
    return MapFileError(
        f"has a height of {value:.9g} m in row {row + 1:,}, column {column + 1:,}; {why}. "
        f"If it stands for no data: gdal_translate -a_nodata {value:.9g} IN.tif OUT.tif"
    )
