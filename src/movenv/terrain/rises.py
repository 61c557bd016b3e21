"""What stands on a height map: buildings, walls, poles, made out by how they rise; and waters.

Neighbouring cells belong together unless one is more than a step above the other: 1 m, or as much
as a cell is wide where that is more, for what is less steep is a slope. A piece that rises out of
what lies around it stands; what others stand on is ground, and so is what lies in a pit.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray
from shapely import Polygon

from movenv.terrain.cell_outlines import Labels, region_outlines
from movenv.terrain.height_map import HeightMap
from movenv.terrain.map_image import MapFileError
from movenv.world.columns import F4, F8, Mask
from movenv.world.kernel import inline, kernel

LEAST_RISE = 1.0
"""What rises by no more than this is ground, m."""
ROUNDING = 1e-4
"""Of heights that are written as grey values, m."""
THIN = 2.0
"""What is no wider than this, and higher than wide, is a tower: a pole, m."""
LARGE = 0.1
"""What covers this share of the map and reaches its edge is ground: a terrace."""
MOST_PIECES = 500_000
MOST_STANDING = 50_000
WATER_LEVEL, WADED = 0.0, 0.3
"""z of still water, and how deep it may be for feet and wheels, m."""
BASELINE = 5.0
"""Slopes are measured over this length, so that kerbs are none, m."""


class Rise(NamedTuple):
    """Something that stands on a height map, or water in it."""

    kind: str
    ground: Polygon
    """What it covers, in local metres."""
    top: float
    """To what z it reaches, m."""


class Found(NamedTuple):
    rises: list[Rise]
    steepest: float
    """The steepest slope between them, m/m."""


def find_rises(relief: HeightMap, raised: F4 | None = None) -> Found:
    """What stands on a map. Raises MapFileError for one that is all ups and downs.

    `raised` are its heights with hills on it, where there are some: what stands is lifted by them.
    """
    step = max(LEAST_RISE, relief.cell) + ROUNDING
    labels, pieces = _pieces(relief.heights, step)
    if pieces > MOST_PIECES:
        raise MapFileError(
            f"falls into {pieces:,} pieces with steps of more than {step:.2g} m between them: "
            "is it a height map, and are black, white and cell right?"
        )
    standing = _standing(relief.heights, labels, pieces)[labels]
    steepest = _steepest(np.where(standing, np.float32(np.nan), relief.heights), relief.cell)
    if not standing.any():
        return Found([], steepest)
    regions, count = scipy.ndimage.label(standing)
    if count > MOST_STANDING:
        raise MapFileError(f"has {count:,} buildings and poles; {MOST_STANDING:,} are the most")
    own_tops = _tops(relief.heights, regions, count)
    tops = own_tops if raised is None else _tops(raised, regions, count)
    grounds, boxes = region_outlines(regions, relief), scipy.ndimage.find_objects(regions)
    rises = [
        Rise("tower" if _is_thin(box, own_top, relief) else "building", ground, top)
        for ground, own_top, top, box in zip(grounds, own_tops, tops, boxes, strict=True)
    ]
    return Found(rises, steepest)


def _tops(heights: F4, regions: Labels, count: int) -> list[float]:
    found = np.full(count + 1, -np.inf)
    standing = regions > 0
    np.maximum.at(found, regions[standing], heights[standing])
    tops: list[float] = found[1:].tolist()
    return tops


def find_waters(relief: HeightMap) -> list[Rise]:
    """Where water stands above a map's bed, too deep to wade. Raises MapFileError for puddles."""
    regions, count = scipy.ndimage.label(relief.heights < WATER_LEVEL - WADED)
    if count > MOST_STANDING:
        raise MapFileError(f"has {count:,} waters; {MOST_STANDING:,} are the most")
    grounds = region_outlines(regions, relief) if count else []
    return [Rise("lake", ground, WATER_LEVEL) for ground in grounds]


def _pieces(heights: F4, step: float) -> tuple[Labels, int]:
    """The number of the piece that each cell belongs to, and how many there are."""
    parents = np.arange(heights.size, dtype=np.int32)
    count = _join(heights, np.float32(step), parents)
    return parents.reshape(heights.shape), count


@inline
def _root(parents, k):  # type: ignore[no-untyped-def]
    while parents[k] != k:
        parents[k] = parents[parents[k]]
        k = parents[k]
    return k


