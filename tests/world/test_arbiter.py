"""One winner, the highest active priority; of equals the first in the file."""

import numpy as np

from movenv.world.arbiter import Arbiter, precedence
from movenv.world.behavior import Proposal


def offer(
    arbiter: Arbiter, number: int, active: list[bool], priority: int, rank: int, **kwargs: float
) -> None:
    mask = np.array(active)
    order = precedence(np.full(len(mask), priority), np.full(len(mask), rank))
    arbiter.consider(number, Proposal(mask, kwargs["steer"], kwargs.get("speed", 1.0)), None, order)


def test_the_highest_active_priority_drives_alone() -> None:
    arbiter = Arbiter(3)
    arbiter.begin()
    offer(arbiter, 1, [True, True, False], priority=1, rank=0, steer=0.1)
    offer(arbiter, 2, [True, False, False], priority=9, rank=1, steer=0.9)
    assert arbiter.winner.tolist() == [2, 1, 0]
    assert arbiter.command[0].tolist() == [0.9, 0.1, 0.0]


def test_the_order_of_asking_does_not_matter() -> None:
    for numbers in ((1, 2), (2, 1)):
        arbiter = Arbiter(1)
        arbiter.begin()
        for number in numbers:
            offer(arbiter, number, [True], priority=number, rank=0, steer=number)
        assert arbiter.winner.tolist() == [2]


def test_of_equal_priorities_the_first_listed_wins() -> None:
    arbiter = Arbiter(1)
    arbiter.begin()
    offer(arbiter, 1, [True], priority=2, rank=1, steer=0.1)
    offer(arbiter, 2, [True], priority=2, rank=0, steer=0.2)
    assert arbiter.winner.tolist() == [2]


def test_rows_lead_to_the_right_vehicles() -> None:
    arbiter = Arbiter(4)
    arbiter.begin()
    rows = np.array([3, 1])
    proposal = Proposal(np.array([True, True]), np.array([0.3, 0.1]), 5.0, 0.2)
    arbiter.consider(7, proposal, rows, precedence(np.array([1, 1]), np.array([0, 0])))
    assert arbiter.winner.tolist() == [0, 7, 0, 7]
    assert arbiter.command.T.tolist() == [[0, 0, 0], [0.1, 5, 0.2], [0, 0, 0], [0.3, 5, 0.2]]


def limit(arbiter: Arbiter, number: int, speed: list[float], priority: int) -> None:
    order = precedence(np.full(len(speed), priority), np.zeros(len(speed), int))
    active = np.isfinite(speed)
    proposal = Proposal(active, None, np.nan_to_num(np.array(speed)), None, at_most=True)
    arbiter.consider(number, proposal, None, order)


def test_a_limit_slows_those_below_it_and_nobody_else() -> None:
    for limit_first in (True, False):
        arbiter = Arbiter(4)
        arbiter.begin()
        if limit_first:
            limit(arbiter, 2, [3.0, 9.0, 3.0, np.nan], priority=5)
        offer(arbiter, 1, [True] * 4, priority=1, rank=0, steer=0.1, speed=6.0)
        offer(arbiter, 3, [False, False, True, False], priority=9, rank=0, steer=0.9, speed=8.0)
        if not limit_first:
            limit(arbiter, 2, [3.0, 9.0, 3.0, np.nan], priority=5)
        arbiter.settle()
        assert arbiter.command[1].tolist() == [3.0, 6.0, 8.0, 6.0]
        assert arbiter.command[0].tolist() == [0.1, 0.1, 0.9, 0.1]
        assert arbiter.winner.tolist() == [2, 1, 3, 1]


def test_of_two_limits_the_lower_counts_and_alone_it_is_the_command() -> None:
    arbiter = Arbiter(2)
    arbiter.begin()
    limit(arbiter, 1, [3.0, 7.0], priority=2)
    limit(arbiter, 2, [4.0, 5.0], priority=5)
    arbiter.settle()
    assert arbiter.command[1].tolist() == [3.0, 5.0]
    assert arbiter.winner.tolist() == [1, 2]
