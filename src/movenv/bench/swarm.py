"""Whole runs: 10,000 and 100,000 vehicles with four behaviors, notices and a recording."""

import math
import tempfile
import time
from pathlib import Path

from movenv.bench.baselines import PlainFleet
from movenv.bench.measure import Row, best_time
from movenv.runtime.fast import FastRun, suitable_hosts
from movenv.runtime.recorded import open_recording
from movenv.scenario.build import Run, build
from movenv.scenario.load import load
from movenv.world.frames import Frame

SCENARIO = "swarm-10k"
SIDE = 5000.0
REACH = 20.0


def swarm(count: int, duration: float) -> Run:
    """The shipped swarm with another number of vehicles at the same density."""
    side = SIDE * math.sqrt(count / 10_000)
    changes = [f"vehicles.0.count={count}", f"areas.sky.square={side}", f"time.duration={duration}"]
    return build(load(SCENARIO, changes), suitable_hosts)


def recorded(run: Run) -> float:
    """Run with a recording; returns the wall time of the run and of closing the file, s."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        writer = open_recording(Path(folder) / "bench.mcap", run, time.time(), [])
        summary = FastRun(run, [writer]).run()
        writer.close(summary.simulated, summary.as_dict())
        return time.perf_counter() - began


def _real_time(count: int, duration: float, repeats: int) -> float:
    return duration / min(recorded(swarm(count, duration)) for _ in range(repeats))


def _plain(count: int, repeats: int) -> float:
    fleet = PlainFleet(count, SIDE * math.sqrt(count / 10_000))
    frame = Frame(29.193111, -81.046171)
    return 0.1 / best_time(lambda: fleet.tick(frame, REACH), repeats)


def measure(quick: bool) -> list[Row]:
    recorded(swarm(1000, 0.5))  # compile
    plan = [(2_000, 5.0, 1), (20_000, 1.0, 1)] if quick else [(10_000, 20.0, 3), (100_000, 5.0, 3)]
    rows = []
    for (count, duration, repeats), target in zip(plan, (10.0, 1.0), strict=True):
        rows.append(
            Row(
                what=f"{count:,} vehicles, four behaviors, notices, recording",
                value=_real_time(count, duration, repeats),
                unit="× real time",
                target=target,
                better="higher",
                baseline="NumPy, PROJ and k-d tree, without behaviors or recording",
                baseline_value=_plain(count, 3),
            )
        )
    few, many = (count for count, _, _ in plan)
    spread = math.log(many / few)
    hosts = " and ".join(str(suitable_hosts(count)) for count in (few, many))
    rows.append(
        Row(
            what=f"cost of a tick from {few:,} to {many:,} vehicles, on {hosts} hosts",
            value=math.log(rows[0].value / rows[1].value) / spread,
            unit="exponent of N",
            target=1.1,
            better="lower",
            baseline="the same plain way",
            baseline_value=math.log(rows[0].baseline_value / rows[1].baseline_value) / spread,
        )
    )
    return rows
