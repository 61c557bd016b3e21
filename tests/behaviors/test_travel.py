"""Vehicles with inertia get round what stands in their way without ever being in it."""

import numpy as np
import pytest
import shapely

from movenv.behaviors.cornering import widest_turn
from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.load import load

HEAD = """
name: test
origin: {lat: 29.193111, lon: -81.046171}
"""
CAR = """
time: {duration: 60}
vehicles:
  - name: v
    kind: ground
    start: {at: [0, 0], heading_deg: 90, speed: 10}
    behaviors: {move_to: {SETTINGS}}
terrain:
  features:
"""
WALL = shapely.box(85, -27, 115, 33)
COURT = shapely.box(40, -40, 110, 40) - shapely.box(30, -30, 100, 30)


def feature(shape: shapely.Polygon, kind: str = "building", more: str = "") -> str:
    corners, *holes = (
        [[round(x, 6), round(y, 6)] for x, y in ring.coords[:-1]]
        for ring in (shape.exterior, *shape.interiors)
    )
    inner = f", holes: {holes}" if holes else ""
    return f"    - {{kind: {kind}, polygon: {corners}{inner}{more}}}\n"


class Seen:
    """Ways (ticks, 2) and speeds by name, and what was said to the operator, with when."""

    def __init__(self, tmp_path, text: str) -> None:
        path = tmp_path / "test.yaml"
        path.write_text(HEAD + text)
        run = build(load(str(path)))
        seen = list(updates(run))
        vehicles = [update.snapshot.vehicles for update in seen]
        self.t = np.array([update.snapshot.t for update in seen])
        for axis in ("x", "y", "speed", "step"):
            setattr(self, axis, np.array([getattr(v, axis) for v in vehicles]).T)
        self.said = [(u.snapshot.t, *remark) for u in seen for remark in u.remarks]

    def way(self, row: int = 0) -> np.ndarray:
        return np.column_stack([self.x[row], self.y[row]])

    def line(self, row: int = 0) -> shapely.LineString:
        return shapely.LineString(self.way(row))


@pytest.mark.parametrize("degrees", [20, 45, 80, 90, 120, 150, 175])
@pytest.mark.parametrize("off", [0.3, 1.2, 5.0])
def test_a_corner_is_cut_and_overshot_by_no_more_than_is_allowed(degrees, off) -> None:
    # Drawn: along x, then round a circle from s before the corner on, until it leads onward.
    turn = np.radians(degrees)
    radius = float(widest_turn(np.array([turn]), np.array([np.inf]), np.array([off]))[0])
    early = np.sqrt(2 * radius * off + off**2)
    angle = np.linspace(0, turn, 20_001)
    x, y = radius * np.sin(angle) - early, radius * (1 - np.cos(angle))
    cut = np.hypot(early, radius) - radius
    assert cut == pytest.approx(off, rel=1e-9)
    # To the right of the line that leads on from the corner is beyond it.
    beyond = x * np.sin(turn) - y * np.cos(turn)
    assert beyond[-1] == pytest.approx(off, rel=1e-3)
    assert beyond.max() <= off * (1 + 1e-6)


@pytest.mark.parametrize(
    ("shape", "shortest"),
    [
        (WALL, 2 * np.hypot(85, 27) + 30),
        (COURT, np.hypot(40, 40) + 70 + np.hypot(90, 40)),
    ],
    ids=["a building in the way", "a court that opens toward the start"],
)
def test_a_car_at_speed_rounds_it_on_about_the_shortest_way(tmp_path, shape, shortest) -> None:
    seen = Seen(tmp_path, CAR.replace("SETTINGS", "to: [200, 0]") + feature(shape))
    assert np.hypot(*(seen.way()[-1] - (200, 0))) <= 2
    assert seen.speed[0, -1] == pytest.approx(0, abs=1e-3)
    assert seen.speed.max() == pytest.approx(10, abs=0.01)
    assert seen.line().distance(shape) > 1.0
    # It keeps 2.35 m away and comes to rest a metre before the goal.
    assert shortest - 1.5 <= seen.line().length <= 1.05 * shortest


