"""What differed between two recordings, in numbers. Vehicles are the same by name."""

from dataclasses import dataclass

import numpy as np

from movenv.review.fidelity import DIMENSIONS
from movenv.review.findings import Findings, Pairs
from movenv.review.summary import notice_counts
from movenv.review.tables import run_rows
from movenv.world.columns import F8, Rows


@dataclass(frozen=True)
class Fact:
    """Something said of both runs in words."""

    name: str
    a: str
    b: str

    @property
    def differs(self) -> bool:
        return self.a != self.b


@dataclass(frozen=True)
class VehiclesCompared:
    """Columns, one row a name that both have, in the order of the first roster."""

    names: list[str]
    row_a: Rows
    row_b: Rows
    distance_a: F8
    distance_b: F8
    top_speed_a: F8
    top_speed_b: F8
    only_a: list[str]
    only_b: list[str]


@dataclass(frozen=True)
class PairsCompared:
    """Columns, one row a pair that was known in both; the largest difference first."""

    row: Rows
    """In the first roster, like `other`."""
    other: Rows
    closest_a: F8
    closest_b: F8
    closest_t_a: F8
    closest_t_b: F8
    difference: F8
    """Second less first; below 0: they came closer."""
    only_a: int
    """Pairs of vehicles in both rosters that were known at the same time only there."""
    only_b: int

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True)
class Comparison:
    facts: list[Fact]
    fidelity: dict[str, tuple[int, int]]
    """With `total`."""
    vehicles: VehiclesCompared
    pairs: PairsCompared
    closest: tuple[float, float]
    """Of the whole runs, m."""
    notices: dict[str, tuple[int, int]]
    """By level; 0 where a run does not have the level."""
    notices_whole: bool
    """Whether all notices were counted: none of a run's happenings was left out."""


def compare(a: Findings, b: Findings) -> Comparison:
    vehicles = _vehicles(a, b)
    facts_b = dict(run_rows(b))
    counts_a, counts_b = notice_counts(a), notice_counts(b)
    fidelity = {
        name: (getattr(a.rating, name).value, getattr(b.rating, name).value) for name in DIMENSIONS
    }
    return Comparison(
        facts=[Fact(name, value, facts_b[name]) for name, value in run_rows(a)],
        fidelity=fidelity | {"total": (a.rating.total, b.rating.total)},
        vehicles=vehicles,
        pairs=_pairs(a, b, vehicles),
        closest=(_closest(a), _closest(b)),
        notices={
            name: (counts_a.get(name, 0), counts_b.get(name, 0)) for name in counts_a | counts_b
        },
        notices_whole=not a.left_out and not b.left_out,
    )


def _closest(findings: Findings) -> float:
    near = findings.pairs.closest
    return float(np.nanmin(near)) if np.isfinite(near).any() else float("nan")


def _vehicles(a: Findings, b: Findings) -> VehiclesCompared:
    places = {name: row for row, name in enumerate(b.roster.names)}
    mine = set(a.roster.names)
    both = [row for row, name in enumerate(a.roster.names) if name in places]
    row_a = np.array(both, np.intp)
    row_b = np.array([places[a.roster.names[row]] for row in both], np.intp)
    return VehiclesCompared(
        names=[a.roster.names[row] for row in both],
        row_a=row_a,
        row_b=row_b,
        distance_a=a.vehicles.distance[row_a],
        distance_b=b.vehicles.distance[row_b],
        top_speed_a=a.vehicles.top_speed[row_a],
        top_speed_b=b.vehicles.top_speed[row_b],
        only_a=[name for name in a.roster.names if name not in places],
        only_b=[name for name in b.roster.names if name not in mine],
    )


def _pairs(a: Findings, b: Findings, vehicles: VehiclesCompared) -> PairsCompared:
    """Pairs as numbers, since there may be half a million."""
    number = len(vehicles.names)
    same_a = np.full(len(a.roster), -1, np.intp)
    same_b = np.full(len(b.roster), -1, np.intp)
    same_a[vehicles.row_a] = same_b[vehicles.row_b] = np.arange(number)
    at_a, keys_a = _keys(a.pairs, same_a, number)
    at_b, keys_b = _keys(b.pairs, same_b, number)
    _, in_a, in_b = np.intersect1d(keys_a, keys_b, assume_unique=True, return_indices=True)
    place_a, place_b = at_a[in_a], at_b[in_b]
    difference = b.pairs.closest[place_b] - a.pairs.closest[place_a]
    order = np.argsort(-np.abs(difference), kind="stable")
    place_a, place_b = place_a[order], place_b[order]
    return PairsCompared(
        row=a.pairs.row[place_a],
        other=a.pairs.other[place_a],
        closest_a=a.pairs.closest[place_a],
        closest_b=b.pairs.closest[place_b],
        closest_t_a=a.pairs.closest_t[place_a],
        closest_t_b=b.pairs.closest_t[place_b],
        difference=difference[order],
        only_a=len(at_a) - len(in_a),
        only_b=len(at_b) - len(in_b),
    )


def _keys(pairs: Pairs, same: Rows, number: int) -> tuple[Rows, Rows]:
    """Which pairs are of vehicles in both, and a number for each that both recordings share."""
    one, other = same[pairs.row], same[pairs.other]
    at = np.flatnonzero((one >= 0) & (other >= 0))
    low, high = np.minimum(one, other)[at], np.maximum(one, other)[at]
    return at, low * number + high
