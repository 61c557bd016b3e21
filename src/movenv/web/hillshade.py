"""The height map as a feature: what its cells are made of, and how bright they are in a low sun."""

import math
from typing import Any

import numpy as np

from movenv.terrain.height_map import HeightMap
from movenv.terrain.soil import Soil
from movenv.web.cell_image import image_feature, packed
from movenv.web.soil_tones import tone_of
from movenv.world.columns import F4, U1
from movenv.world.frames import Frame

MOST = 1024
"""Cells on a side that are sent; of larger maps some become one."""
LIGHT = (-0.5, 0.5, math.sqrt(0.5))
"""Toward the sun: in the north-west, halfway up, as on paper maps."""
STEEPER = 2.0
"""Slopes are shaded as if they were so many times as steep, for most are gentle."""


def hillshade_feature(relief: HeightMap, frame: Frame) -> dict[str, Any]:
    """Its outline and, packed, the brightness of its cells from 0 to 255, as of `image_feature`.

    Where it says what it is made of, `soils` are the cells' numbers among its `tones`, packed too.
    """
    together = math.ceil(max(relief.heights.shape) / MOST)
    size = relief.cell * together
    west, south, _, _ = relief.bounds
    shade = shaded(averaged(relief.heights, together), size)
    feature = image_feature("relief", shade, size, (west, south), frame)
    if relief.materials is not None:
        soils = [Soil(*soil) for soil in relief.materials.soils.T.tolist()]
        feature["properties"]["tones"] = [tone_of(soil) for soil in soils]
        feature["properties"]["soils"] = packed(most_common(relief.materials.kinds, together))
    return feature


def averaged(heights: F4, together: int) -> F4:
    """So many cells on a side become one; those that reach over the edge go on as they end."""
    more = [(0, -side % together) for side in heights.shape]
    padded = np.pad(heights, more, mode="edge")
    rows, columns = (side // together for side in padded.shape)
    found: F4 = padded.reshape(rows, together, columns, together).mean(axis=(1, 3))
    return found


def most_common(kinds: U1, together: int) -> U1:
    """So many cells on a side become one, of the kind that most of them are."""
    more = [(0, -side % together) for side in kinds.shape]
    padded = np.pad(kinds, more, mode="edge")
    rows, columns = (side // together for side in padded.shape)
    blocks = padded.reshape(rows, together, columns, together)
    found: U1 = np.zeros((rows, columns), np.uint8)
    most = np.zeros((rows, columns), np.intp)
    for kind in np.unique(kinds).tolist():
        count = np.count_nonzero(blocks == kind, axis=(1, 3))
        found[count > most] = kind
        most = np.maximum(most, count)
    return found


def shaded(heights: F4, cell: float) -> U1:
    """How bright each cell is, 0 to 255: the cosine between its normal and the light."""
    rise: list[F4] = [
        np.gradient(heights, cell, axis=axis) * STEEPER if heights.shape[axis] > 1 else heights * 0
        for axis in (1, 0)
    ]
    east, north, up = LIGHT
    facing = (up - east * rise[0] - north * rise[1]) / np.sqrt(1 + rise[0] ** 2 + rise[1] ** 2)
    found: U1 = np.rint(255 * np.clip(facing, 0, 1)).astype(np.uint8)
    return found
