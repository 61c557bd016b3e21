"""Charts: obstacles as walls with corners to go round, as the way-finding kernels take them."""

import math
from typing import NamedTuple

import numpy as np
import shapely

from movenv.terrain.edge_grid import I4, EdgeGrid, edge_grid, polygon_edges
from movenv.terrain.features import Terrain
from movenv.terrain.outlines import Shapes, bank_clearance, merged, outlines
from movenv.terrain.walls import EPS
from movenv.world.columns import F8, Mask, Rows
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
    views: EdgeGrid
    """The diagonal of the box around each chunk."""
    edge_chunk: I4
    chunk_edge: I4
    chunk_body: I4
    body_corner: I4
    corners: Corners
    rim: EdgeGrid
    core: EdgeGrid
    clearance: float


class _Edges(NamedTuple):
    """Edges of closed lines, solid on their left, one after the other."""

    a: F8
    b: F8
    before: Rows
    """The edge before each one."""
    chunk: Rows
    body: Rows
    partly: Mask
    """Which are of bodies that may be known in part."""


def draw(terrain: Terrain, kind: Kind, z: float, clearance: float, stretch: float) -> Chart:
    """The chart of a terrain for one kind of vehicle, aerial ones at height z.

    Outlines of large obstacles are seen in stretches of at most so many metres. A river with
    crossings is one body, seen as a whole: it is on the map that has the crossings.
    """
    mapped = {name for crossing in terrain.crossings for name in crossing.over}
    body, whole, near, last, ground = [-1], [], [], None, []
    for obstacle, part in terrain.barriers(kind, z):
        at_once = not obstacle.large or obstacle.name in mapped
        body.append(body[-1] + (last is not obstacle or not at_once))
        whole.append(at_once)
        near.append(bank_clearance(obstacle, terrain.crossings, clearance))
        ground.append(part)
        last = obstacle
    parts: Shapes = np.array(ground, np.object_)
    shapes, of = outlines(parts, np.array(near, float))
    reach = np.where(np.array(whole, np.bool_), np.inf, stretch)[of]
    edges = _edges(shapes, np.array(body[1:], np.intp)[of], reach)
    rim = merged(shapely.buffer(shapes, EPS / 2, join_style="mitre"))
    core = merged(shapely.buffer(merged(parts), -EPS, join_style="mitre"))
    return _chart(edges, grid_of(rim), grid_of(core), clearance, stretch)


def _edges(shapes: Shapes, body: Rows, stretch: F8) -> _Edges:
    rings, of = shapely.get_rings(shapes, return_index=True)
    outer = np.concatenate([[True], of[1:] != of[:-1]])[: len(of)]
    wrong = shapely.is_ccw(rings) != outer
    rings[wrong] = shapely.reverse(rings[wrong])
    cut = np.isfinite(stretch[of])
    rings[cut] = shapely.segmentize(rings[cut], stretch[of[cut]])
    places, ring = shapely.get_coordinates(rings, return_index=True)
    begins = np.flatnonzero(ring[1:] == ring[:-1])
    a, b, ring = places[begins], places[begins + 1], ring[begins]
    first = np.searchsorted(ring, np.arange(len(rings)))
    last = np.searchsorted(ring, np.arange(len(rings)), "right") - 1
    before = np.arange(len(ring)) - 1
    before[first] = last
    long = np.cumsum(np.hypot(*(b - a).T))
    share = (long - _start(long, first, ring)) / 2
    piece = np.where(cut[ring], share / np.where(cut[ring], stretch[of[ring]], 1.0), 0.0)
    # A chunk ends with its body; in large ones with its ring and its stretch, too.
    marks = np.column_stack([body[of[ring]], np.where(cut[ring], ring, -1), np.floor(piece)])
    new = (marks[1:] != marks[:-1]).any(axis=1)
    chunk = np.concatenate([[0], np.cumsum(new)])[: len(ring)]
    return _Edges(a, b, before, chunk, body[of[ring]], cut[ring])


def _start(long: F8, first: Rows, ring: Rows) -> F8:
    """How long the edges before each one's ring are together."""
    return np.concatenate([[0.0], long])[first][ring]


