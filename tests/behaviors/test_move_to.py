"""Everybody gets there in the time that arithmetic gives, along routes and round them."""

import numpy as np
import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load

KINDS = {
    "pedestrian": (0.0, 1.4, 1.5),
    "ground": (0.0, 10.0, 3.0),
    "surface": (0.0, 6.0, 1.0),
    "aerial/rotorcraft": (20.0, 5.0, 4.0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_straight_ahead_takes_as_long_as_the_way_and_the_braking(driven, kind) -> None:
    z, cruise, most = KINDS[kind]
    far = 20 * cruise
    seen = driven(
        f"""
time: {{duration: 45}}
vehicles:
  - name: v
    kind: {kind}
    start: {{at: [0, 0], z: {z}, heading_deg: 90}}
    behaviors: {{move_to: {{to: [{far}, 0], within: 2}}}}
"""
    )
    x, y, speed = (seen.column(name, "v") for name in ("x", "y", "speed"))
    assert speed.max() == pytest.approx(cruise, rel=1e-3)
    assert speed[-1] == pytest.approx(0.0, abs=1e-3)
    assert np.hypot(x[-1] - far, y[-1]) <= 2
    assert x.max() <= far
    # Slowing down at half of the greatest acceleration, a, so as to stand a metre before the goal
    # costs v / (2 a) over the even ride; the last metre of it, from 2 m on, takes sqrt(2 / a).
    arrived, a = seen.t[np.argmax(far - x <= 2)], most / 2
    even = (far - 1) / cruise
    assert arrived == pytest.approx(even + cruise / (2 * a) - np.sqrt(2 / a), abs=0.3)


ROUND = """
time: {duration: 120, step: 0.05}
routes:
  r: {points: [[100, 0], [100, 80], [0, 80]], CLOSED}
vehicles:
  - name: v
    count: 4
    kind: ground
    start: {grid: {center: [0, 0], spacing: 12}, heading_deg: 45}
    behaviors: {move_to: {route: r, within: 3, SETTINGS}}
"""


def visits(seen, name: str, points) -> list[int]:
    """The numbers of the points in the order in which one came within 3 m of them."""
    order: list[int] = []
    for x, y, _ in seen.place(name):
        for k, (px, py) in enumerate(points):
            if np.hypot(x - px, y - py) <= 3.0 and order[-1:] != [k]:
                order.append(k)
    return order


def test_an_open_route_is_gone_through_point_by_point(driven) -> None:
    text = ROUND.replace("CLOSED", "closed: false").replace(", SETTINGS", "")
    seen = driven(text)
    for v in seen.names:
        assert visits(seen, v, [(100, 0), (100, 80), (0, 80)]) == [0, 1, 2]
        x, y, speed = (seen.column(name, v)[-1] for name in ("x", "y", "speed"))
        assert np.hypot(x, y - 80) <= 3
        assert speed == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(("laps", "visited"), [(1, 4), (2, 7)])
def test_a_closed_route_ends_where_its_laps_end(driven, laps, visited) -> None:
    text = ROUND.replace("CLOSED", "closed: true").replace("SETTINGS", f"laps: {laps}")
    seen = driven(text, "time.duration=200")
    for v in seen.names:
        order = visits(seen, v, [(100, 0), (100, 80), (0, 80)])
        assert order == ([0, 1, 2] * 3)[:visited]
        x, y = (seen.column(name, v)[-1] for name in ("x", "y"))
        assert np.hypot(x - 100, y) <= 3


def test_for_ever_is_for_ever(driven) -> None:
    text = ROUND.replace("CLOSED", "closed: true").replace("SETTINGS", "laps: forever")
    seen = driven(text, "time.duration=200")
    order = visits(seen, seen.names[0], [(100, 0), (100, 80), (0, 80)])
    assert len(order) > 9
    assert order == ([0, 1, 2] * 20)[: len(order)]
    assert seen.column("speed", seen.names[0])[-1] > 1.0


def test_a_route_says_how_fast(driven) -> None:
    seen = driven(
        """
time: {duration: 60}
routes:
  r: {points: [[50, 0], [150, 0], [350, 0]], speeds: [4, 10]}
vehicles:
  - name: v
    kind: ground
    start: {at: [0, 0], heading_deg: 90, speed: 10}
    behaviors: {move_to: {route: r}}
"""
    )
    x, speed = seen.column("x", "v"), seen.column("speed", "v")
    assert speed[(x > 10) & (x < 45)] == pytest.approx(10.0, abs=1e-6)
    slow = (speed > 3.99) & (speed < 4.01)
    assert np.ptp(x[slow]) > 80


def test_then_pass_leaves_the_wheel_at_speed(driven) -> None:
    seen = driven(
        """
time: {duration: 20}
vehicles:
  - name: v
    kind: ground
    start: {at: [0, 0], heading_deg: 90, speed: 10}
    behaviors: {move_to: {to: [100, 0], then: pass}}
"""
    )
    held = [b == "move_to" for b in seen.behaviors("v")]
    end = len(held) - held[::-1].index(True)
    assert seen.column("x", "v")[end] == pytest.approx(100, abs=3.0)
    assert seen.column("speed", "v")[end - 1] == pytest.approx(10.0, abs=1e-3)


def test_a_plane_passes_each_point_at_its_height_and_circles_the_last(driven) -> None:
    seen = driven(
        """
time: {duration: 150}
routes:
  r: {points: [[300, 40, 50], [300, 400, 50], [0, 400, 80]]}
vehicles:
  - name: v
    kind: aerial/fixedwing
    start: {at: [0, 0], z: 30, heading_deg: 0}
    behaviors: {move_to: {route: r, within: 6}}
"""
    )
    at = seen.place("v")
    for point in ([300, 40, 50], [300, 400, 50], [0, 400, 80]):
        off = np.abs(at - point)
        assert ((np.hypot(off[:, 0], off[:, 1]) < 7) & (off[:, 2] < 7)).any(), point
    late = np.hypot(at[:, 0], at[:, 1] - 400)[seen.t > 120]
    assert late.max() - late.min() < 0.5
    assert at[-1, 2] == pytest.approx(80, abs=1.0)


def test_the_same_on_one_host_and_on_three(tmp_path) -> None:
    path = tmp_path / "round.yaml"
    text = ROUND.replace("CLOSED", "closed: true").replace("SETTINGS", "laps: 1")
    path.write_text("name: test\norigin: {lat: 29.193111, lon: -81.046171}\n" + text)
    alone, shared = (list(updates(build(load(str(path)), hosts))) for hosts in (1, 3))
    for one, other in zip(alone, shared, strict=True):
        for name in ("x", "y", "yaw", "speed"):
            ours, theirs = (getattr(u.snapshot.vehicles, name) for u in (one, other))
            assert np.array_equal(ours, theirs)


def test_a_mission_goes_on_from_arrival_and_back(driven) -> None:
    seen = driven(
        """
time: {duration: 60}
vehicles:
  - name: v
    kind: ground
    start: {at: [0, 0], heading_deg: 90, speed: 0}
    mission:
      - {step: out, do: {move_to: {to: [60, 0], within: 2}}}
      - {step: back, do: {move_to: {to: [0, 20], within: 2}}}
"""
    )
    step = seen.column("step", "v")
    assert sorted(set(step[1:].tolist())) == [1, 2, 255]
    first = seen.place("v")[np.argmax(step == 2)]
    assert np.hypot(first[0] - 60, first[1]) <= 2.1
    last = seen.place("v")[np.argmax(step == 255)]
    assert np.hypot(last[0], last[1] - 20) <= 2.1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("{}", "exactly one of to, by, route; found none"),
        ("{to: [0, 0], route: r}", "found to and route"),
        ("{route: r, laps: 2}", "route 'r' is open"),
        ("{to: [0, 0], visibility: 0}", "visibility"),
        ("{to: [0, 0], roads: some}", "roads"),
    ],
)
def test_nonsense_is_refused_in_words(driven, settings, said) -> None:
    with pytest.raises(ScenarioError, match=said):
        driven(
            f"""
time: {{duration: 1}}
routes: {{r: {{points: [[0, 0], [10, 0]]}}}}
vehicles:
  - {{name: v, kind: ground, start: {{at: [0, 0]}}, behaviors: {{move_to: {settings}}}}}
"""
        )


