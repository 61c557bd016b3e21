"""Missions in the kernel: steps, conditions, switching, loops; each against a story by hand."""

from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import Run, build
from movenv.scenario.load import load
from movenv.world.messages import MISSION_OVER

HEAD = """
name: story
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 30}
areas: {field: {square: 400}}
vehicles:
"""


@pytest.fixture
def story(tmp_path: Path):  # type: ignore[no-untyped-def]
    def make(vehicles: str, hosts: int = 1) -> Run:
        path = tmp_path / "story.yaml"
        path.write_text(HEAD + vehicles)
        return build(load(str(path)), hosts)

    return make


def steps(run: Run) -> np.ndarray:
    """(ticks, vehicles): who is on which step; 255 when it is over."""
    return np.array([update.snapshot.vehicles.step for update in updates(run)])


def entered(column: np.ndarray) -> list[tuple[float, int]]:
    """When each step began, s."""
    changes = np.flatnonzero(np.diff(column)) + 1
    return [(round(0.1 * i, 1), int(column[i])) for i in changes]


ALONE = """
  - name: car
    kind: ground
    model: {speed: 10, max_acceleration: 1000}
    start: {at: [0, 0], heading_deg: 90, speed: 0}
"""


def test_a_step_lasts_as_long_as_it_says(story) -> None:  # type: ignore[no-untyped-def]
    run = story(ALONE + "    mission: [{until: {time: 3}}, {until: {time: 4}}]\n")
    # The tick in which 3 s have passed begins at 3.0 s and is told at its end.
    assert entered(steps(run)[:, 0]) == [(3.1, 2), (7.1, MISSION_OVER)]


def test_a_behavior_of_a_step_drives_while_it_lasts(story) -> None:  # type: ignore[no-untyped-def]
    mission = "    mission: [{until: {time: 2}}, {do: {wander: {}}, until: {time: 5}}, {}]\n"
    x = [u.snapshot.vehicles.x[0] for u in updates(story(ALONE + mission))]
    assert x[20] == pytest.approx(0, abs=1e-6)
    assert x[-1] == pytest.approx(50, abs=0.7)  # 5 s at 10 m/s
    assert x[-1] == pytest.approx(x[90], abs=1e-6)


def test_a_place_is_reached_when_it_is_near(story) -> None:  # type: ignore[no-untyped-def]
    mission = (
        "    mission: [{do: {wander: {}}, until: {at: [100, 0], within: 20}},"
        " {do: {wander: {}}, until: {at: [100, 0], beyond: 50}}]\n"
    )
    got = entered(steps(story(ALONE + mission))[:, 0])
    assert got[0][0] == pytest.approx(8.1, abs=0.2)  # 80 m at 10 m/s
    assert got[1][0] == pytest.approx(15.1, abs=0.2)


def test_a_loop_runs_as_often_as_it_says(story) -> None:  # type: ignore[no-untyped-def]
    mission = (
        "    mission: [{step: a, until: {time: 1}}, "
        "{step: b, until: {time: 1}, repeat: {from: a, times: 2}}, {step: c}]\n"
    )
    order = [step for _, step in entered(steps(story(ALONE + mission))[:, 0])]
    assert order == [2, 1, 2, 1, 2, 3]


def test_a_forever_loop_goes_on(story) -> None:  # type: ignore[no-untyped-def]
    mission = "    mission: [{until: {time: 1}, repeat: {from: step-1, times: forever}}]\n"
    assert set(steps(story(ALONE + mission))[:, 0]) == {1}


PAIR = """
  - name: lead
    kind: ground
    model: {speed: 10}
    start: {at: [0, 0], heading_deg: 90}
    behaviors: {wander: {}}
    mission:
      - {step: far, until: {at: [0, 0], beyond: 100}}
      - {step: told, say: go, until: {time: 5}}
"""


@pytest.mark.parametrize(
    ("until", "after"),
    [
        ("{vehicle: lead, step: told}", 0.1),
        ("{vehicle: lead, at: [0, 0], beyond: 100}", 0.0),
        ("{vehicle: lead, beyond: 100}", 0.0),
        ("{heard: go}", 0.1),
        ("{vehicle: lead, heard: go}", 0.1),
        ("{all: [{heard: go}, {time: 1}]}", 0.1),
        ("{all: [{heard: go}, {time: 20}]}", 9.9),
        ("{any: [{vehicle: lead, step: told}, {time: 29}]}", 0.1),
    ],
)
@pytest.mark.parametrize("hosts", [1, 2])
def test_one_waits_for_another(story, until: str, after: float, hosts: int) -> None:  # type: ignore[no-untyped-def]
    waiting = f"""
  - name: waits
    kind: ground
    start: {{at: [4, 26], speed: 0}}
    mission: [{{until: {until}}}]
"""
    seen = steps(story(PAIR + waiting, hosts))
    there = entered(seen[:, 0])[0][0]
    assert entered(seen[:, 1])[0][0] == pytest.approx(there + after, abs=1e-9)


