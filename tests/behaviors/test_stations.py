"""Who leads and who stands where, against brute force, and the rule against its closed form."""

from itertools import permutations

import numpy as np
import pytest
from scipy import optimize

from movenv.behaviors import muster as muster_module
from movenv.behaviors.muster import Formation, Muster, given_out, toil
from movenv.behaviors.shapes import SHAPES, stations_of
from movenv.behaviors.stations import Keeping, Stations
from movenv.parts import ConfigColumns, Moment, Own, Setup
from movenv.world.columns import U4
from movenv.world.kinds import Kind
from movenv.world.messages import Health, Roster, VehicleStates

MOMENT = Moment(0, 0.0, 0.1, 0)
CAR = {"length": 2.5, "cruise_speed": 10.0, "min_speed": 0.0, "max_speed": 20.0}
CAR |= {"max_acceleration": 3.0, "max_steer": 0.6, "max_pitch": 0.0}
PLANE = CAR | {"min_speed": 9.0, "cruise_speed": 15.0, "max_pitch": 0.3}


def states(places: np.ndarray, velocity=(8.0, 0.0), yaw=None, health=None, age=0.0, first=1):
    """Vehicles from vid `first` on; places (n, 2), one velocity for all or one each."""
    count = len(places)
    columns = {name: np.zeros(count, dtype) for name, dtype in VehicleStates.dtypes.items()}
    columns["vid"] = np.arange(first, first + count).astype(np.uint32)
    columns["x"], columns["y"] = np.array(places, float).reshape(count, 2).T.copy()
    vx, vy = np.broadcast_to(np.array(velocity, float), (count, 2)).T
    columns["vx"], columns["vy"] = vx.astype(np.float32), vy.astype(np.float32)
    course = np.arctan2(vy, vx) if yaw is None else np.full(count, yaw)
    columns["yaw"] = course.astype(np.float32)
    columns["health"][:] = Health.HEARD if health is None else health
    columns["age"][:] = age
    return VehicleStates(columns)


def roster(count: int, kinds: list[Kind], kind: np.ndarray) -> Roster:
    vids = np.arange(1, count + 1).astype(np.uint32)
    names = [f"v{vid}" for vid in vids]
    origin, length = np.zeros(count, np.uint8), np.full(count, 2.5)
    return Roster(vids, names, kinds, kind.astype(np.uint8), origin, length, [])


def stations(count: int, vids: U4, build=CAR, kinds=None, kind=None) -> Stations:
    kinds = [Kind("ground", "")] if kinds is None else kinds
    kind = np.zeros(count) if kind is None else kind
    able = {name: np.full(len(vids), value) for name, value in build.items()}
    none = ConfigColumns([], np.empty(0, np.intp))
    payload = np.empty(len(vids), object)
    who = roster(count, kinds, kind)
    return Stations(Setup(vids, none, able, {}, {}, {}, who, payload, lambda p: (0.0, 0.0, None)))


def own(others: VehicleStates, vids: U4, build=CAR) -> Own:
    rows = np.searchsorted(others.vid, vids)
    columns = {name: getattr(others, name)[rows].astype(float) for name in ("x", "y", "z", "yaw")}
    columns |= {name: getattr(others, name)[rows].astype(float) for name in ("vx", "vy", "vz")}
    columns["speed"] = np.hypot(columns["vx"], columns["vy"])
    columns |= {name: np.full(len(vids), value) for name, value in build.items()}
    return Own(vids, columns, None)


def one_follower(place, velocity, build=CAR, yaw=None, **how) -> object:
    """The proposal for a follower whose station is 10 m behind a leader at the origin."""
    vids = np.array([2], np.uint32)
    kept = stations(2, vids, build)
    members = np.array([1, 2], np.uint32)
    kept.form(np.array([0]), 1, members, "column", 10.0, Keeping(**how))
    others = states(np.array([[0.0, 0.0], place]), velocity, yaw)
    return kept.keep(own(others, vids, build), others, MOMENT)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("followers", [1, 2, 3, 5, 14, 40])
def test_neighbours_in_a_shape_are_a_spacing_apart(shape, followers) -> None:
    points = np.column_stack([[0.0, 0.0], stations_of(shape, followers, 7.0)])
    gaps = np.hypot(*(points[:, :, None] - points[:, None]))
    np.fill_diagonal(gaps, np.inf)
    assert gaps.min(axis=0) == pytest.approx(7.0)


