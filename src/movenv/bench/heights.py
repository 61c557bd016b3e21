"""Heights and normals of the ground, for many places at once."""

import numpy as np
from scipy.ndimage import map_coordinates

from movenv.bench.cars import rolling_ground
from movenv.bench.measure import Row, best_time
from movenv.terrain.heights import heights_of
from movenv.world.columns import F4, F8

PLACES = 4_000_000


def measure(quick: bool) -> list[Row]:
    terrain, repeats = rolling_ground(), 3 if quick else 10
    heights = heights_of(terrain)
    chance = np.random.default_rng(3)
    x, y = chance.uniform(-99, 99, (2, PLACES))
    ours = best_time(lambda: heights.with_normals(x, y), repeats)
    few = slice(0, PLACES // 20)
    plain = best_time(lambda: plain_normals(heights.relief.heights, x[few], y[few]), repeats)
    return [
        Row("heights and normals at random places of a map of 200 m", PLACES / ours / 1e6,
            "million/s", 50.0, "higher", "SciPy's map_coordinates, three times",
            PLACES / 20 / plain / 1e6),
    ]  # fmt: skip


def plain_normals(heights: F4, x: F8, y: F8) -> F8:
    """z and normal as SciPy finds them: the surface there, and a little farther on."""
    near = 1e-3

    def at(x: F8, y: F8) -> F8:
        found: F8 = map_coordinates(heights, [(y + 100.0) / 0.5, (x + 100.0) / 0.5], order=1)
        return found

    z = at(x, y)
    east, north = (at(x + near, y) - z) / near, (at(x, y + near) - z) / near
    long = np.sqrt(1.0 + east * east + north * north)
    return np.array([z, -east / long, -north / long, 1.0 / long])
