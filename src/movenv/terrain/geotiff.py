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
GREATEST = 20_000.0
"""No height on the globe is greater, m."""


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


def read_geotiff(raw: bytes) -> ElevationModel:
    """The elevation model in a file. Raises MapFileError."""
    heights, tags = read_pixels(raw)
    keys = _geo_keys(tags)
    if keys.get(VERTICAL_UNIT, METRE) != METRE:
        raise MapFileError(f"its heights are in unit {keys[VERTICAL_UNIT]}; expected metres (9001)")
    zone, south = _crs(keys)
    heights[heights == _no_data(tags)] = np.nan
    _check_heights(heights)
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
        return np.float32(str(said).strip("\0 "))
    except ValueError:
        raise MapFileError(f"its nodata value {str(said)[:20]!r} is no number") from None


def _check_heights(heights: F4) -> None:
    known = heights[np.isfinite(heights)]
    if not len(known):
        raise MapFileError("has no heights: all of them are nodata")
    for height in (float(known.min()), float(known.max())):
        if abs(height) > GREATEST:
            raise MapFileError(f"has a height of {height:g} m; is that its nodata value?")
