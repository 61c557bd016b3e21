"""How far apart the vehicles of every pair were: exactly, and without following every pair.

A first pass looks at samples, for mean, deviation and the farthest, and comes by a distance that
each pair is known to have had. A second one looks for the closest approach along the lines
between the samples; a pair is followed only through blocks of time in which the boxes around both
ways allow it to have been closer.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from movenv.review.approach import (
    CLOSEST2,
    CLOSEST_T,
    EXACT,
    FAR,
    KNOWN,
    NEAR,
    REFERENCE,
    SAMPLED,
    SECONDS,
    SQUARES,
    SUM,
    TILE,
    approach,
    sample,
    survey,
)
from movenv.review.findings import Pairs
from movenv.review.tracks import Block, Tracks
from movenv.world.columns import F8, Mask, Rows

MOST_SAMPLES = 4_000_000_000
"""Distances that are looked at for mean and deviation; beyond, ticks are left out evenly."""
MOST_PAIRS = 1_000_000
"""Pairs that are told of: the closest."""
PAIRS_AT_ONCE = 250_000
ROUNDING = 1e-12


@dataclass(frozen=True)
class Surveyed:
    """A block, and what is known of each vehicle in it."""

    block: Block
    low: F8
    high: F8
    longest: F8
    whole: Mask

    def picked(self, every: int) -> Rows:
        """The ticks to look at: one in so many, and all where somebody comes or goes."""
        ticks = self.block.place.shape[2]
        absent = ~np.isfinite(self.low[0])
        if not (self.whole | absent).all():
            every = 1
        return np.unique(np.append(np.arange(0, ticks, every), ticks - 1))


@dataclass(frozen=True)
class Survey:
    """All blocks, and how long each vehicle was known and how far it went."""

    blocks: list[Surveyed]
    known: F8
    travelled: F8


def surveyed(tracks: Tracks) -> Survey:
    count = len(tracks.roster)
    known, travelled = np.zeros(count), np.zeros(count)
    blocks = []
    for block in tracks.blocks():
        low, high = np.empty((3, count)), np.empty((3, count))
        longest, whole = np.empty(count), np.empty(count, np.bool_)
        dt = np.diff(block.t)
        survey(block.place, dt, low, high, longest, whole, known, travelled)
        blocks.append(Surveyed(block, low, high, longest, whole))
    return Survey(blocks, known, travelled)


def thinning(tracks: Tracks) -> int:
    """Of how many ticks one is looked at for mean and deviation."""
    count = len(tracks.roster)
    return max(1, -(-count * (count - 1) // 2 * len(tracks) // MOST_SAMPLES))


def separations(
    tracks: Tracks,
    survey: Survey,
    multiples: F8,
    progress: Callable[[float], None] = lambda share: None,
    prune: bool = True,
) -> Pairs:
    """Every pair that was ever known at the same time, closest first.

    `multiples` are the notice levels, outermost first.
    """
    every = thinning(tracks)
    search = _Search(survey, tracks.roster.length, multiples, every, prune)
    groups = _groups(len(tracks.roster))
    kept = _Kept(len(multiples))
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    with ThreadPoolExecutor(threads) as pool:
        for done, found in enumerate(pool.map(search.group, groups), start=1):
            kept.add(*found)
            progress(done / len(groups))
    return kept.pairs(every)


def _groups(count: int) -> list[Rows]:
    """Vehicles to be looked at together with all behind them, about as many pairs in each."""
    pairs = count * (count - 1) // 2
    number = min(max(4, -(-pairs // PAIRS_AT_ONCE)), max(count - 1, 1))
    return [np.arange(i, count - 1, number) for i in range(number)]


class _Search:
    def __init__(self, survey: Survey, length: F8, multiples: F8, every: int, prune: bool) -> None:
        self._blocks, self._length, self._multiples = survey.blocks, length, multiples
        self._every, self._prune = every, prune

    def group(self, rows: Rows) -> tuple[Rows, Rows, F8, F8, F8]:
        """Row, other, samples, exact numbers and seconds within levels of each pair."""
        behind = len(self._length) - 1 - rows
        begin = np.cumsum(behind) - behind
        row = np.repeat(rows, behind)
        other = row + 1 + np.arange(len(row)) - np.repeat(begin, behind)
        place_of = np.repeat(np.arange(len(rows)), behind)
        samples = self._samples(rows)[place_of, :, other]
        exact = np.zeros((len(row), EXACT))
        exact[:, CLOSEST2], exact[:, CLOSEST_T] = np.inf, np.nan
        below = np.zeros((len(row), len(self._multiples)))
        bound2 = samples[:, NEAR] ** 2 * (1.0 + ROUNDING)
        for b in self._blocks:
            approach(
                rows, begin, b.block.place, b.block.t, b.low, b.high, b.longest, b.whole,
                self._length, self._multiples, bound2, self._prune, exact, below,
            )  # fmt: skip
        met = np.isfinite(exact[:, CLOSEST2])
        return row[met], other[met], samples[met], exact[met], below[met]

    def _samples(self, rows: Rows) -> F8:
        """(rows, SAMPLED, vehicles)."""
        room = -(-len(self._length) // TILE) * TILE
        found = np.zeros((len(rows), SAMPLED, room))
        found[:, REFERENCE], found[:, NEAR], found[:, FAR] = np.nan, np.inf, -np.inf
        for b in self._blocks:
            picked = b.picked(self._every)
            dt = np.diff(b.block.t[picked], prepend=b.block.t[0])
            sample(rows, b.block.place, picked, dt, found)
        return found


class _Kept:
    """The closest of the pairs found so far."""

    def __init__(self, levels: int) -> None:
        self._row, self._other = np.empty(0, np.intp), np.empty(0, np.intp)
        self._samples, self._exact = np.empty((0, SAMPLED)), np.empty((0, EXACT))
        self._below = np.empty((0, levels))
        self._left_out = 0

    def add(self, row: Rows, other: Rows, samples: F8, exact: F8, below: F8) -> None:
        self._row = np.concatenate([self._row, row])
        self._other = np.concatenate([self._other, other])
        self._samples = np.concatenate([self._samples, samples])
        self._exact = np.concatenate([self._exact, exact])
        self._below = np.concatenate([self._below, below])
        if len(self._row) > MOST_PAIRS:
            self._left_out += len(self._row) - MOST_PAIRS
            self._take(np.argpartition(self._exact[:, CLOSEST2], MOST_PAIRS)[:MOST_PAIRS])

    def _take(self, chosen: Rows) -> None:
        self._row, self._other = self._row[chosen], self._other[chosen]
        self._samples, self._exact = self._samples[chosen], self._exact[chosen]
        self._below = self._below[chosen]

    def pairs(self, every: int) -> Pairs:
        self._take(np.lexsort((self._other, self._row, self._exact[:, CLOSEST2])))
        samples, exact = self._samples, self._exact
        seconds = np.where(samples[:, SECONDS] > 0.0, samples[:, SECONDS], np.nan)
        off = samples[:, SUM] / seconds
        variance = np.maximum(samples[:, SQUARES] / seconds - off * off, 0.0)
        return Pairs(
            row=self._row,
            other=self._other,
            closest=np.sqrt(exact[:, CLOSEST2]),
            closest_t=exact[:, CLOSEST_T].copy(),
            both_known_s=exact[:, KNOWN].copy(),
            below_s=np.ascontiguousarray(self._below.T),
            mean=samples[:, REFERENCE] + off,
            deviation=np.sqrt(variance),
            farthest=np.where(samples[:, FAR] >= 0.0, samples[:, FAR], np.nan),
            statistics_every=every,
            left_out=self._left_out,
        )