def _corners(edges: _Edges) -> tuple[F8, Rows]:
    """All places where ways may turn, as columns of `Corners`, and the body of each.

    Who knows a body only in part may hope for a way through it: then inner corners count, too.
    """
    long = np.hypot(*(edges.b - edges.a).T)[:, None]
    out = (edges.b - edges.a) / long
    into = out[edges.before]
    normal_in, normal_out = (np.column_stack([d[:, 1], -d[:, 0]]) for d in (into, out))
    before, chunk, none = edges.chunk[edges.before], edges.chunk, np.full(len(long), -1)
    bend = into[:, 0] * out[:, 1] - into[:, 1] * out[:, 0]
    opening = 1.0 + (normal_in * normal_out).sum(axis=1)
    sharp, back = opening < SHARP, opening < 1e-9
    mitre = EPS * (normal_in + normal_out) / np.maximum(opening, SHARP)[:, None]
    about = np.column_stack([before, chunk, none, into, out])
    found = []
    for side, turns in ((1.0, (bend > 1e-9) | back), (-1.0, (bend < -1e-9) & edges.partly)):
        found += [
            (turns & ~sharp, edges.a + side * mitre, about),
            (turns & sharp, edges.a + EPS * (side * normal_in + into), about),
            (turns & sharp, edges.a + EPS * (side * normal_out - out), about),
        ]
    end, free = before != chunk, np.zeros((len(long), 4))
    for side in (EPS, -EPS):  # round the end of a chunk whose neighbour is not known
        ahead = edges.a + 2 * EPS * into + side * normal_in
        behind = edges.a - 2 * EPS * out + side * normal_out
        found.append((end, ahead, np.column_stack([before, before, chunk, free])))
        found.append((end, behind, np.column_stack([chunk, chunk, before, free])))
    table = np.concatenate([np.hstack([place, more])[which] for which, place, more in found])
    body = np.concatenate([edges.body[which] for which, _, _ in found])
    order = np.argsort(body, kind="stable")
    return np.ascontiguousarray(table[order].T), body[order]


def _chart(edges: _Edges, rim: EdgeGrid, core: EdgeGrid, near: float, stretch: float) -> Chart:
    table = np.hstack([edges.a, edges.b])
    (x, y, need, other, lack, *way), corner_body = _corners(edges)
    chunks = int(edges.chunk.max(initial=-1)) + 1
    bodies = int(edges.body.max(initial=-1)) + 1
    chunk_edge = np.searchsorted(edges.chunk, np.arange(chunks + 1)).astype(np.int32)
    return Chart(
        edge_grid(table, _cell(table)),
        edge_grid(_boxes(table, chunk_edge), stretch),
        edges.chunk.astype(np.int32),
        chunk_edge,
        edges.body[chunk_edge[:-1]].astype(np.int32),
        np.searchsorted(corner_body, np.arange(bodies + 1)).astype(np.int32),
        Corners(x, y, *(c.astype(np.int32) for c in (need, other, lack)), *way),
        rim,
        core,
        near,
    )


def _boxes(edges: F8, chunk_edge: I4) -> F8:
    """Lower left and upper right corner of the box around each chunk."""
    if not len(edges):
        return np.empty((0, 4))
    low = np.minimum(edges[:, :2], edges[:, 2:])
    high = np.maximum(edges[:, :2], edges[:, 2:])
    first = chunk_edge[:-1]
    return np.hstack([np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)])


def _cell(edges: F8) -> float:
    """A width of cells with a few edges each."""
    if not len(edges):
        return 1.0
    long = 2.0 * float(np.median(np.hypot(*(edges[:, 2:] - edges[:, :2]).T)))
    wide, high = np.ptp(edges[:, 0::2]), np.ptp(edges[:, 1::2])
    return max(min(math.sqrt(4.0 * wide * high / len(edges)), 10.0 * long), long, 1.0)


def grid_of(shapes: Shapes) -> EdgeGrid:
    """The edges of polygons."""
    edges, _ = polygon_edges(shapes)
    return edge_grid(edges, _cell(edges))
