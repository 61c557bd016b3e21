"""Who comes into what should stop it is told, once each time."""

import numpy as np
import pytest
import shapely

from movenv.runtime.fast import FastRun
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.terrain.features import Obstacle, Terrain
from movenv.terrain.height_map import HeightMap
from movenv.terrain.trespass import Trespass
from movenv.world.kinds import Kind, Origin
from movenv.world.messages import Health, Roster, VehicleStates

KINDS = [Kind("aerial", "rotorcraft"), Kind("ground"), Kind("surface")]


def roster(count: int) -> Roster:
    kind = np.arange(count, dtype=np.uint8) % len(KINDS)
    vids = np.arange(1, count + 1, dtype=np.uint32)
    origin = np.full(count, Origin.VIRTUAL, np.uint8)
    return Roster(vids, [f"v{vid}" for vid in vids], KINDS, kind, origin, np.ones(count), [])


def at(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> VehicleStates:
    vehicles = VehicleStates.empty(len(x))
    vehicles.x[:], vehicles.y[:], vehicles.z[:] = x, y, z
    vehicles.health[:] = Health.HEARD
    return vehicles


def test_an_aircraft_in_a_hill_is_told_once_each_time() -> None:
    """A ridge of 20 m, rising by one in one from x = 40 to 60; boats and cars are not asked."""
    x = np.arange(0.0, 101.0, 5.0)
    ridge = np.clip(20.0 - np.abs(x - 60.0), 0.0, None)
    rows = np.ascontiguousarray(np.tile(ridge, (5, 1)), np.float32)
    trespass = Trespass(Terrain(relief=HeightMap(0.0, 0.0, 5.0, rows)), roster(3))
    told = []
    for step in range(100):
        told += [(vid, step, text) for vid, text in trespass.look(
            at(np.full(3, float(step)), np.full(3, 10.0), np.full(3, 5.5))
        )]  # fmt: skip
    assert told == [(1, 46, "is inside the ground")]
    assert not trespass.look(at(np.full(3, np.nan), np.zeros(3), np.zeros(3)))
    assert trespass.look(at(np.full(3, 60.0), np.full(3, 10.0), np.full(3, 19.0)))


@pytest.mark.parametrize("seed", range(5))
def test_all_that_shapely_finds_inside_is_told_when_it_comes_in(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds = ["building", "lake", "tree", "island"]
    obstacles = tuple(
        Obstacle(f"o{k}", kinds[k % 4], shapely.Point(*rng.uniform(-50, 50, 2)).buffer(r), 10.0)
        for k, r in enumerate(rng.uniform(2, 15, 12))
    )
    terrain, people = Terrain(obstacles=obstacles), roster(30)
    trespass = Trespass(terrain, people)
    place = rng.uniform(-60, 60, (2, 30))
    z = rng.choice([0.0, 5.0, 20.0], 30)
    step = rng.normal(0, 3, (2, 30))
    before: list[set[str]] = [set() for _ in range(30)]
    told = 0
    for _ in range(60):
        found = dict(trespass.look(at(*place, z)))
        for row in range(30):
            here = shapely.Point(*place[:, row])
            kind = people.kinds[people.kind[row]]
            inside = {o.name for o, ground in terrain.barriers(kind, z[row]) if here.within(ground)}
            new = inside and not before[row]
            assert (row + 1 in found) or not new
            if row + 1 in found:
                assert found[row + 1].split("'")[1] in inside
                told += 1
            before[row] = inside
        place = place + step
    assert told > 5


def test_real_ones_and_those_not_heard_are_not_spoken_of() -> None:
    people = roster(3)
    people.origin[1] = Origin.REAL
    house = Obstacle("house", "building", shapely.box(-5, -5, 5, 5), 10.0)
    trespass = Trespass(Terrain(obstacles=(house,)), people)
    vehicles = at(*np.zeros((3, 3)))
    vehicles.health[2] = Health.UNHEARD
    vehicles.x[2] = np.nan
    assert [vid for vid, _ in trespass.look(vehicles)] == [1]
    assert trespass.look(vehicles) == []


HOUSE = """
name: t
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 12}
terrain: {features: [{kind: building, name: house, at: [40, 0], rectangle: [20, 20]}]}
vehicles:
  - {name: car, kind: ground, start: {at: [0, 0], heading_deg: 90, speed: 10},
     model: {speed: 10}, behaviors: {BEHAVIOR: {SETTING: [100, 0]}}}
"""


@pytest.mark.parametrize(
    ("behavior", "setting", "times"), [("go_to_point", "at", 1), ("move_to", "to", 0)]
)
def test_the_summary_tells_of_a_car_in_a_house(tmp_path, behavior, setting, times) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(HOUSE.replace("BEHAVIOR", behavior).replace("SETTING", setting))
    summary = FastRun(build(load(str(path))), []).run()
    assert summary.trespasses == times
    told = [text.split(" at ")[0] for text in summary.trespassers]
    assert told == ["car is inside building 'house'"] * times
