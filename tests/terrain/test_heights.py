"""Hills against their closed form and its differences."""

import numpy as np
import pytest

from movenv.terrain.features import Hill
from movenv.terrain.heights import Heights

HILLS = (Hill(0, 0, 30, 100), Hill(80, 40, -12, 60), Hill(-300, 0, 100, 50))


def test_a_hill_is_as_high_as_it_says_and_ends_at_its_foot() -> None:
    alone = Heights(HILLS[:1])
    x = np.array([0.0, 50.0, 100.0, 101.0, -100.0])
    assert alone.at(x, np.zeros(5)) == pytest.approx([30, 15, 0, 0, 0], abs=1e-12)
    toward_x, toward_y = alone.gradient(x, np.zeros(5))
    assert toward_x == pytest.approx([0, -30 * np.pi / 200, 0, 0, 0], abs=1e-12)
    assert toward_y == pytest.approx(np.zeros(5), abs=1e-12)


def test_the_gradient_is_that_of_the_height() -> None:
    heights = Heights(HILLS)
    x, y = np.random.default_rng(3).uniform(-400, 200, (2, 5000))
    h = 1e-4
    by_steps = (
        (heights.at(x + h, y) - heights.at(x - h, y)) / (2 * h),
        (heights.at(x, y + h) - heights.at(x, y - h)) / (2 * h),
    )
    found = heights.gradient(x, y)
    assert np.abs(found[0]).max() > 0.5
    for axis in (0, 1):
        assert found[axis] == pytest.approx(by_steps[axis], abs=1e-5)


def test_a_plain_is_level() -> None:
    plain = Heights(())
    assert plain.level
    assert plain.at(np.ones(3), np.ones(3)).tolist() == [0, 0, 0]
