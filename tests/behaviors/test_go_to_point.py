"""Everybody arrives, stops without overshooting, and nobody orbits for ever."""

import numpy as np
import pytest

from movenv.scenario.errors import ScenarioError

KINDS = {
    "pedestrian": (0.0, 1.4),
    "ground": (0.0, 10.0),
    "surface": (0.0, 6.0),
    "aerial/fixedwing": (20.0, 15.0),
    "aerial/rotorcraft": (20.0, 5.0),
}
FLEET = """
time: {duration: 60}
vehicles:
  - name: v
    count: 16
    kind: KIND
    start: {grid: {center: [4, 3], spacing: SPACING}, z: HEIGHT, heading_deg: 110}
    behaviors: {go_to_point: SETTINGS}
"""


def fleet(kind: str, settings: str) -> str:
    spacing = "9" if kind == "surface" else "4"  # boats are 6 m long
    filled = FLEET.replace("KIND", kind).replace("HEIGHT", str(KINDS[kind][0]))
    return filled.replace("SPACING", spacing).replace("SETTINGS", settings)


@pytest.mark.parametrize("kind", KINDS)
def test_a_point_within_the_turning_circle_is_reached_all_the_same(driven, kind) -> None:
    # Sixteen starts around the point, nearer than most of these vehicles can turn.
    seen = driven(fleet(kind, "{at: [0, 0], within: 1, then: pass}"))
    for v in seen.names:
        let_go = [b == "" for b in seen.behaviors(v)]
        assert let_go[-1], f"{v} never arrived"
        done = len(let_go) - let_go[::-1].index(False)
        way = seen.place(v)[: done + 1, :2]
        # Between two ticks it comes nearer than at either.
        assert segment_distance(way).min() <= 1.0 + 1e-6


def segment_distance(way: np.ndarray) -> np.ndarray:
    """Of the origin from a thousand points on each leg: no closed form to get wrong."""
    share = np.linspace(0, 1, 1000)[:, None, None]
    return np.linalg.norm(way[:-1] + share * np.diff(way, axis=0), axis=2).min(axis=0)


@pytest.mark.parametrize("kind", ["pedestrian", "ground", "aerial/rotorcraft"])
def test_who_can_stop_stops_there_without_overshooting(driven, kind) -> None:
    far = 20 * KINDS[kind][1]
    seen = driven(
        f"""
time: {{duration: 40}}
vehicles:
  - name: v
    kind: {kind}
    start: {{at: [0, 0], z: {KINDS[kind][0]}, heading_deg: 90}}
    behaviors: {{go_to_point: {{at: [{far}, 0], within: 2}}}}
"""
    )
    x, speed = seen.column("x", "v"), seen.column("speed", "v")
    assert x.max() <= far
    assert abs(x[-1] - far) <= 2
    assert speed[-1] == pytest.approx(0.0, abs=1e-3)
    assert speed.max() == pytest.approx(KINDS[kind][1], rel=1e-3)
    # Slowing down at half of the greatest acceleration costs v / a over the even ride.
    brake = 0.5 * {"pedestrian": 1.5, "ground": 3.0, "aerial/rotorcraft": 4.0}[kind]
    arrived = seen.t[np.argmax(far - x <= 2)]
    assert arrived == pytest.approx((far - 1) / speed.max() + speed.max() / (2 * brake), abs=2.0)


def test_height_is_reached_before_it_counts_as_there(driven) -> None:
    seen = driven(
        """
time: {duration: 90}
vehicles:
  - name: v
    kind: aerial/rotorcraft
    start: {at: [0, 0], z: 5, heading_deg: 90}
    behaviors: {go_to_point: {at: [10, 0, 40], within: 2, then: pass}}
"""
    )
    let_go = [b == "" for b in seen.behaviors("v")]
    done = len(let_go) - let_go[::-1].index(False)
    at = seen.place("v")[done - 1]
    assert np.hypot(at[0] - 10, at[1]) < 2.6  # half a second of way on
    assert at[2] == pytest.approx(40, abs=2.0)


def test_a_fixed_wing_passes_and_then_circles_round_the_point(driven) -> None:
    seen = driven(
        """
time: {duration: 120}
vehicles:
  - name: v
    kind: aerial/fixedwing
    start: {at: [0, 0], z: 30, heading_deg: 0}
    behaviors: {go_to_point: {at: [300, 40], within: 5}}
"""
    )
    far = np.hypot(seen.column("x", "v") - 300, seen.column("y", "v") - 40)
    assert far.min() < 5
    late = far[seen.t > 60]
    assert late.max() - late.min() < 0.5
    assert seen.column("speed", "v")[-1] == pytest.approx(15, abs=1e-3)


def test_a_mission_goes_on_from_arrival(driven) -> None:
    seen = driven(
        """
time: {duration: 60}
vehicles:
  - name: v
    kind: ground
    start: {at: [0, 0], heading_deg: 90, speed: 0}
    mission:
      - {step: out, do: {go_to_point: {at: [60, 0], within: 2}}}
      - {step: back, do: {go_to_point: {at: [0, 20], within: 2}}}
"""
    )
    step = seen.column("step", "v")
    assert sorted(set(step[1:].tolist())) == [1, 2, 255]
    first = seen.place("v")[np.argmax(step == 2)]
    assert np.hypot(first[0] - 60, first[1]) <= 2.1
    last = seen.place("v")[np.argmax(step == 255)]
    assert np.hypot(last[0], last[1] - 20) <= 2.1


def test_nonsense_is_refused_in_words(driven) -> None:
    with pytest.raises(ScenarioError, match="within"):
        driven(fleet("ground", "{at: [0, 0], within: 0}"))
