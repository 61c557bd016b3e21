"""The gap settles to the distance, for one and for a chain, and stays there."""

from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load

LEADS = {
    "line": "{wander: {}}",
    "circle": "{circle: {center: [0, 40], radius: 40}}",
    "bends": "{wander: {}, periodic_turn: {steer: [-0.3, 0.3]}}",
    "stops": "{go_to_point: {at: [150, 20]}}",
}


def chain(kind: str, leads: str, distance: float, length: int = 5, height: float = 0) -> str:
    lines = [
        f"- {{name: v0, kind: {kind}, start: {{at: [0, 0], z: {height}, heading_deg: 90}}, "
        f"behaviors: {LEADS[leads]}}}"
    ]
    for i in range(1, length + 1):
        place = [-i * (distance + 8), 6 * (-1) ** i]
        lines.append(
            f"- {{name: v{i}, kind: {kind}, start: {{at: {place}, z: {height}, heading_deg: 30}}, "
            f"behaviors: {{follow_me: {{leader: v{i - 1}, distance: {distance}}}}}}}"
        )
    return "time: {duration: 180}\nvehicles:\n" + "\n".join(f"  {line}" for line in lines)


def gaps(seen, length: int = 5) -> np.ndarray:
    """On the ground, (followers, ticks)."""
    places = np.array([seen.place(f"v{i}")[:, :2] for i in range(length + 1)])
    return np.hypot(*np.moveaxis(np.diff(places, axis=0), 2, 0))


@pytest.mark.parametrize(
    ("kind", "height"), [("ground", 0), ("pedestrian", 0), ("aerial/rotorcraft", 20)]
)
def test_on_a_line_the_gaps_settle_to_the_distance(driven, kind, height) -> None:
    seen = driven(chain(kind, "line", 10, height=height))
    late = gaps(seen)[:, seen.t > 120]
    assert late == pytest.approx(10, abs=0.1)
    x0, y0, _ = seen.place("v0")[seen.t > 120].T
    slope = (y0[-1] - y0[0]) / (x0[-1] - x0[0])  # true east is not quite the X axis
    for i in range(6):
        x, y, _ = seen.place(f"v{i}")[seen.t > 120].T
        assert np.ptp(y - (x - x0[0]) * slope) < 0.05
        assert seen.column("speed", f"v{i}")[-1] == pytest.approx(
            seen.column("speed", "v0")[-1], abs=0.02
        )


@pytest.mark.parametrize(("kind", "height"), [("ground", 0), ("aerial/rotorcraft", 20)])
def test_on_a_circle_they_keep_the_distance_along_it(driven, kind, height) -> None:
    seen = driven(chain(kind, "circle", 10, height=height), "time.duration=240")
    late = gaps(seen)[:, seen.t > 180]
    # Ten metres along a circle of forty are this far apart.
    assert late == pytest.approx(80 * np.sin(10 / 80), abs=0.3)
    for i in range(6):
        place = seen.place(f"v{i}")[seen.t > 180, :2] - [0, 40]
        assert np.hypot(*place.T) == pytest.approx(40, abs=0.2 * (i + 1))


def test_they_stop_where_the_leader_stops(driven) -> None:
    seen = driven(chain("ground", "stops", 10))
    for i in range(6):
        assert seen.column("speed", f"v{i}")[-1] == pytest.approx(0, abs=1e-3)
    assert (gaps(seen)[:, -1] > 8).all()
    assert (gaps(seen)[:, -1] < 10.2).all()


def test_a_chain_does_not_amplify_what_the_leader_does(driven) -> None:
    seen = driven(chain("ground", "bends", 10, length=8), "time.duration=600", "time.tick=0.2")
    late = gaps(seen, 8)[:, seen.t > 120]
    swing = np.ptp(late, axis=1)
    assert swing[0] > 0.2  # the leader does turn
    assert swing[-1] <= 1.2 * swing[0]
    assert (late > 5).all()
    assert (late < 15).all()


@pytest.mark.parametrize("minutes", [10, pytest.param(60, marks=pytest.mark.soak)])
def test_long_behind_a_leader_on_a_circle(driven, minutes: int) -> None:
    duration = f"time.duration={60 * minutes}"
    seen = driven(chain("ground", "circle", 10, length=2), duration, "time.tick=0.5")
    late = gaps(seen, 2)[:, seen.t > 300]
    assert np.ptp(late, axis=1).max() < 0.15
    assert late == pytest.approx(80 * np.sin(10 / 80), abs=0.3)


def test_a_faster_leader_is_followed_as_fast_as_allowed(driven) -> None:
    seen = driven(
        """
time: {duration: 60}
vehicles:
  - {name: car, kind: ground, start: {at: [0, 0], heading_deg: 90}, behaviors: {wander: {}}}
  - {name: walker, kind: pedestrian, start: {at: [-10, 0], heading_deg: 90},
     behaviors: {follow_me: {leader: car, distance: 5, speed: 2}}}
"""
    )
    assert seen.column("speed", "walker")[-1] == pytest.approx(2.0, abs=1e-3)
    assert seen.column("x", "walker")[-1] == pytest.approx(-10 + 2 * 60, abs=2)


def test_an_aircraft_keeps_its_height_over_the_leader(driven) -> None:
    seen = driven(
        """
time: {duration: 90}
vehicles:
  - {name: car, kind: ground, model: {speed: 4}, start: {at: [0, 0], heading_deg: 90},
     behaviors: {wander: {}}}
  - {name: drone, kind: aerial/rotorcraft, start: {at: [-40, 10], z: 10},
     behaviors: {follow_me: {leader: car, distance: 6, above: 25}}}
"""
    )
    gap = (seen.place("drone") - seen.place("car"))[-1]
    assert gap == pytest.approx([-6, 0, 25], abs=0.2)


def test_while_the_leader_is_not_heard_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "unheard.yaml"
    head = "name: test\norigin: {lat: 29.193111, lon: -81.046171}\n"
    path.write_text(head + chain("ground", "line", 10, length=1))
    from movenv.scenario.build import Stage

    stage = Stage(load(str(path)), real=False)
    host, core = stage.host("alone", np.array([1])), stage.core()
    core.take(host.set())
    for tick in range(1, 100):
        known = core.tick(tick - 1, (tick - 1) / 10)
        report = host.tick(tick, known.snapshot.vehicles, known.notices)
        core.take(report)
    assert report.motions.speed[0] == pytest.approx(0, abs=1e-3)


def test_hosts_make_no_difference(tmp_path: Path) -> None:
    path = tmp_path / "chain.yaml"
    head = "name: test\norigin: {lat: 29.193111, lon: -81.046171}\n"
    path.write_text(head + chain("ground", "bends", 10))
    ends = []
    for hosts in (1, 3):
        last = list(updates(build(load(str(path), ["time.duration=60"]), hosts)))[-1]
        ends.append([column.tobytes() for _, column in last.snapshot.vehicles.columns()])
    assert ends[0] == ends[1]


def test_nobody_follows_itself(driven) -> None:
    text = chain("ground", "line", 10, length=1).replace("leader: v0", "leader: v1")
    with pytest.raises(ScenarioError, match="cannot follow itself"):
        driven(text)
