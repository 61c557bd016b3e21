"""Configuration-space obstacles: how far the middle of a vehicle keeps from what stops it."""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from movenv.terrain.features import Crossing, Obstacle
from movenv.world.columns import F8, Rows

Shapes: TypeAlias = NDArray[np.object_]

CUT = 1.2
"""Corners of an outline are cut off at this many clearances."""
ROUND_CORNERS = 12
"""A round obstacle becomes a polygon of so many sides around it."""
LANE = 0.4
"""A vehicle comes as near to a bank as this share of the width of the narrowest crossing."""
SHORT = 0.01
"""Corners that are nearer to each other than this become one, m."""


def outlines(ground: Shapes, clearance: F8) -> tuple[Shapes, Rows]:
    """Where the middle of a circle must not be so that the circle stays off each ground.

    Also of which ground each is: one may be in several pieces.
    """
    grown = shapely.buffer(ground, clearance, join_style="mitre", mitre_limit=CUT)
    grown[clearance <= 0.0] = ground[clearance <= 0.0]
    for k in np.flatnonzero(shapely.get_num_coordinates(grown) > ROUND_CORNERS + 1):
        grown[k] = _fewer_sides(grown[k])
    fine = _without_short_edges(grown)
    spoilt = ~shapely.is_valid(fine) | shapely.is_empty(fine)
    fine[spoilt] = shapely.remove_repeated_points(grown[spoilt], 0.0)
    shapes, of = shapely.get_parts(fine, return_index=True)
    return shapes, of


def _without_short_edges(shapes: Shapes) -> Shapes:
    """Where a ring, as that of a tiny hole, would lose all its corners, a shape stays as it is."""
    try:
        fine: Shapes = shapely.remove_repeated_points(shapes, SHORT)
    except shapely.errors.GEOSException:
        if len(shapes) == 1:
            return shapes
        half = len(shapes) // 2
        parts = shapes[:half], shapes[half:]
        fine = np.concatenate([_without_short_edges(part) for part in parts])
    return fine


def _fewer_sides(shape: Polygon) -> Polygon:
    """A polygon of few sides around a round one; the same where that would take more room."""
    if not isinstance(shape, Polygon) or shape.interiors:
        return shape
    ring = shapely.get_coordinates(shape.exterior)[:-1]
    if len(ring) <= ROUND_CORNERS or shapely.convex_hull(shape).area > shape.area * 1.001:
        return shape
    turn = 2 * math.pi / ROUND_CORNERS
    angle = np.arange(ROUND_CORNERS) * turn
    ux, uy = np.cos(angle), np.sin(angle)
    far = (np.outer(ux, ring[:, 0]) + np.outer(uy, ring[:, 1])).max(axis=1)
    then = np.roll(far, -1)
    along = (then - far * math.cos(turn)) / math.sin(turn)  # from the foot to the next side
    around = Polygon(np.column_stack([far * ux - along * uy, far * uy + along * ux]))
    return around if around.is_valid and around.area < shape.area * 1.1 else shape


def bank_clearance(obstacle: Obstacle, crossings: Sequence[Crossing], clearance: float) -> float:
    """The clearance to an obstacle: less to one whose crossings are narrow, so that they open."""
    for crossing in crossings:
        if obstacle.name in crossing.over:
            clearance = min(clearance, lane_clearance(crossing))
    return clearance


def lane_clearance(crossing: Crossing) -> float:
    """How near to its edges vehicles go over a crossing at most, m."""
    return LANE * _width(crossing.ground)


def _width(ground: Polygon) -> float:
    """How wide a crossing is, however it bends.

    A strip of length l and width w has the area l w and the perimeter 2 (l + w), mitred bends
    included. What is no strip has the shorter side of the least rectangle around it.
    """
    corners = shapely.get_coordinates(shapely.minimum_rotated_rectangle(ground))
    narrow = float(np.hypot(*np.diff(corners, axis=0).T).min())
    half = ground.exterior.length / 2
    apart = half**2 - 4.0 * ground.area  # (l - w)²
    return narrow if apart < 0.0 else min(narrow, (half - math.sqrt(apart)) / 2)


def merged(shapes: Shapes) -> Shapes:
    """The same area as polygons that do not overlap; those that stand alone as they are."""
    one, other = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    crowded = np.zeros(len(shapes), np.bool_)
    crowded[one[one != other]] = True
    together = shapely.get_parts(shapely.union_all(shapes[crowded]))
    parts: Shapes = np.concatenate([shapes[~crowded], together])
    kept: Shapes = parts[~shapely.is_empty(parts)]
    return kept
