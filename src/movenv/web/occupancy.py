"""The map of occupied cells as a feature, for the page to draw as an image."""

import base64
import math
import zlib
from typing import Any

import numpy as np

from movenv.terrain.grid_map import FREE, OCCUPIED, UNKNOWN, GridMap
from movenv.world.columns import U1
from movenv.world.frames import Frame

MOST = 4096
"""Cells on a side that a graphics card draws with ease; of larger maps some become one."""


def occupancy_feature(grid: GridMap, frame: Frame) -> dict[str, Any]:
    """Its outline, from the north-west clockwise, and its cells, packed: rows from the north."""
    together = math.ceil(max(grid.cells.shape) / MOST)
    cells = coarser(grid.cells, together)
    rows, columns = cells.shape
    size = grid.resolution * together
    west, south = grid.west, grid.south
    east, north = west + columns * size, south + rows * size
    ring = np.array([[west, north], [east, north], [east, south], [west, south], [west, north]])
    lat, lon, _ = frame.to_geodetic(ring[:, 0], ring[:, 1])
    packed = base64.b64encode(zlib.compress(np.ascontiguousarray(cells[::-1]).tobytes()))
    return {
        "type": "Feature",
        "geometry": {"type": "Polygon", "coordinates": [np.column_stack([lon, lat]).tolist()]},
        "properties": {
            "role": "terrain",
            "kind": "map",
            "rows": rows,
            "columns": columns,
            "cells": packed.decode("ascii"),
        },
    }


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