@pytest.mark.parametrize("visibility", [15, 40])
def test_who_sees_little_gets_out_of_the_court_all_the_same(tmp_path, visibility) -> None:
    text = CAR.replace("SETTINGS", f"to: [200, 0], visibility: {visibility}, speed: 5")
    seen = Seen(tmp_path, text.replace("duration: 60", "duration: 200") + feature(COURT))
    assert np.hypot(*(seen.way()[-1] - (200, 0))) <= 2
    assert seen.line().distance(COURT) > 0.5


def test_an_alley_a_car_wide_on_either_side_is_turned_into(tmp_path) -> None:
    blocks = [shapely.box(-60, 3, 90, 83), shapely.box(94.75, 3, 185, 83)]
    blocks.append(shapely.box(-60, -80, 185, -4))
    text = CAR.replace("SETTINGS", "to: [100, 120]") + "".join(map(feature, blocks))
    seen = Seen(tmp_path, text)
    assert np.hypot(*(seen.way()[-1] - (100, 120))) <= 2
    through = shapely.box(90, 10, 94.75, 80)
    assert seen.line().intersection(through).length == pytest.approx(70, rel=0.01)
    assert min(seen.line().distance(block) for block in blocks) > 1.0


def test_two_dozen_cars_in_a_town_arrive_and_are_never_inside_a_house(tmp_path) -> None:
    rng = np.random.default_rng(11)
    middles = [(x, y) for x in range(-120, 121, 40) for y in range(-120, 121, 40)]
    sizes = rng.uniform(4, 16.5, (49, 2))
    houses = [
        shapely.box(x - w, y - h, x + w, y + h)
        for (x, y), (w, h) in zip(middles, sizes, strict=True)
    ]
    town, text = shapely.union_all(houses), "time: {duration: 120}\nvehicles:\n"
    free = [p for p in rng.uniform(-140, 140, (2000, 2)) if town.distance(shapely.Point(p)) > 9]
    starts, goals = free[:24], free[24:48]
    for k, (start, goal) in enumerate(zip(starts, goals, strict=True)):
        text += f"""  - name: v{k}
    kind: ground
    start: {{at: [{start[0]}, {start[1]}], heading_deg: {15 * k}, speed: 10}}
    behaviors: {{move_to: {{to: [{goal[0]}, {goal[1]}]}}}}
"""
    seen = Seen(tmp_path, text + "terrain:\n  features:\n" + "".join(map(feature, houses)))
    for k, goal in enumerate(goals):
        assert np.hypot(*(seen.way(k)[-1] - goal)) <= 2, f"v{k} is not there"
        assert seen.line(k).distance(town) > 0, f"v{k} was inside a house"
    assert not seen.said


KEEP = shapely.box(150, -50, 250, 50) - shapely.box(160, -40, 240, 40)
WALLED = """
time: {duration: 60}
vehicles:
  - name: v
    kind: KIND
    start: {at: [0, 0, 5], heading_deg: 90}
    mission:
      - {step: in, do: {move_to: {to: [200, 0, 5], visibility: 120}}, until: {time: 40}}
      - {step: back, do: {go_to_point: {at: [-50, 0, 5]}}}
terrain:
  features:
"""


def test_a_goal_walled_in_is_said_once_and_a_mission_goes_on_by_time(tmp_path) -> None:
    seen = Seen(tmp_path, WALLED.replace("KIND", "ground").replace(", 5]", "]") + feature(KEEP))
    ((when, vid, words),) = seen.said
    assert vid == 1
    assert words == "no way to (200, 0): obstacles shut it off"
    assert seen.line().distance(KEEP) > 2
    before = (seen.t > when + 10) & (seen.t < 40)
    assert seen.speed[0, before].max() == pytest.approx(0, abs=1e-3)
    assert seen.step[0, seen.t < 39.9].max() == 1
    assert seen.x[0, -1] < 0


