"""Localisation by scans: how often a second, and how far off, on a lap of the shipped map."""

import shutil
import tempfile
import time
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from movenv.behaviors.costmap import Costmap
from movenv.behaviors.localisation import Localisation
from movenv.behaviors.navigate import AT_START
from movenv.behaviors.perception import KINDS, Perception
from movenv.behaviors.unmapped import Unmapped
from movenv.bench.measure import Row
from movenv.bench.plain_particles import PlainLocalisation
from movenv.runtime.fast import updates
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.terrain.grid_map import GridMap
from movenv.world.behavior import Moment
from movenv.world.columns import F8
from movenv.world.sensor import Readings

PARTICLES, BEAMS = 2000, 60
LENGTH = 0.33
SCENARIO = """
name: lap
origin: {lat: 51.2, lon: 4.4}
time: {tick: 0.025, step: 0.005, duration: 28}
terrain: {map: maps/f110-track.yaml}
vehicles:
  - name: car
    kind: ground
    model: {type: ground, build: f110}
    footprint: [0.55, 0.3]
    start: {at: [-8, -5.5], heading_deg: 90, speed: 0}
    sensors:
      laser: {type: lidar, mount: {x: 0.15}, noise: 0.02}
      wheels: {type: wheel_speed, scale_error: 0.03}
      gyro: {type: imu}
    behaviors:
      navigate:
        goals: [[0, -5.5], [9.6, -4.5], [9.6, 5.5], [-2.2, 5.2], [-9.6, 2], [-9.6, -5], [-8, -5.5]]
"""


@dataclass(frozen=True)
class Lap:
    """What the sensors of a car measured on a lap, and where it truly was."""

    grid: GridMap
    readings: list[list[Readings]]
    """Tick by tick."""
    truth: F8
    """x, y and yaw at the end of each, (ticks, 3); first of all, where it began."""
    period: float


def measure(quick: bool) -> list[Row]:
    lap = drive(10.0 if quick else 28.0)
    ours = Localisation(lap.grid, np.ones(1, np.uint32), *np.full((2, 1), float(PARTICLES)))
    ours.place(0, lap.truth[0], 1, 0, AT_START)
    theirs = PlainLocalisation(lap.grid, PARTICLES)
    theirs.place(lap.truth[0], AT_START)
    (rate, off), (plain_rate, plain_off) = follow(lap, ours), follow(lap, theirs)
    said, baseline = f"localisation, {PARTICLES:,} particles, {BEAMS} of 1,081 beams", "plain NumPy"
    rms, plain_rms = (float(np.sqrt((errors**2).mean())) for errors in (off, plain_off))
    late, plain_late = (float(np.percentile(errors, 95)) for errors in (off, plain_off))
    return [
        Row(f"{said}: updates", rate, "1/s", 20.0, "higher", baseline, plain_rate),
        Row(f"{said}: error on a lap, RMS", rms, "m", 0.1, "lower", baseline, plain_rms),
        Row(f"{said}: error on a lap, p95", late, "m", 0.1, "lower", baseline, plain_late),
    ]


def drive(duration: float) -> Lap:
    """A lap of the F1/10 car on the shipped map, with noise and an odometry that errs by 3%."""
    with tempfile.TemporaryDirectory() as folder:
        shipped = files("movenv.scenario") / "shipped" / "maps"
        shutil.copytree(str(shipped), Path(folder) / "maps")
        path = Path(folder) / "lap.yaml"
        path.write_text(SCENARIO, encoding="utf-8")
        stage = Stage(load(str(path), [f"time.duration={duration:g}"]))
        run = stage.run(1)
        readings, truth = [], []
        for update in updates(run):
            vehicles = update.snapshot.vehicles
            truth.append([vehicles.x[0], vehicles.y[0], vehicles.yaw[0]])
            readings.append(run.hosts[0].readings)
    assert stage.terrain.grid is not None
    return Lap(stage.terrain.grid, readings[1:], np.array(truth, float), run.time.period)


def follow(lap: Lap, localisation: Any) -> tuple[float, F8]:
    """How many updates a second a localisation does, and how far off it is after each tick."""
    costmap = Costmap(lap.grid)
    timed = _Timed(localisation)
    senses = Perception(
        np.ones(1, np.uint32),
        np.array([LENGTH]),
        timed,  # type: ignore[arg-type]
        Unmapped(1, costmap, localisation.field),
        np.array([BEAMS]),
        {kind: [None] for kind in KINDS},
    )
    off = []
    for k, readings in enumerate(lap.readings):
        t = (k + 1) * lap.period
        senses.take(readings, Moment(k + 1, t, lap.period, 1))
        pose, _ = senses.now(t)
        off.append(float(np.hypot(*(pose[:2, 0] - lap.truth[k + 1, :2]))))
    return 1.0 / float(np.median(timed.taken)), np.array(off)


class _Timed:
    """A localisation whose updates are timed."""

    def __init__(self, localisation: Any) -> None:
        self._localisation = localisation
        self.taken: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._localisation, name)

    def update(self, *given: Any) -> None:
        began = time.perf_counter()
        self._localisation.update(*given)
        self.taken.append(time.perf_counter() - began)
