"""Who is near whom: pairs within notice range, without looking at every pair.

The notice range of a pair is a multiple of the larger of the two characteristic lengths, so that
a small drone keeps clear of an airliner. One search radius for all would make a single airliner
cost every pair of drones within kilometres. So vehicles are sorted into classes of reach, each
twice the one before, and each class into a hashed grid whose cells are as wide as its reach. A
vehicle looks for partners of its own class and of larger ones, in the nine cells around it: each
pair is met once, from its smaller side, and nothing beyond twice its range is visited.
"""

import math
from dataclasses import dataclass

import numpy as np

from movenv.world.columns import F4, F8, U4, Rows
from movenv.world.kernel import inline, kernel
from movenv.world.messages import Encounters, Health, Notices, VehicleStates

EXACT_UP_TO = 64
"""Up to this many vehicles, `auto` looks at every pair and so always knows the closest."""


@dataclass(frozen=True)
class ClosestPair:
    """The smallest distance since the tick before, straight motion assumed in between."""

    distance: float
    vid: int
    other: int
    t: float


@inline
def _encounter(px, py, pz, vx, vy, vz):  # type: ignore[no-untyped-def]
    """Distance, range rate, time and distance of closest approach of a relative motion."""
    distance = math.sqrt(px * px + py * py + pz * pz)
    along = px * vx + py * vy + pz * vz
    speed2 = vx * vx + vy * vy + vz * vz
    range_rate = along / distance if distance > 0.0 else math.sqrt(speed2)
    t_cpa = -along / speed2 if along < 0.0 else 0.0
    cx, cy, cz = px + vx * t_cpa, py + vy * t_cpa, pz + vz * t_cpa
    return distance, range_rate, t_cpa, math.sqrt(cx * cx + cy * cy + cz * cz)


# Columns of what a search keeps of a pair: rows and level, then rates.
PAIR_ROWS = 3
PAIR_RATES = 4

# Slots of `closest`: distance, row, other row, which share of a tick ago, and for the exact mode
# the squared distance beyond which no pair can be the closest, and how far two can move in a tick.
NEAR, ROW, OTHER, AGO, HORIZON, SLACK = range(6)


@inline
def _visit(i, j, place, before, velocity, length, multiples, exact, found, pairs, rates, closest):  # type: ignore[no-untyped-def]
    """Measure one pair; keep it when it is within notice range. Returns how many are kept."""
    px, py, pz = place[0, j] - place[0, i], place[1, j] - place[1, i], place[2, j] - place[2, i]
    size = max(length[i], length[j])
    reach = size * multiples[0]
    square = px * px + py * py + pz * pz
    within = square <= reach * reach
    if not within and not (exact and square <= closest[HORIZON]):
        return found
    vx = velocity[0, j] - velocity[0, i]
    vy = velocity[1, j] - velocity[1, i]
    vz = velocity[2, j] - velocity[2, i]
    distance, range_rate, t_cpa, d_cpa = _encounter(px, py, pz, vx, vy, vz)
    bx = before[0, j] - before[0, i] - px
    by = before[1, j] - before[1, i] - py
    bz = before[2, j] - before[2, i] - pz
    back = bx * bx + by * by + bz * bz
    ago = min(max(-(px * bx + py * by + pz * bz) / back, 0.0), 1.0) if back > 0.0 else 0.0
    nx, ny, nz = px + bx * ago, py + by * ago, pz + bz * ago
    near = math.sqrt(nx * nx + ny * ny + nz * nz)
    if near < closest[NEAR]:
        closest[NEAR], closest[ROW], closest[OTHER], closest[AGO] = near, i, j, ago
        closest[HORIZON] = (near + closest[SLACK]) ** 2
    if not within:
        return found
    if found < pairs.shape[1]:
        level = 1
        while level < len(multiples) and distance <= size * multiples[level]:
            level += 1
        pairs[0, found], pairs[1, found], pairs[2, found] = i, j, level
        rates[0, found], rates[1, found] = distance, range_rate
        rates[2, found], rates[3, found] = t_cpa, d_cpa
    return found + 1


@kernel
def _all_pairs(place, before, velocity, length, multiples, pairs, rates, closest):  # type: ignore[no-untyped-def]
    found = 0
    for i in range(place.shape[1]):
        for j in range(i + 1, place.shape[1]):
            found = _visit(
                i, j, place, before, velocity, length, multiples, True,
                found, pairs, rates, closest,
            )  # fmt: skip
    return found


@inline
def bucket(cell_x, cell_y, stride, mask):  # type: ignore[no-untyped-def]
    """Rows of cells one behind the other, wrapped around the table.

    Neighbouring cells lie side by side in memory; an odd stride spreads far ones evenly.
    """
    return (cell_y * stride + cell_x) & mask


