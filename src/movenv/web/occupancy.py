"""The map of occupied cells as a feature, for the page to draw as an image."""

import math
from typing import Any

import numpy as np

from movenv.terrain.grid_map import FREE, OCCUPIED, UNKNOWN, GridMap
from movenv.web.cell_image import image_feature
from movenv.world.columns import U1
from movenv.world.frames import Frame

MOST = 4096
"""Cells on a side that a graphics card draws with ease; of larger maps some become one."""


def occupancy_feature(grid: GridMap, frame: Frame) -> dict[str, Any]:
    """Its outline and its cells, as of `image_feature`."""
    together = math.ceil(max(grid.cells.shape) / MOST)
    cells = coarser(grid.cells, together)
    size = grid.resolution * together
    return image_feature("map", cells, size, (grid.west, grid.south), frame)


def coarser(cells: U1, together: int) -> U1:
    """So many cells on a side become one: occupied where any is, else free where any is."""
    rows, columns = (-(-side // together) for side in cells.shape)
    padded = np.full((rows * together, columns * together), UNKNOWN, np.uint8)
    padded[: cells.shape[0], : cells.shape[1]] = cells
    blocks = padded.reshape(rows, together, columns, together)
    found: U1 = np.full((rows, columns), UNKNOWN, np.uint8)
    for meaning in (FREE, OCCUPIED):  # the last has the last word
        found[(blocks == meaning).any(axis=(1, 3))] = meaning
    return found