def test_shapes_look_as_they_are_called() -> None:
    shape = {name: stations_of(name, 8, 10.0) for name in SHAPES}
    assert np.array_equal(shape["column"], [-10.0 * np.arange(1, 9), np.zeros(8)])
    assert (shape["line"][0] == 0).all()
    assert (shape["wedge"][0] < 0).all()
    assert np.array_equal(shape["vee"], shape["wedge"] * [[-1], [1]])
    assert (shape["echelon"] < 0).all()
    assert (stations_of("echelon", 8, 10.0, "left")[1] > 0).all()
    for name in ("line", "wedge", "vee", "diamond"):  # as many to the left as to the right
        assert sorted(shape[name][1]) == pytest.approx(sorted(-shape[name][1]))
    assert shape["diamond"][:, -1] == pytest.approx([-40 / np.sqrt(2), 0.0])  # nine fill it
    with pytest.raises(ValueError, match="'star' is none of column"):
        stations_of("star", 3, 10.0)


@pytest.mark.parametrize("followers", [2, 3, 4, 5, 6])
def test_stations_are_given_out_as_brute_force_would(followers) -> None:
    random = np.random.default_rng(followers)
    for _ in range(20):
        shape = SHAPES[random.integers(len(SHAPES))]
        points = stations_of(shape, followers, 10.0)
        places = random.uniform(-40, 40, (2, followers))
        cost = toil(points, places)
        rows = np.arange(followers)
        best = min(permutations(rows), key=lambda given: cost[rows, list(given)].sum())
        assert np.array_equal(given_out(points, places, 5.0), best)


def test_the_ways_are_more_even_after_a_turn_than_with_the_old_stations() -> None:
    for shape, turn in (("wedge", 80), ("wedge", -100), ("vee", 120), ("diamond", 80)):
        points = stations_of(shape, 6, 10.0)
        c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        places = np.array([[c, s], [-s, c]]) @ points  # where they were, seen by the new direction
        given = given_out(points, places, 5.0)
        on = 2.0 * np.hypot(*points).max()
        before, after = (
            np.hypot(points[0, order] + on - places[0], points[1, order] - places[1])
            for order in (np.arange(6), given)
        )
        longest = min(
            np.hypot(points[0, list(o)] + on - places[0], points[1, list(o)] - places[1]).max()
            for o in permutations(range(6))
        )
        assert after.max() < 0.95 * before.max()
        assert after.max() <= 1.1 * longest
        assert np.ptp(after) < np.ptp(before)


def test_in_order_nobody_changes_places_however_far_all_of_them_are_off() -> None:
    random = np.random.default_rng(1)
    for shape in SHAPES:
        points = stations_of(shape, 6, 10.0)
        for _ in range(50):
            angle, far = random.uniform(0, 2 * np.pi, 6), random.uniform(0, 2.4, 6)
            common = random.uniform(-200, 200, (2, 1))
            places = points + far * np.array([np.cos(angle), np.sin(angle)]) + common
            assert np.array_equal(given_out(points, places, 5.0), np.arange(6))


def test_stations_depend_on_what_is_seen_and_on_nothing_before() -> None:
    formation = Formation(1, tuple(range(2, 9)), "wedge", 10.0)
    random = np.random.default_rng(2)
    old = Muster([formation])
    for _ in range(50):
        seen = states(random.uniform(-50, 50, (8, 2)), random.uniform(-8, 8, (8, 2)))
        fresh = Muster([formation])
        old.look(seen)
        fresh.look(seen)
        assert np.array_equal(old.stations, fresh.stations)


def test_everyone_has_a_station_of_its_own_in_many_formations_at_once() -> None:
    random = np.random.default_rng(3)
    forms = [Formation(10 * k + 1, tuple(range(10 * k + 2, 10 * k + 11)), "vee", 8.0)
             for k in range(20)]  # fmt: skip
    seen = states(random.uniform(-500, 500, (200, 2)))
    together = Muster(forms)
    together.look(seen)
    for k, form in enumerate(forms):
        mine = together.stations[:, together.formation == k]
        wanted = stations_of("vee", 9, 8.0)
        assert sorted(mine.T.tolist()) == sorted(wanted.T.tolist())
        alone = Muster([form])
        alone.look(seen)
        assert np.array_equal(alone.stations, mine)


