"""Several who are told to go to one point each get there: to a place of their own near it."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import shapely

from movenv.behaviors.gathering import CLOSE, PASSING, Gathering, matched, rings
from movenv.runtime.fast import updates
from movenv.scenario.build import Stage, build
from movenv.scenario.load import load
from movenv.world.columns import F8
from movenv.world.messages import VehicleStates
from movenv.world.orders import Order, place_words, taken_up

SIX = """
name: six
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 45}
vehicles:
  - name: car
    count: 6
    unit: alpha
    kind: ground
    start: {grid: {spacing: 20}}
    behaviors: {avoid: {method: reciprocal}, obey: {}}
orders: [{at: 1, what: go, unit: alpha, to: [[150, 0]]}]
"""
BARN = """
terrain:
  features:
    - {kind: building, name: barn, at: [150, 14], rectangle: [20, 20]}
    - {kind: river, name: brook, line: [[100, -30], [200, -30]], width: 10}
"""
TAKEN = """
name: taken
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 140}
vehicles:
  - name: first
    kind: ground
    start: {at: [60, 0]}
    behaviors: {avoid: {method: reciprocal}, obey: {within: 1}}
  - name: second
    kind: ground
    start: {at: [0, 0]}
    behaviors: {avoid: {method: reciprocal}, obey: {within: 1}}
  - name: third
    kind: ground
    start: {at: [0, 100]}
    behaviors: {avoid: {method: reciprocal}, obey: {within: 1}}
orders:
  - {at: 0, what: go, vehicles: [first], to: [80, 0]}
  - {at: 0, what: go, vehicles: [second], to: [80, 0]}
  - {at: 0, what: go, vehicles: [third], to: [[1500, 100], [2000, 100]]}
"""
"""One is told to go where another stands; a third has a long way, and comes on."""
LENGTH = 2.7
APART = PASSING * (LENGTH + 4 * LENGTH / 0.6 * np.hypot(1, 0.3))
"""Between such cars: with room for a third, which turns as they may."""


def stage(folder: Path, text: str) -> Stage:
    path = folder / "six.yaml"
    path.write_text(text)
    return Stage(load(str(path)))


def apart(places: F8) -> float:
    """The smallest distance between two of places (2, n)."""
    gaps = np.hypot(*(places[:, :, None] - places[:, None]))
    return float(gaps[np.triu_indices(places.shape[1], 1)].min())


def driven(
    folder: Path, hosts: int, text: str = SIX
) -> tuple[list[tuple[int, str]], VehicleStates]:
    path = folder / "six.yaml"
    path.write_text(text)
    said, last = [], None
    for update in updates(build(load(str(path)), hosts)):
        said += [(remark.vid, remark.text) for remark in update.remarks]
        last = update.snapshot.vehicles
    assert last is not None
    return sorted(said), last


def test_six_at_one_point_all_arrive_and_stand_apart_on_any_number_of_hosts(
    tmp_path: Path,
) -> None:
    said, alone = driven(tmp_path, 1)
    assert said == [(vid, "arrived") for vid in range(1, 7)]
    assert np.abs(alone.speed).max() < 0.01
    assert apart(np.array([alone.x, alone.y])) > 1.5 * LENGTH
    assert np.hypot(alone.x - 150, alone.y).max() < 1.2 * APART
    said, three = driven(tmp_path, 3)
    assert said == [(vid, "arrived") for vid in range(1, 7)]
    assert three.x.tobytes() == alone.x.tobytes()
    assert three.y.tobytes() == alone.y.tobytes()


def many(count: int, model: str, unit: str = "") -> str:
    """So many on open ground, told to go 300 m; `duration` is twice what one alone takes."""
    return f"""
name: many
origin: {{lat: 29.193111, lon: -81.046171}}
time: {{duration: 75}}
vehicles:
  - name: v
    count: {count}
    kind: ground
    model: {model}
    {unit}
    start: {{grid: {{spacing: 20, center: [-150, 0]}}, speed: 0}}
    behaviors: {{avoid: {{method: reciprocal}}, obey: {{}}}}
