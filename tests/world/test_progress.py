"""How far missions are, against going through the steps one by one."""

import numpy as np
import pytest

from movenv.world.kinds import Kind
from movenv.world.messages import MISSION_OVER, Roster
from movenv.world.progress import NAMED, Progress


def roster(mission: list[int]) -> Roster:
    size = len(mission)
    return Roster(
        vids=np.arange(10, 10 + size, dtype=np.uint32),
        names=[f"v{row}" for row in range(size)],
        kinds=[Kind.parse("ground")],
        kind=np.zeros(size, np.uint8),
        origin=np.ones(size, np.uint8),
        length=np.ones(size),
        behaviors=[],
        missions=[["approach", "load", "return"], ["search", "return"]],
        mission=mission,
    )


def column(*steps: int) -> np.ndarray:
    return np.array(steps, np.uint8)


def test_without_missions_there_is_nothing_to_tell() -> None:
    for mission in ([], [-1, -1]):
        progress = Progress(roster([-1, -1]) if mission else roster([]))
        assert len(progress.take(1.0, column(*(0 for _ in mission)))) == 0
        assert progress.as_dict() is None


def test_the_latest_step_and_its_time_are_kept() -> None:
    progress = Progress(roster([0, -1, 1]))
    assert progress.take(0.0, column(1, 0, 1)).tolist() == [0, 2]
    assert progress.take(0.1, column(1, 0, 1)).tolist() == []
    assert progress.take(0.2, column(2, 0, MISSION_OVER)).tolist() == [0, 2]
    assert progress.as_dict() == {
        "vehicles": 2,
        "over": 1,
        "last": 0,
        "at": {"load": 1},
        "each": [
            {"vid": 10, "name": "v0", "number": 2, "step": "load", "since": 0.2},
            {"vid": 12, "name": "v2", "number": MISSION_OVER, "step": "over", "since": 0.2},
        ],
    }


def test_a_vehicle_that_says_nothing_of_its_mission_stays_where_it_was() -> None:
    progress = Progress(roster([0, 0]))
    told = progress.as_dict()
    assert told is not None
    assert [(one["step"], one["since"]) for one in told["each"]] == [("", None), ("", None)]
    progress.take(1.0, column(2, 0))
    assert progress.take(2.0, column(0, 1)).tolist() == [1]
    told = progress.as_dict()
    assert told is not None
    assert [(one["step"], one["since"]) for one in told["each"]] == [
        ("load", 1.0),
        ("approach", 2.0),
    ]


def test_of_many_it_tells_how_many_are_on_each_step_as_counting_them_does() -> None:
    chance = np.random.default_rng(4)
    mission = chance.integers(-1, 2, 500)
    many = roster(mission.tolist())
    progress = Progress(many)
    expected = np.zeros(500, int)
    for tick in range(40):
        step = np.where(mission < 0, 0, chance.choice([0, 1, 2, MISSION_OVER], 500))
        changed = [row for row in range(500) if step[row] and step[row] != expected[row]]
        expected[changed] = step[changed]
        assert progress.take(tick * 0.1, step.astype(np.uint8)).tolist() == changed
    names = [many.step_name(row, int(expected[row])) for row in range(500)]
    told = progress.as_dict()
    assert told is not None
    assert told["each"] == []
    assert told["vehicles"] == np.count_nonzero(mission >= 0) > NAMED
    assert told["over"] == names.count("over")
    assert told["at"] == {n: names.count(n) for n in {"approach", "load", "search", "return"}}


@pytest.mark.parametrize("known", [True, False])
def test_it_goes_on_from_what_was_written(known: bool) -> None:
    whole, resumed = Progress(roster([0, 1])), Progress(roster([0, 1]))
    whole.take(3.0, column(2, 1))
    resumed.resume(whole.as_dict() if known else None)
    for t, steps in ((4.0, column(2, 1)), (5.0, column(3, 1))):
        whole.take(t, steps)
        resumed.take(t, steps)
    assert (whole.as_dict() == resumed.as_dict()) is known
