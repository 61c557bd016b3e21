"""The local plan: of many ways to steer and drive on, the one that gets on best and stays clear.

Each candidate steers one way for the first part of the horizon and another for the rest, at one of
some speeds, as the car's rates and grip let it.
"""

import math

import numpy as np

from movenv.world.columns import F4, F8, Rows
from movenv.world.kernel import inline, kernel
from movenv.world.trig import sincos

CAR = (
    "length", "max_steer", "steer_rate", "pull", "braking", "lateral", "half_length", "half_width",
    "clearance", "wanted",
)  # fmt: skip
"""What is known of each car: wheelbase, limits, the box it fills, how near to things it may come,
and the speed it would like to have; SI units."""
STEERS = 13
"""How many angles are tried, from hard right to hard left."""
THEN = (-1.0, -0.4, 0.0, 0.4, 1.0)
"""And then, in shares of the largest angle."""
SPEEDS = (1.0, 0.7, 0.4, 0.2)
"""Shares of the wanted speed."""
STEPS, STEP, FIRST = 14, 0.1, 5
"""Of a candidate: how many instants, the time between them, s, and after how many it steers on."""
AHEAD = 0.4
"""The way is also judged so far ahead of a candidate's end, m: which way it points matters."""
SOFT, WEIGHT = 0.35, 2.5
"""What is nearer than that, m, beyond the clearance costs up to so many metres of way."""
HIT = 3.0
"""What it costs, in metres, when a candidate would have to stop before something."""
JERK = 0.15
"""What a radian of steering costs, m."""
CAREFUL = 0.6
"""The share of the brakes that is planned with."""
REACTION = 0.1
"""How long it drives on before brakes are asked for, s, besides the tick."""


@inline
def _gap(x, y, yaw, points, count, half_length, half_width, beyond):  # type: ignore[no-untyped-def]
    """From the box of a car to the nearest point, m; `beyond` where none is nearer."""
    sin, cos = sincos(yaw)
    reach = math.sqrt(half_length * half_length + half_width * half_width) + beyond
    least = beyond * beyond
    for j in range(count):
        dx, dy = points[j, 0] - x, points[j, 1] - y
        if dx * dx + dy * dy < reach * reach:
            ahead = max(abs(cos * dx + sin * dy) - half_length, 0.0)
            left = max(abs(cos * dy - sin * dx) - half_width, 0.0)
            least = min(least, ahead * ahead + left * left)
    return math.sqrt(least)


@inline
def _to_go(table, pose, x, y, map_):  # type: ignore[no-untyped-def]
    """The cost of the way from a place seen from the car; inf beyond the map."""
    sin, cos = sincos(pose[2])
    east = (pose[0] + cos * x - sin * y - map_[0]) / map_[2] - 0.5
    north = (pose[1] + sin * x + cos * y - map_[1]) / map_[2] - 0.5
    column, row = math.floor(east), math.floor(north)
    if not (0 <= row < table.shape[0] - 1 and 0 <= column < table.shape[1] - 1):
        return math.inf
    u, v = east - column, north - row
    r, c = int(row), int(column)
    south = (1.0 - u) * table[r, c] + u * table[r, c + 1]
    value = (1.0 - v) * south + v * ((1.0 - u) * table[r + 1, c] + u * table[r + 1, c + 1])
    if value < math.inf:
        return value
    # Between cells one of which is no way: that of the cell itself.
    return table[int(math.floor(north + 0.5)), int(math.floor(east + 0.5))]  # noqa: RUF046


