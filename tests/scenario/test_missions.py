"""What `movenv check` says of missions that can never advance."""

from pathlib import Path

import pytest

from movenv.scenario.build import build
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load

HEAD = """name: waits
origin: {lat: 29.193111, lon: -81.046171}
vehicles:
"""
A = "  - {name: a, kind: ground, start: {at: [0, 0]}, mission: [%s]}\n"
B = "  - {name: b, kind: ground, start: {at: [9, 0]}, mission: [%s]}\n"
C = "  - {name: c, kind: ground, start: {at: [19, 0]}, mission: [%s]}\n"


def problems(tmp_path: Path, *vehicles: str) -> str:
    path = tmp_path / "waits.yaml"
    path.write_text(HEAD + "".join(vehicles))
    with pytest.raises(ScenarioError) as refused:
        build(load(str(path)))
    return str(refused.value)


def accepted(tmp_path: Path, *vehicles: str) -> None:
    path = tmp_path / "waits.yaml"
    path.write_text(HEAD + "".join(vehicles))
    build(load(str(path)))


def test_waiting_for_nobody(tmp_path: Path) -> None:
    said = problems(tmp_path, A % "{until: {vehicle: medik, within: 5}}", B % "{}")
    assert "waits.yaml:4:" in said
    assert "waits for 'medik', but there is no such vehicle" in said


def test_waiting_for_a_step_that_is_not_there(tmp_path: Path) -> None:
    said = problems(tmp_path, A % "{until: {vehicle: b, step: landd}}", B % "{step: land}")
    assert "'b' has no step 'landd'. Did you mean 'land'?" in said
    assert "It has no mission." in problems(
        tmp_path,
        A % "{until: {vehicle: b, step: land}}",
        "  - {name: b, kind: ground, start: {at: [9, 0]}}\n",
    )


def test_two_that_wait_for_each_other(tmp_path: Path) -> None:
    said = problems(
        tmp_path,
        A % "{step: one, until: {vehicle: b, step: two}}, {step: two}",
        B % "{step: one, until: {vehicle: a, step: two}}, {step: two}",
    )
    assert "waits.yaml:4:" in said
    assert "waits.yaml:5:" in said
    assert "step 'one' can never end: 'b' never reaches its step 'two'" in said
    assert "step 'one' can never end: 'a' never reaches its step 'two'" in said


def test_three_in_a_circle_and_a_way_out_of_it(tmp_path: Path) -> None:
    circle = [
        A % "{step: s, until: {vehicle: b, step: t}}, {step: t}",
        B % "{step: s, until: {vehicle: c, step: t}}, {step: t}",
        C % "{step: s, until: {vehicle: a, step: t}}, {step: t}",
    ]
    assert problems(tmp_path, *circle).count("can never end") == 3
    way_out = C % "{step: s, until: {any: [{vehicle: a, step: t}, {time: 60}]}}, {step: t}"
    accepted(tmp_path, circle[0], circle[1], way_out)
    not_one = C % "{step: s, until: {all: [{vehicle: a, step: t}, {time: 60}]}}, {step: t}"
    assert problems(tmp_path, circle[0], circle[1], not_one).count("can never end") == 3


def test_a_chain_is_no_circle(tmp_path: Path) -> None:
    accepted(
        tmp_path,
        A % "{step: s, until: {vehicle: b, step: t}}, {step: t, until: {time: 1}}, {step: u}",
        B % "{step: s, until: {time: 5}}, {step: t, until: {vehicle: a, step: u}}, {step: v}",
    )


def test_words_that_nobody_says(tmp_path: Path) -> None:
    said = problems(tmp_path, A % "{until: {heard: go}}", B % "{say: stop}")
    assert "nobody ever says 'go'" in said
    accepted(tmp_path, A % "{until: {heard: go}}", B % "{until: {time: 1}}, {say: go}")
    too_late = B % "{until: {vehicle: a, step: after}}, {say: go}"
    first = A % "{until: {heard: go}}, {step: after}"
    assert problems(tmp_path, first, too_late).count("can never end") == 2


