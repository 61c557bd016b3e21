"""Ways over roads are as cheap as any that brute force finds, and keep to the roads."""

from itertools import pairwise

import numpy as np
import pytest
import shapely

from movenv.terrain.features import Road
from movenv.terrain.roads import RoadNetwork

FACTOR = 3.0


def road(*points: tuple[float, float], width: float = 4.0, level: int = 0) -> Road:
    return Road(str(points), np.array(points, float), width, level=level)


def cost(start, way, factor: float = FACTOR) -> float:
    """Off the roads to the first place and from the last but one, on them in between."""
    legs = np.hypot(*np.diff(np.vstack([start, way]), axis=0).T)
    if len(legs) == 1:
        return factor * legs[0]
    return factor * (legs[0] + legs[-1]) + legs[1:-1].sum()


class Brute:
    """Roads on whole metres, sampled every metre; Floyd-Warshall between all samples."""

    def __init__(self, roads: list[Road]) -> None:
        places: dict[tuple[int, int], int] = {}
        links = []
        for one in roads:
            line = shapely.LineString(one.line)
            steps = round(line.length)
            points = [line.interpolate(d) for d in range(steps + 1)]
            rows = [places.setdefault((round(p.x), round(p.y)), len(places)) for p in points]
            links += list(pairwise(rows))
        far = np.full((len(places), len(places)), np.inf)
        np.fill_diagonal(far, 0.0)
        for a, b in links:
            far[a, b] = far[b, a] = 1.0
        for k in range(len(places)):
            np.minimum(far, far[:, k, None] + far[k], out=far)
        self.far, self.places = far, np.array(list(places), float)

    def prefer(self, start, goal) -> float:
        into, out = (np.hypot(*(self.places - p).T) * FACTOR for p in (start, goal))
        best = (into[:, None] + self.far + out).min()
        return min(best, FACTOR * np.hypot(*np.subtract(goal, start)))

    def only(self, start, goal) -> float:
        """Metres on the road between the nearest samples."""
        a, b = (np.argmin(np.hypot(*(self.places - p).T)) for p in (start, goal))
        return float(self.far[a, b])


TOWNS = {
    "one road": [road((0, 0), (40, 0))],
    "a bend": [road((0, 0), (30, 0), (30, 25))],
    "a T, whose stem ends in the middle of a leg": [road((0, 0), (40, 0)), road((17, 0), (17, 30))],
    "two that cross without a common point": [road((-20, 0), (20, 0)), road((3, -25), (3, 25))],
    "a grid": [road((x, -20), (x, 20)) for x in (-20, 0, 20)]
    + [road((-20, y), (20, y)) for y in (-20, 0, 20)],
    "two that never meet": [road((-20, 0), (-5, 0)), road((5, 3), (5, 30))],
    "a closed block": [road((0, 0), (20, 0), (20, 20), (0, 20), (0, 0))],
}


@pytest.mark.parametrize("town", TOWNS)
def test_prefer_finds_the_cheapest_of_all_ways(town) -> None:
    roads = TOWNS[town]
    network, brute = RoadNetwork(roads), Brute(roads)
    ground = shapely.union_all([shapely.LineString(r.line) for r in roads]).buffer(1e-6)
    rng, straight = np.random.default_rng(5), 0
    for start, goal in rng.uniform(-45, 45, (60, 2, 2)):
        way = network.way(start, goal, "prefer", FACTOR)
        found, best = cost(start, way), brute.prefer(start, goal)
        assert way[-1] == pytest.approx(goal)
        # Between the samples there are better places to enter and to leave; never worse ones.
        assert best - 1.5 <= found <= best + 1e-6
        if len(way) > 2:
            assert ground.covers(shapely.LineString(way[:-1]))
        straight += len(way) == 1
    assert 0 < straight < 60, "both straight and by road"


