"""Questions to the Core that follow speed and nearness, beside steady ones.

A car drives among others, some of them parked. What its layer believes of them between two
answers is put into a scan, and so is where they really are: where a beam differs it is wrong.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from movenv.bench.injection import HOKUYO
from movenv.bench.made import built
from movenv.bench.measure import Row
from movenv.runtime.fast import updates
from movenv.runtime.injection.neighbourhood import Seen
from movenv.runtime.injection.pace import Pace
from movenv.sensors.injection import inject
from movenv.world.columns import F4, F8
from movenv.world.scan import Pose, Scan

SCENARIO = """
name: adaptive-rate
origin: {{lat: 29.193111, lon: -81.046171}}
time: {{tick: {tick}, step: {tick}, duration: {duration}}}
areas: {{site: {{square: 250}}}}
vehicles:
  - {{name: car, kind: ground, count: 16, model: {{type: ground, build: jeep}},
     start: {{grid: {{center: [0, 0], spacing: 40}}}},
     behaviors: {{stay_in_bounds: {{area: site}}, periodic_turn: {{}}, wander: {{}}}}}}
  - {{name: parked, kind: ground, count: 16, model: {{type: ground, build: jeep}},
     start: {{grid: {{center: [20, 20], spacing: 40}}, speed: 0}}}}
"""
TICK = 0.0125
"""Of the course, s: twice as fine as scans come."""
TICKS_A_SCAN = 2
ADAPTIVE = Pace(2.0, 40.0)
STEADY = (5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0)
NOISE, SHARE = 0.04, 0.01
"""A beam is wrong where it is off by more than such a scanner's own error, m, and this share."""
LENGTH, WIDTH = 4.0, 1.8
OPEN = HOKUYO.range_max
EMPTY = Scan(1, 0.0, HOKUYO, np.full(HOKUYO.beams, OPEN, np.float32))
"""Taken where there is nothing but a wall around, as far as it sees."""


class Found(NamedTuple):
    """What a pace came to over a course."""

    questions: float
    """A second."""
    wrong: float
    """Share of the beams that meet a vehicle."""


def measure(quick: bool) -> list[Row]:
    course = Course.driven(15.0 if quick else 120.0)
    adaptive = course.with_pace(ADAPTIVE)
    steady = {rate: course.with_pace(Pace(rate, rate)) for rate in STEADY}
    as_good = min((rate for rate in STEADY if steady[rate].wrong <= adaptive.wrong), default=np.inf)
    as_often = max((rate for rate in STEADY if rate <= adaptive.questions), default=STEADY[0])
    said = f"questions to the Core, {ADAPTIVE.least:g} to {ADAPTIVE.most:g} as is needed"
    return [
        Row(said, adaptive.questions, "1/s", 0.75 * as_good, "lower",
            "a steady rate that is as accurate", as_good),
        Row(f"{said}: beams that are wrong", 100 * adaptive.wrong, "%",
            100 * steady[as_often].wrong, "lower", f"a steady {as_often:g} a second",
            100 * steady[as_often].wrong),
    ]  # fmt: skip


@dataclass(frozen=True)
class Course:
    """Where everyone was at every tick: (ticks, vehicles) of x, y, yaw and the velocity."""

    x: F8
    y: F8
    yaw: F8
    vx: F8
    vy: F8

    @classmethod
    def driven(cls, seconds: float) -> "Course":
        """By cars that turn about, among others that are parked."""
        run = built(SCENARIO.format(tick=TICK, duration=seconds))
        seen = [update.snapshot.vehicles for update in updates(run)]
        speed = np.array([states.speed for states in seen])
        yaw = np.array([states.yaw for states in seen])
        x, y = (np.array([getattr(states, axis) for states in seen]) for axis in "xy")
        return cls(x, y, yaw, speed * np.cos(yaw), speed * np.sin(yaw))

    def with_pace(self, pace: Pace) -> Found:
        """As the layer of the first car has them, if it asks so often."""
        asked, due, reach, questions, wrong, met = 0, 0.0, OPEN, 0, 0, 0
        for tick in range(0, len(self.x), TICKS_A_SCAN):
            own = self._pose(tick)
            if tick * TICK >= due - TICK:
                asked, questions, reach = tick, questions + 1, OPEN + pace.beyond(own)
                around = self._around(tick, tick, reach)
                due = max(due, tick * TICK - TICK) + pace.pause(around, own)
            said, truth = (_scanned(own, self._around(then, tick, reach)) for then in (asked, tick))
            met += int(np.count_nonzero((said < OPEN) | (truth < OPEN)))
            wrong += int(np.count_nonzero(np.abs(said - truth) > NOISE + SHARE * truth))
        return Found(questions / (len(self.x) * TICK), wrong / max(1, met))

    def _pose(self, tick: int) -> Pose:
        columns = (self.x, self.y, self.yaw, self.vx, self.vy)
        return Pose(*(float(column[tick, 0]) for column in columns))

    def _around(self, asked: int, tick: int, reach: float) -> Seen:
        """Those within reach when asked, carried on until now."""
        seconds = (tick - asked) * TICK
        vx, vy = self.vx[asked, 1:], self.vy[asked, 1:]
        x, y = self.x[asked, 1:] + vx * seconds, self.y[asked, 1:] + vy * seconds
        east, north = (column[asked, 1:] - column[asked, 0] for column in (self.x, self.y))
        near = np.hypot(east, north) <= reach
        size = np.full(len(x), LENGTH), np.full(len(x), WIDTH)
        boxes = np.column_stack([x, y, self.yaw[asked, 1:], *size])[near]
        return Seen(boxes, np.column_stack([vx, vy])[near], None)


def _scanned(own: Pose, seen: Seen) -> F4:
    """What a scanner sees of them."""
    return inject(EMPTY, own, seen.boxes, seen.velocities).ranges