def test_a_plane_that_finds_no_way_circles(tmp_path) -> None:
    seen = Seen(tmp_path, WALLED.replace("KIND", "aerial/fixedwing") + feature(KEEP))
    ((when, _, _),) = seen.said
    circling = (seen.t > when + 10) & (seen.t < 40)
    assert np.ptp(seen.x[0, circling]) < 40
    assert seen.speed[0, circling].min() > 8
    assert seen.line().distance(KEEP) > 2


@pytest.mark.parametrize(("z", "over"), [(5, False), (30, True)])
def test_who_flies_higher_than_a_house_flies_over_it(tmp_path, z, over) -> None:
    text = CAR.replace("kind: ground", "kind: aerial/rotorcraft").replace("[0, 0]", f"[0, 0, {z}]")
    text = text.replace("SETTINGS", f"to: [200, 0, {z}]").replace("speed: 10", "speed: 5")
    seen = Seen(tmp_path, text + feature(WALL))
    assert np.hypot(*(seen.way()[-1] - (200, 0))) <= 2
    assert seen.line().intersects(WALL) == over


RIVER = shapely.box(90, -300, 110, 300)
BRIDGES = "    - {kind: bridge, name: b, over: [river-1], line: [[85, 80], [115, 80]], width: 8}\n"
ROAD = "    - {kind: road, name: r, line: [[0, 20], [40, 80], [160, 80], [200, 30]]}\n"


@pytest.mark.parametrize("roads", ["off", "prefer", "only"])
def test_a_river_is_crossed_on_its_bridge(tmp_path, roads) -> None:
    text = CAR.replace("SETTINGS", f"to: [200, 0], roads: {roads}") + feature(RIVER, "river")
    seen = Seen(tmp_path, text + BRIDGES + ROAD)
    assert np.hypot(*(seen.way()[-1] - (200, 0))) <= 2
    wet = RIVER - shapely.box(85, 76, 115, 84)
    assert seen.line().distance(wet) > 0
    road = shapely.LineString([(0, 20), (40, 80), (160, 80), (200, 30)]).buffer(5)
    on_road = seen.line().intersection(road).length / seen.line().length
    assert (on_road > 0.7) == (roads != "off")


def test_something_on_the_road_is_gone_around(tmp_path) -> None:
    truck = shapely.box(60, -4, 70, 4)
    road = "    - {kind: road, line: [[-20, 0], [30, 0], [65, 0], [200, 0], [200, 100]]}\n"
    text = CAR.replace("SETTINGS", "to: [200, 90], roads: only") + feature(truck) + road
    seen = Seen(tmp_path, text)
    assert np.hypot(*(seen.way()[-1] - (200, 90))) <= 2
    assert seen.line().distance(truck) > 0.5
    beside = np.abs(seen.y[0, (seen.x[0] > 110) & (seen.x[0] < 190)])
    assert beside.max() < 1, "back on the road"
    assert not seen.said


def test_roads_that_do_not_connect_are_said(tmp_path) -> None:
    roads = "".join(
        f"    - {{kind: road, line: [[{a}, 0], [{b}, 0]]}}\n" for a, b in ((-20, 90), (110, 220))
    )
    seen = Seen(tmp_path, CAR.replace("SETTINGS", "to: [200, 0], roads: only") + roads)
    assert [words for _, _, words in seen.said] == ["no way to (200, 0): no road leads there"]
    assert seen.speed[0, -1] == pytest.approx(0, abs=1e-3)
    seen = Seen(tmp_path, CAR.replace("SETTINGS", "to: [200, 0], roads: prefer") + roads)
    assert not seen.said
    assert np.hypot(*(seen.way()[-1] - (200, 0))) <= 2
