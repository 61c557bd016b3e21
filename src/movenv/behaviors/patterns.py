"""Ways that leave no place of an area unseen: to and fro over it, or outwards in a square."""

import numpy as np
import shapely

from movenv.world.columns import F8

SAME = 1e-6
MOST_STRIPS = 2000
"""More than that is a slip of the pen."""


def _turned(points: F8, angle: float) -> F8:
    cos, sin = np.cos(angle), np.sin(angle)
    turned: F8 = points @ np.array([[cos, sin], [-sin, cos]])
    return turned


def _without_repeats(points: F8) -> F8:
    step = np.hypot(*np.diff(points, axis=0).T)
    kept: F8 = points[np.concatenate([[True], step > SAME])]
    return kept


def lawnmower(corners: F8, spacing: float, course: float, lead: float) -> list[F8]:
    """To and fro in strips along `course` (rad), no wider than `spacing`; (points, 2) each.

    Four ways, which differ in the corner where they begin. Legs go on for `lead` metres beyond the
    area at both ends, room to turn in. Where a strip falls into pieces each is a leg of its own.
    """
    area = shapely.Polygon(_turned(corners, -course))
    left, low, right, high = area.bounds
    count = max(1, int(np.ceil((high - low) / spacing - SAME)))
    if count > MOST_STRIPS:
        raise ValueError(
            f"a spacing of {spacing:g} m makes {count:,} strips; {MOST_STRIPS:,} at most"
        )
    edges = np.linspace(low, high, count + 1)
    strips = [
        (strip, piece)
        for strip in range(count)
        for piece in _pieces(area, shapely.box(left - 1, edges[strip], right + 1, edges[strip + 1]))
    ]
    middle = (edges[:-1] + edges[1:]) / 2
    legs = [(strip, from_ - lead, to + lead) for strip, (from_, to) in strips]
    ways = []
    for at in (0, count - 1):
        for end in (1, 2):
            row = [leg for leg in legs if leg[0] == at]
            first = min(row, key=lambda leg: leg[1]) if end == 1 else max(row, key=lambda g: g[2])
            points = _chained(legs, first, middle, end)
            ways.append(_without_repeats(_turned(np.array(points), course)))
    return ways


def _pieces(area: shapely.Polygon, strip: shapely.Polygon) -> list[tuple[float, float]]:
    """From where to where each piece of an area within a strip reaches."""
    inside = shapely.get_parts(shapely.intersection(area, strip))
    spans = [tuple(piece.bounds[::2]) for piece in inside if piece.area > 0]
    return sorted(spans)


_Leg = tuple[int, float, float]


def _chained(legs: list[_Leg], first: _Leg, middle: F8, end: int) -> list[tuple[float, float]]:
    """All legs one after the other: to the neighbour strip where it adjoins, else to the nearest.

    `end` is 1 to begin at the low end of the first leg, 2 at its high end.
    """
    left, leg, points = set(legs), first, []
    while True:
        left.discard(leg)
        points += [(leg[end], middle[leg[0]]), (leg[3 - end], middle[leg[0]])]
        if not left:
            return points
        x, strip = leg[3 - end], leg[0]
        beside = [o for o in left if abs(o[0] - strip) == 1 and o[1] < leg[2] and leg[1] < o[2]]

        def far(other: _Leg, x: float = x, strip: int = strip) -> tuple[float, int, float]:
            near_end = min(abs(other[1] - x), abs(other[2] - x))
            return float(np.hypot(near_end, middle[other[0]] - middle[strip])), *other[:2]

        leg = min(beside or left, key=far)
        end = 1 if abs(leg[1] - x) <= abs(leg[2] - x) else 2


def expanding_square(corners: F8, spacing: float, course: float) -> F8:
    """Outwards from the middle in a growing square, as far as the area goes; (points, 2)."""
    area = shapely.Polygon(_turned(corners, -course))
    middle = area.centroid if area.contains(area.centroid) else area.representative_point()
    seen = area.buffer(spacing / 2)
    here = np.array([middle.x, middle.y])
    far = float(np.abs(np.array(area.exterior.coords) - here).max())
    points: list[tuple[float, float]] = [tuple(here)]
    for leg in range(4 * (int(np.ceil(far / spacing)) + 1)):
        direction = np.array([[1, 0], [0, -1], [-1, 0], [0, 1]][leg % 4], float)
        there = here + direction * spacing * (1 + leg // 2)
        parts = shapely.get_parts(shapely.intersection(shapely.LineString([here, there]), seen))
        ends = [np.array(part.coords) for part in parts if part.length > SAME]
        for line in sorted(ends, key=lambda line: float((line[0] - here) @ direction)):
            points += [tuple(line[0]), tuple(line[-1])]
        here = there
    return _without_repeats(_turned(np.array(points), course))
