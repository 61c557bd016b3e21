"""Where a vehicle may go on a map and what it costs: the way from every cell to a goal."""

import math

import numpy as np
import scipy

from movenv.terrain.grid_map import FREE, GridMap
from movenv.world.columns import F4, F8, U1
from movenv.world.kernel import inline, kernel

CELL = 0.1
"""Plans are made on cells of about this size, m, or those of the map where they are larger."""
SOFT = 0.5
"""So far beyond the clearance it is still dearer to go, m."""
DEAR = 3.0
"""How much dearer at the clearance itself than far from everything."""
INSIDE = 20.0
"""How dear it is to get out of a place that is nearer to something than the clearance."""
DIAGONAL = math.sqrt(2.0)


class Costmap:
    """How much room there is in each cell of a map for planning, (rows, columns)."""

    def __init__(self, grid: GridMap) -> None:
        self.times = max(1, round(CELL / grid.resolution))
        self.resolution = grid.resolution * self.times
        self.west, self.south = grid.west, grid.south
        free = grid.cells == FREE
        rows, columns = (math.ceil(n / self.times) for n in free.shape)
        whole = np.zeros((rows * self.times, columns * self.times), np.bool_)
        whole[: free.shape[0], : free.shape[1]] = free
        # What lies beyond the map is not free.
        far = scipy.ndimage.distance_transform_edt(np.pad(whole, 1))[1:-1, 1:-1] - 0.5
        blocks = far.reshape(rows, self.times, columns, self.times)
        self.room: F8 = np.maximum(blocks.min(axis=(1, 3)), 0.0) * grid.resolution
        """From each cell to the nearest thing that is not free, m; 0 where it is not free."""
        # Compiled now: a car that sees its first obstacle has no time for it.
        _stamp(self.room, np.zeros(self.room.shape, np.uint8), 0.0, self.resolution)

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Row and column of a place. Raises ValueError beyond the map."""
        row = math.floor((y - self.south) / self.resolution)
        column = math.floor((x - self.west) / self.resolution)
        rows, columns = self.room.shape
        if not (0 <= row < rows and 0 <= column < columns):
            raise ValueError(f"({x:g}, {y:g}) lies beyond the map")
        return row, column

    def way_to(self, x: float, y: float, clearance: float, blocked: U1 | None = None) -> F4:
        """What the way from each cell to a place costs, in metres of free way; inf for none.

        `blocked` has 1 where something stands that is on no map. Cells that are nearer to
        something than the clearance are no way, but who is in one finds out of it.
        """
        room = self.room
        if blocked is not None and blocked.any():
            room = room.copy()
            _stamp(room, blocked, clearance + SOFT, self.resolution)
        cost = costs(room, clearance)
        to_go = np.full(room.shape, np.inf)
        _dijkstra(cost, room, *self.cell(x, y), self.resolution, to_go)
        return to_go.astype(np.float32)


def costs(room: F8, clearance: float) -> F8:
    """What a metre costs in each cell; inf nearer than the clearance."""
    near = np.clip(1.0 - (room - clearance) / SOFT, 0.0, 1.0)
    cost: F8 = np.where(room < clearance, np.inf, 1.0 + DEAR * near**2)
    return cost


@kernel
def _stamp(room, blocked, reach, resolution):  # type: ignore[no-untyped-def]
    """Lessen the room about blocked cells."""
    rows, columns = room.shape
    wide = int(math.ceil(reach / resolution))  # noqa: RUF046 - a float in a kernel
    for row in range(rows):
        for column in range(columns):
            if not blocked[row, column]:
                continue
            for r in range(max(row - wide, 0), min(row + wide + 1, rows)):
                for c in range(max(column - wide, 0), min(column + wide + 1, columns)):
                    far = math.sqrt((r - row) ** 2 + (c - column) ** 2) - 0.5
                    room[r, c] = min(room[r, c], max(far, 0.0) * resolution)


@inline
def _up(heap, at, key, place):  # type: ignore[no-untyped-def]
    """Move an entry toward the top of a heap, the least key."""
    item = heap[place]
    while place > 0 and key[heap[(place - 1) >> 1]] > key[item]:
        heap[place] = heap[(place - 1) >> 1]
        at[heap[place]] = place
        place = (place - 1) >> 1
    heap[place] = item
    at[item] = place


@inline
def _down(heap, at, key, size):  # type: ignore[no-untyped-def]
    """Move the top entry down to where it belongs."""
    item, place = heap[0], 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and key[heap[child + 1]] < key[heap[child]]:
            child += 1
        if key[heap[child]] >= key[item]:
            break
        heap[place] = heap[child]
        at[heap[place]] = place
        place = child
    heap[place] = item
    at[item] = place


@kernel
def _dijkstra(cost, room, goal_row, goal_column, resolution, to_go):  # type: ignore[no-untyped-def]
    """Fill in the least cost to the goal: a step costs its length times the mean of both cells.

    Corners are not cut. Then on from there into what is free but too near to something.
    """
    rows, columns = cost.shape
    key = to_go.reshape(rows * columns)
    heap, at = np.empty(rows * columns, np.int64), np.full(rows * columns, -1)
    goal = goal_row * columns + goal_column
    for within in (False, True):
        size = 0
        if not within:
            key[goal] = 0.0
            heap[0], at[goal], size = goal, 0, 1
        else:
            for item in range(rows * columns):
                at[item] = -1
                if key[item] < math.inf:
                    heap[size], at[item] = item, size
                    size += 1
                    _up(heap, at, key, size - 1)
        while size > 0:
            item = heap[0]
            size -= 1
            at[item] = -1
            if size > 0:
                heap[0] = heap[size]
                _down(heap, at, key, size)
            size = _spread(item, cost, room, resolution, within, goal, key, heap, at, size)


@inline
def _price(cost, room, row, column, within):  # type: ignore[no-untyped-def]
    """What a metre in a cell costs; inf where one cannot be."""
    if within and room[row, column] > 0.0 and cost[row, column] == math.inf:
        return INSIDE
    return cost[row, column]


@inline
def _spread(item, cost, room, resolution, within, goal, key, heap, at, size):  # type: ignore[no-untyped-def]
    """Better the neighbours of a cell; returns how many are in the heap."""
    rows, columns = cost.shape
    row, column = item // columns, item % columns
    here = _price(cost, room, row, column, within)
    if item == goal and here == math.inf:
        here = INSIDE
    for dr in range(-1, 2):
        for dc in range(-1, 2):
            r, c = row + dr, column + dc
            if (dr == 0 and dc == 0) or not (0 <= r < rows and 0 <= c < columns):
                continue
            there = _price(cost, room, r, c, within)
            other = r * columns + c
            # In the second round only those are new that the first one could not enter.
            if there == math.inf or (within and cost[r, c] < math.inf):
                continue
            long = resolution
            if dr != 0 and dc != 0:
                beside = max(
                    _price(cost, room, row, c, within), _price(cost, room, r, column, within)
                )
                if beside == math.inf:
                    continue
                long *= DIAGONAL
            now = key[item] + 0.5 * long * (here + there)
            if now < key[other]:
                key[other] = now
                if at[other] < 0:
                    heap[size], at[other] = other, size
                    size += 1
                _up(heap, at, key, at[other])
    return size
