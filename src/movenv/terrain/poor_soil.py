"""Where the ground holds worse than usual, and how far from there places are."""

import math

import numpy as np
import shapely

from movenv.terrain.edge_grid import column_of, edge_grid, polygon_edges
from movenv.terrain.features import Crossing, Road, SoilPatch, Terrain
from movenv.terrain.material_patches import poor_materials
from movenv.terrain.soil import SoilMap
from movenv.world.columns import F8, read_only
from movenv.world.kernel import kernel

CELL = 50.0
"""Side of the cells in which edges of patches are looked up, m."""


def poor_soil_of(terrain: Terrain) -> "PoorSoil":
    """The poor soil of a terrain, which all share who ask for it."""
    if PoorSoil not in terrain.drawn:
        terrain.drawn[PoorSoil] = PoorSoil(terrain)
    found: PoorSoil = terrain.drawn[PoorSoil]
    return found


class PoorSoil:
    """All materials, patches, roads and crossings that hold worse than a terrain's usual ground.

    A patch counts even where a road leads over it: who leaves the road is on it.
    """

    def __init__(self, terrain: Terrain) -> None:
        layers: tuple[SoilPatch | Road | Crossing, ...] = (
            *poor_materials(terrain),
            *terrain.soils,
            *terrain.roads,
            *terrain.crossings,
        )
        # Of those that overlap the last counts in a soil map: the poorest.
        poor = sorted((x for x in layers if x.grip < terrain.grip), key=lambda x: -x.grip)
        self.grips: F8 = np.unique([layer.grip for layer in poor])
        """The different grips of it, the poorest first."""
        grounds = [layer.ground for layer in poor]
        patches = [
            SoilPatch("", ground, 1.0, layer.grip)
            for layer, ground in zip(poor, grounds, strict=True)
        ]
        self._under = SoilMap(Terrain(soils=tuple(patches), grip=terrain.grip))
        edges, owner = polygon_edges(grounds)
        level = np.searchsorted(self.grips, [layer.grip for layer in poor])
        self._level = level[owner].astype(np.int64)
        self._grid = edge_grid(edges, CELL)
        self._box = shapely.total_bounds(np.array(grounds, object)) if poor else np.full(4, np.nan)

    def far(self, x: F8, y: F8, within: F8) -> F8:
        """How far each place is from soil of each grip, m, (places, grips); inf if not `within`.

        Of soils that lie on each other the poorest counts. Places without number are far.
        """
        far = np.full((len(x), len(self.grips)), np.inf)
        west, south, east, north = self._box
        near = (x >= west - within) & (x <= east + within)
        near &= (y >= south - within) & (y <= north + within) & (within > 0.0)
        rows = np.flatnonzero(near)
        if not len(rows):
            return far
        x, y, found = x[rows], y[rows], far[rows]
        _nearest(read_only(x), read_only(y), within[rows], self._level, self._grid, found)
        under = self._under.at(x, y)[1]
        found[under[:, None] == self.grips] = 0.0
        far[rows] = found
        return far


@kernel
def _nearest(x, y, within, level, grid, far):  # type: ignore[no-untyped-def]
    ax, ay, bx, by, west, south, cell, columns, rows, first, items = grid
    for v in range(len(x)):
        near = within[v]
        low_i = column_of(x[v] - near, west, cell, columns)
        high_i = column_of(x[v] + near, west, cell, columns)
        for j in range(
            column_of(y[v] - near, south, cell, rows),
            column_of(y[v] + near, south, cell, rows) + 1,
        ):
            for c in range(j * columns + low_i, j * columns + high_i + 1):
                for at in range(first[c], first[c + 1]):
                    e = items[at]
                    east, north = bx[e] - ax[e], by[e] - ay[e]
                    square = east * east + north * north
                    along = 0.0
                    if square > 0.0:
                        along = ((x[v] - ax[e]) * east + (y[v] - ay[e]) * north) / square
                        along = min(max(along, 0.0), 1.0)
                    to_x, to_y = ax[e] + along * east - x[v], ay[e] + along * north - y[v]
                    length = math.sqrt(to_x * to_x + to_y * to_y)
                    if length <= near and length < far[v, level[e]]:
                        far[v, level[e]] = length
