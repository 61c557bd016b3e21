"""Outlines of regions of a height map's cells."""

from typing import TypeAlias

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from movenv.terrain.height_map import HeightMap

Labels: TypeAlias = NDArray[np.int32]
"""(rows, columns): the number of the region that each cell belongs to."""


def region_outlines(regions: Labels, relief: HeightMap) -> list[Polygon]:
    """What the regions from 1 on cover, in local metres; each in one piece. 0 is no region."""
    region, box = _rectangles(regions)
    west, south, _, _ = relief.bounds
    first = np.searchsorted(region, np.arange(1, regions.max() + 2))
    corners = box * relief.cell + np.array([west, south, west, south])
    boxes = shapely.box(*corners.T)
    merged = [
        boxes[low] if high == low + 1 else shapely.union_all(boxes[low:high])
        for low, high in zip(first[:-1].tolist(), first[1:].tolist(), strict=True)
    ]
    found: list[Polygon] = shapely.simplify(np.array(merged, object), 0.0).tolist()
    return found


def _rectangles(regions: Labels) -> tuple[Labels, NDArray[np.int64]]:
    """Rectangles of cells that make up the regions, in their order: the region of each, and its
    west, south, east and north edge (rectangles, 4) in cells."""
    padded = np.pad(regions, ((0, 0), (1, 1)))
    rows, begins = np.nonzero((padded[:, 1:-1] != padded[:, :-2]) & (regions > 0))
    _, ends = np.nonzero((padded[:, 1:-1] != padded[:, 2:]) & (regions > 0))
    region = regions[rows, begins]
    order = np.lexsort((rows, ends, begins, region))
    region, rows, begins, ends = region[order], rows[order], begins[order], ends[order] + 1
    goes_on = (
        (np.diff(region) == 0)
        & (np.diff(begins) == 0)
        & (np.diff(ends) == 0)
        & (np.diff(rows) == 1)
    )
    first = np.flatnonzero(np.concatenate([[True], ~goes_on]))
    last = np.concatenate([first[1:], [len(rows)]]) - 1
    return region[first], np.column_stack([begins[first], rows[first], ends[first], rows[last] + 1])