@inline
def _fill_grid(place, per_metre, stride, reach_class, c, first, member, near, cell):  # type: ignore[no-untyped-def]
    """Counting sort of one class's members by bucket: those of b are first[b] to first[b + 1].

    `near` and `cell` get each member's place and cell in that order, to be read one after the
    other.
    """
    mask = len(first) - 2
    first[:] = 0
    for i in range(len(member)):
        if reach_class[i] == c:
            x, y = cell_of(place, i, per_metre)
            first[bucket(x, y, stride, mask)] += 1
    for b in range(1, len(first)):
        first[b] += first[b - 1]
    for i in range(len(member) - 1, -1, -1):
        if reach_class[i] == c:
            x, y = cell_of(place, i, per_metre)
            b = bucket(x, y, stride, mask)
            first[b] -= 1
            at = first[b]
            member[at] = i
            near[at, 0], near[at, 1] = place[0, i], place[1, i]
            cell[at, 0], cell[at, 1] = x, y


@inline
def cell_of(place, i, per_metre):  # type: ignore[no-untyped-def]
    # Numbers that do not fit 32 bits wrap around, here and wherever they are compared.
    return (
        np.int64(np.int32(np.int64(math.floor(place[0, i] * per_metre)))),
        np.int64(np.int32(np.int64(math.floor(place[1, i] * per_metre)))),
    )


# The cells to look into. The first five meet every pair of one class once, from one side; for a
# partner of a larger class all nine are needed.
CELL_MARGIN = 1.0 + 1e-9  # so that rounding cannot put a pair within reach two cells apart
ROUNDING = 0.1  # metres that float32 may be off, 500 km from the origin
STEP_X = np.array([0, 1, -1, 0, 1, -1, -1, 0, 1])
STEP_Y = np.array([0, 0, 1, 1, 1, 0, -1, -1, -1])
ONE_SIDE, ALL_AROUND = 5, 9


@kernel
def _near_pairs(  # type: ignore[no-untyped-def]
    place, before, velocity, length, multiples, reach_class, cells, pairs, rates, closest
):
    count = place.shape[1]
    buckets = 64
    while buckets < 4 * count:
        buckets *= 2
    # Small types, because what does not fit the cache is what a large fleet pays for.
    first = np.zeros(buckets + 1, np.int32)
    member = np.empty(count, np.int32)
    near = np.empty((count, 2), np.float32)
    cell = np.empty((count, 2), np.int32)
    width = place[0].max() - place[0].min()
    found = 0
    for c in range(len(cells)):
        side = cells[c]
        per_metre = 1.0 / (side * CELL_MARGIN)
        roughly = (side + ROUNDING) ** 2
        stride = 2 * np.int64(width / side / 2.0) + 3
        _fill_grid(place, per_metre, stride, reach_class, c, first, member, near, cell)
        members = first[buckets]
        # Own class in the order of the grid, so that what is read next is near in memory; then
        # the smaller ones.
        for turn in range(members + count):
            if turn < members:
                i, around = member[turn], ONE_SIDE
                here_x, here_y = near[turn, 0], near[turn, 1]
                cell_x, cell_y = np.int64(cell[turn, 0]), np.int64(cell[turn, 1])
            else:
                i, around = turn - members, ALL_AROUND
                if reach_class[i] >= c:
                    continue
                here_x, here_y = np.float32(place[0, i]), np.float32(place[1, i])
                cell_x, cell_y = cell_of(place, i, per_metre)
            for k in range(around):
                x, y = cell_x + STEP_X[k], cell_y + STEP_Y[k]
                b = bucket(x, y, stride, buckets - 1)
                low = first[b]
                if k == 0 and turn < members:
                    low = turn + 1  # those before it in its own cell have met it already
                for at in range(low, first[b + 1]):
                    if cell[at, 0] != x or cell[at, 1] != y:
                        continue  # a far cell in the same bucket
                    east, north = near[at, 0] - here_x, near[at, 1] - here_y
                    if east * east + north * north <= roughly:
                        found = _visit(
                            i, member[at], place, before, velocity, length, multiples, False,
                            found, pairs, rates, closest,
                        )  # fmt: skip
    return found


