"""The rule against its own words, its remedies, and many encounters."""

import math

import numpy as np
import pytest
from shapely import Point

from movenv.behaviors.avoid import Avoid, AvoidConfig
from movenv.behaviors.cells import in_cells
from movenv.behaviors.threats import threats
from movenv.bench.encounter_draw import CLASSES, draw
from movenv.bench.encounters import meet
from movenv.parts import (
    ConfigColumns,
    Moment,
    Notices,
    Own,
    Proposal,
    Roster,
    Setup,
    VehicleStates,
    Wish,
)
from movenv.terrain.features import Obstacle, Terrain
from movenv.world.kinds import Kind
from movenv.world.messages import Health

NOWHERE = (math.nan, math.nan)


def states(places, velocities, z=None) -> VehicleStates:
    count = len(places)
    columns = {name: np.zeros(count) for name in VehicleStates.dtypes}
    columns["x"], columns["y"] = np.array(places, float).T
    columns["vx"], columns["vy"] = np.array(velocities, float).T
    columns["z"] = np.zeros(count) if z is None else np.array(z, float)
    columns["yaw"] = np.arctan2(columns["vy"], columns["vx"])
    columns["speed"] = np.hypot(columns["vx"], columns["vy"])
    vid, health = np.arange(1, count + 1), np.full(count, Health.HEARD)
    return VehicleStates(columns | {"vid": vid, "health": health})


class Look:
    """Everyone of a few ground vehicles of 2 m avoids by one rule."""

    def __init__(self, count: int, terrain=(), unit=(), **settings) -> None:
        self.vids = np.arange(1, count + 1, dtype=np.uint32)
        build = {"length": 2, "cruise_speed": 5, "min_speed": 0, "max_speed": 10,
                 "max_acceleration": 3, "max_steer": 0.6, "max_pitch": 0}  # fmt: skip
        self.build = {name: np.full(count, float(value)) for name, value in build.items()}
        roster = Roster(
            self.vids, [f"v{vid}" for vid in self.vids], [Kind("ground")],
            np.zeros(count, np.uint8), np.ones(count, np.uint8), self.build["length"], ["avoid"],
            units=["u"], unit=list(unit) or [-1] * count,
            build=self.build | {"max_steer_rate": np.ones(count)},
        )  # fmt: skip
        config = AvoidConfig(method="constant_velocity", **settings)
        self.avoid = Avoid(
            Setup(
                self.vids, ConfigColumns([config], np.zeros(count, np.intp)), self.build, {}, {},
                {}, roster, np.full(count, None), lambda point: (0.0, 0.0, None),
                Terrain(tuple(terrain)),
            )
        )  # fmt: skip

    def __call__(self, others, to=None, rejoins=None) -> Proposal:
        """Everyone wishes to go on as it goes."""
        count = len(self.vids)
        motion = {
            name: getattr(others, name).astype(float)[:count]
            for name in ("x", "y", "z", "yaw", "speed", "vx", "vy")
        }
        own = Own(self.vids, motion | self.build, None)
        far = np.full((2, count), np.nan) if to is None else np.array([to] * count, float).T
        back = np.zeros(count, np.bool_) if rejoins is None else np.array(rejoins)
        still = np.zeros(count)
        wish = Wish(~np.zeros(count, np.bool_), still, own.speed, still, far, back, back)
        found = self.avoid.refine(own, wish, others, Notices.empty(), Moment(0, 0.0, 0.1, 0))
        assert found is not None
        return found


def brute_force(place, velocity, d_min, p_max):
    """The rule as the paper words it, pair by pair in plain numbers."""
    found = {}
    for i in range(len(place)):
        for j in range(len(place)):
            p_r, v_r = place[j] - place[i], velocity[i] - velocity[j]
            size = float(np.hypot(*v_r))
            if i == j or np.hypot(*p_r) > p_max or p_r @ v_r <= 0:
                continue
            d = float(v_r[0] * p_r[1] - v_r[1] * p_r[0]) / size
            if abs(d) <= d_min:
                found[i, j] = (d, float(p_r @ v_r) / size**2)
    return found


def test_threats_are_those_of_the_rule_pair_by_pair() -> None:
    random = np.random.default_rng(5)
    place = random.uniform(-150, 150, (80, 2))
    velocity = random.uniform(-10, 10, (80, 2))
    level, vid = np.zeros(80), np.arange(1.0, 81)
    wide, room, none = np.full(80, 60.0), np.full(80, 4.0), np.zeros(80)
    mine = np.array([*place.T, level, *velocity.T, wide, room, none, vid])
    theirs = np.array([*place.T, level, level, *velocity.T, none, vid])
    seen = threats(mine, theirs, in_cells(place[:, 0], place[:, 1], 37.0))
    expected = brute_force(place, velocity, 4.0, 60.0)
    assert len(expected) > 25
    assert list(zip(seen.row, seen.other, strict=True)) == sorted(expected)
    for i, j, d, t in zip(seen.row, seen.other, seen.d, seen.t, strict=True):
        assert (d, t) == pytest.approx(expected[i, j], rel=1e-9, abs=1e-9)


def test_the_change_is_that_of_the_formula() -> None:
    """d = 2 m to the left, d_min 5 m, t = 4 s: 3 m are missing, G · 3 / 4 to the right."""
    look = Look(1, d_min=5, gain=1)
    proposal = look(states([(0, 0), (40, 2)], [(5, 0), (-5, 0)]))
    gain = float(look.avoid._methods[0][1]._gain[0])
    assert 0.95 <= gain <= 1.05
    aside = gain * 3 / 4
    assert proposal.active.all()
    assert proposal.pitch is None
    assert float(np.asarray(proposal.speed)[0]) == pytest.approx(math.hypot(5, aside), rel=1e-6)
    turn = -math.atan2(aside, 5)
    assert float(np.asarray(proposal.steer)[0]) == pytest.approx(turn * 2 / (5 * 0.5), rel=1e-5)


