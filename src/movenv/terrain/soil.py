"""What the ground is like to drive on, for many places at once."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from movenv.terrain.edge_grid import I4, column_of, edge_grid, polygon_edges
from movenv.terrain.features import Crossing, Road, SoilPatch, Terrain
from movenv.terrain.height_map import Materials
from movenv.terrain.outlines import lane_clearance
from movenv.world.columns import F8, read_only
from movenv.world.kernel import inline, kernel

MOST_CELLS = 1_000_000
NARROWEST = 10.0
"""Cells are no narrower than this, m."""
MIDDLE = 0.4871
"""Where in a cell its middle is taken to be: off any line that edges are likely to lie on."""


class Soil(NamedTuple):
    """How well a vehicle drives on it, against dry asphalt."""

    mobility: float
    """Share of the usual speed and acceleration that is kept, above 0."""
    grip: float
    """Share of the usual braking."""


# Grip: the peak adhesion of tyres that textbooks on ground vehicles give, over the 0.85 of dry
# asphalt: gravel 0.6, dry earth 0.68, wet earth 0.5, packed snow 0.2, ice 0.1. Mobility: rounded
# from what wheeled and tracked vehicles keep of their road speed across country. Both are only
# an order of magnitude; a scenario that knows better says so in its own `soils`.
SOILS: Mapping[str, Soil] = MappingProxyType(
    {
        "hard": Soil(1.0, 1.0),
        "gravel": Soil(0.9, 0.7),
        "grass": Soil(0.75, 0.7),
        "scrub": Soil(0.5, 0.7),
        "sand": Soil(0.5, 0.6),
        "mud": Soil(0.3, 0.4),
        "snow": Soil(0.4, 0.25),
        "ice": Soil(0.4, 0.12),
        "shallows": Soil(0.4, 0.6),
    }
)
"""Soils that need no description."""


def soil_of(terrain: Terrain) -> "SoilMap":
    """The soils of a terrain, which all share who ask for them."""
    if SoilMap not in terrain.drawn:
        terrain.drawn[SoilMap] = SoilMap(terrain)
    found: SoilMap = terrain.drawn[SoilMap]
    return found


class SoilMap:
    """The mobility and grip of every place of a terrain, exact to the edges of its features.

    The materials of the relief lie lowest, then soils, roads on them, crossings on top; of soils
    that overlap the last counts.
    """

    def __init__(self, terrain: Terrain) -> None:
        layers: tuple[SoilPatch | Road | Crossing, ...] = (
            *terrain.soils,
            *terrain.roads,
            *terrain.crossings,
        )
        self._usual = Soil(terrain.mobility, terrain.grip)
        soils = [Soil(layer.mobility, layer.grip) for layer in layers]
        self._relief = terrain.relief
        if self._materials is not None:
            soils += [Soil(*soil) for soil in self._materials.soils.T.tolist()]
        self.uniform = all(soil == self._usual for soil in soils)
        """Whether it is the same everywhere."""
        # One more at the end: row -1, for places that no layer covers.
        self._values: F8 = np.array([*soils, self._usual], float).T.copy()
        lanes = [lane_clearance(crossing) for crossing in terrain.crossings]
        self._layers = len(layers)
        self._beside: F8 = np.full(len(soils) + 1, np.inf)
        self._beside[len(layers) - len(lanes) : len(layers)] = lanes
        edges, owner = polygon_edges([layer.ground for layer in layers])
        cell = max(NARROWEST, 1.01 * float(np.sqrt(_extent(edges) / MOST_CELLS)))
        self._grid = edge_grid(edges, cell, MOST_CELLS)
        self._owner = owner
        self._covers = np.full(self._grid.columns * self._grid.rows, -1, np.int32)
        self._middle_in = np.zeros(len(self._grid.items), np.bool_)
        if len(edges):
            first = np.searchsorted(owner, np.arange(len(layers) + 1)).astype(np.int32)
            _fill(first, owner, self._covers, self._middle_in, self._grid)

    def at(self, x: F8, y: F8) -> tuple[F8, F8]:
        """Mobility and grip at each place."""
        if self.uniform:
            return np.full(len(x), self._usual.mobility), np.full(len(x), self._usual.grip)
        layer = self.layer(x, y)
        mobility, grip = self._values
        return mobility[layer], grip[layer]

    def under(self, x: F8, y: F8) -> tuple[F8, F8]:
        """Grip at each place, and how near to its edges a crossing there is used, m; else inf."""
        if self.uniform and np.isinf(self._beside).all():
            return np.full(len(x), self._usual.grip), np.full(len(x), np.inf)
        layer = self.layer(x, y)
        return self._values[1, layer], self._beside[layer]

    def layer(self, x: F8, y: F8) -> I4:
        """The number of the layer that counts at each place, -1 for none.

        Materials have the numbers after the last of the others.
        """
        layer = np.empty(len(x), np.int32)
        places = read_only(x), read_only(y)
        _look_up(*places, layer, self._owner, self._covers, self._middle_in, self._grid)
        if self._materials is not None and self._relief is not None:
            west, south, _, _ = self._relief.bounds
            per_cell = 1.0 / self._relief.cell
            _look_up_materials(*places, west, south, per_cell, self._materials.kinds, self._layers,
                               layer)  # fmt: skip
        return layer

    @property
    def _materials(self) -> Materials | None:
        return None if self._relief is None else self._relief.materials


def _extent(edges: F8) -> float:
    """The surface of the box around them, m²."""
    if not len(edges):
        return 0.0
    corners = edges.reshape(-1, 2)
    wide, high = corners.max(axis=0) - corners.min(axis=0)
    return float(wide * high)


@kernel
def _fill(first, owner, covers, middle_in, grid):  # type: ignore[no-untyped-def]
    """For each layer, the cells whose middles it holds.

    Where none of its edges come near, it covers the cell; else the cell remembers, with its edges.
    """
    ax, ay, bx, by, west, south, cell, columns, rows, begin, items = grid
    flips = np.zeros((rows, columns + 1), np.bool_)
    for layer in range(len(first) - 1):
        low, high = first[layer], first[layer + 1]
        if low == high:
            continue
        top, bottom = 0, rows - 1
        for e in range(low, high):
            j0 = column_of(min(ay[e], by[e]), south, cell, rows)
            j1 = column_of(max(ay[e], by[e]), south, cell, rows)
            top, bottom = max(top, j1), min(bottom, j0)
            for j in range(j0, j1 + 1):
                y = south + (j + MIDDLE) * cell
                if (ay[e] > y) != (by[e] > y):
                    x = ax[e] + (bx[e] - ax[e]) * (y - ay[e]) / (by[e] - ay[e])
                    # The first column whose middle is not left of the edge.
                    i = min(max(math.ceil((x - west) / cell - MIDDLE), 0), columns)
                    flips[j, i] = not flips[j, i]
        for j in range(bottom, top + 1):
            within = False
            for i in range(columns):
                if flips[j, i]:
                    within = not within
                    flips[j, i] = False
                if within:
                    c = j * columns + i
                    near = False
                    for k in range(begin[c], begin[c + 1]):
                        if owner[items[k]] == layer:
                            middle_in[k] = near = True
                    if not near:
                        covers[c] = layer
            flips[j, columns] = False


@inline
def _crosses(ax, ay, bx, by, x, y, middle_x, middle_y):  # type: ignore[no-untyped-def]
    """Whether an edge is crossed on the way to the middle: level first, then straight up."""
    crossed = False
    if (ay > y) != (by > y):
        at = ax + (bx - ax) * (y - ay) / (by - ay)
        crossed = (at > x) != (at > middle_x)
    if (ax > middle_x) != (bx > middle_x):
        at = ay + (by - ay) * (middle_x - ax) / (bx - ax)
        crossed ^= (at > y) != (at > middle_y)
    return crossed


@kernel
def _look_up(x, y, layer, owner, covers, middle_in, grid):  # type: ignore[no-untyped-def]
    ax, ay, bx, by, west, south, cell, columns, rows, begin, items = grid
    for v in range(len(x)):
        layer[v] = -1
        i = math.floor((x[v] - west) / cell)
        j = math.floor((y[v] - south) / cell)
        if not (0 <= i < columns and 0 <= j < rows):
            continue
        c = j * columns + i
        best = covers[c]
        middle_x, middle_y = west + (i + MIDDLE) * cell, south + (j + MIDDLE) * cell
        k = begin[c]
        while k < begin[c + 1]:
            mine = owner[items[k]]
            within = middle_in[k]
            while k < begin[c + 1] and owner[items[k]] == mine:  # edges of one layer adjoin
                e = items[k]
                within ^= _crosses(ax[e], ay[e], bx[e], by[e], x[v], y[v], middle_x, middle_y)
                k += 1
            if within and mine > best:
                best = mine
        layer[v] = best


@kernel
def _look_up_materials(x, y, west, south, per_cell, kinds, first, layer):  # type: ignore[no-untyped-def]
    """Where no layer lies: the material of the cell there, numbered from `first` on."""
    rows, columns = kinds.shape
    for v in range(len(x)):
        if layer[v] < 0:
            i, j = math.floor((x[v] - west) * per_cell), math.floor((y[v] - south) * per_cell)
            if 0 <= i < columns and 0 <= j < rows:
                layer[v] = first + kinds[j, i]
