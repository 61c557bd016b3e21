"""What a run came to: counted against a walk through the distances."""

import numpy as np

from movenv.runtime.fast import updates
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
