"""What commands say of missions."""

import json
from pathlib import Path
from typing import Any

from tests.cli.test_commands import movenv

from movenv.cli.mission_words import mission_lines, mission_words

SCENARIO = """
name: rounds
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 6}
vehicles:
  - name: ambulance
    kind: ground
    start: {at: [0, 0]}
    mission:
      - {step: approach, do: {wander: }, until: {time: 2}}
      - {step: return, do: {wander: }}
  - name: drone
    kind: aerial/rotorcraft
    start: {at: [20, 0], z: 30}
    mission:
      - {step: search, do: {wander: }, until: {time: 1}}
"""


def missions(over: int, at: dict[str, int], *each: tuple[str, int, str]) -> dict[str, Any]:
    entries = [
        {"vid": i, "name": name, "number": number, "step": step, "since": 1.5 if number else None}
        for i, (name, number, step) in enumerate(each, 1)
    ]
    waiting = sum(number == 0 for _, number, _ in each)
    vehicles = over + sum(at.values()) + waiting
    return {"vehicles": vehicles, "over": over, "at": at, "each": entries}


def test_few_are_named() -> None:
    told = missions(1, {"return": 1}, ("medic", 255, "over"), ("ambulance", 4, "return"))
    assert mission_words(told) == "1 of 2 over; ambulance at 'return'"
    assert mission_lines({"missions": told}) == [
        ("mission", "medic: over since t = 1.5 s"),
        ("mission", "ambulance: return since t = 1.5 s"),
    ]
    assert mission_words(missions(2, {}, ("a", 255, "over"), ("b", 255, "over"))) == "2 of 2 over"


def test_who_was_never_heard_has_not_begun() -> None:
    told = missions(0, {"load": 1}, ("medic", 0, ""), ("car", 2, "load"))
    assert mission_words(told) == "0 of 2 over; car at 'load'; 1 not begun"
    assert mission_lines({"missions": told})[0] == ("mission", "medic: not begun")


def test_many_are_counted() -> None:
    told = missions(3000, {f"s{i}": 1000 * (i + 1) for i in range(7)})
    assert mission_words(told) == (
        "3,000 of 31,000 over; 7,000 at 's6', 6,000 at 's5', 5,000 at 's4', 4,000 at 's3', "
        "3,000 at 's2', 3,000 elsewhere"
    )
    assert mission_lines({"missions": told}) == []
    assert mission_lines({"missions": None}) == []


def test_a_run_and_its_recording_say_how_far_missions_came(tmp_path: Path) -> None:
    (tmp_path / "rounds.yaml").write_text(SCENARIO)
    done = movenv("run", "rounds.yaml", "--fast", "--record", "a.mcap", cwd=tmp_path)
    line = "missions      1 of 2 over; 1 of 2 at their last step; ambulance at 'return'"
    assert line in done.stdout.splitlines()
    told = movenv("info", "a.mcap", cwd=tmp_path).stdout.splitlines()
    assert line in told
    facts = json.loads(movenv("info", "a.mcap", "--json", cwd=tmp_path).stdout)["missions"]
    since = {one["name"]: one["since"] for one in facts["each"]}
    assert f"mission       ambulance: return since t = {since['ambulance']:.1f} s" in told
    assert 2.0 <= since["ambulance"] <= 2.2
    assert 1.0 <= since["drone"] <= 1.2


def test_without_missions_nothing_is_said_of_them(tmp_path: Path) -> None:
    words = ("run", "hello", "--fast", "--duration", "2", "--record", "a.mcap")
    assert "mission" not in movenv(*words, cwd=tmp_path).stdout
    assert "mission" not in movenv("info", "a.mcap", cwd=tmp_path).stdout
