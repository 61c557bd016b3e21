"""Rays against what stands: how far it is to the first wall in a direction.

A ray that begins inside something meets it at 0. What is outside of a map, or unknown in it, stops
no ray.
"""

import math
import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from shapely import Polygon

from movenv.terrain.cell_walk import direction, is_known, open_squares
from movenv.terrain.edge_rays import Outlines, edge_met, outlines_of
from movenv.terrain.features import NO_TERRAIN, WATER, Terrain
from movenv.terrain.grid_map import OCCUPIED
from movenv.terrain.grid_rays import cell_met, cells_met
from movenv.world.columns import F8, U1
from movenv.world.kernel import inline, kernel

CHUNK = 32_768
"""Rays that one thread casts at a time."""


class Scenery(NamedTuple):
    """What rays can meet, as kernels take it."""

    outlines: Outlines
    squares: U1
    """Of the map's cells that are not occupied, as of `open_squares`; empty without a map."""
    west: float
    south: float
    resolution: float


def scenery_of(terrain: Terrain, z: float = 0.0) -> Scenery:
    """What a ray at height z can meet; kept with the terrain for all who need the same.

    Obstacles that reach higher than z, but no water; and the map, which is of any height.
    """
    solid = [o for o in terrain.obstacles if o.kind not in WATER]
    key = ("scenery", sum(o.height > z for o in solid))
    if key not in terrain.drawn:
        grounds = [o.ground for o in solid if o.height > z]
        terrain.drawn[key] = scenery_on(grounds, terrain)
    found: Scenery = terrain.drawn[key]
    return found


def scenery_on(grounds: list[Polygon], terrain: Terrain = NO_TERRAIN) -> Scenery:
    """What stands on these grounds, and on the map of a terrain."""
    outlines = outlines_of(grounds)
    grid = terrain.grid
    if grid is None:
        return Scenery(outlines, np.empty((4, 0, 0), np.uint8), 0.0, 0.0, 1.0)
    if "squares" not in terrain.drawn:
        terrain.drawn["squares"] = open_squares(grid.cells == OCCUPIED)
    squares = terrain.drawn["squares"]
    return Scenery(outlines, squares, grid.west, grid.south, grid.resolution)


@inline
def cast_toward(scenery, x, y, cos, sin, most):  # type: ignore[no-untyped-def]
    """The same as `cast`, in a direction that is known from a place that is."""
    most = most if most >= 0.0 else -1.0
    best = math.inf
    if scenery.squares.size:
        best = cell_met(
            scenery.squares, scenery.west, scenery.south, scenery.resolution, x, y, cos, sin, most
        )
    walls = scenery.outlines
    if len(walls.edges):
        met = edge_met(
            walls.first, walls.edges, walls.squares, walls.within, walls.west, walls.south,
            walls.cell, x, y, cos, sin, min(best, most),
        )  # fmt: skip
        best = min(best, met)
    return best


@kernel
def cast(scenery, x, y, angle, most):  # type: ignore[no-untyped-def]
    """How far a ray goes from a place in a direction until it meets something; inf beyond `most`.

    0 from inside of it; nan where the place or the angle is nan or infinite, or the angle above a
    million. Where `most` is nan or below 0 nothing is met.
    """
    if not is_known(x, y, angle):
        return math.nan
    sin, cos = direction(angle)
    return cast_toward(scenery, x, y, cos, sin, most)


@kernel
def cast_into(scenery, x, y, angle, most, far):  # type: ignore[no-untyped-def]
    """The same for many rays, arrays of equal length, into `far`."""
    far[:] = math.inf
    most = most if most >= 0.0 else -1.0
    if scenery.squares.size:
        cells_met(
            scenery.squares, scenery.west, scenery.south, scenery.resolution,
            x, y, angle, most, far,
        )  # fmt: skip
    walls = scenery.outlines
    if len(walls.edges):
        first, edges, squares, within = walls.first, walls.edges, walls.squares, walls.within
        for k in range(len(x)):
            sin, cos = direction(angle[k])
            met = edge_met(
                first, edges, squares, within, walls.west, walls.south, walls.cell,
                x[k], y[k], cos, sin, min(far[k], most),
            )  # fmt: skip
            far[k] = min(far[k], met)
    for k in range(len(x)):
        far[k] = far[k] if is_known(x[k], y[k], angle[k]) else math.nan


@kernel
def cast_many(scenery, x, y, angle, most):  # type: ignore[no-untyped-def]
    """The same, returned."""
    far = np.empty(len(x))
    cast_into(scenery, x, y, angle, most, far)
    return far


def cast_all(scenery: Scenery, x: F8, y: F8, angle: F8, most: float) -> F8:
    """The same on all processors; worth it from some 100,000 rays on."""
    far: F8 = np.empty(len(x))
    threads = os.process_cpu_count() if hasattr(os, "process_cpu_count") else os.cpu_count()

    def part(low: int) -> None:
        rays = slice(low, low + CHUNK)
        cast_into(scenery, x[rays], y[rays], angle[rays], most, far[rays])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(part, range(0, len(x), CHUNK)))
    return far
