"""Cells of the ground as a feature, for the page to draw as an image."""

import base64
import zlib
from typing import Any

import numpy as np

from movenv.world.columns import U1
from movenv.world.frames import Frame


def image_feature(
    kind: str, cells: U1, size: float, corner: tuple[float, float], frame: Frame
) -> dict[str, Any]:
    """Its outline, from the north-west clockwise, and its cells, packed: rows from the north.

    `size` is that of a cell, m; `corner` the south-western one, in local metres.
    """
    rows, columns = cells.shape
    west, south = corner
    east, north = west + columns * size, south + rows * size
    ring = np.array([[west, north], [east, north], [east, south], [west, south], [west, north]])
    lat, lon, _ = frame.to_geodetic(ring[:, 0], ring[:, 1])
    return {
        "type": "Feature",
        "geometry": {"type": "Polygon", "coordinates": [np.column_stack([lon, lat]).tolist()]},
        "properties": {
            "role": "terrain",
            "kind": kind,
            "rows": rows,
            "columns": columns,
            "cells": packed(cells),
        },
    }


def packed(cells: U1) -> str:
    """Compressed, as text; rows from the north."""
    raw = zlib.compress(np.ascontiguousarray(cells[::-1]).tobytes())
    return base64.b64encode(raw).decode("ascii")