@kernel
def _join(heights, step, parents):  # type: ignore[no-untyped-def]
    """Make `parents` the pieces' numbers, from 0 on; returns how many."""
    rows, columns = heights.shape
    for j in range(rows):
        for i in range(columns):
            here = j * columns + i
            if i and abs(heights[j, i] - heights[j, i - 1]) <= step:
                a, b = _root(parents, here), _root(parents, here - 1)
                parents[max(a, b)] = min(a, b)
            if j and abs(heights[j, i] - heights[j - 1, i]) <= step:
                a, b = _root(parents, here), _root(parents, here - columns)
                parents[max(a, b)] = min(a, b)
    count = 0
    for k in range(len(parents)):  # a root comes before all others of its piece
        if parents[k] == k:
            parents[k] = -1 - count
            count += 1
        else:
            parents[k] = parents[parents[k]]
    for k in range(len(parents)):
        parents[k] = -1 - parents[k]
    return count


def _standing(heights: F4, labels: Labels, pieces: int) -> Mask:
    """Which pieces stand: higher than one around them, and not below ground around them."""
    here, there, rise = _borders(heights, labels, pieces)
    boxes = _boxes(labels)
    low, high = boxes[:, here], boxes[:, there]
    # Whatever lies within a piece's box is in it or on it, not around it.
    around = (high[:2] < low[:2]).any(axis=0) | (high[2:] > low[2:]).any(axis=0)
    rises_above = np.zeros(pieces, np.bool_)
    rises_above[here[around & (rise > 0)]] = True
    rows, columns = labels.shape
    on_edge = (boxes[:2] == 0).any(axis=0) | (boxes[2] == rows) | (boxes[3] == columns)
    large = np.bincount(labels.ravel(), minlength=pieces) >= LARGE * labels.size
    ground = ~rises_above | (on_edge & large)
    below_ground = np.zeros(pieces, np.bool_)
    below_ground[here[around & (rise < 0) & ground[there]]] = True
    standing: Mask = ~ground & ~below_ground
    return standing


def _borders(heights: F4, labels: Labels, pieces: int) -> tuple[Labels, Labels, F8]:
    """Each two pieces that touch, both ways, and how much higher the first is on the average."""
    found = []
    for one, other in (
        (np.s_[:, 1:], np.s_[:, :-1]),
        (np.s_[1:], np.s_[:-1]),
    ):
        apart = np.nonzero(labels[one] != labels[other])
        rise = heights[one][apart].astype(float) - heights[other][apart]
        pair = labels[one][apart].astype(np.int64), labels[other][apart].astype(np.int64)
        found += [(*pair, rise), (*reversed(pair), -rise)]
    here, there, rise = (np.concatenate(columns) for columns in zip(*found, strict=True))
    key, number = np.unique(here * pieces + there, return_inverse=True)
    mean = np.bincount(number, rise, len(key)) / np.bincount(number, minlength=len(key))
    return (key // pieces).astype(np.int32), (key % pieces).astype(np.int32), mean


def _boxes(labels: Labels) -> NDArray[np.int64]:
    """(4, pieces): first row and column of each piece, and those after its last."""
    found = scipy.ndimage.find_objects(labels + 1)
    return np.array([(j.start, i.start, j.stop, i.stop) for j, i in found], np.int64).T


def _steepest(ground: F4, cell: float) -> float:
    steepest = []
    for axis in (0, 1):
        over = min(max(round(BASELINE / cell), 1), ground.shape[axis] - 1)
        along = np.moveaxis(ground, axis, 0)
        # fmax passes over cells that are no ground, which are nan.
        rise = float(np.fmax.reduce(np.abs(along[over:] - along[:-over]), axis=None))
        steepest.append(rise / (over * cell) if math.isfinite(rise) else 0.0)
    return math.hypot(*steepest)


def _is_thin(box: tuple[slice, slice], top: float, relief: HeightMap) -> bool:
    """`box` is the rows and columns that it lies in."""
    wide = max(side.stop - side.start for side in box) * relief.cell
    around = tuple(slice(max(side.start - 1, 0), side.stop + 1) for side in box)
    foot = float(relief.heights[around].min())
    return bool(wide <= THIN and top - foot > wide)