orders: [{{at: 2, what: go, vehicles: ["v-*"], to: [150, 0]}}]
"""


@pytest.mark.parametrize(
    ("count", "model", "unit"),
    [
        (16, "{type: ground, build: jeep}", ""),
        (16, "{type: ground, build: tank}", ""),
        (16, "{}", "unit: alpha"),
        (8, "{type: ground, build: car}", ""),
    ],
)
def test_all_of_many_arrive_on_open_ground(
    tmp_path: Path, count: int, model: str, unit: str
) -> None:
    said, last = driven(tmp_path, 1, many(count, model, unit))
    assert said == [(vid, "arrived") for vid in range(1, count + 1)]
    assert np.abs(last.speed).max() < 0.01


def test_who_is_in_front_goes_to_the_far_side_and_no_two_ways_cross(tmp_path: Path) -> None:
    there = stage(tmp_path, SIX)
    gathering, point = there.gathering, np.array([[500.0, 0.0, np.nan]])
    order = Order(1, "go", there.roster.vids, point)
    run = there.run(1)
    states = next(iter(updates(run))).snapshot.vehicles
    given = gathering.given_out(order, states)
    assert sorted(given.vids.tolist()) == order.vids.tolist()
    ends, _ = gathering.places(point[0], given.vids)
    rows = np.searchsorted(states.vid, given.vids)
    starts = np.array([states.x[rows], states.y[rows]])
    ways = [shapely.LineString([a, b]) for a, b in zip(starts.T, ends.T, strict=True)]
    assert not any(one.crosses(two) for one in ways for two in ways)
    assert ends[0].argmax() == starts[0].argmax()
    # Who is behind the others on the way to the first of several places stays behind them.
    back = Order(1, "go", there.roster.vids, np.array([[500, 500, np.nan], *point]))
    given = gathering.given_out(back, states)
    ends, _ = gathering.places(point[0], given.vids)
    rows = np.searchsorted(states.vid, given.vids)
    nearest = np.hypot(states.x[rows] - 500, states.y[rows] - 500).argmin()
    assert ends[1, nearest] == ends[1].min()


def test_squares_of_ways_are_the_least_of_all_ways_to_give_out_places() -> None:
    draw = np.random.default_rng(3)
    for _ in range(5):
        spots, here = draw.uniform(-50, 50, (2, 2, 6))
        each = np.array(list(permutations(range(6))))
        toil = ((spots[:, None] - here[:, each]) ** 2).sum(axis=(0, 2))
        assert matched(spots, here).tolist() == each[toil.argmin()].tolist()


def test_thousands_are_given_places_at_once_each_its_own() -> None:
    draw = np.random.default_rng(4)
    spots, here = 10 * rings(3000), draw.uniform(-2000, 2000, (2, 3000))
    who = matched(spots, here)
    assert sorted(who.tolist()) == list(range(3000))
    # As uniform on a square goes to a disc: nobody is led from one side to the other.
    assert np.corrcoef(spots[0], here[0, who])[0, 1] > 0.95
    assert np.corrcoef(spots[1], here[1, who])[0, 1] > 0.95


def test_whoever_is_not_heard_gets_what_is_left(tmp_path: Path) -> None:
    there = stage(tmp_path, SIX)
    states = next(iter(updates(there.run(1)))).snapshot.vehicles
    order = Order(1, "go", there.roster.vids, np.array([[500.0, 0.0, np.nan]]))
    some = states.take(np.array([0, 3]))
    for known in (some, states.take(np.array([], np.intp))):
        given = there.gathering.given_out(order, known)
        assert sorted(given.vids.tolist()) == order.vids.tolist()


def test_between_walls_they_stand_closer(tmp_path: Path) -> None:
    walls = """
terrain:
  features:
    - {kind: building, name: north, at: [150, 30], rectangle: [400, 20]}
    - {kind: building, name: south, at: [150, -30], rectangle: [400, 20]}
    - {kind: building, name: east, at: [190, 0], rectangle: [20, 80]}
    - {kind: building, name: west, at: [110, 0], rectangle: [20, 80]}
"""
    there = stage(tmp_path, SIX + walls)
    places, gap = there.gathering.places(np.array([150.0, 0, np.nan]), there.roster.vids)
    assert apart(places) == pytest.approx(gap) == pytest.approx(CLOSE * LENGTH)
    assert np.abs(places[0] - 150).max() < 30 - LENGTH / 2


def test_who_comes_no_nearer_for_a_minute_says_so_once(tmp_path: Path) -> None:
    said, _ = driven(tmp_path, 1, TAKEN)
    assert said == [
        (1, "arrived"),
        (2, "has come no nearer to (80, 0) for 60 s"),
    ]


def test_places_in_words_are_exact_to_a_tenth() -> None:
    assert place_words(191.94, 9.9e-16) == "(191.9, 0)"
    assert place_words(-0.04, -12345.67) == "(0, -12345.7)"


def test_the_first_gets_the_point_itself_and_so_does_who_goes_alone(tmp_path: Path) -> None:
    there = stage(tmp_path, SIX)
    gathering, point = Gathering(there.roster, there.terrain), np.array([150.0, 0.0, np.nan])
    places, gap = gathering.places(point, np.array([4, 2, 6], np.uint32))
    assert places[:, 0].tolist() == [150.0, 0.0]
    assert apart(places) == pytest.approx(gap) == pytest.approx(APART)
    alone, gap = gathering.places(point, np.array([4], np.uint32))
    assert alone.tolist() == [[150.0], [0.0]]
    assert gap == np.inf


def test_nobody_is_sent_into_a_building_or_over_a_river(tmp_path: Path) -> None:
    there = stage(tmp_path, SIX + BARN)
    gathering = Gathering(there.roster, there.terrain)
    point = np.array([150.0, 0.0, np.nan])
    places, gap = gathering.places(point, there.roster.vids)
    barn = shapely.box(140, 4, 160, 24)
    gaps = shapely.distance(barn, shapely.points(places.T))
    assert gaps[1:].min() >= LENGTH
    assert places[1].min() > -25 + LENGTH
    assert apart(places) == pytest.approx(gap)


def test_places_in_rings_are_one_apart_and_none_is_nearer_than_those_before_by_much() -> None:
    places = rings(61)
    assert apart(places) == pytest.approx(1.0)
    assert np.hypot(*places).max() == pytest.approx(4.0)


def test_who_takes_up_an_order_again_keeps_its_place() -> None:
    points = np.array([[0.0, 0.0, np.nan], [100, 0, np.nan], [100, 100, np.nan]])
    order = Order(1, "go", np.array([3, 1, 2], np.uint32), points)
    here = np.array([1, 2], np.uint32), np.array([10.0, 100]), np.array([1.0, 50])
    parts = taken_up(order, *here, np.array([0.0, np.pi / 2]))
    assert [part.vids.tolist() for part in parts] == [[1], [2]]
    assert all(part.everybody.tolist() == [3, 1, 2] for part in parts)
