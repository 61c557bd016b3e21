"""What stops whom."""

import numpy as np
import pytest
import shapely

from movenv.terrain.features import STOPS, Crossing, Obstacle, Terrain, strip
from movenv.world.kinds import Kind

BOX = shapely.box(0, 0, 100, 20)


def named(kinds: tuple[str, ...]) -> Terrain:
    return Terrain(tuple(Obstacle(kind, kind, BOX, 12.0) for kind in kinds))


@pytest.mark.parametrize("kind", ["ground", "pedestrian", "surface", "underwater"])
def test_each_kind_of_vehicle_is_stopped_by_its_own_obstacles(kind: str) -> None:
    everything = named(STOPS["ground"])
    assert tuple(o.name for o, _ in everything.barriers(Kind(kind))) == STOPS[kind]


def test_what_flies_passes_above() -> None:
    terrain = named(STOPS["ground"])
    flying = Kind("aerial", "rotorcraft")
    assert tuple(o.name for o, _ in terrain.barriers(flying, 11.9)) == STOPS["aerial"]
    assert terrain.barriers(flying, 12.0) == []


def test_crossings_cut_what_they_lead_over_and_nothing_else() -> None:
    river, lake = Obstacle("r", "river", BOX), Obstacle("l", "lake", BOX)
    cuts = tuple(
        Crossing(f"b{x}", "bridge", shapely.box(x, -5, x + 6, 25), ("r",)) for x in (20, 60)
    )
    parts = Terrain((river, lake), cuts).barriers(Kind("ground"))
    bounds = sorted(ground.bounds for obstacle, ground in parts if obstacle.name == "r")
    assert bounds == [(0, 0, 20, 20), (26, 0, 60, 20), (66, 0, 100, 20)]
    assert [ground for obstacle, ground in parts if obstacle.name == "l"] == [BOX]


def test_a_crossing_over_the_whole_leaves_nothing() -> None:
    river = Obstacle("r", "river", BOX)
    cut = Crossing("b", "bridge", shapely.box(-5, -5, 105, 25), ("r",))
    assert Terrain((river,), (cut,)).barriers(Kind("ground")) == []


@pytest.mark.parametrize("seed", range(8))
def test_a_strip_is_as_wide_as_it_says_along_its_whole_line(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turns = np.cumsum(rng.uniform(-0.8, 0.8, 12))
    line = shapely.LineString(np.cumsum(30 * np.column_stack([np.cos(turns), np.sin(turns)]), 0))
    made = strip(line, 6.0)
    # Round corners lie within mitred ones; both end square at the ends of the line.
    round_ = line.buffer(3.0, cap_style="flat", quad_segs=64)
    assert made.buffer(1e-6).contains(round_)
    assert made.area < 1.05 * round_.area
    longer = strip(line, 6.0, beyond=10.0)
    assert longer.area - made.area == pytest.approx(2 * 10 * 6, rel=0.05)
    assert longer.buffer(1e-6).contains(made)


def test_a_line_without_length_has_no_strip() -> None:
    with pytest.raises(ValueError, match="no length"):
        strip(shapely.LineString([(1, 1), (1, 1)]), 5.0)
