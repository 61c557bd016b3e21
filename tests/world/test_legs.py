"""Where somebody is on its way is known from its place and heading, wherever it is cut off."""

import numpy as np
import pytest

from movenv.world.legs import heading_for

WAYS = {
    "a bend": [[100, 0], [100, 80], [0, 80]],
    "there and back": [[100, 0], [0, 0], [100, 0]],
    "round": [[100, 0], [100, 80], [0, 80], [0, 0], [100, 0]],
    "across itself": [[100, 0], [100, 100], [50, 100], [50, -100]],
    "in lanes": [[200, 0], [200, 10], [0, 10], [0, 20], [200, 20]],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("aside", [-1.5, 0.0, 1.5])
def test_on_every_leg_the_next_place_is_its_end(way: str, aside: float) -> None:
    points, start = np.array(WAYS[way], float), np.array([-60.0, 0.0])
    for k, (a, b) in enumerate(zip([start, *points], points, strict=False)):
        along = (b - a) / np.hypot(*(b - a))
        for share in (0.3, 0.5, 0.7):
            x, y = a + share * (b - a) + aside * np.array([-along[1], along[0]])
            if way == "round" and k in (0, 4) and x < 100:
                continue  # the last leg lies on the first
            yaw = float(np.arctan2(along[1], along[0]))
            found = heading_for(points, x, y, yaw, start)
            assert found == k or (way == "there and back" and found % 2 == k % 2)
