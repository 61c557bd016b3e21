"""Areas: polygons on the ground, convex or concave, with an optional floor and ceiling."""

import math
from dataclasses import dataclass

import numpy as np
from shapely import Polygon
from shapely.validation import explain_validity

from movenv.world.columns import F8, Mask, Rows, read_only
from movenv.world.kernel import inline, kernel


@dataclass(frozen=True)
class Area:
    """A simple polygon (vertices (n, 2), local metres) between two heights."""

    name: str
    vertices: F8
    floor: float = -math.inf
    ceiling: float = math.inf

    def __post_init__(self) -> None:
        polygon = Polygon(self.vertices)
        if not polygon.is_valid:
            raise ValueError(
                f"area '{self.name}' is not a simple polygon: {explain_validity(polygon)}"
            )
        if polygon.area <= 0:
            raise ValueError(f"area '{self.name}' has no surface")

    @property
    def bounds(self) -> tuple[F8, F8]:
        """Lower left and upper right corner."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    def contains(self, x: F8, y: F8) -> Mask:
        inside, _, _ = AreaSet([self]).nearest(np.zeros(len(x), np.intp), x, y)
        return inside


@inline
def _contains(corner_x, corner_y, low, high, x, y):  # type: ignore[no-untyped-def]
    """Whether a ray to the right crosses the edges an odd number of times."""
    within = False
    k = high - 1
    for j in range(low, high):
        ax, ay, bx, by = corner_x[k], corner_y[k], corner_x[j], corner_y[j]
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            within = not within
        k = j
    return within


@inline
def _nearest_of_edge(corner_x, corner_y, low, high, x, y):  # type: ignore[no-untyped-def]
    best, best_x, best_y = math.inf, x, y
    k = high - 1
    for j in range(low, high):
        ax, ay = corner_x[k], corner_y[k]
        ex, ey = corner_x[j] - ax, corner_y[j] - ay
        along = ((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey)
        along = min(max(along, 0.0), 1.0)
        px, py = ax + along * ex, ay + along * ey
        square = (px - x) ** 2 + (py - y) ** 2
        if square < best:
            best, best_x, best_y = square, px, py
        k = j
    return best_x, best_y


@kernel
def _nearest(first, corner_x, corner_y, area, x, y, inside, near_x, near_y):  # type: ignore[no-untyped-def]
    for i in range(len(x)):
        low, high = first[area[i]], first[area[i] + 1]
        inside[i] = _contains(corner_x, corner_y, low, high, x[i], y[i])
        near_x[i], near_y[i] = x[i], y[i]
        if not inside[i]:
            near_x[i], near_y[i] = _nearest_of_edge(corner_x, corner_y, low, high, x[i], y[i])


class AreaSet:
    """Several areas, ready to be asked for many vehicles at once."""

    def __init__(self, areas: list[Area]) -> None:
        counts = [len(area.vertices) for area in areas]
        self._first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        corners = np.concatenate([area.vertices for area in areas])
        self._x, self._y = np.ascontiguousarray(corners.T)
        self.floor = np.array([area.floor for area in areas])
        self.ceiling = np.array([area.ceiling for area in areas])

    def nearest(self, area: Rows, x: F8, y: F8) -> tuple[Mask, F8, F8]:
        """Whether each point is inside its area, and the nearest point that is."""
        inside = np.empty(len(x), np.bool_)
        near_x, near_y = np.empty(len(x)), np.empty(len(x))
        x, y = read_only(x), read_only(y)  # one compiled version, whoever asks
        _nearest(self._first, self._x, self._y, area, x, y, inside, near_x, near_y)
        return inside, near_x, near_y
