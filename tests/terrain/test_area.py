"""Areas against shapely."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.terrain.area import Area, AreaSet

CONCAVE = np.array([[0.0, 0], [10, 0], [10, 10], [6, 10], [6, 4], [4, 4], [4, 10], [0, 10]])


def star(seed: int, corners: int) -> np.ndarray:
    """A random star-shaped polygon: always simple, rarely convex."""
    rng = np.random.default_rng(seed)
    turn = np.sort(rng.uniform(0, 2 * np.pi, corners))
    radius = rng.uniform(1, 50, corners)
    return np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 100_000), corners=st.integers(5, 40))
def test_inside_and_nearest_agree_with_shapely(seed: int, corners: int) -> None:
    polygons = [star(seed, corners), star(seed + 1, corners)]
    if not all(shapely.Polygon(p).is_valid for p in polygons):
        return
    areas = AreaSet([Area("a", polygons[0]), Area("b", polygons[1])])
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-60, 60, (2, 200))
    which = rng.integers(0, 2, 200)
    inside, near_x, near_y = areas.nearest(which, x, y)
    shapes = np.array([shapely.Polygon(p) for p in polygons])[which]
    points = shapely.points(x, y)
    assert np.array_equal(inside, shapely.contains(shapes, points))
    assert np.hypot(near_x - x, near_y - y) == pytest.approx(
        shapely.distance(shapes, points), abs=1e-9
    )


def test_a_notch_is_outside() -> None:
    area = Area("u", CONCAVE)
    assert area.contains(np.array([2.0, 5.0, 8.0]), np.array([8.0, 8.0, 8.0])).tolist() == [
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("corners", "said"),
    [
        ([[0, 0], [4, 4], [4, 0], [0, 4]], "not a simple polygon"),
        ([[0, 0], [1, 1], [2, 2]], "area 'x'"),
    ],
)
def test_what_is_no_area_is_refused(corners: list[list[float]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Area("x", np.array(corners, float))
