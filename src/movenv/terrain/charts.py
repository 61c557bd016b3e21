"""Charts: obstacles as walls with corners to go round, as the way-finding kernels take them."""

import math
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from movenv.terrain.edge_grid import I4, EdgeGrid, edge_grid
from movenv.terrain.features import Terrain
from movenv.terrain.outlines import bank_clearance, outline
from movenv.terrain.walls import EPS
from movenv.world.columns import F8
from movenv.world.kinds import Kind

SHARP = 0.4
"""A corner with less than this for 1 + cos(turn) is rounded by two corners of ways."""


class Corners(NamedTuple):
    """Places where ways may turn, those of one body after those of another.

    One counts while the chunk `need` or `other` is known and `lack` is not; -1 for none.
    `inx, iny` and `outx, outy` are the directions of the edges there, 0 where a way may turn
    either way.
    """

    x: F8
    y: F8
    need: I4
    other: I4
    lack: I4
    inx: F8
    iny: F8
    outx: F8
    outy: F8


class Chart(NamedTuple):
    """What vehicles of one kind and clearance must not cross, as kernels take it.

    An edge belongs to a chunk, which is seen as a whole, and a chunk to a body, which is gone
    round as a whole. The edges of a chunk, and the corners of a body, follow each other.
    """

    walls: EdgeGrid
    edge_chunk: I4
    chunk_edge: I4
    chunk_body: I4
    body_corner: I4
    corners: Corners
    rim: EdgeGrid
    core: EdgeGrid
    clearance: float


class _Drawing:
    """A chart as it grows."""

    def __init__(self) -> None:
        self.edges: list[F8] = []
        self.edge_chunk: list[NDArray[np.int64]] = []
        self.chunk_body: list[int] = []
        self.corners: list[F8] = []
        self.body_corner = [0]
        self._count = 0

    def end_body(self) -> None:
        self.body_corner.append(self._count)

    def ring(self, line: F8, chunk: NDArray[np.int64]) -> None:
        """Add a closed line (n + 1, 2), solid on its left; `chunk` of each edge."""
        self.edges.append(np.hstack([line[:-1], line[1:]]))
        self.edge_chunk.append(chunk)
        for table in (_turns(line, chunk), _ends(line, chunk)):
            self.corners.append(table)
            self._count += len(table)


def _frames(line: F8) -> tuple[F8, F8, F8, F8, F8]:
    """Corners of a closed line, and there the direction and outward normal of both edges."""
    step = np.diff(line, axis=0)
    out = step / np.hypot(step[:, 0], step[:, 1])[:, None]
    into = np.roll(out, 1, axis=0)
    normal_in = np.column_stack([into[:, 1], -into[:, 0]])
    normal_out = np.column_stack([out[:, 1], -out[:, 0]])
    return line[:-1], into, out, normal_in, normal_out


def _turns(line: F8, chunk: NDArray[np.int64]) -> F8:
    """The convex corners of a ring, a little outside: columns as in `Corners`."""
    at, into, out, normal_in, normal_out = _frames(line)
    before = np.roll(chunk, 1)
    bulge = into[:, 0] * out[:, 1] - into[:, 1] * out[:, 0] > 1e-9
    opening = 1.0 + (normal_in * normal_out).sum(axis=1)
    blunt, sharp = bulge & (opening >= SHARP), opening < SHARP
    sharp &= bulge | (opening < 1e-9)
    about = np.column_stack([before, chunk, np.full(len(chunk), -1), into, out])
    mitre = EPS * (normal_in + normal_out) / np.maximum(opening, SHARP)[:, None]
    rows = [
        np.hstack([(at + mitre)[blunt], about[blunt]]),
        np.hstack([(at + EPS * (normal_in + into))[sharp], about[sharp]]),
        np.hstack([(at + EPS * (normal_out - out))[sharp], about[sharp]]),
    ]
    return np.concatenate(rows)


def _ends(line: F8, chunk: NDArray[np.int64]) -> F8:
    """Places round the ends of chunks whose neighbour is not known: outside it and inside."""
    at, into, out, normal_in, normal_out = _frames(line)
    before = np.roll(chunk, 1)
    end = before != chunk
    rows = []
    for side in (1.0, -1.0):
        ahead = at + 2 * EPS * out + side * EPS * normal_out
        behind = at - 2 * EPS * into + side * EPS * normal_in
        for place, need, lack in ((ahead, before, chunk), (behind, chunk, before)):
            free = np.zeros((len(chunk), 4))
            rows.append(np.column_stack([place, need, need, lack, free])[end])
    return np.concatenate(rows)