def test_a_lost_leader_is_replaced_by_the_lowest_that_is_heard_and_leads_again() -> None:
    muster = Muster([Formation(5, (1, 2, 3, 4), "column", 10.0)])
    places = np.column_stack([np.arange(5) * 10.0, np.zeros(5)])
    health = np.full(5, Health.HEARD)
    for lost, leads, follow in (
        ([], 4, [0, 1, 2, 3]),
        ([4], 0, [1, 2, 3]),
        ([4, 0], 1, [2, 3]),
        ([1], 4, [0, 2, 3]),
        ([0, 1, 2, 3, 4], -1, []),
        ([], 4, [0, 1, 2, 3]),
    ):
        now = health.copy()
        now[lost] = Health.LOST
        muster.look(states(places, health=now, age=np.where(now == Health.LOST, 1.5, 0.0)))
        assert muster.leader[0] == leads
        assert np.flatnonzero(muster.follows).tolist() == follow
        kept = muster.stations[:, muster.follows]  # those that are left close up
        assert sorted(-kept[0]) == [10.0 * (k + 1) for k in range(len(follow))]


@pytest.mark.parametrize(
    ("health", "age", "leads"),
    [(Health.LOST, 0.9, 0), (Health.LOST, 1.1, 1), (Health.STALE, 5.0, 1), (Health.UNHEARD, 0, 1)],
)
def test_a_leader_is_lost_after_a_second(health, age, leads) -> None:
    muster = Muster([Formation(1, (2, 3), "column", 10.0)])
    all_of_them = np.array([health, Health.HEARD, Health.HEARD])
    muster.look(states(np.zeros((3, 2)), health=all_of_them, age=age))
    assert muster.leader[0] == leads


def test_a_leader_of_whom_nothing_was_ever_told_is_replaced() -> None:
    muster = Muster([Formation(1, (2, 3), "column", 10.0)])
    muster.look(states(np.zeros((2, 2)), first=2))
    assert muster.leader[0] == 0
    assert muster.follows.tolist() == [False, True]
    muster.look(states(np.full((3, 2), [[np.nan, np.nan], [0, 0], [1, 1]])))
    assert muster.leader[0] == 1
    muster.look(VehicleStates.empty())
    assert muster.leader[0] == -1


@pytest.mark.parametrize(("behind", "speed"), [(0.0, 8.0), (5.0, 10.0), (-5.0, 6.0), (-20.0, 0.0)])
def test_speed_is_the_leaders_by_the_distance_to_the_projected_station(behind, speed) -> None:
    # 8 m/s for 2 s and 4 m more: 20 m ahead.
    asked = one_follower([-10.0 - behind, 0.0], (8.0, 0.0), p_s=2.0, p_o=4.0)
    assert asked.active.all()
    assert asked.to[:, 0] == pytest.approx([10.0, 0.0])
    assert asked.speed[0] == pytest.approx(speed)
    assert asked.steer[0] == pytest.approx(0.0)


def test_nobody_moves_that_is_close_to_the_projected_station_and_ahead_of_it() -> None:
    near = one_follower([15.0, 2.0], (8.0, 0.0), p_s=2.0, p_o=4.0, e_max=6.0)
    assert near.speed[0] == 0.0
    far = one_follower([15.0, 4.0], (8.0, 0.0), p_s=2.0, p_o=4.0, e_max=6.0)
    assert far.speed[0] == pytest.approx(8 * np.hypot(5, 4) / 20)
    behind = one_follower([5.0, 2.0], (8.0, 0.0), p_s=2.0, p_o=4.0, e_max=6.0)
    assert behind.speed[0] == pytest.approx(8 * np.hypot(5, 2) / 20)


def test_behind_a_leader_that_stands_followers_close_up_at_their_own_pace() -> None:
    # A car closes up at 3 m/s at first: p_o away.
    asked = one_follower([-14.0, 0.0], (0.0, 0.0), yaw=0.0, p_o=4.0)
    assert asked.speed[0] == pytest.approx(3.0)
    assert asked.to[:, 0] == pytest.approx([-10.0, 0.0])
    there = one_follower([-10.9, 0.4], (0.0, 0.0), yaw=0.0, p_o=4.0)
    assert there.speed[0] == 0.0


def test_a_straggler_says_so_and_hurries() -> None:
    slow = one_follower([-59.0, 0.0], (1.0, 0.0), straggler=50.0, p_o=100.0)
    assert not slow.rejoins[0]
    assert slow.speed[0] < 3
    asked = one_follower([-61.0, 0.0], (1.0, 0.0), straggler=50.0, p_o=100.0)
    assert asked.rejoins[0]
    assert asked.speed[0] == pytest.approx(1 + np.sqrt(3.0 * 51), abs=0.1)  # it can still brake
    limited = one_follower([-61.0, 0.0], (1.0, 0.0), straggler=50.0, speed=7.0)
    assert limited.speed[0] == 7.0


