"""Braking for what is in front."""

import numpy as np
import pytest

PAIR = """
time: {duration: 60}
vehicles:
  - name: a
    kind: ground
    model: {speed: SPEED}
    start: {at: [-200, 0], heading_deg: 90}
    behaviors: {wander: {hold_altitude: false}, avoid_by_brake: {}}
  - name: b
    kind: ground
    model: {speed: 10}
    start: {at: [0, ASIDE], heading_deg: HEADING, speed: STARTS}
    behaviors: BEHAVIORS
"""


def pair(speed: float = 10, aside: float = 0, heading: float = 90, starts: float = 0,
         behaviors: str = "{}") -> str:  # fmt: skip
    text = PAIR.replace("SPEED", str(speed)).replace("ASIDE", str(aside))
    text = text.replace("HEADING", str(heading)).replace("STARTS", str(starts))
    return text.replace("BEHAVIORS", behaviors)


@pytest.mark.parametrize("speed", [3, 10, 20])
def test_it_stops_before_what_stands_there(driven, speed: float) -> None:
    seen = driven(pair(speed), "time.duration=120")
    gap = -seen.column("x", "a") - 2.7
    assert gap[-1] == pytest.approx(2.0, abs=0.1)
    assert gap.min() > 1.9
    v = seen.column("speed", "a")
    assert v.min() >= 0.0
    assert v[-1] == 0.0
    braking = -np.diff(v) / 0.1
    assert braking.max() <= 2.0 + 0.1
    begins = gap[int(np.argmax(braking > 0.5))]
    assert begins == pytest.approx(2.0 + speed**2 / 4, abs=0.5 + 0.3 * speed)


@pytest.mark.parametrize("aside", [0.0, 1.0, -1.0])
def test_two_facing_each_other_stop_both(driven, aside: float) -> None:
    seen = driven(pair(14, aside, 270, 10, "{wander: {}, avoid_by_brake: {}}"))
    assert seen.column("speed", "a")[-1] == seen.column("speed", "b")[-1] == 0.0
    gap = seen.column("x", "b") - seen.column("x", "a") - 2.7
    assert gap.min() > 1.9
    assert gap[-1] < 3.0


def test_what_is_beside_the_way_does_not_matter(driven) -> None:
    seen = driven(pair(10, 4.0))
    assert seen.column("speed", "a").min() == pytest.approx(10, abs=1e-6)
    assert "avoid_by_brake" not in seen.behaviors("a")


def test_behind_a_slower_one_it_takes_its_speed(driven) -> None:
    seen = driven(pair(15, 0, 90, 6, "{wander: {}}"), "vehicles.b.model.speed=6")
    gap = seen.column("x", "b") - seen.column("x", "a") - 2.7
    assert gap.min() > 1.5
    assert seen.column("speed", "a")[-1] == pytest.approx(6, abs=0.1)


def test_the_way_free_again_it_speeds_up_gently(driven) -> None:
    """The other crosses the way and is gone."""
    seen = driven(pair(10, -70, 0, 3, "{wander: {}}"), "vehicles.b.model.speed=3",
                  "vehicles.a.start.at=[-245, 0]")  # fmt: skip
    v = seen.column("speed", "a")
    assert v.min() < 9.0
    assert v[-1] == pytest.approx(10)
    assert np.diff(v).max() / 0.1 <= 1.5 + 0.05
    assert seen.closest("a", "b") > 2.7


def test_one_that_cannot_brake_hard_brakes_early(driven) -> None:
    seen = driven(pair(10), "vehicles.a.model.max_acceleration=1")
    gap = -seen.column("x", "a") - 2.7
    assert gap.min() > 1.9


def test_it_only_limits_whoever_drives(driven) -> None:
    """A vehicle about to stop by itself stops where it wanted."""
    text = pair(10).replace("vehicles:", "routes: {r: {points: [[-200, 0], [-60, 0]]}}\nvehicles:")
    seen = driven(text.replace("wander: {hold_altitude: false}", "follow_path: {route: r}"))
    assert seen.column("x", "a")[-1] == pytest.approx(-60, abs=0.3)