def test_finding_without_looking(tmp_path: Path) -> None:
    assert "'a' carries nothing that looks for 'b'" in problems(
        tmp_path, A % "{until: {detected: b}}", B % "{}"
    )
    looks = "{do: {search_and_report: {targets: [%s]}}, until: {detected: b}}"
    accepted(tmp_path, A % looks % "b*", B % "{}")
    assert "looks for 'b'" in problems(tmp_path, A % looks % "c", B % "{}", C % "{}")


def test_a_step_without_an_end(tmp_path: Path) -> None:
    said = problems(tmp_path, A % "{step: x, do: {wander: {}}}, {step: y}")
    assert "step 'x' never ends" in said
    accepted(tmp_path, A % "{step: x, until: {time: 1}}, {step: y, do: {wander: {}}}")
    said = problems(tmp_path, A % "{step: x, do: {wander: {}}, until: {done: true}}")
    assert "waits until it is done, but does nothing that ends" in said


def test_steps_behind_a_loop_without_end(tmp_path: Path) -> None:
    loop = "{step: x, until: {time: 1}, repeat: {from: x, times: forever}}, {step: y}"
    assert "step 'y' is never reached" in problems(tmp_path, A % loop)


@pytest.mark.parametrize(
    ("mission", "said"),
    [
        ("{until: {}}", "expected exactly one of time, done"),
        ("{until: {time: 1, heard: x}}", "found time and heard"),
        ("{until: {within: 5}}", "within needs at or vehicle: 5 m of what?"),
        ("{until: {step: x}}", "step needs vehicle: whose step?"),
        ("{until: {time: 1, at: [0, 0]}}", "at goes with within or beyond"),
        ("{until: {time: 1, vehicle: a}}", "vehicle does not go with time"),
        ("{step: x, until: {time: 1}}, {step: x}", "two steps are called 'x'"),
        ("{until: {time: 1}, repeat: {from: y, times: 2}}", "no step before it"),
        ("{until: {time: 1}, repeat: {from: step-1, times: 0}}", "times is 1 or more"),
        ("{change: {avoid: off}}", "has no behavior 'avoid'"),
        ("{do: {wandr: {}}}", "unknown behavior 'wandr'. Did you mean 'wander'?"),
        ("{say: '%s'}" % ("x" * 241), "241 bytes; 240 are the most"),
    ],
)
def test_what_is_written_wrongly_is_told(tmp_path: Path, mission: str, said: str) -> None:
    assert said in problems(tmp_path, A % mission)


def test_waiting_for_a_find_of_who_does_not_look_before(tmp_path: Path) -> None:
    first = A % "{step: s, until: {vehicle: b, detected: c}}, {step: t}"
    looks = "{do: {search_and_report: {targets: [c]}}}"
    too_late = B % ("{until: {vehicle: a, step: t}}, " + looks)
    said = problems(tmp_path, first, too_late, C % "{}")
    assert said.count("can never end") == 2
    assert "'b' never comes to look for 'c'" in said
    accepted(tmp_path, first, B % ("{until: {time: 5}}, " + looks), C % "{}")


def test_nobody_hears_itself(tmp_path: Path) -> None:
    assert "nobody ever says 'go'" in problems(
        tmp_path, A % "{say: go, until: {heard: go}}", B % "{}"
    )
    several = A.replace("name: a,", "name: a, count: 2,").replace(
        "{at: [0, 0]}", "{points: [[0, 0], [5, 0]]}"
    )
    accepted(tmp_path, several % "{say: go, until: {heard: go}}")


def test_waiting_for_itself(tmp_path: Path) -> None:
    assert "'a' waits for itself" in problems(tmp_path, A % "{until: {vehicle: a, beyond: 5}}")
