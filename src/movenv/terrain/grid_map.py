"""Maps of occupied cells, as ROS has them."""

from dataclasses import dataclass

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
