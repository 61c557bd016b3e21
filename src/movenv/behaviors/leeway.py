"""Off the way only as far as there is a way back: what keeps avoidance out of walls.

Whoever avoids another leaves the way that was found round obstacles. Before it does, the next tick
is foreseen, and after it the way back: turning to the wished course while braking, to a crawl until
it has turned and then to a standstill. Only if nothing that stops the vehicle is in the way of all
that, it may. What was foreseen before can mostly still be done a tick later, but not always: the
wished course may have changed, and past the place one heads for nothing is foreseen.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from movenv.behaviors.reserves import (
    BODY,
    BRAKE,
    LATERAL,
    LENGTH,
    MAX_STEER,
    MIN_SPEED,
    SPEED,
    STANDING,
    STEER,
    STEER_RATE,
    YAW,
    X,
    Y,
    foresee,
    tight_radius,
)
from movenv.behaviors.standing import Walls, edges_near, walls_of
from movenv.behaviors.sure_braking import SureBraking
from movenv.behaviors.velocity_obstacles import nearest_on_edge
from movenv.parts import Own, Setup
from movenv.terrain.walls import inside, meets
from movenv.world.behavior import SETTLE_TIME
from movenv.world.columns import F8, Rows
from movenv.world.kernel import inline, kernel
from movenv.world.trig import wrap

LATER = 0.1
"""What is chosen is foreseen for so much longer than a tick, s."""
STEP = 0.2
"""The way back is foreseen in steps of this time, s."""
STEPS = 60
"""It is foreseen no farther than so many steps."""
ALIGNED = 0.1
"""Within this angle of its wished course one has turned back to it, rad."""
HALF_TURN = 0.5 * math.pi
"""Who has to turn by more may do so by the longer way, rad."""
NEAR = 0.9
"""Who is nearer to a wall than its half length may come nearer down to this share, ..."""
TRUSTED = 0.5
"""... or to this one on its wished way, which was found with the wall in mind."""
CRAWL = 0.25
"""The share of its cruising speed at which one turns back to its way."""
OPEN, INSIDE = -1, -2
"""In place of a choice: there is nothing near; one is in a wall."""

I8 = NDArray[np.int64]
# Columns of a way back: its course and how long it is, crawl and most acceleration, half length
# and height, and the course of the way back that was found before.
COURSE, FAR, SLOWEST, GAIN, HALF, HEIGHT, BEFORE = range(7)


class _Finds(NamedTuple):
    """Room for what is near one vehicle."""

    stamp: I8
    edge: I8
    distance: F8
    now: F8
    then: F8


@inline
def _steer_to(body, course, sense):  # type: ignore[no-untyped-def]
    """As `steer_toward`, by the longer way where the shorter one is not in this sense."""
    turn = wrap(course - body[YAW])
    if sense * turn < 0.0 and abs(turn) > HALF_TURN:
        turn += sense * 2.0 * math.pi
    return turn * body[LENGTH] / (max(body[SPEED], 0.1) * SETTLE_TIME)


@inline
def _hits(finds, count, walls, need, way):  # type: ignore[no-untyped-def]
    """Whether the step from `now` to `then` comes within `need` of an edge, `way` m from here."""
    px, py, qx, qy = finds.now[X], finds.now[Y], finds.then[X], finds.then[Y]
    far = (qx - px) ** 2 + (qy - py) ** 2 > need * need
    for k in range(count):
        if finds.distance[k] - way > need:
            continue
        e = finds.edge[k]
        ax, ay, bx, by = walls.ax[e], walls.ay[e], walls.bx[e], walls.by[e]
        x, y = nearest_on_edge(qx, qy, ax, ay, bx, by)
        limit = need + walls.thick[e]
        if (x - qx) ** 2 + (y - qy) ** 2 < limit * limit:
            return True
        if far and meets(ax, ay, bx, by, px, py, qx, qy):
            return True
    return False


@kernel
def _leads_back(body, back, home, course, speed, sense, hold, finds, count, walls, need):  # type: ignore[no-untyped-def]
    """Whether a vehicle that is told a course and a speed for a while can then turn home."""
    finds.now[:] = body
    way, dt = 0.0, hold
    for _ in range(STEPS):
        steer = _steer_to(finds.now, course, sense)
        foresee(finds.now, steer, speed, back[GAIN], 1.0, body[BRAKE], dt, finds.then)
        way += math.hypot(finds.then[X] - finds.now[X], finds.then[Y] - finds.now[Y])
        if _hits(finds, count, walls, need, way):
            return False
        finds.now[:] = finds.then
        course, dt = home, STEP
        turned = abs(wrap(course - finds.now[YAW])) < ALIGNED
        speed = 0.0 if turned else back[SLOWEST]
        stands = finds.now[SPEED] <= max(body[MIN_SPEED], STANDING)
        if turned and (stands or way > back[FAR]):
            break
    return True


@kernel
def _choose(bodies, backs, courses, speeds, hold, trusted, walls, finds, choices):  # type: ignore[no-untyped-def]
    """For each the first choice from which there is a way back, or the last one.

    Those from `trusted` on are along the wished way; the one after it turns there by the longer
    way, for those who look elsewhere. The last two are along the way back that was found before:
    what is wished may have changed.
    """
    for i in range(len(bodies)):
        body, back = bodies[i], backs[i]
        fast = min(max(body[SPEED], speeds[0, i]), body[SPEED] + back[GAIN] * hold)
        fast = max(fast, back[SLOWEST])
        near = fast * hold + fast * fast / (2.0 * body[BRAKE]) + back[HALF]
        near += 2.0 * tight_radius(body[LENGTH], body[MAX_STEER])
        count = edges_near(
            i, body[X], body[Y], back[HEIGHT], near, walls, finds.stamp, finds.edge, finds.distance
        )
        choices[i] = OPEN
        if count == 0:
            continue
        least = finds.distance[:count].min()
        last = len(courses) - 1
        choices[i] = last
        for c in range(last):
            share = NEAR if c < trusted else TRUSTED
            need = max(min(back[HALF], share * least), 0.0)
            course, sense = courses[c, i], 0.0
            home = back[BEFORE] if c == last - 1 else back[COURSE]
            if c == trusted + 1:
                if abs(wrap(back[COURSE] - body[YAW])) < HALF_TURN:
                    continue
                sense = 1.0 if wrap(course - body[YAW]) > 0.0 else -1.0
            if _leads_back(
                body, back, home, course, speeds[c, i], sense, hold, finds, count, walls, need
            ):
                choices[i] = c
                break
        if choices[i] == last and (least <= 0.0 or inside(walls, body[X], body[Y])):
            choices[i] = INSIDE


class Leeway:
    """What stops each of some vehicles, and how they move; `setup` has only those."""

    def __init__(self, setup: Setup) -> None:
        roster = setup.roster
        rows = np.searchsorted(roster.vids, setup.vids)
        kind = roster.kind[rows]
        self._kinds: list[tuple[Walls, _Finds]] = []
        self._kind = np.full(len(rows), -1)
        """Of each the place in that list; -1 where nothing stops it."""
        for k in np.unique(kind):
            walls = walls_of(setup.terrain, roster.kinds[k])
            if len(walls.ax):
                self._kind[kind == k] = len(self._kinds)
                self._kinds.append((walls, _room(len(walls.ax))))
        if not self._kinds:
            return
        flies = np.array([kind.name == "aerial" for kind in roster.kinds])
        self._flies = flies[kind]
        build, self._rows, self._braking = roster.build, rows, SureBraking(setup)
        lateral = build.get("max_lateral", np.zeros(len(roster)))[rows]
        self._lateral = np.where(lateral > 0, lateral, np.inf)
        rate = build["max_steer_rate"][rows]
        self._steer_rate = np.where(rate > 0, rate, 1e3)

    @property
    def needed(self) -> bool:
        """Whether anything stops any of them."""
        return bool(self._kinds)

    def choose(
        self, own: Own, rows: Rows, courses: F8, speeds: F8, trusted: int, far: F8, period: float
    ) -> I8:
        """For each of some vehicles the first of its choices that leads into nothing, or the last;
        or else OPEN or INSIDE.

        `courses` and `speeds` are (choices, rows), those from the one number `trusted` on along
        the wished course, which for `far` m leads past what stands. The one after that begins to
        turn there by the longer way. The last two are along the course that was the wished one
        when a way back was found before.
        """
        choices: I8 = np.full(len(rows), OPEN, np.int64)
        for number, (walls, finds) in enumerate(self._kinds):
            # Asked even where it is nobody: else the first who needs it would wait while it is
            # compiled, and with it everybody.
            at = np.flatnonzero(self._kind[rows] == number)
            some, found = rows[at], np.empty(len(at), np.int64)
            finds.stamp[:] = -1
            backs = self._backs(own, some, courses[trusted, at], far[at], courses[-1, at])
            ways, paces = (np.ascontiguousarray(column[:, at]) for column in (courses, speeds))
            bodies, hold = self._bodies(own, some, period), period + LATER
            _choose(bodies, backs, ways, paces, hold, trusted, walls, finds, found)
            choices[at] = found
        return choices

    def _bodies(self, own: Own, rows: Rows, period: float) -> F8:
        yaw, speed = own.yaw[rows], own.speed[rows]
        aside = np.cos(yaw) * own.vy[rows] - np.sin(yaw) * own.vx[rows]
        most = own.max_steer[rows]
        moves = speed > STANDING
        bodies = np.ones((len(rows), BODY))
        bodies[:, [X, Y, YAW, SPEED]] = np.column_stack([own.x[rows], own.y[rows], yaw, speed])
        bodies[:, [X, Y, YAW, SPEED]] = np.nan_to_num(bodies[:, [X, Y, YAW, SPEED]])
        seen = 2.0 * aside / np.where(moves, speed, 1.0)
        bodies[:, STEER] = np.where(moves, np.clip(np.nan_to_num(seen), -most, most), 0.0)
        bodies[:, LENGTH], bodies[:, MAX_STEER] = own.length[rows], most
        x, y, fast = bodies[:, X].copy(), bodies[:, Y].copy(), bodies[:, SPEED].copy()
        holds = self._braking.about(x, y, fast, self._rows[rows], period)
        # Foreseen for a while, in which it may come to any soil that counts then.
        bodies[:, BRAKE], bodies[:, STEER_RATE] = holds.later, self._steer_rate[rows]
        bodies[:, MIN_SPEED] = own.min_speed[rows]
        bodies[:, LATERAL] = self._lateral[rows] * holds.around
        return bodies

    def _backs(self, own: Own, rows: Rows, course: F8, far: F8, before: F8) -> F8:
        gain = own.max_acceleration[rows]
        crawl = np.maximum(CRAWL * own.cruise_speed[rows], own.min_speed[rows])
        height = np.where(self._flies[rows], own.z[rows], -np.inf)
        gain = np.where(gain > 0, gain, 1.0)
        return np.column_stack([course, far, crawl, gain, own.length[rows] / 2, height, before])


def _room(edges: int) -> _Finds:
    whole = np.zeros((2, edges), np.int64)
    return _Finds(whole[0], whole[1], np.zeros(edges), np.zeros(BODY), np.zeros(BODY))
