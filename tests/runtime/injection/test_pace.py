"""The Core is asked as often as speed and nearness ask for."""

import math

import numpy as np
import pytest

from movenv.runtime.injection.neighbourhood import Seen
from movenv.runtime.injection.pace import SHARE, Pace
from movenv.world.scan import Pose

PACE = Pace(2.0, 40.0)


def seen(x: float, vx: float = 0.0) -> Seen:
    boxes = np.array([[x, 0.0, 0.0, 3e-9, 4e-9]])  # all but points, so that gaps are distances
    return Seen(boxes, np.array([[vx, 0.0]]), None)


def test_who_stands_among_those_who_stand_asks_seldom() -> None:
    assert PACE.pause(seen(5.0), Pose(0, 0, 0)) == 0.5


def test_who_is_alone_asks_seldom_however_fast() -> None:
    nobody = Seen(np.empty((0, 5)), np.empty((0, 2)), None)
    assert PACE.pause(nobody, Pose(0, 0, 0, 30.0)) == 0.5


@pytest.mark.parametrize(("gap", "speed", "other"), [(8.0, 2.0, 0.0), (20.0, 3.0, 4.0)])
def test_a_gap_changes_by_a_share_of_it_at_most(gap: float, speed: float, other: float) -> None:
    pause = PACE.pause(seen(gap, -other), Pose(0, 0, 0, speed))
    assert pause == pytest.approx(SHARE * gap / (speed + other))
    assert (speed + other) * pause == pytest.approx(SHARE * gap)


def test_it_never_asks_more_often_than_it_may() -> None:
    assert PACE.pause(seen(1.0), Pose(0, 0, 0, 50.0)) == 1 / 40


def test_who_does_not_know_where_it_is_asks_often() -> None:
    assert PACE.pause(None, Pose(0, 0, 0)) == 1 / 40
    assert PACE.pause(seen(5.0), None) == 1 / 40
    assert PACE.pause(seen(5.0), Pose(math.nan, 0, 0)) == 1 / 40


def test_with_equal_bounds_nothing_adapts() -> None:
    assert Pace(10.0, 10.0).pause(seen(1.0), Pose(0, 0, 0, 50.0)) == 0.1
    assert Pace(10.0, 10.0).pause(seen(99.0), Pose(0, 0, 0)) == 0.1


@pytest.mark.parametrize("speed", [0.0, 2.0, 15.0])
def test_who_comes_nearer_until_the_next_question_is_known_by_then(speed: float) -> None:
    own = Pose(0, 0, 0, speed)
    scanner = 10.0
    for stranger in (0.0, 5.0, 20.0):  # m/s, straight towards it
        longest = 1 / PACE.least
        unknown = scanner + PACE.beyond(own)  # at least so far away when the Core was asked
        assert unknown - (speed + stranger) * longest >= scanner - 1e-9


def test_who_asks_often_need_not_know_far() -> None:
    assert Pace(10.0, 10.0).beyond(Pose(0, 0, 0, 2.0)) == 5.0
    assert Pace(10.0, 10.0).beyond(None) == Pace(10.0, 10.0).beyond(Pose(math.nan, 0, 0)) == 5.0
