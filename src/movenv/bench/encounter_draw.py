"""Drawing pairwise encounters at random: two that would come closer than d_min.

One of them, of any kind and at half to one and a half of its kind's cruising speed, may avoid; the
other, of any length, holds its velocity. A fifth of the encounters each:

- crossing: courses 20° to 160° apart, the other at up to twice its kind's speed;
- head-on: courses 160° to 200° apart, the same speeds;
- overtaking: courses within 10°, the other at up to 0.8 of the own speed;
- overtaken: courses within 10°, the other at 1.25 to 4 times the own speed;
- parallel: courses 1° to 10° apart, the other at 0.8 to 1.25 times the own speed.

They would pass at a distance drawn evenly from -d_min to d_min, one in ten exactly through each
other. What no driver could avoid is drawn again: the encounter is `notice` (2 s and the time in
which one drives d_min) to 15 s more ahead, the two begin at least 1.5 d_min apart, and who comes is
seen when that `notice` is left.
"""

from dataclasses import dataclass

import numpy as np

from movenv.behaviors.constant_velocity import LOOK_AHEAD
from movenv.behaviors.threats import LEAST_SIGHT, MOST_SIGHT
from movenv.vehicles.kinematic import DEFAULTS, PARAMETERS, Kinematic, KinematicConfig
from movenv.world.columns import F8
from movenv.world.kinds import Kind
from movenv.world.model import MOTION

CLASSES = ("crossing", "head-on", "overtaking", "overtaken", "parallel")
KINDS = tuple(DEFAULTS)
SPACING = 20_000.0
"""From one pair to the next, m."""
LONGEST = 60.0
"""Until two meet who hardly come nearer, s."""


@dataclass(frozen=True)
class Encounters:
    """Pairs as columns. Vehicle 2k meets vehicle 2k + 1, which holds its velocity."""

    sort: F8
    """Of each pair the place of its class in CLASSES."""
    kind: F8
    """Of each vehicle the place of its kind in KINDS."""
    parameters: F8
    """Of each vehicle (PARAMETERS, vehicles)."""
    speed: F8
    start: F8
    """(MOTION, vehicles)"""
    d_min: F8
    t: F8
    """Until each pair would be closest, s."""

    def some(self, first: int, last: int) -> "Encounters":
        pairs, both = slice(first, last), slice(2 * first, 2 * last)
        return Encounters(
            self.sort[pairs],
            self.kind[both],
            self.parameters[:, both],
            self.speed[both],
            self.start[:, both],
            self.d_min[pairs],
            self.t[pairs],
        )


def _kinds() -> list[dict[str, float]]:
    return [Kinematic.complete(KinematicConfig(), Kind.parse(kind)) for kind in KINDS]


def draw(count: int, seed: int) -> Encounters:
    """So many encounters, those soonest over first."""
    random = np.random.default_rng(seed)
    parts: list[list[F8]] = []
    while sum(part[0].shape[-1] for part in parts) < count:
        parts.append(_possible(random, count))
    columns = [np.concatenate(column, axis=-1)[..., :count] for column in zip(*parts, strict=True)]
    order = np.argsort(columns[-1])
    return _placed(random, [column[..., order] for column in columns])


def _possible(random: np.random.Generator, count: int) -> list[F8]:
    """Some encounters that can be avoided: class, kinds, speeds, courses apart, d, d_min, t."""
    kinds = _kinds()
    usual = np.array([kind["speed"] for kind in kinds])
    length = np.array([kind["length"] for kind in kinds])
    sort = random.integers(len(CLASSES), size=count)
    kind = random.integers(len(KINDS), size=(2, count))
    mine = usual[kind[0]] * random.uniform(0.5, 1.5, count)
    free = usual[kind[1]] * random.uniform(0.0, 2.0, count)
    low, high = np.array([[0, 0, 0, 1.25, 0.8], [0, 0, 0.8, 4, 1.25]])[:, sort]
    theirs = np.where(sort < 2, free, mine * random.uniform(low, high))
    low, high = np.radians([[20, 160, 0, 0, 1], [160, 180, 10, 10, 10]])[:, sort]
    apart = random.uniform(low, high) * random.choice([-1.0, 1.0], count)
    d_min = length[kind].sum(axis=0)
    d = d_min * random.uniform(-1, 1, count) * (random.random(count) >= 0.1)
    relative = np.hypot(mine - theirs * np.cos(apart), theirs * np.sin(apart))
    notice = 2.0 + d_min / mine
    t = np.maximum(notice + random.uniform(0, 15, count), 1.5 * d_min / np.maximum(relative, 1e-9))
    fastest = np.array([kind["max_speed"] / kind["speed"] for kind in kinds])[kind[0]] * mine
    sight = np.clip(LOOK_AHEAD * fastest, LEAST_SIGHT, MOST_SIGHT)
    possible = (t <= LONGEST) & (np.hypot(relative * notice, d) < sight)
    columns = [sort, kind, np.array([mine, theirs]), apart, d, d_min, t]
    return [column[..., possible] for column in columns]


def _placed(random: np.random.Generator, columns: list[F8]) -> Encounters:
    sort, kind, speed, apart, d, d_min, t = columns
    count = len(sort)
    yaw = random.uniform(-np.pi, np.pi, count)
    course = np.array([yaw, yaw + apart])
    vx, vy = speed * np.cos(course), speed * np.sin(course)
    rx, ry = vx[0] - vx[1], vy[0] - vy[1]
    relative = np.hypot(rx, ry)
    side = np.ceil(np.sqrt(count))
    x, y = SPACING * (np.arange(count) % side), SPACING * (np.arange(count) // side)
    start = np.zeros((len(MOTION), 2 * count))
    column = dict(zip(MOTION, start, strict=True))
    column["x"][::2], column["y"][::2] = x, y
    column["x"][1::2] = x + rx * t - ry / relative * d
    column["y"][1::2] = y + ry * t + rx / relative * d
    for name, pair in (("yaw", course), ("speed", speed), ("vx", vx), ("vy", vy)):
        column[name][:] = pair.T.ravel()
    kind, speed = kind.T.ravel(), speed.T.ravel()
    table = np.array([[one[name] for name in PARAMETERS] for one in _kinds()]).T[:, kind]
    usual = np.array([one["speed"] for one in _kinds()])[kind]
    for name in ("min_speed", "max_speed"):
        table[PARAMETERS.index(name)] *= speed / usual
    return Encounters(sort, kind, table, speed, start, d_min, t)
