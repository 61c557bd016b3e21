"""Following a route: how near, how fast, how long."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import shapely

from movenv.behaviors.follow_path import FollowPath, FollowPathConfig
from movenv.parts import Own, Setup
from movenv.parts.setup import ConfigColumns
from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load
from movenv.terrain.route import Route
from movenv.world.kinds import Kind, Origin
from movenv.world.messages import Roster

LAP = """
time: {duration: DURATION}
routes:
  lap:
    points: [[0, 0], [300, 0], [300, 200], [0, 200]]
    closed: true
vehicles:
  - name: a
    kind: KIND
    model: {speed: SPEED}
    start: {at: [100, 0]}
    behaviors: {follow_path: {route: lap, laps: forever}}
"""
RING = shapely.LinearRing([[0, 0], [300, 0], [300, 200], [0, 200]])


def lap(kind: str = "ground", speed: float = 10, duration: float = 300) -> str:
    text = LAP.replace("KIND", kind).replace("SPEED", str(speed))
    return text.replace("DURATION", str(duration))


def away(seen, line: shapely.Geometry = RING) -> np.ndarray:
    return shapely.distance(shapely.points(seen.place("a")[:, :2]), line)


def trapezoid(length: float, v0: float, top: float, v1: float, a: float, b: float) -> float:
    """How long a stretch takes from v0 over at most `top` to v1, accelerating a, braking b."""
    peak = min(top, math.sqrt((2 * a * b * length + b * v0**2 + a * v1**2) / (a + b)))
    used = (peak**2 - v0**2) / (2 * a) + (peak**2 - v1**2) / (2 * b)
    return (peak - v0) / a + (peak - v1) / b + max(length - used, 0.0) / peak


@pytest.mark.parametrize(
    ("kind", "speed", "mean", "most"),
    [
        ("ground", 3, 0.05, 1.7),
        ("ground", 10, 0.1, 1.8),
        ("ground", 20, 0.1, 1.8),
        ("pedestrian", 1.4, 0.02, 1.0),
        ("surface", 6, 0.4, 3.6),
        ("aerial/rotorcraft", 5, 0.05, 1.05),
        ("aerial/fixedwing", 15, 0.2, 2.0),
    ],
)
def test_it_stays_near_the_route(driven, kind: str, speed: float, mean: float, most: float) -> None:
    """Corners of a right angle and all, for a lap or five minutes."""
    off = away(driven(lap(kind, speed, min(1100 / speed, 300))))
    print(f"{kind} at {speed} m/s: {off.mean():.3f} m on average, {off.max():.2f} m at most")
    assert off.mean() < mean
    assert off.max() < most


@pytest.mark.parametrize("speed", [3.0, 10.0, 20.0, 30.0])
def test_a_bend_of_fifty_metres_is_kept_to_a_decimetre(driven, speed: float) -> None:
    corners = [
        [50 * math.cos(t), 50 * math.sin(t)] for t in np.arange(0, math.tau, math.radians(5))
    ]
    text = lap(speed=speed, duration=200).replace(
        "[[0, 0], [300, 0], [300, 200], [0, 200]]", str(corners)
    )
    seen = driven(text, "vehicles.a.start={at: [50, 0], heading_deg: 0}")
    off = np.abs(np.hypot(*seen.place("a")[100:, :2].T) - 50)
    print(f"{speed} m/s: {off.mean():.3f} m on average, {off.max():.3f} m at most")
    assert off.max() < 0.15
    assert seen.column("speed", "a")[100:].max() <= min(speed, math.sqrt(2.0 * 50)) * 1.01


def test_a_lap_takes_as_long_as_arithmetic_says(driven) -> None:
    text = lap(duration=500).replace(
        "closed: true",
        "closed: true\n    slow: [{at: 150, over: 10, speed: 4}]\n    stops: [{at: 600, wait: 5}]",
    )
    seen = driven(text)
    # Bends of right angles: a radius of 1.15 · length / max_steer, at most 2 m/s² sideways.
    radius = 1.15 * 2.7 / 0.6
    slow, arc = math.sqrt(2.0 * radius), math.pi / 2 * radius
    parts = [  # from the first point on: way between bends, and what is on it
        (150 - radius, slow, 4), (10, 4, 4), (140 - radius, 4, slow),
        (200 - 2 * radius, slow, slow), (100 - radius, slow, 0), (200 - radius, 0, slow),
        (200 - 2 * radius, slow, slow),
    ]  # fmt: skip
    expected = 5.0 + 4 * arc / slow
    for length, v0, v1 in parts:
        top = 4 if length == 10 else 10
        expected += trapezoid(length, v0, top, v1, 1.5, 2.0)
    x, y = seen.column("x", "a"), seen.column("y", "a")
    crossed = seen.t[1:][(x[:-1] < 100) & (x[1:] >= 100) & (y[1:] < 50)]
    assert len(crossed) == 3
    laps = np.diff(crossed)
    assert laps == pytest.approx(expected, rel=0.01)
    assert np.ptp(laps) < 0.31
    waits = np.flatnonzero(seen.column("speed", "a") < 0.05)
    assert len(waits) * 0.1 / 4 == pytest.approx(5.0, abs=0.3)  # the fourth lap has begun
    assert x[waits] == pytest.approx(200, abs=0.3)


def test_speed_is_down_where_a_slow_stretch_begins_and_brakes_no_harder_than_it_may(driven) -> None:
    text = lap(duration=60).replace(
        "closed: true", "closed: true\n    slow: [{at: 250, over: 10, speed: 2}]"
    )
    for most in (1.0, 3.0):
        seen = driven(text, f"vehicles.a.model.max_acceleration={most}")
        x, y, v = (seen.column(name, "a") for name in ("x", "y", "speed"))
        on_it = (x >= 250) & (x <= 260) & (y < 10)
        assert on_it.any()
        assert v[on_it].max() <= 2.05
        hardest = -np.diff(v).min() / 0.1
        assert hardest <= min(2.0, 0.9 * most) + 0.05
        assert np.diff(v).max() / 0.1 <= min(1.5, 0.9 * most) + 0.05


EIGHT = """
name: eight
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: DURATION, step: 0.05, tick: 0.2}
routes: {eight: {points: [[0, 0], [200, 200], [200, 0], [0, 200]], closed: true, stops: [{at: 30}]}}
vehicles:
  - {name: a, count: 5, kind: ground, model: {speed: 9}, start: {line: {from: [0, 0], to: [100, 100]}},
     behaviors: {follow_path: {route: eight, laps: forever}}}
  - {name: b, count: 3, kind: ground, model: {speed: 7}, start: {line: {from: [0, 50], to: [0, 150]}},
     behaviors: {follow_path: {route: eight, laps: forever, reverse: true}}}
  - {name: c, count: 2, kind: ground, model: {speed: 5}, start: {line: {from: [3, 60], to: [3, 120]}},
     behaviors: {follow_path: {route: eight, laps: forever, reverse: true, offset: 3}}}
