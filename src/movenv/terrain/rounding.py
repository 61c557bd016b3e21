"""Routes as they can be driven: corners rounded, and to one side where that is wanted."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from movenv.terrain.route import Route, SlowStretch, StopPlace
from movenv.world.columns import F8, Mask

STRAIGHT = math.radians(1.0)
"""A lesser turn is left as it is."""
ARC_STEP = math.radians(6.0)
"""Arcs become lines that turn by no more than this."""
SHARPEST = math.radians(170.0)
"""Where a route turns back on itself it is rounded as if it turned by this."""
TOUCH = 0.49
"""The share of a leg that the arc at either end may take."""
SAME_PLACE = 1e-6


def rounded(route: Route, cut: float, least_radius: float, offset: float = 0.0) -> Route:
    """A route whose corners are arcs, for vehicles that cannot turn on the spot.

    An arc leaves its corner by `cut` metres, by more where its radius would be less than
    `least_radius`, by less where the legs are too short. `offset` metres to the left of the route.
    Slow stretches and stops lie where they lay.
    """
    corners = _beside(route, offset)
    station = route.along
    turn, inner = _turns(corners, route.closed)
    tangent = _tangents(corners, turn, inner, cut, least_radius)
    places: list[F8] = []
    stations: list[F8] = []
    legs: list[F8] = []
    last = len(corners) - 1
    for j in range(last + 1):
        if not inner[j] or tangent[j] <= 0.0:
            new, at = corners[j : j + 1], station[j : j + 1]
        else:
            new, at = _arc(corners, station, j, turn[j], tangent[j])
        places.append(new)
        stations.append(at)
        legs.append(np.where(at < station[j], j - 1, j).clip(0, route.legs - 1))
    return _made(route, np.vstack(places), np.concatenate(stations), np.concatenate(legs))


def _made(route: Route, places: F8, at: F8, leg: F8) -> Route:
    """A route through places that lie at stations of the old one, each beginning an old leg."""
    whole = route.length
    if route.closed:  # the arc at the beginning is also that at the end
        keep = (at >= 0.0) & (at < whole)
        places, at, leg = places[keep], at[keep], leg[keep]
    apart = np.hypot(*np.diff(places[:, :2], axis=0).T) > SAME_PLACE
    keep = np.concatenate([[True], apart])
    if route.closed:
        keep[-1] &= math.dist(places[-1, :2], places[0, :2]) > SAME_PLACE
    if np.count_nonzero(keep) < 2:
        return route
    places, at, leg = places[keep], at[keep], leg[keep]
    speed = route.speed[leg.astype(int)]
    bare = replace(
        route, points=places, speed=speed if route.closed else speed[:-1], slow=(), stops=()
    )
    ends = np.append(at, whole) if route.closed else at

    def moved(place: float) -> float:
        return float(np.interp(place, ends, bare.along))

    return replace(
        bare,
        slow=tuple(_moved_stretch(s, moved, bare, whole) for s in route.slow),
        stops=tuple(StopPlace(moved(s.at), s.wait) for s in route.stops),
    )


def _moved_stretch(
    stretch: SlowStretch, moved: Callable[[float], float], bare: Route, whole: float
) -> SlowStretch:
    begin, end = moved(stretch.at), stretch.at + stretch.over
    if end > whole and bare.closed:
        return SlowStretch(begin, bare.length - begin + moved(end - whole), stretch.speed)
    return SlowStretch(begin, max(moved(end) - begin, SAME_PLACE), stretch.speed)


def _turns(corners: F8, closed: bool) -> tuple[F8, Mask]:
    """By how much the way turns at each corner, left positive, and which are to be rounded.

    The corner at which a closed route begins stands at both ends.
    """
    heading = np.arctan2(*np.diff(corners[:, :2], axis=0).T[::-1])
    turn = np.zeros(len(corners))
    turn[1:-1] = np.diff(heading)
    if closed:
        turn[0] = turn[-1] = heading[0] - heading[-1]
    turn = turn - 2 * np.pi * np.floor(turn / (2 * np.pi) + 0.5)
    turn = np.clip(turn, -SHARPEST, SHARPEST)
    return turn, np.abs(turn) > STRAIGHT


def _tangents(corners: F8, turn: F8, inner: Mask, cut: float, least_radius: float) -> F8:
    """How far before and behind each corner its arc begins and ends."""
    leg = np.hypot(*np.diff(corners[:, :2], axis=0).T)
    before, behind = np.append(leg[-1:], leg), np.append(leg, leg[:1])
    half = np.where(inner, np.abs(turn) / 2, 1.0)
    radius = np.maximum(cut * np.cos(half) / (1.0 - np.cos(half)), least_radius)
    wanted: F8 = np.minimum(radius * np.tan(half), TOUCH * np.minimum(before, behind))
    return np.where(inner, wanted, 0.0)


def _arc(corners: F8, station: F8, j: int, turn: float, tangent: float) -> tuple[F8, F8]:
    """Places of the arc at a corner, and their stations, evenly on both sides of the corner's."""
    last = len(corners) - 1
    corner = corners[j]
    before = corners[j - 1 if j > 0 else last - 1]
    behind = corners[j + 1 if j < last else 1]
    into = (corner[:2] - before[:2]) / math.dist(corner[:2], before[:2])
    steps = 2 * max(1, math.ceil(abs(turn) / ARC_STEP / 2))
    share = np.linspace(0.0, 1.0, steps + 1)
    radius = tangent / math.tan(abs(turn) / 2)
    angle = abs(turn) * share
    ahead = (radius * np.sin(angle) - tangent)[:, None] * into
    left = np.array([-into[1], into[0]]) * math.copysign(1.0, turn)
    ground = corner[:2] + ahead + (radius * (1.0 - np.cos(angle)))[:, None] * left
    along = tangent * (2.0 * share - 1.0)
    first, second = math.dist(corner[:2], before[:2]), math.dist(corner[:2], behind[:2])
    z = np.where(
        along < 0,
        corner[2] + (corner[2] - before[2]) * along / first,
        corner[2] + (behind[2] - corner[2]) * along / second,
    )
    # Stations are of the route itself: beside it the same arc stands for more or less of them.
    low = station[j] - (station[j - 1] if j > 0 else station[-2] - station[-1])
    high = (station[j + 1] if j < last else station[-1] + station[1]) - station[j]
    at = station[j] + np.where(along < 0, along * low / first, along * high / second)
    return np.column_stack([ground, z]), at


def _beside(route: Route, offset: float) -> F8:
    """The corners moved to the left, so that each leg lies that far beside its own."""
    corners = route.corners
    if offset == 0.0:
        return corners
    step = np.diff(corners[:, :2], axis=0)
    normal = np.column_stack([-step[:, 1], step[:, 0]]) / np.hypot(*step.T)[:, None]
    first, last = (normal[-1:], normal[:1]) if route.closed else (normal[:1], normal[-1:])
    before, behind = np.vstack([first, normal]), np.vstack([normal, last])
    both = before + behind
    # Where the way turns back the two have no sum: nobody goes farther out than four offsets.
    square = np.maximum((both**2).sum(axis=1), 0.25)[:, None]
    moved = corners.copy()
    moved[:, :2] += offset * 2.0 * both / square
    return moved
