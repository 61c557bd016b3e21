"""Through the gate from the right side, as the crossing of two lines tells."""

import numpy as np
import pytest
import shapely

GATE = shapely.LineString([[0, 0], [8, 0]])
FLEET = """
time: {duration: 90}
vehicles:
  - name: v
    count: 12
    kind: KIND
    start: {grid: {center: [2, 5], spacing: 9}, heading_deg: 200}
    behaviors: {go_to_gate: {gate: [[0, 0], [8, 0]], direction: DIRECTION}}
"""


@pytest.mark.parametrize("kind", ["pedestrian", "ground", "aerial/fixedwing"])
@pytest.mark.parametrize(
    ("direction", "north"), [("left", 1), ("right", -1), (10, 1), (170, -1), ("any", 0)]
)
def test_everybody_goes_through_the_right_way_and_then_lets_go(
    driven, kind, direction, north
) -> None:
    seen = driven(FLEET.replace("KIND", kind).replace("DIRECTION", str(direction)))
    for v in seen.names:
        let_go = [b == "" for b in seen.behaviors(v)]
        assert let_go[-1], f"{v} is not through"
        done = len(let_go) - let_go[::-1].index(False)
        way = seen.place(v)[:done, :2]
        legs = shapely.linestrings(np.stack([way[:-1], way[1:]], axis=1))
        through = np.flatnonzero(shapely.intersects(legs, GATE))
        moved = np.sign(np.diff(way[:, 1])[through])
        wanted = north or -np.sign(way[0, 1])
        assert wanted in moved
        # Done at the crossing itself, not later.
        assert through[moved == wanted][0] >= len(legs) - 2


def test_a_gate_without_width_is_refused_in_words(driven) -> None:
    from movenv.scenario.errors import ScenarioError

    text = FLEET.replace("KIND", "ground").replace("DIRECTION", "any")
    with pytest.raises(ScenarioError, match="same place"):
        driven(text.replace("[8, 0]", "[0, 0]"))
