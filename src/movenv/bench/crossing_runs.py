"""Crowds on a ring, drawn at random, and the scenario that drives some of them side by side."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from shapely import Point, box

from movenv.behaviors.go_to_point import GoToPoint
from movenv.parts import Moment, Own
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.terrain.features import Obstacle, Terrain
from movenv.world.columns import F8, Mask
from movenv.world.model import MOTION

KINDS = (
    ("ground", 2.7, 10.0, 16.0),
    ("pedestrian", 0.5, 1.4, 2.5),
    ("aerial/rotorcraft", 1.0, 5.0, 5.0),
)
"""Kinds of crowds: length, cruising speed, and the least arc of the ring a vehicle, m."""
FEWEST = 16
"""A ring is never shorter than for so many vehicles."""
APART = 2_500.0
"""Between the middles of runs side by side, m."""

_FILE = "from movenv.bench.crossing_runs import Across\n"
METHODS = {
    "none": "",
    "turn_away": ", avoid: {}",
    "constant_velocity": ", avoid: {method: constant_velocity}",
    "reciprocal": ", avoid: {method: reciprocal}",
}
"""What a vehicle carries besides its goal."""


class Across(GoToPoint):
    """Go through a point and as far again: to the other side of a ring."""

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        super().begin(own, begins, moment)
        over = 2 * self._at[:2] - np.array([own.x, own.y])
        self._place[:2] = np.where(begins, over, self._place[:2])


@dataclass(frozen=True)
class Crowd:
    """One run: where its vehicles begin and are to go, and what stands between."""

    kind: str
    length: float
    middle: tuple[float, float]
    start: F8
    """Places, (vehicles, 2)."""
    obstacles: list[Obstacle]
    speed: float

    @property
    def goal(self) -> F8:
        goal: F8 = 2 * np.array(self.middle) - self.start
        return goal

    @property
    def straight(self) -> F8:
        """How long each one's straight way takes, s."""
        way: F8 = np.hypot(*(self.goal - self.start).T) / self.speed
        return way


def draw(size: int, number: int, slot: int, seed: int) -> Crowd:
    """The crowd of a size and number, always the same; `slot` is its place among others."""
    rng = np.random.default_rng([seed, size, number])
    kind, length, speed, arc = KINDS[number % len(KINDS)]
    ring = 1.3 * max(size, FEWEST) * arc / (2 * np.pi)
    middle = np.array([slot % 10 - 4.5, slot // 10 - 4.5]) * APART
    turn = 2 * np.pi * (np.arange(size) + rng.uniform(-0.2, 0.2, size)) / size
    turn += rng.uniform(0.0, 2 * np.pi)
    start = middle + ring * np.column_stack([np.cos(turn), np.sin(turn)])
    obstacles = []
    for k in range(rng.integers(1, 4)):
        place = _off(rng, middle, 0.4 * ring)
        ground = Point(place).buffer(rng.uniform(0.3, 1.2) * length, quad_segs=3)
        obstacles.append(Obstacle(f"pillar {slot} {k}", "tower", ground))
    x, y = _off(rng, middle, 0.5 * ring)
    half = 2 * length
    wall = box(x - half, y - length / 9, x + half, y + length / 9)
    obstacles.append(Obstacle(f"wall {slot}", "building", wall))
    return Crowd(kind, length, (float(middle[0]), float(middle[1])), start, obstacles, speed)


def _off(rng: np.random.Generator, middle: F8, far: float) -> F8:
    angle, off = rng.uniform(0.0, 2 * np.pi), rng.uniform(0.0, far)
    place: F8 = middle + off * np.array([np.cos(angle), np.sin(angle)])
    return place


def stage(crowds: list[Crowd], method: str, duration: float, folder: Path) -> Stage:
    """The crowds side by side, each vehicle facing the middle of its ring at cruising speed."""
    lines = [
        "name: crowds",
        "origin: {lat: 29.193111, lon: -81.046171}",
        f"time: {{duration: {np.ceil(duration)}, step: 0.02}}",
        "vehicles:",
    ]
    for i, crowd in enumerate(crowds):
        x, y = crowd.middle
        goal = f'"./crossing.py:Across": {{at: [{x}, {y}], within: {crowd.length / 2}}}'
        lines += [
            f"  - name: crowd-{i}",
            f"    count: {len(crowd.start)}",
            f"    kind: {crowd.kind}",
            f"    start: {{points: {crowd.start.tolist()}}}",
            f"    behaviors: {{{goal}{METHODS[method]}}}",
        ]
    (folder / "crossing.py").write_text(_FILE)
    path = folder / "crowds.yaml"
    path.write_text("\n".join(lines))
    made = Stage(load(str(path)), real=False)
    made.terrain = Terrain(tuple(o for crowd in crowds for o in crowd.obstacles))
    _face_the_middle(made, crowds)
    return made


def _face_the_middle(made: Stage, crowds: list[Crowd]) -> None:
    ahead = np.concatenate([crowd.goal - crowd.start for crowd in crowds])
    column = {name: made.start[i] for i, name in enumerate(MOTION)}
    yaw = np.arctan2(ahead[:, 1], ahead[:, 0])
    column["yaw"][:] = yaw
    column["vx"][:] = column["speed"] * np.cos(yaw)
    column["vy"][:] = column["speed"] * np.sin(yaw)
