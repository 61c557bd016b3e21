"""Crowds that cross: everyone on a ring goes to the far side of it, through its middle.

Runs lie side by side in one world, far apart, so that one run of the program is many of them.
"""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import shapely
from scipy.spatial import cKDTree

from movenv.bench.crossing_runs import METHODS, Crowd, draw, stage
from movenv.bench.measure import Row, best_time
from movenv.runtime.fast import updates
from movenv.scenario.build import Run, build
from movenv.scenario.load import load
from movenv.world.columns import F8, Mask, Rows
from movenv.world.neighbors import within

PLAN = ((8, 700, 100), (32, 250, 50), (128, 50, 10))
"""Vehicles in a run, how many runs, and how many of them side by side."""
QUICK = ((8, 6, 6), (32, 2, 2))
PATIENCE = 5.0
"""How many times the straight way's time a run may take, and a minute more."""
THERE = 1.0
"""This near to its goal, in lengths, a vehicle has arrived."""


@dataclass
class Outcome:
    """What became of some crowds with one method."""

    hit: Mask
    """Whether anything touched, one value a run."""
    took: F8
    """Time of arrival over that of the straight way, one value a vehicle; nan: not arrived."""

    @classmethod
    def joined(cls, parts: list["Outcome"]) -> "Outcome":
        return cls(
            np.concatenate([part.hit for part in parts]),
            np.concatenate([part.took for part in parts]),
        )

    @property
    def free(self) -> float:
        """Share of runs in which nothing touched, %."""
        return 100.0 * float(np.mean(~self.hit))

    @property
    def arrived(self) -> float:
        return 100.0 * float(np.mean(np.isfinite(self.took)))

    @property
    def delay(self) -> float:
        arrived = self.took[np.isfinite(self.took)]
        return float(arrived.mean()) if len(arrived) else np.inf


class Referee:
    """Watches for discs that touch each other or an obstacle, between ticks as well."""

    def __init__(self, crowds: list[Crowd], run_of: Rows, length: F8) -> None:
        self._run_of, self._radius = run_of, length / 2
        self._grounds = shapely.STRtree([o.ground for crowd in crowds for o in crowd.obstacles])
        self._before: F8 | None = None
        self.hit = np.zeros(len(crowds), np.bool_)

    def look(self, place: F8) -> None:
        """Everyone's place, (vehicles, 2), a tick after the last look."""
        before = place if self._before is None else self._before
        self._before = place
        widest = 2 * float(self._radius.max())
        moved = float(np.hypot(*(place - before).T).max())
        pairs = cKDTree(place).query_pairs(widest + 2 * moved, output_type="ndarray")
        one, other = pairs.T
        gap, change = before[one] - before[other], place[one] - place[other]
        change = change - gap
        square = np.maximum((change**2).sum(axis=1), 1e-12)
        share = np.clip(-(gap * change).sum(axis=1) / square, 0.0, 1.0)
        nearest = np.hypot(*(gap + share[:, None] * change).T)
        touching = nearest < self._radius[one] + self._radius[other]
        self.hit[self._run_of[one[touching]]] = True
        ways = shapely.linestrings(np.stack([before, place], axis=1))
        at, _ = self._grounds.query(ways, predicate="dwithin", distance=self._radius)
        self.hit[self._run_of[at]] = True


def judged(crowds: list[Crowd], method: str) -> Outcome:
    """Drive crowds side by side until all have arrived, or for long enough."""
    run_of = np.repeat(np.arange(len(crowds)), [len(crowd.start) for crowd in crowds])
    goal = np.concatenate([crowd.goal for crowd in crowds])
    straight = np.concatenate([crowd.straight for crowd in crowds])
    length = np.concatenate([np.full(len(crowd.start), crowd.length) for crowd in crowds])
    referee = Referee(crowds, run_of, length)
    took = np.full(len(goal), np.nan)
    with tempfile.TemporaryDirectory() as folder:
        longest = PATIENCE * float(straight.max()) + 60.0
        run = stage(crowds, method, longest, Path(folder)).run(1)
        for update in updates(run):
            vehicles = update.snapshot.vehicles
            place = np.column_stack([vehicles.x, vehicles.y])
            referee.look(place)
            there = np.hypot(*(place - goal).T) <= THERE * length
            took = np.where(np.isnan(took) & there, update.snapshot.t / straight, took)
            if np.isfinite(took).all():
                break
    return Outcome(referee.hit, took)


def batches(plan: tuple[tuple[int, int, int], ...], seed: int = 1) -> Iterator[list[Crowd]]:
    """The drawn crowds, as many at a time as are driven side by side."""
    for size, runs, at_once in plan:
        for first in range(0, runs, at_once):
            numbers = range(first, min(first + at_once, runs))
            yield [draw(size, number, number - first, seed) for number in numbers]


def measure(quick: bool) -> list[Row]:
    plan = QUICK if quick else PLAN
    outcomes = {
        method: Outcome.joined([judged(crowds, method) for crowds in batches(plan)])
        for method in METHODS
    }
    ours = outcomes.pop("reciprocal")
    runs, sizes = sum(row[1] for row in plan), ", ".join(str(row[0]) for row in plan)
    what = f"{runs:,} crossing crowds ({sizes} vehicles) with obstacles"
    rows = [
        Row(f"{what}: without a collision", ours.free, "% of runs", 100.0, "higher",
            method, theirs.free)
        for method, theirs in outcomes.items()
    ]  # fmt: skip
    away = outcomes["turn_away"]
    rows.append(
        Row(f"{what}: arrived", ours.arrived, "% of vehicles", 95.0, "higher",
            "turn_away", away.arrived)
    )  # fmt: skip
    rows.append(
        Row(f"{what}: time taken", ours.delay, "× the straight way", 4.0, "lower",
            "turn_away, of those that arrived", away.delay)
    )  # fmt: skip
    return [*rows, _pace(2_000 if quick else 10_000)]


FIELD = """
name: field
origin: {{lat: 29.193111, lon: -81.046171}}
time: {{duration: 2}}
areas: {{field: {{square: {side}}}}}
vehicles:
  - name: v
    count: {count}
    kind: ground
    start: {{within: field, speed: 5}}
    model: {{speed: 5}}
    behaviors: {{wander: {{}}{avoid}}}
"""


def _field(count: int, avoid: str, folder: Path) -> Run:
    path = folder / "field.yaml"
    path.write_text(FIELD.format(count=count, avoid=avoid, side=50.0 * count**0.5))
    return build(load(str(path)))


def _pace(count: int) -> Row:
    """A tick of many: with the behavior less without it."""
    taken = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stage([draw(8, 0, 0, 1)], "reciprocal", 1.0, folder)  # writes the file of behaviors
        for method in ("reciprocal", "none"):
            run = _field(count, METHODS[method], folder)
            ticks = []
            began = time.perf_counter()
            for update in updates(run):
                ticks.append(time.perf_counter() - began)
                seen = update.snapshot.vehicles
                began = time.perf_counter()
            taken[method] = float(np.median(ticks[1:]))
    points = np.column_stack([seen.x, seen.y, np.zeros(count)])
    search = best_time(lambda: within(points, np.full(count, 60.0), points), 3)
    return Row(f"avoiding reciprocally, {count:,} vehicles, a tick",
               1e3 * (taken["reciprocal"] - taken["none"]), "ms", 30.0, "lower",
               "finding those within 60 m with a k-d tree, alone", 1e3 * search)  # fmt: skip
