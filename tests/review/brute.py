"""The numbers of a review from the CSV export, by plain loops and by another route.

The closest point of a step is the point of a segment that is nearest to the origin; the time
within a distance comes from the roots of a polynomial.
"""

import csv
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from movenv.recording.export import export
from movenv.recording.reader import Recording


class Pair(NamedTuple):
    closest: float
    closest_t: float
    both_known_s: float
    below_s: list[float]
    mean: float
    deviation: float
    farthest: float


class Vehicle(NamedTuple):
    known_s: float
    distance: float
    top_speed: float
    stated_speed: float
    """The mean of what was stated."""


Way = dict[float, tuple[np.ndarray, float] | None]
"""By time: where and how fast; None where not known."""


OLDEST = 2.5
"""Of a phone that sends once a second one fix may be lost, and half a second be on the way, s."""


def ways(recording: Path, limit: float) -> tuple[list[float], dict[str, Way]]:
    """All times, and everyone's way with short gaps filled."""
    table = recording.with_suffix(".csv")
    with Recording(recording) as opened:
        export(opened, table, "csv")
    found: dict[str, Way] = {}
    times: list[float] = []
    with table.open() as file:
        for row in csv.DictReader(file):
            t = float(row["t"])
            if not times or t > times[-1]:
                times.append(t)
            known = row["health"] == "heard"
            if row["origin"] == "real" and float(row["age"]) > max(limit, OLDEST) + 1e-6:
                known = False
            place = np.array([float(row[axis]) for axis in "xyz"])
            found.setdefault(row["name"], {})[t] = (place, float(row["speed"])) if known else None
    for way in found.values():
        _fill(times, way, limit)
    return times, found


def _fill(times: list[float], way: Way, limit: float) -> None:
    known = [t for t in times if way[t] is not None]
    for one, two in pairwise(known):
        inside = [t for t in times if one < t < two]
        if two - one > limit + 1e-6:
            continue
        for t in inside:
            share = (t - one) / (two - one)
            place, speed = (
                (1 - share) * a + share * b for a, b in zip(way[one], way[two], strict=True)
            )
            way[t] = (place, speed)


def steps(times: list[float], limit: float) -> list[tuple[float, float]]:
    return [(a, b) for a, b in pairwise(times) if b - a <= limit + 1e-6]


def vehicle(times: list[float], way: Way, limit: float) -> Vehicle:
    known = distance = 0.0
    for a, b in steps(times, limit):
        if way[a] is not None and way[b] is not None:
            known += b - a
            distance += float(np.linalg.norm(way[b][0] - way[a][0]))
    speeds = [place[1] for place in way.values() if place is not None]
    top = float(np.nanmax(speeds)) if speeds else float("nan")
    return Vehicle(known, distance, top, float(np.mean(speeds)) if speeds else float("nan"))


def pair(times: list[float], one: Way, two: Way, limit: float, radii: list[float]) -> Pair | None:
    apart = {t: two[t][0] - one[t][0] for t in times if one[t] is not None and two[t] is not None}
    if not apart:
        return None
    candidates = [(float(np.linalg.norm(r)), t) for t, r in apart.items()]
    known, below = 0.0, [0.0] * len(radii)
    lasting: list[tuple[float, float]] = []
    for a, b in steps(times, limit):
        if a not in apart or b not in apart:
            continue
        known += b - a
        candidates.append(_nearest(apart[a], apart[b], a, b))
        for level, radius in enumerate(radii):
            below[level] += (b - a) * _share_within(apart[a], apart[b], radius)
        lasting += [((b - a) / 2, float(np.linalg.norm(apart[end]))) for end in (a, b)]
    closest, when = min(candidates)
    mean = sum(dt * d for dt, d in lasting) / known if known else float("nan")
    squares = sum(dt * (d - mean) ** 2 for dt, d in lasting)
    deviation = (squares / known) ** 0.5 if known else float("nan")
    farthest = max(np.linalg.norm(r) for r in apart.values())
    return Pair(closest, when, known, below, mean, deviation, float(farthest))


def _nearest(r0: np.ndarray, r1: np.ndarray, a: float, b: float) -> tuple[float, float]:
    along = r1 - r0
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return float(np.linalg.norm(r0)), a
    unit = along / length
    share = float(np.clip(-np.dot(r0, unit) / length, 0.0, 1.0))
    return float(np.linalg.norm(r0 + share * along)), a + share * (b - a)


def _share_within(r0: np.ndarray, r1: np.ndarray, radius: float) -> float:
    v = r1 - r0
    if not v.any():
        return float(np.linalg.norm(r0) <= radius)
    roots = np.roots([v @ v, 2 * r0 @ v, r0 @ r0 - radius**2])
    crossed = [float(s.real) for s in roots if abs(s.imag) < 1e-12 and 0 < s.real < 1]
    cuts = sorted({0.0, 1.0, *crossed})
    middles = [(a, b, np.linalg.norm(r0 + (a + b) / 2 * v)) for a, b in pairwise(cuts)]
    return sum(b - a for a, b, middle in middles if middle <= radius)


def all_pairs(
    recording: Path, limit: float, lengths: list[float], multiples: list[float]
) -> tuple[dict[frozenset[str], Pair], dict[str, Vehicle]]:
    times, found = ways(recording, limit)
    size = dict(zip(found, lengths, strict=True))
    pairs = {}
    for one, two in combinations(found, 2):
        radii = [m * max(size[one], size[two]) for m in multiples]
        told = pair(times, found[one], found[two], limit, radii)
        if told is not None:
            pairs[frozenset((one, two))] = told
    return pairs, {name: vehicle(times, way, limit) for name, way in found.items()}
