"""Broken scenarios are refused with the place, what was wrong and what to do."""

from pathlib import Path

import pytest

from movenv.scenario.build import build
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load

GOOD = """\
name: good
origin: {lat: 29.193111, lon: -81.046171}
time: {step: 0.01, tick: 0.1, duration: 10}
areas:
  field: {square: 100}
vehicles:
  - name: uav
    count: 3
    kind: aerial/fixedwing
    model: {length: 2.0, speed: 5.0}
    start: {within: field}
    behaviors:
      wander: {}
      stay_in_bounds: {area: field}
      avoid: {priority: 10}
  - name: car
    kind: ground
    start: {at: [0, 0]}
"""

BROKEN = [
    # what is replaced, by what, and the message
    ("avoid:", "avoids:", "15:7: unknown behavior 'avoids'. Did you mean 'avoid'?"),
    ("count: 3", "cuont: 3", "8:5: unknown key 'cuont'. Did you mean 'count'?"),
    ("priority: 10", "prio: 10", "15:15: unknown key 'prio'. Did you mean 'priority'?"),
    ("speed: 5.0", "sped: 5.0", "10:26: unknown key 'sped'. Did you mean 'speed'?"),
    ("speed: 5.0", "speed: fast", "10:26: 'speed' expects a number, found 'fast'"),
    ("speed: 5.0", "speed: .nan", "'speed' expects a finite number"),
    ("speed: 5.0", "speed: -1", "'speed' should be greater than or equal to 0, found -1"),
    ("speed: 5.0", "min_speed: 9, speed: 5.0", "10:5: speed 5 is outside min_speed 9"),
    (
        "model: {length",
        "model: {type: warp, length",
        "10:13: unknown model 'warp'. Known: car, fixedwing, ground, kinematic, single_track.",
    ),
    ("step: 0.01", "step: 0.03", "3:1: step 0.03 does not divide tick 0.1; 0.0333333 would"),
    ("step: 0.01", "step: 0.2", "step 0.2 does not divide tick 0.1"),
    ("within: field", "within: feild", "11:13: unknown area 'feild'. Did you mean 'field'?"),
    ("area: field", "area: feild", "14:24: unknown area 'feild'. Did you mean 'field'?"),
    ("{area: field}", "{}", "14:7: 'area' is missing"),
    (
        "priority: 10",
        "level: panic",
        "15:15: unknown notice level 'panic'. Known: advisory, caution, warning.",
    ),
    ("kind: ground", "kind: ground/", "'' in kind 'ground/' is not a word"),
    ("kind: ground", "kind: ground/A b", "'A b' in kind 'ground/A b' is not a word"),
    ("step: 0.01", "step: 0.000001", "100000 steps in a tick; 10000 are the most"),
    ("wander: {}", "periodic_turn: {wait: [-5, -1]}", "a time cannot be negative, found -5"),
    ("wander: {}", "periodic_turn: {wait: [5, 1]}", "the first number, 5, is above the second, 1"),
    ("wander: {}", "search_and_report: {targets: [nobdy]}", "no vehicle is called 'nobdy'"),
    ("name: car", "name: a b", "'name' expects letters, digits"),
    ("name: car", "<<: x", "merge keys (<<) are not part of YAML 1.2"),
    ("at: [0, 0]", "at: [1e300, 0]", "'car' starts 1e+300 m from the origin"),
    ("kind: ground", "kind: grond", "17:5: unknown kind 'grond'; kinds are pedestrian"),
    ("aerial/fixedwing", "aerial", "9:5: kind 'aerial' does not say how it flies"),
    (
        "at: [0, 0]",
        "at: [0, 200000]",
        "18:5: 'car' starts 200,000 m from the origin, outside the world",
    ),
    ("at: [0, 0]", "at: {lat: 40, lon: -81}", "outside the world (100,000 m)"),
    ("at: [0, 0]", "at: [0]", "18:13: 'at' has too few numbers"),
    ("at: [0, 0]", "at: [0, 0, 0, 0]", "18:13: 'at' has 4 items, expected at most 3"),
    (
        "at: [0, 0]",
        "at: [0, 0], within: field",
        "18:5: expected exactly one of within, at, points, line, grid",
    ),
    ("start: {at: [0, 0]}", "start: {points: [[0, 0], [1, 1]]}", "18:5: 1 vehicles but 2 places"),
    (
        "start: {at: [0, 0]}",
        "start: {at: [0, 0], speed: 500}",
        "start speed 500 is outside the model's 0 to 20",
    ),
    (
        "start: {within: field}",
        "start: {within: field, z: -5}",
        "aerial/fixedwing cannot start at z -5",
    ),
    ("name: car", "name: uav-2", "16:5: two vehicles are called 'uav-2'"),
    (
        "square: 100",
        "polygon: [[0, 0], [4, 4], [4, 0], [0, 4]]",
        "5:3: area 'field' is not a simple polygon",
    ),
    (
        "square: 100",
        "square: 100, circle: 5",
        "5:3: expected exactly one of square, rectangle, circle, polygon",
    ),
    ("lat: 29.193111", "lat: 89", "2:10: 'lat' should be less than or equal to 84, found 89"),
    ("lat: 29.193111, ", "", "2:1: 'lat' is missing"),
    ("name: good", "name: good\nname: again", "2:1: key 'name' stands twice"),
    ("name: good", "name: [good", "is not YAML"),
    ("name: good", "name: good\nbase: &b {<<: *b}", "2:7: is nested or repeated beyond reason"),
    ("duration: 10", "duration: 1e999", "finite"),
    ("count: 3", "count: 3.5", "8:5: 'count' expects a whole number, found 3.5"),
    ("count: 3", "count: true", "'count' expects a whole number, found True"),
    ("wander: {}", "wander: 3", "13:7: 'wander' expects keys and values, found 3"),
    ("wander: {}", "./none.py:None_: {}", "13:7: there is no file"),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "test.yaml"


def refusal(file: Path, text: str, *changes: str) -> str:
    file.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        build(load(str(file), list(changes)))
    return str(caught.value).replace(str(file), "test.yaml")


def test_the_good_one_is_good(file: Path) -> None:
    file.write_text(GOOD)
    assert len(build(load(str(file))).roster) == 4


@pytest.mark.parametrize(("old", "new", "message"), BROKEN, ids=[b[1][:40] for b in BROKEN])
def test_a_mistake_is_named_at_its_place(file: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    said = refusal(file, GOOD.replace(old, new, 1))
    assert said.startswith("test.yaml:")
    assert message in said


def test_two_vehicles_with_one_vid_are_refused(file: Path) -> None:
    text = GOOD.replace("count: 3", "count: 3\n    vid: 4").replace(
        "kind: ground", "vid: 6\n    kind: ground"
    )
    assert "test.yaml:18:5: vid 6 is already taken by 'uav'" in refusal(file, text)


def test_all_mistakes_are_told_at_once(file: Path) -> None:
    said = refusal(file, GOOD.replace("count: 3", "cuont: 3").replace("kind: ground", "kind: x"))
    assert len(said.splitlines()) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("time.duration=-1", "--set time.duration=-1: 'duration' should be greater than 0"),
        ("vehicles.uva.count=2", "nothing is called 'uva'. Did you mean 'uav'?"),
        ("vehicles.9.count=2", "nothing is called '9'"),
        ("nonsense", "expected path=value"),
        ("time.duration=[", "cannot read the value"),
        ("name.x.y=1", "there is nothing inside which 'x' could stand"),
        ("vehicles.uav.behaviors.fly=null", "there is no 'fly' to remove"),
        ("vehicles=3", "--set vehicles=3: 'vehicles' expects a list"),
        ("world.radius=-1", "--set world.radius=-1: 'radius' should be greater than 0"),
        ("radio.loss=2", "--set radio.loss=2: 'loss' should be less than or equal to 1"),
        ("radio.range=0", "--set radio.range=0: 'range' should be greater than 0"),
        ("vehicles.uav.payload=sand", "'payload' expects keys"),
        ("no.such.key=3", "--set no.such.key=3: unknown key 'no'"),
        ("time.step=0.03", "step 0.03 does not divide tick 0.1; 0.0333333 would (with --set time"),
    ],
)
def test_a_wrong_set_names_itself(file: Path, change: str, message: str) -> None:
    assert message in refusal(file, GOOD, change)


