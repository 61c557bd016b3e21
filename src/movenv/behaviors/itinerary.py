"""Places to go to one after the other, round and round if need be; one column a vehicle."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from movenv.terrain.roads import RoadNetwork, in_steps
from movenv.world.columns import F8, Mask, Rows, read_only
from movenv.world.orders import Roads, place_words

ROAD_STEP = 30.0
"""On a road a vehicle heads for places so far apart at most, m: so it comes back to the road."""


@dataclass(frozen=True)
class Stages:
    """Places in turn, shared by all vehicles that go there."""

    places: F8
    """(n, 5): x, y, z, nan where it does not matter, the speed on the way there, nan for the
    cruising speed, and 1 for places that only lead on, as the bends of a road do."""
    again: int
    """The place that comes after the last one where it goes round and round."""
    legs: float
    """How many places are gone to in all; inf for ever."""


class NoRoad(Exception):
    """The roads do not connect two places."""

    def __init__(self, x: float, y: float) -> None:
        super().__init__(f"no way to {place_words(x, y)}: no road leads there")


@dataclass(frozen=True)
class Journey:
    """What some vehicles are to do: go to places (n, 3) in turn, with or without roads."""

    places: F8
    speed: F8
    """On the way to each place, m/s; nan for the cruising speed."""
    roads: Roads
    network: RoadNetwork
    laps: float | None
    """How often round from the first place to the first; None to end at the last place."""
    first: int = 0
    """The place to begin with; with `laps` one more than the last stands for the first again."""

    def stages(self, x: float, y: float) -> Stages:
        """From a place on. Raises NoRoad."""
        first = self._leg(np.array([x, y]), self.first % len(self.places))
        passed, ahead = self._rest[: self.first], self._rest[self.first :]
        if self.laps is None:
            table = np.vstack([first, *ahead])
            return Stages(table, len(table), len(table))
        table = np.vstack([first, *ahead, *passed])
        lap = len(table) - len(first)
        return Stages(table, len(first), len(first) + self.laps * lap - sum(map(len, passed)))

    @cached_property
    def _rest(self) -> list[F8]:
        """The ways from place to place, which are the same for all."""
        count = len(self.places) + (self.laps is not None)
        starts = self.places[:, :2]
        return [self._leg(starts[k - 1], k % len(starts)) for k in range(1, count)]

    def _leg(self, start: F8, to: int) -> F8:
        x, y, z = self.places[to]
        way = self.network.way(start, self.places[to, :2], self.roads)
        if way is None:
            raise NoRoad(x, y)
        way = in_steps(way, ROAD_STEP)
        table = np.empty((len(way), 5))
        table[:, :2], table[:, 2], table[:, 3] = way, z, self.speed[to]
        table[:, 4] = np.arange(len(way)) < len(way) - 1
        return table


class Itinerary:
    """The stages of each vehicle, and how far it is."""

    def __init__(self, count: int) -> None:
        self._stages: list[Stages] = []
        self._which = np.full(count, -1)
        self._leg = np.zeros(count, np.intp)
        self._table: F8 = np.full((5, 1), np.nan)
        self._first = self._length = self._again = np.zeros(1, np.intp)
        self._legs: F8 = np.zeros(1)
        self._found: dict[int, tuple[F8, F8, Mask]] = {}
        """What `place` answers, until it changes."""

    def begin(self, given: list[tuple[Rows, Stages]]) -> None:
        """Give some vehicles new stages."""
        for rows, stages in given:
            self._which[rows] = len(self._stages)
            self._leg[rows] = 0
            self._stages.append(stages)
        used = np.unique(self._which[self._which >= 0])
        self._which = np.where(self._which >= 0, np.searchsorted(used, self._which), -1)
        self._stages = each = [self._stages[k] for k in used]
        nowhere = np.full((1, 5), np.nan)
        self._table = np.ascontiguousarray(np.vstack([*(s.places for s in each), nowhere]).T)
        # A last row stands for those who have no stages.
        self._length = np.array([*(len(s.places) for s in each), 0])
        self._first = np.cumsum(self._length) - self._length
        self._again = np.array([*(s.again for s in each), 0])
        self._legs = np.array([*(s.legs for s in each), 0.0])

        self._found.clear()

    def go_on(self, rows: Rows) -> None:
        """These are on their way to the next place."""
        self._leg[rows] += 1
        self._found.clear()

    @property
    def last(self) -> Mask:
        """Who is on the way to its last place."""
        last: Mask = np.isnan(self.place(1)[0][0])
        return last

    def place(self, ahead: int = 0) -> tuple[F8, F8, Mask]:
        """The places (3, vehicles) all are on their way to, the speeds there, and which are via.

        With `ahead` 1 the places after those; nan where there are none.
        """
        if ahead not in self._found:
            leg, which = self._leg + ahead, self._which
            length, again = self._length[which], self._again[which]
            round_ = again + (leg - again) % np.maximum(length - again, 1)
            some = (which >= 0) & (leg < self._legs[which])
            row = np.where(some, self._first[which] + np.where(leg < length, leg, round_), -1)
            found = read_only(self._table[:, row])
            self._found[ahead] = found[:3], found[3], found[4] > 0
        return self._found[ahead]
