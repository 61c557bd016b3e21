"""How high the ground is, and how steep, for many places at once."""

import numpy as np

from movenv.terrain.features import Hill
from movenv.terrain.relief import Relief, plain, surface
from movenv.world.columns import F8, read_only
from movenv.world.kernel import kernel


class Heights:
    """Hills on a plain at z 0: each is height · (1 + cos(π r / R)) / 2 within its radius R."""

    def __init__(self, hills: tuple[Hill, ...]) -> None:
        tops: F8 = np.array(
            [[hill.x, hill.y, hill.height, hill.radius] for hill in hills], float
        ).reshape(-1, 4)
        self.relief: Relief = plain(tops)
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
            _look_up(self.relief, read_only(x), read_only(y), found)
        return found[0], found[1], found[2]


@kernel
def _look_up(relief, x, y, found):  # type: ignore[no-untyped-def]
    for v in range(len(x)):
        found[0, v], found[1, v], found[2, v] = surface(relief, x[v], y[v])
