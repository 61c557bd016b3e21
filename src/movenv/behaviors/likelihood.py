"""How well a point of a scan fits a map: likely near the edge of something, unlikely elsewhere."""

from typing import NamedTuple

import numpy as np
import scipy

from movenv.terrain.grid_map import FREE, OCCUPIED, GridMap
from movenv.world.columns import F4, F8

SPREAD, OF_A_CELL = 0.08, 0.4
"""Standard deviation of a scan's points about the map: noise, and what pose errors at both ends of
a beam do, m; and at least this share of a cell, for edges are told no finer."""
CLOSE, OF_A_CELL_CLOSE = 0.15, 0.6
"""A beam that ends so near to an edge of the map is explained by it, m; and at least so much of a
cell, whose middle may be half of one away."""
STRAY = 0.1
"""The share of beams that meet what is on no map, evenly anywhere."""


class Field(NamedTuple):
    """Tables over the cells of a map, as kernels take them; row 0 is the southernmost."""

    fit: F4
    """Logarithm of how likely a point here is, 0 on an edge."""
    far: F4
    """To the nearest edge of something occupied, m; below 0 in cells that are not free."""
    west: float
    south: float
    resolution: float
    worst: float
    """What `fit` is beyond the map."""
    close: float
    """A beam that ends no farther from an edge than this is explained by the map, m."""


def field_of(grid: GridMap) -> Field:
    """Tables of a map; unknown cells are as free ones to beams."""
    far = edge_distance(grid)
    spread = max(SPREAD, OF_A_CELL * grid.resolution)
    hit = (1.0 - STRAY) * np.exp(-0.5 * (far / spread) ** 2)
    fit = np.log(hit + STRAY).astype(np.float32)
    signed = np.where(grid.cells == FREE, far, -far).astype(np.float32)
    close = max(CLOSE, OF_A_CELL_CLOSE * grid.resolution)
    worst = float(np.log(STRAY))
    return Field(fit, signed, grid.west, grid.south, grid.resolution, worst, close)


def edge_distance(grid: GridMap) -> F8:
    """How far it is from the middle of each cell to the nearest edge of an occupied one, m.

    Beams end on edges, so that a point well inside a wall is as wrong as one before it.
    """
    solid = grid.cells == OCCUPIED
    if not solid.any():
        return np.full(grid.cells.shape, np.inf)
    outside = scipy.ndimage.distance_transform_edt(~solid)
    inside = np.full(solid.shape, np.inf)
    if not solid.all():
        inside = scipy.ndimage.distance_transform_edt(solid)
    cells: F8 = np.where(solid, inside, outside) - 0.5
    return cells * grid.resolution


def free_places(grid: GridMap) -> F8:
    """The middles (2, n) of the cells that are free, m."""
    rows, columns = np.nonzero(grid.cells == FREE)
    places: F8 = np.array(
        [
            grid.west + (columns + 0.5) * grid.resolution,
            grid.south + (rows + 0.5) * grid.resolution,
        ]
    )
    return places