@pytest.mark.parametrize("town", TOWNS)
def test_only_drives_from_the_nearest_point_to_the_nearest_point(town) -> None:
    roads = TOWNS[town]
    network, brute = RoadNetwork(roads), Brute(roads)
    everything = shapely.union_all([shapely.LineString(r.line) for r in roads])
    rng, unconnected = np.random.default_rng(6), 0
    for start, goal in rng.uniform(-45, 45, (60, 2, 2)):
        way, metres = network.way(start, goal, "only", FACTOR), brute.only(start, goal)
        if way is None:
            assert np.isinf(metres)
            unconnected += 1
            continue
        for place, end in ((start, way[0]), (goal, way[-2] if len(way) > 1 else way[-1])):
            nearest = everything.distance(shapely.Point(place))
            assert np.hypot(*(end - place)) == pytest.approx(nearest, abs=1e-6)
        driven = np.hypot(*np.diff(way[:-1], axis=0).T).sum()
        assert driven == pytest.approx(metres, abs=2.0)
    assert (unconnected > 0) == (town == "two that never meet")


def test_one_enters_a_road_slantwise_as_light_enters_glass() -> None:
    # 3 m of road for 1 m of field: the field is crossed at the angle whose cosine is 1/3.
    way = RoadNetwork([road((-500, 0), (500, 0))]).way(
        np.array([-300.0, 40.0]), np.array([300.0, -80.0]), "prefer", 3.0
    )
    lead = 1 / np.sqrt(8)
    assert way == pytest.approx(np.array([[-300 + 40 * lead, 0], [300 - 80 * lead, 0], [300, -80]]))


def test_a_road_that_ends_at_the_edge_of_another_meets_it() -> None:
    main = road((-100, 0), (100, 0), width=8)
    start, goal = np.array([50.0, 60.0]), np.array([-90.0, 0.0])
    side = road((50, 60), (50, 3.9))
    way = RoadNetwork([main, side]).way(start, goal, "only")
    assert way == pytest.approx(np.array([[50, 60], [50, 3.9], [50, 0], [-90, 0]]))
    far_side = road((50, 60), (50, 4.1))
    assert RoadNetwork([main, far_side]).way(start, goal, "only") is None


def test_a_stem_in_rounding_distance_of_a_slanting_road_meets_it() -> None:
    main = road((0, 0), (100, 37), width=0.01)
    for share in np.linspace(0.05, 0.95, 19):
        foot = share * np.array([100.0, 37.0])
        network = RoadNetwork([main, road(tuple(foot), (foot[0], 90))])
        way = network.way(np.array([foot[0], 90.0]), np.zeros(2), "only")
        assert way is not None
        assert np.hypot(*np.diff(way, axis=0).T).sum() == pytest.approx(
            90 - foot[1] + np.hypot(*foot), abs=1e-3
        )


@pytest.mark.parametrize("level", [-1, 0, 1])
def test_who_leaves_an_overpass_goes_on_to_its_end(level: int) -> None:
    below, ramp = road((0, -90), (0, 90)), road((60, 0), (60, 90), (0, 90))
    over = road((-60, 0), (60, 0), level=level)
    start, goal = np.array([-60.0, 0.0]), np.array([0.0, -90.0])
    way = RoadNetwork([below, over, ramp]).way(start, goal, "only")
    driven = np.hypot(*np.diff(way, axis=0).T).sum()
    assert driven == pytest.approx(150 if level == 0 else 120 + 90 + 60 + 180)
    assert (RoadNetwork([below, over]).way(start, goal, "only") is None) == (level != 0)


def test_roads_on_two_levels_meet_where_one_ends_or_both_have_a_point() -> None:
    start, goal = np.array([-60.0, 0.0]), np.array([0.0, -90.0])
    over = road((-60, 0), (0, 0), (60, 0), level=1)
    shared = RoadNetwork([road((0, -90), (0, 0), (0, 90)), over]).way(start, goal, "only")
    assert shared == pytest.approx(np.array([[-60, 0], [0, 0], [0, -90]]))
    for end in (0.0, 1.5, -1.5):
        way = RoadNetwork([road((-60, 0), (60, 0), level=1), road((0, -90), (0, end))]).way(
            start, goal, "only"
        )
        assert (way[0].tolist(), way[-1].tolist()) == ([-60, 0], [0, -90])


def test_without_roads_prefer_is_straight_on_and_only_is_no_way() -> None:
    start, goal = np.zeros(2), np.array([10.0, 0.0])
    nothing = RoadNetwork([])
    assert nothing.way(start, goal, "prefer") == pytest.approx(np.array([[10.0, 0.0]]))
    assert nothing.way(start, goal, "only") is None
    assert RoadNetwork([road((0, 5), (10, 5))]).way(start, goal, "off").shape == (1, 2)
