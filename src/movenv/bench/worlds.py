"""Random worlds with and without a way: mazes, spirals, nested courts, rivers, rectangles."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import shapely
from shapely import LineString, Point, Polygon, affinity, box

from movenv.terrain.features import Crossing, Obstacle, Terrain

SIDE = 100.0
"""Worlds are about so wide, m."""
CLEARANCE = 1.0
WALL = 0.6
"""Half the thickness of walls, m."""
SURE = 1.3
"""A world counts as solvable if it is with so many clearances, too."""


@dataclass
class World:
    """Obstacles, crossings over them, and where to go."""

    kind: str
    start: tuple[float, float]
    goal: tuple[float, float]
    solids: list[tuple[str, Polygon]] = field(default_factory=list)
    bridges: list[Polygon] = field(default_factory=list)
    """Over every river."""

    def terrain(self, name: str = "", east: float = 0.0, north: float = 0.0) -> Terrain:
        """The world as a terrain, moved."""
        obstacles = tuple(
            Obstacle(f"{name}{k}", kind, affinity.translate(ground, east, north))
            for k, (kind, ground) in enumerate(self.solids)
        )
        rivers = tuple(o.name for o in obstacles if o.kind == "river")
        crossings = tuple(
            Crossing(f"{name}b{k}", "bridge", affinity.translate(ground, east, north), rivers)
            for k, ground in enumerate(self.bridges)
        )
        return Terrain(obstacles, crossings)

    def shut(self, clearance: float) -> shapely.Geometry:
        """Where the middle of a vehicle cannot be."""
        ground = shapely.union_all([ground for _, ground in self.solids])
        if self.bridges:
            ground = shapely.difference(ground, shapely.union_all(self.bridges))
        return shapely.buffer(ground, clearance)

    def solvable(self) -> bool | None:
        """Whether start and goal lie in one piece of what is free; None where it is close."""
        answers = {self._joined(CLEARANCE * much) for much in (0.98, SURE)}
        return answers.pop() if len(answers) == 1 else None

    def _joined(self, clearance: float) -> bool | None:
        room = box(-SIDE, -SIDE, 2 * SIDE, 2 * SIDE)
        free = shapely.get_parts(shapely.difference(room, self.shut(clearance)))
        homes = [shapely.intersects_xy(free, *place) for place in (self.start, self.goal)]
        if not (homes[0].any() and homes[1].any()):
            return None
        return bool((homes[0] & homes[1]).any())


def _walls(rng: np.random.Generator, lines: list[LineString]) -> list[tuple[str, Polygon]]:
    """Lines as walls: each one seen as a whole, or all of them as outlines seen bit by bit."""
    walls = [shapely.buffer(line, WALL, cap_style="square", join_style="mitre") for line in lines]
    if rng.random() < 0.5:
        return [("building", wall) for wall in walls]
    return [("canopy", part) for part in shapely.get_parts(shapely.union_all(walls)).tolist()]


def maze(rng: np.random.Generator, solvable: bool) -> World:
    """A labyrinth in a square, with some walls left out; or the goal's cell is shut."""
    n = int(rng.integers(3, 8))
    cell = SIDE / n
    links, seen, stack = {}, {(0, 0)}, [(0, 0)]
    while stack:
        i, j = stack[-1]
        around = [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
        free = [c for c in around if min(c) >= 0 and max(c) < n and c not in seen]
        if not free:
            stack.pop()
            continue
        then = free[rng.integers(len(free))]
        links[then] = (i, j)
        seen.add(then)
        stack.append(then)
    cells = sorted(seen)
    a, b = (cells[k] for k in rng.choice(len(cells), 2, replace=False))
    gaps = {frozenset(link) for link in links.items()}
    lines = [shapely.box(0, 0, SIDE, SIDE).exterior]
    less = rng.uniform(0.0, 0.4)
    for i, j in cells:
        x, y = (i + 1) * cell, (j + 1) * cell
        for then, line in (
            ((i + 1, j), LineString([(x, y - cell), (x, y)])),
            ((i, j + 1), LineString([(x - cell, y), (x, y)])),
        ):
            shut = not solvable and b in ((i, j), then)
            open_now = frozenset(((i, j), then)) in gaps or rng.random() < less
            if max(then) < n and (shut or not open_now):
                lines.append(line)
    start, goal = (((c[0] + 0.5) * cell, (c[1] + 0.5) * cell) for c in (a, b))
    return World("maze", start, goal, _walls(rng, lines))


def spiral(rng: np.random.Generator, solvable: bool) -> World:
    """From the middle of a spiral to the outside, or the other way."""
    gap, turns = rng.uniform(5.0, 12.0), rng.uniform(1.5, 4.0)
    angle = np.arange(0.0, turns * 2 * math.pi, rng.uniform(0.2, 1.2)) + 1.0
    far = gap * (0.6 + angle / (2 * math.pi))
    turned = angle + rng.uniform(0, 2 * math.pi)
    corners = np.column_stack([far * np.cos(turned), far * np.sin(turned)]) + SIDE / 2
    lines = [LineString(corners)]
    if rng.random() < 0.5:  # two that face each other
        lines.append(LineString(SIDE - corners))
    if not solvable:
        around = shapely.buffer(Point(SIDE / 2, SIDE / 2), far.max() + gap, quad_segs=3)
        lines = [*lines, around.exterior]
    out = rng.uniform(0, 2 * math.pi)
    outside = SIDE / 2 + (far.max() + 2.5 * gap) * np.array([math.cos(out), math.sin(out)])
    ends = [(SIDE / 2, SIDE / 2), (float(outside[0]), float(outside[1]))]
    start, goal = ends if rng.random() < 0.5 else ends[::-1]
    return World("spiral", start, goal, _walls(rng, lines))


def courts(rng: np.random.Generator, solvable: bool) -> World:
    """Courts within courts, each with one gate; or one of them without."""
    count = int(rng.integers(2, 6))
    shut = -1 if solvable else int(rng.integers(count))
    lines = []
    for k in range(count):
        half = SIDE / 2 * (k + 1) / count
        sides = int(rng.integers(3, 9))
        angle = np.arange(sides) / sides * 2 * math.pi + rng.uniform(0, 6)
        ring = half * np.column_stack([np.cos(angle), np.sin(angle)]) + SIDE / 2
        closed = LineString([*ring, ring[0]])
        if k != shut:
            at = rng.uniform(0.1, 0.9) * closed.length
            gate = shapely.buffer(closed.interpolate(at), rng.uniform(2.5, 3.5))
            cut = shapely.get_parts(shapely.difference(closed, gate)).tolist()
            lines += [line for line in cut if line.length > 1.0]
        else:
            lines.append(closed)
    ends = [(SIDE / 2, SIDE / 2), (SIDE * 1.1, rng.uniform(0, SIDE))]
    start, goal = ends if rng.random() < 0.5 else ends[::-1]
    return World("court", start, goal, _walls(rng, lines))


def river(rng: np.random.Generator, solvable: bool) -> World:
    """A river across a walled valley, with one bridge or none."""
    along = np.linspace(-5.0, SIDE + 5.0, int(rng.integers(4, 12)))
    middle = SIDE / 2 + rng.uniform(-20.0, 20.0, len(along))
    line = LineString(np.column_stack([along, middle]))
    water = shapely.buffer(line, rng.uniform(2.0, 6.0), cap_style="flat", join_style="mitre")
    frame = shapely.box(-5, -5, SIDE + 5, SIDE + 5)
    valley = shapely.difference(shapely.buffer(frame, 3.0), frame)
    solids = [("river", part) for part in shapely.get_parts(water).tolist()]
    bridges = []
    if solvable:
        at = rng.uniform(10.0, SIDE - 10.0)
        bridges = [box(at - 4.0, -6.0, at + 4.0, SIDE + 6.0)]
    start = (rng.uniform(0, SIDE), 2.0)
    goal = (rng.uniform(0, SIDE), SIDE - 2.0)
    return World("river", start, goal, [*solids, ("lake", valley)], bridges)


def rectangles(rng: np.random.Generator, solvable: bool) -> World:
    """Buildings, lakes and trees strewn about: an ordinary world; or the goal is walled in."""
    solids: list[tuple[str, Polygon]] = []
    for _ in range(int(rng.integers(8, 30))):
        x, y = rng.uniform(0, SIDE, 2)
        if rng.random() < 0.2:
            solids.append(("tree", shapely.buffer(Point(x, y), rng.uniform(0.3, 2.0))))
            continue
        w, h = rng.uniform(2.0, 20.0, 2)
        kind = "lake" if rng.random() < 0.3 else "building"
        solids.append((kind, affinity.rotate(box(x, y, x + w, y + h), rng.uniform(0, 90))))
    ends = [(rng.uniform(-5, 0), rng.uniform(0, SIDE)), (SIDE + 5.0, rng.uniform(0, SIDE))]
    if not solvable:
        ring = shapely.buffer(Point(ends[1]), rng.uniform(4.0, 12.0), quad_segs=2).exterior
        solids += _walls(rng, [ring])
    return World("rectangles", ends[0], ends[1], solids)


MAKERS: tuple[Callable[[np.random.Generator, bool], World], ...] = (
    maze, spiral, courts, river, rectangles,
)  # fmt: skip


def draw_worlds(
    count: int, solvable: bool, seed: int, only: tuple[str, ...] | None = None
) -> list[World]:
    """So many worlds of all kinds in turn, each checked for what it should be."""
    makers = [m for m in MAKERS if only is None or m.__name__ in only]
    worlds: list[World] = []
    draw = 0
    while len(worlds) < count:
        rng = np.random.default_rng((seed, solvable, draw))
        world = makers[len(worlds) % len(makers)](rng, solvable)
        draw += 1
        if world.solvable() is solvable:
            worlds.append(world)
    return worlds