def test_two_vehicles_never_have_quite_the_same_gain() -> None:
    gains = Look(50).avoid._methods[0][1]._gain
    assert len(np.unique(gains)) == 50
    assert (np.abs(gains / 2.0 - 1) <= 0.05).all()


HEAD_ON = [(0, 0), (40, 0)], [(5, 0), (-5, 0)]


def test_exactly_head_on_both_go_right() -> None:
    proposal = Look(2)(states(*HEAD_ON))
    assert (np.asarray(proposal.steer) < 0).all()


def test_until_a_side_is_agreed_one_is_slower() -> None:
    unclear, clear = Look(1)(states(*HEAD_ON)), Look(1)(states([(0, 0), (40, 1.5)], HEAD_ON[1]))
    assert float(np.asarray(unclear.speed)[0]) < 3.5
    assert float(np.asarray(clear.speed)[0]) > 5


def test_a_side_once_chosen_is_kept() -> None:
    look = Look(1)
    assert float(np.asarray(look(states([(0, 0), (40, 1)], HEAD_ON[1])).steer)[0]) < 0
    assert float(np.asarray(look(states([(0, 0), (39, -1)], HEAD_ON[1])).steer)[0]) < 0
    look(states([(0, 0), (39, -1)], [(5, 0), (5, 0)]))  # the threat is over
    assert float(np.asarray(look(states([(0, 0), (38, -1)], HEAD_ON[1])).steer)[0]) > 0


def test_both_of_a_pair_always_choose_the_same_side() -> None:
    random = np.random.default_rng(2)
    both = 0
    for _ in range(300):
        angle, off = random.uniform(-3, 3), random.normal(0, 0.3)
        speed = random.uniform(1, 8)
        v = (speed * math.cos(angle), speed * math.sin(angle))
        place = (6 * (5 - v[0]) - off * v[1] / 5, -6 * v[1] + off)
        look = Look(2)
        if look(states([(0, 0), place], [(5, 0), v])).active.all():
            sides = look.avoid._methods[0][1]._sides._side
            assert sides[0] == sides[1]
            both += 1
    assert both > 250


def test_a_collision_beyond_the_goal_is_not_avoided() -> None:
    assert Look(1)(states(*HEAD_ON), to=(25, 0)).active.all()  # they would meet at 20 m
    assert not Look(1)(states(*HEAD_ON), to=(15, 0)).active.any()


def test_a_straggler_does_not_avoid_its_own_unit() -> None:
    met, back = states(*HEAD_ON), [True, False]
    assert not Look(2, unit=[0, 0])(met, rejoins=back).active[0]
    assert Look(2, unit=[0, 0])(met).active[0]
    assert Look(2, unit=[0, -1])(met, rejoins=back).active[0]


def test_vehicles_at_other_heights_are_no_concern() -> None:
    assert Look(1, d_min=5)(states(*HEAD_ON, z=[0, 4.9])).active.all()
    assert not Look(1, d_min=5)(states(*HEAD_ON, z=[0, 5.1])).active.any()


def test_one_without_a_place_is_no_concern() -> None:
    assert not Look(1)(states([(0, 0), NOWHERE], HEAD_ON[1])).active.any()


def test_trees_are_passed_as_others_that_stand() -> None:
    tree = Obstacle("oak", "tree", Point(20, 0.5).buffer(1.0))
    assert float(np.asarray(Look(1, [tree])(states([(0, 0)], [(5, 0)])).steer)[0]) < 0
    lake = Obstacle("lake", "lake", Point(20, 0.5).buffer(1.0))
    assert not Look(1, [lake])(states([(0, 0)], [(5, 0)])).active.any()
    aside = Obstacle("oak", "tree", Point(20, 3.2).buffer(1.0))  # 1 m and a length are 3 m
    assert not Look(1, [aside])(states([(0, 0)], [(5, 0)])).active.any()


def test_encounters_of_all_sorts_keep_half_of_d_min() -> None:
    met = draw(1_500, seed=11)
    assert {CLASSES[int(sort)] for sort in met.sort} == set(CLASSES)
    bare = meet(met, None)
    assert (bare.least < 1.001).all()
    assert (bare.least < 0.5).mean() > 0.4
    assert meet(met, {"method": "constant_velocity"}).least.min() >= 0.5


def test_two_that_both_avoid_do_not_cancel_each_other() -> None:
    met = draw(600, seed=12)
    assert meet(met, {"method": "constant_velocity"}, both=True).least.min() >= 0.5


def test_driven_two_go_round_each_other_to_their_goals(driven) -> None:
    seen = driven(
        """
time: {duration: 40}
vehicles:
  - name: a
    kind: ground
    start: {at: [-100, 0], heading_deg: 90}
    behaviors: {go_to_point: {at: [100, 0], within: 3}, avoid: {method: constant_velocity}}
  - name: b
    kind: ground
    start: {at: [100, 0], heading_deg: 270}
    behaviors: {go_to_point: {at: [-100, 0], within: 3}, avoid: {method: constant_velocity}}
"""
    )
    assert seen.closest("a", "b") > 2.7
    assert "avoid" in seen.behaviors("a")
    assert np.hypot(*(seen.place("a")[-1, :2] - [100, 0])) < 3
    assert np.hypot(*(seen.place("b")[-1, :2] - [-100, 0])) < 3
