"""What a review found: numbers only, to be drawn, tabled, compared and exported by others.

Times are seconds of the run, distances metres. A number that is not known is nan. Where a vehicle
was not known (its host lost, its fixes stale, nothing recorded) a series has nan, so that a line
breaks there.
"""

from dataclasses import dataclass, field

import numpy as np

from movenv.review.fidelity import Rating
from movenv.world.columns import F8, U4, Rows
from movenv.world.messages import Roster


@dataclass(frozen=True)
class RunFacts:
    """What was run and how complete the recording is."""

    source: str
    """File or database it was read from."""
    name: str
    description: str
    seed: int
    started_utc: float
    movenv: str
    live: bool
    """Whether a wall clock paced it."""
    rehearsed: bool
    """Whether the phones were played."""
    changes: list[str]
    t_first: float
    t_last: float
    ticks: int
    tick: float
    levels: dict[str, float]
    """Notice levels as multiples of the larger characteristic length, outermost first."""
    limit: float
    """The longest gap that is interpolated, s."""
    honesty: list[str]
    """What is wrong or missing in the recording, in words: gaps, damage, clock jumps, parts."""


@dataclass(frozen=True)
class VehicleFacts:
    """Columns, one row a vehicle of the roster."""

    known_s: F8
    distance: F8
    """Travelled while known."""
    mean_speed: F8
    top_speed: F8
    behaviors: list[dict[str, float]]
    """Share of its ticks that each behavior held the wheel; empty for a real vehicle."""
    gaps: list[list[tuple[float, float, str]]]
    """When each was not known: from, to, why (`not heard yet`, `host lost`, `no fresh fix`,
    `nothing recorded`)."""


@dataclass(frozen=True)
class FixFacts:
    """How good the fixes of the real vehicles were; one row a real vehicle."""

    rows: Rows
    """In the roster."""
    accuracy_median: F8
    accuracy_p95: F8
    delay_median: F8
    delay_p95: F8
    age_p95: F8
    loss: F8
    rate: F8
    accepted: U4
    rejected: U4


@dataclass(frozen=True)
class Track:
    """One vehicle's way, thinned out for drawing; equal length, nan where it was not known."""

    row: int
    t: F8
    x: F8
    y: F8
    z: F8
    lat: F8
    lon: F8
    speed: F8
    path: F8
    """Travelled since the first time it was known."""


@dataclass(frozen=True)
class Pairs:
    """Columns, one row a pair that was ever known at the same time; closest first."""

    row: Rows
    other: Rows
    closest: F8
    """Exact along the straight lines between samples, in three dimensions."""
    closest_t: F8
    both_known_s: F8
    below_s: F8
    """(levels, pairs): how long they were within each level's distance."""
    mean: F8
    deviation: F8
    farthest: F8
    """Of the distances at the samples; `mean` and `deviation` over time."""
    statistics_every: int = 1
    """Those three are of every tick, or of one in so many where there are very many pairs."""
    left_out: int = 0
    """Pairs that are not told of, farther apart than all these."""

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True)
class PairSeries:
    """The distance of one pair against time, for drawing."""

    row: int
    other: int
    t: F8
    distance: F8


@dataclass(frozen=True)
class Happening:
    """Something at a time: `notice`, `reaction`, `detection`, `mark`, `state`, `mission`,
    `said` (V2V), or the kind of an event of a live run (`lost`, `stale`, `missed`, ...)."""

    t: float
    kind: str
    text: str
    rows: list[int] = field(default_factory=list)
    level: int = 0
    """Of a notice; 1 is the outermost."""
    until: float | None = None
    """When it was over, for what lasts: a pair within a level, a reaction."""


@dataclass(frozen=True)
class ProcessSeries:
    """Soft-real-time behaviour of one process of a live run, about once a second."""

    name: str
    t: F8
    margin: F8
    """Sleep as a share of the tick, lowest of lately."""
    lag: F8


@dataclass(frozen=True)
class LinkSeries:
    """How one real vehicle was heard, thinned out."""

    row: int
    t: F8
    age: F8
    delay: F8
    loss: F8
    rate: F8


@dataclass(frozen=True)
class Outline:
    """An area or a route of the scenario, on the map."""

    name: str
    x: F8
    y: F8
    is_area: bool


@dataclass(frozen=True)
class Findings:
    """One recording, understood."""

    run: RunFacts
    roster: Roster
    vehicles: VehicleFacts
    fixes: FixFacts
    tracks: list[Track]
    pairs: Pairs
    series: list[PairSeries]
    """Every pair where there are few, else the closest."""
    every_pair_drawn: bool
    happenings: list[Happening]
    """In order of time; thinned of the least important where there are too many, see `left_out`."""
    left_out: int
    processes: list[ProcessSeries]
    links: list[LinkSeries]
    rating: Rating
    outlines: list[Outline] = field(default_factory=list)


def names_of(roster: Roster, rows: Rows | list[int]) -> list[str]:
    return [roster.names[int(row)] for row in np.asarray(rows, np.intp)]
