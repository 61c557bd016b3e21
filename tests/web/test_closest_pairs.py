"""The closest pairs, against all pairs looked at one by one."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.web.feed import Moment
from movenv.web.pairs import closest_pairs
from movenv.world.messages import Encounters
from movenv.world.run_state import RunState
from tests.web.synthetic import encounters, states


def moment_at(places: list[tuple[float, float, float]]) -> Moment:
    vehicles = states(len(places), 0.0)
    vehicles.x, vehicles.y, vehicles.z = np.array(places, float).T
    return Moment(0, 0.0, 0.0, RunState.GO, vehicles, Encounters.empty())


place = st.tuples(*[st.floats(-100, 100).map(lambda v: round(v, 1))] * 3)


@settings(max_examples=100, deadline=None)
@given(st.lists(place, min_size=2, max_size=30), st.integers(1, 12))
def test_they_are_those_that_a_look_at_every_pair_finds(
    places: list[tuple[float, float, float]], count: int
) -> None:
    expected = sorted(
        float(np.linalg.norm(np.subtract(places[a], places[b])))
        for a, b in combinations(range(len(places)), 2)
    )[:count]
    found = closest_pairs(moment_at(places), count)
    assert [pair.distance for pair in found] == pytest.approx(expected)
    for pair in found:
        apart = np.linalg.norm(np.subtract(places[pair.row], places[pair.other]))
        assert pair.distance == pytest.approx(float(apart))
    assert len({(pair.row, pair.other) for pair in found}) == len(found)


def test_a_pair_under_notice_tells_its_level() -> None:
    vehicles = states(50, 3.0)
    near = encounters(vehicles)
    shown = Moment(30, 3.0, 0.0, RunState.GO, vehicles, near)
    level = {(a - 1, b - 1): n for a, b, n in zip(near.vid, near.other, near.level, strict=True)}
    for pair in closest_pairs(shown):
        assert pair.level == level[pair.row, pair.other]


def test_who_is_nowhere_is_in_no_pair() -> None:
    shown = moment_at([(0, 0, 0), (float("nan"),) * 3, (5, 0, 0)])
    assert [(p.row, p.other, p.distance) for p in closest_pairs(shown)] == [(0, 2, 5.0)]
    assert closest_pairs(moment_at([(0, 0, 0), (float("nan"),) * 3])) == []
