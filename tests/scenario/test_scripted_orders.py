"""The orders of a script are checked when a scenario is loaded, and wrong ones named by line."""

from pathlib import Path

import pytest

from movenv.scenario.build import Stage
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load
from movenv.scenario.orders import never_obeyed

HEAD = """\
name: test
origin: {lat: 29.193111, lon: -81.046171}
routes:
  loop: {points: [[0, 0], [50, 0], [50, 50]]}
terrain:
  features:
    - {kind: lake, name: mirror, polygon: [[60, 20], [150, 30], [160, 110], [90, 130], [50, 80]]}
    - {kind: building, name: barn, at: [-120, -120], rectangle: [40, 22], height: 20}
vehicles:
  - name: car
    count: 3
    unit: alpha
    kind: ground
    start: {grid: {spacing: 9}}
    behaviors: {obey: {}}
  - {name: drone, kind: aerial/rotorcraft, start: {at: [0, -99, 50]}, model: {ceiling: 120},
     behaviors: {obey: {}}}
  - {name: horse, count: 201, unit: host, kind: ground, behaviors: {obey: {}},
     start: {grid: {spacing: 9, center: [999, 0]}}}
  - {name: man, kind: pedestrian, start: {at: [0, 90]}}
orders:
"""
LINE = HEAD.count("\n") + 1


def staged(folder: Path, orders: str) -> Stage:
    path = folder / "test.yaml"
    path.write_text(HEAD + orders)
    return Stage(load(str(path)))


def test_names_patterns_units_and_routes_become_vids_and_places(tmp_path: Path) -> None:
    stage = staged(
        tmp_path,
        "  - {at: 7, what: hold, unit: alpha}\n"
        "  - {at: 1.01, what: go, vehicles: [car-3, 'car-[12]'], to: loop, formation: vee}\n"
        "  - {at: 7, what: go, vehicles: [drone], to: [[100, 60], [0, 0, 90]], speed: 3}\n",
    )
    first, second, third = stage.script
    assert (first.tick, second.tick, third.tick) == (11, 70, 70)
    assert (first.order.vids.tolist(), first.order.leader) == ([3, 1, 2], 3)
    assert first.order.points[:, :2].tolist() == [[0, 0], [50, 0], [50, 50]]
    assert (second.order.what, second.order.unit) == ("hold", "alpha")
    assert third.order.points[1].tolist() == [0, 0, 90]


def test_orders_that_come_when_the_run_is_over_are_named(tmp_path: Path) -> None:
    stage = staged(
        tmp_path,
        "  - {at: 59.9, what: hold, unit: alpha}\n  - {at: 500, what: hold, unit: alpha}\n"
        "  - {at: 59.95, what: hold, unit: alpha}\n",
    )
    where = (
        f"{tmp_path / 'test.yaml'}:{{}}:6: nobody obeys an order at {{}} s: the run ends at 60 s"
    )
    assert never_obeyed(stage) == [where.format(LINE + 1, 500), where.format(LINE + 2, 59.95)]


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("{at: 1, what: hold, vehicles: [cra-1]}", "no vehicle is called 'cra-1'"),
        ("{at: 1, what: hold, vehicles: [man]}", "'man' takes no orders"),
        ("{at: 1, what: go, unit: alpha, to: lop}", "no route is called 'lop'"),
        ("{at: 1, what: go, unit: alpha, to: []}", "'to' has 0 items, expected at least 1"),
        ("{at: 1, what: go, unit: alpha}", "go where"),
        ("{at: -1, what: hold, unit: alpha}", "'at' should be greater than or equal to 0"),
        ("{at: 1, what: go, unit: alpha, to: [[0, 0]], speed: 0}", "'speed' should be greater"),
        ("{at: 1, what: go, unit: alpha, to: [[100, 60]]}", r"place 1 lies in 'mirror' \(lake\)"),
        ("{at: 1, what: go, vehicles: [drone], to: [[-120, -120, 9]]}", "lies in 'barn'"),
        ("{at: 1, what: go, vehicles: [drone], to: [[0, 0], [3e5, 0]]}", "place 2: .*outside"),
        (
            "{at: 1, what: go, vehicles: [drone], to: [0, 0, 1.0e6]}",
            r"place 1: a place 1,000,000 m above the origin, outside the world \(100,000 m\)",
        ),
        ("{at: 1, what: form, vehicles: [car-1], formation: vee}", "at least two vehicles"),
        ("{at: 1, what: form, unit: alpha, formation: heap}", "no formation is called 'heap'"),
        ("{at: 1, what: go, unit: alpha, to: [[0, 0]], roads: only}", "there are no roads"),
        (
            "{at: 1, what: go, vehicles: [drone], to: [[0, 0], [9, 9, -5]]}",
            "place 2 is at -5 m, where 'drone' cannot be: its z is 0 to 120 m",
        ),
        ("{at: 1, what: go, vehicles: [drone], to: [[9, 9, 121]]}", "place 1 is at 121 m"),
        ("{at: 1, what: form, unit: host, formation: vee}", "a formation of 201 vehicles: 200 is"),
    ],
)
def test_what_cannot_be_is_named_with_its_line(tmp_path: Path, order: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=said) as refused:
        staged(tmp_path, f"  - {order}\n")
    assert f"test.yaml:{LINE}:" in str(refused.value)


def test_who_flies_above_an_obstacle_may_go_there(tmp_path: Path) -> None:
    stage = staged(tmp_path, "  - {at: 1, what: go, vehicles: [drone], to: [[-120, -120]]}\n")
    assert len(stage.script) == 1


@pytest.mark.parametrize("place", ["[30, 40]", "[30, 40, 60]", "{lat: 29.1932, lon: -81.046}"])
def test_a_single_place_needs_no_list(tmp_path: Path, place: str) -> None:
    alone, listed = staged(
        tmp_path,
        f"  - {{at: 1, what: go, vehicles: [drone], to: {place}}}\n"
        f"  - {{at: 2, what: go, vehicles: [drone], to: [{place}]}}\n",
    ).script
    assert alone.order.points.shape == (1, 3)
    assert alone.order.points.tobytes() == listed.order.points.tobytes()
