"""Ways of vehicles and distances of pairs, thinned out for drawing.

What is left out lies between what is kept: gaps stay gaps, and the extremes of every stretch stay.
"""

import numpy as np

from movenv.review.findings import Pairs, PairSeries, Track
from movenv.review.known import Why
from movenv.review.tracks import Tracks
from movenv.world.columns import F8, Rows
from movenv.world.frames import Frame

POINTS_A_TRACK = 2_000
POINTS_OF_ALL_TRACKS = 400_000
FEWEST_POINTS = 40
PAIRS_DRAWN = 66
"""Every pair of up to twelve vehicles; with more vehicles only:"""
CLOSEST_DRAWN = 30
POINTS_A_PAIR = 3_000


def buckets(count: int, number: int) -> Rows:
    """Where each of at most so many stretches of equal length begins."""
    return np.unique(np.linspace(0, count, max(min(number, count), 1), endpoint=False).astype(int))


def extremes(values: F8, number: int, low: bool = True, high: bool = True) -> Rows:
    """The places of the smallest and the largest number in each of so many stretches."""
    count = len(values)
    if not count:
        return np.empty(0, np.intp)
    starts = buckets(count, number)
    stretch = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, count)))
    found = [np.empty(0, np.intp)]
    for wanted, sign in ((low, 1.0), (high, -1.0)):
        if wanted:
            ranked = np.where(np.isfinite(values), sign * values, np.inf)
            order = np.lexsort((ranked, stretch))
            best = order[np.searchsorted(stretch, np.arange(len(starts)))]
            found.append(best[np.isfinite(values[best])])
    return np.concatenate(found)


def breaks(values: F8) -> Rows:
    """Both ends of every gap, and one place inside it."""
    edge = np.flatnonzero(np.diff(np.isnan(values).astype(np.int8)))
    return np.concatenate([edge, edge + 1])


def tracks_drawn(tracks: Tracks, frame: Frame) -> list[Track]:
    count = len(tracks.roster)
    points = min(POINTS_A_TRACK, max(POINTS_OF_ALL_TRACKS // count, FEWEST_POINTS))
    return [_track(tracks, frame, row, points) for row in range(count)]


def _track(tracks: Tracks, frame: Frame, row: int, points: int) -> Track:
    x, y, z = way = tracks.way(row)
    speed = tracks.speed_of(row).astype(np.float64)
    speed[tracks.why[:, row] != Why.KNOWN] = np.nan
    steps = np.sqrt((np.diff(way, axis=1) ** 2).sum(axis=0))
    path = np.concatenate([np.zeros(min(len(x), 1)), np.cumsum(np.nan_to_num(steps))])
    path[np.isnan(x)] = np.nan
    kept = np.arange(len(x))
    if len(x) > points:
        evenly = buckets(len(x), points // 2)
        kept = np.unique(
            np.concatenate([evenly, extremes(speed, points // 4), breaks(x), _ends(way)])
        )
    lat, lon = np.full(len(kept), np.nan), np.full(len(kept), np.nan)
    known = ~np.isnan(x[kept])
    if known.any():
        there = kept[known]
        lat[known], lon[known], _ = frame.columns_to_geodetic(x[there], y[there])
    return Track(row, tracks.t[kept], x[kept], y[kept], z[kept], lat, lon, speed[kept], path[kept])


def _ends(way: F8) -> Rows:
    """The first and the last tick, and the outermost on every axis."""
    outermost = [extremes(axis, 1) for axis in way]
    return np.concatenate([[0, way.shape[1] - 1], *outermost]).astype(np.intp)


def pairs_drawn(tracks: Tracks, pairs: Pairs) -> tuple[list[PairSeries], bool]:
    """The distances of every pair where there are few, else of the closest; and whether of all."""
    every = len(pairs) <= PAIRS_DRAWN and not pairs.left_out
    number = len(pairs) if every else CLOSEST_DRAWN
    ways: dict[int, F8] = {}
    for row in {*pairs.row[:number].tolist(), *pairs.other[:number].tolist()}:
        ways[row] = tracks.way(row)
    return [_series(tracks.t, ways, pairs, i) for i in range(number)], every


def _series(t: F8, ways: dict[int, F8], pairs: Pairs, i: int) -> PairSeries:
    row, other = int(pairs.row[i]), int(pairs.other[i])
    distance = np.sqrt(((ways[other] - ways[row]) ** 2).sum(axis=0))
    closest = float(pairs.closest_t[i])
    at = int(np.searchsorted(t, closest))
    if at == len(t) or t[at] != closest:  # between two ticks
        t = np.insert(t, at, closest)
        distance = np.insert(distance, at, pairs.closest[i])
    kept = np.arange(len(t))
    if len(t) > POINTS_A_PAIR:
        most = extremes(distance, POINTS_A_PAIR // 4)
        ends = np.array([0, len(t) - 1, at])
        evenly = buckets(len(t), POINTS_A_PAIR // 4)
        kept = np.unique(np.concatenate([evenly, most, breaks(distance), ends]))
    return PairSeries(row, other, t[kept], distance[kept])
