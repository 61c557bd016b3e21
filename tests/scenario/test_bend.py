"""The paper's second figure: a wedge of fifteen before and behind a bend of 80 degrees."""

import numpy as np
import pytest

from movenv.testing import Drive, drive


@pytest.fixture(scope="module")
def seen() -> Drive:
    return drive("bend-80")


def in_leaders_view(seen: Drive, tick: int) -> np.ndarray:
    """Where the fourteen are, metres ahead of the leader and to its left, sorted by the left."""
    lead, yaw = seen.place("lead")[tick, :2], seen.column("yaw", "lead")[tick]
    places = np.array([seen.place(name)[tick, :2] for name in seen.names if name != "lead"])
    east, north = (places - lead).T
    ahead = east * np.cos(yaw) + north * np.sin(yaw)
    left = north * np.cos(yaw) - east * np.sin(yaw)
    return np.column_stack([ahead, left])[left.argsort()]


def test_the_leader_turns_by_80_degrees(seen: Drive) -> None:
    yaw = seen.column("yaw", "lead")
    assert np.degrees(yaw[-1] - yaw[100]) == pytest.approx(80.0, abs=0.2)


@pytest.mark.parametrize("tick", [300, -1])
def test_the_wedge_is_whole_before_the_bend_and_behind_it(seen: Drive, tick: int) -> None:
    """Its arms fall back by 45 degrees, 14.14 m from one vehicle to the next."""
    step = 14.14 / np.sqrt(2)
    left = step * np.array([*range(-7, 0), *range(1, 8)])
    wedge = np.column_stack([-np.abs(left), left])
    assert np.abs(in_leaders_view(seen, tick) - wedge).max() < 0.6
