"""How near buildings are, for those who receive what walls throw back."""

import numpy as np
import shapely

from movenv.terrain.features import Terrain
from movenv.world.columns import F8, Mask


class Buildings:
    """The buildings of a terrain, as far as their echoes reach."""

    def __init__(self, terrain: Terrain, reach: float) -> None:
        self._all = [o for o in terrain.obstacles if o.kind == "building"]
        self._reach = reach
        self._height = np.array([o.height for o in self._all])
        self._trees: dict[int, tuple[shapely.STRtree, np.ndarray]] = {}

    def around(self, place: F8) -> tuple[F8, F8, Mask]:
        """Of places (3, n): how near the nearest building is that rises above them, from 0, out of
        reach, to 1; in which direction it lies, (2, n); and who is inside one."""
        count = place.shape[1]
        near, toward, inside = np.zeros(count), np.zeros((2, count)), np.zeros(count, np.bool_)
        if not self._all or not count:
            return near, toward, inside
        ends = np.unique(self._height)
        level = np.searchsorted(ends, place[2], side="right")
        for number in np.unique(level[level < len(ends)]).tolist():
            rows = np.flatnonzero((level == number) & np.isfinite(place).all(axis=0))
            tree, grounds = self._tree(number, float(ends[number]))
            points = shapely.points(place[0, rows], place[1, rows])
            found, nearest = tree.query_nearest(
                points, max_distance=max(self._reach, 1e-9), all_matches=False
            )
            ends_of = shapely.get_coordinates(
                shapely.shortest_line(points[found], grounds[nearest])
            )
            way = (ends_of[1::2] - ends_of[::2]).T
            gap = np.hypot(*way)
            rows = rows[found]
            near[rows] = np.maximum(1.0 - gap / max(self._reach, 1e-9), 0.0)
            toward[:, rows] = way / np.maximum(gap, 1e-9)
            inside[rows] = gap == 0.0
        return near, toward, inside

    def _tree(self, level: int, height: float) -> tuple[shapely.STRtree, np.ndarray]:
        """Those that are at least so high."""
        if level not in self._trees:
            grounds = np.array([o.ground for o in self._all], object)[self._height >= height]
            self._trees[level] = shapely.STRtree(grounds), grounds
        return self._trees[level]
