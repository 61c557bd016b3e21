"""The paper's first figure: a vehicle across a river and round tree lines, by the crossing."""

import numpy as np
import pytest
import shapely

from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.testing import Drive, drive

SCENARIO = "river-crossing"
GOAL = (560.0, 40.0)
SEES_ALL = "vehicles.tank.behaviors.move_to.visibility=5000"


@pytest.fixture(scope="module")
def seen() -> Drive:
    return drive(SCENARIO)


def way(seen: Drive) -> shapely.LineString:
    return shapely.LineString(seen.place("tank")[:, :2])


def test_it_arrives_and_stays(seen: Drive) -> None:
    off = np.hypot(*(seen.place("tank")[:, :2] - GOAL).T)
    assert off[-100:].max() < 2.5


def test_it_touches_nothing_but_the_bridge(seen: Drive) -> None:
    terrain = Stage(load(SCENARIO), real=False).terrain
    (bridge,) = [one.ground for one in terrain.crossings]
    for one in terrain.obstacles:
        closed = one.ground.difference(bridge) if one.kind == "river" else one.ground
        assert way(seen).distance(closed) > 1.0, one.name
    assert way(seen).intersection(bridge).length > 30.0  # from bank to bank


def test_mud_slows_it(seen: Drive) -> None:
    x, y, _ = seen.place("tank").T
    speed = seen.column("speed", "tank")
    in_mud = (x > -130) & (x < -60) & (y > -60) & (y < 50)
    assert in_mud.any()
    assert speed[in_mud].max() == pytest.approx(0.3 * 18.6, rel=0.02)
    assert speed.max() == pytest.approx(10.0, rel=0.01)


def test_seeing_only_so_far_costs_little(seen: Drive) -> None:
    assert way(seen).length < 1.05 * way(drive(SCENARIO, SEES_ALL)).length
