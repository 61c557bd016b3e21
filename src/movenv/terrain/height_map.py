"""Height maps: how high the ground is at the middles of square cells, and what it is made of."""

from dataclasses import dataclass
from typing import NamedTuple

from movenv.world.columns import F4, F8, U1


class Materials(NamedTuple):
    """What the cells of a height map are made of."""

    kinds: U1
    """(rows, columns): the number of each cell's soil; row 0 is the southernmost."""
    soils: F8
    """(2, soils): mobility and grip of each."""


@dataclass(frozen=True, eq=False)
class HeightMap:
    """Heights at the middles of cells, straight in between, level beyond the outermost."""

    west: float
    """x of the middles of the first column, m."""
    south: float
    """y of those of the first row."""
    cell: float
    """Side of a cell, m."""
    heights: F4
    """(rows, columns), m; row 0 is the southernmost."""
    materials: Materials | None = None
    steepest: float = 0.0
    """The steepest slope of the ground between what stands on it, m/m."""
    has_bed: bool = False
    """Whether it goes on below water, which is at z 0: then hulls touch it."""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Where it ends, half a cell beyond the outermost middles: west, south, east and north."""
        rows, columns = self.heights.shape
        west, south = self.west - self.cell / 2, self.south - self.cell / 2
        return west, south, west + columns * self.cell, south + rows * self.cell
