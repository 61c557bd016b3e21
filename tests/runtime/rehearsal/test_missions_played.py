"""Rehearsed phones live their missions: they find, hear and wait for each other."""

import numpy as np

from movenv.runtime.fast import updates
from movenv.runtime.rehearsal.motion import SimulatedMotion
from movenv.scenario.build import Stage, build
from movenv.scenario.load import load


def test_the_crew_of_the_evacuation_goes_where_a_fast_run_takes_it() -> None:
    stage = Stage(load("medevac"), real=False)
    rows = np.arange(4)
    motion = SimulatedMotion(stage, rows)
    wanted = {round(u.snapshot.t): u.snapshot.vehicles for u in updates(build(load("medevac")))
              if u.snapshot.tick % 600 == 0}  # fmt: skip
    for t in sorted(wanted):
        truth = motion.at(float(t), rows)
        x, y, _ = stage.frame.to_local(truth.lat, truth.lon)
        np.testing.assert_allclose(x, wanted[t].x, atol=0.01)
        np.testing.assert_allclose(y, wanted[t].y, atol=0.01)
    # The medic, who set out on hearing of a find, has been with the injured and is home again.
    assert np.hypot(x[1], y[1]) < 25
    assert np.hypot(x[2], y[2]) < 25


def test_those_who_are_not_played_are_not_heard_of() -> None:
    """Only two of the four have phones here: they wait for a call that does not come."""
    stage = Stage(load("medevac"), real=False)
    rows = np.array([1, 3])
    motion = SimulatedMotion(stage, rows)
    both = np.arange(2)
    early, late = motion.at(30.0, both), motion.at(200.0, both)
    np.testing.assert_allclose(early.lat, late.lat, atol=1e-7)
    assert (late.speed < 1e-3).all()
