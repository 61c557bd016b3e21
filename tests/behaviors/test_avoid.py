import numpy as np
import pytest

PAIR = """
time: {duration: 30}
vehicles:
  - name: a
    kind: KIND
    model: {length: 2, speed: 5}
    start: {at: [-60, 0], heading_deg: 90}
    behaviors: {wander: {}, avoid: {}}
  - name: b
    kind: KIND
    model: {length: 2, speed: 5}
    start: {at: [60, 0], heading_deg: 270}
    behaviors: {wander: {}, avoid: {}}
"""


@pytest.mark.parametrize("kind", ["ground", "surface", "aerial/fixedwing", "aerial/rotorcraft"])
@pytest.mark.parametrize("offset", [-3.0, -0.1, 0.0, 0.1, 3.0])
def test_two_head_on_turn_away_from_each_other(driven, kind: str, offset: float) -> None:
    scenario = PAIR.replace("KIND", kind)
    seen = driven(scenario, f"vehicles.b.start.at=[60, {offset}]")
    assert seen.closest("a", "b") > 8
    bare = driven(
        scenario,
        f"vehicles.b.start.at=[60, {offset}]",
        "vehicles.a.behaviors.avoid=null",
        "vehicles.b.behaviors.avoid=null",
    )
    assert bare.closest("a", "b") < 4


def test_exactly_head_on_both_turn_right(driven) -> None:
    seen = driven(PAIR.replace("KIND", "ground"))
    acting = seen.behaviors("a").index("avoid") + 3
    assert seen.column("y", "a")[acting + 5] < -0.1  # eastbound: right is south
    assert seen.column("y", "b")[acting + 5] > 0.1


def test_one_that_does_not_give_way_is_still_kept_clear_of(driven) -> None:
    seen = driven(PAIR.replace("KIND", "aerial/rotorcraft"), "vehicles.b.behaviors.avoid=null")
    assert seen.closest("a", "b") > 4
    assert set(seen.behaviors("b")) == {"", "wander"}


def test_aircraft_part_in_height_too(driven) -> None:
    seen = driven(PAIR.replace("KIND", "aerial/fixedwing"))
    assert seen.column("z", "a").max() > 50.5  # the lower vid climbs
    assert seen.column("z", "b").min() < 49.5


def test_it_acts_from_its_level_on(driven) -> None:
    far = driven(PAIR.replace("KIND", "ground"), "vehicles.a.behaviors.avoid.level=advisory")
    near = driven(PAIR.replace("KIND", "ground"), "vehicles.a.behaviors.avoid.level=warning")
    gap = {
        name: np.linalg.norm(seen.place("a") - seen.place("b"), axis=1)[
            seen.behaviors("a").index("avoid")
        ]
        for name, seen in (("far", far), ("near", near))
    }
    assert 38 < gap["far"] <= 40  # 20 lengths of 2 m, less a tick of closing
    assert 8 < gap["near"] <= 10


def test_a_crowd_keeps_apart(driven) -> None:
    seen = driven(
        """
time: {duration: 120}
areas: {field: {square: 200}}
vehicles:
  - name: a
    count: 12
    kind: ground
    model: {length: 2, speed: 5, max_steer: 1.0, max_steer_rate: 3}
    start: {grid: {spacing: 45}}
    behaviors: {wander: {}, periodic_turn: {}, stay_in_bounds: {area: field}, avoid: {}}
"""
    )
    gaps = [seen.closest(p, q) for i, p in enumerate(seen.names) for q in seen.names[:i]]
    assert min(gaps) > 2.0


def test_a_long_and_a_short_aircraft_part_in_height_too(driven) -> None:
    """Both take 5 m for the same height, so one climbs and the other sinks."""
    seen = driven(
        PAIR.replace("KIND", "aerial/fixedwing"),
        "vehicles.a.model.length=20", "vehicles.a.start.z=100", "vehicles.b.start.z=105",
        "vehicles.a.start.at=[-200, 0]", "vehicles.b.start.at=[200, 0]", "time.duration=50",
    )  # fmt: skip
    acting = seen.behaviors("a").index("avoid") + 5
    assert seen.column("pitch", "a")[acting] > 0.1
    assert seen.column("pitch", "b")[acting] < -0.1


def test_the_nearer_of_two_counts_for_more(driven) -> None:
    """Between one 6 m to the left and one 16 m to the right, one goes right."""
    seen = driven(
        """
time: {duration: 2}
vehicles:
  - name: a
    kind: ground
    model: {length: 2, speed: 5}
    start: {at: [0, 0], heading_deg: 90}
    behaviors: {wander: {}, avoid: {}}
  - {name: near, kind: ground, model: {length: 2}, start: {at: [0, 6]}}
  - {name: far, kind: ground, model: {length: 2}, start: {at: [0, -16]}}
"""
    )
    assert seen.column("yaw", "a")[3] < -0.05


def test_vehicles_of_one_run_avoid_each_in_its_way(driven) -> None:
    """The one that turns away holds the wheel from its level on, the other much earlier."""
    seen = driven(
        PAIR.replace("KIND", "ground"), "vehicles.b.behaviors.avoid.method=constant_velocity"
    )
    early = seen.behaviors("b").index("avoid")
    late = seen.behaviors("a").index("avoid")
    gap = np.linalg.norm(seen.place("a") - seen.place("b"), axis=1)
    assert gap[late] <= 20 < gap[early]
    assert gap.min() > 4


def test_methods_mixed_come_out_as_each_alone(driven) -> None:
    """One command given by one method and left by another is what was wished."""
    pairs = """
time: {duration: 12}
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
    bend = """
  - name: c
    kind: ground
    start: {at: [2000, 0], heading_deg: 90}
    behaviors: {wander: {}, avoid: {method: constant_velocity}}
  - {name: d, kind: ground, start: {at: [2060, 0], heading_deg: 270}, behaviors: {wander: {}}}
"""
    alone, mixed = driven(pairs), driven(pairs + bend)
    assert "avoid" in mixed.behaviors("c")
    for name in "ab":
        assert "avoid" in alone.behaviors(name)
        assert alone.place(name).tobytes() == mixed.place(name).tobytes()


def test_other_methods_need_no_notice_level(driven) -> None:
    levels = "\nnotices: {levels: {near: 5}}\n"
    scenario = PAIR.replace("avoid: {}", "avoid: {method: constant_velocity}")
    assert driven(scenario.replace("KIND", "ground") + levels).closest("a", "b") > 2
