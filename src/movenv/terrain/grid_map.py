"""Maps of occupied cells, as ROS has them."""

import math
from dataclasses import dataclass

import numpy as np

from movenv.world.columns import U1

FREE, OCCUPIED, UNKNOWN = range(3)


@dataclass(frozen=True, eq=False)
class GridMap:
    """Cells of a map; cell (row, column) covers x from west + column·resolution and y from
    south + row·resolution, in local metres."""

    cells: U1
    """(rows, columns) of FREE, OCCUPIED or UNKNOWN; row 0 is the southernmost."""
    resolution: float
    west: float
    south: float

    def is_occupied(self, x: float, y: float, gap: float = 0.0) -> bool:
        """Whether a place lies in an occupied cell or on its edge, or within a gap of one, m."""
        # In cells, from the corner of the map.
        row, column = (y - self.south) / self.resolution, (x - self.west) / self.resolution
        reach = gap / self.resolution
        if not math.isfinite(row + column + reach):
            return False
        around = [
            slice(*(min(max(edge, 0), count) for edge in _cells_about(at, reach)))
            for at, count in zip((row, column), self.cells.shape, strict=True)
        ]
        rows, columns = np.nonzero(self.cells[around[0], around[1]] == OCCUPIED)
        up = np.abs(row - (rows + around[0].start + 0.5)) - 0.5
        across = np.abs(column - (columns + around[1].start + 0.5)) - 0.5
        far = np.hypot(np.maximum(up, 0.0), np.maximum(across, 0.0))
        return bool((far <= reach).any())


def _cells_about(at: float, reach: float) -> tuple[int, int]:
    """The first cell that comes within reach, and the one after the last."""
    return math.ceil(at - reach) - 1, math.floor(at + reach) + 1
