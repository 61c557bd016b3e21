"""Nothing of an area is left out: every metre of it, against the way that was flown."""

import numpy as np
import pytest
import shapely
from shapely.ops import substring

HORSESHOE = [[0, 0], [100, 8], [110, 80], [76, 80], [68, 42], [34, 38], [30, 90], [-8, 75]]
SQUARE = [[0, 0], [90, 0], [90, 90], [0, 90]]
SPACING = 15.0
SEARCH = """
time: {duration: 450, tick: 0.2, step: 0.02}
areas: {here: {polygon: AREA}}
vehicles:
  - name: v
    kind: KIND
    start: {at: START, z: 0}
    behaviors:
      search_pattern: {area: here, pattern: PATTERN, spacing: 15, heading_deg: HEADING}
"""


def flown(driven, kind, pattern, area, heading=90, start=(-30, -30)):
    text = SEARCH.replace("KIND", kind).replace("PATTERN", pattern).replace("AREA", str(area))
    seen = driven(text.replace("HEADING", str(heading)).replace("START", str(list(start))))
    let_go = [b == "" for b in seen.behaviors("v")]
    assert let_go[-1], "the search does not end"
    done = len(let_go) - let_go[::-1].index(False)
    return shapely.LineString(seen.place("v")[:done, :2])


def worst(area, way) -> float:
    """How far the point of the area that is farthest from the way lies from it, to a metre."""
    shape = shapely.Polygon(area)
    x, y = np.meshgrid(*(np.arange(low, high) for low, high in zip(
        shape.bounds[:2], shape.bounds[2:], strict=True)))  # fmt: skip
    inside = shapely.contains_xy(shape, x, y)
    return float(shapely.distance(shapely.points(x[inside], y[inside]), way).max())


@pytest.mark.parametrize("heading", [90, 37])
@pytest.mark.parametrize("kind", ["aerial/rotorcraft", "ground", "aerial/fixedwing"])
def test_a_concave_area_is_mown_without_a_gap(driven, kind, heading) -> None:
    way = flown(driven, kind, "lawnmower", HORSESHOE, heading)
    assert worst(HORSESHOE, way) <= SPACING / 2 + 0.5


@pytest.mark.parametrize(("area", "heading"), [(SQUARE, 0), (HORSESHOE, 20)])
def test_a_square_that_grows_leaves_nothing_out(driven, area, heading) -> None:
    way = flown(driven, "aerial/rotorcraft", "expanding_square", area, heading)
    assert worst(area, way) <= SPACING / 2 + 1.75  # corners are cut by a turning radius


def test_the_check_sees_what_was_left_out(driven) -> None:
    way = flown(driven, "aerial/rotorcraft", "lawnmower", SQUARE)
    half = substring(way, 0, 0.5, normalized=True)
    assert worst(SQUARE, half) > SPACING


@pytest.mark.parametrize("start", [(-30, -30), (120, -30), (120, 120), (-30, 120)])
def test_it_begins_at_the_nearest_corner(driven, start) -> None:
    way = flown(driven, "aerial/rotorcraft", "lawnmower", SQUARE, start=start)
    entered = np.array(way.coords)[shapely.contains_xy(shapely.Polygon(SQUARE), way.coords)][0]
    corner = np.array(SQUARE)[np.argmin(np.linalg.norm(np.array(SQUARE) - start, axis=1))]
    assert np.linalg.norm(entered - corner) < SPACING


def test_the_altitude_is_kept(driven) -> None:
    text = SEARCH.replace("KIND", "aerial/rotorcraft").replace("PATTERN", "lawnmower")
    text = text.replace("AREA", str(SQUARE)).replace("HEADING", "90").replace("START", "[0, -90]")
    seen = driven(text.replace("spacing: 15", "spacing: 15, altitude: 30"), "time.duration=100")
    assert seen.column("z", "v")[seen.t > 60] == pytest.approx(30, abs=0.05)
