"""On the circle from anywhere, the way round that was asked for, as often as asked for."""

import numpy as np
import pytest

from movenv.scenario.errors import ScenarioError

CIRCLE = """
time: {duration: 150}
vehicles:
  - name: v
    count: 9
    kind: KIND
    start: {grid: {center: [0, 0], spacing: 40}, heading_deg: 70}
    behaviors: {circle: {center: [5, -5], radius: 30, direction: DIRECTION}}
"""


@pytest.mark.parametrize("kind", ["pedestrian", "ground", "aerial/fixedwing", "aerial/rotorcraft"])
@pytest.mark.parametrize(("direction", "sign"), [("left", 1), ("right", -1)])
def test_from_anywhere_onto_the_circle_and_round_it(driven, kind, direction, sign) -> None:
    seen = driven(CIRCLE.replace("KIND", kind).replace("DIRECTION", direction))
    for v in seen.names:
        late = seen.place(v)[seen.t > 120, :2] - [5, -5]
        assert np.hypot(*late.T) == pytest.approx(30, abs=0.05)
        turned = np.diff(np.unwrap(np.arctan2(late[:, 1], late[:, 0])))
        # What a point with this speed over the ground turns by on this circle in a tick.
        ground = np.hypot(*np.diff(late, axis=0).T)
        assert turned * sign == pytest.approx(2 * np.arcsin(ground / 60), rel=1e-2)


def test_laps_are_counted_on_the_circle(driven) -> None:
    seen = driven(
        """
time: {duration: 120}
vehicles:
  - name: v
    kind: aerial/rotorcraft
    start: {at: [60, 0], heading_deg: 0}
    behaviors: {circle: {center: [0, 0], radius: 20, laps: 2, speed: 5}}
"""
    )
    let_go = [b == "" for b in seen.behaviors("v")]
    done = len(let_go) - let_go[::-1].index(False)
    way = seen.place("v")[:done, :2]
    on_it = np.abs(np.hypot(*way.T) - 20) < 4
    turned = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
    laps = (turned[-1] - turned[np.argmax(on_it)]) / (2 * np.pi)
    assert laps == pytest.approx(2.0, abs=0.02)


def test_round_a_vehicle_that_moves(driven) -> None:
    seen = driven(
        """
time: {duration: 120}
vehicles:
  - {name: car, kind: ground, model: {speed: 3}, start: {at: [0, 0], heading_deg: 90},
     behaviors: {wander: {}}}
  - name: v
    kind: aerial/rotorcraft
    model: {speed: 8}
    start: {at: [-30, 10], z: 10}
    behaviors: {circle: {around: car, radius: 25, above: 30}}
"""
    )
    gap = (seen.place("v") - seen.place("car"))[seen.t > 60]
    assert np.hypot(gap[:, 0], gap[:, 1]) == pytest.approx(25, abs=2.0)
    assert gap[:, 2] == pytest.approx(30, abs=0.1)


def test_a_circle_that_is_too_small_is_refused_in_words(driven) -> None:
    text = CIRCLE.replace("KIND", "ground").replace("DIRECTION", "left")
    with pytest.raises(ScenarioError, match=r"4 m is too small for 'v-1', which turns within 4\.7"):
        driven(text.replace("radius: 30", "radius: 4"))
    with pytest.raises(ScenarioError, match="exactly one of center, around"):
        driven(text.replace("center: [5, -5], ", ""))
