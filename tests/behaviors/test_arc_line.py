"""Crossings of paths against closed forms and dense sampling; the rule; four aircraft."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from movenv.behaviors.arc_line import ArcLine, TurnRates
from movenv.behaviors.avoid import AvoidConfig
from movenv.behaviors.cells import in_cells
from movenv.behaviors.path_crossings import Crossings, crossings
from movenv.parts import Roster, VehicleStates
from movenv.testing import drive
from movenv.world.kinds import Kind

WIDE = 1e4


def times(a, b, t_max=WIDE, dt_min=WIDE):
    """When both come to where their paths (x, y, course, speed, turn rate) cross, or None."""
    x, y, course, speed, rate = np.array([a, b], float).T
    paths = [x, y, np.zeros(2), np.cos(course), np.sin(course), speed, rate]
    one = np.ones(2)
    mine = np.array([*paths, WIDE * one, one, one, t_max * one, dt_min * one, [1, 2]])
    theirs = np.array([*paths, one, [1, 2]])
    found = crossings(mine, theirs, in_cells(x, y, 1000.0))
    if not len(found.row):
        return None
    assert list(found.row) == [0, 1]
    assert found.t_a == pytest.approx(found.t_b[::-1], rel=1e-9)  # each sees the same
    return float(found.t_a[0]), float(found.t_b[0])


def at(path, t):
    """Where a path leads after some time."""
    x, y, course, speed, rate = path
    if abs(rate) < 1e-9:
        return np.array([x + speed * t * np.cos(course), y + speed * t * np.sin(course)])
    turned = course + rate * t
    radius = speed / rate
    return np.array(
        [
            x + radius * (np.sin(turned) - np.sin(course)),
            y - radius * (np.cos(turned) - np.cos(course)),
        ]
    )


def test_two_lines_at_a_right_angle() -> None:
    assert times((-30, 0, 0, 10, 0), (0, -50, np.pi / 2, 20, 0)) == pytest.approx((3.0, 2.5))


def test_parallel_lines_and_a_crossing_that_lies_behind() -> None:
    assert times((0, 0, 0, 10, 0), (0, 5, 0, 12, 0)) is None
    assert times((30, 0, 0, 10, 0), (0, -50, np.pi / 2, 20, 0)) is None


def test_two_equal_circles() -> None:
    """Radius 100 about (60, 0) and (-60, 0): they cross at (0, 80), half a turn less 53° ahead."""
    both = (math.pi - math.atan2(80, 60)) / 0.2
    a, b = (160, 0, np.pi / 2, 20, 0.2), (-160, 0, np.pi / 2, 20, -0.2)
    assert times(a, b) == pytest.approx((both, both))


def test_of_two_crossings_the_sooner_counts() -> None:
    """A circle of 50 m about the origin, cut by y = 30 at x = -40 and x = 40."""
    line, circle = (-140, 30, 0, 10, 0), (50, 0, np.pi / 2, 10, 0.2)
    near, far = math.asin(0.6) / 0.2, (math.pi - math.asin(0.6)) / 0.2
    assert times(line, circle) == pytest.approx((18.0, near))  # 10.6 s in the mean, before 11.2
    assert times(line, circle, dt_min=10.0) == pytest.approx((10.0, far))


def test_only_what_is_near_in_time_counts() -> None:
    a, b = (-30, 0, 0, 10, 0), (0, -50, np.pi / 2, 20, 0)  # 3 s and 2.5 s
    assert times(a, b, t_max=2.8, dt_min=0.6) is not None
    assert times(a, b, t_max=2.7, dt_min=0.6) is None
    assert times(a, b, t_max=2.8, dt_min=0.4) is None


def test_random_paths_cross_where_dense_sampling_finds_them() -> None:
    random = np.random.default_rng(3)
    t = np.linspace(0, 40, 4001)
    found = 0
    for _ in range(150):
        kind = random.integers(0, 2, 2)
        a, b = (
            (*random.uniform(-80, 80, 2), random.uniform(-3, 3), random.uniform(8, 20), k * w)
            for k, w in zip(kind, random.choice([-1, 1], 2) * random.uniform(0.17, 0.5, 2),
                            strict=True)
        )  # fmt: skip
        seen = times(a, b, t_max=30.0, dt_min=5.0)
        gap = np.hypot(*(at(a, t)[:, :, None] - at(b, t)[:, None, ::10]))
        touch = np.argwhere(gap < 0.12)
        near = [(t[i], t[10 * j]) for i, j in touch]
        if seen is not None:
            found += 1
            assert np.hypot(*(at(a, seen[0]) - at(b, seen[1]))) < 1e-6
            soonest = [p for p in near if sum(p) < sum(seen) - 1.5 and abs(p[0] - p[1]) < 4.5
                       and _first_lap(a, p[0]) and _first_lap(b, p[1])]  # fmt: skip
            assert not soonest
        else:
            assert not [p for p in near if sum(p) / 2 < 29 and abs(p[0] - p[1]) < 4.5
                        and _first_lap(a, p[0]) and _first_lap(b, p[1])]  # fmt: skip
    assert found > 15


def _first_lap(path, t) -> bool:
    return abs(path[4]) * t < 2 * np.pi


def test_turn_rates_come_from_how_one_headed() -> None:
    roster = Roster(
        np.array([1, 2], np.uint32), ["a", "b"], [Kind("ground")], np.zeros(2, np.uint8),
        np.ones(2, np.uint8), np.ones(2), [],
    )  # fmt: skip
    rates = TurnRates(roster)
    columns = {name: np.zeros(2) for name in VehicleStates.dtypes} | {"vid": roster.vids}
    for tick in range(40):
        t = 0.1 * tick
        yaw = (np.array([0.4 * t, 3.1 - 0.2 * t]) + np.pi) % (2 * np.pi) - np.pi
        rate, _ = rates.of(VehicleStates(columns | {"yaw": yaw}), t)
    assert rate == pytest.approx([0.4, -0.2], abs=1e-4)


CROSS = """
time: {duration: 20}
vehicles:
  - name: a
    kind: aerial/fixedwing
    start: {at: [-150, 0, 50], heading_deg: 90}
    behaviors: {wander: {}, avoid: {method: arc_line}}
  - name: b
    kind: aerial/fixedwing
    start: {at: [0, -150, 50], heading_deg: 0}
    behaviors: {wander: {}, avoid: {method: arc_line}}
