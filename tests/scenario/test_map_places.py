"""Starts and goals on a map of occupied cells."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import shapely

from movenv.scenario.build import Stage
from movenv.scenario.document import parse_document
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load_document
from movenv.terrain.grid_map import OCCUPIED, UNKNOWN, GridMap
from movenv.terrain.map_files import write_map
from movenv.world.columns import U1

HEAD = """name: test
origin: {lat: 29.19, lon: -81.05, alt: 10}
seed: 3
areas: {hall: {square: 18}}
routes: {way: {points: [[-8, -8], [3.1, 0.1], [8, 8]]}}
terrain: {map: hall.yaml}
vehicles:
"""
CELLS: U1 = np.zeros((40, 40), np.uint8)
CELLS[:, 26] = OCCUPIED  # a wall from x = 3.0 to 3.5 all the way
CELLS[5:8, 4:9] = UNKNOWN
HALL = GridMap(CELLS, 0.5, -10.0, -10.0)
CAR = "kind: ground, model: {length: 1}"


def outline(grid: GridMap) -> shapely.MultiPolygon:
    """All occupied cells as shapely sees them."""
    rows, columns = np.nonzero(grid.cells == OCCUPIED)
    west, south = grid.west + columns * grid.resolution, grid.south + rows * grid.resolution
    return shapely.union_all(
        shapely.box(west, south, west + grid.resolution, south + grid.resolution)
    )


@pytest.mark.parametrize("resolution", [0.05, 0.3, 2.0])
def test_a_place_is_occupied_where_shapely_finds_a_cell_within_the_gap(resolution: float) -> None:
    rng = np.random.default_rng(5)
    cells = rng.choice(3, (30, 45), p=(0.9, 0.05, 0.05)).astype(np.uint8)
    grid = GridMap(cells, resolution, -20 * resolution, 7.0)
    walls = outline(grid)
    share = rng.uniform(-0.2, 1.2, (2, 3000))
    x = grid.west + share[0] * 45 * resolution
    y = grid.south + share[1] * 30 * resolution
    gap = rng.choice([0.0, 0.4, 3.0], 3000) * resolution
    wanted = shapely.distance(walls, shapely.points(x, y)) <= gap
    found = [grid.is_occupied(*place) for place in zip(x, y, gap, strict=True)]
    assert found == wanted.tolist()
    assert 0.1 < wanted.mean() < 0.9


@pytest.mark.parametrize("place", [(np.inf, 0.0), (0.0, np.nan), (-1e300, 1e300)])
def test_where_there_is_no_map_nothing_is_occupied(place: tuple[float, float]) -> None:
    assert not HALL.is_occupied(*place, 5.0)


@pytest.fixture
def stage(tmp_path: Path) -> Callable[..., Stage]:
    write_map(tmp_path / "hall.yaml", HALL)

    def made(*vehicles: str) -> Stage:
        text = HEAD + "\n".join(f"  - {{{entry}}}" for entry in vehicles)
        return Stage(load_document(parse_document(text, "test.yaml", tmp_path, None), [], {}))

    return made


@pytest.fixture
def refused(stage: Callable[..., Stage]) -> Callable[..., list[str]]:
    def said(*vehicles: str) -> list[str]:
        with pytest.raises(ScenarioError) as error:
            stage(*vehicles)
        return [line.partition("test.yaml:")[2] for line in str(error.value).splitlines()]

    return said


def test_nobody_starts_in_an_occupied_cell(stage, refused) -> None:  # type: ignore[no-untyped-def]
    row = f"name: a, count: 3, {CAR}, start: {{line: {{from: [-3.8, 2], to: [3.2, 2]}}}}"
    (said,) = refused(row)
    assert said.startswith("8:")
    assert said.endswith("'a-3' starts inside an occupied cell of the map at (3.2, 2.0)")
    stage(f"name: a, {CAR}, start: {{at: [2.9, 2]}}")
    stage(f"name: a, {CAR}, start: {{at: [-7, -7]}}")  # unknown is not occupied
    stage("name: a, kind: aerial/rotorcraft, start: {at: [3.2, 2]}")


def test_who_is_drawn_at_random_keeps_a_length_from_walls(stage) -> None:  # type: ignore[no-untyped-def]
    made = stage(f"name: a, count: 60, {CAR}, start: {{within: hall}}")
    away = shapely.distance(outline(HALL), shapely.points(*made.start[:2]))
    assert away.min() > 1.0
    assert (made.start[0] > 4.5).any()


NAVIGATE = (
    f"name: a, {CAR}, start: {{at: [-5, 0]}}, sensors: {{eye: {{type: lidar}}, "
    "wheels: {type: wheel_speed}, imu: {type: imu}}, behaviors: {navigate: "
)


def test_a_goal_in_an_occupied_cell_is_refused_with_the_place(stage, refused) -> None:  # type: ignore[no-untyped-def]
    (said,) = refused(f"{NAVIGATE}{{goals: [[0, 0], [3.4, -6.2]]}}}}")
    assert said.endswith("goal (3.4, -6.2) of 'a' lies inside an occupied cell of the map")
    (said,) = refused(f"{NAVIGATE}{{route: way}}}}")
    assert said.endswith(
        "point 2 of route 'way', (3.1, 0.1) of 'a' lies inside an occupied cell of the map"
    )
    stage(f"{NAVIGATE}{{goals: [[0, 0], [2.9, -6]]}}}}")
