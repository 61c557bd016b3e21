"""Steps that follow speed, beside the finest of them for everyone: as exact, and cheaper.

Many slow cars and a few fast ones turn about. Where they end is compared with a run in far finer
steps; what counts is the worst of them.
"""

import time
from typing import NamedTuple

import numpy as np

from movenv.bench.made import built
from movenv.bench.measure import Row
from movenv.runtime.fast import updates
from movenv.world.columns import F8

SCENARIO = """
name: adaptive-step
origin: {{lat: 29.193111, lon: -81.046171}}
time: {{tick: 0.08, step: {step}, duration: 24{adaptive}}}
vehicles:
  - {{name: slow, kind: ground, count: {slow}, model: {{type: ground, build: f110, speed: 0.5}},
     start: {{grid: {{center: [0, 0], spacing: 30}}, speed: 0.5}},
     behaviors: {{wander: {{}}, periodic_turn: {{}}}}}}
  - {{name: fast, kind: ground, count: {fast}, model: {{type: ground, build: f110, speed: 6}},
     start: {{grid: {{center: [0, 9000], spacing: 300}}, speed: 6}},
     behaviors: {{wander: {{}}, periodic_turn: {{}}}}}}
"""
COARSE, FINE, REFERENCE = 0.02, 0.00125, 0.00015625
TRAVEL = 0.01
"""What a step may take a car, m: fast ones get the fine step by it, slow ones the coarse one."""
ADAPTIVE = f", adaptive: {{travel: {TRAVEL}, finest: {FINE}}}"
REPEATS = 3


class Ended(NamedTuple):
    """How a run went."""

    took: float
    """Of a processor, s."""
    place: F8


def measure(quick: bool) -> list[Row]:
    count = (500, 5) if quick else (5000, 50)
    coarse, fine, adaptive = (
        min((run(*count, step, said) for _ in range(REPEATS)), key=lambda ended: ended.took)
        for step, said in ((COARSE, ""), (FINE, ""), (COARSE, ADAPTIVE))
    )
    truth = run(*count, REFERENCE).place
    worst = {
        name: float(np.hypot(*(ended.place - truth)).max())
        for name, ended in (("coarse", coarse), ("fine", fine), ("adaptive", adaptive))
    }
    said = f"{sum(count):,} cars, 1% of them fast, {COARSE:g} s steps that adapt"
    return [
        Row(f"{said}: worst error", 1e3 * worst["adaptive"], "mm", 1.1e3 * worst["fine"], "lower",
            f"steps of {COARSE:g} s", 1e3 * worst["coarse"]),
        Row(f"{said}: processor time", adaptive.took, "s", 0.75 * fine.took, "lower",
            f"steps of {FINE:g} s, with a worst error of {1e3 * worst['fine']:.3g} mm", fine.took),
    ]  # fmt: skip


def run(slow: int, fast: int, step: float, adaptive: str = "") -> Ended:
    """Once, to its end."""
    made = built(SCENARIO.format(slow=slow, fast=fast, step=step, adaptive=adaptive))
    began = time.process_time()
    *_, last = updates(made)
    vehicles = last.snapshot.vehicles
    return Ended(time.process_time() - began, np.array([vehicles.x, vehicles.y]))
