"""The fidelity of tests, by the rules of the metric and the experiments it was made for."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from movenv.bench.recorded import MadeUp, record_made_up
from movenv.parts.registry import names as installed
from movenv.recording.layouts import EVENTS, EventRecord, RunRecord, encoded
from movenv.recording.reader import Recording
from movenv.recording.wheel_log import taken_words
from movenv.recording.writer import RecordingWriter
from movenv.review.fidelity import BLIND, DIMENSIONS, SEARCHING, Rating, rate, rate_plan
from movenv.runtime.recorded import run_record
from movenv.scenario.build import Stage, build
from movenv.scenario.load import load, shipped_scenarios
from movenv.world.core import Update
from movenv.world.messages import Detections, Encounters, Health, Notices, Snapshot, VehicleStates
from movenv.world.run_state import RunState

HEAD = "name: test\norigin: {lat: 29.0, lon: -81.0}\nawareness: {range: 1000}\nvehicles:\n"
PHONE = "live: {type: phone_udp}, start: {line: {from: [0, 9], to: [90, 9]}}"
CARS = f"""\
  - {{name: car, count: 4, kind: ground, {PHONE}, behaviors: {{avoid: {{}}, wander: {{}}}}}}
  - {{name: ghost, count: 4, kind: ground, start: {{line: {{from: [0, 0], to: [90, 0]}}}},
     behaviors: {{wander: {{}}, periodic_turn: {{}}}}}}
"""
RESCUE = f"""\
  - {{name: uav, kind: aerial/rotorcraft, {PHONE},
     behaviors: {{search_and_report: {{radius: 50, targets: ["walker-*"]}}}}}}
  - {{name: ambulance, kind: ground, {PHONE}}}
  - {{name: walker, count: 2, kind: pedestrian, {PHONE}, behaviors: {{wander: {{}}}}}}
"""


def record_of(file: Path, *changes: str, rehearsed: Sequence[str] = ()) -> RunRecord:
    """What a live run of a scenario records before it begins."""
    stage = Stage(load(str(file), list(changes)))
    return run_record(stage, 1.7e9, list(changes), "run", rehearsed)


def scenario(folder: Path, vehicles: str, more: str = "") -> Path:
    file = folder / "test.yaml"
    file.write_text(HEAD + vehicles + more)
    return file


def recorded(
    file: Path,
    record: RunRecord,
    unheard: Sequence[str] = (),
    ticks: int = 5,
    driven: Callable[[int], bool] = lambda _: False,
    events: Sequence[EventRecord] = (),
) -> Path:
    """A recording in which some are never heard; the others from the third tick on.

    `driven`: at which ticks everyone is driven from outside.
    """
    writer = RecordingWriter(file, record)
    roster = record.roster.roster()
    for tick in range(ticks):
        health = np.where(np.isin(roster.names, list(unheard)), Health.UNHEARD, Health.HEARD)
        columns = {name: np.zeros(len(roster)) for name in VehicleStates.dtypes}
        columns |= {"vid": roster.vids, "run_state": np.full(len(roster), int(RunState.GO))}
        columns["health"] = health if tick > 1 else np.full(len(roster), int(Health.UNHEARD))
        if driven(tick):
            columns["behavior"] = np.full(len(roster), roster.behaviors.index("driven") + 1)
        snapshot = Snapshot(tick, 0.1 * tick, RunState.GO, VehicleStates(columns))
        update = Update(snapshot, Notices.empty(), Encounters.empty(), None, Detections.empty())
        for topic, data in encoded(update, 1.7e9 + 0.1 * tick):
            writer.put(topic, snapshot.t, data)
    for event in events:
        writer.put(EVENTS, event.t, msgspec.json.encode(event))
    writer.abandon()
    return file


def rating_of(
    folder: Path,
    vehicles: str,
    *changes: str,
    more: str = "",
    unheard: Sequence[str] = (),
    rehearsed: Sequence[str] = (),
) -> Rating:
    record = record_of(scenario(folder, vehicles, more), *changes, rehearsed=rehearsed)
    with Recording(recorded(folder / "test.mcap", record, unheard)) as recording:
        return rate(recording)


DRIVABLE = """\
  - {name: car, kind: ground, start: {at: [0, 0]}, behaviors: {avoid: {}, driven: {}}}
  - {name: taxi, kind: ground, start: {at: [0, 9]}, behaviors: {avoid: {}, driven: {}}}
