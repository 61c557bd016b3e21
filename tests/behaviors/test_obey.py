"""Who is told to go goes, stays there, holds, forms up, and resumes; until then it is free."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.testing import Drive
from movenv.world.messages import Remark
from movenv.world.orders import Order, places_ahead, taken_up

HEAD = """
time: {duration: 40}
vehicles:
  - name: car
    count: 4
    unit: alpha
    kind: ground
    model: {speed: 6}
    start: {line: {from: [0, 0], to: [0, 60]}, heading_deg: 90}
    behaviors: {wander: {}, obey: {within: 3}}
  - name: plane
    kind: aerial/fixedwing
    start: {at: [0, -300, 50]}
    behaviors: {wander: {}, obey: {}}
"""
Driven = Callable[..., Drive]


def when(run: Drive, vehicle: str, behavior: str = "obey") -> list[float]:
    """When a behavior took the wheel and when it gave it away."""
    held = np.array([name == behavior for name in run.behaviors(vehicle)])
    return run.t[1:][held[1:] != held[:-1]].tolist()


def test_nobody_obeys_before_an_order_and_after_it_is_taken_back(driven: Driven) -> None:
    run = driven(
        HEAD + "orders:\n  - {at: 5, what: hold, vehicles: [car-1]}\n"
        "  - {at: 8.04, what: resume, vehicles: [car-1]}\n"
    )
    # It acts in the tick after, and is seen at that tick's end; 8.04 s is told at 8.1 s.
    assert when(run, "car-1") == pytest.approx([5.1, 8.2])
    assert when(run, "car-2") == when(run, "plane") == []


def test_a_car_goes_to_its_places_in_turn_says_so_and_stays(driven: Driven, tmp_path: Path) -> None:
    run = driven(HEAD + "orders: [{at: 1, what: go, vehicles: [car-1], to: [[60, 0], [60, 60]]}]\n")
    place = run.place("car-1")[:, :2]
    near = [np.hypot(*(place - there).T) < 4 for there in ([60, 0], [60, 60])]
    assert 0 < np.argmax(near[0]) < np.argmax(near[1])
    assert near[1][-1]
    assert run.column("speed", "car-1")[-1] < 0.1
    assert set(run.behaviors("car-1")[12:]) == {"obey"}
    said = [u.remarks for u in updates(build(load(str(tmp_path / "test.yaml")))) if u.remarks]
    assert said == [[Remark(1, "arrived")]]


def test_speed_is_that_of_the_order(driven: Driven) -> None:
    run = driven(
        HEAD + "orders: [{at: 0, what: go, vehicles: [car-1], to: [[200, 0]], speed: 3}]\n"
    )
    assert run.column("speed", "car-1")[100:300] == pytest.approx(3.0, abs=0.05)


def test_hold_stops_who_can_stop_and_has_others_circle(driven: Driven) -> None:
    # Its host may die, and whoever takes over tells it the same again.
    run = driven(
        HEAD + "orders:\n  - {at: 2, what: hold, vehicles: ['*']}\n"
        "  - {at: 20, what: hold, vehicles: [car-1]}\n"
    )
    place, yaw = run.place("car-1")[21:, :2], run.column("yaw", "car-1")[21]
    way = (place - place[0]) @ [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    # On and on until it stands, never back; 6 m/s are gone after 6 m with 3 m/s².
    assert (np.diff(way[:, 0]) > -1e-6).all()
    assert 3 < way[-1, 0] < 12
    assert np.abs(way[:, 1]).max() < 1
    assert np.abs(run.column("speed", "car-1")[70:]).max() < 1e-3
    plane = run.place("plane")[21:, :2]
    away = np.hypot(*(plane - plane[0]).T)
    assert run.column("speed", "plane").min() > 5
    assert away.max() < 500  # it would be 40 s of flight away
    assert run.column("z", "plane")[-1] == pytest.approx(50, abs=5)


def test_in_a_formation_the_leader_goes_and_the_others_keep_to_it(driven: Driven) -> None:
    run = driven(
        HEAD + "orders: [{at: 0, what: go, unit: alpha, to: [[150, 30]], formation: column, "
        "spacing: 12, leader: car-2}]\n"
    )
    lead = run.place("car-2")[-1, :2]
    assert np.hypot(*(lead - [150, 30])) < 4
    others = [run.place(f"car-{i}")[-1, :2] for i in (1, 3, 4)]
    assert all(np.hypot(*(place - lead)) < 3 * 12 + 15 for place in others)
    assert run.closest("car-1", "car-3") > 2


def test_form_leaves_the_leader_to_what_it_does(driven: Driven) -> None:
    run = driven(HEAD + "orders: [{at: 1, what: form, vehicles: ['car-*'], formation: wedge}]\n")
    assert when(run, "car-1") == []
    assert when(run, "car-2")[0] == pytest.approx(1.1)
    run = driven(
        HEAD + "orders:\n  - {at: 0, what: go, vehicles: [car-1], to: [[150, 0]]}\n"
        "  - {at: 3, what: form, unit: alpha, formation: wedge}\n"
    )
    assert np.hypot(*(run.place("car-1")[-1, :2] - [150, 0])) < 4


def test_who_took_up_an_order_before_does_not_go_back() -> None:
    points = np.array([[0.0, 0.0, np.nan], [100, 0, np.nan], [100, 100, np.nan]])
    east, north = 0.0, np.pi / 2
    for x, y, yaw, left in (
        (-20, 5, east, 3),
        (10, 3, east, 2),
        (96, 2, east, 2),
        (103, 4, 0.8, 1),  # it has come through the corner, in a bend
        (100, 40, north, 1),
        (100, 130, north, 1),
        (60, 90, -2.5, 3),  # it comes from elsewhere
    ):
        assert len(places_ahead(points, x, y, yaw)) == left, (x, y)
    order = Order(1, "go", np.array([1, 2, 3, 9], np.uint32), points)
    vids, x, y = np.array([1, 2, 3], np.uint32), np.array([10.0, 100, 40]), np.array([1.0, 50, 0])
    yaw = np.array([east, north, east])
    parts = taken_up(order, vids, x, y, yaw)
    assert {tuple(part.vids.tolist()): len(part.points) for part in parts} == {(1, 3): 2, (2,): 1}
    hold = Order(2, "hold", vids)
    assert taken_up(hold, vids, x, y, yaw) == [hold]


COURT = """
name: court
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 120}
terrain:
  features:
    - {kind: building, at: [100, 0], rectangle: [10, 200], height: 8}
    - {kind: building, at: [50, 100], rectangle: [100, 6], height: 8}
    - {kind: building, at: [50, -100], rectangle: [100, 6], height: 8}
    - {kind: tower, at: [1000, 1000], radius: 5, height: 60}
vehicles:
  - name: car
    kind: ground
    model: {speed: 8}
    start: {at: [50, 0], speed: 0}
    behaviors: {obey: {visibility: 20}}
  - {name: copter, kind: aerial/rotorcraft, start: {at: [0, 500, 100]}, behaviors: {obey: {}}}
orders:
  - {at: 1, what: go, vehicles: [car], to: [[200, 0]]}
  - {at: 1, what: go, vehicles: [copter], to: [[0, 600, 100]]}
  - {at: 55, what: go, vehicles: [copter], to: [[0, 500, 30]]}
"""


def test_who_flies_lower_does_not_make_others_forget_what_they_have_seen(tmp_path: Path) -> None:
    path = tmp_path / "court.yaml"
    path.write_text(COURT)
    alone, apart = (
        np.array([update.snapshot.vehicles.x for update in updates(build(load(str(path)), hosts))])
        for hosts in (1, 2)
    )
    assert alone.tobytes() == apart.tobytes()
    assert alone[-1, 0] == pytest.approx(200.0, abs=5.0)
