"""Soils that need no description."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Soil(NamedTuple):
    """How well a vehicle drives on it, against dry asphalt."""

    mobility: float
    """Share of the usual speed and acceleration that is kept, above 0."""
    grip: float
    """Share of the usual braking."""


# Grip: the peak adhesion of tyres that textbooks on ground vehicles give, over the 0.85 of dry
# asphalt: gravel 0.6, dry earth 0.68, wet earth 0.5, packed snow 0.2, ice 0.1. Mobility: rounded
# from what wheeled and tracked vehicles keep of their road speed across country. Both are only
# an order of magnitude; a scenario that knows better says so in its own `soils`.
SOILS: Mapping[str, Soil] = MappingProxyType(
    {
        "hard": Soil(1.0, 1.0),
        "gravel": Soil(0.9, 0.7),
        "grass": Soil(0.75, 0.7),
        "scrub": Soil(0.5, 0.7),
        "sand": Soil(0.5, 0.6),
        "mud": Soil(0.3, 0.4),
        "snow": Soil(0.4, 0.25),
        "ice": Soil(0.4, 0.12),
        "shallows": Soil(0.4, 0.6),
    }
)