"""


@pytest.mark.parametrize(
    ("person", "ticks", "algorithms", "remark"),
    [
        (True, 5, 1, "a manned simulator, driven by a person: car"),
        (False, 5, 3, "driven by software outside, which counts as real: car"),
        (True, 2, 1, ""),  # only for two of five ticks
    ],
)
def test_who_drives_a_virtual_car_counts_if_long_enough(
    tmp_path: Path, person: bool, ticks: int, algorithms: int, remark: str
) -> None:
    record = record_of(scenario(tmp_path, DRIVABLE))
    event = EventRecord(0.1, 1.7e9, "wheel", taken_words("car", "Ann", person), "Ann", [1])
    made = recorded(
        tmp_path / "test.mcap", record, driven=lambda tick: tick < ticks, events=[event]
    )
    with Recording(made) as recording:
        rating = rate(recording)
    assert values(rating) == [1, 1, algorithms, 1, 0]
    assert rating.remark == remark


def test_of_several_drivers_the_longer_counts_and_of_none_nobody(tmp_path: Path) -> None:
    """A program drives for three of five ticks; a person takes the wheel and then lets it brake."""
    record = record_of(scenario(tmp_path, DRIVABLE))

    def at(t: float, text: str) -> EventRecord:
        return EventRecord(t, 1.7e9, "wheel", text, "", [1])

    program, person = taken_words("car", "JAUS", False), taken_words("car", "Ann", True)
    lasting = [at(0.0, program), at(0.35, person)]
    left = [at(0.0, program), at(0.15, "car: JAUS is gone from the wheel, it brakes")]
    for name, events, remark in (
        ("lasting", lasting, "driven by software outside, which counts as real: car"),
        ("left", left, ""),
    ):
        made = recorded(tmp_path / f"{name}.mcap", record, driven=lambda tick: True, events=events)
        with Recording(made) as recording:
            assert rate(recording).remark == remark


def values(rating: Rating) -> list[int]:
    assert list(rating.quintet) == list(DIMENSIONS)
    assert rating.total == sum(rating.quintet.values())
    return list(rating.quintet.values())


def test_three_virtual_uavs_that_avoid_each_other() -> None:
    rating = rate_plan(run_record(build(load("three-uavs")), 1.7e9, []))
    assert values(rating) == [1, 1, 1, 1, 0]
    assert rating.total == 4
    assert rating.vehicle.reason == "all 3 vehicles were virtual"
    assert rating.pedestrians.reason == "no pedestrian took part"
    assert rating.remark == ""


def test_four_real_cars_and_four_virtual_wanderers(tmp_path: Path) -> None:
    rating = rating_of(tmp_path, CARS)
    assert values(rating) == [3, 0, 0, 3, 0]
    assert rating.vehicle.reason == "4 of 8 vehicles were real"
    assert rating.sensors.reason == "nobody perceives others"


def test_a_real_uav_that_searches_for_people(tmp_path: Path) -> None:
    rating = rating_of(tmp_path, RESCUE)
    assert values(rating) == [3, 3, 0, 3, 3]
    assert rating.total == 12
    assert rating.sensors.reason == "the only one that perceives others was real"
    assert rating.pedestrians.reason == "all 2 pedestrians were real"


def test_a_laser_scanner_perceives_others_whoever_carries_it(tmp_path: Path) -> None:
    assert values(rate_plan(record_of(Path("hybrid-f110")))) == [3, 3, 3, 3, 0]
    blind = CARS.replace("kind: ground", "kind: ground, sensors: {imu: {type: imu}}")
    assert values(rating_of(tmp_path, blind)) == [3, 0, 0, 3, 0]
    seeing = CARS.replace("kind: ground", "kind: ground, sensors: {scanner: {type: lidar}}")
    (tmp_path / "test.mcap").unlink()
    assert rating_of(tmp_path, seeing).sensors.reason == "4 of 8 that perceive others were real"


def test_an_autonomy_counts_as_an_algorithm_of_the_real_world(tmp_path: Path) -> None:
    rating = rating_of(tmp_path, RESCUE.replace("kind: ground", "kind: ground, driver: autonomy"))
    assert values(rating) == [3, 3, 3, 3, 3]


def test_the_shipped_field_test_comes_out_as_it_is() -> None:
    stage = Stage(load("mixed-field"))
    rating = rate_plan(run_record(stage, 1.7e9, []))
    assert values(rating) == [1, 1, 1, 2, 3]
    assert rating.environment.reason == "2 of 14 participants were real"
    fast = rate_plan(run_record(build(load("mixed-field")), 1.7e9, []))
    assert values(fast) == [1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("real", "virtual", "value"), [(0, 0, 0), (0, 5, 1), (1, 4, 2), (2, 3, 2), (2, 2, 3), (3, 0, 3)]
)
def test_the_share_rule(tmp_path: Path, real: int, virtual: int, value: int) -> None:
    """Against the table in words: none, all virtual, fewer than half, at least half."""
    walkers = "  - {name: car, kind: ground, start: {at: [0, 0]}}\n"
    if real:
        walkers += f"  - {{name: r, count: {real}, kind: pedestrian, {PHONE}}}\n"
    if virtual:
        line = "start: {line: {from: [0, 9], to: [90, 9]}}"
        walkers += f"  - {{name: v, count: {virtual}, kind: pedestrian, {line}}}\n"
    assert rating_of(tmp_path, walkers).pedestrians.value == value


def test_who_never_came_does_not_count(tmp_path: Path) -> None:
    rating = rating_of(tmp_path, CARS, unheard=["car-1", "car-2"])
    assert values(rating) == [2, 0, 0, 2, 0]
    assert rating.vehicle.reason == (
        "2 of 6 vehicles were real; never heard, and so not counted: car-1, car-2"
    )
    (tmp_path / "test.mcap").unlink()
    everyone = [f"car-{i}" for i in range(1, 5)]
    assert values(rating_of(tmp_path, CARS, unheard=everyone)) == [1, 0, 0, 1, 0]


def test_the_scenario_can_say_otherwise(tmp_path: Path) -> None:
    more = "fidelity: {algorithms: 2, environment: 3, pedestrians: 1}\n"
    rating = rating_of(tmp_path, CARS, "fidelity.pedestrians=2", more=more)
    assert values(rating) == [3, 0, 2, 3, 2]
    assert rating.pedestrians.reason == ("the scenario says 2; computed 0: no pedestrian took part")
    assert [r.overridden for _, r in rating.each()] == [False, False, True, False, True]
    assert [r.computed for _, r in rating.each()] == [3, 0, 0, 3, 0]
    assert rating.environment.reason == "4 of 8 participants were real"


def test_a_rehearsal_is_rated_as_the_test_and_says_what_it_was(tmp_path: Path) -> None:
    names = ["uav", "ambulance", "walker-1", "walker-2"]
    rating = rating_of(tmp_path, RESCUE, rehearsed=names)
    assert values(rating) == [3, 3, 0, 3, 3]
    assert rating.remark == (
        "a rehearsal, phones were played (uav, ambulance, walker-1 and 1 more): "
        "the run itself was 1/1/0/1/1 = 4"
    )


def test_who_is_played_from_a_file_is_virtual(tmp_path: Path) -> None:
    vehicles = "  - {name: old, kind: pedestrian, live: {type: playback, file: walk.gpx}}\n"
    rating = rating_of(tmp_path, vehicles)
    assert values(rating) == [0, 0, 0, 1, 1]
    assert rating.remark == "played from a file, and so rated as virtual: old"


def one(behaviors: str, more: str = "") -> str:
    return f"  - {{name: v, kind: ground, start: {{at: [0, 0]}}, behaviors: {behaviors}{more}}}\n"


@pytest.mark.parametrize(
    ("behaviors", "sensors", "algorithms"),
    [
        ("{}", 0, 0),
        ("{wander: {}, periodic_turn: {}}", 0, 0),
        ("{wander: {}, avoid: {}}", 1, 1),
        ("{search_and_report: {radius: 9, targets: [v]}}", 1, 0),
        ("{'./mine.py:Wander': {}}", 1, 1),
    ],
)
def test_behaviors_that_look_and_react(
    tmp_path: Path, behaviors: str, sensors: int, algorithms: int
) -> None:
    """Read by name alone: the file of the last is on somebody else's machine."""
    record = record_of(scenario(tmp_path, one("{}")))
    record.scenario = HEAD + one(behaviors)
    with Recording(recorded(tmp_path / "test.mcap", record)) as recording:
        rating = rate(recording)
    assert (rating.sensors.value, rating.algorithms.value) == (sensors, algorithms)
    assert rating.remark == ""


