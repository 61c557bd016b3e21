"""The way-finder on single vehicles: what it knows, where it heads, when there is no way."""

import numpy as np
import pytest
from shapely import Point, Polygon, box

from movenv.terrain.features import Crossing, Obstacle, Terrain
from movenv.terrain.guide import Guide
from movenv.world.columns import F8
from movenv.world.kinds import Kind

GROUND = Kind("ground")


def guide_for(terrain: Terrain, clearance: float = 1.0, sight: float = 30.0) -> Guide:
    return Guide(terrain, [GROUND], np.zeros(1), np.array([clearance]), np.array([sight]))


def terrain_of(*grounds: Polygon, kind: str = "building") -> Terrain:
    return Terrain(tuple(Obstacle(f"o{k}", kind, ground) for k, ground in enumerate(grounds)))


def go(
    guide: Guide, start: tuple[float, float], goal: tuple[float, float], push: float = 0.0
) -> tuple[str, F8]:
    """Move along `to` in steps of 1 m; how it ended, and the path (n, 2)."""
    rng = np.random.default_rng(1)
    place = np.array([[start[0]], [start[1]]], float)
    guide.head_for(np.array([0]), np.array([goal[0]]), np.array([goal[1]]))
    path = [place[:, 0]]
    for _ in range(3000):
        guide.look(place[0], place[1])
        if guide.no_way[0]:
            return "no way", np.array(path)
        if np.hypot(*(place[:, 0] - goal)) < max(1e-6, 2 * push):
            return "arrived", np.array(path)
        gap = guide.to - place
        far = np.hypot(*gap)
        place = place + gap / np.maximum(far, 1e-12) * np.minimum(far, 1.0)
        place = place + rng.uniform(-push, push, (2, 1))
        path.append(place[:, 0])
    return "never", np.array(path)


def length(path: F8) -> float:
    return float(np.hypot(*np.diff(path, axis=0).T).sum())


def test_goes_straight_where_nothing_stands() -> None:
    guide = guide_for(Terrain())
    ended, path = go(guide, (0, 0), (50, 20))
    assert ended == "arrived"
    assert length(path) == pytest.approx(np.hypot(50, 20))


def test_tells_the_next_place_the_one_after_and_the_length_left() -> None:
    guide = guide_for(terrain_of(box(10, -20, 20, 30)), clearance=0.0)
    guide.head_for(np.array([0]), np.array([40.0]), np.array([0.0]))
    guide.look(np.zeros(1), np.zeros(1))
    assert guide.to[:, 0] == pytest.approx([10, -20], abs=0.01)
    assert guide.after[:, 0] == pytest.approx([20, -20], abs=0.01)
    assert guide.left[0] == pytest.approx(np.hypot(10, 20) + 10 + np.hypot(20, 20), abs=0.02)


def test_keeps_its_clearance() -> None:
    house = box(10, -20, 20, 30)
    _, path = go(guide_for(terrain_of(house), clearance=2.5), (0, 0), (40, 0))
    assert min(house.distance(Point(place)) for place in path) >= 2.5


def test_does_not_know_what_it_cannot_see_yet() -> None:
    guide = guide_for(terrain_of(box(50, -20, 60, 30)), sight=30.0)
    guide.head_for(np.array([0]), np.array([100.0]), np.array([0.0]))
    guide.look(np.array([18.0]), np.zeros(1))
    assert guide.to[:, 0].tolist() == [100.0, 0.0]
    guide.look(np.array([22.0]), np.zeros(1))
    assert guide.to[0, 0] < 60.0


def test_a_small_obstacle_is_known_as_a_whole_and_a_lake_only_where_it_is_seen() -> None:
    wall = box(10, -200, 20, 300)
    heads = []
    for kind in ("building", "lake"):
        guide = guide_for(terrain_of(wall, kind=kind))
        guide.head_for(np.array([0]), np.array([40.0]), np.array([0.0]))
        guide.look(np.zeros(1), np.zeros(1))
        heads.append(abs(guide.to[1, 0]))
    assert heads[0] == pytest.approx(201, abs=0.5)  # its southern end
    assert heads[1] < 60  # where the bank leaves its sight


def test_what_was_seen_is_remembered() -> None:
    guide = guide_for(terrain_of(box(10, -20, 20, 30)))
    guide.look(np.zeros(1), np.zeros(1))
    guide.head_for(np.array([0]), np.array([40.0]), np.array([0.0]))
    guide.look(np.array([-300.0]), np.zeros(1))
    assert guide.to[0, 0] == pytest.approx(9, abs=1)


def test_a_dead_end_is_left_again() -> None:
    cup = Polygon([(-20, -50), (30, -50), (30, 50), (-20, 50), (-20, 45), (25, 45), (25, -45),
                   (-20, -45)])  # fmt: skip
    for kind in ("lake", "building"):
        ended, _ = go(guide_for(terrain_of(cup, kind=kind)), (0, 0), (40, 0))
        assert ended == "arrived"


