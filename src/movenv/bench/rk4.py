"""The integrator alone."""

import numpy as np

from movenv.bench.baselines import PlainFleet
from movenv.bench.measure import Row, best_time
from movenv.vehicles.kinematic import PARAMETERS, Kinematic, KinematicConfig
from movenv.world.kinds import Kind

COUNT = 10_000
STEPS = 10


def measure(quick: bool) -> list[Row]:
    complete = Kinematic.complete(KinematicConfig(), Kind("aerial", "rotorcraft"))
    parameters = np.array([np.full(COUNT, complete[name]) for name in PARAMETERS])
    start = np.zeros((10, COUNT))
    start[3] = np.linspace(-3, 3, COUNT)
    start[6] = complete["speed"]
    ours = Kinematic(parameters, start)
    command = np.array([np.linspace(-1, 1, COUNT), start[6], np.zeros(COUNT)])
    plain = PlainFleet(COUNT, 5000.0)
    ours.advance(command, 0.01, STEPS)
    repeats = 5 if quick else 50
    ours_time = best_time(lambda: ours.advance(command, 0.01, STEPS), repeats)
    plain_time = best_time(lambda: plain.step(0.01), max(3, repeats // 5))
    return [
        Row(
            what="RK4 of the kinematic model, one core",
            value=COUNT * STEPS / ours_time / 1e6,
            unit="million vehicle-steps/s",
            target=25.0,
            better="higher",
            baseline="the same in NumPy",
            baseline_value=COUNT / plain_time / 1e6,
        )
    ]
