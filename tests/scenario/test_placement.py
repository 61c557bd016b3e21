"""Where vehicles begin."""

from pathlib import Path

import numpy as np
import pytest

from movenv.testing import Drive, drive

HEAD = """
name: places
origin: {lat: 29.193111, lon: -81.046171, alt: 100}
time: {duration: 0.1}
areas:
  ell: {polygon: [[0, 0], [90, 0], [90, 30], [30, 30], [30, 90], [0, 90]]}
  slab: {square: 100, floor: 300, ceiling: 400}
  high: {square: 100, floor: 300}
vehicles:
  - name: a
    count: COUNT
    kind: KIND
    start: START
"""


@pytest.fixture
def placed(tmp_path: Path):
    def at(start: str, count: int = 1, kind: str = "aerial/rotorcraft") -> np.ndarray:
        file = tmp_path / "places.yaml"
        text = HEAD.replace("COUNT", str(count)).replace("KIND", kind)
        file.write_text(text.replace("START", start))
        seen: Drive = drive(file)
        return np.array([seen.place(name)[0] for name in seen.names])

    return at


def test_points_stand_where_they_are_said_to_stand(placed) -> None:
    assert placed("{at: [3, -4]}").tolist() == [[3, -4, 50]]
    assert placed("{at: [3, -4, 7]}").tolist() == [[3, -4, 7]]
    assert placed("{at: [3, -4], z: 9}").tolist() == [[3, -4, 9]]
    assert placed("{at: [3, -4]}", kind="ground").tolist() == [[3, -4, 0]]
    there = placed("{at: {lat: 29.193111, lon: -81.046171, alt: 130}}")
    assert there == pytest.approx(np.array([[0, 0, 30]]), abs=1e-6)


def test_a_line_goes_evenly_from_end_to_end(placed) -> None:
    line = placed("{line: {from: [0, 0], to: [30, 60]}}", 4)
    assert line[:, :2].tolist() == [[0, 0], [10, 20], [20, 40], [30, 60]]


@pytest.mark.parametrize(
    ("grid", "count", "x", "y"),
    [
        ("spacing: 10, columns: 2", 4, [-5, 5, -5, 5], [-5, -5, 5, 5]),
        ("spacing: 10", 4, [-5, 5, -5, 5], [-5, -5, 5, 5]),
        ("spacing: 10, columns: 10", 3, [-10, 0, 10], [0, 0, 0]),
        ("spacing: 10, columns: 3, center: [100, 50]", 3, [90, 100, 110], [50, 50, 50]),
    ],
)
def test_a_grid_stands_around_its_center(placed, grid, count, x, y) -> None:
    places = placed(f"{{grid: {{{grid}}}}}", count)
    assert places[:, 0].tolist() == x
    assert places[:, 1].tolist() == y


def test_random_places_fill_the_area_and_only_it(placed) -> None:
    x, y, _ = placed("{within: ell}", 400).T
    assert ((x >= 0) & (y >= 0) & (x <= 90) & (y <= 90) & ((x <= 30) | (y <= 30))).all()
    # The L has three equal parts of 30 m by 30 m along each arm, five in all.
    assert np.mean(x > 60) == pytest.approx(0.2, abs=0.06)
    assert np.mean(y > 60) == pytest.approx(0.2, abs=0.06)


def test_random_places_keep_to_the_heights_of_the_area(placed) -> None:
    z = placed("{within: slab}", 200)[:, 2]
    assert z.min() >= 300
    assert z.max() <= 400
    assert np.ptp(z) > 80
    assert placed("{within: high}", 3)[:, 2].tolist() == [300, 300, 300]
    assert placed("{within: slab}", 3, kind="ground")[:, 2].tolist() == [0, 0, 0]
