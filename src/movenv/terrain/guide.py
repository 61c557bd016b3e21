"""Ways for many vehicles through obstacles that they get to know as they go."""

import math
from collections.abc import Iterator

import numpy as np

from movenv.terrain.charts import Chart, draw
from movenv.terrain.features import Terrain
from movenv.terrain.sightlines import find_room, open_lines
from movenv.terrain.watch import Travellers, head_for, travellers, watch
from movenv.world.columns import F8, Mask, Rows
from movenv.world.kinds import Kind

FARTHEST = 1e7
"""No sight reaches farther than this, m."""
STRETCH = 0.25
"""Large outlines are seen in stretches of about this share of the sight."""


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
        self._parties = _parties(terrain, kinds, z, clearance, sight)
        self._party_of = np.zeros(count, np.intp)
        self._row_of = np.zeros(count, np.intp)
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

    def _shares(self, rows: Rows) -> Iterator[tuple[Chart, Travellers, Rows]]:
        """For each chart that matters to some vehicles their places among those."""
        for number, (_, chart, them) in enumerate(self._parties):
            mine = np.flatnonzero(self._party_of[rows] == number)
            if len(mine):
                yield chart, them, mine


def _parties(
    terrain: Terrain, kinds: list[Kind], z: F8, clearance: F8, sight: F8
) -> list[tuple[Rows, Chart, Travellers]]:
    """Vehicles for which the same chart holds, each with what they know.

    Who is told apart depends on each vehicle alone, not on who else is there.
    """
    heights = np.unique([o.height for o in terrain.obstacles])
    sight = np.minimum(np.asarray(sight, float), FARTHEST)
    groups: dict[tuple[str, int, float, float], list[int]] = {}
    for row, kind in enumerate(kinds):
        level = int(np.searchsorted(heights, z[row], "right")) if kind.name == "aerial" else 0
        near = _two_digits(float(clearance[row]))
        stretch = 2.0 ** math.floor(math.log2(max(STRETCH * sight[row], 1.0)))
        groups.setdefault((kind.name, level, near, stretch), []).append(row)
    parties = []
    for (_, _, near, stretch), members in groups.items():
        rows = np.array(members, np.intp)
        first = members[0]
        chart = draw(terrain, kinds[first], float(z[first]), near, stretch)
        sees = np.maximum(sight[rows] - near, 0.5 * sight[rows])  # outlines are nearer by so much
        count = len(chart.chunk_body)
        them = travellers(len(rows), count, len(chart.body_corner) - 1, sees)
        parties.append((rows, chart, them))
    return parties


def _two_digits(clearance: float) -> float:
    """A clearance with two digits, rounded down: vehicles that differ little share a chart."""
    if clearance <= 0.0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(clearance)) - 1)
    return math.floor(clearance / step * (1 + 1e-9)) * step
