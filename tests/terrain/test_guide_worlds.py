"""The way-finder in random and degenerate worlds, against what shapely says is connected."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import LineString, Polygon, box

from movenv.bench.movers import by_contour, journeys, shortest
from movenv.bench.worlds import MAKERS, World, draw_worlds

KINDS = [maker.__name__ for maker in MAKERS]


@pytest.mark.parametrize("kind", KINDS)
def test_arrives_wherever_there_is_a_way(kind: str) -> None:
    went = journeys(draw_worlds(40, True, seed=3, only=(kind,)), sight=25.0)
    assert went.arrived.all()
    assert not went.touched.any()


@pytest.mark.parametrize("kind", KINDS)
def test_says_so_wherever_there_is_none(kind: str) -> None:
    went = journeys(draw_worlds(40, False, seed=3, only=(kind,)), sight=25.0)
    assert went.gave_up.all()
    assert not went.touched.any()


@pytest.mark.parametrize("sight", [4.0, 1000.0])
def test_also_when_near_sighted_or_all_seeing(sight: float) -> None:
    assert journeys(draw_worlds(15, True, seed=4), sight).arrived.all()
    assert journeys(draw_worlds(15, False, seed=4), sight).gave_up.all()


def test_with_everything_in_sight_the_way_is_the_shortest() -> None:
    worlds = draw_worlds(10, True, seed=5, only=("rectangles",))
    went = journeys(worlds, sight=1000.0)
    best = np.array([shortest(world) for world in worlds])
    assert (went.length < 1.02 * best).all()  # corners are cut, not round
    assert (went.length > 0.998 * best).all()


def test_ordinary_worlds_cost_little_more_than_with_a_map() -> None:
    worlds = draw_worlds(15, True, seed=6, only=("rectangles",))
    best = np.array([shortest(world) for world in worlds])
    assert np.median(journeys(worlds, sight=25.0).length / best) < 1.15


@st.composite
def crowded(draw: st.DrawFn) -> World:
    """Boxes on whole metres: they touch, share edges and corners, and lie in line."""
    whole = st.integers(0, 14)
    size = st.integers(1, 6)
    solids: list[tuple[str, Polygon]] = []
    for _ in range(draw(st.integers(1, 9))):
        x, y, w, h = draw(whole), draw(whole), draw(size), draw(size)
        solids.append((draw(st.sampled_from(["building", "lake"])), box(x, y, x + w, y + h)))
    start, goal = ((float(draw(whole)), float(draw(whole))) for _ in range(2))
    return World("crowded", start, goal, solids)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(crowded(), min_size=4, max_size=4), st.sampled_from([0.0, 0.4, 0.5, 1.0]))
def test_boxes_that_touch_open_and_shut_no_way(worlds: list[World], clearance: float) -> None:
    went = journeys(worlds, sight=5.0, clearance=clearance, most_steps=2000)
    for k, world in enumerate(worlds):
        assert went.arrived[k] or went.gave_up[k], world
        ground = shapely.union_all([solid for _, solid in world.solids])
        answers = set()
        for near in (max(clearance - 0.05, 0.001), 1.3 * clearance + 0.05):
            free = box(-50, -50, 70, 70) - shapely.buffer(ground, near, join_style="mitre")
            parts = shapely.get_parts(free)
            a, b = (shapely.intersects_xy(parts, *place) for place in (world.start, world.goal))
            answers.add(bool((a & b).any()) if a.any() and b.any() else None)
        if answers == {True}:
            assert went.arrived[k], world
        if answers == {False}:
            assert went.gave_up[k], world
        if shapely.contains_xy(shapely.buffer(ground, -0.01), *world.goal):
            assert went.gave_up[k] or world.start == world.goal, world


def test_arrives_between_two_hooks_where_the_simple_rule_goes_round_for_ever() -> None:
    hook = np.array([(51, 42), (58, 46), (59, 56), (49, 63), (37, 56), (37, 41), (51, 32),
                     (67, 42), (67, 62)])  # fmt: skip
    lines = LineString(hook), LineString(100 - hook)
    for kind in ("building", "canopy"):
        walls = [
            shapely.buffer(line, 0.6, cap_style="square", join_style="mitre") for line in lines
        ]
        world = World("hooks", (8.0, 69.0), (50.0, 50.0), [(kind, wall) for wall in walls])
        assert world.solvable()
        assert not by_contour(world)[0]
        went = journeys([world], sight=25.0)
        assert went.arrived.all()
        assert went.length[0] < 2.0 * 429  # what the rule had gone when it came round again
