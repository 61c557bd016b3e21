"""Which colour of the map's palette a soil has, by how it is to drive on."""

import math
from collections.abc import Mapping
from types import MappingProxyType

from movenv.terrain.soil import SOILS, Soil

TONES: Mapping[str, Soil] = MappingProxyType({**SOILS, "paving": Soil(0.95, 0.95)})
"""What the palette has colours for, each with the soil it stands for."""


def tone_of(soil: Soil) -> str:
    """The tone of the most similar soil: scenarios have soils of their own."""
    return min(TONES, key=lambda tone: math.dist(TONES[tone], soil))