def draw(terrain: Terrain, kind: Kind, z: float, clearance: float, stretch: float) -> Chart:
    """The chart of a terrain for one kind of vehicle, aerial ones at height z.

    Outlines of large obstacles are seen in stretches of at most so many metres. A river with
    crossings is one body, seen as a whole: it is on the map that has the crossings.
    """
    drawing, grown, ground = _Drawing(), [], []
    last = None
    for obstacle, part in terrain.barriers(kind, z):
        mapped = any(obstacle.name in crossing.over for crossing in terrain.crossings)
        if last is not obstacle or not (mapped or not obstacle.large):
            if last is not None:
                drawing.end_body()
            if not obstacle.large or mapped:
                drawing.chunk_body.append(len(drawing.body_corner) - 1)
        last = obstacle
        near = bank_clearance(obstacle, terrain.crossings, clearance)
        ground.append(part)
        for shape in outline(part, near):
            grown.append(shape)
            _draw_body(drawing, shape, stretch if obstacle.large and not mapped else math.inf)
    if last is not None:
        drawing.end_body()
    return _chart(drawing, grown, ground, clearance)


def _draw_body(drawing: _Drawing, shape: Polygon, stretch: float) -> None:
    for ring in (shape.exterior, *shape.interiors):
        if math.isinf(stretch):
            line = shapely.get_coordinates(ring)
            chunk = np.full(len(line) - 1, len(drawing.chunk_body) - 1)
        else:
            line = shapely.get_coordinates(shapely.segmentize(ring, stretch))
            long = np.hypot(*np.diff(line, axis=0).T)
            piece = np.floor(np.cumsum(long) / (2 * stretch)).astype(np.int64)
            _, piece = np.unique(piece, return_inverse=True)
            chunk = len(drawing.chunk_body) + piece
            body = len(drawing.body_corner) - 1
            drawing.chunk_body += [body] * (int(piece.max()) + 1)
        drawing.ring(line, chunk)


def _chart(drawing: _Drawing, grown: list[Polygon], ground: list[Polygon], near: float) -> Chart:
    edges = np.concatenate([np.empty((0, 4)), *drawing.edges])
    edge_chunk = np.concatenate([np.empty(0, np.int64), *drawing.edge_chunk])
    columns = np.ascontiguousarray(np.concatenate([np.empty((0, 9)), *drawing.corners]).T)
    x, y, need, other, lack, *way = columns
    chunks = len(drawing.chunk_body)
    core = shapely.buffer(shapely.union_all(ground), -EPS, join_style="mitre")
    return Chart(
        edge_grid(edges, _cell(edges)),
        edge_chunk.astype(np.int32),
        np.searchsorted(edge_chunk, np.arange(chunks + 1)).astype(np.int32),
        np.array(drawing.chunk_body, np.int32),
        np.array(drawing.body_corner, np.int32),
        Corners(x, y, *(c.astype(np.int32) for c in (need, other, lack)), *way),
        _outer_edges(shapely.buffer(grown, EPS / 2, join_style="mitre")),
        _outer_edges([core]),
        near,
    )


def _cell(edges: F8) -> float:
    """A width of cells with a few edges each."""
    if not len(edges):
        return 1.0
    long = np.hypot(edges[:, 2] - edges[:, 0], edges[:, 3] - edges[:, 1])
    return max(2.0 * float(np.median(long)), 1.0)


def _outer_edges(shapes: list[Polygon] | NDArray[np.object_]) -> EdgeGrid:
    """The edges around all of these together."""
    whole = shapely.union_all(shapes)
    rings = shapely.get_rings(shapely.get_parts(whole)) if not whole.is_empty else []
    lines = [shapely.get_coordinates(ring) for ring in rings]
    edges = np.concatenate([np.empty((0, 4)), *(np.hstack([a[:-1], a[1:]]) for a in lines)])
    return edge_grid(edges, _cell(edges))
