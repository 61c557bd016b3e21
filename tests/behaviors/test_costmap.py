"""Plans on the map: as cheap as another program finds them, clear of walls and of what is seen."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from tests.behaviors.f110_track import track

from movenv.behaviors.costmap import Costmap, costs
from movenv.behaviors.errands import Errand, Errands
from movenv.behaviors.likelihood import field_of
from movenv.behaviors.unmapped import FORGOTTEN, Unmapped
from movenv.terrain.grid_map import FREE, OCCUPIED, UNKNOWN, GridMap

ROW = np.zeros(1, np.intp)


def by_scipy(cost: np.ndarray, goal: tuple[int, int], cell: float) -> np.ndarray:
    """The least costs of ways over the same cells, corners not cut."""
    rows, columns = cost.shape
    number = np.arange(rows * columns).reshape(rows, columns)
    begins, ends, prices = [], [], []
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        here = number[: rows - dr, max(0, -dc) : columns - max(0, dc)]
        there = here + dr * columns + dc
        price = cell * np.hypot(dr, dc) * 0.5 * (cost.flat[here] + cost.flat[there])
        if dr and dc:
            price = price + 0.0 * (cost.flat[here + dc] + cost.flat[here + dr * columns])
        real = np.isfinite(price)
        begins.append(here[real])
        ends.append(there[real])
        prices.append(price[real])
    one, other, price = (np.concatenate(part) for part in (begins, ends, prices))
    graph = coo_array((price, (one, other)), shape=(rows * columns,) * 2).tocsr()
    far: np.ndarray = dijkstra(graph, directed=False, indices=number[goal])
    return far.reshape(rows, columns)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_ways_are_as_cheap_as_scipy_finds_them() -> None:
    costmap = Costmap(track())
    cost = costs(costmap.room, 0.3)
    wanted = by_scipy(cost, costmap.cell(9.6, 5.5), costmap.resolution)
    found = costmap.way_to(9.6, 5.5, 0.3)
    allowed = np.isfinite(cost)
    assert np.isfinite(wanted[allowed]).any()
    assert found[allowed] == pytest.approx(wanted[allowed], rel=1e-5)


def test_room_is_what_every_cell_measures_to_the_nearest_that_is_not_free() -> None:
    random = np.random.default_rng(3)
    cells = np.where(random.random((21, 30)) < 0.03, OCCUPIED, FREE).astype(np.uint8)
    cells[5, 5] = UNKNOWN
    costmap = Costmap(GridMap(cells, 0.05, -1.0, 2.0))
    assert costmap.resolution == pytest.approx(0.1)
    whole = np.full((24, 34), OCCUPIED, np.uint8)  # the map's edge is a wall
    whole[1:22, 1:31] = cells
    walls = np.argwhere(whole != FREE)
    for row, column in ((0, 0), (4, 7), (9, 14), (10, 3)):
        far = [
            np.hypot(*(walls - (2 * row + i + 1, 2 * column + j + 1)).T).min() - 0.5
            for i in range(2)
            for j in range(2)
        ]
        assert costmap.room[row, column] == pytest.approx(0.05 * max(min(far), 0.0))


def test_what_is_seen_in_the_way_sends_it_the_other_way_round() -> None:
    costmap = Costmap(track())
    blocked = np.zeros(costmap.room.shape, np.uint8)
    row, column = costmap.cell(9.6, 0.5)
    blocked[row, column - 15 : column + 16] = 1  # all across the east corridor
    start = costmap.cell(9.6, -4.5)
    free, around = (costmap.way_to(9.6, 5.5, 0.3, b)[start] for b in (None, blocked))
    assert 10.0 < free < 16.0
    assert around > free + 8.0
    row, column = costmap.cell(2.5, 0.0)
    blocked[row, column - 14 : column + 15] = 1  # and the link
    row, column = costmap.cell(-9.6, 0.0)
    blocked[row, column - 15 : column + 16] = 1  # and the west
    assert costmap.way_to(9.6, 5.5, 0.3, blocked)[start] == np.inf


def test_who_stands_too_near_to_a_wall_finds_out() -> None:
    costmap = Costmap(track())
    table = costmap.way_to(0.0, -5.5, 0.3)
    near = costmap.cell(-4.0, -6.92)  # 8 cm from the wall
    assert costmap.room[near] < 0.3
    assert np.isfinite(table[near])
    assert table[near] > table[costmap.cell(-4.0, -6.4)]
    assert table[costmap.cell(-4.0, -0.0)] == np.inf  # inside the block


def unmapped() -> tuple[Costmap, Unmapped]:
    costmap = Costmap(track())
    return costmap, Unmapped(1, costmap, field_of(track()))


def test_strangers_are_noted_until_they_are_seen_to_be_gone() -> None:
    costmap, seen = unmapped()
    pose, eye, count = np.array([[-8.0], [-5.5], [0.0]]), (0.0, 0.0), np.array([2])
    standing = np.array([[[2.0, 0.0], [0.0, 1.55]]])  # a stranger ahead, the wall to the left
    seen.look(ROW, pose, standing, count, eye, 1.0)
    assert seen.changed[0]
    blocked = seen.blocked(0, 1.0)
    assert np.argwhere(blocked).tolist() == [list(costmap.cell(-6.0, -5.5))]
    seen.changed[0] = False
    seen.look(ROW, pose, standing, count, eye, 2.0)
    assert not seen.changed[0]
    gone = np.array([[[4.0, 0.0], [0.0, 1.55]]])
    seen.look(ROW, pose, gone, count, eye, 3.0)
    assert np.argwhere(seen.blocked(0, 3.0)).tolist() == [list(costmap.cell(-4.0, -5.5))]
    assert not seen.blocked(0, 4.0 + FORGOTTEN).any()


def test_an_errand_goes_through_its_goals_lap_by_lap() -> None:
    costmap, seen = unmapped()
    goals = np.array([[0.0, -5.5], [9.6, 5.5]])
    errands = Errands(costmap, [Errand(goals, 2.0)], np.array([0.3]))
    errands.begin(0, 0.0, seen)
    passed = []
    while not errands.over[0]:
        passed.append((errands.goal[0].tolist(), bool(errands.last[0])))
        errands.arrive(0, 1.0, seen)
    assert passed == [([0.0, -5.5], False), ([9.6, 5.5], False)] * 1 + [
        ([0.0, -5.5], False),
        ([9.6, 5.5], True),
    ]


def test_goals_in_walls_and_beyond_the_map_are_refused() -> None:
    costmap, _ = unmapped()
    for place, words in (((-4.0, 0.0), "0 m from a wall"), ((40.0, 0.0), "beyond the map")):
        with pytest.raises(ValueError, match=words):
            Errands(costmap, [Errand(np.array([place]), 1.0)], np.array([0.3]))
