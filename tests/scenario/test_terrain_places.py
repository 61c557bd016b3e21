"""Starts and goals on a ground with obstacles."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import shapely

from movenv.scenario.build import Stage
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load
from movenv.world.kinds import Kind

HEAD = """name: test
origin: {lat: 29.19, lon: -81.05, alt: 10}
seed: 5
areas: {field: {square: 400}, tiny: {square: 30}, hall: {square: 20, center: [50, 50]}}
routes: {way: {points: [[-100, 0], [0, 0], [50, 50], [100, 0]]}}
"""
TERRAIN = """terrain:
  features:
    - {kind: building, name: barn, at: [50, 50], rectangle: [20, 20], height: 10}
    - {kind: river, name: brook, line: [[-300, -50], [300, -50]], width: 20}
    - {kind: bridge, line: [[0, -80], [0, -20]], width: 8}
"""
PARTS = """
from typing import ClassVar

from movenv.behaviors.wander import Wander
from movenv.parts import BehaviorConfig, GoalPoint, RouteName


class GoConfig(BehaviorConfig):
    avoids_obstacles: ClassVar[bool] = True
    to: GoalPoint | None = None
    route: RouteName | None = None


class Go(Wander):
    Config = GoConfig
"""


@pytest.fixture
def stage(tmp_path: Path):
    (tmp_path / "parts.py").write_text(PARTS)

    def made(*vehicles: str, terrain: str = TERRAIN) -> Stage:
        entries = "\n".join(f"  - {{{entry}}}" for entry in vehicles)
        (tmp_path / "test.yaml").write_text(f"{HEAD}{terrain}vehicles:\n{entries}\n")
        return Stage(load(str(tmp_path / "test.yaml")))

    return made


@pytest.fixture
def refused(stage):
    def said(*vehicles: str, terrain: str = TERRAIN) -> list[str]:
        with pytest.raises(ScenarioError) as error:
            stage(*vehicles, terrain=terrain)
        return [line.rpartition("test.yaml:")[2] for line in str(error.value).splitlines()]

    return said


LINE = (HEAD + TERRAIN).count("\n") + 2
"""Of the first vehicle."""


@pytest.mark.parametrize(
    ("kind", "at", "inside"),
    [
        ("ground", "[45, 45]", "building 'barn' at (45.0, 45.0)"),
        ("pedestrian", "[-90, -55]", "river 'brook' at (-90.0, -55.0)"),
        ("aerial/rotorcraft", "[45, 45, 9]", "building 'barn' at (45.0, 45.0)"),
        ("aerial/rotorcraft", "[45, 45, 11]", None),
        ("surface", "[-90, -55]", None),
        ("ground", "[3, -50]", None),
        ("ground", "[9, -50]", "river 'brook' at (9.0, -50.0)"),
    ],
)
def test_nobody_starts_in_what_stops_it(stage, refused, kind, at, inside) -> None:
    vehicle = f"name: a, kind: {kind}, start: {{at: {at}}}"
    if inside is None:
        stage(vehicle)
    else:
        (said,) = refused(vehicle)
        assert said.startswith(f"{LINE}:")
        assert said.endswith(f"'a' starts inside {inside}")


def test_of_many_the_one_in_the_way_is_named(refused) -> None:
    (said,) = refused(
        "name: t, count: 5, kind: ground, start: {line: {from: [0, 50], to: [200, 50]}}"
    )
    assert said.endswith("'t-2' starts inside building 'barn' at (50.0, 50.0)")


def test_two_that_start_in_each_other_are_refused(stage, refused) -> None:
    length = "model: {length: 4}"
    car = f"kind: ground, {length}, start: {{at: [-9, 9]}}"
    (said,) = refused(f"name: a, {car}", f"name: b, {car}")
    assert said.startswith(f"{LINE + 1}:")
    assert said.endswith("'a' and 'b' start in one place at (-9.0, 9.0)")
    row = f"name: c, count: 3, kind: ground, {length}"
    said = refused(f"{row}, start: {{line: {{from: [0, 0], to: [7, 0]}}}}")
    assert said[0].endswith("'c-1' and 'c-2' start 3.5 m apart, in each other, at (3.5, 0.0)")
    assert len(said) == 2
    stage(f"{row}, start: {{line: {{from: [0, 0], to: [8, 0]}}}}")
    fly = "count: 2, kind: aerial/rotorcraft, start: {points: [[0, 0, 30], [0, 0, 40]]}"
    stage(f"name: f, {fly}")


def test_two_that_start_in_each_other_are_refused_without_a_terrain_too(stage, refused) -> None:
    car = "kind: ground, start: {at: [45, 45]}"
    said = refused(f"name: a, {car}", f"name: b, {car}", terrain="")
    assert said == ["8:29: 'a' and 'b' start in one place at (45.0, 45.0)"]
    real = "live: {type: join}"
    stage(f"name: a, {car}", f"name: b, {car}, {real}", f"name: c, {car}, {real}", terrain="")
    drawn = "kind: ground, count: 90, model: {length: 5}, start: {within: tiny}"
    stage(f"name: a, {car}", f"name: b, {drawn}", terrain="")


@pytest.mark.parametrize(("kind", "z"), [("aerial/rotorcraft", 30.0), ("underwater", -30.0)])
def test_who_flies_or_dives_starts_above_or_beside_others(stage, refused, kind, z) -> None:
    one = f"kind: {kind}, model: {{length: 4}}"

    def two(x: float, up: float) -> tuple[str, str]:
        return (
            f"name: a, {one}, start: {{at: [0, 0, {z}]}}",
            f"name: b, {one}, start: {{at: [{x}, 0, {z + up}]}}",
        )

    stage(*two(0, 4.1), terrain="")
    stage(*two(3, 3), terrain="")
    stage(*two(0, 4.1), "name: c, kind: surface, start: {at: [0, 0]}", terrain="")
    (said,) = refused(*two(0, 0), terrain="")
    assert said.endswith(f"'a' and 'b' start in one place at (0.0, 0.0), z {z:.1f}")
    (said,) = refused(*two(2, 1.5))
    assert said.endswith(
        f"'a' and 'b' start 2.5 m apart, in each other, at (2.0, 0.0), z {z + 1.5:.1f}"
    )


def test_of_a_crowd_in_one_place_a_few_are_told_and_the_others_counted(refused) -> None:
    crowd = "name: a, count: 100, kind: ground, start: {grid: {spacing: 0.01}}"
    said = refused(crowd, terrain="")
    assert len(said) == 6
    assert sum("'a-1' and 'a-" in line for line in said) == 5
    assert any(line.endswith("94 more of 'a' start in another vehicle") for line in said)


def test_real_vehicles_without_a_start_are_in_nobodys_way(stage) -> None:
    phone = "kind: pedestrian, live: {type: join}"
    stage(f"name: p, {phone}", f"name: q, {phone}", "name: c, kind: ground, start: {at: [0, 0]}")


def test_random_starts_avoid_obstacles_and_each_other(stage) -> None:
    made = stage(
        "name: a, count: 120, kind: ground, model: {length: 4}, start: {within: field}",
        "name: b, kind: ground, model: {length: 6}, start: {at: [-20, 20]}",
        "name: w, count: 80, kind: pedestrian, start: {within: field}",
    )
    x, y = made.start[:2]
    length = np.array([made.groups[g].parameters["length"] for g in made.group])
    gaps = [
        np.hypot(x[i] - x[j], y[i] - y[j]) - (length[i] + length[j]) / 2
        for i, j in combinations(range(len(x)), 2)
    ]
    assert min(gaps) >= 0
    for kind in ("ground", "pedestrian"):
        barriers = shapely.union_all([g for _, g in made.terrain.barriers(Kind(kind))])
        mine = [made.groups[g].spec.kind == kind for g in made.group]
        away = shapely.distance(barriers, shapely.points(x[mine], y[mine]))
        assert (away >= length[mine]).all()
    again = stage(
        "name: a, count: 120, kind: ground, model: {length: 4}, start: {within: field}",
        "name: b, kind: ground, model: {length: 6}, start: {at: [-20, 20]}",
        "name: w, count: 80, kind: pedestrian, start: {within: field}",
    )
    assert again.start.tobytes() == made.start.tobytes()


def test_random_starts_that_are_free_are_where_they_were_without_a_terrain(stage) -> None:
    group = "name: a, count: 40, kind: ground, start: {within: field}"
    bare, full = stage(group, terrain="").start, stage(group).start
    same = (bare == full).all(axis=0)
    assert 0.5 < same.mean() < 1


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            "name: a, count: 90, kind: ground, model: {length: 5}, start: {within: tiny}",
            r"no room in area 'tiny' for \d+ of 90 vehicles between obstacles and others",
        ),
        ("name: a, kind: ground, start: {within: hall}", "no room in area 'hall' for 1 of 1 "),
    ],
)
def test_where_there_is_no_room_nobody_is_squeezed_in(stage, entry: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        stage(entry)


def test_a_goal_in_a_building_is_refused_with_the_place(stage, refused) -> None:
    car = "kind: ground, start: {at: [0, 0]}, behaviors"
    (said,) = refused(f"name: a, {car}: {{'./parts.py:Go': {{to: [48, 52]}}}}")
    assert said.startswith(f"{LINE}:")
    assert said.endswith("goal (48.0, 52.0) of 'a' lies inside building 'barn'")
    (said,) = refused(f"name: a, {car}: {{'./parts.py:Go': {{route: way}}}}")
    assert said.endswith("point 3 of route 'way', (50.0, 50.0) of 'a' lies inside building 'barn'")
    stage(f"name: a, {car}: {{'./parts.py:Go': {{to: [48, 62]}}}}")
    stage(f"name: a, {car}: {{follow_path: {{route: way}}}}")


def test_a_goal_of_a_mission_and_of_what_flies_is_looked_at_too(stage, refused) -> None:
    go = "'./parts.py:Go': {to: [48, 52]}"
    (said,) = refused(f"name: a, kind: ground, start: {{at: [0, 0]}}, mission: [{{do: {{{go}}}}}]")
    assert "goal (48.0, 52.0) of 'a'" in said
    fly = f"count: 2, kind: aerial/rotorcraft, behaviors: {{{go}}}, start:"
    stage(f"name: f, {fly} {{points: [[0, 0, 20], [9, 0, 30]]}}")
    (said,) = refused(f"name: f, {fly} {{points: [[0, 0, 20], [9, 0, 5]]}}")
    assert "goal (48.0, 52.0) of 'f-2' lies inside building 'barn'" in said


def test_a_setting_that_may_be_left_out_still_must_name_what_there_is(refused) -> None:
    car = "name: a, kind: ground, start: {at: [0, 0]}, behaviors"
    (said,) = refused(f"{car}: {{car_follow: {{route: wya}}}}")
    assert "unknown route 'wya'" in said
