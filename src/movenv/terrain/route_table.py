"""A route as a table of numbers, one row a corner."""

import numpy as np

from movenv.terrain.route import Route
from movenv.world.columns import F8

SPLIT = 1e-6
"""Nearer to a corner than this no second one is made, m."""


def table_of(route: Route) -> F8:
    """along, x, y, z, speed, cap, curve and bend of each corner.

    There are corners where slow stretches begin and end, too. Speed, cap and curve, which is
    curvature without a sign, are those of the leg that begins there.
    """
    along, whole = route.along, route.length
    ends = [(s.at, s.at + s.over, s.speed) for s in route.slow]
    if route.closed:  # a stretch may go on behind the beginning
        ends += [(low - whole, high - whole, v) for low, high, v in ends if high > whole]
    new = np.array([end for low, high, _ in ends for end in (low, high)])
    inside = new[(new > 0.0) & (new < whole)]
    gap = np.abs(inside[:, None] - along).min(axis=1, initial=np.inf)
    inside = np.unique(inside[gap > SPLIT])
    inside = inside[np.diff(inside, prepend=-1.0) > SPLIT]
    bend_of_corner, curve_of_leg = _bends(route)
    bend = np.concatenate([bend_of_corner, np.zeros(len(inside))])
    nodes = np.concatenate([along, inside])
    order = np.argsort(nodes)
    nodes, bend = nodes[order], bend[order]
    x, y, z = (np.interp(nodes, along, route.corners[:, axis]) for axis in range(3))
    leg = np.clip(np.searchsorted(along, nodes, "right") - 1, 0, route.legs - 1)
    middle = (nodes + np.append(nodes[1:], whole)) / 2
    cap = np.full(len(nodes), np.inf)
    for low, high, speed in ends:
        within = (middle > low) & (middle < high)
        cap[within] = np.minimum(cap[within], speed)
    return np.array([nodes, x, y, z, route.speed[leg], cap, curve_of_leg[leg], bend])


def _bends(route: Route) -> tuple[F8, F8]:
    """The curvature at each corner, its turn over the shorter of its legs, and that of each leg.

    A leg has the larger turn of its ends over its own length: nothing to speak of for a long one.
    """
    step = np.diff(route.corners[:, :2], axis=0).T
    leg, heading = np.hypot(*step), np.arctan2(step[1], step[0])
    turn, shorter = np.zeros(len(leg) + 1), np.ones(len(leg) + 1)
    turn[1:-1], shorter[1:-1] = np.diff(heading), np.minimum(leg[1:], leg[:-1])
    if route.closed:
        turn[0] = turn[-1] = heading[0] - heading[-1]
        shorter[0] = shorter[-1] = min(leg[0], leg[-1])
    turn = turn - 2 * np.pi * np.floor(turn / (2 * np.pi) + 0.5)
    return turn / shorter, np.maximum(np.abs(turn[1:]), np.abs(turn[:-1])) / leg
