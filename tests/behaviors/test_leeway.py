"""Whoever avoids others beside walls and water stays out of them, and gets on."""

from pathlib import Path

import numpy as np
import pytest
import shapely

from movenv.scenario.build import Stage
from movenv.scenario.load import load

pytestmark = pytest.mark.long

STREET = """
terrain:
  features:
    - {kind: building, name: north, at: [0, 25], rectangle: [240, 40]}
    - {kind: building, name: south, at: [0, -25], rectangle: [240, 40]}
"""
"""10 m wide, 240 m long."""
BANK = """
terrain:
  features:
    - {kind: river, name: stream, width: 40, line: [[-400, -24], [400, -24]]}
    - {kind: river, name: brook, width: 40, line: [[-400, 26], [400, 26]]}
"""
"""Water from 4 m to the right and 6 m to the left of the middle."""
BRIDGE = """
terrain:
  features:
    - {kind: river, name: stream, width: 60, line: [[0, -400], [0, 400]]}
    - {kind: bridge, name: plank, width: 10, line: [[-40, 0], [40, 0]]}
"""
ALLEY = """
terrain:
  features:
    - {kind: building, name: north, at: [0, 13], rectangle: [60, 20]}
    - {kind: building, name: south, at: [0, -13], rectangle: [60, 20]}
"""
"""6 m wide, 60 m long."""


def group(name: str, side: int, behaviors: str, count: int = 1, more: str = "") -> str:
    """Vehicles at one end that go to the other."""
    x, heading = -180 * side, 180 - 90 * side
    return f"""
  - name: {name}
    count: {count}
    {more or "kind: ground"}
    start: {{grid: {{center: [{x}, 0], spacing: 12, columns: {count}}}, heading_deg: {heading}}}
    behaviors: {{move_to: {{to: [{-x}, 0], within: 30, visibility: 300}}, {behaviors}}}
"""


def meeting(ground: str, seconds: float, *groups: str) -> str:
    return f"{ground}\ntime: {{duration: {seconds}}}\nvehicles:{''.join(groups)}"


def tracks(seen) -> np.ndarray:
    """x and y of all, (ticks, vehicles, 2)."""
    return np.stack([seen.place(name)[:, :2] for name in seen.names], axis=1)


def inside(seen, tmp_path: Path) -> int:
    """How often anybody was in what stops it."""
    stage = Stage(load(str(tmp_path / "test.yaml")), real=False)
    places, count = tracks(seen), 0
    for k, kind in enumerate(stage.roster.kinds):
        ground = shapely.union_all([part for _, part in stage.terrain.barriers(kind)])
        own = places[:, stage.roster.kind == k]
        count += int(shapely.contains_xy(ground, own[..., 0], own[..., 1]).sum())
    return count


def across(seen) -> np.ndarray:
    """Who has come to the other end."""
    places = tracks(seen)
    return places[-1, :, 0] * np.sign(places[0, :, 0]) < -100


RULE = "avoid: {method: constant_velocity}"
WIDE = "avoid: {method: constant_velocity, d_min: 16}"


@pytest.mark.parametrize("ground", [STREET, BANK, BRIDGE], ids=["street", "bank", "bridge"])
@pytest.mark.parametrize("rule", [RULE, WIDE], ids=["usual", "wide"])
def test_two_that_meet_between_walls_pass_each_other(driven, tmp_path, ground, rule) -> None:
    """16 m are more than there is room for."""
    seen = driven(meeting(ground, 90, group("a", 1, rule), group("b", -1, rule)))
    assert inside(seen, tmp_path) == 0
    assert across(seen).all()
    assert "avoid" in seen.behaviors("a")
    assert seen.closest("a", "b") > 1.5


@pytest.mark.parametrize("ground", [STREET, BANK, BRIDGE], ids=["street", "bank", "bridge"])
def test_two_columns_that_meet_between_walls_stay_out_of_them(driven, tmp_path, ground) -> None:
    seen = driven(meeting(ground, 120, group("a", 1, RULE, 5), group("b", -1, RULE, 5)))
    assert inside(seen, tmp_path) == 0
    assert across(seen).mean() >= 0.5


def test_a_crowd_between_buildings_stays_out_of_them(driven, tmp_path) -> None:
    walk = """
  - {{name: {0}, count: 30, kind: pedestrian,
     start: {{grid: {{center: [{1}, 0], spacing: 2, columns: 10}}, heading_deg: {2}}},
     behaviors: {{move_to: {{to: [{3}, 0], within: 12, visibility: 100}}, {4}}}}}
"""
    crowd = [walk.format("a", -50, 90, 50, RULE), walk.format("b", 50, 270, -50, RULE)]
    seen = driven(meeting(ALLEY, 150, *crowd))
    assert inside(seen, tmp_path) == 0
    assert "avoid" in seen.behaviors("a-1")
    ends = tracks(seen)[-1, :, 0] * np.repeat([1, -1], 30)
    assert (ends > 25).mean() > 0.9
