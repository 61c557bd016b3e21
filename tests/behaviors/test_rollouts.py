"""What a car steers around, and that it can always stop."""

import numpy as np
import pytest

from movenv.behaviors.rollouts import choose

ROW = np.zeros(1, np.intp)
CLEARANCE = 0.15
CELL = 0.1


def car(wanted: float = 2.0) -> np.ndarray:
    return np.array([[0.33, 0.42, 3.2, 4.0, 6.0, 5.0, 0.275, 0.15, CLEARANCE, wanted]])


def eastward() -> np.ndarray:
    """Costs that fall toward the east, the middle of the table being (0, 0)."""
    x = np.arange(-150, 150) * CELL
    return np.broadcast_to(15.0 - x, (1, 2, 300, 300)).astype(np.float32)


def chosen(points: list[tuple[float, float]], speed: float, wanted: float = 2.0) -> np.ndarray:
    seen = np.array([points]).reshape(1, -1, 2)
    return choose(
        ROW, np.zeros((1, 3)), np.array([[speed, 0.0]]), car(wanted), seen,
        np.array([seen.shape[1]]), eastward(), np.zeros((1, 4)), (-15.0, -15.0, CELL), 0.05,
    )[0]  # fmt: skip


def across(x: float, low: float, high: float) -> list[tuple[float, float]]:
    """Points of a wall that stands across the way."""
    return [(x, y) for y in np.arange(low, high, 0.04)]


def test_a_free_way_is_driven_straight_at_full_speed() -> None:
    assert chosen([(9.0, 9.0)], 2.0) == pytest.approx([0.0, 2.0, 1.0])


def test_it_steers_to_the_side_that_is_open() -> None:
    left = chosen(across(2.0, -2.0, 0.3), 2.0)
    right = chosen(across(2.0, -0.3, 2.0), 2.0)
    assert left[0] > 0.0 > right[0]
    assert left[2] == right[2] == 1.0


def test_where_nothing_is_free_it_brakes() -> None:
    shut = across(0.5, -1.0, 1.0) + [
        (x, side) for x in np.arange(-1, 0.5, 0.04) for side in (-0.35, 0.35)
    ]
    steer, speed, free = chosen(shut, 1.5)
    assert (speed, free) == (0.0, 0.0)
    assert abs(steer) <= 0.42


@pytest.mark.parametrize("wanted", [1.0, 2.0, 4.0, 6.0])
def test_before_a_wall_across_all_it_comes_to_a_stop_without_touching(wanted: float) -> None:
    x, speed = 0.0, wanted
    for _ in range(200):
        wall = across(6.0 - x, -8.0, 8.0)
        # Only straight ahead: walls along both sides leave no room to turn.
        wall += [(a, side) for a in np.arange(-1.0, 6.0 - x, 0.05) for side in (-0.35, 0.35)]
        _, command, _ = chosen(wall, speed, wanted)
        then = speed + np.clip(command - speed, -6.0 * 0.05, 4.0 * 0.05)
        x += 0.5 * (speed + then) * 0.05
        speed = then
        assert x + 0.275 < 6.0
    assert speed == pytest.approx(0.0, abs=0.02)
    assert 6.0 - x - 0.275 < 0.6  # and not from afar


def test_who_stands_too_near_may_leave() -> None:
    beside = [(x, 0.15 + 0.05) for x in np.arange(-0.3, 0.3, 0.03)]
    _, speed, free = chosen(beside, 0.0)
    assert free == 1.0
    assert speed > 0.0
