"""Outlines of obstacles grown by a clearance."""

import numpy as np
import pytest
import shapely

from movenv.terrain.features import Crossing, strip
from movenv.terrain.outlines import LANE, lane_clearance, outlines

PINHOLES = {
    "triangle": [(1, 1), (1.004, 1), (1.004, 1.004)],
    "square": [(1, 1), (1.004, 1), (1.004, 1.004), (1, 1.004)],
    "needle": [(1, 1), (2, 1), (2, 1.005)],
}


@pytest.mark.parametrize("hole", PINHOLES)
def test_a_hole_too_small_for_its_corners_hinders_nobody(hole: str) -> None:
    ground = shapely.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], [PINHOLES[hole]])
    shapes, of = outlines(np.array([ground, shapely.box(9, 9, 10, 10)]), np.array([0.0, 1.0]))
    assert of.tolist() == [0, 1]
    assert shapes[0].area == pytest.approx(16, abs=0.01)
    assert shapes[1].area == pytest.approx(9, abs=0.3)


@pytest.mark.parametrize("degrees", [0, 30, 60, 90])
@pytest.mark.parametrize("width", [3.0, 6.0, 20.0])
def test_a_crossing_that_bends_is_as_wide_as_one_that_does_not(degrees: int, width: float) -> None:
    turn = np.radians(degrees)
    end = (100 + 80 * np.cos(turn), 80 * np.sin(turn))
    ground = strip(shapely.LineString([(0, 0), (100, 0), end]), width)
    crossing = Crossing("lane", "road", ground, ("wood",))
    assert lane_clearance(crossing) == pytest.approx(LANE * width, rel=1e-6)


def test_a_round_ford_is_as_wide_as_its_circle() -> None:
    crossing = Crossing("ford", "ford", shapely.Point(0, 0).buffer(5, 32), ("brook",))
    assert lane_clearance(crossing) == pytest.approx(LANE * 10, rel=0.01)