def test_set_changes_adds_and_removes(file: Path) -> None:
    file.write_text(GOOD)
    changes = [
        "vehicles.uav.count=5",
        "notices.levels={near: 9}",
        "vehicles.0.behaviors.avoid=null",
    ]
    run = build(load(str(file), changes))
    assert len(run.roster) == 6
    assert run.level_names == ["near"]
    assert run.roster.behaviors == ["stay_in_bounds", "wander"]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("three-uav", "no such file, and no shipped scenario. Did you mean 'three-uavs'?"),
        ("missing.yaml", "missing.yaml: no such file"),
        (".", "is a folder"),
    ],
)
def test_a_missing_scenario_is_named(reference: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(reference)
    assert message in str(caught.value)


def test_a_custom_behavior_is_found_beside_the_scenario(file: Path) -> None:
    (file.parent / "mine.py").write_text(
        "from movenv.parts import BehaviorConfig, Command, SingleVehicleBehavior\n"
        "class KeepLeft(SingleVehicleBehavior):\n"
        "    Config = BehaviorConfig\n"
        "    def propose_one(self, me, others, notices, config, moment):\n"
        "        return Command(steer=0.1, speed=me.cruise_speed)\n"
    )
    file.write_text(GOOD.replace("wander: {}", "./mine.py:KeepLeft: {priority: 3}"))
    assert "keep_left" in build(load(str(file))).roster.behaviors


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def f(:\n", "cannot be loaded: line 1: invalid syntax"),
        ("x = 1 / 0\n", "cannot be loaded: line 1: ZeroDivisionError"),
        ("class Other: pass\n", "has no class 'Mine'. Known: Other."),
        ("class Mine: pass\n", "'Mine' is not a Behavior"),
        (
            "from movenv.parts import Behavior\nclass Mine(Behavior): pass\n",
            "'Mine' has no Config that is a BehaviorConfig",
        ),
        ("raise SystemExit(0)\n", "cannot be loaded: line 1: SystemExit"),
        (
            "from pydantic import BaseModel\nfrom movenv.parts import Behavior\n"
            "class Mine(Behavior):\n    class Config(BaseModel): pass\n",
            "'Mine' has no Config that is a BehaviorConfig",
        ),
    ],
)
def test_a_broken_custom_behavior_is_told_in_words(file: Path, code: str, message: str) -> None:
    (file.parent / "mine.py").write_text(code)
    assert message in refusal(file, GOOD.replace("wander: {}", "./mine.py:Mine: {}"))


def test_removing_a_behavior_is_not_blamed_for_other_mistakes(file: Path) -> None:
    said = refusal(
        file, GOOD.replace("area: field", "area: feld"), "vehicles.uav.behaviors.avoid=null"
    )
    assert said.startswith("test.yaml:14:24: unknown area 'feld'")


def test_more_behaviors_than_a_byte_can_number_are_refused(file: Path) -> None:
    classes = "".join(
        f"class B{i}(Behavior):\n    Config = BehaviorConfig\n    def __init__(self, s): pass\n"
        for i in range(256)
    )
    code = "from movenv.parts import Behavior, BehaviorConfig\n" + classes
    (file.parent / "many.py").write_text(code)
    many = "\n      ".join(f"./many.py:B{i}: {{}}" for i in range(256))
    assert "different behaviors; a scenario can have 255" in refusal(
        file, GOOD.replace("wander: {}", many)
    )
