"""Same scenario and seed, same bytes: on any number of hosts, in any order of the file."""

import os
from pathlib import Path

import numpy as np
import pytest

from movenv.recording.formats.table import batches
from movenv.recording.reader import Recording
from movenv.runtime.fast import FastRun, suitable_hosts, updates
from movenv.runtime.recorded import open_recording
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.world.run_state import RunState

GROUPS = {
    "drone": """
  - name: drone
    vid: 10
    count: 40
    kind: aerial/rotorcraft
    start: {within: sky}
    behaviors:
      wander: {}
      periodic_turn: {}
      periodic_pitch: {}
      stay_in_bounds: {area: sky}
      avoid: {}
""",
    "plane": """
  - name: plane
    vid: 3
    kind: aerial/fixedwing
    start: {within: sky}
    behaviors: {avoid: {}, wander: {}, stay_in_bounds: {area: sky}}
""",
    "car": """
  - name: car
    vid: 70
    count: 7
    kind: ground
    start: {within: sky}
    behaviors:
      wander: {}
      periodic_turn: {priority: 3}
      stay_in_bounds: {area: sky}
      avoid: {level: warning}
      search_and_report: {radius: 100}
""",
}
HEAD = """
name: order
origin: {lat: -33.9, lon: 151.2}
seed: 99
time: {duration: 30}
areas: {sky: {square: 400}}
vehicles:"""


def exported(tmp_path: Path, scenario: str, hosts: int, *changes: str) -> str:
    """The export as text, less the UTC column."""
    file = tmp_path / f"{abs(hash((scenario, hosts, changes)))}.mcap"
    run = build(load(scenario, list(changes)), hosts)
    writer = open_recording(file, run, 1e9 + hosts, list(changes))
    summary = FastRun(run, [writer]).run()
    writer.close(summary.simulated, summary.as_dict())
    with Recording(file) as recording:
        tables = [batch for batch, _ in batches(recording)]
    names = [name for name in tables[0].schema.names if name != "utc"]
    return "\n".join(str(batch.select(names).to_pydict()) for batch in tables)


def test_one_host_or_four_give_the_same_bytes(tmp_path: Path) -> None:
    for hosts, seconds in ((4, 30), (18, 10)):
        long = f"time.duration={seconds}"
        alone = exported(tmp_path, "one-of-everything", 1, long)
        assert exported(tmp_path, "one-of-everything", hosts, long) == alone
    assert exported(tmp_path, "one-of-everything", 1, long, "seed=43") != alone


def test_the_order_of_groups_in_the_file_does_not_matter(tmp_path: Path) -> None:
    texts = []
    for i, order in enumerate((["drone", "plane", "car"], ["car", "drone", "plane"])):
        file = tmp_path / f"order{i}.yaml"
        file.write_text(HEAD + "".join(GROUPS[name] for name in order))
        texts.append(exported(tmp_path, str(file), 1 + i))
    assert texts[0] == texts[1]


def test_hosts_are_added_only_where_they_pay() -> None:
    assert suitable_hosts(9_999) == 1
    assert suitable_hosts(10_000) == min(2, os.cpu_count() or 1)
    assert 1 <= suitable_hosts(10_000_000) <= 1024


def test_a_run_begins_in_set_and_goes_tick_by_tick() -> None:
    seen = list(updates(build(load("hello", ["time.duration=1"]))))
    assert [u.snapshot.tick for u in seen] == list(range(11))
    assert [u.snapshot.t for u in seen] == [round(k * 0.1, 9) for k in range(11)]
    assert [u.snapshot.run_state for u in seen] == [RunState.SET] + [RunState.GO] * 10
    assert [float(u.snapshot.vehicles.x[0]) for u in seen] == pytest.approx(np.arange(11.0))


def test_behaviors_know_the_others_as_of_the_tick_before(tmp_path: Path) -> None:
    (tmp_path / "spy.py").write_text(
        "from movenv.parts import Behavior, BehaviorConfig\n"
        "class Spy(Behavior):\n"
        "    Config = BehaviorConfig\n"
        "    seen = []\n"
        "    def __init__(self, setup): pass\n"
        "    def propose(self, own, others, notices, moment):\n"
        "        self.seen.append((moment.tick, float(own.x[0]), float(others.x[0])))\n"
    )
    file = tmp_path / "spy.yaml"
    file.write_text(
        "name: spy\norigin: {lat: 1, lon: 1}\ntime: {duration: 1}\nvehicles:\n"
        "  - {name: a, kind: ground, start: {at: [0, 0]}, "
        "behaviors: {wander: {}, './spy.py:Spy': {}}}\n"
    )
    run = build(load(str(file)))
    snapshots = [u.snapshot for u in updates(run)]
    spy = run.hosts[0]._assignments[0].behavior
    assert [tick for tick, _, _ in spy.seen] == list(range(10))
    for tick, own, other in spy.seen:
        assert own == other == snapshots[tick].vehicles.x[0]


def test_what_behaviors_are_shown_cannot_be_changed(tmp_path: Path) -> None:
    """One behavior that wrote into the others would make the result depend on the hosts."""
    (tmp_path / "vandal.py").write_text(
        "from movenv.parts import Behavior, BehaviorConfig\n"
        "class Vandal(Behavior):\n"
        "    Config = BehaviorConfig\n"
        "    refused = 0\n"
        "    def __init__(self, setup): pass\n"
        "    def propose(self, own, others, notices, moment):\n"
        "        for column in (own.x, own.vid, own.length, others.x, notices.x):\n"
        "            try:\n"
        "                column[:] = 0\n"
        "            except ValueError:\n"
        "                Vandal.refused += 1\n"
    )
    file = tmp_path / "vandal.yaml"
    file.write_text(
        "name: v\norigin: {lat: 1, lon: 1}\ntime: {duration: 0.1}\nvehicles:\n"
        "  - {name: a, kind: ground, start: {at: [0, 0]}, behaviors: {'./vandal.py:Vandal': {}}}\n"
        "  - {name: b, kind: ground, start: {at: [5, 0]}, behaviors: {'./vandal.py:Vandal': {}}}\n"
        "  - {name: c, kind: ground, start: {at: [9, 0]}}\n"
    )
    run = build(load(str(file)))
    list(updates(run))
    assert type(run.hosts[0]._assignments[0].behavior).refused == 5
