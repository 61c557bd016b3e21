"""People on foot: how fast, how often they stop, and that they do not walk into traffic."""

from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load

HALF = 3.5
MARGIN = 2.0
PARK = """
time: {duration: 300}
areas: {park: {rectangle: [80, 60]}}
routes: {road: {points: [[-3000, 0], [3000, 0]]}}
vehicles:
  - name: p
    count: 24
    kind: pedestrian
    start: {within: park, speed: 0}
    behaviors: {walk: WALK}
"""
CARS = """
  - name: car
    count: 20
    kind: ground
    start: {line: {from: [-3000, 0], to: [-100, 0]}, heading_deg: 90}
    behaviors: {wander: {}}
"""


def arrivals(seen, people: list[str], cars: list[str]) -> np.ndarray:
    """For everyone on the road, at every tick: how soon a car would be there, s."""
    found = []
    x = np.array([seen.column("x", car) for car in cars])
    vx = np.array([seen.column("vx", car) for car in cars])
    for name in people:
        place = seen.place(name)
        on_road = (np.abs(place[:, 1]) < HALF - 0.3) & (seen.t > 15)  # begun there by chance
        ahead = place[on_road, 0] - x[:, on_road]
        when = np.where(ahead > 0, ahead / np.maximum(vx[:, on_road], 0.1), np.inf)
        found.append(when.min(axis=0))
    return np.concatenate(found)


def test_nobody_is_on_the_road_when_a_car_comes(driven) -> None:
    seen = driven(PARK.replace("WALK", "{area: park, roads: [road], pause_chance: 0}") + CARS)
    people = [name for name in seen.names if name.startswith("p-")]
    cars = [name for name in seen.names if name.startswith("car")]
    when = arrivals(seen, people, cars)
    assert len(when) > 1000  # they do cross
    assert when.min() > MARGIN
    for name in people:
        y, speed = seen.column("y", name), seen.column("speed", name)
        on_road = (np.abs(y) < HALF) & (seen.t > 15)
        assert speed[on_road].min(initial=9.0) > 0.3 * 0.7  # nobody stops there
        # Over it at once: as long as it is wide and a little, at their own speed.
        edges = np.flatnonzero(np.diff(np.concatenate([[0], on_road, [0]])))
        for begin, end in zip(edges[::2], edges[1::2], strict=True):
            pace = np.median(speed[begin:end])
            assert (end - begin) * 0.1 <= 2 * HALF / pace * 1.1 + 1.5


def test_without_care_they_would_be_run_over(driven) -> None:
    seen = driven(PARK.replace("WALK", "{area: park, pause_chance: 0}") + CARS)
    people = [name for name in seen.names if name.startswith("p-")]
    cars = [name for name in seen.names if name.startswith("car")]
    assert arrivals(seen, people, cars).min() < 0.3


def test_speeds_are_those_of_people(driven) -> None:
    text = PARK.replace("count: 24", "count: 120").replace("WALK", "{area: park, pause_chance: 0}")
    seen = driven(text, "time.duration=40")
    free = [float(np.median(seen.column("speed", name)[100:])) for name in seen.names]
    # Weidmann's 1.34 m/s with a deviation of 0.26 m/s, within what 120 people leave open.
    assert np.mean(free) == pytest.approx(1.38, abs=0.1)
    assert np.std(free) == pytest.approx(0.26, abs=0.06)
    assert min(free) > 0.6
    assert max(free) < 2.2


@pytest.mark.parametrize("chance", [0.0, 0.4, 1.0])
def test_stops_are_as_often_and_as_long_as_asked_for(driven, chance) -> None:
    walk = f"{{area: park, pause_chance: {chance}, pauses: [8, 12]}}"
    seen = driven(PARK.replace("WALK", walk), "time.duration=600", "time.tick=0.2")
    stops, places = [], 0
    for name in seen.names:
        speed, x, y = (seen.column(c, name)[10:] for c in ("speed", "x", "y"))
        edges = np.flatnonzero(np.diff(np.concatenate([[0], speed < 0.05, [0]])))
        edges = edges[edges < len(speed)]  # the end of the run ends no stop
        long = (edges[1::2] - edges[: len(edges) // 2 * 2 : 2]) * 0.2
        stops += long[long > 4].tolist()
        # A place was reached where the course turns by much, or after a stop.
        course = np.unwrap(np.arctan2(np.diff(y), np.diff(x)))
        moving = speed[1:] > 0.3
        turns = np.abs(np.diff(course[moving][::15])) > 0.35
        places += int(np.count_nonzero(turns[1:] & ~turns[:-1]))
    if chance == 0:
        assert not stops
        return
    # Slowing down and getting going belong to a stop's ends.
    assert np.mean(stops) == pytest.approx(10, abs=1.0)
    assert max(stops) <= 12.5
    assert min(stops) >= 7
    assert len(stops) / places == pytest.approx(chance, abs=0.25)


def test_it_is_the_same_on_any_number_of_hosts(tmp_path: Path) -> None:
    path = tmp_path / "park.yaml"
    head = "name: test\norigin: {lat: 29.193111, lon: -81.046171}\n"
    path.write_text(head + PARK.replace("WALK", "{area: park, roads: [road]}") + CARS)
    ends = []
    for hosts in (1, 3):
        last = list(updates(build(load(str(path), ["time.duration=40"]), hosts)))[-1]
        ends.append([column.tobytes() for _, column in last.snapshot.vehicles.columns()])
    assert ends[0] == ends[1]


def test_an_unknown_road_is_refused_in_words(driven) -> None:
    with pytest.raises(ScenarioError, match=r"unknown route 'lane'\. Known: road"):
        driven(PARK.replace("WALK", "{area: park, roads: [lane]}"))
