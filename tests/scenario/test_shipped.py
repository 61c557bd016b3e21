"""Every shipped scenario runs, and `one-of-everything` has everything."""

from typing import Any

import pytest
from pydantic import BaseModel
from ruamel.yaml import YAML

from movenv.parts.registry import find, names
from movenv.runtime.fast import FastRun, updates
from movenv.scenario.build import build
from movenv.scenario.load import load, shipped_scenarios
from movenv.scenario.schema import Scenario
from movenv.scenario.wording import _model_in
from movenv.world.kinds import AERIAL_SUBKINDS, KINDS

TAKES = {"medevac": 380, "one-of-everything": 110}
"""How long it takes until every behavior has had its turn, s, where that is not soon."""

IDLE = {"urban-loop": {"avoid_by_brake"}}
"""What need not have its turn by then: nobody stands in the way of the town's traffic so soon."""


@pytest.mark.parametrize("name", sorted(shipped_scenarios()))
def test_it_runs_and_every_behavior_it_names_gets_its_turn(name: str) -> None:
    long = TAKES.get(name, 20)
    run = build(load(name, [f"time.duration={long}"]))
    assert run.scenario.name == name
    summary = FastRun(run, []).run()
    assert summary.ticks == round(long / run.scenario.time.tick)
    without_orders = set() if run.scenario.orders else {"obey"}
    idle = {"search_and_report", "driven"} | IDLE.get(name, set())
    driving = set(run.roster.behaviors) - idle - without_orders
    if name != "three-uavs":  # too few and too far apart to need to avoid within 20 s
        assert {b for b, share in summary.shares.items() if share > 0} - {
            "(none)"
        } - idle == driving


@pytest.mark.long
def test_everything_is_the_same_with_a_host_for_each_vehicle() -> None:
    """So that no group has vehicles on every host."""
    few = ["time.duration=8"]
    everyone = len(build(load("one-of-everything", few)).roster)
    alone = updates(build(load("one-of-everything", few)))
    apart = updates(build(load("one-of-everything", few), everyone))
    for one, other in zip(alone, apart, strict=True):
        assert one.snapshot.vehicles.x.tobytes() == other.snapshot.vehicles.x.tobytes()


def test_the_papers_experiment_is_as_published() -> None:
    scenario = load("three-uavs").scenario
    assert (scenario.origin.lat, scenario.origin.lon) == (29.193111, -81.046171)
    assert scenario.areas["field"].square == 100
    assert scenario.vehicles[0].count == 3


def keys_of(model: type[BaseModel], seen: set[str]) -> set[str]:
    for name, field in model.model_fields.items():
        seen.add(field.alias or name)
        inner = _model_in(field.annotation)
        if inner and inner is not model:
            keys_of(inner, seen)
    return seen


def keys_in(data: Any, seen: set[str]) -> set[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            seen.add(key)
            keys_in(value, seen)
    elif isinstance(data, list):
        for value in data:
            keys_in(value, seen)
    return seen


def test_one_of_everything_has_everything() -> None:
    text = shipped_scenarios()["one-of-everything"].read_text()
    data = YAML(typ="safe", pure=True).load(text)
    used = keys_in(data, set())
    wanted = keys_of(Scenario, set())
    for name in names("behaviors"):
        wanted |= {name} | keys_of(find("behaviors", name).Config, set())
    for name in names("vehicles"):
        wanted |= keys_of(find("vehicles", name).Config, set())
    for name in names("sensors"):
        assert any(name in str(group.get("sensors")) for group in data["vehicles"])
        wanted |= keys_of(find("sensors", name).Config, set())
    assert wanted - used == {"live", "driver"}  # with live a run would wait for phones
    kinds = {group["kind"] for group in data["vehicles"]}
    assert {kind.partition("/")[0] for kind in kinds} == set(KINDS)
    assert {f"aerial/{sub}" for sub in AERIAL_SUBKINDS} <= kinds


def test_every_gateway_has_every_gateway() -> None:
    data = YAML(typ="safe", pure=True).load(shipped_scenarios()["every-gateway"].read_text())
    entries = [group["live"] for group in data["vehicles"]]
    assert {entry["type"] for entry in entries} == set(names("gateways"))
    used = keys_in(entries, set())
    for name in names("gateways"):
        assert keys_of(find("gateways", name).Config, set()) <= used