@kernel
def _both_sides(count, pairs, found):  # type: ignore[no-untyped-def]
    """For each vehicle its partners in ascending order: offsets, partners, pair numbers."""
    first = np.zeros(count + 1, np.int64)
    for k in range(found):
        first[pairs[0, k]] += 1
        first[pairs[1, k]] += 1
    for i in range(1, count + 1):
        first[i] += first[i - 1]
    partner = np.empty(2 * found, np.int64)
    pair = np.empty(2 * found, np.int64)
    for k in range(found):
        for side in range(2):
            i = pairs[side, k]
            first[i] -= 1
            partner[first[i]] = pairs[1 - side, k]
            pair[first[i]] = k
    for i in range(count):
        low, high = first[i], first[i + 1]
        if high - low > 1:
            order = np.argsort(partner[low:high])
            partner[low:high] = partner[low:high][order]
            pair[low:high] = pair[low:high][order]
    return first, partner, pair


class Proximity:
    """Finds the pairs of a fixed set of vehicles."""

    def __init__(self, vids: U4, length: F8, multiples: F8, exact: bool) -> None:
        """`multiples` are the notice levels, from the outermost inwards."""
        self._vids = vids
        self._length = length
        self._multiples = multiples
        self._exact = exact
        reach = length * multiples[0]
        smallest = float(reach.min())
        classes = np.ceil(np.log2(reach / smallest) - 1e-9).clip(min=0).astype(np.int64)
        present, self._class = np.unique(classes, return_inverse=True)
        self._cells = np.array([reach[classes == c].max() for c in present])
        self._room = 4 * len(vids) + 16
        self._before: F8 | None = None

    def search(
        self, vehicles: VehicleStates, t: float, period: float
    ) -> tuple[Encounters, Notices, ClosestPair | None]:
        """Pairs within range at `t`, what each side is told, and the closest pair since last time.

        `period` is how long ago that was. The exact mode knows the closest of all pairs, the fast
        one of those within notice range.
        """
        if (vehicles.health == Health.UNHEARD).any():
            return self._search_heard(vehicles, t, period)
        v = vehicles
        place = np.array([v.x, v.y, v.z])
        velocity = np.array([v.vx, v.vy, v.vz], np.float64)
        before = place if self._before is None else self._before
        self._before = place
        pairs, rates, found, closest = self._measure(place, before, velocity)
        nearest = None
        if np.isfinite(closest[NEAR]):
            vid, other = sorted(int(self._vids[int(closest[k])]) for k in (ROW, OTHER))
            when = t - period * float(closest[AGO])
            nearest = ClosestPair(float(closest[NEAR]), vid, other, when)
        return (*self._tell(vehicles, pairs, rates, found), nearest)

    def _search_heard(
        self, vehicles: VehicleStates, t: float, period: float
    ) -> tuple[Encounters, Notices, ClosestPair | None]:
        """While some have no place yet, the others are searched by themselves."""
        self._before = None
        heard = np.flatnonzero(vehicles.health != Health.UNHEARD)
        if not len(heard):
            return Encounters.empty(), Notices.empty(), None
        among = Proximity(self._vids[heard], self._length[heard], self._multiples, self._exact)
        return among.search(vehicles.take(heard), t, period)

    def _measure(self, place: F8, before: F8, velocity: F8) -> tuple[Rows, F4, int, F8]:
        """Pairs and rates in the first `found` columns, and the slots of the closest pair."""
        closest = np.array([np.inf, 0, 0, 0, np.inf, 0])
        if self._exact:
            closest[SLACK] = 2 * np.sqrt(((place - before) ** 2).sum(axis=0).max())
        while True:
            pairs = np.empty((PAIR_ROWS, self._room), np.int64)
            rates = np.empty((PAIR_RATES, self._room), np.float32)
            if self._exact:
                found = _all_pairs(
                    place, before, velocity, self._length, self._multiples, pairs, rates, closest
                )
            else:
                found = _near_pairs(
                    place, before, velocity, self._length, self._multiples,
                    self._class, self._cells, pairs, rates, closest,
                )  # fmt: skip
            if found <= self._room:
                return pairs, rates, found, closest
            self._room = 2 * found

    def _tell(
        self, vehicles: VehicleStates, pairs: Rows, rates: F4, found: int
    ) -> tuple[Encounters, Notices]:
        count = len(vehicles)
        first, partner, pair = _both_sides(count, pairs, found)
        row = np.repeat(np.arange(count), np.diff(first))
        v = vehicles
        distance, range_rate, t_cpa, d_cpa = (column[pair] for column in rates)
        columns = {
            "vid": self._vids[row],
            "other": self._vids[partner],
            "level": pairs[2][pair],
            "distance": distance,
            "range_rate": range_rate,
            "t_cpa": t_cpa,
            "d_cpa": d_cpa,
            "length": self._length[partner],
        }
        told = {name: getattr(v, name)[partner] for name in ("x", "y", "z", "vx", "vy", "vz")}
        once = partner > row
        return Encounters({k: column[once] for k, column in columns.items()}), Notices(
            columns | told
        )
