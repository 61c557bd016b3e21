"""What a run came to: counted against a walk through the distances."""

import json
from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.fast import FastRun, updates
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.world.summary import Summary

LEVELS = {"advisory": 20.0, "caution": 10.0, "warning": 5.0}


def test_entries_into_levels_are_counted_and_not_the_ticks_in_them() -> None:
    run = build(load("three-uavs", ["time.duration=300", "vehicles.uav.behaviors.avoid=null"]))
    summary = Summary(run.roster, run.level_names, run.every_pair)
    places = []
    for update in updates(run):
        if update.snapshot.tick:
            summary.add(update)
            v = update.snapshot.vehicles
            places.append(np.array([v.x, v.y, v.z]).T)
    track = np.array(places)
    expected = dict.fromkeys(LEVELS, 0)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        gap = np.linalg.norm(track[:, i] - track[:, j], axis=1)
        for name, multiple in LEVELS.items():
            within = np.concatenate([[False], gap <= multiple * 2.0])
            expected[name] += int(np.count_nonzero(within[1:] & ~within[:-1]))
    assert expected["warning"] > 3
    assert summary.notices == expected
    assert summary.simulated == 300.0
    assert sum(summary.shares.values()) == 1.0


def test_the_closest_approach_lies_within_the_run(tmp_path: Path) -> None:
    """Neither before its beginning nor after its end, where it would only be a guess."""
    file = tmp_path / "meet.yaml"
    car = "    kind: ground\n    behaviors: {wander: {}}\n    start: "
    file.write_text(
        "name: meet\norigin: {lat: 29, lon: -81}\ntime: {duration: 1, tick: 1}\nvehicles:\n"
        f"  - name: a\n{car}{{at: [0, 0], heading_deg: 90}}\n"
        f"  - name: b\n{car}{{at: [24, 0], heading_deg: 270}}\n"
    )
    closest = FastRun(build(load(str(file))), []).run().closest
    assert closest is not None
    assert (closest.distance, closest.t) == pytest.approx((4.0, 1.0), abs=0.02)
    together = FastRun(build(load(str(file), ["vehicles.b.start.at=[0, 3]"])), []).run().closest
    assert together is not None
    assert (together.distance, together.t) == (3.0, 0.0)


@pytest.mark.parametrize("broken_off", [0, 1, 100, 299])
def test_a_summary_goes_on_exactly_from_its_record(broken_off: int) -> None:
    """Also the pairs that stay within a level are not counted again."""
    run = build(load("one-of-everything", ["time.duration=30"]))
    ticks = list(updates(run))[1:]
    whole = Summary(run.roster, run.level_names, run.every_pair)
    before = Summary(run.roster, run.level_names, run.every_pair)
    after = Summary(run.roster, run.level_names, run.every_pair)
    for update in ticks:
        whole.add(update)
    for update in ticks[:broken_off]:
        before.add(update)
    after.resume(json.loads(json.dumps(before.as_record())))
    assert after.as_dict() == before.as_dict()
    for update in ticks[broken_off:]:
        after.add(update)
    assert after.as_record() == whole.as_record()


def test_the_record_of_another_run_is_refused() -> None:
    one = build(load("three-uavs"))
    other = build(load("one-of-everything"))
    record = Summary(other.roster, other.level_names, other.every_pair).as_record()
    with pytest.raises(ValueError, match="another run"):
        Summary(one.roster, one.level_names, one.every_pair).resume(record)