"""


def asked(t_a, t_b) -> list[float]:
    """What the rule asks of vehicles 1 and 2 that meet at 20 m/s, Δt_min 3 s, A1 1, A2 2 s."""
    rule = ArcLine.__new__(ArcLine)
    rule._a1, rule._a2, rule._dt_min = np.ones(2), np.full(2, 2.0), np.full(2, 3.0)
    vids = SimpleNamespace(vid=np.array([1, 2]), speed=np.full(2, 20.0))
    both = np.array([t_a, t_b], float)
    found = Crossings(np.array([0, 1]), np.array([1, 0]), both, both[::-1])
    return rule._asked(vids, vids, found).tolist()


def test_the_change_of_speed_is_that_of_the_formula() -> None:
    assert asked(5, 7) == pytest.approx([1 * 20 / 6, -1 * 20 / 6])
    assert asked(0.5, 0.0) == pytest.approx([-2.5 * 20 / 2, 2.5 * 20 / 2])


def test_of_two_that_come_at_once_the_lower_vid_goes_first() -> None:
    assert asked(6, 6) == pytest.approx([3 * 20 / 6, -3 * 20 / 6])


def test_two_that_would_meet_part_by_speed_and_stay_on_their_paths(driven) -> None:
    seen = driven(CROSS)
    bare = driven(CROSS, "vehicles.a.behaviors.avoid=null", "vehicles.b.behaviors.avoid=null")
    assert bare.closest("a", "b") < 0.1
    assert seen.closest("a", "b") > 15
    speeds = [seen.column("speed", name) for name in "ab"]
    assert max(speed.max() for speed in speeds) > 16
    assert min(speed.min() for speed in speeds) < 14
    for name in "ab":
        assert seen.column("yaw", name) == pytest.approx(bare.column("yaw", name)[0], abs=1e-6)


def test_at_other_heights_nobody_changes_its_speed(driven) -> None:
    seen = driven(CROSS, "vehicles.b.start.at=[0, -150, 60]")
    assert set(seen.behaviors("a")) == {"", "wander"}


def test_nobody_goes_slower_or_faster_than_it_can_fly(driven) -> None:
    keys = ("a1=50", "dt_min=30")
    hard = [f"vehicles.{name}.behaviors.avoid.{key}" for name in "ab" for key in keys]
    speeds = [driven(CROSS, *hard).column("speed", name) for name in "ab"]
    assert min(speed.min() for speed in speeds) == pytest.approx(9.0, abs=1e-3)
    assert max(speed.max() for speed in speeds) == pytest.approx(22.5, abs=1e-3)


def test_four_aircraft_keep_apart() -> None:
    without = [f"vehicles.{i}.behaviors.avoid=null" for i in range(4)]
    least = {}
    for name, changes in (("with", []), ("without", without)):
        seen = drive("four-aircraft", *changes)
        pairs = [(p, q) for i, p in enumerate(seen.names) for q in seen.names[:i]]
        least[name] = min(seen.closest(p, q) for p, q in pairs)
    assert least["without"] < 1.0
    assert least["with"] > 8.0  # their length


def test_settings_of_another_method_are_refused() -> None:
    with pytest.raises(ValueError, match="level is nothing to method 'arc_line'"):
        AvoidConfig(method="arc_line", level="caution")
    with pytest.raises(ValueError, match="p_max and gain is nothing to method 'turn_away'"):
        AvoidConfig(p_max=10, gain=2)
    assert AvoidConfig(method="constant_velocity", p_max=10).p_max == 10