def test_an_aircraft_never_goes_slower_than_it_can_fly() -> None:
    ahead = one_follower([20.0, 0.0], (12.0, 0.0), PLANE, p_s=2.0, p_o=4.0)
    assert ahead.speed[0] == 9.0
    assert abs(ahead.steer[0]) > 0.1  # it weaves
    waits = one_follower([-10.0, 1.0], (0.0, 0.0), PLANE, yaw=0.0)
    assert waits.speed[0] == 9.0


def test_who_leaves_keeps_no_station_and_a_leader_never_does() -> None:
    vids = np.array([1, 2, 3], np.uint32)
    kept, others = stations(3, vids), states(np.array([[0.0, 0.0], [-9, 0], [-18, 0]]))
    mine = own(others, vids)
    assert not kept.keep(mine, others, MOMENT).active.any()
    kept.form(np.arange(3), 1, vids, "column", np.nan)
    asked = kept.keep(mine, others, MOMENT)
    assert asked.active.tolist() == [False, True, True]
    assert np.isnan(asked.to[:, 0]).all()
    asked.check(3)
    kept.leave(np.array([1]))
    assert kept.keep(mine, others, MOMENT).active.tolist() == [False, False, True]
    kept.leave(np.array([0, 2]))
    assert not kept.keep(mine, others, MOMENT).active.any()


def test_formations_can_be_formed_anew_while_others_stay() -> None:
    vids = np.arange(1, 9).astype(np.uint32)
    kept, others = stations(8, vids), states(np.random.default_rng(4).uniform(-40, 40, (8, 2)))
    mine = own(others, vids)
    kept.form(np.arange(4), 1, vids[:4], "wedge", 10.0)
    kept.form(np.arange(4, 8), 5, vids[4:], "line", 10.0)
    before = kept.keep(mine, others, MOMENT)
    kept.form(np.arange(4), 2, vids[:4], "column", 10.0)
    after = kept.keep(mine, others, MOMENT)
    assert after.active.tolist() == [True, False, True, True, False, True, True, True]
    assert np.array_equal(before.to[:, 5:], after.to[:, 5:])
    with pytest.raises(ValueError, match="vid 5 is no member"):
        kept.form(np.array([4]), 1, vids[:4], "line", 10.0)


def test_a_large_formation_weighs_few_at_once_and_its_ways_are_hardly_longer(monkeypatch) -> None:
    whole, sizes = optimize.linear_sum_assignment, []

    def counted(cost):
        sizes.append(len(cost))
        return whole(cost)

    monkeypatch.setattr(optimize, "linear_sum_assignment", counted)
    random = np.random.default_rng(4)
    for shape in SHAPES:
        points = stations_of(shape, 199, 20.0)
        places = points + random.normal(0, 150, points.shape)
        given = given_out(points, places, 10.0)
        assert np.array_equal(np.sort(given), np.arange(199))
        ways = toil(points, places) ** 0.25
        _, best = whole(toil(points, places))
        rows = np.arange(199)
        assert ways[rows, given].max() <= 1.1 * ways[rows, best].max()
        assert ways[rows, given].sum() <= 1.05 * ways[rows, best].sum()
    assert 0 < max(sizes) <= 48


@pytest.mark.parametrize("shape", ["column", "wedge", "diamond"])
def test_a_large_formation_comes_to_order_with_no_more_changes_of_mind(shape, monkeypatch) -> None:
    points = stations_of(shape, 100, 10.0)

    def changes() -> int:
        places = np.random.default_rng(5).uniform(-400, 400, (2, 100))
        before, count = None, 0
        for _ in range(160):
            given = given_out(points, places, 5.0)
            count += 0 if before is None else int((given != before).sum())
            way, before = points[:, given] - places, given
            places = places + way * np.minimum(1.0, 10.0 / np.maximum(np.hypot(*way), 1e-9))
        assert np.hypot(*way).max() < 1.0
        return count

    found = changes()
    monkeypatch.setattr(muster_module, "AT_ONCE", 1000)
    assert found <= 1.2 * changes()


def test_a_formation_has_at_most_two_hundred_vehicles() -> None:
    Formation(1, tuple(range(2, 201)), "wedge", 10.0)
    with pytest.raises(ValueError, match="a formation of 201 vehicles: 200 is the most"):
        Formation(1, tuple(range(2, 202)), "wedge", 10.0)