def test_a_find_of_another_is_known_a_tick_later(story) -> None:  # type: ignore[no-untyped-def]
    run = story("""
  - name: drone
    kind: aerial/rotorcraft
    start: {at: [0, 0, 10], heading_deg: 90}
    behaviors: {wander: {}, search_and_report: {radius: 30, targets: [man]}}
    mission: [{until: {detected: man}}]
  - name: man
    kind: pedestrian
    start: {at: [80, 0]}
  - name: base
    kind: ground
    start: {at: [-100, 0], speed: 0}
    mission: [{until: {vehicle: drone, detected: man}}]
""")
    ticks = list(updates(run))
    found = next(u.snapshot.tick for u in ticks if len(u.detections))
    seen = np.array([u.snapshot.vehicles.step for u in ticks])
    assert entered(seen[:, 0]) == entered(seen[:, 2]) == [(round(0.1 * found + 0.1, 1), 255)]


def test_a_change_of_priority_holds_for_its_step(story) -> None:  # type: ignore[no-untyped-def]
    run = story("""
  - name: car
    kind: ground
    start: {at: [0, 0]}
    behaviors: {wander: {priority: 1}, stay_in_bounds: {priority: 4, area: field}}
    mission:
      - {until: {time: 1}, change: {wander: {priority: 9}}}
      - {until: {time: 1}, change: {wander: off}}
      - {until: {time: 1}}
""")
    names = ["", *run.roster.behaviors]
    held = [names[u.snapshot.vehicles.behavior[0]] for u in updates(run)]
    assert set(held[1:11]) == {"wander"}
    assert set(held[12:21]) == {""}
    assert set(held[22:100]) == {"wander"}  # before it leaves the field


def test_what_is_off_neither_finds_nor_speaks(story) -> None:  # type: ignore[no-untyped-def]
    run = story("""
  - name: drone
    kind: aerial/rotorcraft
    start: {at: [0, 0, 10], speed: 0}
    behaviors: {search_and_report: {radius: 50, targets: [man]}}
    mission: [{change: {search_and_report: off}, until: {time: 5}}]
  - {name: man, kind: pedestrian, start: {at: [5, 0]}}
""")
    first = next(u.snapshot.t for u in updates(run) if len(u.detections))
    assert first == pytest.approx(5.1)


def test_the_number_of_hosts_changes_nothing(story) -> None:  # type: ignore[no-untyped-def]
    crowd = (
        PAIR
        + """
  - name: crowd
    count: 20
    kind: ground
    start: {within: field}
    behaviors: {wander: {}, avoid: {priority: 10}}
    mission:
      - until: {any: [{vehicle: lead, within: 60}, {vehicle: lead, step: told}]}
        change: {wander: off}
      - {do: {periodic_turn: {wait: [0, 1]}}, until: {time: 2}, repeat: {from: step-1, times: 3}}
"""
    )
    one = [u.snapshot.vehicles for u in updates(story(crowd))]
    three = [u.snapshot.vehicles for u in updates(story(crowd, 3))]
    for a, b in zip(one, three, strict=True):
        assert a.x.tobytes() == b.x.tobytes()
        assert a.step.tobytes() == b.step.tobytes()


def test_what_has_no_end_does_not_keep_a_step_from_ending(story) -> None:  # type: ignore[no-untyped-def]
    mission = (
        "    mission: [{do: {go_to_point: {at: [50, 0], priority: 5},"
        " circle: {center: [0, 0], radius: 30}}}]\n"
    )
    assert entered(steps(story(ALONE + mission))[:, 0])[0][1] == MISSION_OVER


def test_words_are_heard_only_once_they_are_waited_for(story) -> None:  # type: ignore[no-untyped-def]
    waiting = """
  - name: waits
    kind: ground
    start: {at: [4, 26], speed: 0}
    mission: [{until: {time: 15}}, {until: {heard: go}}]
"""
    assert entered(steps(story(PAIR + waiting))[:, 1]) == [(15.1, 2)]  # "go" came at 10 s