def test_everyone_of_a_group_goes_so_far_from_where_it_began(driven) -> None:
    seen = driven("""
time: {duration: 40}
vehicles:
  - name: cart
    count: 3
    kind: ground
    start: {line: {from: [0, 0], to: [0, 60]}, heading_deg: 90}
    behaviors: {move_to: {by: [100, 20]}}
""")
    for k in range(3):
        end = seen.place(f"cart-{k + 1}")[-1]
        assert end[:2] == pytest.approx((100.0, 30.0 * k + 20.0), abs=2.5)


@pytest.mark.parametrize(
    ("kind", "z", "settings", "words"),
    [
        ("ground", 0, "{to: [100, 0], roads: only}", "the terrain has no roads"),
        ("ground", 0, "{to: [100, 0, 50]}", "`to` is at 50 m, where none of them can climb"),
        ("ground", 0, "{to: [100, 0, 1]}", ""),
        ("aerial/rotorcraft", 20, "{to: [100, 0, 50]}", ""),
    ],
)
def test_what_leads_nowhere_is_refused_at_its_line(driven, kind, z, settings, words) -> None:
    text = f"""
time: {{duration: 1}}
vehicles:
  - name: v
    kind: {kind}
    start: {{at: [0, 0], z: {z}}}
    behaviors: {{move_to: {settings}}}
"""
    if not words:
        driven(text)
        return
    with pytest.raises(ScenarioError, match=rf"test\.yaml:10:.*{words}"):
        driven(text)
