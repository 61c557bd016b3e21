"""A route as a table of numbers, one row a corner."""

import numpy as np

from movenv.terrain.route import Route
from movenv.world.columns import F8

SPLIT = 1e-6
"""Nearer to a corner than this no second one is made, m."""


def table_of(route: Route) -> F8:
    """along, x, y, z, speed, cap and bend of each corner, with corners where slow stretches end.

    Speed and cap are those of the leg that begins there.
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
    bend = np.concatenate([_bends(route), np.zeros(len(inside))])
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
    return np.array([nodes, x, y, z, route.speed[leg], cap, bend])


def _bends(route: Route) -> F8:
    """The curvature at each corner: its turn over the shorter of its two legs."""
    x, y = route.corners[:, 0], route.corners[:, 1]
    step_x, step_y = np.diff(x), np.diff(y)
    leg, heading = np.hypot(step_x, step_y), np.arctan2(step_y, step_x)
    turn, shorter = np.zeros(len(x)), np.ones(len(x))
    turn[1:-1], shorter[1:-1] = np.diff(heading), np.minimum(leg[1:], leg[:-1])
    if route.closed:
        turn[0] = turn[-1] = heading[0] - heading[-1]
        shorter[0] = shorter[-1] = min(leg[0], leg[-1])
    bends: F8 = (turn - 2 * np.pi * np.floor(turn / (2 * np.pi) + 0.5)) / shorter
    return bends
