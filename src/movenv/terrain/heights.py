"""How high the ground is, and how steep, for many places at once."""

import math

import numpy as np

from movenv.terrain.features import Hill
from movenv.world.columns import F8, read_only
from movenv.world.kernel import kernel


class Heights:
    """Hills on a plain at z 0: each is height · (1 + cos(π r / R)) / 2 within its radius R."""

    def __init__(self, hills: tuple[Hill, ...]) -> None:
        self._hills: F8 = np.array(
            [[hill.x, hill.y, hill.height, hill.radius] for hill in hills], float
        ).reshape(-1, 4)
        self.level = not len(hills)
        """Whether there is none."""

    def at(self, x: F8, y: F8) -> F8:
        """z of the ground at each place, m."""
        z, _, _ = self._shape(x, y)
        return z

    def gradient(self, x: F8, y: F8) -> tuple[F8, F8]:
        """How fast the ground rises toward x and toward y at each place, m/m."""
        _, toward_x, toward_y = self._shape(x, y)
        return toward_x, toward_y

    def _shape(self, x: F8, y: F8) -> tuple[F8, F8, F8]:
        found = np.zeros((3, len(x)))
        if not self.level:
            _sum(read_only(x), read_only(y), self._hills, found)
        return found[0], found[1], found[2]


@kernel
def _sum(x, y, hills, found):  # type: ignore[no-untyped-def]
    for v in range(len(x)):
        for k in range(len(hills)):
            dx, dy = x[v] - hills[k, 0], y[v] - hills[k, 1]
            height, radius = hills[k, 2], hills[k, 3]
            square = dx * dx + dy * dy
            if square < radius * radius:
                away = math.sqrt(square)
                turn = math.pi * away / radius
                found[0, v] += height * (1.0 + math.cos(turn)) / 2.0
                if away > 0.0:
                    slope = -height * math.pi / (2.0 * radius) * math.sin(turn) / away
                    found[1, v] += slope * dx
                    found[2, v] += slope * dy
