"""Ways for many vehicles through obstacles that they get to know as they go."""

import math
from collections.abc import Iterator

import numpy as np

from movenv.terrain.charts import Chart, draw
from movenv.terrain.features import Terrain
from movenv.terrain.sightlines import find_room, open_lines
from movenv.terrain.watch import Travellers, head_for, taken, travellers, watch
from movenv.world.columns import F8, Mask, Rows
from movenv.world.kinds import Kind

FARTHEST = 1e7
"""No sight reaches farther than this, m."""
STRETCH = 0.25
"""Large outlines are seen in stretches of about this share of the sight."""

_Key = tuple[str, int, float, float]
"""What tells charts apart: kind, height band, clearance, and how long the stretches seen are."""
_Party = tuple[Rows, Chart, Travellers]
"""Vehicles for which one chart holds, and what each knows."""


class Guide:
    """Where each vehicle goes next on its way to its goal; one column a vehicle."""

    def __init__(
        self, terrain: Terrain, kinds: list[Kind], z: F8, clearance: F8, sight: F8
    ) -> None:
        """`clearance` is the radius of the circle round each vehicle, `sight` how far it sees, m.

        `z` is the height at which aerial ones fly.
        """
        count = len(kinds)
        self.to: F8 = np.full((2, count), np.nan)
        """The next place on the way; nan where a vehicle has no goal, or no way to it."""
        self.after: F8 = np.full((2, count), np.nan)
        """The place after that; the goal itself where there is none."""
        self.left: F8 = np.zeros(count)
        """How long the way to the goal is, as far as is known, m; inf where there is no way."""
        self.no_way: Mask = np.zeros(count, np.bool_)
        """Whose goal cannot be reached: they know enough to be sure."""
        self._terrain, self._kinds, self._clearance, self._sight = terrain, kinds, clearance, sight
        self._parties = self._gathered(np.arange(count), z)
        self._call_roll()

    def fly(self, rows: Rows, z: F8) -> None:
        """Some aerial vehicles now fly at heights z, where other things stand in their way.

        They know nothing of these yet and need goals anew; everybody else goes on undisturbed.
        """
        stay = np.ones(len(self.left), np.bool_)
        stay[rows] = False
        kept = [
            (members[stay[members]], chart, taken(them, np.flatnonzero(stay[members])))
            for members, chart, them in self._parties
        ]
        self._parties = [party for party in kept if len(party[0])] + self._gathered(rows, z)
        self.to[:, rows] = self.after[:, rows] = np.nan
        self.no_way[rows] = False
        self._call_roll()

    def _gathered(self, rows: Rows, z: F8) -> list[_Party]:
        """Vehicles for which the same chart holds, each knowing nothing.

        Who is told apart depends on each vehicle alone, not on who else is there.
        """
        heights = np.unique([o.height for o in self._terrain.obstacles])
        sight = np.minimum(np.asarray(self._sight, float), FARTHEST)
        groups: dict[_Key, list[int]] = {}
        at = dict(zip(rows.tolist(), z.tolist(), strict=True))
        for row, height in at.items():
            kind = self._kinds[row]
            level = int(np.searchsorted(heights, height, "right")) if kind.name == "aerial" else 0
            near = _two_digits(float(self._clearance[row]))
            stretch = 2.0 ** math.floor(math.log2(max(STRETCH * sight[row], 1.0)))
            groups.setdefault((kind.name, level, near, stretch), []).append(row)
        parties = []
        for key, members in groups.items():
            some = np.array(members, np.intp)
            first, (_, _, near, stretch) = members[0], key
            drawn = self._terrain.drawn
            if key not in drawn:
                drawn[key] = draw(self._terrain, self._kinds[first], at[first], near, stretch)
            chart: Chart = drawn[key]
            sees = np.maximum(sight[some] - near, 0.5 * sight[some])  # outlines are nearer by that
            bodies = len(chart.body_corner) - 1
            parties.append(
                (some, chart, travellers(len(some), len(chart.chunk_body), bodies, sees))
            )
        return parties

    def _call_roll(self) -> None:
        """Note where everybody is among the parties."""
        self._party_of = np.zeros(len(self.left), np.intp)
        self._row_of = np.zeros(len(self.left), np.intp)
        for number, (rows, _, _) in enumerate(self._parties):
            self._party_of[rows], self._row_of[rows] = number, np.arange(len(rows))

    def head_for(self, rows: Rows, x: F8, y: F8) -> None:
        """Give some vehicles new goals, nan for none; what they have seen they still know.

        Until the next `look` their way is the straight line.
        """
        rows = np.arange(len(self.left))[rows]
        x, y = (np.broadcast_to(np.asarray(c, float), rows.shape) for c in (x, y))
        self.to[:, rows] = self.after[:, rows] = x, y
        self.no_way[rows] = False
        for number, (_, _, them) in enumerate(self._parties):
            mine = self._party_of[rows] == number
            head_for(them, self._row_of[rows[mine]], x[mine], y[mine])

    def look(self, x: F8, y: F8) -> None:
        """Take note of what has come into view of vehicles at these places, and find ways."""
        for rows, chart, them in self._parties:
            to, after = (np.ascontiguousarray(c[:, rows]) for c in (self.to, self.after))
            left, no_way = self.left[rows], self.no_way[rows]  # copies
            watch(chart, them, x[rows], y[rows], to, after, left, no_way)
            self.to[:, rows], self.after[:, rows] = to, after
            self.left[rows], self.no_way[rows] = left, no_way

    def open(self, rows: Rows, here: F8, to: F8) -> Mask:
        """Whether some vehicles may go straight to places, by what they know; both (2, rows)."""
        found: Mask = np.ones(len(rows), np.bool_)
        for chart, them, mine in self._shares(rows):
            x, y, to_x, to_y = (line[mine] for line in (*here, *to))
            free: Mask = np.empty(len(mine), np.bool_)
            open_lines(chart, them, self._row_of[rows[mine]], x, y, to_x, to_y, free)
            found[mine] = free
        return found

    def find_room(self, rows: Rows, leader: F8, ahead: F8, by: F8, station: F8) -> tuple[F8, F8]:
        """Stations that leaders see from where they are, and places `by` m ahead of those.

        For vehicles whose own station has no room: it is swung round to behind the leader, which
        goes `ahead` (a unit vector), and comes nearer, as far as it must. All (2, rows).
        """
        moved, to = station.copy(), station.copy()
        for chart, them, mine in self._shares(rows):
            lead, on, there = (np.ascontiguousarray(c[:, mine]) for c in (leader, ahead, station))
            then = np.empty_like(there)
            find_room(chart, them, self._row_of[rows[mine]], lead, on, by[mine], there, then)
            moved[:, mine], to[:, mine] = there, then
        return moved, to

    def compile(self) -> None:
        """Have all that may be asked compiled now: that takes seconds, which no tick has."""
        nobody, none, places = np.empty(0, np.intp), np.empty(0), np.empty((2, 0))
        for _, chart, them in self._parties[:1]:  # the types are the same for all
            open_lines(chart, them, nobody, none, none, none, none, np.empty(0, np.bool_))
            find_room(chart, them, nobody, places, places, none, places, places)

    def _shares(self, rows: Rows) -> Iterator[tuple[Chart, Travellers, Rows]]:
        """For each chart that matters to some vehicles their places among those."""
        for number, (_, chart, them) in enumerate(self._parties):
            mine = np.flatnonzero(self._party_of[rows] == number)
            if len(mine):
                yield chart, them, mine


def _two_digits(clearance: float) -> float:
    """A clearance with two digits, rounded down: vehicles that differ little share a chart."""
    if clearance <= 0.0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(clearance)) - 1)
    return math.floor(clearance / step * (1 + 1e-9)) * step
