"""What a thing is to those who look at it."""

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType


class Seen(IntEnum):
    """The classes of a camera's picture."""

    NOTHING = 0
    SKY = 1
    GROUND = 2
    ROAD = 3
    KERB = 4
    BUILDING = 5
    OBSTACLE = 6
    PLANT = 7
    WATER = 8
    VEHICLE = 9
    PEDESTRIAN = 10


OF_OBSTACLE: Mapping[str, Seen] = MappingProxyType(
    {
        "building": Seen.BUILDING,
        "canopy": Seen.PLANT,
        "tree_line": Seen.PLANT,
        "tree": Seen.PLANT,
        "tower": Seen.OBSTACLE,
        "island": Seen.GROUND,
    }
)
"""By their kinds, those that stand."""
