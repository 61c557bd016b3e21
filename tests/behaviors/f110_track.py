"""The shipped map, scans of it, and a car that drives on it: for tests of who lives on scans."""

from importlib.resources import files

import numpy as np

from movenv.terrain.features import Terrain
from movenv.terrain.grid_map import FREE, OCCUPIED, UNKNOWN, GridMap
from movenv.terrain.rays import cast_many, scenery_of
from movenv.world.columns import F8
from movenv.world.sensor import ScanLayout

MAPS = files("movenv.scenario") / "shipped" / "maps"
HOKUYO = ScanLayout(1080, np.radians(-135), np.radians(0.25), 0.0, 0.025, 0.06, 10.0)
NOISE = 0.02
"""Of a range, m."""


def track() -> GridMap:
    """The shipped map, read by hand."""
    magic, size, _most, pixels = (MAPS / "f110-track.pgm").read_bytes().split(b"\n", 3)
    assert magic == b"P5"
    columns, rows = map(int, size.split())
    grey = np.frombuffer(pixels, np.uint8).reshape(rows, columns)[::-1]
    cells = np.where(grey == 254, FREE, np.where(grey == 0, OCCUPIED, UNKNOWN)).astype(np.uint8)
    return GridMap(cells, 0.05, -12.0, -8.0)


class Scanner:
    """Scans of a map with noise."""

    def __init__(self, grid: GridMap, seed: int = 1) -> None:
        self._scenery = scenery_of(Terrain(grid=grid))
        self._random = np.random.default_rng(seed)

    def scan(self, x: float, y: float, yaw: float) -> F8:
        """(1, beams) from a pose, with motion left out."""
        angles = yaw + HOKUYO.angle_min + HOKUYO.angle_increment * np.arange(HOKUYO.beams)
        here = [np.full(HOKUYO.beams, place) for place in (x, y)]
        ranges: F8 = cast_many(self._scenery, *here, angles, HOKUYO.range_max)
        return (ranges + self._random.normal(0.0, NOISE, HOKUYO.beams))[None]