@inline
def _roll(k, steer_to, then_to, share, state, car, points, count, tables, pose, goal, map_):  # type: ignore[no-untyped-def]
    """The cost of a candidate, and how far it goes until it meets something (inf if not)."""
    speed, steer, x, y, yaw = state[0], state[1], 0.0, 0.0, 0.0
    way = crowd = 0.0
    passed, hit = False, math.inf
    start = _gap(x, y, yaw, points, count, car[6], car[7], car[8] + SOFT)
    for n in range(STEPS):
        tightest = min(car[1], car[5] * car[0] / max(speed * speed, 1e-6))
        aim = min(max(steer_to if n < FIRST else then_to, -tightest), tightest)
        steer += min(max(aim - steer, -car[2] * STEP), car[2] * STEP)
        before = speed
        speed += min(max(share * car[9] - speed, -car[4] * STEP), car[3] * STEP)
        far = 0.5 * (before + speed) * STEP
        turn = far * steer / car[0]
        sin, cos = sincos(yaw + 0.5 * turn)
        sideways = 0.5 * turn * car[0]
        x, y, yaw = x + far * cos - sideways * sin, y + far * sin + sideways * cos, yaw + turn
        way += far
        gap = _gap(x, y, yaw, points, count, car[6], car[7], car[8] + SOFT)
        # Who stands nearer than the clearance may leave, not come nearer still.
        if gap < min(car[8], 0.95 * start) or gap <= 0.0:
            hit = way
            break
        crowd += max(0.0, 1.0 - (gap - car[8]) / SOFT) ** 2
        passed |= (x - goal[0]) ** 2 + (y - goal[1]) ** 2 < goal[2] * goal[2]
    sin, cos = sincos(yaw)
    ahead_x, ahead_y = x + AHEAD * cos, y + AHEAD * sin
    if passed:
        here = _to_go(tables[k, 1], pose, x, y, map_)
        ahead = _to_go(tables[k, 1], pose, ahead_x, ahead_y, map_)
    else:
        here = _to_go(tables[k, 0], pose, x, y, map_) + goal[3]
        ahead = _to_go(tables[k, 0], pose, ahead_x, ahead_y, map_) + goal[3]
    cost = 0.5 * (here + min(ahead, here + AHEAD + 1.0))
    cost += WEIGHT * crowd / STEPS + JERK * (abs(steer_to - state[1]) + 0.3 * abs(then_to))
    return cost + (HIT if hit < math.inf else 0.0), hit


@inline
def _within_reach(points, count, speed, car, near):  # type: ignore[no-untyped-def]
    """Put those points that any candidate could come near first; how many there are."""
    far = max(speed, car[9]) * STEPS * STEP + car[6] + car[7] + car[8] + SOFT
    found = 0
    for j in range(count):
        if points[j, 0] ** 2 + points[j, 1] ** 2 < far * far:
            near[found, 0], near[found, 1] = points[j, 0], points[j, 1]
            found += 1
    return found


@kernel
def _choose(rows, poses, states, cars, points, counts, tables, goals, map_, period, out):  # type: ignore[no-untyped-def]
    near = np.empty_like(points[0]) if len(rows) else np.empty((0, 2))
    for i in range(len(rows)):
        k = rows[i]
        car, state, pose = cars[k], states[i], poses[i]
        count = _within_reach(points[i], counts[i], state[0], car, near)
        best, longest = math.inf, -1.0
        out[i, 0], out[i, 1], out[i, 2] = state[1], 0.0, 0.0
        for a in range(STEERS):
            steer_to = car[1] * (2.0 * a / (STEERS - 1) - 1.0)
            for share in SPEEDS:
                speed = min(max(share * car[9], state[0] - car[4] * period),
                            state[0] + car[3] * period)  # fmt: skip
                need = max(speed, state[0]) * (period + REACTION)
                need += speed * speed / (2.0 * CAREFUL * car[4])
                for then in THEN:
                    then_to = then * car[1]
                    cost, hit = _roll(k, steer_to, then_to, share, state, car, near, count,
                                      tables, pose, goals[i], map_)  # fmt: skip
                    if hit > longest and best == math.inf:
                        longest = hit
                        out[i, 0] = steer_to
                    if hit > need and cost < best:
                        best = cost
                        out[i, 0], out[i, 1], out[i, 2] = steer_to, share * car[9], 1.0


def choose(
    rows: Rows, poses: F8, states: F8, cars: F8, points: F8, counts: Rows, tables: F4, goals: F8,
    place: tuple[float, float, float], period: float,
) -> F8:  # fmt: skip
    """Steer, speed and whether any candidate was free (rows, 3), for some of the vehicles.

    `poses` (rows, 3) on the map; `states` (rows, 2): speed and steer angle; `cars` (vehicles, CAR);
    `points` as seen from each now; `tables` (vehicles, 2, ...): the cost of the way to the next
    goal and to the one after it; `goals` (rows, 4): the next one seen from the car, how near to it
    is past it, and the cost from there to the one after; `place` of the tables: west, south, cell.
    Where nothing is free, speed is 0 and steer the way that is free the longest.
    """
    out = np.zeros((len(rows), 3))
    flat = (float(place[0]), float(place[1]), float(place[2]))
    _choose(rows, poses, states, cars, points, counts, tables, goals, flat, period, out)
    return out