def test_behaviors_of_a_mission_count(tmp_path: Path) -> None:
    record = record_of(scenario(tmp_path, one("{}")))
    record.scenario = HEAD + one("{}", ", mission: [{do: {hover: {}}}, {do: {follow_me: {}}}]")
    assert values(rate_plan(record)) == [1, 1, 1, 1, 0]
    record.changes = ["vehicles.v.mission=null"]
    assert values(rate_plan(record)) == [1, 0, 0, 1, 0]


@pytest.mark.parametrize("text", ["", "vehicles: 7", "[", "vehicles: [{name: other}, 3]"])
def test_a_scenario_that_cannot_be_read_is_told(tmp_path: Path, text: str) -> None:
    """Then what held the wheel tells what was carried."""
    record = record_of(scenario(tmp_path, one("{wander: {}, avoid: {}}")))
    record.scenario = text
    assert "cannot be read" in rate_plan(record).remark
    with Recording(recorded(tmp_path / "test.mcap", record)) as recording:
        assert values(rate(recording)) == [1, 0, 0, 1, 0]
    made = record_made_up(tmp_path / "made.mcap", MadeUp(10), 0, 30)
    with Recording(made) as recording:
        rating = rate(recording)
    assert values(rating) == [1, 0, 0, 2, 3]  # three of ten are real, on foot; all wander
    assert "cannot be read" in rating.remark