@pytest.mark.parametrize("kind", ["lake", "building"])
@pytest.mark.parametrize(("start", "goal"), [((0, 0), (100, 0)), ((100, 0), (0, 0))])
def test_says_so_when_shut_in_or_out(
    kind: str, start: tuple[float, float], goal: tuple[float, float]
) -> None:
    moat = box(-50, -50, 60, 60).difference(box(-40, -40, 20, 30))
    guide = guide_for(terrain_of(moat, kind=kind))
    ended, _ = go(guide, start, goal)
    assert ended == "no way"
    assert np.isnan(guide.to).all()
    assert guide.left[0] == np.inf
    guide.head_for(np.array([0]), np.array([start[0]]), np.array([start[1]]))
    assert not guide.no_way[0]


@pytest.mark.parametrize("clearance", [1.0, 3.0])
def test_a_river_is_crossed_by_its_bridge_even_a_narrow_one(clearance: float) -> None:
    water = Obstacle("r", "river", box(10, -1000, 20, 2000))
    bridge = Crossing("b", "bridge", box(5, 100, 25, 104), ("r",))
    ended, path = go(guide_for(Terrain((water,), (bridge,)), clearance), (0, 0), (40, 0))
    assert ended == "arrived"
    on_river = path[(path[:, 0] > 10) & (path[:, 0] < 20)]
    assert ((on_river[:, 1] > 100) & (on_river[:, 1] < 104)).all()
    assert length(path) < 225


@pytest.mark.parametrize("start", [(9.5, 0.0), (9.0, 3.0), (15.0, 0.0), (10.0, 30.0)])
def test_who_stands_too_near_gets_out_and_on(start: tuple[float, float]) -> None:
    ended, _ = go(guide_for(terrain_of(box(10, -20, 20, 30))), start, (40, 0))
    assert ended == "arrived"


def test_a_goal_too_near_is_reached_and_one_inside_is_not() -> None:
    house = terrain_of(box(10, -20, 20, 30))
    assert go(guide_for(house), (0, 0), (20.5, 0))[0] == "arrived"
    assert go(guide_for(house), (0, 0), (20.0, 30.0))[0] == "arrived"
    assert go(guide_for(house), (0, 0), (15, 0))[0] == "no way"


def test_who_is_pushed_about_still_arrives() -> None:
    walls = terrain_of(box(10, -20, 20, 30), box(23, -60, 26, 10), box(30, -5, 50, 60))
    for clearance in (1.0, 2.0):
        assert go(guide_for(walls, clearance), (0, 0), (60, 0), push=0.5)[0] == "arrived"


def test_the_same_whoever_else_is_there() -> None:
    house = terrain_of(box(10, -20, 20, 30), box(40, -30, 45, 10))
    clearance, sight = np.array([1.0, 2.03, 1.0]), np.array([30.0, 50.0, 80.0])
    kinds = [GROUND, Kind("pedestrian"), Kind("aerial", "rotorcraft")]
    x, y = np.array([0.0, 5.0, 7.0]), np.array([0.0, 1.0, 2.0])
    every = Guide(house, kinds, np.zeros(3), clearance, sight)
    every.head_for(np.arange(3), np.full(3, 60.0), np.zeros(3))
    every.look(x, y)
    for k in range(3):
        one = Guide(house, kinds[k : k + 1], np.zeros(1), clearance[k : k + 1], sight[k : k + 1])
        one.head_for(np.array([0]), np.array([60.0]), np.zeros(1))
        one.look(x[k : k + 1], y[k : k + 1])
        assert one.to[:, 0].tolist() == every.to[:, k].tolist()
        assert one.left[0] == every.left[k]


def test_who_flies_above_goes_straight() -> None:
    tower = Terrain((Obstacle("t", "tower", box(10, -5, 20, 5), height=50.0),))
    kinds = [Kind("aerial", "fixedwing")] * 2
    guide = Guide(tower, kinds, np.array([20.0, 60.0]), np.ones(2), np.full(2, 100.0))
    guide.head_for(np.arange(2), np.full(2, 40.0), np.zeros(2))
    guide.look(np.zeros(2), np.zeros(2))
    assert guide.to[0, 0] < 40.0
    assert guide.to[0, 1] == 40.0


def test_a_vehicle_without_goal_or_place_is_left_alone() -> None:
    guide = guide_for(terrain_of(box(10, -20, 20, 30)))
    guide.look(np.zeros(1), np.zeros(1))
    assert np.isnan(guide.to).all()
    guide.head_for(np.array([0]), np.array([40.0]), np.array([0.0]))
    guide.look(np.array([np.nan]), np.array([np.nan]))
    assert not guide.no_way[0]
