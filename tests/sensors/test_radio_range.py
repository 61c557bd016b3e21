"""Ranging by radio: who is told of, how far and how strong."""

from dataclasses import replace

import numpy as np
import pytest
import shapely
from pydantic import ValidationError
from tests.sensors.rigs import Rig, motion, roster_of, states

from movenv.sensors.radio_range import RadioRange, RadioRangeConfig
from movenv.terrain.features import Obstacle, Terrain
from movenv.world.columns import F8
from movenv.world.messages import Health, VehicleStates

EXACT = {"noise": 0.0, "strength_noise": 0.0}


def ranged(rig: Rig, others: VehicleStates, *own: list[float]) -> F8:
    """(nearest, 3) of the first vehicle's first sample."""
    readings = rig.sense(list(own), others=others)
    assert readings is not None
    return readings.values[0, 0].reshape(-1, 3)


def test_the_nearest_come_first() -> None:
    rig = Rig(RadioRange, {**EXACT, "nearest": 3}, everyone=range(1, 7))
    places = [motion(), motion(30), motion(0, 10), motion(0, 0, z=20), motion(-40), motion(0, 101)]
    found = ranged(rig, states(range(1, 7), np.array(places).T), motion())
    assert found[:, 0].tolist() == [3, 4, 2]
    assert found[:, 1] == pytest.approx([10, 20, 30])
    assert found[:, 2] == pytest.approx([-60, -40 - 20 * np.log10(20), -40 - 20 * np.log10(30)])


def test_where_there_are_fewer_the_rest_is_nan() -> None:
    rig = Rig(RadioRange, EXACT, everyone=(1, 2))
    found = ranged(rig, states([1, 2], np.array([motion(), motion(5)]).T), motion())
    assert found[0, 0] == 2
    assert np.isnan(found[1:]).all()
    assert np.isnan(ranged(rig, VehicleStates.empty(), motion())).all()


def test_everyone_is_where_it_is_at_that_instant() -> None:
    rig = Rig(RadioRange, {**EXACT, "mount": {"x": 1.0}}, everyone=(1, 2))
    others = states([1, 2], np.array([motion(), motion(20, vx=-10)]).T)
    readings = rig.sense([motion(0, vx=4)], [motion(0.4, vx=4)], others)
    assert readings is not None
    assert readings.values[0, 0, 1] == pytest.approx(19 - 1.4)
    others.health[1] = Health.LOST
    assert ranged(rig, others, motion())[0, 1] == pytest.approx(19)


def test_only_a_unit_has_beacons() -> None:
    roster = replace(roster_of([1, 2, 3]), units=["beacons"], unit=[-1, -1, 0])
    others = states([1, 2, 3], np.array([motion(), motion(5), motion(9)]).T)
    found = ranged(Rig(RadioRange, {**EXACT, "unit": "beacons"}, roster=roster), others, motion())
    assert found[0, 0] == 3
    with pytest.raises(ValueError, match="no unit 'other'; units are beacons"):
        Rig(RadioRange, {"unit": "other"}, roster=roster)


def test_walls_hide_beacons_if_they_shall() -> None:
    wall = Obstacle("w", "building", shapely.box(4, -1, 5, 1), 10.0)
    others = states([1, 2, 3], np.array([motion(), motion(9), motion(0, 9)]).T)
    seen = {
        sight: ranged(Rig(RadioRange, {**EXACT, "line_of_sight": sight}, everyone=(1, 2, 3),
                          terrain=Terrain(obstacles=(wall,))), others, motion())[:, 0]
        for sight in (False, True)
    }  # fmt: skip
    assert seen[False][:2].tolist() == [2, 3]
    assert seen[True][0] == 3
    assert np.isnan(seen[True][1])
    above = states([1, 2], np.array([motion(z=12), motion(9, z=12)]).T)
    rig = Rig(RadioRange, {**EXACT, "line_of_sight": True}, everyone=(1, 2),
              terrain=Terrain(obstacles=(wall,)))  # fmt: skip
    assert ranged(rig, above, motion(z=12))[0, 0] == 2


def test_many_among_walls_hear_whom_all_pairs_tell() -> None:
    chance = np.random.default_rng(6)
    vids = range(1, 121)
    table = np.array([motion(*chance.uniform(-60, 60, 2)) for _ in vids])
    walls = [shapely.box(x, y, x + 9, y + 1) for x, y in chance.uniform(-60, 60, (60, 2))]
    solid = tuple(Obstacle(f"w{k}", "building", wall) for k, wall in enumerate(walls))
    settings = {**EXACT, "line_of_sight": True, "range_max": 40.0, "range_min": 3.0, "nearest": 5}
    rig = Rig(RadioRange, settings, vids, vids, Terrain(obstacles=solid))
    readings = rig.sense(table.tolist(), others=states(vids, table.T))
    assert readings is not None
    ground = shapely.union_all(walls)
    for i, (x, y) in enumerate(table[:, :2]):
        lines = shapely.linestrings([[(x, y), tuple(to)] for to in table[:, :2]])
        far = np.where(shapely.intersects(lines, ground), np.inf, shapely.length(lines))
        far[(far < 3.0) | (far > 40.0)] = np.inf
        order = [j for j in np.argsort(far)[:5] if far[j] < np.inf]
        found = readings.values[i, 0].reshape(-1, 3)[:, 0]
        assert found[~np.isnan(found)].tolist() == [vids[j] for j in order]


def test_who_is_not_heard_is_not_ranged() -> None:
    rig = Rig(RadioRange, EXACT, everyone=(1, 2, 3))
    others = states([1, 2, 3], np.array([motion(), motion(np.nan), motion(5)]).T)
    others.health[2] = Health.UNHEARD
    assert np.isnan(ranged(rig, others, motion())).all()


def test_noise_is_of_a_pair_and_as_wide_as_told() -> None:
    vids = range(1, 402)
    rig = Rig(RadioRange, {"noise": 0.5, "strength_noise": 3.0, "nearest": 1}, vids, vids)
    table = np.array([motion()] + [motion(20)] * 400)
    beacon = states(vids, table.T).take(np.array([0]))
    readings = rig.sense(table.tolist(), others=beacon)
    assert readings is not None
    off = readings.values[1:, 0, 1] - 20
    assert off.std() == pytest.approx(0.5, rel=0.1)
    assert readings.values[1:, 0, 2].std() == pytest.approx(3.0, rel=0.1)
    assert abs(np.corrcoef(off, readings.values[1:, 0, 2])[0, 1]) < 0.15


def test_a_range_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(ValidationError, match="not below range_max"):
        RadioRangeConfig(type="radio_range", range_min=100.0)