def test_every_installed_behavior_is_placed() -> None:
    """Whoever adds one says here whether it looks at others."""
    looking = {
        "avoid",
        "avoid_by_brake",
        "car_follow",
        "follow_me",
        "formation",
        "navigate",
        "walk",
    } | SEARCHING
    assert set(installed("behaviors")) <= looking | BLIND
    assert not looking & BLIND


@pytest.mark.parametrize("name", sorted(shipped_scenarios()))
def test_every_shipped_scenario_is_rated(name: str) -> None:
    rating = rate_plan(run_record(Stage(load(name)), 1.7e9, []))
    assert all(0 <= rated.value <= 3 and rated.reason for _, rated in rating.each())
    assert not any(rated.overridden for _, rated in rating.each())


def test_info_and_run_tell_it(tmp_path: Path) -> None:
    def movenv(*words: str) -> str:
        command = [sys.executable, "-m", "movenv", *words]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    run = ("run", "three-uavs", "--fast", "--duration", "2", "--set", "fidelity.sensors=2")
    told = json.loads(movenv(*run, "--record", "a.mcap", "--json"))
    assert [*told["fidelity"].values()] == [1, 2, 1, 1, 0]
    facts = json.loads(movenv("info", "a.mcap", "--json"))
    assert facts["fidelity"] == told["fidelity"]
    assert facts["rating"]["sensors"]["computed"] == 1
    words = movenv("info", "a.mcap")
    assert "fidelity      1/2/1/1/0 = 5\n" in words
    assert "sensors 2: the scenario says 2; computed 1: all 3 that perceive others" in words
