"""How high the ground is, and how steep, for many places at once."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from movenv.terrain.features import Terrain
from movenv.terrain.relief import Relief, plain, surfaces
from movenv.terrain.sight import sees
from movenv.world.columns import F8, Mask, read_only
from movenv.world.kernel import kernel

CHUNK = 65_536
"""Places that one thread looks up at a time; fewer are not worth a second thread."""
THREADS = os.cpu_count() or 1


def heights_of(terrain: Terrain) -> "Heights":
    """The heights of a terrain, which all share who ask for them."""
    if Heights not in terrain.drawn:
        terrain.drawn[Heights] = Heights(terrain)
    found: Heights = terrain.drawn[Heights]
    return found


class Heights:
    """A height map, or a plain at z 0, with hills on it.

    Each hill is height · (1 + cos(π r / R)) / 2 within its radius R.
    """

    def __init__(self, terrain: Terrain) -> None:
        tops: F8 = np.array(
            [[hill.x, hill.y, hill.height, hill.radius] for hill in terrain.hills], float
        ).reshape(-1, 4)
        ground = terrain.relief
        self.relief: Relief = plain(tops)
        if ground is not None:
            self.relief = Relief(ground.west, ground.south, ground.cell, ground.heights, tops)
        self._top = float(self.relief.heights.max() + np.maximum(tops[:, 2], 0.0).sum())
        self.level = terrain.level
        """Whether all of it is at z 0."""

    def at(self, x: F8, y: F8) -> F8:
        """z of the ground at each place, m."""
        z, _, _ = self._shape(x, y)
        return z

    def gradient(self, x: F8, y: F8) -> tuple[F8, F8]:
        """How fast the ground rises toward x and toward y at each place, m/m."""
        _, toward_x, toward_y = self._shape(x, y)
        return toward_x, toward_y

    def normals(self, x: F8, y: F8) -> F8:
        """The direction straight up from the ground at each place, (3, places), of length 1."""
        return self.with_normals(x, y)[1:]

    def with_normals(self, x: F8, y: F8) -> F8:
        """z of the ground and its normal at each place, (4, places)."""
        found = np.empty((4, len(x)))
        _in_threads(_with_normals, self.relief, x, y, found)
        return found

    def sees(self, here: F8, there: F8) -> Mask:
        """Whether the line from each place (x, y, z; columns are places) to the other is open."""
        x, y, z = here
        return sees(self.relief, x, y, z, there[0], there[1], there[2], self._top)

    def _shape(self, x: F8, y: F8) -> tuple[F8, F8, F8]:
        found = np.zeros((3, len(x)))
        if not self.level:
            _in_threads(surfaces, self.relief, x, y, found)
        return found[0], found[1], found[2]


def _in_threads(look_up: Callable[..., None], relief: Relief, x: F8, y: F8, found: F8) -> None:
    # Of whatever table they are a column: kernels are compiled for one kind of array.
    x, y = (read_only(np.ascontiguousarray(column)) for column in (x, y))
    if len(x) <= CHUNK:
        look_up(relief, x, y, found)
        return

    def part(low: int) -> None:
        some = slice(low, low + CHUNK)
        look_up(relief, x[some], y[some], found[:, some])

    list(_pool().map(part, range(0, len(x), CHUNK)))


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, "heights")


@kernel
def _with_normals(relief, x, y, found):  # type: ignore[no-untyped-def]
    surfaces(relief, x, y, found)
    for v in range(len(x)):
        toward_x, toward_y = found[1, v], found[2, v]
        up = 1.0 / np.sqrt(1.0 + toward_x * toward_x + toward_y * toward_y)
        found[1, v], found[2, v], found[3, v] = -toward_x * up, -toward_y * up, up
