"""Steps of missions as events."""

import numpy as np

from movenv.recording.layouts import EventRecord
from movenv.recording.mission_log import MOST_AT_ONCE, MissionLog
from movenv.world.kinds import Kind
from movenv.world.messages import MISSION_OVER, Roster, VehicleStates

STEPS = ["approach", "load", "return"]


def roster(size: int) -> Roster:
    return Roster(
        vids=np.arange(5, 5 + size, dtype=np.uint32),
        names=[f"v{row}" for row in range(size)],
        kinds=[Kind.parse("ground")],
        kind=np.zeros(size, np.uint8),
        origin=np.ones(size, np.uint8),
        length=np.ones(size),
        behaviors=[],
        missions=[STEPS],
        mission=[0] * size,
    )


def on(steps: list[int]) -> VehicleStates:
    vehicles = VehicleStates.empty(len(steps))
    vehicles.step[:] = steps
    return vehicles


def test_each_step_is_told_once_when_it_begins() -> None:
    log = MissionLog(roster(2))
    assert log.events(0.0, 7.0, on([1, 1])) == [
        EventRecord(0.0, 7.0, "mission", "v0: approach", "", [5]),
        EventRecord(0.0, 7.0, "mission", "v1: approach", "", [6]),
    ]
    assert log.events(0.1, 7.1, on([1, 1])) == []
    assert log.events(0.2, 7.2, on([1, 2])) == [
        EventRecord(0.2, 7.2, "mission", "v1: load", "", [6])
    ]
    assert [event.text for event in log.events(0.3, 7.3, on([MISSION_OVER, 1]))] == [
        "v0: mission over",
        "v1: approach",
    ]


def test_what_was_before_is_not_told_again() -> None:
    log = MissionLog(roster(2))
    log.know(3.0, on([2, 1]))
    assert [event.text for event in log.events(3.1, 0.0, on([2, 2]))] == ["v1: load"]


def test_many_at_once_are_one_event_that_counts_them() -> None:
    size = MOST_AT_ONCE + 1
    log = MissionLog(roster(size))
    assert [event.text for event in log.events(0.0, 0.0, on([1] * size))] == [
        f"{size} vehicles: approach ({size})"
    ]
    steps = [2] * (size - 1) + [1]
    assert len(log.events(0.1, 0.0, on(steps))) == MOST_AT_ONCE
    found = log.events(0.2, 0.0, on([3] * 30 + [MISSION_OVER] * (size - 30)))
    assert [(event.text, event.vids) for event in found] == [
        (f"{size} vehicles: return (30), mission over ({size - 30})", [])
    ]