"""  # noqa: E501


@pytest.mark.parametrize("minutes", [10, pytest.param(60, marks=pytest.mark.soak)])
def test_a_long_run_stays_on_the_route_and_is_the_same_on_three_hosts(
    tmp_path, minutes: int
) -> None:
    """A figure of eight that crosses itself, ten vehicles, some the other way round or beside."""
    path = tmp_path / "eight.yaml"
    path.write_text(EIGHT.replace("DURATION", str(60 * minutes)))
    ring = shapely.LinearRing([[0, 0], [200, 200], [200, 0], [0, 200]])
    seen = [update.snapshot.vehicles for update in updates(build(load(str(path))))]
    shorter = updates(build(load(str(path), ["time.duration=120"]), hosts=3))
    for one, three in zip(seen, shorter, strict=False):
        assert one.x.tobytes() == three.snapshot.vehicles.x.tobytes()
        assert one.speed.tobytes() == three.snapshot.vehicles.speed.tobytes()
    xy = np.array([[s.x, s.y] for s in seen])
    off = shapely.distance(shapely.points(xy[300:, 0], xy[300:, 1]), ring)
    assert off[:, :8].max() < 7.0  # a turn by 135 degrees leads 5 m past its corner
    assert off[:, 8:].max() < 8.0
    assert np.median(off[:, 8:]) == pytest.approx(3.0, abs=0.05)
    moved = np.hypot(*np.diff(xy, axis=0).transpose(1, 0, 2)).sum(axis=0)
    assert moved.min() > 60 * minutes * 3  # nobody is stuck
    stops = np.array([s.speed for s in seen])[:, 0] < 0.05
    assert np.count_nonzero(np.diff(stops.astype(int)) == 1) >= minutes // 3


def test_done_when_the_laps_are_over(driven) -> None:
    text = (
        lap(duration=400)
        .replace("laps: forever", "laps: 2")
        .replace("    behaviors:", "    mission:\n      - do:")
        .replace("laps: 2}}", "laps: 2}}\n      - do: {wander: {}}")
    )
    seen = driven(text)
    doing = seen.behaviors("a")
    over = doing.index("wander")
    length = seen.column("speed", "a")[:over].sum() * 0.1
    radius = 1.15 * 2.7 / 0.6
    assert length == pytest.approx(2 * (1000 - 8 * radius * (1 - math.pi / 4)), rel=0.003)
    assert seen.place("a")[over, :2] == pytest.approx([100, 0], abs=0.5)


def test_an_open_route_ends_and_the_vehicle_rests_there(driven) -> None:
    text = (
        lap(duration=120)
        .replace("closed: true", "closed: false")
        .replace("laps: forever", "laps: 1")
    )
    seen = driven(text)
    assert seen.place("a")[-1, :2] == pytest.approx([0, 200], abs=0.3)
    assert seen.column("speed", "a")[-1] < 0.01


@pytest.mark.parametrize(
    ("origin", "x", "speed", "arrived"),
    [
        (Origin.REAL, 98.2, 0.3, True),
        (Origin.REAL, 98.2, 3.0, False),
        (Origin.REAL, 97.0, 0.0, False),
        (Origin.REAL, 99.9, 3.0, True),
        (Origin.VIRTUAL, 98.2, 0.0, False),
        (Origin.VIRTUAL, 99.9, 0.0, True),
    ],
)
def test_a_real_driver_who_stops_short_of_the_end_has_arrived(
    origin: Origin, x: float, speed: float, arrived: bool
) -> None:
    line = np.array([[0.0, 0.0, np.nan], [100.0, 0.0, np.nan]])
    vids, one = np.array([7], np.uint32), np.zeros(1, np.intp)
    roster = Roster(
        vids, ["a"], [Kind.parse("ground")], np.zeros(1, np.uint8),
        np.array([origin], np.uint8), np.ones(1), ["follow_path"],
    )  # fmt: skip
    config = ConfigColumns([FollowPathConfig(route="way")], one)
    routes = {"way": Route("way", line, np.full(1, np.nan))}
    setup = Setup(
        vids, config, {}, {}, routes, {}, roster, np.empty(1, object), lambda _: (0, 0, 0)
    )
    behavior = FollowPath(setup)
    still = {"length": 2.7, "max_steer": 0.6, "yaw": 0.0, "y": 0.0, "z": 0.0}
    own = Own(vids, {n: np.array([v]) for n, v in (still | {"x": x, "speed": speed}).items()}, None)
    moment = SimpleNamespace(tick=1, period=0.1, t=0.1)
    behavior.begin(own, np.array([True]), moment)
    assert behavior.done(own, None, moment).tolist() == [arrived]


def test_from_the_first_point_it_goes_there_first(driven) -> None:
    text = lap(duration=200).replace("closed: true", "closed: false")
    text = text.replace("laps: forever", "start: first").replace("[100, 0]", "[150, -60]")
    seen = driven(text)
    to_first = np.hypot(*seen.place("a")[:, :2].T)
    assert to_first.min() < 6
    assert seen.place("a")[-1, :2] == pytest.approx([0, 200], abs=0.3)
    near = driven(text.replace("start: first", "start: nearest"))
    assert np.hypot(*near.place("a")[:, :2].T).min() > 100


def test_beside_the_route_on_the_right(driven) -> None:
    seen = driven(lap().replace("laps: forever", "laps: forever, offset: -4"))
    outside = shapely.distance(shapely.points(seen.place("a")[100:, :2]), RING)
    assert np.median(outside) == pytest.approx(4.0, abs=0.02)
    assert not shapely.Polygon(RING).contains(shapely.points(seen.place("a")[100:, :2])).any()


def test_an_aircraft_flies_at_the_heights_of_its_route(driven) -> None:
    text = lap("aerial/rotorcraft", 8, 200).replace(
        "[[0, 0], [300, 0], [300, 200], [0, 200]]",
        "[[0, 0, 30], [300, 0, 60], [300, 200, 60], [0, 200, 30]]",
    )
    seen = driven(text, "vehicles.a.start={at: [0, 0, 30]}")
    x, y, z = seen.place("a")[50:].T
    straight = (y < 0.5) & (x > 10) & (x < 290)
    assert z[straight] == pytest.approx(30 + x[straight] / 10, abs=0.5)
    assert z[(x > 299) & (y > 10) & (y < 190)] == pytest.approx(60, abs=1.0)


def test_laps_on_an_open_route_are_refused(tmp_path) -> None:
    path = tmp_path / "open.yaml"
    head = "name: t\norigin: {lat: 29, lon: -81}\n"
    path.write_text(head + lap().replace("closed: true", "closed: false"))
    with pytest.raises(ScenarioError, match="route 'lap' is open"):
        build(load(str(path)))


def test_its_own_speed_instead_of_the_routes(driven) -> None:
    text = lap(duration=30).replace("closed: true", "closed: true\n    speed: 5")
    assert driven(text).column("speed", "a").max() == pytest.approx(10, abs=0.1)  # as it starts
    assert driven(text).column("speed", "a")[100] == pytest.approx(5, abs=0.01)
    own = driven(text.replace("laps: forever", "laps: forever, speed: 7"))
    assert own.column("speed", "a")[100] == pytest.approx(7, abs=0.01)
