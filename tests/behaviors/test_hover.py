"""Who can stop stays where it is; who cannot stays round it."""

import numpy as np
import pytest

LONG = """
time: {duration: 300, tick: 0.5, step: 0.05}
vehicles:
  - name: v
    count: 4
    kind: KIND
    start: {grid: {spacing: 50}, z: HEIGHT, heading_deg: 20}
    behaviors: {hover: {within: 3}}
"""


@pytest.mark.parametrize("minutes", [20, pytest.param(60, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("kind", "height"), [("aerial/rotorcraft", 20), ("ground", 0)])
def test_who_can_stop_stays_within_the_distance_for_long(driven, kind, height, minutes) -> None:
    text = LONG.replace("KIND", kind).replace("HEIGHT", str(height))
    seen = driven(text, f"time.duration={60 * minutes}")
    for v in seen.names:
        place = seen.place(v)
        settled = seen.t > 30
        far = np.linalg.norm(place - place[0], axis=1)[settled]
        assert far.max() <= 3
        assert np.ptp(place[settled], axis=0).max() < 1e-3
        assert seen.column("speed", v)[-1] == pytest.approx(0, abs=1e-3)


def test_who_cannot_stop_circles_round_the_place(driven) -> None:
    text = LONG.replace("KIND", "aerial/fixedwing").replace("HEIGHT", "20")
    seen = driven(text)
    for v in seen.names:
        place = seen.place(v)
        far = np.linalg.norm(place - place[0], axis=1)[seen.t > 60]
        # Twice the radius that it turns with at 15 m/s.
        assert far == pytest.approx(2 * 0.35 * 15, abs=0.3)


def test_somewhere_else_with_a_height(driven) -> None:
    seen = driven(
        """
time: {duration: 120}
vehicles:
  - name: v
    kind: aerial/rotorcraft
    start: {at: [0, 0], z: 5}
    behaviors: {hover: {at: [30, 40, 25], within: 1.5}}
"""
    )
    assert np.linalg.norm(seen.place("v")[-1] - [30, 40, 25]) < 1.5 * 2**0.5
    assert seen.column("speed", "v")[-1] == pytest.approx(0, abs=1e-3)
